"""A node of a graph: one call, attribute, input or the output; and how functions are called in text."""

from __future__ import annotations

import builtins
import importlib
import operator
import re
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from ...engine.arrays.dtype import dtype
from ...engine.operators.registration import IN_PYTHON, OF_TORCH
from ...engine.tensors.tensor import Tensor
from .immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable | str
Argument = Any


def compatibility(is_backward_compatible: bool) -> Any:
    """A decorator that marks what stays as it is in later versions."""

    def marked(function: Any) -> Any:
        function._backward_compatible = is_backward_compatible
        return function

    return marked


base_types = (str, int, float, bool, complex, dtype, Tensor)
OPCODES = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_side_effectful_functions: set[Any] = set()


def has_side_effect(fn: Callable) -> Callable:
    """Let calls of a function stay, whether their results are used or not."""
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Any, fn: Callable) -> Any:
    """A tree of tuples, lists, dicts and slices with `fn` of each leaf."""
    if isinstance(a, tuple):
        made = tuple(map_aggregate(each, fn) for each in a)
        return made if not hasattr(a, "_fields") else type(a)(*made)
    if isinstance(a, list):
        return immutable_list(map_aggregate(each, fn) for each in a)
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(v, fn)) for k, v in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable) -> Any:
    """A tree of arguments with `fn` of each node in it."""
    assert callable(fn), "torch.fx.map_arg(a, fn): fn must be a callable"
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def snake(name: str) -> str:
    """``BatchNorm2d`` -> ``batch_norm2d``."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _type_repr(obj: Any) -> str:
    """How a type is written in an annotation."""
    if isinstance(obj, type) and not hasattr(obj, "__origin__"):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{obj.__module__}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, FunctionType) else repr(obj)


def _get_qualified_name(func: Any) -> str:
    """The name by which a function is found: ``torch.relu``."""
    if getattr(func, "__module__", None) and func.__module__.startswith("torch._ops."):
        return f"torch.ops.{func._name}"
    if getattr(builtins, func.__name__, None) is func:
        return func.__name__
    if getattr(operator, func.__name__, None) is func:
        return f"_operator.{func.__name__}"
    title = getattr(func, "_title", "")
    if title.startswith("Tensor."):
        return f"torch.{title}"
    name, module = func.__name__, func.__module__
    if title.startswith("torch.nn.functional.") and name in OF_TORCH:
        return f"torch.{name}"
    if title == f"torch.{name}" and name in IN_PYTHON:
        return f"torch.functional.{name}"
    if module.startswith("torch."):
        importlib.import_module(module)
    for home in (module, "torch", "torch.nn.functional"):
        found = sys.modules.get(home)
        if isinstance(found, ModuleType) and getattr(found, name, None) is func:
            return f"{home}.{name}"
    return f"{module}.{name}".removeprefix("tensorsh.")


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """An argument as `str(graph)` shows it: nodes with a percent sign."""
    if isinstance(arg, Node):
        return "%" + str(arg)
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, tuple | list):
        inner = ", ".join(_format_arg(each) for i, each in enumerate(arg) if i < max_list_len)
        more = f", ...[total_len={len(arg)}]" if len(arg) >= max_list_len + 1 else ""
        if isinstance(arg, list):
            return f"[{inner}{more}]"
        return f"({inner},{more})" if len(arg) == 1 else f"({inner}{more})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    return str(arg)


class Node:
    """One step of a graph. op: what kind; target: what is called or read; args, kwargs: other nodes and plain values."""

    __module__ = "torch.fx.node"

    def __init__(
        self, graph: Any, name: str, op: str, target: Any, args: tuple, kwargs: dict, return_type: Any = None
    ) -> None:
        if op not in OPCODES:
            raise AssertionError(f"Node got invalid opcode {op}")
        if op == "call_function" and not callable(target):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a Callable is expected")  # fmt: skip
        if op != "call_function" and not isinstance(target, str):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected")  # fmt: skip
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self._args: Any = ()
        self._kwargs: Any = {}
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable | None = None
        self._set(args, kwargs)

    @property
    def stack_trace(self) -> str | None:
        """The lines of the program that made the node, where the tracer recorded them."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    next = property(lambda self: self._next)
    prev = property(lambda self: self._prev)
    all_input_nodes = property(lambda self: list(self._input_nodes))

    @property
    def args(self) -> tuple:
        return self._args

    @args.setter
    def args(self, given: tuple) -> None:
        self._set(given, self._kwargs)

    @property
    def kwargs(self) -> dict:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, given: dict) -> None:
        self._set(self._args, given)

    def _set(self, args: Any, kwargs: Any) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}
        enter = lambda n: self._input_nodes.setdefault(n) or n  # noqa: E731
        self._args, self._kwargs = map_arg(tuple(args), enter), map_arg(dict(kwargs), enter)
        for new in self._input_nodes:
            new.users[self] = None

    def update_arg(self, idx: int, arg: Any) -> None:
        """Another argument at a place."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """One argument more, at a place."""
        assert 0 <= idx <= len(self._args), "insert_args index must be between 0 and len(self.args)"
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Another argument of a name."""
        self.kwargs = {**self._kwargs, key: arg}

    def prepend(self, x: Node) -> None:
        """Put another node in front of this one."""
        assert self.graph == x.graph, "Attempting to move a Node into a different Graph"
        if self is x:
            return
        x._out()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Put another node behind this one."""
        self._next.prepend(x)

    def _out(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Take another node wherever one is an argument."""
        swap = lambda n: new_input if n is old_input else n  # noqa: E731
        self._set(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable = lambda user: True, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Let all who use this node use another; those who do now."""
        if propagate_meta:
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether a node stays, although nobody uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = getattr(self.target, "_opname", "")
            writes = name[-1:] == "_" and name[-2:] != "__" or name and "out" in self.kwargs
            return bool(writes) or self.target in _side_effectful_functions
        if self.op == "call_module" and self.graph.owning_module is not None:
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        return False

    def normalized_arguments(self, root: Any, *args: Any, **kwargs: Any) -> None:
        """Not known: None."""
        return

    def _pretty_print_target(self, target: Any) -> str:
        if isinstance(target, str):
            return target
        if getattr(operator, target.__name__, None) is target:
            return f"operator.{target.__name__}"
        if target is getattr:
            return "builtins.getattr"
        return _get_qualified_name(target)

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def format_node(
        self, placeholder_names: list | None = None, maybe_return_typename: list | None = None
    ) -> str | None:
        """The node as a line of `str(graph)`."""
        if self.op == "placeholder":
            if placeholder_names is not None:
                return None
            default = f"(default={self._args[0]})" if self._args else ""
            typed = f"{_type_repr(self.type)} " if self.type else ""
            return f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={self.target}]{default}"
        typed = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "get_attr":
            return f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={self.target}]"
        if self.op == "output":
            return f"return {self.args[0]}"
        return (
            f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )

    def __lt__(self, other: Node) -> bool:
        return self._place() < other._place()

    def __gt__(self, other: Node) -> bool:
        return self._place() > other._place()

    def __le__(self, other: Node) -> bool:
        return self._place() <= other._place()

    def __ge__(self, other: Node) -> bool:
        return self._place() >= other._place()

    def _place(self) -> int:
        return next(i for i, each in enumerate(self.graph.nodes) if each is self)


def nodes_in(values: Iterable) -> list[Node]:
    """The nodes in a tree of arguments."""
    found: dict[Node, None] = {}
    map_arg(tuple(values), lambda n: found.setdefault(n) or n)
    return list(found)
