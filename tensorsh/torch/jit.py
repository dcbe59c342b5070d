"""``torch.jit``: compilation is accepted and leaves the program as it is."""

from __future__ import annotations

from typing import Any

from .nn.modules.module import Module

__all__ = ["export", "ignore", "is_scripting", "is_tracing", "script", "trace", "unused"]


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    return obj


def trace(func: Any, *args: Any, **kwargs: Any) -> Any:
    return func


export = ignore = unused = script


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False


class ScriptModule(Module):
    """What `script` would make of a module; there is none, but libraries ask whether a module is one."""


class ScriptFunction:
    """What `script` would make of a function; there is none."""


class TracerWarning(Warning):
    """A warning of traces, which are not made."""


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value."""
    return the_value


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """TorchScript files are PyTorch's alone."""
    raise RuntimeError("torch.jit.save writes TorchScript, which tensorsh has not: save the state dict with torch.save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None) -> Any:
    """TorchScript files are PyTorch's alone."""
    raise RuntimeError("torch.jit.load reads TorchScript, which tensorsh has not: load a state dict with torch.load")
