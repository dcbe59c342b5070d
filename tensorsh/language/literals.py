"""Rules to Python's own `ast`, the literals: numbers, strings, f-strings, as in lowering.py."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from .mistake import Children, Mistake, Where, node, place_in, where_of
from .strings import literal


def number(c: Children, where: Where) -> ast.Constant:
    token = c[0]
    where["value"] = number_value(token[1], where)
    return node(ast.Constant, where)


def number_value(text: str, where: Where) -> int | float | complex:
    if text.isdecimal() and len(text) < 100:
        return int(text)
    digits = text.replace("_", "")
    lowered = digits.lower()
    if lowered.startswith(("0x", "0b", "0o")):
        return int(lowered, 0)
    if lowered.endswith("j"):
        return complex(0.0, float(lowered[:-1]))
    if "." in lowered or "e" in lowered:
        return float(lowered)
    try:
        return int(lowered)
    except ValueError:
        limit = sys.get_int_max_str_digits()
        message = f"Exceeds the limit ({limit} digits) for integer string conversion: value has {len(lowered)} digits"
        raise Mistake(message, place_in(where), "Write large integers in hexadecimal, or compute them.") from None


def strings(c: Children, where: Where) -> ast.expr:
    if len(c) == 1 and type(c[0]) is tuple:
        value, is_unicode = _literal(c[0])
        where["value"] = value
        if is_unicode:
            where["kind"] = "u"
        return node(ast.Constant, where)
    values: list[ast.expr] = []
    joined = kinds = 0
    unicode_first = False
    for index, part in enumerate(c):
        if type(part) is tuple:
            value, is_unicode = _literal(part)
            unicode_first |= is_unicode and index == 0
            kinds |= 1 if type(value) is str else 2
            pieces: list[ast.expr] = [ast.Constant(value, None, **where_of(part))]
        else:
            pieces = part.values
            joined += 1
            kinds |= 1
        for piece in pieces:
            last = values[-1] if values else None
            if type(piece) is ast.Constant and type(last) is ast.Constant and kinds != 3:
                last.value += piece.value  # type: ignore[operator]
                last.end_lineno, last.end_col_offset = piece.end_lineno, piece.end_col_offset
            else:
                values.append(piece)
    if kinds == 3:
        raise Mistake("cannot mix bytes and nonbytes literals", place_in(where))
    kind = "u" if unicode_first else None
    if not joined:
        return ast.Constant(values[0].value, kind, **where)  # type: ignore[attr-defined]
    if unicode_first and type(values[0]) is ast.Constant:
        values[0].kind = kind
    values = [v for v in values if type(v) is not ast.Constant or v.value]
    return ast.JoinedStr(values, **where)


def _literal(token: Any) -> tuple[str | bytes, bool]:
    try:
        return literal(token[1])
    except ValueError as error:
        raise Mistake(str(error), token[2:]) from None


def _parts(children: Children) -> list[ast.expr]:
    values: list[ast.expr] = []
    for child in children:
        for piece in child if type(child) is list else [ast.Constant(child[1], None, **where_of(child))]:
            last = values[-1] if values else None
            if type(piece) is ast.Constant and type(last) is ast.Constant:
                last.value += piece.value  # type: ignore[operator]
                last.end_lineno, last.end_col_offset = piece.end_lineno, piece.end_col_offset
            else:
                values.append(piece)
    return values


def fstring_field(c: Children, where: Where) -> list[ast.expr]:
    value, debug, conversion, form = c
    code = -1
    if conversion is not None:
        if conversion[1] not in ("s", "r", "a"):
            message = f"f-string: invalid conversion character {conversion[1]!r}: expected 's', 'r', or 'a'"
            raise Mistake(message, conversion[2:])
        code = ord(conversion[1])
    elif debug is not None and form is None:
        code = ord("r")
    field = ast.FormattedValue(value, code, form, **where)
    if debug is None:
        return [field]
    field.documented = (debug[1], debug[4], debug[5])  # type: ignore[attr-defined]  # for export
    text = ast.Constant(debug[1], None, **where)
    text.end_lineno, text.end_col_offset = debug[4], debug[5]
    text.col_offset += 1
    return [text, field]


PLAIN: dict[str, Callable[[Children, Where], Any]] = {
    "none": lambda c, where: ast.Constant(None, None, **where),
    "true": lambda c, where: ast.Constant(True, None, **where),
    "false": lambda c, where: ast.Constant(False, None, **where),
    "ellipsis": lambda c, where: ast.Constant(..., None, **where),
    "fstring": lambda c, where: ast.JoinedStr(_parts(c[1:-1]), **where),
    "format_spec": lambda c, where: ast.JoinedStr(_parts(c), **where),
}
"""Rules that one expression says."""
