"""The patterns of `match`, to Python's own `ast`: one function per rule, as in lowering.py."""

from __future__ import annotations

import ast
from typing import Any

from .mistake import Children, Mistake, Where, place_of

_SIGNS = {"+": ast.Add(), "-": ast.Sub()}


class _Rest:
    """`**rest` in a mapping pattern."""

    def __init__(self, name: str) -> None:
        self.name = name


def match_statement(c: Children, where: Where) -> ast.Match:
    return ast.Match(c[0], c[1:], **where)


def case_clause(c: Children, where: Where) -> ast.match_case:
    return ast.match_case(c[0], c[1], c[2])


def named_pattern(c: Children, where: Where) -> ast.MatchAs:
    if c[1][1] == "_":
        raise Mistake("cannot use '_' as a target", c[1][2:])
    return ast.MatchAs(c[0], c[1][1], **where)


def alternatives_pattern(c: Children, where: Where) -> ast.MatchOr:
    return ast.MatchOr(c, **where)


def capture_pattern(c: Children, where: Where) -> ast.MatchAs:
    return ast.MatchAs(None, None if c[0][1] == "_" else c[0][1], **where)


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


def none_pattern(c: Children, where: Where) -> ast.MatchSingleton:
    return ast.MatchSingleton(None, **where)


def true_pattern(c: Children, where: Where) -> ast.MatchSingleton:
    return ast.MatchSingleton(True, **where)


def false_pattern(c: Children, where: Where) -> ast.MatchSingleton:
    return ast.MatchSingleton(False, **where)


def sequence_pattern(c: Children, where: Where) -> ast.MatchSequence:
    return ast.MatchSequence(c, **where)


def star_group_pattern(c: Children, where: Where) -> ast.MatchSequence:
    raise Mistake("cannot use starred expression here", place_of(c[0]))


def star_pattern(c: Children, where: Where) -> ast.MatchStar:
    return ast.MatchStar(None if c[0][1] == "_" else c[0][1], **where)


def mapping_item(c: Children, where: Where) -> tuple[ast.expr, ast.pattern]:
    return c[0], c[1]


def mapping_rest(c: Children, where: Where) -> _Rest:
    return _Rest(c[0][1])


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


def class_keyword_item(c: Children, where: Where) -> tuple[str, ast.pattern]:
    return c[0][1], c[1]


def class_item(c: Children, where: Where) -> Any:
    return c[0]


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
