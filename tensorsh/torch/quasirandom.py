"""``torch.quasirandom``: Sobol sequences, which fill a unit cube more evenly than random points do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays.dtype import dtype, numpy_of
from ..engine.arrays.state import state
from ..engine.graph.fields import wrap
from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import OpenSealed
from .settings import Generator

__all__ = ["SobolEngine"]

BITS = 30
LARGEST = 21201
"""Joe and Kuo's table, which scipy has as well, ends at this dimension."""


class SobolEngine(metaclass=OpenSealed):
    """Draws the points of a Sobol sequence one after another, scrambled if asked for."""

    __module__ = "torch.quasirandom"
    MAXBIT = BITS
    MAXDIM = LARGEST

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= LARGEST:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {LARGEST}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        directions, shift = _directions(dimension), np.zeros(dimension, np.int64)
        if scramble:
            directions, shift = _scrambled(directions, seed)
        self.sobolstate, self.shift = wrap(directions), wrap(shift)
        self.quasi = self.shift.clone()
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: dtype | None = None) -> Tensor:
        """The next `n` points, as rows."""
        directions, before = self.sobolstate._array, self.quasi._array
        first = max(self.num_generated - 1, 0)
        fresh = self.num_generated == 0
        points = _follow(directions, before, first, n - fresh)
        points = np.concatenate([before[None], points]) if fresh else points
        self._step(points)
        self.num_generated += n
        kind = numpy_of(dtype or state.default_dtype)
        result = wrap(points.astype(kind) * kind.type(2.0**-BITS))
        if out is not None:
            return out.resize_(*result.shape).copy_(result)
        return result

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: dtype | None = None) -> Tensor:
        """The next ``2**m`` points; what was drawn in all must then be a power of two."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points have "
                f"been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do this, "
                "please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin the sequence again."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next `n` points."""
        first, more = (0, n - 1) if self.num_generated == 0 else (self.num_generated - 1, n)
        self._step(_follow(self.sobolstate._array, self.quasi._array, first, more))
        self.num_generated += n
        return self

    def _step(self, points: Any) -> None:
        if len(points):
            self.quasi = wrap(points[-1].copy())

    def __repr__(self) -> str:
        said = [f"dimension={self.dimension}"] + ["scramble=True"] * self.scramble
        return f"{type(self).__name__}({', '.join(said + [f'seed={self.seed}'] * (self.seed is not None))})"


def _follow(directions: Any, before: Any, first: int, n: int) -> Any:
    """The `n` points after `before`, which is number `first`: each differs by the direction of the lowest 0 of its
    number."""
    if n <= 0:
        return np.empty((0, len(before)), np.int64)
    numbers = np.arange(first, first + n)
    lowest = np.log2((numbers + 1) & ~numbers).astype(np.int64)
    return np.bitwise_xor.accumulate(np.concatenate([before[None], directions.T[lowest]]), 0)[1:]


def _directions(dimension: int) -> Any:
    """The direction numbers of the first dimensions, one row each."""
    import os

    from ..engine.loading.scipy import folder

    with np.load(os.path.join(folder(), "stats", "_sobol_direction_numbers.npz")) as table:
        polynomials, starts = table["poly"][:dimension], table["vinit"][:dimension]
    rows = np.ones((dimension, BITS), np.int64)
    degrees = np.array([int(p).bit_length() - 1 for p in polynomials])
    for degree in set(degrees[1:].tolist()):
        chosen = np.flatnonzero(degrees == degree)
        chosen = chosen[chosen > 0]
        v, p = rows[chosen], polynomials[chosen].astype(np.int64)
        v[:, :degree] = starts[chosen, :degree]
        for j in range(degree, BITS):
            v[:, j] = v[:, j - degree]
            for k in range(degree):
                v[:, j] ^= ((p >> (degree - 1 - k)) & 1) * (v[:, j - k - 1] << (k + 1))
        rows[chosen] = v
    return rows << np.arange(BITS - 1, -1, -1)


def _scrambled(directions: Any, seed: int | None) -> tuple:
    """Directions multiplied by a random lower triangular matrix of bits, and a random shift, PyTorch's for a seed."""
    generator = None if seed is None else Generator().manual_seed(seed)
    randint = find_function("randint")
    shifts = randint(2, (len(directions), BITS), generator=generator)._array
    matrix = np.tril(randint(2, (len(directions), BITS, BITS), generator=generator)._array)
    matrix[:, range(BITS), range(BITS)] = 1
    bits = (directions[:, :, None] >> np.arange(BITS - 1, -1, -1)) & 1  # the most significant first, as in a row
    mixed = np.einsum("dpk,djk->djp", matrix, bits) & 1
    return mixed @ (1 << np.arange(BITS - 1, -1, -1)), shifts @ (1 << np.arange(BITS))
