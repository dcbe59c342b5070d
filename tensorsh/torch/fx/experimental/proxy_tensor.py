"""``torch.fx.experimental.proxy_tensor``: `make_fx`, the graph of the operators below autograd that a function calls."""

from __future__ import annotations

import gc
import inspect
import operator
from collections.abc import Callable
from typing import Any

from ....engine.arrays.state import here
from ....engine.tensors.tensor import Tensor
from ....sandbox.wrapping import wraps
from ..._ops import Operators
from ...dispatching import TorchDispatchMode, silence
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ...utils._pytree import tree_flatten, tree_map, tree_unflatten
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node
from ..passes.shape_prop import _extract_tensor_metadata
from ..trees import _PyTreeCodeGen, _PyTreeInfo

__all__ = ["get_innermost_proxy_mode", "get_proxy_mode", "make_fx"]


class ProxyTorchDispatchMode(TorchDispatchMode):
    """Enters each operator that is called as a node of a graph."""

    __module__ = "torch.fx.experimental.proxy_tensor"

    def __init__(self, graph: Graph, root: Module, table: dict) -> None:
        super().__init__()
        self.graph, self.root, self.table = graph, root, table
        self.known: dict[int, tuple[Tensor, Node]] = {}
        """The node of each tensor, by its `id`; the tensor is held, so that its `id` stays its own."""
        self.plain: set[int] = set()
        """The constants that the function makes itself, by `id`."""
        self.names: dict[int, tuple[Tensor, str]] = {}
        self.before = {id(x): x for x in gc.get_objects() if issubclass(type(x), Tensor)}
        """The tensors that are there when it begins."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        rule = self.table.get(func)
        if rule is not None:
            with self:
                return rule(*args, **kwargs)
        if func._opname == "_local_scalar_dense":
            return self._number(func, args[0])
        if func._opname == "lift_fresh":
            return self._lifted(args[0])
        given, named = tree_map(self._argument, (args, kwargs))
        node = self.graph.create_node("call_function", func, given, named, name=func._opname)
        found = func(*args, **kwargs)
        self._enter(found, node)
        return found

    def _argument(self, value: Any) -> Any:
        """What stands for a value in a node."""
        if not isinstance(value, Tensor):
            return value
        if id(value) in self.known:
            return self.known[id(value)][1]
        return self._constant(value, value)

    def _constant(self, key: Tensor, value: Tensor) -> Node:
        """The node of an attribute that holds a value: a tensor that was there before, or a copy of one that the function makes."""
        if id(key) not in self.names:
            if key is value and id(key) not in self.before:
                raise NotImplementedError(
                    "make_fx has not seen how a tensor was computed: tensorsh did so in one step, not operator by operator"
                )
            title = "_param_constant" if isinstance(value, Parameter) else "_tensor_constant"
            number = 0
            while hasattr(self.root, f"{title}{number}"):
                number += 1
            setattr(self.root, f"{title}{number}", value)
            self.names[id(key)] = key, f"{title}{number}"
        return self._known_of(self.graph.create_node("get_attr", self.names[id(key)][1]), value)

    def _lifted(self, value: Tensor) -> Tensor:
        """A tensor that the function makes of numbers: each call has its own."""
        with silence():
            kept = value.clone()
        node = self._constant(value, kept)
        function = Operators("aten").lift_fresh_copy.default
        copied = self.graph.create_node("call_function", function, (node,), name="lift_fresh_copy")
        self._enter(value, copied)
        self.plain.add(id(value))
        return value

    def _number(self, func: Any, value: Tensor) -> Any:
        if id(value) in self.known and id(value) not in self.plain:
            raise RuntimeError(
                f"It appears that you're trying to get value out of a tracing tensor with {func} - erroring out! It's likely that "
                "this is caused by data-dependent control flow or similar.  It may be possible to trace this with dynamic shapes; "
                "try setting tracing_mode='symbolic' in your make_fx call."
            )
        with silence():
            return value.item()

    def _enter(self, found: Any, node: Node) -> None:
        """Remembers of which node the results of an operator are."""
        if isinstance(found, Tensor):
            self.known[id(found)] = found, self._known_of(node, found)
        elif isinstance(found, tuple | list):
            node.meta["val"] = found
            for i, each in enumerate(found):
                self._enter(each, self.graph.create_node("call_function", operator.getitem, (node, i)))

    @staticmethod
    def _known_of(node: Node, value: Tensor) -> Node:
        with silence():
            node.meta["val"] = value.detach()
            node.meta["tensor_meta"] = _extract_tensor_metadata(value)
        return node


def get_innermost_proxy_mode() -> Any:
    """The innermost tracer that is at work, or None."""
    return next((mode for mode in reversed(here.listening) if isinstance(mode, ProxyTorchDispatchMode)), None)


get_proxy_mode = get_innermost_proxy_mode


def names_of(function: Any, count: int) -> list[str]:
    """The names of a function's parameters; numbers where it has no names for them."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS or isinstance(function, Module):
        return [f"arg{i}" for i in range(count)]
    skipped = inspect.ismethod(function)
    return list(code.co_varnames[skipped : skipped + count])


def make_fx(
    f: Callable, decomposition_table: dict | None = None, tracing_mode: str = "real", _allow_non_fake_inputs: bool = False, *,
    pre_dispatch: bool = False, **more: Any,
) -> Callable:  # fmt: skip
    """A function of the arguments of `f` that gives the graph of what `f` does with them, operator by operator, gradients and
    `vmap` as what they are made of. f: a function or a module. decomposition_table: functions that operators are made of.
    tracing_mode: "real" or "fake": sizes are known. pre_dispatch: only False."""
    if tracing_mode == "symbolic" or pre_dispatch:
        raise NotImplementedError(
            "tensorsh traces operators below autograd, with sizes that are known: make_fx(f)(*args)"
        )
    assert tracing_mode in ("real", "fake"), f"Unexpected tracing type: {tracing_mode}"

    @wraps(f)
    def traced(*args: Any) -> GraphModule:
        return _traced(f, args, decomposition_table or {})

    return traced


def _traced(function: Callable, args: tuple, table: dict) -> GraphModule:
    graph, root = Graph(), Module()
    mode = ProxyTorchDispatchMode(graph, root, table)
    names = names_of(function, len(args))
    for name, value in zip(names, args, strict=False):
        for i, leaf in enumerate(tree_flatten(value)[0], 1):
            title = f"{name}_{i}"
            node = graph.create_node("placeholder", title)
            if isinstance(leaf, Tensor):
                mode._enter(leaf, node)
    form = tree_flatten(args)[1]
    trees = not all(child.is_leaf() for child in form.children())
    with mode:
        result = function(*args)
    leaves, shape = tree_flatten(result)
    given = [mode._argument(each) for each in leaves]
    if trees:
        graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, form, shape))
    graph.output(given if trees else tree_unflatten(given, shape))
    for node in reversed(graph.nodes):
        if node.op == "call_function" and getattr(node.target, "_opname", "") == "detach" and not node.users:
            graph.erase_node(node)
    return GraphModule(root, graph, getattr(function, "__name__", type(function).__name__))
