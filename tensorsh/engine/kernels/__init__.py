"""Compiled kernels for numpy arrays of float32: what numpy has no loop for, or only one far from PyTorch's last bit.

They are optional. ``build_kernels.py`` compiles the C files of this folder when the package is installed where there is a
compiler; without them `compiled` is None, and every operator computes with its formula in numpy, which stands beside the
use of the kernel: the same numbers but for last bits, more slowly. ``TENSORSH_KERNELS=off`` in the environment does
without them, too.

`compiled` has ufuncs (elementwise.c), for which numpy finds strides and shapes, and functions of whole arrays. Such a
function gives None where it is handed what it is not made for (another dtype, other strides), so that the formula goes on.
"""

from __future__ import annotations

import os
from collections import deque
from itertools import repeat, starmap
from typing import Any

import numpy as np

from ...sandbox import integers, long_calls, process
from ..arrays.parallel import laid, work_alone
from ..arrays.state import state

compiled: Any
try:
    if os.environ.get("TENSORSH_KERNELS") == "off":
        raise ImportError
    from . import compiled  # type: ignore[attr-defined,no-redef]
except ImportError as reason:
    compiled = None
    if "another processor" in str(reason):
        import warnings

        warnings.warn(str(reason), RuntimeWarning, stacklevel=1)

if hasattr(compiled, "laid"):
    laid[0] = compiled.laid
    work_alone[0] = compiled.work_alone
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
ndarray = np.ndarray


def kernel(name: str, otherwise: Any = None) -> Any:
    """A kernel by its name, or what takes its place where there is none."""
    return getattr(compiled, name, otherwise)


def use_threads(n: int) -> None:
    """How many threads the work on large arrays is shared among."""
    from ..arrays.blas import set_threads

    state.threads = n
    set_threads(n)
    kernel("use_threads", unsuited)(n)


kept = 0
"""Bytes of freed memory that the process keeps for results to come; 0 leaves that to the system."""


def keep_freed(size: int) -> None:
    """Freed memory is kept, up to a number of bytes: the system would clear the pages of each large result anew."""
    global kept
    if size != kept and hasattr(compiled, "keep_freed"):
        compiled.keep_freed(size)
        kept = size


WALKS = (
    tuple, int, tuple, list, dict, set, frozenset, deque, int, complex, str, bytes, tuple, list, dict, slice, map, starmap,
    repeat, reversed, type(iter(np.empty(0))), np.flatiter, np.broadcast,
)  # fmt: skip
"""The classes of which `walks.c` hashes, compares, shows and asks for the next, in its order."""


def heed() -> None:
    """Long methods and products of numpy's arrays can be left, where a program waits for them, and so can Python's own hashes,
    comparisons and texts; for the process, from now on."""
    if hasattr(compiled, "wait_for"):
        compiled.wait_for(long_calls.of_program)
        integers.inert, integers.usual = compiled.is_inert, compiled.is_usual
        compiled.look_while_walking(WALKS)


if process.programs:
    heed()
if process.owned:
    keep_freed(1 << 27)
    if compiled is not None:
        compiled.begin_at_lines()
        compiled.quick_halves()
        compiled.quick_steps()


def give_back() -> None:
    """Freed memory, which is kept for results to come, goes back to the system."""
    if hasattr(compiled, "give_back"):
        compiled.give_back()


def unsuited(*arguments: Any) -> None:
    """In the place of a kernel of arrays, which answers None to what is not for it."""


def done(answer: Any) -> None:
    """RuntimeError where a kernel that writes has not written, and no formula goes on."""
    if answer is None:
        raise RuntimeError("sizes or types of arrays that belong together differ")


kernel("use_threads", unsuited)(state.threads)


def suits(*arrays: Any) -> bool:
    """Whether there are kernels, and all of these are numpy's arrays of float32."""
    if compiled is None:
        return False
    for a in arrays:
        if type(a) is not ndarray or a.dtype is not FLOAT32:
            return False
    return True


def through(name: str, *operands: Any) -> Any:
    """The ufunc of a name on arrays and numbers of float32, or of float64 if it has a loop for these; None where there are no
    kernels, or operands of another type."""
    if compiled is None:
        return None
    ufunc = getattr(compiled, name)
    dtype: Any = FLOAT32
    number: Any = np.float32
    if operands[0].dtype is FLOAT64 and ufunc.ntypes > 1:
        dtype, number = FLOAT64, np.float64
    for x in operands:
        if type(x) is ndarray:
            if x.dtype is not dtype:
                return None
        elif type(x) is not number:
            return None
    return ufunc(*operands)


PRECISE = {
    getattr(np, name): getattr(compiled, name)
    for name in "exp exp2 expm1 log log1p log2 log10 sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh".split()
    if hasattr(compiled, name)
}
"""For functions of numpy, the ufunc that computes float32 with an error of little more than half a unit, and float64 with what
rounding loses carried along; exp2 of float32 has the roundings of PyTorch's."""
