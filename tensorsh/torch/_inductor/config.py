"""``torch._inductor.config``: settings of PyTorch's compiler of kernels, which may be set and do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

debug = coordinate_descent_tuning = coordinate_descent_check_all_directions = epilogue_fusion = max_autotune = False
max_autotune_gemm = max_autotune_pointwise = freezing = force_fuse_int_mm_with_mul = use_mixed_mm = (
    fx_graph_remote_cache
) = False
benchmark_kernel = shape_padding = conv_1x1_as_mm = b2b_gemm_pass = force_same_precision = unique_kernel_names = False
fallback_random = profiler_mark_wrapper_call = trace_enabled = cpp_wrapper = abi_compatible = False
fx_graph_cache = split_reductions = permute_fusion = reorder_for_locality = True
compile_threads = 1
triton = SimpleNamespace(
    cudagraphs=False, cudagraph_trees=True, unique_kernel_names=False, max_tiles=2, autotune_pointwise=True
)
cpp = SimpleNamespace(threads=-1, simdlen=None, weight_prepack=True, enable_kernel_profile=False)
trace = SimpleNamespace(enabled=False, debug_log=False, graph_diagram=False)
cuda = SimpleNamespace(arch=None, version=None)
aot_inductor = SimpleNamespace(output_path="", package=False)


@contextmanager
def patch(*changes: Any, **named: Any) -> Iterator[None]:
    """A context, or a decorator, under which settings differ; they decide nothing."""
    yield
