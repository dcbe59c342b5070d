"""Attributes on the gate, and `range`: how the nodes that read, set and delete gated names are changed."""

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
    if name[0] == "_" and not every and type(value) is ast.Name and not is_special(name):
        walk.private.append((node, scope, "read" if reads and not hasattr(node, "called") else "place"))
    else:
        gated(node, scope, every)


def gated(node: Any, scope: Scope, every: bool = False) -> None:
    """Reads, sets or deletes an attribute on the gate."""
    value, name = node.value, node.attr
    where = at(node)
    if type(node.ctx) is not ast.Load:
        node.value = ast.Call(ast.Name("<place>", LOAD, **where), [value], [], **where)
        return
    alone = name in ("data", "view") and not every
    private = name[0] == "_" and not is_special(name)
    helper = (
        "<read>"
        if every
        else "<told>"
        if name in TOLD
        else f"<{name}>"
        if alone
        else "<private>"
        if private
        else "<attribute>"
    )
    text = ast.Constant(mangled(name, scope), None, **where)
    del node.attr, node.ctx, node.value
    node.__class__ = ast.Call
    node.func = ast.Name(helper, LOAD, **where)
    node.args = [value] if alone else [value, text]
    node.keywords = []


def store_gated(node: Any, scope: Scope) -> None:
    """The usual case, without an object for the place: `x._n = v` is `<store>(v, x, "_n")`."""
    where, target = at(node), node.targets[0]
    name = ast.Constant(mangled(target.attr, scope), None, **where)
    value = node.value
    del node.targets
    node.__class__ = ast.Expr
    node.is_store = True
    node.value = ast.Call(ast.Name("<store>", LOAD, **where), [value, target.value, name], [], **where)


def keep_private(walk: Walk) -> None:
    """`self._n` in a method, where `self` is what the method was called with: read and set as in Python if all attributes of that
    object are its program's own, which is asked once a call; on the gate elsewhere.

        def step(self):                    def step(self):
                                               <mine> = <pure>(self)
            self._n += 1                       (self if <mine> else <place>(self))._n += 1
            return self._n                     return self._n if <mine> else <private>(self, "_n")

    What is asked stays true: no program changes the class of an object, and a parameter that anything binds again is none of these.
    """
    methods = []
    for node, scope, how in walk.private:
        target = node.targets[0] if how == "store" else node
        home = _method(scope, target.value.id)
        if home is None:
            (store_gated if how == "store" else gated)(node, scope)
            continue
        if not home.asks:
            home.asks = True
            methods.append(home)
        if how == "read":
            where = at(node)
            text = ast.Constant(mangled(node.attr, scope), None, **where)
            read = ast.Attribute(node.value, node.attr, LOAD, **where)
            name = ast.Name(target.value.id, LOAD, **at(target.value))
            node.__class__ = ast.IfExp
            del node.value, node.attr, node.ctx
            node.test, node.body = ast.Name("<mine>", LOAD, **where), read
            node.orelse = ast.Call(ast.Name("<private>", LOAD, **where), [name, text], [], **where)
        else:
            value = target.value
            where = at(value)
            name = ast.Name(value.id, LOAD, **where)
            place = ast.Call(ast.Name("<place>", LOAD, **where), [name], [], **where)
            target.value = ast.IfExp(ast.Name("<mine>", LOAD, **where), value, place, **where)
    for home in methods:
        assert home.definition is not None
        body = home.definition.body
        first = body[0]
        begin = int(type(first) is ast.Expr and type(first.value) is ast.Constant and type(first.value.value) is str)
        where = at(body[min(begin, len(body) - 1)])
        asked = ast.Call(ast.Name("<pure>", LOAD, **where), [ast.Name(home.first, LOAD, **where)], [], **where)
        body.insert(begin, ast.Assign([ast.Name("<mine>", ast.Store(), **where)], asked, None, **where))


def _method(scope: Scope, name: str) -> Scope | None:
    """The method whose object a name is, with no class between."""
    here: Scope | None = scope
    while here is not None and here.kind != "class" and name not in here.globals:
        if name in here.bound:
            return here if here.first == name and here.definition is not None else None
        here = here.parent
    return None


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
    if name == "format":
        return is_template(node.func.value)  # type: ignore[attr-defined]
    if name not in TOLD:
        return False
    if any(type(each) is ast.Starred for each in arguments):
        return False
    if name in ("reshape", "transpose"):
        return not node.keywords and (not arguments or is_shape(arguments) or is_display(arguments))
    if not all(keyword.arg is not None and keyword.arg != "dtype" for keyword in node.keywords):
        return False
    return all(type(each) is ast.Constant or is_whole(each) for each in arguments[1:])


def is_template(node: ast.expr) -> bool:
    """Whether a text that stands there formats without reading an attribute."""
    return type(node) is ast.Constant and type(node.value) is str and "." not in node.value


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


def keep_range(walked: ast.expr) -> None:
    """Let a loop over `range(...)` call Python's own: each of its steps can be interrupted."""
    if type(walked) is ast.Call and type(walked.func) is ast.Name:
        walked.func.plain = True  # type: ignore[attr-defined]


def show_name(node: Any) -> None:
    """`range` becomes `<range>(range)`: one whose long ranges can be left wherever compiled code walks them."""
    where = at(node)
    name = ast.Name(node.id, LOAD, **where)
    del node.id, node.ctx
    node.__class__ = ast.Call
    node.func, node.args, node.keywords = ast.Name("<range>", LOAD, **where), [name], []


def show_range(call: ast.Call) -> None:
    """`range(n)` becomes `<ranged>(range, n)`, if there is no flag among its arguments."""
    if type(call.func) is ast.Name:
        where = at(call.func)
        call.func, call.args = ast.Name("<ranged>", LOAD, **where), [call.func, *call.args]
    else:
        show_name(call.func.args[0])  # type: ignore[attr-defined]
