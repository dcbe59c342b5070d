"""The arithmetic of optimizer steps, on the memory of the parameters itself.

Large arrays are worked through in pieces that stay in the cache, so that a step of several operations reads each array
once. PyTorch adds products with one rounding (a fused multiply-add), as the kernel `multiply_add` does; numpy has none. Without
the kernel sums ``y + a * x`` of more than a few elements are left to BLAS, which has, and other float32 products are made and
added in double, which nearly always gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine import kernels
from ...engine.arrays import blas, cupy_module, parallel
from ...engine.arrays.device import absent
from ...engine.arrays.state import state

ndarray = np.ndarray
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
PIECE = 16384
fused: Any = kernels.kernel("multiply_add")
FEW = 4096
"""Up to so many elements BLAS is not worth the way to it."""


def pieces(*arrays: Any, size: int = PIECE) -> Iterator[tuple]:
    """The arrays, or, where they are large, flat views of so many elements at a time."""
    count = arrays[0].size
    if count <= size or not all(type(a) is ndarray and a.flags.c_contiguous for a in arrays):
        yield arrays
        return
    flat = [a.reshape(-1) for a in arrays]
    for at in range(0, count, size):
        yield tuple([a[at : at + size] for a in flat])


class Launches:
    """Steps that a GPU takes, collected for the parameters of a group and launched together (engine/cuda/optimizer.py)."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps: Any = None

    def take(self, kernel: str, arrays: list, *numbers: float) -> bool:
        """Whether a parameter's step is taken elsewhere than on the CPU. arrays: the parameter, its gradient, and what is kept
        of it; numbers: as the kernel of this name has them."""
        if type(arrays[0]) is ndarray:
            return False
        if not absent(arrays[0]):  # else there is nothing to step
            from ...engine.cuda import optimizer

            self.steps = self.steps or optimizer.Steps()
            self.steps.add(getattr(optimizer, kernel), arrays, *numbers)
        return True

    def run(self) -> None:
        """Launch them."""
        if self.steps is not None:
            self.steps.run()


def check_capture(optimizer: Any, group: dict) -> None:
    """Refuse to be captured in a CUDA graph: what a step multiplies with is counted on the host, and would stay as it was."""
    if cupy_module.array_class is None or "capturable" not in group:
        return
    if not cupy_module.cupy().cuda.get_current_stream().is_capturing():
        return
    name = type(optimizer).__name__
    if not group["capturable"]:
        raise RuntimeError(
            f"Attempting CUDA graph capture of step() for an instance of {name} but param_groups' capturable is False."
        )
    raise RuntimeError(
        f"Steps of {name} count on the host and cannot be captured: capture the forward and backward passes, and call step() "
        "after replay()."
    )


def check_fused(options: dict[str, Any]) -> None:
    """Refuse options that go against one another."""
    if options["fused"] and options["differentiable"]:
        raise RuntimeError("`fused` does not support `differentiable`")
    if options["fused"] and options["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def in_one_pass(name: str, arrays: list, *numbers: float) -> bool:
    """A whole step by a compiled kernel, on pieces by several threads where the arrays are large; False if none suits."""
    f = kernels.kernel(name)
    if f is None:
        return False
    if state.threads < 2 or arrays[0].size < parallel.SHARED:
        return f(*arrays, *numbers) is not None
    if not all(exact(a) and a.flags.c_contiguous and a.flags.writeable for a in arrays):
        return False
    parallel.run(lambda *part: f(*part, *numbers), [a.reshape(-1) for a in arrays], 4 * PIECE)
    return True


def exact(x: Any) -> bool:
    return type(x) is ndarray and x.dtype is FLOAT32


def axpy(y: Any, x: Any, a: float) -> None:
    """``y += a * x``"""
    if not exact(y):
        y += np.multiply(x, y.dtype.type(a))
        return
    if fused is not None and exact(x):
        fused(x, FLOAT32.type(a), y, out=y)
        return
    if y.size > FEW and y.flags.c_contiguous and x.flags.c_contiguous and exact(x) and x.shape == y.shape:
        if blas.axpy(y, x, a):
            return
    for target, part in pieces(y, x):
        wide = part.astype(FLOAT64)
        wide *= float(FLOAT32.type(a))
        wide += target
        target[...] = wide


def plus(y: Any, x: Any, a: float) -> Any:
    """``y + a * x`` in new memory."""
    if exact(y):
        t = y.copy()
        axpy(t, x, a)
        return t
    t = np.multiply(x, y.dtype.type(a))
    t += y
    return t


def addcmul(y: Any, x: Any, z: Any, a: float) -> None:
    """``y += (a * x) * z``"""
    if fused is not None and exact(y) and exact(x) and exact(z):
        fused(x if a == 1 else x * FLOAT32.type(a), z, y, out=y)
    elif exact(y):
        wide = np.multiply(x if a == 1 else x * FLOAT32.type(a), z, dtype=FLOAT64)
        wide += y
        y[...] = wide
    else:
        t = np.multiply(x, y.dtype.type(a))
        t *= z
        y += t


def addcdiv(y: Any, x: Any, z: Any, a: float) -> None:
    """``y += (a * x) / z``"""
    t = np.multiply(x, y.dtype.type(a))
    t /= z
    y += t


def lerp(y: Any, x: Any, w: float) -> None:
    """``y += w * (x - y)``; from the other end for weights of a half and more, as PyTorch does."""
    t = x - y
    if w < 0.5:
        axpy(y, t, w)
    else:
        kind = y.dtype.type
        y[...] = plus(x, t, -(kind(1) - kind(w)))


def root(x: Any, eps: float) -> Any:
    """``sqrt(x) + eps``"""
    t = np.sqrt(x)
    t += t.dtype.type(eps)
    return t
