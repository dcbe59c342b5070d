"""Tracer: runs a module or function on proxies and keeps what it does as a graph."""

from __future__ import annotations

import builtins
import copy
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from ...engine.arrays.warning import warn
from ...engine.operators.signature import Form
from ...engine.tensors.tensor import Tensor
from ...engine.wording.overloads import PYTHON, parameter_text
from ...engine.wording.steps import binder
from ...sandbox.wrapping import wraps
from ..checks import _assert
from ..nn.modules.container import Sequential
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..overrides import stay
from ..utils._pytree import tree_map
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, _side_effectful_functions, base_types, map_aggregate
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from .trees import PH, PHBase, PHWithMeta, flattened, transfer
from .wrapped import _wrapped_fns_to_patch, wrap

__all__ = ["PH", "PHBase", "PHWithMeta", "ProxyableClassMeta", "Tracer", "symbolic_trace", "wrap"]


NOTED = {"Tensor": Tensor, "bool": bool, "int": int, "float": float, "None": None}
"""The types that annotations of the library's own functions, which are texts, tell a graph."""


def annotation(function: Any, noted: Any) -> Any:
    """An annotation of a function as its node has it."""
    own = getattr(function, "__globals__", {}).get("__package__") or ""
    return NOTED.get(noted) if isinstance(noted, str) and own.startswith(__package__.partition(".")[0] + ".") else noted


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
        made = found.tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

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


_proxyable_classes: dict[type, None] = {}


class ProxyableClassMeta(type):
    """The metaclass of classes whose making is a node, when it is of proxies."""

    def __init__(cls, name: str, bases: tuple, attrs: dict) -> None:
        super().__init__(name, bases, attrs)
        _proxyable_classes[cls] = None

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
        super().__init__()
        self._autowrap_function_ids = {id(f) for m in autowrap_modules for f in vars(m).values() if callable(f)}
        self._autowrap_function_ids |= {id(f) for f in autowrap_functions}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.root: Any = None
        self.tensor_attrs: dict[Any, str] = {}
        self.submodule_paths: dict[Module, str] | None = None
        self.num_calls: dict[str, int] = {}

    def __deepcopy__(self, memo: dict) -> Any:
        made = type(self).__new__(type(self))
        for name, value in vars(self).items():
            made.__dict__[name] = list(value) if name == "_autowrap_search" else copy.deepcopy(value, memo)
        return made

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
            return self._constant(a, "_tensor_constant")
        if type(a) in _proxyable_classes:
            return self._constant(a, f"_{type(a).__name__}_constant_")
        return super().create_arg(a)

    def _constant(self, value: Any, title: str) -> Node:
        """The attribute of a value that the module has, or is given."""
        name = self.tensor_attrs.get(id(value))
        if name is None:
            numbers = (f"{title}{number}" for number in itertools.count())
            name = self.tensor_attrs[id(value)] = next(each for each in numbers if not hasattr(self.root, each))
            setattr(self.root, name, value)
        return self.create_node("get_attr", name, (), {})

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is one node: those of torch.nn, but for Sequential."""
        return m.__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """The dotted name of a module below the root."""
        for each, name in self.submodule_paths.items() if self.submodule_paths else ():
            if each is mod:
                return name
        for name, each in self.root.named_modules():
            if each is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """A call of a module: a node of a leaf, what it does otherwise."""
        name = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(name, type(m))):
            count = self.num_calls.get(name, 0)
            key = f"{name}@{count}" if count else name
            self.num_calls[name] = count + 1
            self.module_stack[key] = (name, type(m))
            try:
                if not self.is_leaf_module(m, name):
                    return forward(*args, **kwargs)
                return self.create_proxy("call_module", name, args, kwargs)
            finally:
                self.module_stack.pop(key, None)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict) -> Any:
        """What a module's attribute is while it is traced: of a parameter its proxy, of a buffer where `proxy_buffer_attributes`
        says so. parameter_proxy_cache: the proxies that are there, by name."""
        if isinstance(attr_val, Parameter):
            among = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            among = self.root.named_buffers()
        else:
            return attr_val
        path = next((name for name, each in among if each is attr_val), None)
        if path is None:
            return attr_val
        if path not in parameter_proxy_cache:
            parameter_proxy_cache[path] = self._parameter(path, attr_val)
        return parameter_proxy_cache[path]

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> tuple[Any, list]:
        """The function, and proxies of its parameters. concrete_args: values of some, by name or in order, in which `PH` stands for
        what stays open."""
        plain = written(root_fn)
        code = plain.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        if is_module and count == 0:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        args: list[Any] = [self.root] if is_module else []
        rest = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
        if isinstance(concrete_args, tuple) and concrete_args and rest and count == 1:
            return root_fn, args + [self._opened(f"input_{i}", each) for i, each in enumerate(concrete_args)]
        names = list(code.co_varnames[is_module:count])
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        parameters = {
            name: each.replace(annotation=annotation(plain, each.annotation))
            for name, each in inspect.signature(
                plain if plain is inspect.unwrap(root_fn) else root_fn
            ).parameters.items()
        }
        for name in names:
            if concrete_args is not None and name in concrete_args:
                args.append(self._told(name, concrete_args[name], parameters))
            else:
                args.append(self._placeholder(name, parameters))
        more = [(inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")]
        left = iter(code.co_varnames[count:])
        args += [self.create_proxy("placeholder", mark + next(left), (), {}) for flag, mark in more if rest & flag]
        if code.co_kwonlyargcount or rest:
            root_fn = by_position(root_fn, len(args))
        return flattened(root_fn, args, list(code.co_varnames[:count]), self.graph)

    def _opened(self, title: str, value: Any) -> Any:
        """The proxy of what stays open."""
        made = self.create_proxy("placeholder", title, (), {})
        if isinstance(value, PHBase) and value is not PH:
            transfer(value, made.node)
        return made

    def _told(self, name: str, value: Any, parameters: Any) -> Any:
        """A tree of values that a parameter is told to have, and that the graph insists on; proxies of what stays open."""
        count = itertools.count(1)

        def told(each: Any) -> Any:
            said = self._placeholder(name, parameters, f"{name}_{next(count)}", typed=False)
            if isinstance(each, PHBase):
                if each is not PH:
                    transfer(each, said.node)
                return said
            self._insist(name, each, said)
            return each

        return tree_map(told, value)

    def _insist(self, name: str, value: Any, said: Any) -> None:
        """Nodes that fail where the graph is given another value than it was told."""
        if type(value) in base_types and not isinstance(value, Tensor):
            words = f"{name} has been specialized to have value {value} but got another value"
            _assert(said == value, words)
        elif value is None:
            words = f"{name} has been specialized to have value None but got another value"
            self.create_proxy("call_function", _assert_is_none, (said, words), {})
        else:
            warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to "
                "make sure that your inputs match the inputs you specialized the function with."
            )

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
        self._begin()
        self.num_calls = {}
        is_module = isinstance(root, Module)
        function = self._entered(root)
        self.graph = Graph(tracer_cls=type(self))
        if hasattr(function, "__code__"):
            code = function.__code__
            self.graph._co_fields = {f"co_{n}": getattr(code, f"co_{n}") for n in ("name", "filename", "firstlineno")}
        self.tensor_attrs = {}
        for home, part in self.root.named_modules():
            for name, value in vars(part).items():
                if isinstance(value, Tensor):
                    self.tensor_attrs.setdefault(id(value), f"{home}.{name}" if home else name)
        table = function.__globals__ if isinstance(function, FunctionType) else None
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        with self._instead([] if table is None else [table]):
            result = function(*args)
            plain = inspect.unwrap(function)
            noted = annotation(plain, getattr(plain, "__annotations__", {}).get("return"))
            if isinstance(plain, Form) and (given := plain.made().return_annotation) is not inspect.Signature.empty:
                noted = given  # of a function of torch, which is Python's in PyTorch
            self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=noted)
        self.submodule_paths = None
        return self.graph

    def _entered(self, root: Any) -> Any:
        """Makes a module the root, or one for the constants of a function; the function to trace."""
        if not isinstance(root, Module):
            self.root = Module()
            return root
        self.root = root
        assert hasattr(type(root), self.traced_func_name), (
            f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}"
        )
        self.root_module_name = root._get_name()
        self.submodule_paths = {each: name for name, each in root.named_modules()}
        return getattr(type(root), self.traced_func_name)

    @contextmanager
    def _instead(self, tables: list[dict]) -> Iterator[None]:
        """While it traces, modules and the functions of these tables record what is done with them."""
        original = Module.__call__
        tracer, cache = self, dict[str, Any]()
        changed = self._patch([*tables, *map(vars, self._autowrap_search)])

        def call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            own = getattr(getattr(mod, "forward", mod), "__globals__", None)
            if own is not None:
                changed.extend(self._patch_table(own))
            return tracer.call_module(mod, lambda *a, **k: original(mod, *a, **k), args, kwargs)

        def read(mod: Any, name: str) -> Any:
            """An attribute of a module; of a parameter, its proxy."""
            value = object.__getattribute__(mod, name)
            return tracer.getattr(name, value, cache) if isinstance(value, Tensor | Module) else value

        Module.__getattribute__ = read  # type: ignore[method-assign]
        Module.__call__ = call  # type: ignore[method-assign]
        _tracing.append(self)
        try:
            yield
        finally:
            _tracing.pop()
            Module.__call__ = original  # type: ignore[method-assign]
            del Module.__getattribute__  # type: ignore[attr-defined]
            for table, name, value in reversed(changed):
                if value is None:
                    table.pop(name, None)
                else:
                    table[name] = value

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
            changed += self._patch_table(table)
        return changed

    def _patch_table(self, table: dict) -> list[tuple]:
        """Put functions that record in place of those of a table that are to be wrapped; what stood there."""
        changed = []
        for name, value in list(table.items()):
            if id(value) in self._autowrap_function_ids and callable(value) and name[:1] != "_":
                changed.append((table, name, value))
                table[name] = recording(value)
        return changed


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A module, or a function, as a `GraphModule`: run once on proxies."""
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def written(function: Any) -> Any:
    """The function in Python that others wrap; of a function of torch one with its parameters. AssertionError: it is none of Python's."""
    plain = inspect.unwrap(function)
    if hasattr(plain, "__code__"):
        return plain
    text = parameter_text(getattr(plain, "name", ""))
    if not text.startswith(PYTHON):
        raise AssertionError(f"Expected FunctionType, got {type(function)}")
    return binder(function.__name__, text.removeprefix(PYTHON))
