"""``torch._dynamo.config``: settings of the compiler, which may be set and do nothing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

__all__: list[str] = []

cache_size_limit = recompile_limit = 8
suppress_errors = verbose = capture_scalar_outputs = capture_dynamic_output_shape_ops = disable = False
optimize_ddp = inline_inbuilt_nn_modules = assume_static_by_default = True
accumulated_cache_size_limit = 256
dynamic_shapes = log_compilation_metrics = issue_3_13_0_warning = False
traceable_tensor_subclasses: set = set()
skip_fwd_side_effects_in_bwd_under_checkpoint = force_parameter_static_shapes = False


@contextmanager
def patch(*changes: Any, **named: Any) -> Any:
    """A context, or a decorator, under which settings differ; they decide nothing."""
    yield
