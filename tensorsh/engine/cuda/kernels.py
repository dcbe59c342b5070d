"""How kernels are declared: in C for each element, for the sums of rows, or whole; cupy compiles each when it first runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from ..arrays import cupy_module
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


def empty(shape: Any, dtype: Any) -> Any:
    """A new array, as cupy.empty makes it, at half its price."""
    return cupy_module.array_class(shape, dtype)


def dense(x: Any) -> Any:
    """An array in row order, itself where it lies so."""
    return x if x._c_contiguous else cupy().ascontiguousarray(x)


C_NAMES = {
    "float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double", "bool": "bool",
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "int32": "int", "int64": "long long",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
}  # fmt: skip
HEADERS = {"__half": "#include <cuda_fp16.h>\n", "__nv_bfloat16": "#include <cuda_bf16.h>\n"}
FLOATS = ("float16", "bfloat16", "float32", "float64")
PACKS = """
template <typename K, int N> struct alignas(sizeof(K) * N) Pack { K of[N]; };
template <typename K, int N> __device__ __forceinline__ void load(K (&to)[N], const K* from) {
  Pack<K, N> pack = *reinterpret_cast<const Pack<K, N>*>(from);
  for (int k = 0; k < N; k++) to[k] = pack.of[k];
}
template <typename K, int N> __device__ __forceinline__ void store(K* to, K (&from)[N]) {
  Pack<K, N> pack;
  for (int k = 0; k < N; k++) pack.of[k] = from[k];
  *reinterpret_cast<Pack<K, N>*>(to) = pack;
}
__device__ __forceinline__ bool aligned(const void* p) { return (reinterpret_cast<size_t>(p) & 15) == 0; }
"""
"""Up to 16 bytes read and written at once, from where `aligned` places begin."""


class Raw:
    """A whole kernel. `T` is the dtype it is called for, `A` the one that it computes in (float for the half types).

    Words that `sizes` names are put in as numbers, when it is called. `W` is how many elements are 16 bytes.
    """

    def __init__(self, name: str, code: str, dtypes: tuple = FLOATS, **sizes: int) -> None:
        """sizes: the words, and numbers that the kernel is compiled with in tests."""
        self.name, self.code, self.dtypes, self.sizes = name, code, dtypes, sizes
        self.made: dict[tuple, Any] = {}
        DECLARED.append(self)

    def source(self, dtype: np.dtype, sizes: dict | None = None) -> str:
        kind = C_NAMES[dtype.name]
        wide = "float" if kind in HEADERS else kind if dtype.kind == "f" else "long long"
        words = {"W": 16 // dtype.itemsize, **(self.sizes if sizes is None else sizes)}
        code = re.sub(rf"\b({'|'.join(words)})\b", lambda word: str(words[word[1]]), self.code)
        packs = PACKS if re.search(r"\b(aligned|load|store)\(", code) else ""
        return f"{HEADERS.get(kind, '')}typedef {kind} T;\ntypedef {wide} A;\n{packs}{code}"

    def __call__(self, dtype: np.dtype, blocks: int, threads: int, *args: Any, **sizes: int) -> None:
        """args: contiguous arrays, and numbers of exactly the parameters' types."""
        key = (cupy_module.array_class, dtype, *sizes.values())
        function = self.made.get(key)
        if function is None:
            function = self.made[key] = compiled(cupy(), "RawKernel", (self.source(dtype, sizes), self.name))
        function((blocks,), (threads,), args)
