"""NVIDIA's compiler takes every kernel, for the GPUs of three generations; it needs no GPU, but CuPy and NVRTC's package."""

from __future__ import annotations

import pytest

from . import compile_kernels


@pytest.mark.parametrize("capability", ["80", "90", "100"])
def test_kernels_compile(capability: str) -> None:
    pytest.importorskip("cupy", reason="CuPy is not installed")
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    try:
        nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError) as problem:
        pytest.skip(f"NVRTC is not installed: {problem}")
    compile_kernels.declare()
    assert compile_kernels.failures(capability) == []
