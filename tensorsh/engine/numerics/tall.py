"""The QR decomposition of matrices with many more rows than columns, by blocks of rows.

LAPACK's runs through all rows once for each column; of blocks that stay in the cache the factors R, one below the other, are a matrix
with the same R and far fewer rows (Demmel, Grigori, Hoemmen and Langou, 2012: "Communication-optimal parallel and sequential QR and LU
factorizations"). Its signs are then made those of LAPACK's reflections (Ballard and others, 2014: "Reconstructing Householder vectors
from tall-skinny QR")."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.blas import alone
from ..arrays.parallel import SHARED, each
from ..arrays.state import state

TALL, LEAST, BLOCK = 16, 1 << 16, 1 << 15
"""So many times as many rows as columns, and so many elements, are taken by blocks of so many elements."""


def is_tall(a: Any) -> bool:
    """Whether a matrix is real, and worth being taken by blocks."""
    return a.dtype.kind == "f" and a.size >= LEAST and a.ndim == 2 and a.shape[0] >= TALL * a.shape[1] > TALL


def qr(a: Any, mode: str) -> tuple:
    """Q and R of a tall matrix [m, n], whose Q is None in the mode "r", with the signs of LAPACK's."""
    q, r = by_blocks(a, mode != "r")
    if q is None:  # the signs come from the first rows of Q, which R and the first rows of the matrix know
        n = len(r)
        try:
            q = np.linalg.solve(r.T.astype(np.float64), a[:n].T.astype(np.float64)).T
        except np.linalg.LinAlgError:  # R is singular
            return None, np.linalg.qr(a, "r")
        return None, r * signs(q)[:, None].astype(r.dtype)
    turn = signs(q[: len(r)]).astype(r.dtype)
    q *= turn
    return q, r * turn[:, None]


def by_blocks(a: Any, with_q: bool) -> tuple:
    """Q, or None, and R, of any signs."""
    m, n = a.shape
    rows = max(4 * n, BLOCK // n)
    if m < 2 * rows:
        return tuple(np.linalg.qr(a)) if with_q else (None, np.linalg.qr(a, "r"))
    count = m // rows
    blocks, rest = a[: count * rows].reshape(count, rows, n), a[count * rows :]
    below = np.empty((count * n + len(rest), n), a.dtype)
    below[count * n :] = rest
    factors = below[: count * n].reshape(count, n, n)
    q = np.empty(a.shape if with_q else (count * rows, 0), a.dtype)
    parts = q[: count * rows].reshape(count, rows, -1)

    def decompose(i: int) -> None:
        if with_q:
            parts[i], factors[i] = np.linalg.qr(blocks[i])
        else:
            factors[i] = np.linalg.qr(blocks[i], "r")

    def multiply(i: int) -> None:
        parts[i] = parts[i] @ outer[i * n : i * n + n]

    threads = state.threads if a.size >= SHARED else 1
    each(decompose, alone((i,) for i in range(count)), threads)
    outer, r = by_blocks(below, with_q)
    if not with_q:
        return None, r
    each(multiply, alone((i,) for i in range(count)), threads)
    q[count * rows :] = outer[count * n :]
    return q, r


def signs(q: Any) -> Any:
    """The signs that LAPACK's reflections give the columns of Q [m, n], from its first n rows: those with which it is a product of
    reflections, found column by column in an elimination."""
    w = np.array(q, np.float64)
    n = len(w)
    found = np.ones(n)
    for k in range(n):
        found[k] = sign = -1.0 if w[k, k] >= 0 else 1.0
        w[k, k] -= sign
        w[k + 1 :, k + 1 :] -= np.outer(w[k + 1 :, k] / w[k, k], w[k, k + 1 :])
    return found
