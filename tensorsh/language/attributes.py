"""Attributes on the gate: how the nodes that read, set and delete gated names are changed."""

from __future__ import annotations

import ast
from typing import Any

from ..sandbox.names import TOLD, is_gated, is_special
from ..sandbox.stores import KEPT
from .mistake import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scopes import Scope, Walk

LOAD = ast.Load()


def mangled(name: str, scope: Scope) -> str:
    """Private names of classes, as Python changes them."""
    if name[:2] == "__" and not is_special(name) and scope.class_name:
        return f"_{scope.class_name}{name}"
    return name


def attribute(walk: Walk, node: Any, scope: Scope, depth: int, gate: bool) -> None:
    value, name = node.value, node.attr
    walk.stack.append((value, scope, depth))
    reads = type(node.ctx) is ast.Load
    every = walk.checked and gate and reads
    told = reads and name in TOLD
    if not every and (
        not gate or not (is_gated(name) or told) or (name == "data" and not reads) or hasattr(node, "plain")
    ):
        if gate and not reads:
            walk.stores.append((node, scope))
        return
    special = is_special(name)
    name = mangled(name, scope)
    where = at(node)
    text = ast.Constant(name, None, **where)
    del node.attr
    if reads:
        alone = name in ("data", "view") and not every
        helper = f"<{name}>" if alone else "<private>" if name[0] == "_" and not special else "<attribute>"
        helper = "<read>" if every else "<told>" if told else helper
        del node.ctx, node.value
        node.__class__ = ast.Call
        node.func = ast.Name(helper, LOAD, **where)
        node.args = [value] if alone else [value, text]
        node.keywords = []
    else:
        node.__class__ = ast.Subscript
        node.value = ast.Call(ast.Name("<place>", LOAD, **where), [value], [], **where)
        node.slice = text


def check_store(walk: Walk, node: ast.Attribute, scope: Scope) -> None:
    """`f.x = 1` becomes `<own>(f).x = 1`, which refuses what is the library's.

    A method's stores in its own object stay as they are and cost nothing. Library classes refuse by themselves
    (sealed.py); where a method is called with a function of the library for its object, the store is undone when the
    program ends (sandbox/restored.py). What an array of numpy keeps is looked at wherever it is set.
    """
    value = node.value
    if type(value) is ast.Name and not walk.checked and node.attr not in KEPT:
        home = scope.finds(value.id)
        if home is not None and home.first == value.id:
            return
    where = at(value)
    helper = "<own data>" if node.attr == "data" else "<own form>" if node.attr in KEPT else "<own>"
    node.value = ast.Call(ast.Name(helper, LOAD, **where), [value], [], **where)


def is_plain(name: str, node: ast.Call) -> bool:
    """Whether a call shows that it hands a method no list which the program keeps: neither sizes nor a dtype."""
    arguments = node.args
    if name == "view":
        return not node.keywords and is_shape(arguments)
    if name not in TOLD:
        return False
    if any(type(each) is ast.Starred for each in arguments):
        return False
    if name in ("reshape", "transpose"):
        return not node.keywords and (not arguments or is_shape(arguments) or is_display(arguments))
    if not all(keyword.arg is not None and keyword.arg != "dtype" for keyword in node.keywords):
        return False
    return all(type(each) is ast.Constant or is_whole(each) for each in arguments[1:])


def is_display(arguments: list[ast.expr]) -> bool:
    """Whether the only argument is a list or tuple that is made there."""
    return len(arguments) == 1 and type(arguments[0]) in (ast.Tuple, ast.List)


def is_shape(arguments: list[ast.expr]) -> bool:
    """Whether the arguments of `x.view(...)` can be no dtype: more than numpy takes, or a whole number among them."""
    if any(type(each) is ast.Starred for each in arguments):
        return False
    return len(arguments) > 2 or any(map(is_whole, arguments))


def is_whole(node: ast.expr) -> bool:
    """Whether an argument is a whole number, as it stands there."""
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        node = node.operand
    return type(node) is ast.Constant and type(node.value) is int
