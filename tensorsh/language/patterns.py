"""The patterns of `match`, to Python's own `ast`: one function per rule, as in lowering.py."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .mistake import Children, Mistake, Where, place_of

_SIGNS = {"+": ast.Add(), "-": ast.Sub()}


class _Rest:
    """`**rest` in a mapping pattern."""

    def __init__(self, name: str) -> None:
        self.name = name


def named_pattern(c: Children, where: Where) -> ast.MatchAs:
    if c[1][1] == "_":
        raise Mistake("cannot use '_' as a target", c[1][2:])
    return ast.MatchAs(c[0], c[1][1], **where)


def value_pattern(c: Children, where: Where) -> ast.MatchValue:
    if type(c[0]) is ast.JoinedStr:
        raise Mistake("patterns may only match literals and attribute lookups", place_of(c[0]))
    return ast.MatchValue(c[0], **where)


def complex_pattern(c: Children, where: Where) -> ast.MatchValue:
    left, operator, right = c
    if type(right.value) is not complex:
        raise Mistake("imaginary number required in complex literal", place_of(right))
    if type(left) is ast.Constant and type(left.value) is complex:
        raise Mistake("real number required in complex literal", place_of(left))
    return ast.MatchValue(ast.BinOp(left, _SIGNS[operator[1]], right, **where), **where)


def star_group_pattern(c: Children, where: Where) -> ast.MatchSequence:
    raise Mistake("cannot use starred expression here", place_of(c[0]))


def mapping_pattern(c: Children, where: Where) -> ast.MatchMapping:
    rest = None
    keys, patterns = [], []
    for item in c:
        if rest is not None:
            place = (where["lineno"], where["col_offset"], where["end_lineno"], where["end_col_offset"])
            raise Mistake("double star pattern must be the last in a mapping pattern", place)
        if type(item) is _Rest:
            rest = item.name
        else:
            keys.append(item[0])
            patterns.append(item[1])
    return ast.MatchMapping(keys, patterns, rest, **where)


def class_pattern(c: Children, where: Where) -> ast.MatchClass:
    patterns: list[ast.pattern] = []
    names: list[str] = []
    values: list[ast.pattern] = []
    for item in c[1:]:
        if type(item) is tuple:
            names.append(item[0])
            values.append(item[1])
        elif names:
            raise Mistake("positional patterns follow keyword patterns", place_of(item))
        else:
            patterns.append(item)
    return ast.MatchClass(c[0], patterns, names, values, **where)


PLAIN: dict[str, Callable[[Children, Where], Any]] = {
    "match_statement": lambda c, where: ast.Match(c[0], c[1:], **where),
    "case_clause": lambda c, where: ast.match_case(c[0], c[1], c[2]),
    "alternatives_pattern": lambda c, where: ast.MatchOr(c, **where),
    "capture_pattern": lambda c, where: ast.MatchAs(None, None if c[0][1] == "_" else c[0][1], **where),
    "none_pattern": lambda c, where: ast.MatchSingleton(None, **where),
    "true_pattern": lambda c, where: ast.MatchSingleton(True, **where),
    "false_pattern": lambda c, where: ast.MatchSingleton(False, **where),
    "sequence_pattern": lambda c, where: ast.MatchSequence(c, **where),
    "star_pattern": lambda c, where: ast.MatchStar(None if c[0][1] == "_" else c[0][1], **where),
    "mapping_item": lambda c, where: (c[0], c[1]),
    "mapping_rest": lambda c, where: _Rest(c[0][1]),
    "class_keyword_item": lambda c, where: (c[0][1], c[1]),
    "class_item": lambda c, where: c[0],
}
"""Rules that one expression says."""
