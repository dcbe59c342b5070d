"""``torch.jit``: what is scripted or traced is of TorchScript's kinds and runs as Python. TorchScript files are PyTorch's alone."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from ...sandbox.sealed import Sealed
from ._script import (  # noqa: F401 - names of this module, too
    SCRIPTING,
    TRACING,
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    freeze,
    refuse,
    script,
    trace,
    trace_module,
)

__all__ = [
    "ScriptFunction", "ScriptModule", "annotate", "export", "fork", "freeze", "ignore", "interface", "is_scripting",
    "is_tracing", "load", "optimize_for_inference", "save", "script", "set_fusion_strategy", "strict_fusion",
    "script_if_tracing", "trace", "trace_module", "unused", "wait",
]  # fmt: skip


def optimize_for_inference(mod: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself: nothing is rewritten here."""
    return mod


def as_it_is(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The function or class itself, `fn`: what is said to TorchScript about it changes nothing here."""
    return fn


export = unused = script_if_tracing = _script_if_tracing = _overload = _overload_method = script_method = as_it_is


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself, or a decorator that gives it."""
    return drop if callable(drop) else as_it_is


def is_scripting() -> bool:
    """Whether what runs was scripted: Python runs it all the same."""
    return SCRIPTING[0]


def is_tracing() -> bool:
    """Whether the program is being traced."""
    return TRACING[0] > 0


def fork(func: Callable, *args: Any, **kwargs: Any) -> Any:
    """The result of a call, for `wait`; it is computed at once."""
    from ..futures import Future

    made: Any = Future()
    made.set_result(func(*args, **kwargs))
    return made


def wait(future: Any) -> Any:
    """The result of `fork`."""
    if future is None:
        raise RuntimeError("Future can't be None")
    return future.wait()


def _get_trace_graph(f: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """RuntimeError: graphs of TorchScript are PyTorch's alone."""
    refuse(
        "_get_trace_graph", "makes a graph of TorchScript, which tensorsh has not: trace with torch.fx.symbolic_trace"
    )


_fork, _wait = fork, wait


class CompilationUnit:
    """Functions of TorchScript; there are none."""


class Error(RuntimeError):
    """An error of TorchScript."""


class Attribute(NamedTuple):
    """A value with its type, for TorchScript."""

    value: Any
    type: Any


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001
    """As Python's, also for lists, dictionaries, tuples and unions of types, whose elements are looked at.
    obj: any value. target_type: a type, or a tuple of types, one of which it may be.
    >>> from typing import Dict, List
    >>> torch.jit.isinstance([torch.ones(1)], List[torch.Tensor]), torch.jit.isinstance({"a": 1}, Dict[str, float])
    (True, False)"""
    if type(target_type) is tuple:
        return any(isinstance(obj, each) for each in target_type)
    origin, parts = get_origin(target_type), get_args(target_type)
    if origin in (Union, UnionType):
        return any(isinstance(obj, each) for each in parts)
    if origin is None:
        return builtins.isinstance(obj, target_type)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is tuple:
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    rows = obj.items() if origin is dict else ((each,) for each in obj)
    return all(isinstance(each, kind) for row in rows for each, kind in zip(row, parts, strict=False))


class Final:
    """The annotation of what does not change: ``Final[int]``."""

    def __class_getitem__(cls, item: Any) -> Any:
        from typing import Final as annotation

        return annotation[item]


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """RuntimeError: TorchScript files are PyTorch's alone."""
    refuse("save", "writes TorchScript, which tensorsh has not: save the state dict with torch.save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None) -> Any:
    """RuntimeError: TorchScript files are PyTorch's alone."""
    refuse("load", "reads TorchScript, which tensorsh has not: load a state dict with torch.load")


def interface(obj: Any) -> Any:
    """The class: an interface is what it says in Python."""
    return obj


_isinstance = isinstance


class RecursiveScriptClass:
    """An instance of a class of TorchScript; there is none."""


class ScriptWarning(Warning):
    """What TorchScript warns of; nothing does here."""


class TracingCheckError(Exception):
    """A trace that differs from its function; nothing is traced here."""


def _unwrap_optional(x: Any) -> Any:
    """A value that is not None. AssertionError: None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context without effect: there is no graph that would be optimized."""
    yield


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """A context without effect: functions run as they are."""
    yield


class strict_fusion(metaclass=Sealed):  # noqa: N801 - PyTorch's name
    """A context without effect: functions run as they are."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def set_fusion_strategy(strategy: list) -> list:
    """Nothing: functions run as they are. The strategy that was there, none."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Nothing: functions run as they are."""


def onednn_fusion_enabled() -> bool:
    """No: functions run as they are."""
    return False


def export_opnames(m: Any) -> list[str]:
    """The operators of a module of TorchScript: none."""
    return []
