"""Text to Python's own `ast`, or a TsrSyntaxError.

    text -> tokens.py (line structure) -> table.py (Lark's LALR tables) -> lowering.py (nodes) -> ast.Module

Lark itself is imported by `parse` only, which gives the plain parse tree to tools, and by build.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .mistake import Mistake, TsrIndentationError, TsrSyntaxError, TsrTabError, error_of

if TYPE_CHECKING:
    import ast

    from lark import Tree

    from .tokens import Token

__all__ = ["TsrIndentationError", "TsrSyntaxError", "TsrTabError", "parse", "parse_ast"]


def clean(source: str) -> str:
    """The text with plain newlines and without a byte order mark."""
    if source.startswith("\ufeff"):
        source = source[1:]
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    return source


def parse_ast(source: str, filename: str = "<string>") -> ast.Module:
    """The tree that Python's own parser would make of the text."""
    text = clean(source)
    try:
        return _run(text, _lowering_rules())
    except Mistake as mistake:
        raise error_of(mistake, text, filename) from None


def parse(source: str, filename: str = "<string>") -> Tree[Token]:
    """The parse tree, one lark.Tree a rule."""
    text = clean(source)
    try:
        return _run(text, _tree_rules())
    except Mistake as mistake:
        raise error_of(mistake, text, filename) from None


def tokens_of(text: str) -> list[Any]:
    """The tokens of a text that was cleaned, as `tokens.py` makes them: the last is $END or ERROR."""
    table, tokenize, _ = _reading()
    return tokenize(text, table.lexicon)


def run_lowering(text: str) -> ast.Module:
    """As parse_ast, for a text that was cleaned; raises Mistake."""
    return _run(text, _lowering_rules())


def _run(text: str, rules: Any) -> Any:
    table, tokenize, Rejected = _reading()
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Mistake("source code cannot contain null bytes", (line, 0, line, 0))
    tokens = tokenize(text, table.lexicon)
    try:
        return table.parse(tokens, rules)
    except Rejected as rejected:
        from .explanations import explain

        raise explain(table, tokens, rejected, text) from None


@lru_cache(maxsize=1)
def _reading() -> Any:
    from .table import Rejected, load_table
    from .tokens import tokenize

    return load_table(), tokenize, Rejected


@lru_cache(maxsize=1)
def _lowering_rules() -> Any:
    from . import expressions, literals, lowering, patterns
    from .table import load_table

    rules: dict[str, Any] = {}
    for file in (patterns, literals, expressions, lowering):
        rules |= vars(file) | file.PLAIN
    return load_table().bind(rules)


@lru_cache(maxsize=1)
def _tree_rules() -> Any:
    from lark import Token, Tree

    from .table import load_table

    def leaf(child: Any) -> Any:
        if type(child) is not tuple:
            return child
        kind, value, line, column, end_line, end_column = child
        return Token(kind, str(value), None, line, column + 1, end_line, end_column + 1)

    def action(name: str) -> Any:
        return lambda children, where: Tree(name, [leaf(child) for child in children])

    table = load_table()
    return table.bind({rule[2]: action(rule[2].rstrip("_")) for rule in table.rules})
