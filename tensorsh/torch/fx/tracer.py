"""Tracer: runs a module or function on proxies and keeps what it does as a graph."""

from __future__ import annotations

import builtins
import inspect
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ...engine.arrays.warning import warn
from ...engine.tensors.tensor import Tensor
from ...sandbox.wrapping import wraps
from ..checks import _assert
from ..nn.modules.container import Sequential
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..overrides import stay
from .graph import Graph
from .graph_module import GraphModule
from .node import _side_effectful_functions, base_types, map_aggregate
from .proxy import ParameterProxy, Proxy, TracerBase
from .wrapped import _wrapped_fns_to_patch, wrap

__all__ = ["ProxyableClassMeta", "Tracer", "symbolic_trace", "wrap"]


def has_proxy(values: Any) -> Proxy | None:
    """A proxy in a tree of values."""
    found: list = []
    map_aggregate(values, lambda v: found.append(v) if isinstance(v, Proxy) else None)
    return found[0] if found else None


def recording(function: Callable) -> Callable:
    """A function that is a node when it is called with a proxy."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = has_proxy((args, kwargs))
        if found is None:
            return function(*args, **kwargs)
        return found.tracer.create_proxy("call_function", function, args, kwargs)

    return call


def by_position(function: Any, count: int) -> Any:
    """A function whose rest of arguments, by place and by name, are parameters as any other."""
    code = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__dict__.update(function.__dict__)
    return made


def _assert_is_none(value: Any, msg: str) -> None:
    assert value is None, msg


_assert_is_none.__module__ = "torch.fx._symbolic_trace"
_side_effectful_functions.update((_assert, _assert_is_none))


_tracing: list[Any] = []
"""The tracers that are at work."""


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return bool(_tracing)


class ProxyableClassMeta(type):
    """The metaclass of classes whose making is a node, when it is of proxies."""

    def __init__(cls, name: str, bases: tuple, attrs: dict) -> None:
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        found = has_proxy((args, kwargs))
        if found is not None:
            return found.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


class Tracer(TracerBase):
    """Traces. A class of one's own may say which modules are leaves (`is_leaf_module`), how a call of a module is entered
    (`call_module`) and what stands for a value (`create_arg`)."""

    __module__ = "torch.fx._symbolic_trace"

    def __init__(
        self, autowrap_modules: tuple = (math,), autowrap_functions: tuple = (), param_shapes_constant: bool = False
    ) -> None:
        self._autowrap = {id(f) for m in autowrap_modules for f in vars(m).values() if callable(f)}
        self._autowrap |= {id(f) for f in autowrap_functions}
        self._search = [vars(m) for m in autowrap_modules]
        self.param_shapes_constant = param_shapes_constant
        self.root: Any = None
        self.tensor_attrs: dict[Any, str] = {}

    def create_arg(self, a: Any) -> Any:
        """What stands for a value in a node: of a parameter, a buffer or a tensor of the module, an attribute of it."""
        if isinstance(a, Parameter):
            for name, each in self.root.named_parameters():
                if a is each:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, Tensor):
            for name, each in self.root.named_buffers():
                if a is each:
                    return self.create_node("get_attr", name, (), {})
        elif isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        elif isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(each) for each in a), {})
        if isinstance(a, Tensor):
            name = self.tensor_attrs.get(id(a))
            if name is None:
                number = 0
                while hasattr(self.root, f"_tensor_constant{number}"):
                    number += 1
                name = self.tensor_attrs[id(a)] = f"_tensor_constant{number}"
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is one node: those of torch.nn, but for Sequential."""
        return m.__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The dotted name of a module below the root."""
        for name, each in self.root.named_modules():
            if each is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """A call of a module: a node of a leaf, what it does otherwise."""
        name = self.path_of_module(m)
        if not self.is_leaf_module(m, name):
            return forward(*args, **kwargs)
        return self.create_proxy("call_module", name, args, kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict) -> Any:
        return attr_val

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> tuple[Any, list]:
        """The function, and proxies of its parameters; `concrete_args` are values of some."""
        code = inspect.unwrap(root_fn).__code__
        names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        parameters = inspect.signature(inspect.unwrap(root_fn)).parameters
        args: list[Any] = [self.root] if is_module else []
        given = (
            concrete_args
            if isinstance(concrete_args, dict)
            else dict(zip(names[1:], concrete_args or (), strict=False))
        )
        for name in names[1:] if is_module else names:
            if name in given and not isinstance(given[name], Tensor):
                args.append(self._told(name, given[name], parameters))
            else:
                args.append(self._placeholder(name, parameters))
        more = [(inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")]
        rest = iter(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
        args += [
            self.create_proxy("placeholder", mark + next(rest), (), {}) for flag, mark in more if code.co_flags & flag
        ]
        if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            root_fn = by_position(root_fn, len(args))
        return root_fn, args

    def _told(self, name: str, value: Any, parameters: Any) -> Any:
        """A value that a parameter is told to have, and that the graph insists on."""
        if isinstance(value, tuple | list | dict):
            self._placeholder(name, parameters)
            return value
        said = self._placeholder(name, parameters, f"{name}_1", typed=False)
        if value is None:
            words = f"{name} has been specialized to have value None but got another value"
            self.create_proxy("call_function", _assert_is_none, (said, words), {})
        elif isinstance(value, base_types):
            words = f"{name} has been specialized to have value {value} but got another value"
            _assert(said == value, words)
        else:
            warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to "
                "make sure that your inputs match the inputs you specialized the function with."
            )
        return value

    def _placeholder(self, name: str, parameters: Any, title: str = "", typed: bool = True) -> Any:
        none = inspect.Parameter.empty
        default, kind = (getattr(parameters.get(name), each, none) for each in ("default", "annotation"))
        args = () if default is none else (default,)
        noted = kind if typed and kind is not none else None
        return self.create_proxy("placeholder", title or name, args, {}, type_expr=noted)

    def _parameter(self, path: str, value: Parameter) -> Any:
        """The proxy of a parameter of the module."""
        if not self.param_shapes_constant:
            return self.create_proxy("get_attr", path, (), {})
        shaped = lambda node: ParameterProxy(self, node, path, value)  # noqa: E731
        return self.create_proxy("get_attr", path, (), {}, proxy_factory_fn=shaped)

    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        """The graph of a module, or of a function."""
        stay("classes")
        is_module = isinstance(root, Module)
        if is_module:
            self.root, function = root, getattr(type(root), self.traced_func_name)
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        self.tensor_attrs = {}
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        original = Module.__call__
        tracer = self

        def call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            return tracer.call_module(mod, lambda *a, **k: original(mod, *a, **k), args, kwargs)

        cache: dict[int, Any] = {}

        def read(mod: Any, name: str) -> Any:
            """An attribute of a module; of a parameter, its proxy."""
            value = object.__getattribute__(mod, name)
            if isinstance(value, Parameter) and tracer.root is not None:
                if id(value) not in cache:
                    path = next((n for n, p in tracer.root.named_parameters() if p is value), None)
                    if path is None:
                        return value
                    cache[id(value)] = tracer._parameter(path, value)
                return cache[id(value)]
            return tracer.getattr(name, value, cache) if isinstance(value, Tensor | Module) else value

        Module.__getattribute__ = read  # type: ignore[method-assign]
        Module.__call__ = call  # type: ignore[method-assign]
        tables = [function.__globals__] if isinstance(function, FunctionType) else []
        changed = self._patch([*tables, *self._search])
        _tracing.append(self)
        try:
            result = function(*args)
            noted = getattr(function, "__annotations__", {}).get("return")
            self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=noted)
        finally:
            _tracing.pop()
            Module.__call__ = original  # type: ignore[method-assign]
            del Module.__getattribute__  # type: ignore[attr-defined]
            for table, name, value in reversed(changed):
                if value is None:
                    table.pop(name, None)
                else:
                    table[name] = value
        return self.graph

    def _patch(self, tables: list[dict]) -> list[tuple]:
        """Put functions that record in place of those that are wrapped; what stood there."""
        changed = []
        for (_, name), table in _wrapped_fns_to_patch.items():
            own = table.get(name)
            function = own if own is not None else getattr(builtins, name, None)
            if function is not None and not isinstance(function, ModuleType):
                changed.append((table, name, own))
                table[name] = recording(function)
        for table in tables:
            for name, value in list(table.items()):
                if id(value) in self._autowrap and callable(value) and name[:1] != "_":
                    changed.append((table, name, value))
                    table[name] = recording(value)
        return changed


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A module, or a function, as a `GraphModule`: run once on proxies."""
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
