"""Calls where packages may be imported: what is called, and what is given to it, is looked at.

    f(x, *rest, key=g)            <vetted>(f)(<vetted>(x), *<several>(rest), key=<vetted>(g))

A function of the interpreter's that leads out may come from a package by a call, an index, an iterator or an argument; whichever way,
it is called or handed on in a call. Attributes are read on the gate, and need no second look.
"""

from __future__ import annotations

import ast
from typing import Any

from .mistake import at

LOAD = ast.Load()
HELD = (ast.Name, ast.Subscript, ast.Call, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.BinOp)
"""What may give a function that came from a package by no attribute."""
KNOWN = frozenset(("super", "range", "print", "len", "isinstance"))


def vet_calls(walk: Any) -> None:
    """`f(x, *rest)` is `<vetted>(f)(<vetted>(x), *<several>(rest))`, where packages may be imported."""
    for node in walk.calls:
        function = node.func
        if (
            type(function) in HELD
            and not _is_helper(function)
            and not (type(function) is ast.Name and function.id in KNOWN)
        ):
            node.func = helper_call("<vetted>", [function], at(function))
        for place, each in enumerate(node.args):
            if type(each) is ast.Starred:
                each.value = helper_call("<several>", [each.value], at(each.value))
            elif type(each) in HELD and not _is_helper(each):
                node.args[place] = helper_call("<vetted>", [each], at(each))
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = helper_call("<several>", [keyword.value], at(keyword.value))
            elif type(keyword.value) in HELD and not _is_helper(keyword.value):
                keyword.value = helper_call("<vetted>", [keyword.value], at(keyword.value))


def _is_helper(node: Any) -> bool:
    """Whether a node is a name or call of the lowering's own: an attribute that was read on the gate."""
    if type(node) is ast.Call:
        node = node.func
    return type(node) is ast.Name and node.id[:1] == "<"


def helper_call(name: str, arguments: list[Any], where: dict[str, int]) -> ast.Call:
    """A call of a function of the lowering's own."""
    return ast.Call(ast.Name(name, LOAD, **where), arguments, [], **where)
