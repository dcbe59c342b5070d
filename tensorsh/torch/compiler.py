"""``torch.compiler``: what programs say to the compiler (docs/compile.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import state
from ..sandbox.sealed import Sealed
from .settings import compile

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "get_default_backend", "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset",
    "save_cache_artifacts", "set_default_backend", "wrap_numpy",
]  # fmt: skip


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself, or a decorator that gives it."""
    return (lambda function: function) if fn is None else fn


def nested_compile_region(fn: Callable | None = None, **options: Any) -> Any:
    """The function itself, or a decorator that gives it: parts of a program are not compiled for themselves."""
    return (lambda function: function) if fn is None else fn


def wrap_numpy(fn: Callable) -> Callable:
    """The function itself."""
    return fn


def save_cache_artifacts() -> None:
    """None: nothing that is compiled outlives its process."""


def set_logs(**options: Any) -> None:
    """Nothing: what is compiled is not told of."""


def set_vital(vital: str, attr: str, value: str) -> bool:
    """Nothing: no figures of a run are kept. False."""
    return False


def is_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_exporting() -> bool:
    """Whether the program is being exported: never."""
    return False


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `torch.compile` takes for a compiler; with no tags excluded, those for looking for faults, too."""
    from .replay.options import BACKENDS, DEBUGGING

    return sorted(BACKENDS + (() if exclude_tags and "debug" in exclude_tags else DEBUGGING))


def get_default_backend() -> Any:
    """The compiler that `torch.compile` takes where none is named; all do the same here."""
    return state.__dict__.get("default_backend") or "inductor"


def set_default_backend(backend: Any) -> None:
    """Say which compiler `torch.compile` takes where none is named; None for PyTorch's own."""
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    state.__dict__["default_backend"] = backend


def reset() -> None:
    """Forget what was compiled: functions are recorded anew."""
    import sys

    made = sys.modules.get(f"{__package__}.replay.compiled")
    if made is not None:
        made.reset()


def cudagraph_mark_step_begin() -> None:
    """Tell the compiler that a step begins."""


class set_stance(metaclass=Sealed):
    """A context, and a decorator, that says how the compiler is to behave: there is none that could."""

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance

    def __call__(self, fn: Callable) -> Callable:
        return fn

    def __enter__(self) -> None: ...

    def __exit__(self, *_: Any) -> None: ...
