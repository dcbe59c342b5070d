"""The options of ``torch.compile``, and what it makes of functions and modules."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ...engine.arrays.state import state
from ..nn.modules.module import Module
from .backends import by_options
from .errors import InvalidBackend

BACKENDS = ("cudagraphs", "inductor", "openxla", "tvm")
"""The compilers that PyTorch lists."""
DEBUGGING = ("aot_eager", "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "eager", "eager_debug", "eager_noexcept", "pre_dispatch_eager", "ts")  # fmt: skip
"""Those for looking for faults. Under each name a function is recorded and replayed: results are those of the function."""
MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
NAMES = (
    "model fullgraph dynamic backend mode options name disable recompile_limit isolate_recompiles shapes_spec".split()
)


def check(options: dict[str, Any]) -> None:
    """Refuse options as PyTorch does."""
    for name in options:
        if name not in NAMES:
            raise TypeError(f"compile() got an unexpected keyword argument '{name}'")
    backend, mode = options.get("backend"), options.get("mode")
    if backend is None:
        backend = state.__dict__.get("default_backend") or "inductor"
    if mode is not None and options.get("options") is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if type(backend) is str and backend not in BACKENDS + DEBUGGING:
        raise InvalidBackend(backend)
    if mode is not None and backend == "inductor" and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")


def compile(model: Any, options: dict[str, Any]) -> Any:
    """A function that gives what a function gives, or a module around a module."""
    check(options)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if options.get("disable") or state.__dict__.get("stance") == "force_eager":
        return model
    if isinstance(model, Module):
        from .._dynamo.eval_frame import OptimizedModule

        return OptimizedModule(model, options)
    if type(model) is not FunctionType:
        return model
    return by_options(model, options, options.get("recompile_limit"))
