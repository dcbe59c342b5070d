"""Singular values, and what rests on them: pseudo-inverse, rank, condition number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.backend import module_of
from ...arrays.device import absent
from ...arrays.dtype import of
from ...arrays.errors import check_broadcast, combination_error
from ...arrays.state import here
from ...graph.fields import wrap
from ...loading import table
from ...numerics import batches
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor
from .common import (
    LinAlgError,
    adj,
    check_float,
    check_matrix,
    check_square,
    embed,
    herm,
    into,
    linalg,
    real_dtype,
    renamed,
    unit,
    without_diagonal,
)  # fmt: skip
from .inverse import inv_ex
from .matmul import product


@linalg("svd", laid="columns 0 2", outputs="U S Vh")
def linalg_svd(xp, A: Array, full_matrices=True, *, driver=None):
    """``A = U diag(S) Vh``, the singular values S descending."""
    check_matrix("linalg.svd", A)
    check_float("linalg.svd", A, "linalg_svd_cpu")
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    return decompose(A, full_matrices)


def decompose(A: Any, full: bool) -> tuple:
    m, n = A.shape[-2:]
    if A.size == 0:
        # LAPACK is not asked: the bases are those of the unit vectors.
        k = min(m, n)
        u = np.broadcast_to(np.eye(m, m if full else k, dtype=A.dtype), (*A.shape[:-2], m, m if full else k))
        vh = np.broadcast_to(np.eye(n if full else k, n, dtype=A.dtype), (*A.shape[:-2], n if full else k, n))
        return u.copy(), np.zeros((*A.shape[:-2], k), real_dtype(A.dtype)), vh.copy()
    try:
        return tuple(batches.svd(A, full_matrices=full))
    except np.linalg.LinAlgError:
        reason = (
            "because the input matrix contained non-finite values."
            if not np.isfinite(A).all()
            else "because the input matrix is ill-conditioned or has too many repeated singular values."
        )
        batch = ""
        if A.ndim > 2:
            rows = A.reshape((-1, m, n))
            batch = f"(Batch element {next((i for i, x in enumerate(rows) if not np.isfinite(x).all()), 0)}): "
        raise LinAlgError(f"linalg.svd: {batch}The algorithm failed to converge {reason}") from None


def narrow(x: Any, k: int, columns: bool) -> Any:
    """The first k columns (or rows) of matrices."""
    if x is None or x.shape[-1 if columns else -2] == k:
        return x
    return x[..., :, :k] if columns else x[..., :k, :]


def off_diagonal(t: Any, squares: Any) -> Any:
    """Differences ``E[i, j] = s[j] - s[i]`` with ones on the diagonal."""
    found = squares[..., None, :] - squares[..., :, None]
    return found + unit(t, squares, squares.shape[-1])


@linalg_svd.joint_gradient
def svd_gradient(t, g, needs, U, S, Vh):
    gu, gs, gvh = g
    k = S.shape[-1]
    U, Vh, gu, gvh = narrow(U, k, True), narrow(Vh, k, False), narrow(gu, k, True), narrow(gvh, k, False)
    if gu is None and gvh is None:
        return [None if gs is None else (U * gs[..., None, :]) @ Vh]
    is_complex = str(U.dtype).rpartition(".")[2].startswith("complex")
    m, n = U.shape[-2], Vh.shape[-1]
    differences = off_diagonal(t, S * S)
    inner = None
    uu = vv = None
    if gu is not None:
        uu = adj(t, U) @ gu
        uu = uu - adj(t, uu)
    if gvh is not None:
        vv = Vh @ adj(t, gvh)
        vv = vv - adj(t, vv)
    if is_complex:
        check_gauge(t, uu, vv)
    if uu is not None:
        inner = uu / differences * S[..., None, :]
    if vv is not None:
        right = S[..., :, None] * (vv / differences)
        inner = right if inner is None else inner + right
    # The differences have ones on the diagonal, where a skew matrix is zero or imaginary: take what stands there away.
    inner = without_diagonal(t, inner)
    diagonal = gs
    if is_complex and uu is not None:
        turn = t.diagonal(uu, 0, -2, -1) / (S * 2)
        diagonal = turn if diagonal is None else diagonal + turn
    if diagonal is not None:
        inner = inner + embed(t, diagonal)
    if m > k and gu is not None:
        left = U @ inner
        over = gu / S[..., None, :]
        left = left + over - U @ (adj(t, U) @ over)
        return [left @ Vh]
    if n > k and gvh is not None:
        right = inner @ Vh
        over = gvh / S[..., :, None]
        right = right + over - (over @ adj(t, Vh)) @ Vh
        return [U @ right]
    return [U @ inner @ Vh]


def check_gauge(t: Any, uu: Any, vv: Any) -> None:
    """The loss must not depend on the phases that singular vectors leave open."""
    diagonals = [np.diagonal(t.array(x), 0, -2, -1).imag for x in (uu, vv) if x is not None]
    total = diagonals[0] if len(diagonals) == 1 else diagonals[0] + diagonals[1]
    scale = max(1.0, *(float(np.abs(d).max(initial=0)) for d in diagonals))
    if np.abs(total).max(initial=0) > 1e-2 * scale:
        raise RuntimeError(
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
            "specified loss function depends on this phase term, making it ill-defined."
        )


@operator("_linalg_svdvals", method=False, long="hosted")
def singular_values(xp, A: Array):
    """The singular values, where no gradient is asked for."""
    check_matrix("linalg.svd", A)
    check_float("linalg.svd", A, "linalg_svd_cpu")
    if A.size == 0:
        return decompose(A, False)[1]
    try:
        return batches.svd(A, compute_uv=False)
    except np.linalg.LinAlgError:
        return decompose(A, False)[1]


@composite("linalg.svdvals", method=False)
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values, descending."""
    if A._node is not None and here.grad_enabled:
        return into(linalg_svd.function(A, False, driver=driver)[1], out, "linalg_svdvals")
    return into(singular_values.function(A), out, "linalg_svdvals")


@composite("svd")
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """``input = U diag(S) V^H``; without `compute_uv` U and V are zeros."""
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions instead"
        )
    if not compute_uv:
        a = input._array
        values = svdvals(input)
        zeros = [wrap(np.zeros((*a.shape[:-2], n, n), a.dtype)) for n in a.shape[-2:]]
        return into(renamed("svd", "U S V", (zeros[0], values, zeros[1])), out, "svd")
    U, S, Vh = linalg_svd.function(input, not some)
    V = Vh.transpose(-2, -1)
    return into(renamed("svd", "U S V", (U, S, V.conj() if V._array.dtype.kind == "c" else V)), out, "svd")


def tolerance(atol: Any, rtol: Any, largest: Any, shape: tuple) -> Any:
    """The bound below which singular values count as zero, for each matrix."""
    atol, rtol = (x._array if isinstance(x, Tensor) else x for x in (atol, rtol))
    for bound in (atol, rtol):
        check_broadcast([bound, largest])
    if absent(atol) or absent(rtol):
        return np.maximum(0.0 if atol is None else atol, (0.0 if rtol is None else rtol) * largest)
    if rtol is None:
        zero = atol is None or not np.any(np.asarray(atol) > 0)
        rtol = float(np.finfo(largest.dtype).eps) * max(shape[-2:]) if zero else 0.0
        if atol is not None and np.ndim(atol):
            rtol = np.where(np.asarray(atol) > 0, 0.0, float(np.finfo(largest.dtype).eps) * max(shape[-2:]))
    return np.maximum(0.0 if atol is None else atol, np.asarray(rtol) * largest)


def magnitudes(a: Any, hermitian: bool) -> Any:
    """The absolute eigenvalues of hermitian matrices, or the singular values."""
    if hermitian:
        check_square("linalg.eigh", a)
        return np.abs(batches.eigvalsh(a)) if a.size else np.zeros(a.shape[:-1], real_dtype(a.dtype))
    return singular_values.kernel(np, a)


@operator("_linalg_pinv", method=False, node="LinalgPinvBackward0", long="hosted")
def linalg_pinv(xp, A: Array, atol=None, rtol=None, hermitian=False):
    """The pseudo-inverse by singular values."""
    if A.ndim < 2 or A.dtype.kind not in "fc" or A.dtype.itemsize <= 2:
        raise RuntimeError(
            f"linalg.pinv({of(A).short}{{[{', '.join(map(str, A.shape))}]}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    if A.size == 0:
        if hermitian:
            check_square("linalg.eigh", A)
        return np.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype)
    if hermitian:
        check_square("linalg.eigh", A)
        values, vectors = batches.eigh(A)
        size = np.abs(values)
        bound = tolerance(atol, rtol, size.max(-1), A.shape)[..., None]
        inverse = np.where(size > bound, 1 / np.where(values == 0, 1, values), 0).astype(values.dtype)
        return product(vectors * inverse[..., None, :], herm(vectors))
    u, s, vh = decompose(A, False)
    bound = tolerance(atol, rtol, s.max(-1), A.shape)[..., None]
    inverse = np.where(s > bound, 1 / np.where(s == 0, 1, s), 0).astype(s.dtype)
    return product(herm(vh) * inverse[..., None, :], herm(u))


@linalg_pinv.joint_gradient
def pinv_gradient(t, g, needs, A, result):
    """Golub and Pereyra's differential of the pseudo-inverse, on the side where the products are small."""
    P, Ph, gh = result, adj(t, result), adj(t, g)
    if A.shape[-2] <= A.shape[-1]:
        K = gh @ P
        KPh = K @ Ph
        return [-adj(t, P @ K) + KPh - (A @ P) @ KPh + (Ph @ P) @ (gh - K @ A)]
    K = P @ gh
    PhK = Ph @ K
    return [-adj(t, K @ P) + (gh - A @ K) @ P @ Ph + PhK - (PhK @ P) @ A]


@composite("linalg.pinv", method=False)
def pinv(
    input: Tensor,
    *args: Any,
    rcond: Any = None,
    atol: Any = None,
    rtol: Any = None,
    hermitian: bool = False,
    out: Any = None,
) -> Tensor:
    """The pseudo-inverse; singular values up to ``max(atol, rtol * largest)`` count as zero."""
    if rcond is not None and (atol is not None or rtol is not None):
        given = {"rcond": rcond, "atol": atol, "rtol": rtol}
        raise combination_error("linalg_pinv", input, **{k: v for k, v in reversed(given.items()) if v is not None})
    if args:
        rcond, *rest = args
        if rest:
            (hermitian,) = rest
    check_tolerances("torch.linalg.pinv", atol=atol, rtol=rtol, rcond=rcond)
    for name, x in (("atol", atol), ("rtol", rtol), ("rtol", rcond)):
        if isinstance(x, Tensor) and x._node is not None and here.grad_enabled:
            raise RuntimeError(
                f"The function 'linalg_pinv' is not differentiable with respect to argument '{name}'. This input cannot have "
                "requires_grad True."
            )
    result = linalg_pinv.function(input, atol, rtol if rcond is None else rcond, hermitian)
    return into(result, out, "linalg_pinv")


@composite()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse (see :func:`torch.linalg.pinv`)."""
    return linalg_pinv.function(input, None, rcond, False)


def check_tolerances(function: str, **given: Any) -> None:
    for name, value in given.items():
        if isinstance(value, Tensor) and value.dtype.is_complex:
            raise RuntimeError(f"{function}: {name} tensor of complex type is not supported. Got {value.dtype.short}")


@composite("linalg.matrix_rank", method=False, hosted=True)
def matrix_rank(
    input: Tensor,
    tol: Any = None,
    *args: Any,
    atol: Any = None,
    rtol: Any = None,
    hermitian: bool = False,
    out: Any = None,
) -> Tensor:
    """The number of singular values above ``max(atol, rtol * largest)``."""
    if args:
        (hermitian,) = args
    a = input._array
    if a.dtype.kind not in "fc" or a.dtype.itemsize <= 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if a.size == 0:
        return into(wrap(module_of(a).zeros(a.shape[:-2], np.int64)), out, "linalg_matrix_rank")
    if tol is not None:
        atol, rtol = tol, 0.0
    check_tolerances("torch.linalg.matrix_rank", atol=atol, rtol=rtol)
    values = magnitudes(a, hermitian)
    bound = tolerance(atol, rtol, values.max(-1), a.shape)
    bound = bound[..., None]
    check_broadcast([wrap(values), wrap(bound)])
    ranks = (values > bound).sum(-1)
    return into(wrap(np.asarray(ranks) if isinstance(ranks, np.generic) else ranks), out, "linalg_matrix_rank")


@composite("linalg.cond", method=False)
def cond(input: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    """The condition number in a norm: 2 (None), -2, 1, -1, inf, -inf, 'fro' or 'nuc'."""
    a = input._array
    if a.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p in (None, 2, -2):
        s = svdvals(input)
        if s._array.shape[-1] == 0:
            return into(wrap(np.zeros(a.shape[:-2], s._array.dtype)), out, "linalg_cond")
        large, small = s.narrow(-1, 0, 1), s.narrow(-1, -1, 1)
        return into((small / large if p == -2 else large / small).squeeze(-1), out, "linalg_cond")
    if not (p in ("fro", "nuc") or p in (1, -1, float("inf"), -float("inf"))):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check_square(f"linalg.cond(ord={p})", a)
    norm = table.find_function("linalg.matrix_norm")
    if a.size == 0:
        return into(wrap(np.zeros(a.shape[:-2], real_dtype(a.dtype))), out, "linalg_cond")
    inverse, info = inv_ex.function(input)
    inverse = inverse.masked_fill((info > 0).unsqueeze(-1).unsqueeze(-1), float("inf"))
    inf = float("inf")
    return into((norm(input, p) * norm(inverse, p)).nan_to_num(inf, inf, -inf), out, "linalg_cond")
