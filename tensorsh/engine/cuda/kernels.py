"""How kernels are declared: in C for each element, or for the sums of rows; cupy compiles each when it first runs."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..backend import cupy


@cache
def compiled(module: Any, kind: str, definition: tuple) -> Any:
    return getattr(module, kind)(*definition)


class Elementwise:
    """A function of each element; operands are broadcast. `T` is the dtype of the arrays; numbers are given in it."""

    kind = "ElementwiseKernel"

    def __init__(self, *definition: str) -> None:
        """definition: input parameters, output parameters, the operation, the kernel's name."""
        self.definition = definition

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return compiled(cupy(), self.kind, self.definition)(*arrays, **options)


class Reduction(Elementwise):
    """A reduction along axes of a function of each element (operands broadcast)."""

    kind = "ReductionKernel"


def total(name: str, inputs: str, term: str) -> Reduction:
    """Sums of `term`: called with the arrays, `axis` and `keepdims`."""
    return Reduction(inputs, "T y", term, "a + b", "y = a", "0", name)
