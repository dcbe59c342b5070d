"""A tensor as PyTorch's C++ prints it, in some of its errors: rows without brackets, then its type."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensors.tensor import Tensor

KINDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
CALLED_TORCH = ("Float", "Double", "Half", "Long", "Int", "Short", "Char", "Byte")


def in_cpp(tensor: Tensor) -> str:
    """Matrices row by row, those of a larger tensor one after the other."""
    a = tensor._array
    kind = KINDS.get(str(a.dtype), "BFloat16")
    title = f"torch.{kind}Tensor" if kind in CALLED_TORCH else f"CPU{kind}Type"
    end = f"[ {title}{{{','.join(map(str, a.shape))}}} ]"
    if not a.size:
        return end
    values = np.asarray(a.real if a.dtype.kind == "c" else a, np.float64)
    if a.ndim < 2:
        return "\n".join(rows(values.reshape(-1, 1))) + "\n" + end
    if a.ndim == 2:
        return "\n".join(rows(values)) + "\n" + end
    parts = []
    for place in np.ndindex(*a.shape[:-2]):
        parts.append(f"({','.join(str(i + 1) for i in place)},.,.) = \n" + "\n ".join(rows(values[place])))
    return "\n\n".join(parts) + "\n" + end


def rows(values: Any) -> list[str]:
    """The lines of a matrix; the numbers share a width, as few digits before the point as the largest needs."""
    finite = np.abs(values[np.isfinite(values)])
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    least, most = (int(np.floor(np.log10(x))) + 1 if x else 1 for x in (low, high))
    factor = ""
    if (finite == np.trunc(finite)).all():
        width, form = (11, ".4e") if most > 9 else (most + 1, ".0f")
    elif most - least > 4:
        width, form = 11 + (max(abs(most), abs(least)) > 99), ".4e"
    elif most > 5 or most < 0:
        scale = 10.0 ** (most - 1)
        factor, values, width, form = f"{scale:g} *\n", values / scale, 7, ".4f"
    else:
        width, form = 7 if most == 0 else most + 6, ".4f"
    lines = [" ".join(f"{x:{form}}".rjust(width) for x in row) for row in values.tolist()]
    return [factor + lines[0], *lines[1:]]
