"""Objects in checkpoints: modules, and instances of the program's own classes.

They are written as Python's pickle writes them. They are read when a program asks for it (``weights_only=False``, or a
class named by `torch.serialization.add_safe_globals`), and even then a file names nothing but modules of torch.nn,
functions of torch, and what the running program itself defined; nothing of it runs but `__new__`.
"""

from __future__ import annotations

import enum
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import state as engine
from ..engine.tensors.tensor import Tensor
from ..sandbox.classes import checked_state, is_kept, is_script_class, is_script_function, shown_state
from ..sandbox.copying import another
from ..sandbox.iterating import Range, bounded
from ..sandbox.sealed import Sealed, program_frame
from .makers import Kind, UnpicklingError, makers
from .nn.modules.module import Module
from .nn.modules.registry import TABLES, attributes
from .nn.parameter import Parameter
from .pickled import Call, Global, Object

REGISTRIES = {"_parameters": Parameter, "_buffers": Tensor, "_modules": Module}
FACTORIES = (bool, int, float, str, list, dict, set, tuple)
"""What a `defaultdict` may call for what is missing, of Python's own."""
CONTAINERS: dict[type, Callable[[Any], Call]] = {
    Counter: lambda value: Call(Global("collections", "Counter"), dict(value)),
    defaultdict: lambda value: Call(Global("collections", "defaultdict"), _factory(value), dict(value)),
    deque: lambda value: Call(Global("collections", "deque"), list(value), value.maxlen),
    **dict.fromkeys(
        (range, Range), lambda value: Call(Global("__builtin__", "xrange"), value.start, value.stop, value.step)
    ),
    bytearray: lambda value: Call(Global("__builtin__", "bytearray"), bytes(value)),
    slice: lambda value: Call(Global("__builtin__", "slice"), value.start, value.stop, value.step),
}
"""How Python's other containers are written."""
HOOKS = "_backward_pre_hooks _backward_hooks _forward_hooks _forward_pre_hooks".split()


# Writing


def written(value: Any) -> Object | Call | Global | None:
    """How an object is written; None for what is none of these."""
    kind = type(value)
    if kind in CONTAINERS:
        return CONTAINERS[kind](value)
    if isinstance(value, type) and (is_script_class(value) or issubclass(value, Module)):
        return _class(value)
    if callable(value) and not isinstance(value, Module):
        found = _function(value)
        if found is not None:
            return found
    if isinstance(value, Module):
        return Object(_class(kind), (), _module_state(value))
    if not is_script_class(kind):
        return None
    if isinstance(value, enum.Enum):
        return Call(_class(kind), value.value)
    if isinstance(value, tuple):
        return Object(_class(kind), tuple(value), None)
    if isinstance(value, (Tensor, dict, list, str, int, float, BaseException)):
        return None
    return Object(_class(kind), (), shown_state(value) or None)


def _factory(value: defaultdict) -> Any:
    made = value.default_factory
    if made is None or any(made is each for each in FACTORIES):
        return None if made is None else Global("__builtin__", made.__name__)
    return _class(made) if isinstance(made, type) and is_script_class(made) else _function(made) or made


def _class(kind: Any) -> Global:
    if "<locals>" in kind.__qualname__:
        raise AttributeError(f"Can't get local object '{kind.__qualname__}'")
    return Global(kind.__module__, kind.__qualname__)


def _function(value: Any) -> Global | None:
    """A function of torch, or of the program, by its name."""
    from ..engine.loading import table

    name = getattr(value, "__name__", "")
    for prefix, module in (("nn.functional.", "torch.nn.functional"), ("", "torch")):
        if table.find_function(prefix + name) is value:
            return Global(module, name)
    if is_script_function(value):
        if "<" in value.__qualname__:
            raise AttributeError(f"Can't get local object '{value.__qualname__}'")
        return Global("__main__", value.__qualname__)
    return None


def _module_state(module: Any) -> dict[str, Any]:
    own = {
        name: value
        for name, value in attributes(module)._plain().items()
        if not (name in TABLES and not value) and not is_kept(module, name)
    }
    return {name: OrderedDict() for name in HOOKS} | own | {name: dict(own.get(name, {})) for name in REGISTRIES}


# Reading


class Names(dict):
    """The names that a file may use, and the classes it may make instances of."""

    def __init__(self, plain: dict, classes: Any = None) -> None:
        from .pickled_arrays import Arrays

        self.arrays = Arrays() if classes is None else None
        super().__init__(plain | makers(self.arrays.names | containers()) if self.arrays else plain)
        self.classes = classes
        """Those that are allowed, or None for all of the program."""
        self.scope = _program_scope()

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key)
        if found is None:
            found = self._find(*key)
        return default if found is None else found

    def _find(self, module: str, name: str) -> Any:
        if module in ("torch", "torch.nn.functional"):
            from ..engine.loading import table

            if self.classes is not None or name[:1] == "_" or "._" in name:
                return None
            return table.find_function(f"{module[6:]}.{name}".lstrip("."))
        if module == "__main__":
            first, *rest = name.split(".")
            kind = self.scope.get(first)
            for part in rest:
                kind = vars(kind).get(part) if isinstance(kind, type) and is_script_class(kind) else None
            if is_script_function(kind) and self.classes is None:
                return kind
            allowed = isinstance(kind, type) and is_script_class(kind)
        elif module.startswith("torch.nn.modules."):
            kind = _library_class(name)
            allowed = isinstance(kind, type) and issubclass(kind, Module) and kind.__module__ == module
        else:
            return None
        return kind if allowed and (self.classes is None or kind in self.classes) else None

    def callable(self, function: Any) -> bool:
        return isinstance(function, type) and issubclass(function, enum.Enum) and is_script_class(function)

    def make(self, kind: Any, arguments: tuple) -> Any:
        own = isinstance(kind, type) and (is_script_class(kind) or issubclass(kind, Module))
        if not own or issubclass(kind, (Tensor, dict, list, str, int, float, BaseException)):
            raise UnpicklingError("Trying to make an instance of what is no allowed class")
        if issubclass(kind, tuple):
            return tuple.__new__(kind, arguments)
        if arguments:
            raise UnpicklingError("damaged file: an instance of unknown form")
        return another(kind)

    def fill(self, target: Any, state: Any) -> bool:
        """Give an instance its state; whether the target is one."""
        kind = type(target)
        if self.arrays is not None and self.arrays.fill(target, state):
            return True
        if not isinstance(target, Module) and not (is_script_class(kind) and hasattr(target, "__dict__")):
            return False
        if type(state) is not dict:
            raise UnpicklingError("damaged file: a state of unknown form")
        try:
            state = checked_state(target, state)
        except KeyError:
            raise UnpicklingError("damaged file: a state of unknown form") from None
        if isinstance(target, Module):
            Module.__setstate__(target, _checked_module_state(state))
        elif hasattr(kind, "__setstate__"):
            target.__setstate__(state)
        else:
            object.__getattribute__(target, "__dict__").update(state)
        return True


def containers() -> dict[tuple[str, str], Any]:
    """Python's other containers, by the names that files have for them."""
    made: dict[tuple[str, str], Any] = {
        ("collections", "defaultdict"): _defaulting,
        ("collections", "deque"): Kind(deque),
    }
    for module in ("__builtin__", "builtins"):
        made |= {(module, kind.__name__): Kind(kind) for kind in FACTORIES}
        made |= {(module, name): lambda *parts: bounded(range(*parts)) for name in ("range", "xrange")}
        made[module, "slice"] = lambda *parts: slice(*parts)
    return made | {("__builtin__", "long"): Kind(int), ("__builtin__", "unicode"): Kind(str)}


def _defaulting(factory: Any = None, *parts: Any) -> defaultdict:
    known = type(factory) is Kind and factory._made in FACTORIES
    return defaultdict(factory._made if known else factory, *parts)


def _library_class(name: str) -> Any:
    from . import nn
    from .nn.modules.attention import NonDynamicallyQuantizableLinear  # a class that torch.nn does not show
    from .root import torch

    if name == NonDynamicallyQuantizableLinear.__name__:
        return NonDynamicallyQuantizableLinear
    return getattr(torch.nn, name) if name in nn.__all__ else None


def _checked_module_state(state: dict[str, Any]) -> dict[str, Any]:
    state = {name: value for name, value in state.items() if not (name.endswith("_hooks") and not value)}
    for name, kind in REGISTRIES.items():
        entries = state.setdefault(name, {})
        if not isinstance(entries, dict) or any(v is not None and not isinstance(v, kind) for v in entries.values()):
            raise UnpicklingError(f"damaged file: {name} of a module holds something else")
    return state


def _program_scope() -> dict[str, Any]:
    """The variables of the program that runs."""
    frame = program_frame(sys._getframe(1))
    return {} if frame is None else frame.f_globals


def safe_classes() -> tuple:
    """The classes that the program called safe."""
    return engine.__dict__.get("safe_globals", ())


def add_safe_globals(safe_globals: Any) -> None:
    """Let `torch.load` make instances of these classes also with ``weights_only=True``."""
    engine.__dict__["safe_globals"] = (*safe_classes(), *list(safe_globals))


def get_safe_globals() -> list:
    """The classes that were called safe."""
    return list(safe_classes())


def clear_safe_globals() -> None:
    """Forget them."""
    engine.__dict__["safe_globals"] = ()


class safe_globals(metaclass=Sealed):  # noqa: N801
    """A context in which classes are safe."""

    def __init__(self, safe_globals: Any) -> None:
        self._given = tuple(safe_globals)

    def __enter__(self) -> None:
        self._before = safe_classes()
        add_safe_globals(self._given)

    def __exit__(self, *error: object) -> None:
        engine.__dict__["safe_globals"] = self._before


for _f in (add_safe_globals, get_safe_globals, clear_safe_globals, safe_globals):
    _f.__module__ = "torch.serialization"
