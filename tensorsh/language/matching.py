"""Patterns of `match` where every attribute is read on the gate: Python reads the attributes of class patterns itself.

match x:                              match <shown>(x):
    case Point(a, y=b) if a: ...          case Point(a, y=b) if <kept>(a := <checked>(a), b := <checked>(b)) and a: ...
    case Color.RED: ...                   case <enclosed>(Color.RED).value: ...
"""

from __future__ import annotations

import ast

from .calls import helper_call
from .mistake import Mistake, at, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scopes import Scope, Walk

LOAD = ast.Load()
STORE = ast.Store()


def match_subject(walk: Walk, node: ast.Match, scope: Scope, depth: int, gate: bool) -> None:
    """A module that a call has given stands here as programs hold it."""
    if walk.checked and gate:
        node.subject = helper_call("<shown>", [node.subject], at(node.subject))
    walk.push(scope, depth, node.subject, node.cases)


def match_case(walk: Walk, node: ast.match_case, scope: Scope, depth: int, gate: bool) -> None:
    """What a class pattern has read is checked before the guard."""
    if walk.checked and gate:
        names = list(dict.fromkeys(_read(node.pattern)))
        if names:
            where = at(node.pattern)
            read = [
                ast.NamedExpr(
                    ast.Name(name, STORE, **where),
                    helper_call("<checked>", [ast.Name(name, LOAD, **where)], where),
                    **where,
                )
                for name in names
            ]
            kept = helper_call("<kept>", read, where)
            node.guard = kept if node.guard is None else ast.BoolOp(ast.And(), [kept, node.guard], **where)
    walk.push(scope, depth, node.pattern, node.guard, node.body)


def _read(pattern: ast.pattern) -> list[str]:
    """The names to which a pattern binds attributes."""
    if type(pattern) is ast.MatchAs and pattern.pattern is not None:
        return _read(pattern.pattern)
    if type(pattern) is ast.MatchOr:
        return [name for each in pattern.patterns for name in _read(each)]
    parts: list[ast.pattern] = [*pattern.patterns, *pattern.kwd_patterns] if type(pattern) is ast.MatchClass else []
    names = []
    for part in parts:
        plain = type(part) is ast.MatchValue and type(part.value) is not ast.Attribute
        if not (plain or type(part) is ast.MatchSingleton or (type(part) is ast.MatchAs and part.pattern is None)):
            raise Mistake(
                "where packages may be imported, the attributes in a class pattern are names or numbers", place_of(part)
            )
        names += [part.name] if type(part) is ast.MatchAs and part.name else []
    for inner in ast.walk(pattern):
        if type(inner) is ast.MatchClass and inner is not pattern and (inner.patterns or inner.kwd_patterns):
            raise Mistake("where packages may be imported, a class pattern stands in no other", place_of(inner))
    return names


def match_value(walk: Walk, node: ast.MatchValue, scope: Scope, depth: int, gate: bool) -> None:
    """Python takes attributes alone in a pattern: what is read on the gate is enclosed in an object with one."""
    value = node.value
    if walk.checked and gate and type(value) is ast.Attribute:
        where = at(value)
        inner = ast.Attribute(value.value, value.attr, LOAD, **where)
        value.value = helper_call("<enclosed>", [inner], where)
        value.attr, value = "value", inner
    walk.push(scope, depth, value)
