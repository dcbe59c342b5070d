"""How kernels are declared: in C for each element, for the sums of rows, or whole; cupy compiles each when it first runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import cupy_module, device_guard
from ..arrays.backend import cupy
from .launch import Launcher
from .sources import pieces

CODE = pieces(__file__)

DECLARED: list[Any] = []
"""All kernels, for ``tests/device/compile_kernels.py``."""


@cache
def compiled(module: Any, kind: str, definition: tuple, preamble: str = "") -> Any:
    return getattr(module, kind)(*definition, **({"preamble": preamble} if preamble else {}))


C_NAMES = {
    "float16": "__half", "bfloat16": "__nv_bfloat16", "float32": "float", "float64": "double", "bool": "bool",
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "int32": "int", "int64": "long long",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
}  # fmt: skip
HEADERS = {"__half": "#include <cuda_fp16.h>\n", "__nv_bfloat16": "#include <cuda_bf16.h>\n"}
THREADS = 256
"""Of a block of an elementwise kernel."""


class Parameter(NamedTuple):
    """A parameter of an elementwise kernel: its type, a letter for one that the arrays tell, and whether the kernel indexes it."""

    kind: str
    name: str
    raw: bool


def parsed(text: str) -> list[Parameter]:
    return [Parameter(p.split()[-2], p.split()[-1], "raw" in p.split()) for p in text.split(",") if p.strip()]


class Elementwise:
    """A function of each element; operands are broadcast. `T` is the dtype of the arrays; numbers are given in it.

    Parameters marked ``raw`` are indexed by the kernel itself; `i` is the number of the element. Arrays in row order, of one
    shape, are launched at once; others, half types, and kernels with a preamble are given to CuPy."""

    kind = "ElementwiseKernel"

    def __init__(self, *definition: str, preamble: str = "", floats: bool = True) -> None:
        """definition: input parameters, output parameters, the operation, the kernel's name.  floats: it is compiled for
        floating-point numbers; else also for integers."""
        self.definition, self.name, self.preamble, self.floats = definition, definition[-1], preamble, floats
        self.inputs, self.outputs = parsed(definition[0]), parsed(definition[1])
        self.made: dict[tuple, Launcher | None] = {}
        DECLARED.append(self)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        if not options and len(arrays) == len(self.inputs) + len(self.outputs) and self.launched(arrays):
            return arrays[-1] if len(self.outputs) == 1 else arrays[len(self.inputs) :]
        return compiled(cupy(), self.kind, self.definition, self.preamble)(*arrays, **options)

    def launched(self, given: tuple) -> bool:
        """Whether a kernel was launched for such arrays and numbers."""
        kind, shape, key, size = cupy_module.array_class, None, [], 0
        for parameter, x in zip((*self.inputs, *self.outputs), given, strict=True):
            if type(x) is kind:
                if not x._c_contiguous:
                    return False
                if not parameter.raw:
                    if shape is None:
                        shape, size = x.shape, x.size
                    elif x.shape != shape:
                        return False
                key.append(x.dtype)
            elif isinstance(x, np.generic):
                key.append(x.dtype.type)
            else:
                return False
        if not size or self.preamble or device_guard.several:
            return False
        found = self.made.get((kind, *key), self)
        if found is self:
            found = self.made[kind, *key] = self.launcher(key)
        if found is None:
            return False
        found(-(-size // THREADS), THREADS, *given, size)
        return True

    def launcher(self, key: list) -> Launcher | None:
        """The kernel for dtypes of arrays, and types of numbers; None for those that it is not made for."""
        parameters = (*self.inputs, *self.outputs)
        letters: dict[str, np.dtype] = {}
        for parameter, dtype in zip(parameters, map(np.dtype, key), strict=True):
            if dtype.name not in C_NAMES or C_NAMES[dtype.name] in HEADERS:
                return None
            letter = len(parameter.kind) == 1
            wanted = letters.setdefault(parameter.kind, dtype) if letter else np.dtype(parameter.kind)
            if dtype != wanted:
                return None
        arrays = {p.name for p, x in zip(parameters, key, strict=True) if isinstance(x, np.dtype)}
        if any(p.raw and p.name not in arrays for p in parameters):
            return None
        return Launcher(self.source(letters, arrays), f"{self.name}_at_once")

    def source(self, letters: dict, arrays: Collection) -> str:
        """The C of a kernel for the dtypes of letters; arrays: the parameters that are no numbers."""
        c = {p.kind: p.kind if p.kind in letters else C_NAMES[p.kind] for p in (*self.inputs, *self.outputs)}
        params, before, after = [], [], []
        for p in (*self.inputs, *self.outputs):
            written = p in self.outputs
            inner = p.name if p.raw or p.name not in arrays else f"{p.name}_all"
            params.append(f"{'' if written else 'const '}{c[p.kind]}{'*' if p.name in arrays else ''} {inner}")
            if inner != p.name:
                before.append(f"{c[p.kind]} {p.name};" if written else f"{c[p.kind]} {p.name} = {inner}[i];")
                after += [f"{inner}[i] = {p.name};"] if written else []
        types = "".join(f"typedef {C_NAMES[dtype.name]} {letter};\n" for letter, dtype in letters.items())
        return f"""{types}
extern "C" __global__ void {self.name}_at_once({", ".join(params)}, long long all_elements) {{
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= all_elements) return;
  {" ".join(before)}
  {self.definition[2]};
  {" ".join(after)}
}}"""


class Reduction(Elementwise):
    """A reduction along axes of a function of each element (operands broadcast)."""

    kind = "ReductionKernel"

    def launched(self, given: tuple) -> bool:
        return False


def total(name: str, inputs: str, term: str) -> Reduction:
    """Sums of `term`: called with the arrays, `axis` and `keepdims`."""
    return Reduction(inputs, "T y", term, "a + b", "y = a", "0", name)


def empty(shape: Any, dtype: Any) -> Any:
    """A new array, as cupy.empty makes it, at half its price."""
    return cupy_module.array_class(shape, dtype)


def dense(x: Any) -> Any:
    """An array in row order, itself where it lies so."""
    return x if x._c_contiguous else cupy().ascontiguousarray(x)


FLOATS = ("float16", "bfloat16", "float32", "float64")
PACKS = CODE["PACKS"]
"""Up to 16 bytes read and written at once, from where `aligned` places begin."""


class Raw:
    """A whole kernel. `T` is the dtype it is called for, `A` the one that it computes in (float for the half types).

    Words that `sizes` names are put in as numbers, when it is called. `W` is how many elements are 16 bytes."""

    def __init__(self, name: str, code: str, dtypes: tuple = FLOATS, **sizes: int | str) -> None:
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

    def launcher(self, dtype: np.dtype, **sizes: int | str) -> Launcher:
        key = (cupy_module.array_class, dtype, *sizes.values())
        function: Launcher | None = self.made.get(key)
        if function is None:
            function = self.made[key] = Launcher(self.source(dtype, sizes), self.name)
        return function

    def __call__(self, dtype: np.dtype, blocks: int, threads: int, *args: Any, **sizes: int | str) -> None:
        """args: contiguous arrays, and numbers of exactly the parameters' types."""
        self.launcher(dtype, **sizes)(blocks, threads, *args)


class Launch(NamedTuple):
    """What a kernel is launched with, beside its arrays, for arrays of a dtype and of sizes that come again."""

    launcher: Launcher
    blocks: int
    threads: int
    numbers: tuple
    """Of the parameters behind the arrays."""
    parts: int = 1
    """How many blocks share a row."""
