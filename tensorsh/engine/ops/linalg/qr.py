"""The QR decomposition, products of Householder reflections, and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.long_calls import batched
from ...arrays.backend import module_of
from ...arrays.dtype import of
from ...arrays.errors import common_shape, length
from ...arrays.warning import warn_of_old
from ...graph.gradient_nodes import no_derivative
from ...kernels import kernel, unsuited
from ...loading import table
from ...numerics import batches, tall
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor
from .common import (
    ROOM,
    adj,
    check_float,
    check_kernel,
    check_matrix,
    diagonal_of,
    each,
    embed,
    herm,
    into,
    lapack,
    linalg,
    real_dtype,
    renamed,
    unit,
    use,
)  # fmt: skip
from .inverse import is_vector
from .svd import linalg_pinv
from .triangular import UPPER, substituted

qr_factored = kernel("qr_factored", unsuited)
lu_parts = kernel("lu_parts", unsuited)
reflected_by_kernel = kernel("reflected", unsuited)
MODES = ("reduced", "complete", "r")


@linalg("qr", laid="columns 0 1", outputs="Q R")
def linalg_qr(xp, A: Array, mode="reduced"):
    """``A = Q R``; mode "complete" gives a square Q, "r" only R."""
    check_matrix("linalg.qr", A)
    check_float("linalg.qr", A, "geqrf_cpu")
    if mode not in MODES:
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if mode != "complete" and tall.is_tall(A):
        Q, R = tall.qr(A, mode)
        return np.zeros((0,), A.dtype) if Q is None else Q, R
    if mode == "r":
        return np.zeros((0,), A.dtype), batches.qr(A, "r")
    if (found := small_qr(A, mode)) is not None:
        return found
    single = single_qr(A) if is_single(A) and mode == "reduced" else None
    return single or tuple(batches.qr(A, mode))


def is_single(A: Any) -> bool:
    """Whether LAPACK takes a matrix or matrices of float32 as they are; numpy makes float64 of them before."""
    return type(A) is np.ndarray and A.dtype == np.float32 and A.size > 0


@batched
def single_factored(A: Any) -> tuple | None:
    """Reflections and their factors, column by column in memory; None without scipy."""
    try:
        (geqrf,) = lapack("geqrf", A)
    except ImportError:
        return None
    return each(lambda a: tuple(x.T for x in geqrf(a, lwork=ROOM * a.shape[1])[:2]), A)


@batched
def single_qr(A: Any) -> tuple | None:
    """Q and R; None without scipy."""
    found = single_factored(A)
    if found is None:
        return None
    (orgqr,) = lapack("orgqr", A)
    m, n = A.shape[-2:]
    k = min(m, n)
    R = np.triu(found[0].swapaxes(-1, -2)[..., :k, :])
    return each(lambda h, tau: orgqr(h[:k].T, tau, lwork=ROOM * k, overwrite_a=True)[0], *found), R


def small_qr(A: Any, mode: str) -> tuple | None:
    """Q and R of small real matrices, or None."""
    raw = qr_factored(np.ascontiguousarray(A)) if A.dtype.kind == "f" else None
    if raw is None:
        return None
    h, tau = raw
    m, n = A.shape[-2:]
    k = m if mode == "complete" else min(m, n)
    R = lu_parts(h)[1]
    if m == n or k == n:
        return reflected_by_kernel(h, tau, None, True), R
    if n > m:
        return reflected_by_kernel(np.ascontiguousarray(h[..., :m]), tau, None, True), R
    whole = np.zeros((*A.shape[:-1], m), A.dtype)
    whole[..., :n] = h
    upper = np.zeros(A.shape, A.dtype)
    upper[..., :n, :] = R
    return reflected_by_kernel(whole, tau, None, True), upper


@linalg_qr.joint_gradient
def qr_gradient(t, g, needs, Q, R, mode):
    gq, gr = g
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    if m >= n:
        return [thin_qr_gradient(t, gq, gr, Q, R)]
    # Wide: A = [A1 A2] with A1 = Q R1, and R2 = Q^H A2 is an ordinary product.
    gr1, gr2 = (None, None) if gr is None else (gr[..., :m], gr[..., m:])
    if gr2 is None:
        first = thin_qr_gradient(t, gq, None, Q, R[..., :m])
        return [t.cat([first, R[..., m:] * 0], -1)]
    moved = Q @ (R[..., m:] @ adj(t, gr2))
    first = thin_qr_gradient(t, moved if gq is None else gq + moved, gr1, Q, R[..., :m])
    return [t.cat([first, Q @ gr2], -1)]


def thin_qr_gradient(t, gq, gr, Q, R):
    """``[gQ + Q sym(triu(gR R^H - Q^H gQ))] R^-H``."""
    inner = None if gr is None else gr @ adj(t, R)
    if gq is not None:
        product = adj(t, Q) @ gq
        inner = -product if inner is None else inner - product
    if inner is None:
        return None
    inner = t.triu(inner)
    both = inner + adj(t, inner)
    inner = both - embed(t, diagonal_of(t, both) * 0.5)
    found = Q @ inner
    if gq is not None:
        found = found + gq
    return use(t, "solve_triangular")(adj(t, R), found, upper=False, left=False)


@composite()
def qr(input: Tensor, some: bool = True, *, out: Any = None) -> Any:
    """As :func:`torch.linalg.qr`, reduced when `some`."""
    warn_of_old("qr")
    return into(renamed("qr", "Q R", linalg_qr.function(input, "reduced" if some else "complete")), out, "qr")


def reflections(A: Any) -> tuple:
    """The vectors of reflections, column by column in memory, and their factors."""
    found = qr_factored(np.ascontiguousarray(A)) if A.dtype.kind == "f" else None
    if found is not None:
        h, tau = found[0].swapaxes(-1, -2), found[1]
    else:
        h, tau = (single_factored(A) if is_single(A) else None) or batches.qr(A, "raw")
    return np.ascontiguousarray(h).swapaxes(-1, -2), tau


@operator(outputs="a tau", node="GeqrfBackward0", long="hosted")
def geqrf(xp, input: Array):
    """LAPACK's compact QR: reflections below the diagonal, R on and above it, and the reflections' factors."""
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel("geqrf_cpu", input)
    return reflections(input)


geqrf.real_gradient = True


@geqrf.joint_gradient
def geqrf_gradient(t, g, needs):
    raise no_derivative("geqrf", True)


def reflected(vectors: Any, tau: Any, x: Any, forward: bool, transpose: bool) -> Any:
    """``H1 H2 ... Hk x`` (`forward`), or the reflections in the other order; conjugated factors with `transpose`."""
    if type(vectors) is np.ndarray and vectors.dtype.kind == "f":
        if (found := reflected_by_kernel(*map(np.ascontiguousarray, (vectors, tau, x)), forward)) is not None:
            return found
    xp = module_of(vectors)
    v = xp.tril(vectors, -1) + xp.eye(*vectors.shape[-2:], dtype=vectors.dtype)
    tau = tau.conj() if transpose else tau
    k = tau.shape[-1]
    x = xp.array(x)
    for i in range(k - 1, -1, -1) if forward else range(k):
        column = v[..., :, i, None]
        x -= (tau[..., i, None, None] * column) @ (herm(column) @ x)
    return x


def check_batch(name: str, input: Any, arg: str, x: Any, less: int = 0) -> None:
    """Refuse an argument that has other dimensions than the reflections, or not as many `less`, or other batches."""
    if x.ndim != input.ndim - less:
        wanted = "one dimension less than" if less else "the same number of dimensions as"
        raise RuntimeError(
            f"{name}: Expected {arg} to have {wanted} input, but got {arg}.ndim equal to {x.ndim} and input.ndim is equal to "
            f"{input.ndim}"
        )
    batch = list(x.shape[: input.ndim - 2])
    if batch != list(input.shape[:-2]):
        raise RuntimeError(
            f"{name}: Expected batch dimensions of {arg} to be equal to input.shape[:-2], but got {batch}"
        )


@linalg("householder_product", laid="columns 0")
def householder_product(xp, input: Array, tau: Array):
    """The first columns of ``H1 H2 ... Hk``, as `geqrf` returns the reflections."""
    name = "torch.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if input.shape[-2] < input.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if input.shape[-1] < length(tau.shape, -1):
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    check_batch(name, input, "tau", tau, 1)
    if tau.dtype != input.dtype:
        raise RuntimeError(f"{name}: tau dtype {of(tau).short} does not match input dtype {of(input).short}")
    check_kernel("orgqr_cpu", input)
    if input.dtype.kind == "f" and type(input) is np.ndarray:
        found = reflected_by_kernel(np.ascontiguousarray(input), np.ascontiguousarray(tau), None, True)
        if found is not None:
            return found
    eye = np.broadcast_to(np.eye(*input.shape[-2:], dtype=input.dtype), input.shape)
    return reflected(input, tau, eye, True, False)


def product_gradient(t, g, vectors, tau):
    """The gradients of the vectors and the factors of ``Q = H1 H2 ... Hk``, whose product is ``E - V T V1^H``: E and V1 are the
    first rows of the unit matrix and of V, and T solves ``(1 + D S) T = D``, D the factors, S what of ``V^H V`` is above its diagonal.
    """
    m, n = vectors.shape[-2:]
    k = tau.shape[-1]
    V = t.tril(vectors[..., :, :k], -1) + unit(t, vectors, m, k)
    first, factors, gh = V[..., :n, :], tau[..., None], adj(t, g)
    above = t.triu(adj(t, V) @ V, 1)
    solve = use(t, "solve_triangular")
    system = factors * above + unit(t, vectors, k)
    T = solve(system, embed(t, tau), upper=True, unitriangular=True)
    turned, turned_first = g @ first, gh @ V
    inner = solve(adj(t, system), -(adj(t, V) @ turned), upper=False, unitriangular=True)
    gd = diagonal_of(t, inner)
    gm = -(inner @ adj(t, T))
    gd = gd + (gm * t.conj(above)).sum(-1)
    gs = t.triu(t.conj(factors) * gm, 1)
    gv = V @ (gs + adj(t, gs)) - turned @ adj(t, T)
    top = gv[..., :n, :] - turned_first @ T
    gv = top if m == n else t.cat([top, gv[..., n:, :]], -2)
    if n > k:
        gv = t.cat([gv, vectors[..., :, k:] * 0], -1)
    return t.tril(gv, -1), gd


@householder_product.joint_gradient
def householder_gradient(t, g, needs, input, tau):
    if 0 in (*input.shape, *tau.shape):
        return [None, None]
    return list(product_gradient(t, g, input, tau))


householder_product.lost = (0, 1)
table.also(householder_product, "orgqr")


@operator(long="hosted")
def ormqr(xp, input: Array, tau: Array, other: Array, left=True, transpose=False):
    """``Q other`` (or ``other Q``; Q^H with `transpose`), Q the product of the reflections in `input` and `tau`."""
    name = "torch.ormqr"
    for arg, x in (("input", input), ("other", other)):
        if x.ndim < 2:
            raise RuntimeError(f"{name}: {arg} must have at least 2 dimensions.")
    for arg, x in (("tau", tau), ("other", other)):
        if x.dtype != input.dtype:
            raise RuntimeError(
                f"{name}: Expected input and {arg} to have the same dtype, but input has dtype{of(input).short} and {arg} has "
                f"dtype {of(x).short}"
            )
    side = -2 if left else -1
    if length(tau.shape, -1) != min(other.shape[side], input.shape[-1]):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    if input.shape[-2] != other.shape[side]:
        raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    check_batch(name, input, "tau", tau, 1)
    check_batch(name, input, "other", other)
    check_kernel("ormqr_cpu", input)
    if left:
        return reflected(input, tau, other, not transpose, transpose)
    return np.ascontiguousarray(herm(reflected(input, tau, herm(other), transpose, not transpose)))


ormqr.lost = (0, 1)


@ormqr.joint_gradient
def ormqr_gradient(t, g, needs, input, tau, other, left, transpose):
    if 0 in (*input.shape, *tau.shape):
        return [None, None, t.zeros_like(other)]
    gi = gt = None
    go = t.ormqr(input, tau, g, left, not transpose) if needs[2] else None
    if needs[0] or needs[1]:
        # The gradient of the whole square Q: input gets columns of zeros up to that.
        gq = g @ adj(t, other) if left else adj(t, other) @ g
        if transpose:
            gq = adj(t, gq)
        m, k = input.shape[-2:]
        whole = input if k >= m else t.cat([input, t.cat([input[..., :, :1] * 0] * (m - k), -1)], -1)
        if k > m:
            whole = input[..., :, :m]
        gi, gt = product_gradient(t, gq, whole, tau)
        if k < m:
            gi = gi[..., :, :k]
        elif k > m:
            gi = t.cat([gi, input[..., :, m:] * 0], -1)
    return [gi, gt, go]


@operator(
    "_linalg_lstsq", method=False, outputs="solution residuals (rank) (singular_values)",
    node="LinalgLstsqBackward0", long="hosted",
)  # fmt: skip
def least_squares(xp, input: Array, b: Array, rcond=None, driver=None):
    """The least-squares solution by LAPACK's driver, and what that driver tells about the matrix."""
    batch = common_shape(input.shape[:-2], b.shape[:-2])
    a = input if input.shape[:-2] == batch else np.broadcast_to(input, batch + input.shape[-2:])
    b = b if b.shape[:-2] == batch else np.broadcast_to(b, batch + b.shape[-2:])
    m, n = a.shape[-2:]
    real = real_dtype(a.dtype)
    eps = float(np.finfo(a.dtype).eps)
    if rcond is None:
        eps *= max(m, n)
    else:  # what each driver takes less than nothing for
        taken = 0 < rcond < 1 if driver == "gelsd" else rcond >= 0
        eps = float(rcond) if taken else {"gelsd": eps / 2, "gelss": eps}.get(driver, -1.0)
    empty = np.zeros((0,), real)
    ranked, valued = driver != "gels", driver in ("gelsd", "gelss")
    if a.size == 0 or b.size == 0:
        solution = behind_rows(np.zeros((*batch, n, b.shape[-1]), a.dtype), m)
        residuals = (np.abs(b) ** 2).sum(-2).astype(real) if m > n and driver != "gelsy" else empty
        return (
            solution, residuals, np.zeros(batch, np.int64) if ranked else np.zeros((0,), np.int64),
            np.zeros((*batch, min(m, n)), real) if valued else empty,
        )  # fmt: skip

    def one(x: Any, y: Any) -> tuple:
        u, s, vh = batches.svd(x, full_matrices=False)
        kept = s > eps * s[0] if ranked and (driver != "gelsd" or len(s) > 1) else s > 0
        inverse = np.where(kept, 1 / np.where(s == 0, 1, s), 0).astype(s.dtype)
        return herm(vh) @ (inverse[:, None] * (herm(u) @ y)), np.int64(kept.sum()), s

    found = of_full_rank(a, b, eps) if driver == "gelsy" else None
    if found is not None:
        solution, rank, values = found, np.full(batch, n), empty
    else:
        gelsy = pivoted(a, b.shape[-1], eps) if driver == "gelsy" and np.isfinite(a).all() else None
        solution, rank, values = each(gelsy or one, a, b)
    solution = behind_rows(solution, m)
    residuals = empty
    if m > n and driver != "gelsy" and (not ranked or bool((rank == n).all())):
        difference = a @ solution - b
        residuals = (difference.real**2 + difference.imag**2 if a.dtype.kind == "c" else difference**2).sum(-2)
    return solution, residuals, rank if ranked else np.zeros((0,), np.int64), values if valued else empty


def of_full_rank(a: Any, b: Any, bound: float) -> Any:
    """The solution for real matrices whose columns are as many as their rank: so the norms of R and of its inverse tell, which bound the
    singular values. None for others, whose columns are to be interchanged."""
    m, n = a.shape[-2:]
    if a.dtype.kind != "f" or m < n:
        return None
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    h, tau = map(np.ascontiguousarray, qr_factored(a) or reflections(a))
    upper = np.ascontiguousarray(h[..., :n, :])
    inverse = substituted(upper, np.broadcast_to(np.eye(n, dtype=a.dtype), upper.shape).copy(), UPPER)
    if inverse is None:
        return None
    squares = [np.einsum("...ij,...ij->...", x, x) for x in (a, inverse)]
    if not (np.sqrt(squares[0] * squares[1]) * max(bound, 0) < 0.5).all():
        return None
    turned = reflected_by_kernel(h, tau, b, False)
    return None if turned is None else substituted(upper, np.ascontiguousarray(turned[..., :n, :]), UPPER)


def behind_rows(solution: Any, rows: int) -> Any:
    """A solution where LAPACK leaves it: column by column, each in the memory of a column of the right side."""
    n, columns = solution.shape[-2:]
    memory = np.zeros((*solution.shape[:-2], columns, max(rows, n)), solution.dtype)
    found = memory[..., :n].swapaxes(-1, -2)
    found[...] = solution
    return found


def pivoted(a: Any, columns: int, bound: float) -> Any:
    """LAPACK's own driver, by a QR decomposition with interchanged columns, for matrices like these; None without scipy."""
    try:
        gelsy, room = lapack("gelsy gelsy_lwork", a)
    except ImportError:
        return None
    m, n = a.shape[-2:]
    work = int(room(m, n, columns, bound)[0].real)
    free = np.zeros((n, 1), np.int32)

    def one(x: Any, y: Any) -> tuple:
        both = np.zeros((max(m, n), columns), x.dtype, "F")
        both[:m] = y
        _, found, _, rank, _ = gelsy(x, both, free.copy(), bound, work, False, True)
        return found[:n], np.int64(rank), np.zeros(0, real_dtype(x.dtype))

    return one


@least_squares.joint_gradient
def lstsq_gradient(t, g, needs, input, b, solution):
    gx, gr = g[0], g[1]
    ga = gb = None
    if gx is not None:
        inverse = use(t, "pinv")(input)
        gb = adj(t, inverse) @ gx
        if needs[0]:
            ga = linalg_pinv.joint(t, gx @ adj(t, b), [True], input, inverse)[0]
    if gr is not None and gr.shape[-1]:
        scaled = (input @ solution - b) * (gr[..., None, :] * 2)
        gb = -scaled if gb is None else gb - scaled
        more = scaled @ adj(t, solution)
        ga = more if ga is None else ga + more
    return [ga, gb]


@composite("linalg.lstsq", method=False)
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Any = None) -> Any:
    """The X that makes ``|A X - B|`` least: solution, residuals, rank, singular_values."""
    name = "torch.linalg.lstsq"
    a, b = A._array, B._array
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {of(a).short} and other's dtype "
            f"{of(b).short}"
        )
    if a.dtype.kind not in "fc" or a.dtype.itemsize <= 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if not 0 <= a.ndim - b.ndim <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    vector = is_vector(a, b)
    if a.shape[-2] != b.shape[-1 if vector else -2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({'-1' if vector else '-2'})")
    if A.device != B.device:
        raise RuntimeError(
            f"{name}: Expected other and input tensors to be on the same device, but got other on {B.device} and input on {A.device}"
        )
    if driver is not None and driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if vector:
        B = B.unsqueeze(-1)
    else:  # PyTorch takes the batch from another view than the matrices where there is one dimension less
        batch = common_shape(a.shape[:-2], b.shape[: -2 if a.ndim == b.ndim else -1])
        if batch != b.shape[:-2]:
            B = B.expand((*batch, *b.shape[-2:]))
    found = least_squares.function(A, B, rcond, driver or "gelsy")
    fields = list(found)
    extra = fields[2]._array.ndim - (a.ndim - 2)
    for i in (2, 3):  # of A alone: they have its batch, not the one broadcast with B's
        if fields[i]._array.size:
            fields[i] = fields[i][(0,) * extra + tuple(slice(0, n) for n in a.shape[:-2])]
    if vector:
        fields[0] = fields[0].squeeze(-1)
        if fields[1]._array.size or fields[1]._array.ndim > 1:
            fields[1] = fields[1].squeeze(-1) if fields[1]._array.ndim > 1 else fields[1]
    return into(renamed("linalg_lstsq", "solution residuals rank singular_values", fields), out, "linalg_lstsq")
