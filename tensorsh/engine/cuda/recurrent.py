"""A layer of an LSTM as one launch forwards and one backwards: a block for each sequence walks over all of its steps.

The states of a sequence stay in the block's shared memory; of the weights each step reads all, from the cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from .kernels import Raw, dense, empty
from .sources import pieces
from .sums import suits

CODE = pieces(__file__)

WIDEST = 256
"""So many states the shared memory holds; for more, products of whole matrices are faster too."""
LSTM = Raw("tensorsh_lstm", CODE["LSTM"], dtypes=("float32", "float64"))
"""gates [steps, count, 4n] hold what the input adds, and afterwards the gates; weight [n, 4n]; h and c [count, n] become the
last states."""
LSTM_BACKWARD = Raw("tensorsh_lstm_backward", CODE["LSTM_BACKWARD"], dtypes=("float32", "float64"))
"""d: the gradients of what the gates are made of; dh and dc become those of the first states. first: the first cells; weight
[4n, n]; given: whether there is gy, the gradient of all states."""


def fits(n: int, *arrays: Any) -> bool:
    """Whether a layer is for one block a sequence."""
    return n <= WIDEST and all(suits(a) and a.dtype.itemsize >= 4 for a in arrays)


def lstm(gates: Any, w_hh: Any, h: Any, c: Any, steps: int, reverse: bool) -> tuple | None:
    """States, last states, cells and their tanh of a layer whose gates hold what the input adds; None where it is not for this."""
    count, n = h.shape
    if not fits(n, gates, w_hh, h, c):
        return None
    y, cells, squashed = (empty((len(gates), n), gates.dtype) for _ in range(3))
    h, c = h.copy(), c.copy()
    numbers = map(np.int32, (steps, count, n, reverse))
    LSTM(gates.dtype, count, -(-4 * n // 32) * 32, gates, dense(w_hh.T), h, c, y, cells, squashed, *numbers)
    return y, h, c, cells, squashed


def lstm_backward(
    gates: Any, cells: Any, c: Any, squashed: Any, gy: Any, w_hh: Any, dh: Any, dc: Any, steps: int, reverse: bool
) -> Any:
    """The gradients of what the gates are made of, and in dh and dc those of the first states; None where it is not for this."""
    count, n = c.shape
    gy = None if gy is None else dense(gy)
    w_hh, c = dense(w_hh), dense(c)
    if not fits(n, gates, cells, squashed, w_hh, c, dh, dc):
        return None
    d = empty(gates.shape, gates.dtype)
    numbers = map(np.int32, (steps, count, n, reverse, gy is not None))
    arrays = gates, cells, c, squashed, gates if gy is None else gy, w_hh, dh, dc, d
    LSTM_BACKWARD(gates.dtype, count, -(-4 * n // 32) * 32, *arrays, *numbers)
    return d
