"""The scene of a mistake: the token that the parser has no move for, and what stands around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .mistake import place_of

if TYPE_CHECKING:
    from .table import Rejected, Table
    from .tokens import Token

OPENING = {"LPAR": ")", "LSQB": "]", "LBRACE": "}"}
CLOSING = ("RPAR", "RSQB", "RBRACE")
LINE_ENDS = ("_NEWLINE", "_INDENT", "_DEDENT", "$END", "ERROR")
EXPRESSION = frozenset(
    "NAME NUMBER STRING FSTRING_START NONE TRUE FALSE LAMBDA NOT ELLIPSIS TILDE LBRACE LPAR LSQB".split()
)
OPERAND = frozenset("NAME NUMBER STRING FSTRING_START NONE TRUE FALSE LAMBDA NOT ELLIPSIS TILDE LBRACE".split())
OPERAND_END = frozenset("NAME NUMBER STRING FSTRING_END NONE TRUE FALSE ELLIPSIS RPAR RSQB RBRACE".split())


class Scene:
    """The token that was refused, with what stands around it."""

    def __init__(self, table: Table, tokens: list[Token], rejected: Rejected) -> None:
        self.table = table
        self.tokens = tokens
        self.index = rejected.index
        self.states = rejected.states
        self.token = tokens[rejected.index]
        self.kind: str = self.token[0]
        self.value = rejected.values[-1] if rejected.values else None
        first = self.index
        while first > 0 and tokens[first - 1][0] not in LINE_ENDS:
            first -= 1
        self.first = first
        self.head: str = tokens[first][0]
        self.before = tokens[self.index - 1] if self.index > first else None
        self.open: list[Token] = []
        for token in tokens[first : self.index]:
            if token[0] in OPENING:
                self.open.append(token)
            elif token[0] in CLOSING and self.open:
                self.open.pop()
        self.statement = first  # the first token of the small statement
        for position in range(first, self.index):
            if tokens[position][0] == "SEMICOLON":
                self.statement = position + 1

    def accepts(self, kind: str) -> bool:
        return self.table.accepts(self.states, kind)

    def closing(self) -> tuple[int, int]:
        """Where the bracket that is the refused token is closed."""
        depth, last = 0, self.token
        for token in self.tokens[self.index :]:
            if token[0] in LINE_ENDS:
                break
            depth += (token[0] in OPENING) - (token[0] in CLOSING)
            last = token
            if not depth:
                break
        return last[4], last[5]

    def in_fstring(self) -> bool:
        depth = 0
        for token in self.tokens[self.first : self.index]:
            depth += (token[0] == "FSTRING_START") - (token[0] == "FSTRING_END")
        return depth > 0

    def end_of_expression(self, commas: bool = False) -> tuple[int, int]:
        """Where the expression that starts at the refused token probably ends; commas: a list of them."""
        depth = 0
        last = self.token
        for token in self.tokens[self.index :]:
            kind = token[0]
            if kind in LINE_ENDS:
                break
            if kind in CLOSING:
                depth -= 1
                if depth < 0:
                    break
            elif depth == 0 and token is not self.token:
                if kind == "COMMA" and commas:
                    last = token
                    continue
                if kind in ("COMMA", "COLON", "FOR", "SEMICOLON", "EQUAL", "FSTRING_DEBUG", "_FORMAT_COLON"):
                    break
                if last[0] in OPERAND_END and kind in OPERAND:
                    break
            if kind in OPENING:
                depth += 1
            last = token
        return last[4], last[5]

    def start_of_expression(self) -> tuple[int, int]:
        """Where the expression in front of the refused token probably starts."""
        depth = 0
        first = self.token
        for position in range(self.index - 1, self.first - 1, -1):
            token = self.tokens[position]
            kind = token[0]
            if kind in OPENING:
                depth -= 1
                if depth < 0:
                    break
            elif kind in CLOSING:
                depth += 1
            elif depth == 0 and kind in (
                "COMMA",
                "COLON",
                "FOR",
                "SEMICOLON",
                "EQUAL",
                "IF",
                "ELSE",
                "LAMBDA",
                "WALRUS",
            ):
                break
            elif depth == 0 and kind in ("STAR", "DOUBLE_STAR") and self.unpacks(position):
                break
            first = token
        return first[2], first[3]

    def unpacks(self, position: int) -> bool:
        """Whether the stars at a position stand in front of an argument or element."""
        return position == self.first or self.tokens[position - 1][0] in ("COMMA", *OPENING)

    def within(self) -> list[Token]:
        """The tokens between the innermost open bracket and the refused token, but those in brackets of their own."""
        found: list[Token] = []
        depth = 0
        for position in range(self.index - 1, self.first - 1, -1):
            token = self.tokens[position]
            if token[0] in CLOSING:
                depth += 1
            elif token[0] in OPENING:
                depth -= 1
                if depth < 0:
                    break
            elif not depth:
                found.append(token)
        return found[::-1]

    def calls(self) -> bool:
        """Whether the innermost open bracket is that of a call."""
        if not self.open or self.open[-1][0] != "LPAR":
            return False
        at = self.tokens.index(self.open[-1], self.first)
        return at > self.first and self.tokens[at - 1][0] in OPERAND_END

    def start_of_value(self) -> tuple[int, int]:
        if isinstance(self.value, ast.AST) and hasattr(self.value, "lineno"):
            return place_of(self.value)[:2]
        before = self.before or self.token
        return before[2], before[3]
