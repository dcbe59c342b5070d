"""Proxy: a value that is not there yet; what a program does with it is entered in a graph."""

from __future__ import annotations

import copy
import dataclasses
import dis
import operator
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

from ..overrides import stay
from .graph import Graph
from .node import Node, base_types, map_aggregate
from .traceback import has_preserved_node_meta, of_forward, taken_over
from .writing import MAGIC

__all__ = [
    "Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "Scope", "ScopeContextManager", "TraceError", "TracerBase",
]  # fmt: skip


@dataclasses.dataclass
class Scope:
    """The module whose `forward` is being traced."""

    module_path: str
    module_type: Any


class ScopeContextManager:
    """Lets a scope say another module until the end of the `with`."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._before, self._scope = copy.copy(scope), scope
        vars(scope).update(vars(current_scope))

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *args: object) -> None:
        vars(self._scope).update(vars(self._before))


class TraceError(ValueError):
    """A program asked a proxy for what is known only when it runs."""

    __module__ = "torch.fx.proxy"


class TracerBase:
    """What makes nodes of what programs do with proxies."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Nothing is traced yet."""
        self.scope = Scope("", None)
        self.module_stack: dict[str, tuple[str, Any]] = {}
        self.node_name_to_scope: dict[str, tuple[str, Any]] = {}

    graph: Graph
    record_stack_traces = False
    """Whether nodes remember the lines of the program that made them, from `forward` on."""
    check_mutable_operations = False
    """Whether a function that writes into what it is given is an error."""
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(
        self, kind: str, target: Any, args: tuple, kwargs: dict, name: Any = None, type_expr: Any = None
    ) -> Node:
        """A node in the graph."""
        if self.check_mutable_operations and kind == "call_function":
            check_functional(target, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if has_preserved_node_meta():
            taken_over(node)
        elif self.module_stack:
            node.meta["nn_module_stack"] = dict(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            lines = of_forward()
            if lines:
                node.stack_trace = lines
        return node

    def proxy(self, node: Node) -> Any:
        """The proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: Any, kwargs: Any, name: Any = None, type_expr: Any = None, proxy_factory_fn: Any = None
    ) -> Any:  # fmt: skip
        """A node in the graph, and its proxy."""
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Any:
        """What stands for a value in a node."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return type(a)(*(self.create_arg(each) for each in a))
        if isinstance(a, tuple | list):
            return type(a)(self.create_arg(each) for each in a)
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            given = {field.name: self.create_arg(getattr(a, field.name)) for field in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), given)
        if isinstance(a, dict):
            given = {self.create_arg(k): self.create_arg(v) for k, v in a.items()}
            for key in given:
                map_aggregate(key, self._plain)
            return given
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if a is None or a is ... or isinstance(a, (*base_types, Enum, Node)) or callable(a):
            return a
        from ...engine.arrays.device import device
        from ..settings import layout, memory_format

        if isinstance(a, device | layout | memory_format):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    @staticmethod
    def _plain(key: Any) -> Any:
        if isinstance(key, Node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}")
        return key

    def to_bool(self, obj: Any) -> bool:
        """TraceError: a branch depends on a value."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Any) -> Iterator:
        """What an assignment of several names takes apart; TraceError for a loop."""
        frame = sys._getframe(2)
        here = {i.offset: i for i in dis.get_instructions(frame.f_code)}.get(frame.f_lasti)
        if here is not None and here.opname == "UNPACK_SEQUENCE":
            return (obj[i] for i in range(here.argval))
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs "
            "function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control "
            "flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
        )

    def keys(self, obj: Any) -> Any:
        return Attribute(obj, "keys")()


def check_functional(target: Any, kwargs: dict) -> None:
    """RuntimeError for a function that writes into what it is given."""
    title = getattr(target, "_title", "")
    name = title.rpartition(".")[2]
    if kwargs.get("out") is not None and name:
        name += ".out"
    elif title[-1:] != "_":
        return
    raise RuntimeError(
        f"Tried to trace mutable operation aten::{name}. FX only supports functional code, so operations that mutate operands "
        "in-place (e.g. via `out` arguments) are not supported"
    )


class GraphAppendingTracer(TracerBase):
    """Enters in a graph that is there what is done with proxies of its nodes."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph


class Proxy:
    """Stands for the value of a node while a program is traced."""

    __module__ = "torch.fx.proxy"

    def __init__(self, node: Node, tracer: Any = None) -> None:
        stay("classes")
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        if k in ("tracer", "node"):
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> dict:
        return self.__dict__

    def __setstate__(self, d: dict) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict) -> Any:
        graph = copy.deepcopy(self.node.graph, memo)
        node = next(each for each in graph.nodes if each.name == self.node.name)
        made = type(self)(node, copy.deepcopy(self.tracer, memo))
        made.__dict__.update((k, copy.deepcopy(v, memo)) for k, v in vars(self).items() if k not in ("node", "tracer"))
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        found: dict[Any, None] = {}

        def enter(a: Any) -> Any:
            if isinstance(a, Proxy):
                found[a.tracer] = None
            return a

        map_aggregate(args, enter)
        map_aggregate(kwargs, enter)
        if len(found) != 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(found)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(found))
        if orig_method.__name__ == "einsum" and len(args) == 2 and isinstance(args[1], list | tuple):
            args = (args[0], *args[1])  # as PyTorch's function does before it asks
        if getattr(orig_method, "_title", "").startswith("Tensor."):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy(
            "call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(orig_method.__name__)
        )


class Attribute(Proxy):
    """An attribute of a proxy; called, it is a method."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy of a parameter, whose shape is known."""

    def __init__(self, tracer: Any, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        self.param, self.name = param, name

    shape = property(lambda self: self.param.shape)

    def size(self) -> Any:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    def numel(self) -> int:
        return self.param.numel()

    nelement = numel
    ndim = property(lambda self: self.param.ndim)


def _magic(name: str) -> None:
    function = getattr(operator, name)
    bare = name.rstrip("_")

    def method(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", function, args, kwargs)

    def reflected(self: Any, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    setattr(Proxy, f"__{bare}__", method)
    if name in "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul".split():
        setattr(Proxy, f"__r{bare}__", reflected)


for _name in MAGIC:
    _magic(_name)
Proxy.__abs__ = lambda self: self.tracer.create_proxy("call_function", operator.abs, (self,), {})  # type: ignore[attr-defined]
