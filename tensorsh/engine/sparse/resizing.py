"""What size an array in coordinate format may take."""

from __future__ import annotations

from typing import Any


def check_resize(x: Any, shape: tuple, sparse_dim: int) -> None:
    """RuntimeError where elements would be left outside of a new shape."""
    if not x.nnz:
        return
    dense_dim = len(shape) - sparse_dim
    if (sparse_dim, dense_dim) != (x.sparse_dim, x.dense_dim):
        which, old, new = (
            ("sparse", x.sparse_dim, sparse_dim) if sparse_dim != x.sparse_dim else ("dense", x.dense_dim, dense_dim)
        )
        raise RuntimeError(
            f"changing the number of {which} dimensions (from {old} to {new}) on a non-empty sparse tensor is not supported."
        )
    for which, sizes, wanted in (
        ("sparse", x.shape[:sparse_dim], shape[:sparse_dim]),
        ("dense", x.shape[sparse_dim:], shape[sparse_dim:]),
    ):
        if any(m < n for m, n in zip(wanted, sizes, strict=True)):
            raise RuntimeError(
                f"shrinking the size of {which} dimensions (from {list(sizes)} to {list(wanted)}) on a non-empty sparse tensor "
                "is not supported."
            )
