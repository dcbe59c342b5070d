"""How kernels are declared: in C for each element, for the sums of rows, or whole; cupy compiles each when it first runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..arrays.backend import cupy

DECLARED: list[Any] = []
"""All kernels, for ``tests/device/compile_kernels.py``."""


@cache
def compiled(module: Any, kind: str, definition: tuple, preamble: str = "") -> Any:
    return getattr(module, kind)(*definition, **({"preamble": preamble} if preamble else {}))


class Elementwise:
    """A function of each element; operands are broadcast. `T` is the dtype of the arrays; numbers are given in it.

    Parameters marked ``raw`` are indexed by the kernel itself; `i` is the number of the element.
    """

    kind = "ElementwiseKernel"

    def __init__(self, *definition: str, preamble: str = "", floats: bool = True) -> None:
        """definition: input parameters, output parameters, the operation, the kernel's name.  floats: it is compiled for
        floating-point numbers; else also for integers."""
        self.definition, self.name, self.preamble, self.floats = definition, definition[-1], preamble, floats
        DECLARED.append(self)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return compiled(cupy(), self.kind, self.definition, self.preamble)(*arrays, **options)


class Reduction(Elementwise):
    """A reduction along axes of a function of each element (operands broadcast)."""

    kind = "ReductionKernel"


def total(name: str, inputs: str, term: str) -> Reduction:
    """Sums of `term`: called with the arrays, `axis` and `keepdims`."""
    return Reduction(inputs, "T y", term, "a + b", "y = a", "0", name)


C_NAMES = {"float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double"}
HEADERS = {"__half": "#include <cuda_fp16.h>\n", "__nv_bfloat16": "#include <cuda_bf16.h>\n"}


class Raw:
    """A whole kernel. `T` is the dtype it is called for, `A` the one that it computes in (float for the half types)."""

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, code
        DECLARED.append(self)

    def source(self, dtype: np.dtype) -> str:
        kind = C_NAMES[dtype.name]
        wide = "float" if kind in HEADERS else kind
        return f"{HEADERS.get(kind, '')}typedef {kind} T;\ntypedef {wide} A;\n{self.code}"

    def __call__(self, dtype: np.dtype, blocks: int, threads: int, *args: Any) -> None:
        """args: contiguous arrays, and numbers of exactly the parameters' types."""
        compiled(cupy(), "RawKernel", (self.source(dtype), self.name))((blocks,), (threads,), args)
