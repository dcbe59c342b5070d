"""``torch.jit``: compilation is accepted and leaves the program as it is. TorchScript files are PyTorch's alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from ...engine.tensors.tensor import Tensor
from ..nn.modules.module import Module
from ..nn.parameter import Uninitialized

__all__ = [
    "annotate", "export", "fork", "freeze", "ignore", "is_scripting", "is_tracing", "load", "optimize_for_inference", "save", "script",
    "script_if_tracing", "trace", "trace_module", "unused", "wait",
]  # fmt: skip


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """The function, module or class itself. RuntimeError for lazy modules that have seen no input."""
    if isinstance(obj, Module):
        for each in obj.modules():
            named = (*each._parameters.items(), *each._buffers.items())
            lazy = [name for name, value in named if isinstance(value, Uninitialized)]
            if lazy:
                kind = f"{type(each).__module__}.{type(each).__name__}"
                raise RuntimeError(
                    f"'{kind}' has uninitialized parameters {lazy[0]}. Did you forget to run a forward pass?"
                )
    return obj


def trace(func: Any, example_inputs: Any = None, *args: Any, example_kwarg_inputs: Any = None, **kwargs: Any) -> Any:
    """The function or module itself, called once with the examples, so that what it raises is raised."""
    if example_inputs is not None or example_kwarg_inputs is not None:
        given = (example_inputs,) if isinstance(example_inputs, (Tensor, dict)) else example_inputs or ()
        func(*given, **(example_kwarg_inputs or {}))
    return func


def trace_module(mod: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself."""
    return mod


def freeze(mod: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself."""
    return mod


optimize_for_inference = freeze
export = unused = script_if_tracing = _script_if_tracing = _overload = _overload_method = script


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself, or a decorator that gives it."""
    return drop if callable(drop) else script


def is_scripting() -> bool:
    """Whether the program is TorchScript: never."""
    return False


def is_tracing() -> bool:
    """Whether the program is being traced: never."""
    return False


def fork(func: Callable, *args: Any, **kwargs: Any) -> Any:
    """The result of a call, for `wait`; it is computed at once."""
    from ..futures import Future

    made: Any = Future()
    made.set_result(func(*args, **kwargs))
    return made


def wait(future: Any) -> Any:
    """The result of `fork`."""
    return future.wait()


def _get_trace_graph(f: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """RuntimeError: graphs of TorchScript are PyTorch's alone."""
    _refuse(
        "_get_trace_graph", "makes a graph of TorchScript, which tensorsh has not: trace with torch.fx.symbolic_trace"
    )


_fork, _wait = fork, wait


class ScriptModule(Module):
    """What `script` would make of a module; there is none, but libraries ask whether a module is one."""


class RecursiveScriptModule(ScriptModule):
    """What `script` would make of a module with modules below it; there is none."""


class TopLevelTracedModule(ScriptModule):
    """What `trace` would make of a module; there is none."""


class ScriptFunction:
    """What `script` would make of a function; there is none."""


class CompilationUnit:
    """Functions of TorchScript; there are none."""


class TracerWarning(Warning):
    """A warning of traces, which are not made."""


class Error(RuntimeError):
    """An error of TorchScript."""


class Attribute:
    """A value with its type, for TorchScript."""

    def __init__(self, value: Any, type: Any = None) -> None:  # noqa: A002
        self.value, self.type = value, type


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001
    """As Python's."""
    import builtins

    return builtins.isinstance(obj, target_type)


class Final:
    """The annotation of what does not change: ``Final[int]``."""

    def __class_getitem__(cls, item: Any) -> Any:
        from typing import Final as annotation

        return annotation[item]


def _refuse(name: str, instead: str) -> NoReturn:
    raise RuntimeError(f"torch.jit.{name} {instead}")


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """RuntimeError: TorchScript files are PyTorch's alone."""
    _refuse("save", "writes TorchScript, which tensorsh has not: save the state dict with torch.save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None) -> Any:
    """RuntimeError: TorchScript files are PyTorch's alone."""
    _refuse("load", "reads TorchScript, which tensorsh has not: load a state dict with torch.load")


def interface(obj: Any) -> Any:
    """The class: an interface is what it says in Python."""
    return obj


script_method = script
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


class strict_fusion:  # noqa: N801 - PyTorch's name
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
