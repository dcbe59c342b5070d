"""One walk over a program's tree: scopes, the names it reads, bare flags, and the attribute gate.

The walk changes nodes in place and keeps its own stack, so that no depth of nesting can hurt it:

    x._prev          ->  <private>(x, "_prev")            f(a, keepdim)  ->  <flag>(f, "keepdim")(a)
    x.__dict__       ->  <attribute>(x, "__dict__")       x._n = 1       ->  <store>(1, x, "_n")
    x.data           ->  <data>(x)                        x.view(n)      ->  <view>(x)(n)
    f.x = 1          ->  <own>(f).x = 1                   x._n += 1      ->  <place>(x)._n += 1
    list(range(n))   ->  list(<ranged>(range, n))         map(range, x)  ->  map(<range>(range), x)
    finally: f()     ->  finally: if <goes on>(): f()     except E:      ->  except <limit>: raise; except E:

The names in angle brackets live among the builtins; no script can write them.
"""

from __future__ import annotations

import ast
from typing import Any

from ..sandbox.names import (
    DEFINABLE,
    PRIVATE_MODULES,
    READABLE_VARIABLES,
    WRITABLE_VARIABLES,
    is_gated,
    is_read_on_gate,
    is_special,
)
from .attributes import LOAD, attribute, check_store, is_plain, keep_private, keep_range, show_name, store_gated
from .collector import STEPS, step
from .matching import match_case, match_subject, match_value
from .mistake import Mistake, at, place_of
from .targets import AsItem

MAX_DEPTH = 3000
AST, Name, Constant, Load = ast.AST, ast.Name, ast.Constant, ast.Load


class Scope:
    """A module, class, function, lambda or comprehension, and what is bound in it."""

    __slots__ = ("asks", "bound", "class_name", "definition", "first", "globals", "kind", "parent", "reads", "star")

    def __init__(self, kind: str, parent: Scope | None, class_name: str | None) -> None:
        self.kind = kind
        self.parent = parent
        self.class_name = class_name  # of the class around, for private names
        self.first = ""  # a method's first parameter, unless it is bound again
        self.definition: ast.FunctionDef | None = None  # of a method
        self.asks = False  # whether it asks if all of its object is its own
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.reads: set[str] = set()
        self.star = False

    def bind(self, name: str) -> None:
        if name == self.first:
            self.first = ""
        if name in self.globals:
            self.module().bound.add(name)
        else:
            self.bound.add(name)

    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def finds(self, name: str) -> Scope | None:
        """The scope that a name used here belongs to, or None."""
        if name in self.globals:
            module = self.module()
            return module if name in module.bound else None
        if name in self.bound:
            return self
        scope = self.parent
        while scope is not None:
            if name in scope.bound and scope.kind != "class":
                return scope
            scope = scope.parent
        return None


class Walk:
    """The result: every scope, the flags that were found (call, name node, scope), and the depth of the tree."""

    def __init__(self, checked: bool = False) -> None:
        self.checked = checked  # whether every attribute is read on the gate
        self.scopes: list[Scope] = []
        self.candidates: list[tuple[ast.Call, Scope]] = []
        self.nodes: list[tuple[ast.Name, Scope]] = []  # the names read; without the gate only
        self.bindings: list[
            tuple[str, Any, Scope]
        ] = []  # the names bound, and by what; plain targets without the gate only
        self.documented: list[ast.FormattedValue] = []  # the fields with `=` of f-strings
        self.stores: list[tuple[ast.Attribute, Scope]] = []  # ordinary attributes that are set or deleted
        self.private: list[tuple[Any, Scope, str]] = []  # `x._n`, and how it is used
        self.calls: list[ast.Call] = []  # where packages may be imported
        self.ranges: list[ast.Call] = []  # `range(...)`
        self.depth = 0
        self.stack: list[tuple[Any, Scope, int]] = []

    def scope(self, kind: str, parent: Scope | None, class_name: str | None = None) -> Scope:
        made = Scope(kind, parent, class_name or (parent.class_name if parent else None))
        self.scopes.append(made)
        return made

    def bind(self, scope: Scope, name: str, node: Any) -> None:
        scope.bind(name)
        self.bindings.append((name, node, scope))

    def run(self, module: ast.Module, gate: bool = True) -> None:
        top = self.scope("module", None)
        stack = self.stack
        stack += [(node, top, 1) for node in reversed(module.body)]
        visitors, steps = _VISITORS, STEPS
        count = 0
        while stack:
            count += 1
            if count % steps == 0:
                step()
            node, scope, depth = stack.pop()
            kind = type(node)
            if kind is Name:
                name = node.id
                if type(node.ctx) is Load:
                    scope.reads.add(name)
                    if not gate:
                        self.nodes.append((node, scope))
                    elif name == "range" and not hasattr(node, "plain"):
                        show_name(node)
                        continue
                else:
                    _bind_target(scope, name)
                    self.bindings.append((name, node, scope))
                if name[:2] == "__" and gate:
                    _check_variable(node, scope)
                continue
            if kind is Constant:
                continue
            if depth > self.depth:
                if depth > MAX_DEPTH:
                    raise Mistake(
                        "the program is nested too deeply",
                        place_of(node) if hasattr(node, "lineno") else (1, 0, 1, 0),
                        "Split the expression, or compute it in a loop.",
                    )
                self.depth = depth
            visit = visitors.get(kind)
            if visit is not None:
                visit(self, node, scope, depth + 1, gate)
                continue
            depth += 1
            fields = _FIELDS.get(kind)
            if fields is None:
                fields = _FIELDS[kind] = [field for field in kind._fields if field not in _LEAVES]
            for field in fields:
                value = getattr(node, field)
                if type(value) is list:
                    for child in value:
                        if isinstance(child, AST):
                            stack.append((child, scope, depth))
                elif isinstance(value, AST):
                    stack.append((value, scope, depth))
        for target, scope in self.stores:
            check_store(self, target, scope)
        if self.private:
            keep_private(self)

    def push(self, scope: Scope, depth: int, *children: Any) -> None:
        for child in children:
            if type(child) is list:
                for one in child:
                    if one is not None:
                        self.stack.append((one, scope, depth))
            elif child is not None:
                self.stack.append((child, scope, depth))

    def global_names(self) -> frozenset[str]:
        """The names that are, or may be, read from the module or the builtins."""
        names: set[str] = set()
        for scope in self.scopes:
            for name in scope.reads:
                found = scope.finds(name)
                if found is None or found.kind in ("module", "class"):
                    names.add(name)
        return frozenset(names)


def _bind_target(scope: Scope, name: str) -> None:
    while scope.kind == "comprehension" and name not in scope.bound and scope.parent is not None:
        scope = scope.parent  # `:=` in a comprehension binds outside; its own targets are bound before
    scope.bind(name)


def _check_variable(node: ast.Name, scope: Scope) -> None:
    name = node.id
    if not is_special(name):
        return
    if type(node.ctx) is ast.Load:
        if name in READABLE_VARIABLES or (scope.kind == "class" and name in DEFINABLE) or name in scope.module().bound:
            return
    elif name in WRITABLE_VARIABLES or (scope.kind == "class" and name in DEFINABLE and name != "__match_args__"):
        return
    raise Mistake(f"name '{name}' is not available in tensorsh", place_of(node))


def _check_definition(name: str, node: Any, scope: Scope) -> None:
    if is_special(name) and not (scope.kind == "class" and name in DEFINABLE):
        where = "in a class" if scope.kind == "class" else "outside of a class"
        raise Mistake(f"'{name}' cannot be defined {where} in tensorsh", place_of(node))


def _function(walk: Walk, node: Any, scope: Scope, depth: int, gate: bool) -> None:
    arguments = node.args
    inner = walk.scope("function", scope)
    if type(node) is not ast.Lambda:
        if gate:
            _check_definition(node.name, node, scope)
        walk.bind(scope, node.name, node)
        walk.push(inner, depth, node.body[::-1])
        walk.push(scope, depth, node.decorator_list, node.returns)
    else:
        walk.push(inner, depth, node.body)
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in every:
        if argument is not None:
            if gate and is_special(argument.arg):
                raise Mistake(f"name '{argument.arg}' is not available in tensorsh", place_of(argument))
            walk.bind(inner, argument.arg, argument)
            walk.push(scope, depth, argument.annotation)
    is_static = any(getattr(d, "id", "") == "staticmethod" for d in getattr(node, "decorator_list", ()))
    if scope.kind == "class" and not is_static and (arguments.posonlyargs or arguments.args):
        inner.first = (arguments.posonlyargs or arguments.args)[0].arg
        if type(node) is ast.FunctionDef and all(getattr(d, "id", "") != "classmethod" for d in node.decorator_list):
            inner.definition = node
    walk.push(scope, depth, arguments.defaults, arguments.kw_defaults)


def _class(walk: Walk, node: ast.ClassDef, scope: Scope, depth: int, gate: bool) -> None:
    if gate:
        _check_definition(node.name, node, scope)
        for keyword in node.keywords:
            named = getattr(keyword.value, "id", getattr(keyword.value, "attr", None))
            if keyword.arg is None or (keyword.arg == "metaclass" and named != "ABCMeta"):
                raise Mistake("metaclasses do not exist in tensorsh", place_of(keyword))
    walk.bind(scope, node.name, node)
    inner = walk.scope("class", scope, node.name.lstrip("_") or None)
    walk.push(inner, depth, node.body[::-1])
    walk.push(scope, depth, node.decorator_list, node.bases, [k.value for k in node.keywords])


def _comprehension(walk: Walk, node: Any, scope: Scope, depth: int, gate: bool) -> None:
    inner = walk.scope("comprehension", scope)
    for generator in node.generators:
        pending = [generator.target]
        while pending:
            target = pending.pop()
            if type(target) is ast.Name:
                inner.bound.add(target.id)
            elif type(target) is ast.Starred:
                pending.append(target.value)
            elif type(target) in (ast.Tuple, ast.List):
                pending += target.elts
        walk.push(inner, depth, generator.target, generator.ifs)
    for index, generator in enumerate(node.generators):
        keep_range(generator.iter)
        walk.push(scope if index == 0 else inner, depth, generator.iter)
    if type(node) is ast.DictComp:
        walk.push(inner, depth, node.key, node.value)
    else:
        walk.push(inner, depth, node.elt)


def _for(walk: Walk, node: ast.For, scope: Scope, depth: int, gate: bool) -> None:
    keep_range(node.iter)
    walk.push(scope, depth, node.target, node.iter, node.body, node.orelse)


def _field(walk: Walk, node: ast.FormattedValue, scope: Scope, depth: int, gate: bool) -> None:
    if hasattr(node, "documented"):
        walk.documented.append(node)
    walk.push(scope, depth, node.value, node.format_spec)


def _call(walk: Walk, node: ast.Call, scope: Scope, depth: int, gate: bool) -> None:
    arguments = node.args
    if walk.checked and gate:
        walk.calls.append(node)
    for argument in arguments:
        if type(argument) is ast.Name:
            walk.candidates.append((node, scope))
            break
    function: Any = node.func
    if type(function) is ast.Attribute:
        if is_plain(function.attr, node):
            function.plain = True  # type: ignore[attr-defined]
        elif function.attr[:1] == "_":
            function.called = True  # type: ignore[attr-defined]
    elif (
        gate
        and type(function) is ast.Name
        and function.id == "range"
        and not node.keywords
        and not hasattr(function, "plain")
    ):
        function.plain = True  # type: ignore[attr-defined]
        walk.ranges.append(node)
    stack = walk.stack
    stack.append((function, scope, depth))
    for argument in arguments:
        stack.append((argument, scope, depth))
    for keyword in node.keywords:
        stack.append((keyword.value, scope, depth))


def _import(walk: Walk, node: ast.Import, scope: Scope, depth: int, gate: bool) -> None:
    for alias in node.names:
        if gate:
            for part in (*alias.name.split("."), alias.asname or "x"):
                if part.startswith("__") or (
                    part.startswith("_") and part not in PRIVATE_MODULES and part is not alias.asname
                ):
                    raise Mistake(f"name '{part}' is not available in tensorsh", place_of(alias))
        walk.bind(scope, alias.asname or alias.name.partition(".")[0], alias)


def _import_from(walk: Walk, node: ast.ImportFrom, scope: Scope, depth: int, gate: bool) -> None:
    if node.module == "__future__":
        known = ("annotations", "division", "print_function", "absolute_import", "generators", "nested_scopes")
        for alias in node.names:
            if gate and alias.name not in (*known, "with_statement", "unicode_literals", "generator_stop"):
                raise Mistake(f"future feature {alias.name} is not defined", place_of(alias))
            walk.bind(scope, alias.asname or alias.name, alias)
        return
    for alias in node.names:
        if gate:
            # The names that a module offers are decided when the import is executed, also for a name with one underscore.
            parts = (node.module or "").split(".")
            private = (p for p in parts if p.startswith("_") and p not in PRIVATE_MODULES)
            for part in (*private, *([alias.name] if is_special(alias.name) else [])):
                raise Mistake(f"name '{part}' is not available in tensorsh", place_of(alias))
            if alias.asname and is_special(alias.asname):
                raise Mistake(f"name '{alias.asname}' is not available in tensorsh", place_of(alias))
        if alias.name == "*":
            scope.module().star = True
        else:
            walk.bind(scope, alias.asname or alias.name, alias)


def _global(walk: Walk, node: ast.Global, scope: Scope, depth: int, gate: bool) -> None:
    for name in node.names:
        if gate and is_special(name) and name not in WRITABLE_VARIABLES:
            raise Mistake(f"name '{name}' is not available in tensorsh", place_of(node))
        walk.bindings.append((name, node, scope))
        scope.globals.add(name)
        if name in scope.bound:
            scope.module().bound.add(name)


def _nonlocal(walk: Walk, node: ast.Nonlocal, scope: Scope, depth: int, gate: bool) -> None:
    for name in node.names:
        walk.bindings.append((name, node, scope))
        outer = scope.parent
        while outer is not None:
            if name == outer.first:
                outer.first = ""
            outer = outer.parent


def _handler(walk: Walk, node: ast.ExceptHandler, scope: Scope, depth: int, gate: bool) -> None:
    if node.name:
        if gate and is_special(node.name):
            raise Mistake(f"name '{node.name}' is not available in tensorsh", place_of(node))
        walk.bind(scope, node.name, node)
    walk.push(scope, depth, node.type, node.body)


def _try(walk: Walk, node: ast.Try, scope: Scope, depth: int, gate: bool) -> None:
    walk.push(scope, depth, node.body, node.handlers, node.orelse, node.finalbody)
    if (
        gate and node.handlers
    ):  # a bound that was reached passes all of them; where nothing is raised, this costs nothing
        where = at(node.handlers[0])
        passes = ast.Raise(None, None, **where)
        node.handlers.insert(0, ast.ExceptHandler(ast.Name("<limit>", LOAD, **where), None, [passes], **where))
    if gate and node.finalbody:
        first = node.finalbody[0]
        where = at(first)
        asked = ast.Call(ast.Name("<goes on>", LOAD, **where), [], [], **where)
        node.finalbody = [ast.If(asked, node.finalbody, [], **where)]


def _assign(walk: Walk, node: Any, scope: Scope, depth: int, gate: bool) -> None:
    value = node.value
    target = node.targets[0]
    is_one = len(node.targets) == 1
    if gate and is_one and type(target) is ast.Attribute and is_gated(target.attr) and target.attr != "data":
        # the usual case, without an object for the place: `x._n = v` is `<store>(v, x, "_n")`
        walk.push(scope, depth, target.value, value)
        if (
            type(target.value) is ast.Name
            and target.attr[0] == "_"
            and not is_special(target.attr)
            and not walk.checked
        ):
            walk.private.append((node, scope, "store"))
        else:
            store_gated(node, scope)
        return
    for target in node.targets:
        if gate and type(target) is ast.Name and target.id == "__match_args__" and scope.kind == "class":
            names = value.elts if type(value) in (ast.Tuple, ast.List) else [value]  # type: ignore[attr-defined]
            for name in names:
                if type(name) is not ast.Constant or type(name.value) is not str or is_read_on_gate(name.value):
                    raise Mistake("__match_args__ must be a tuple of ordinary names in tensorsh", place_of(value))
            scope.bind(target.id)
        else:
            walk.stack.append((target, scope, depth))
    walk.stack.append((value, scope, depth))


def _augmented(walk: Walk, node: ast.AugAssign, scope: Scope, depth: int, gate: bool) -> None:
    if type(node.target) is ast.Name:
        scope.reads.add(node.target.id)
    walk.push(scope, depth, node.target, node.value)


def _capture(walk: Walk, node: Any, scope: Scope, depth: int, gate: bool) -> None:
    name = node.rest if type(node) is ast.MatchMapping else node.name
    if name:
        if gate and is_special(name):
            raise Mistake(f"name '{name}' is not available in tensorsh", place_of(node))
        walk.bind(scope, name, node)
    if type(node) is ast.MatchAs:
        walk.push(scope, depth, node.pattern)
    elif type(node) is ast.MatchMapping:
        walk.push(scope, depth, node.keys, node.patterns)


def _match_class(walk: Walk, node: ast.MatchClass, scope: Scope, depth: int, gate: bool) -> None:
    for name in node.kwd_attrs:
        if gate and is_read_on_gate(name):
            raise Mistake(f"attribute '{name}' is not available in patterns in tensorsh", place_of(node))
    if type(node.cls) is ast.Name:
        node.cls.plain = True  # type: ignore[attr-defined]
    walk.push(scope, depth, node.cls, node.patterns, node.kwd_patterns)


def _as_item(walk: Walk, node: AsItem, scope: Scope, depth: int, gate: bool) -> None:
    raise Mistake("invalid syntax", place_of(node))


_LEAVES = frozenset("ctx op ops id attr arg kind type_comment conversion simple is_async level type_ignores".split())
"""Fields that hold texts, numbers, operators."""
_FIELDS: dict[type, list[str]] = {}
"""The others, by the class of the node."""

_VISITORS: dict[type, Any] = {
    ast.FunctionDef: _function, ast.Lambda: _function, ast.ClassDef: _class, ast.ListComp: _comprehension,
    ast.SetComp: _comprehension, ast.DictComp: _comprehension, ast.GeneratorExp: _comprehension, ast.For: _for,
    ast.Attribute: attribute, ast.Call: _call, ast.FormattedValue: _field, ast.Import: _import,
    ast.ImportFrom: _import_from, ast.Global: _global, ast.Nonlocal: _nonlocal, ast.ExceptHandler: _handler,
    ast.Try: _try, ast.Assign: _assign, ast.AugAssign: _augmented, ast.MatchAs: _capture, ast.MatchStar: _capture,
    ast.MatchMapping: _capture, ast.MatchClass: _match_class, ast.MatchValue: match_value, ast.Match: match_subject,
    ast.match_case: match_case, AsItem: _as_item,
}  # fmt: skip
