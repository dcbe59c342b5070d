"""Explanations of why a text is no program: CPython's message for the usual mistakes, a place, and an advice.

The parser says only that it has no move for a token. The person's mistake is read off the tokens around it: the
first word of the statement, the brackets that are open, the value in front.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .mistake import Mistake, Place, place_of
from .scene import CLOSING, EXPRESSION, LINE_ENDS, OPENING, OPERAND, OPERAND_END, Scene

if TYPE_CHECKING:
    from .table import Rejected, Table
    from .tokens import Token

_HEADS = {
    "IF": "'if' statement", "ELIF": "'elif' statement", "ELSE": "'else' statement", "WHILE": "'while' statement",
    "FOR": "'for' statement", "TRY": "'try' statement", "EXCEPT": "'except' statement",
    "FINALLY": "'finally' statement", "WITH": "'with' statement", "DEF": "function definition",
    "CLASS": "class definition", "_MATCH": "'match' statement", "_CASE": "'case' statement",
}  # fmt: skip
_EQUALS = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"


def explain(table: Table, tokens: list[Token], rejected: Rejected, text: str) -> Mistake:
    """The Mistake for a token that the parser has no move for."""
    scene = Scene(table, tokens, rejected)
    if scene.kind == "ERROR":
        return scene.token[1]
    last = tokens[-1]
    if last[0] == "ERROR":  # as in CPython, what is wrong with the text itself comes first
        later: Mistake = last[1]
        if not later.unfinished or "was never closed" not in later.message or scene.token[2] > later.place[0]:
            return later
    mistake = _explain(scene)
    rest = tokens[scene.index :]
    if all(token[0] in ("_DEDENT", "$END") for token in rest):
        mistake.unfinished = True
    if scene.in_fstring() and mistake.message == "invalid syntax":
        mistake.message = "f-string: invalid syntax"
    return mistake


def _explain(scene: Scene) -> Mistake:
    for look in _LOOKS:
        found = look(scene)
        if found is not None:
            return found
    place: Place = scene.token[2:]
    before = scene.before
    if scene.kind == "GREATER" and before is not None and before[0] == "LESS" and before[4:6] == scene.token[2:4]:
        place = (*before[2:4], *scene.token[4:6])  # `<>` is one sign to Python
    return Mistake("invalid syntax", place, _advice(scene))


def _fstring(s: Scene) -> Mistake | None:
    return _empty_field(s) or _fstring_lambda(s) if s.in_fstring() else None


def _block(s: Scene) -> Mistake | None:
    if s.kind == "_INDENT":
        token = s.tokens[s.index + 1] if s.index + 1 < len(s.tokens) else s.token
        advice = "Only the lines of a block are indented, all by the same width."
        return Mistake("unexpected indent", (token[2], token[3] - 1, token[2], token[3]), advice, "indentation")
    if s.accepts("_INDENT"):
        position = s.index - 1  # the line break; in front of it the header
        while position > 0 and s.tokens[position - 1][0] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            position -= 1
        head = s.tokens[position]
        what = _HEADS.get(head[0], "statement")
        message = f"expected an indented block after {what} on line {head[2]}"
        token = s.token
        if all(after[0] in ("_DEDENT", "$END") for after in s.tokens[s.index :]):
            token = s.tokens[s.index - 1]  # nothing follows: point behind the header
        return Mistake(message, token[2:], "Indent the lines of the block by four spaces.", "indentation")
    return None


def _empty_field(s: Scene) -> Mistake | None:
    if s.before is None or s.before[0] not in ("LBRACE", "STAR"):
        return None
    if s.before[0] == "STAR" and s.tokens[s.index - 2][0] != "LBRACE":
        return None
    if s.before[0] == "LBRACE" and s.kind in ("RBRACE", "FSTRING_DEBUG", "BANG", "_FORMAT_COLON", "EQUAL"):
        shown = {"FSTRING_DEBUG": "=", "_FORMAT_COLON": ":"}.get(s.kind, s.token[1])
        return Mistake(f"f-string: valid expression required before '{shown}'", s.token[2:])
    return Mistake("f-string: expecting a valid expression after '{'", s.token[2:])


def _fstring_lambda(s: Scene) -> Mistake | None:
    if s.kind in ("_FORMAT_COLON", "FSTRING_MIDDLE", "RBRACE"):
        for position in range(s.index - 1, s.first, -1):
            token = s.tokens[position]
            if token[0] == "LAMBDA":
                place = (*token[2:4], *s.token[4:6])
                return Mistake("f-string: lambda expressions are not allowed without parentheses", place)  # type: ignore[arg-type]
            if token[0] == "FSTRING_START":
                break
    if s.before is not None and s.before[0] == "BANG":
        return Mistake("f-string: missing conversion character", s.token[2:])
    return None


def _print(s: Scene) -> Mistake | None:
    before = s.before
    if before is None or before[0] != "NAME" or s.index - 2 >= s.first and s.tokens[s.index - 2][0] == "DOT":
        return None
    if before[1] in ("print", "exec") and s.kind in EXPRESSION:
        message = f"Missing parentheses in call to '{before[1]}'. Did you mean {before[1]}(...)?"
        return Mistake(message, (before[2], before[3], *s.end_of_expression(commas=True)))
    return None


def _equals(s: Scene) -> Mistake | None:
    if s.kind != "EQUAL" or not isinstance(s.value, ast.expr):
        return None
    if type(s.value) in (ast.Yield, ast.YieldFrom) and not s.open:
        return Mistake("assignment to yield expression not possible", place_of(s.value))
    following = s.tokens[s.index + 1] if s.index + 1 < len(s.tokens) else s.token
    inside = s.open or s.head in ("IF", "ELIF", "WHILE") or s.accepts("COLON")
    if not inside:
        return None
    if following[0] not in EXPRESSION and following[0] not in ("PLUS", "MINUS", *LINE_ENDS):
        return Mistake("invalid syntax", s.token[2:], _advice(s))
    place: Place = (*s.start_of_value(), *_after_equals(s))
    advice = "A comparison is written with two equal signs."
    kind = type(s.value)
    if kind is ast.Name:
        return Mistake(_EQUALS, place, advice)
    from .targets import kind_of

    what = kind_of(s.value)
    if what in ("list", "tuple", "True", "False", "None", "comparison"):
        return Mistake("invalid syntax", s.token[2:], advice)
    message = f"cannot assign to {what} here. Maybe you meant '==' instead of '='?"
    return Mistake(message, place_of(s.value), advice)


def _after_equals(s: Scene) -> tuple[int, int]:
    following = s.tokens[s.index + 1] if s.index + 1 < len(s.tokens) else s.token
    if following[0] in LINE_ENDS:
        return s.token[4], s.token[5]
    s.index += 1
    end = s.end_of_expression()
    s.index -= 1
    return end


def _colon(s: Scene) -> Mistake | None:
    if s.open or s.head not in _HEADS or not s.accepts("COLON"):
        return None
    if s.kind == "_NEWLINE":
        what = {"DEF": "the head of a function", "CLASS": "the head of a class"}.get(s.head)
        what = what or f"the line of '{s.tokens[s.first][1]}'"
        return Mistake("expected ':'", s.token[2:], f"Put a colon at the end of {what}.")
    if s.head == "ELSE" and s.kind == "IF":
        return Mistake("expected ':'", s.token[2:], "Write 'elif' instead of 'else if'.")
    if s.head == "EXCEPT" and s.kind == "COMMA":
        advice = "Write except (A, B): with parentheses."
        return Mistake("multiple exception types must be parenthesized", _from_second(s), advice)
    if s.head in ("ELSE", "TRY", "FINALLY", "DEF", "CLASS") and s.kind != "EQUAL":
        return Mistake("expected ':'", s.token[2:], _advice(s))
    return None


def _from_second(s: Scene) -> Place:
    start = s.tokens[s.first + 1]
    last = s.token
    for token in s.tokens[s.index :]:
        if token[0] in LINE_ENDS or token[0] in ("COLON", "AS"):
            break
        last = token
    return (start[2], start[3], last[4], last[5])


def _else(s: Scene) -> Mistake | None:
    if s.kind in ("ELSE", "COLON") or not s.accepts("ELSE") or s.accepts("_NEWLINE") and s.head in ("IF", "FOR"):
        return None
    depth = 0
    for position in range(s.index - 1, s.first - 1, -1):
        kind = s.tokens[position][0]
        if kind in CLOSING:
            depth += 1
        elif kind in OPENING:
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0 and kind == "ELSE":
            return None
        elif depth == 0 and kind == "IF" and position > s.first:
            start = s.tokens[position - 1]
            place = (start[2], start[3], s.tokens[s.index - 1][4], s.tokens[s.index - 1][5])
            return Mistake("expected 'else' after 'if' expression", place)
    return None


def _comma(s: Scene) -> Mistake | None:
    before = s.before
    if not s.open or s.kind not in OPERAND or before is None or before[0] not in OPERAND_END:
        return None
    if before[0] == "NAME" and s.kind in ("STRING", "FSTRING_START"):
        return None
    since = s.within()
    commas = [at for at, token in enumerate(since) if token[0] == "COMMA"]
    words = {token[0] for token in (since[commas[-1] + 1 :] if commas else since)}
    bare = s.head == "DEF" and len(s.open) == 1 and not words & {"EQUAL", "COLON"}
    if bare or s.head == "FROM" or any(token[0] == "FOR" for token in since) or "LAMBDA" in words:
        return Mistake("invalid syntax", s.token[2:], _advice(s))
    place: Place = (*s.start_of_expression(), *s.end_of_expression())
    return Mistake("invalid syntax. Perhaps you forgot a comma?", place)


def _comprehension(s: Scene) -> Mistake | None:
    if s.kind != "FOR" or not s.open or s.before is None or s.before[0] not in OPERAND_END:
        return None
    opening = s.tokens.index(s.open[-1], s.first)
    first = s.tokens[opening + 1]
    last = s.tokens[s.index - 1]
    if not any(token[0] == "COMMA" for token in s.within()):
        if first[0] != "STAR":
            return None
        message = "iterable unpacking cannot be used in comprehension"
        return Mistake(message, (first[2], first[3], last[4], last[5]))
    if s.open[-1][0] == "LPAR":
        return None
    message = "did you forget parentheses around the comprehension target?"
    return Mistake(message, (first[2], first[3], last[4], last[5]))


def _function(s: Scene) -> Mistake | None:
    previous = s.before[0] if s.before else ""
    if s.head == "DEF" and s.index == s.first + 2 and s.kind not in ("LPAR", "LSQB") and previous == "NAME":
        return Mistake("expected '('", s.token[2:])
    in_lambda = [t[0] for t in s.within() if t[0] in ("LAMBDA", "COLON", "EQUAL")][-1:] == ["LAMBDA"]
    in_head = s.head == "DEF" and len(s.open) == 1 and not any(t[0] == "LAMBDA" for t in s.within())
    if s.kind == "LPAR" and (
        in_head and previous in ("LPAR", "COMMA") or in_lambda and previous in ("LAMBDA", "COMMA")
    ):
        what = "Function" if in_head else "Lambda expression"
        return Mistake(f"{what} parameters cannot be parenthesized", (*s.token[2:4], *s.closing()))
    if s.kind == "EQUAL" and (in_head or in_lambda) and previous == "NAME":
        stars = s.tokens[s.index - 2][0]
        if stars in ("STAR", "DOUBLE_STAR"):
            what = "positional" if stars == "STAR" else "keyword"
            return Mistake(f"var-{what} argument cannot have default value", s.token[2:])
    if in_head and s.kind in ("COMMA", "RPAR") and previous == "EQUAL":
        return Mistake("expected default value expression", s.before[2:])  # type: ignore[index]
    if s.kind in ("COMMA", "RPAR") and previous == "EQUAL" and s.open and s.open[-1][0] == "LPAR":
        name = s.tokens[s.index - 2]
        return Mistake("expected argument value expression", (*name[2:4], *s.tokens[s.index - 1][4:6]))
    if s.kind == "WALRUS" and isinstance(s.value, ast.expr) and type(s.value) is not ast.Name and not s.calls():
        from .targets import kind_of

        return Mistake(f"cannot use assignment expressions with {kind_of(s.value)}", place_of(s.value))
    return None


def _try(s: Scene) -> Mistake | None:
    if s.accepts("EXCEPT") and s.accepts("FINALLY") and not s.accepts("NAME"):
        ended = all(token[0] in ("_DEDENT", "$END") for token in s.tokens[s.index :])
        return Mistake("expected 'except' or 'finally' block", s.tokens[s.index - 1][2:] if ended else s.token[2:])
    return None


def _dictionary(s: Scene) -> Mistake | None:
    if not s.open or s.open[-1][0] != "LBRACE" or s.before is None:
        return None
    if s.before[0] == "COLON" and s.kind in ("RBRACE", "COMMA"):
        return Mistake("expression expected after dictionary key and ':'", s.before[2:])
    if s.before[0] == "COLON" and s.kind == "STAR":
        s.index += 1
        end = s.end_of_expression()
        s.index -= 1
        return Mistake("cannot use a starred expression in a dictionary value", (*s.token[2:4], *end))
    if s.kind in ("RBRACE", "COMMA") and s.accepts("COLON") and not s.in_fstring():
        return Mistake("':' expected after dictionary key", s.before[2:])
    return None


def _import(s: Scene) -> Mistake | None:
    if s.head not in ("FROM", "IMPORT"):
        return None
    before = s.before[0] if s.before else ""
    if s.kind == "_NEWLINE" and before == "COMMA" and s.head == "FROM":
        return Mistake("trailing comma not allowed without surrounding parentheses", s.token[2:])
    if s.kind == "_NEWLINE" and before == "IMPORT":
        return Mistake("Expected one or more names after 'import'", s.token[2:])
    return None


_LOOKS = (
    _block, _fstring, _print, _try, _function, _colon, _equals, _import, _dictionary, _else, _comma, _comprehension,
)  # fmt: skip

# ---- advice for what CPython calls just "invalid syntax"

_STARTERS = (
    "for while if elif else def class return import from with try except finally raise assert del pass break continue "
    "global nonlocal lambda not"
).split()


_DECLARING = "let const var val auto int float double long str string bool char tensor Tensor".split()


def _advice(s: Scene) -> str | None:
    kind, value, before = s.kind, s.token[1], s.before
    previous = before[0] if before else ""
    if kind == "_NEWLINE" and previous in ("PLUS", "MINUS") and s.index - 2 >= s.first:
        if s.tokens[s.index - 2][0] == previous:
            sign = before[1] if before else "+"
            return f"There is no {sign}{sign}: write x {sign}= 1."
    if kind == "AMPERSAND" and previous == "AMPERSAND":
        return "Write 'and' instead of '&&'."
    if kind == "VBAR" and previous == "VBAR":
        return "Write 'or' instead of '||'."
    if kind == "BANG":
        return "Write 'not' instead of '!'." + " A program starts no commands of the system." * (s.index == s.first)
    if kind == "PERCENT" and s.index == s.first:
        return "Commands that begin with % are the shell's and notebooks'."
    if kind == "GREATER" and previous == "LESS":
        return "Write '!=' instead of '<>'."
    if kind in ("DOUBLE_SLASH", "SLASH") and s.index == s.first:
        return "A comment begins with '#'."
    if kind == "GREATER" and previous == "EQUAL":
        return "Write '>=' instead of '=>'."
    if kind == "WALRUS":
        return "Write = instead of := here, or put the whole in parentheses."
    if kind == "STAR" and previous == "EXCEPT":
        return "'except*' does not exist in tensorsh."
    if kind == "LSQB" and s.head in ("DEF", "CLASS") and s.index == s.first + 2:
        return "Type parameters do not exist in tensorsh."
    if previous in ("NAME",) and before is not None and s.index - 1 == s.statement:
        if before[1] == "switch":
            return "Write 'match' instead of 'switch'."
        if kind == "NAME" and before[1] in ("func", "function", "fn", "fun"):
            return f"Write 'def' instead of '{before[1]}'."
        if kind == "NAME" and before[1] in _DECLARING:
            return f"Nothing is declared: write {value} = ..."
        near = _near(before[1])
        if near:
            return f"Did you mean '{near}'?"
        if before[1] in ("pip", "conda", "uv", "git") and kind == "NAME":
            return "That is a command for another terminal: here is no system to be called."
        if before[1] == "type" and kind == "NAME":
            return "'type' statements do not exist in tensorsh."
    if s.head in _HEADS and not s.open and s.accepts("COLON") and kind in OPERAND and previous in OPERAND_END:
        if s.head == "FOR" and before is not None and before[1].endswith(".") and value.startswith("."):
            return f"Write 'range({before[1][:-1]}, {value[1:]})'."
        return f"Put a colon in front of '{value}'."
    words = s.table.literals
    if kind in ("EQUAL", "DOT", "COMMA", "RPAR") and previous in words.values() and before is not None:
        if before[1].isidentifier() and before[1] not in ("None", "True", "False"):
            return f"'{before[1]}' is a keyword and cannot be a name."
    if value in words and isinstance(value, str) and value.isidentifier() and value.islower():
        if previous in ("DEF", "DOT", "IMPORT", "AS", "FOR", "CLASS", "LPAR", "COMMA", "LAMBDA") or s.index == s.first:
            if kind in ("ELSE", "ELIF", "EXCEPT", "FINALLY"):
                return f"No block stands in front of this '{value}' that it could belong to."
            return f"'{value}' is a keyword and cannot be a name."
    return None


def _near(word: str) -> str | None:
    """The keyword that somebody meant who typed this word at the start of a statement."""
    if len(word) < 2 or word in ("print", "exec", "match", "case", "type"):
        return None
    from difflib import get_close_matches

    swapped = [keyword for keyword in _STARTERS if sorted(keyword) == sorted(word)]
    found = swapped or get_close_matches(word, _STARTERS, 1, 0.7)
    return found[0] if found else None
