"""``torch._dynamo.config``: settings of the compiler, which may be set and do nothing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

cache_size_limit = recompile_limit = 8
suppress_errors = verbose = capture_scalar_outputs = capture_dynamic_output_shape_ops = disable = False
optimize_ddp = inline_inbuilt_nn_modules = assume_static_by_default = True
accumulated_cache_size_limit = 256
dynamic_shapes = log_compilation_metrics = issue_3_13_0_warning = False
traceable_tensor_subclasses: set = set()
skip_fwd_side_effects_in_bwd_under_checkpoint = force_parameter_static_shapes = False


SWITCHES = {
    "cache_size_limit": 8, "recompile_limit": 8, "suppress_errors": False, "verbose": False, "capture_scalar_outputs": False,
    "capture_dynamic_output_shape_ops": False, "disable": False, "optimize_ddp": True, "assume_static_by_default": True,
    "accumulated_cache_size_limit": 256, "error_on_recompile": False, "dynamic_shapes": True, "automatic_dynamic_shapes": True,
}  # fmt: skip
"""The settings that a program may make; they decide nothing."""


@contextmanager
def patch(*changes: Any, **named: Any) -> Any:
    """A context, or a decorator, under which settings differ; they decide nothing."""
    yield
