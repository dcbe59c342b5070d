"""Attention of half types on tensor cores: a block goes through the keys for some rows of the query, 16 for each of its warps.

Tiles of the keys and the values are copied to shared memory while the ones before are multiplied. They lie row by row there, in
pieces of 16 bytes whose order is turned by an exclusive or with the row, so that the eight rows of a matrix that a warp reads lie
in different banks. Scores stay in registers: what a product leaves a thread is what it brings to the next."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .kernels import Raw
from .sources import pieces

CODE = pieces(__file__)

PARAMETERS = (
    "const T* q, const T* k, const T* v, T* out, float* sums, long long rows, long long columns, long long heads, long long width,"
    "long long qb, long long qh, long long qr, long long kb, long long kh, long long kr, long long vb, long long vh,"
    "long long vr, long long ob, long long oh, long long row_step, float scale, int causal, float none"
)
SHARED = CODE["SHARED"]
"""What its kernels share: copies, matrices of warps, products, and tiles of rows."""


def added(weights: str, tile: str) -> str:
    """The C that adds the products of `s`, rounded to `weights`, with a tile's rows to `o`."""
    return CODE["ADDED"].replace("@WEIGHTS@", weights).replace("@TILE@", tile)


FORWARD = CODE["FORWARD"].replace("@ADDED@", added("p", "vs"))


def kernel(name: str, code: str, parameters: str, dtype: str, width: int, columns: int, rows: int = 64) -> Raw:
    """The kernel of a dtype, for rows of up to so many elements, tiles of so many keys, and blocks of so many rows."""
    kind = {"float16": "f16", "bfloat16": "bf16"}[dtype]
    name, code = f"tensorsh_attention_{name}{kind}_{width}", SHARED + code
    values = {"NAME": name, "PARAMETERS": parameters, "TYPE": kind, "D": width, "N": columns, "R": rows, "H": rows * 2}
    for word, value in values.items():
        code = code.replace(f"@{word}@", str(value))
    return Raw(name, code, (dtype,))


DTYPES = ("float16", "bfloat16")
KERNELS = {
    (dtype, width): (kernel("", FORWARD, PARAMETERS, dtype, width, columns, rows), rows)
    for dtype in DTYPES
    for width, columns, rows in ((64, 64, 128), (128, 32, 64))
}
"""By the dtype and the elements of a row: the kernel, and the rows of a block, 16 for each of its warps."""


def suited(x: Any) -> Any:
    """The kernel for rows of an array and the rows of a block, where the device has tensor cores that take them; else None."""
    if x.itemsize != 2 or x.shape[3] % 8 or x.shape[3] > 128 or int(getattr(x.device, "compute_capability", 0)) < 80:
        return None
    return KERNELS[x.dtype.name, 64 if x.shape[3] <= 64 else 128]


@lru_cache(maxsize=512)
def numbers(shape: tuple, each: int, columns: int, strides: tuple, scale: float, causal: bool) -> tuple:
    """A launch's blocks, of `each` rows, their threads, and numbers."""
    batch, heads, rows, width = shape
    own = map(np.int64, (rows, columns, heads, width, *strides))
    factors = np.float32(scale), np.int32(causal), np.float32(-np.inf)
    return -(-rows // each) * batch * heads, each * 2, (*own, *factors)
