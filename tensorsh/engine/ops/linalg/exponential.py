"""The exponential of matrices as PyTorch has it: polynomials made of few products, of a degree that a matrix's norm tells, after
halvings that squares undo (Bader, Blanes, Casas: Computing the matrix exponential with an optimized Taylor polynomial
approximation, 2019)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import CPU, module_of, move, move_like
from ...loading import table
from ...numerics.rounding import rounded
from ...operators.declare import Array
from .common import adj, check_float, check_square, linalg, use
from .matmul import product

BOUNDS = {
    4: (1.192092800768788e-07, 5.978858893805233e-04, 5.116619363445086e-02, 5.800524627688768e-01, 1.461661507209034, 3.010066362817634),
    8: (2.220446049250313e-16, 2.580956802971767e-08, 3.397168839976962e-04, 4.991228871115323e-02, 2.996158913811580e-01,
        1.090863719290036),
}  # fmt: skip
"""By the bytes of a real number: up to which norms the polynomials of degree 1, 2, 4, 8, 12 and 18 are exact enough."""
DEGREE_12 = (
    (9.0198e-16, 0.46932117595418237389, -0.20099424927047284052, -0.04623946134063071740),
    (5.31597895759871264183, 1.19926790417132231573, 0.01179296240992997031, 0.01108844528519167989),
    (0.18188869982170434744, 0.05502798439925399070, 0.09351590770535414968, 0.00610700528898058230),
    (-2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079, -0.00675951846863086359),
)
DEGREE_18 = (
    (0.0, -1.00365581030144618291e-01, -8.02924648241156932449e-03, -8.92138498045729985177e-04, 0.0),
    (0.0, 3.97849749499645077844e-01, 1.36783778460411720168, 4.98289622525382669416e-01, -6.37898194594723280150e-04),
    (-1.09676396052962061844e01, 1.68015813878906206114, 5.71779846478865511061e-02, -6.98210122488052056106e-03, 3.34975017086070470649e-05),
    (-9.04316832390810593223e-02, -6.76404519071381882256e-02, 6.75961301770459654925e-02, 2.95552570429315521194e-02, -1.39180257516060693404e-05),
    (0.0, 0.0, -9.23364619367118555360e-02, -1.69364939002081722752e-02, -1.40086798182036094347e-05),
)  # fmt: skip
"""The polynomials' coefficients, a row for each sum of the matrix's powers."""


def combined(terms: list, *rows: Any) -> Any:
    """The sum of arrays, each times a real number, from the first on; several sums for several rows of numbers."""
    kind, real, xp = terms[0].dtype, terms[0].real.dtype, module_of(terms[0])
    total = xp.zeros((len(rows), *terms[0].shape), kind)
    parts, numbers = total.view(real), xp.asarray(np.array(rows, real).T[:, :, None, None, None])
    for x, number in zip(terms, numbers, strict=True):
        parts += x.view(real) * number
    return total[0] if len(rows) == 1 else total


def polynomial(a: Any, degree: int) -> Any:
    """The Taylor polynomial of a degree, or one near it, of a batch of matrices."""
    one = module_of(a).zeros_like(a)
    at = module_of(a).arange(a.shape[-1])
    one[:, at, at] = 1
    if degree == 1:
        return one + a
    square = product(a, a)
    real = np.dtype(a.real.dtype).type
    if degree == 2:
        return one + a + square / real(2)
    if degree == 4:
        rest = product(square, combined([one, a, square], (1 / 2, 1 / 6, 1 / 24)))
        return combined([one, a, square, rest], (1, 1, 0, 1))
    if degree == 8:
        root = float(real(13.30413469565007072504))
        x3 = float(real(2 / 3))
        fourth = product(square, combined([a, square], (x3 * ((1 + root) / 88), x3 * ((1 + root) / 352))))
        numbers = ((-271 + 29 * root) / (315 * x3), (-11 + 11 * root) / (1260 * x3), (-99 + 11 * root) / (5040 * x3), (89 - root) / (5040 * x3))  # fmt: skip
        eighth = product(combined([square, fourth], (x3, 1)), combined([one, a, square, fourth], numbers))
        return combined([one, a, square, fourth, eighth], (1, 1, (857 - 58 * root) / 630, 0, 1))
    cube = product(a, square)
    if degree == 12:
        b = combined([one, a, square, cube], *DEGREE_12)
        b[2] += product(b[3], b[3])
        b[1] += b[2]
        return b[0] + product(b[1], b[2])
    powers = [one, a, square, cube, product(cube, cube)]
    b = combined(powers, *DEGREE_18)
    b[3] += product(b[0], b[4])
    b[2] += b[3]
    return b[1] + product(b[2], b[3])


def exponential(a: Any) -> Any:
    """The exponential of each matrix of a batch."""
    bounds = np.array(BOUNDS[a.real.itemsize], a.real.dtype)
    norms = move(abs(a).sum(-2).max(-1), CPU)
    if len(a) == 1:
        for bound, degree in zip(bounds[:5], (1, 2, 4, 8, 12), strict=True):
            if norms[0] <= bound:
                return polynomial(a, degree)
    with np.errstate(all="ignore"):
        halvings = np.maximum(np.ceil(rounded(np.log2, norms / bounds[5])), 0)
        halved = np.exp2(-halvings)[:, None, None].astype(a.real.dtype)
        result = polynomial(a * move_like(halved, a), 18)
        squares = np.where(np.isfinite(halvings), halvings, 0)
        for done in range(int(squares.max(initial=0))):
            left = squares > done
            result = product(result, result) if left.all() else squared(result, move_like(left, a))
    return result


def squared(a: Any, chosen: Any) -> Any:
    """A batch in which the chosen matrices are squared."""
    a[chosen] = product(a[chosen], a[chosen])
    return a


@linalg("matrix_exp")
def matrix_exp(xp, A: Array):
    """The exponential of square matrices."""
    check_square("linalg.matrix_exp", A)
    check_float("linalg.matrix_exp", A, "linalg_matrix_exp")
    if A.size == 0:
        return A.copy()
    if A.shape[-1] == 1:
        return rounded(np.exp, A)
    return exponential(np.ascontiguousarray(A.reshape(-1, *A.shape[-2:]))).reshape(A.shape)


@matrix_exp.gradient_of("A")
def matrix_exp_gradient(t, g, A):
    """The upper right block of ``exp([[A^H, g], [0, A^H]])``."""
    n = A.shape[-1]
    Ah = adj(t, A)
    both = t.cat([t.cat([Ah, g], -1), t.cat([t.zeros_like(Ah), Ah], -1)], -2)
    return use(t, "matrix_exp")(both)[..., :n, n:]


table.also(matrix_exp, "matrix_exp")
