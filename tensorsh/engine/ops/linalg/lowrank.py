"""A few singular values or eigenvalues of a matrix, and the names that PyTorch has removed."""

from __future__ import annotations

from typing import Any

from ...arrays.dtype import of
from ...loading import table
from ...operators.declare import composite
from ...tensors.tensor import Tensor
from .eigen import eigh
from .qr import linalg_qr
from .svd import linalg_svd
from .triangular import linalg_cholesky, solve_triangular


def turned(x: Tensor) -> Tensor:
    x = x.transpose(-2, -1)
    return x.conj() if x._array.dtype.kind == "c" else x


def with_all_elements(x: Any) -> Any:
    """A matrix with all its elements, also where it was given by those that are not zero; None remains."""
    if x is not None and not isinstance(x, Tensor):
        raise TypeError(f"a matrix is a Tensor, not {type(x).__name__}")
    return x.to_dense() if x is not None and hasattr(x._array, "layout") else x


def approximate_basis(A: Tensor, q: int, niter: int = 2, M: Tensor | None = None) -> Tensor:
    """An orthonormal basis near the range of ``A - M``, after `niter` subspace iterations from a random start."""
    randn = table.find_function("randn")
    R = randn((A._array.shape[-1], q), dtype=of(A._array))

    def apply(x: Tensor, y: Tensor, shift: Tensor | None) -> Tensor:
        return x @ y if shift is None else x @ y - shift @ y

    A_H, M_H = turned(A), None if M is None else turned(M)
    Q = linalg_qr.function(apply(A, R, M))[0]
    for _ in range(niter):
        Q = linalg_qr.function(apply(A_H, Q, M_H))[0]
        Q = linalg_qr.function(apply(A, Q, M))[0]
    return Q


@composite(method=False)
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple:
    """U, S, V with ``U diag(S) V^H`` near ``A - M``, of rank q at most."""
    q = 6 if q is None else q
    A, M = with_all_elements(A), with_all_elements(M)
    m, n = A._array.shape[-2:]
    if M is not None:
        M = M.expand(A._array.shape)
    flip = m < n
    if flip:
        A = turned(A)
        M = None if M is None else turned(M)
    Q = approximate_basis(A, q, niter or 0, M)
    B = turned(Q) @ A
    if M is not None:
        B = B - turned(Q) @ M
    U, S, Vh = linalg_svd.function(B, False)
    U, V = Q @ U, turned(Vh)
    return (V, S, U) if flip else (U, S, V)


@composite(method=False)
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple:
    """The principal components: `svd_lowrank` of A, its columns' means taken off when `center`."""
    A = with_all_elements(A)
    m, n = A._array.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), True) if center else A, q, niter)


@composite(method=False)
def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> tuple:
    """The k largest (or smallest) eigenvalues of ``A x = w B x`` with eigenvectors; here by a whole decomposition, so that
    nothing is left to iterate."""
    A, B = with_all_elements(A), with_all_elements(B)
    if A._array.ndim < 2 or A._array.shape[-1] != A._array.shape[-2]:
        raise RuntimeError(f"expected square matrices, got {list(A._array.shape)}")
    m = A._array.shape[-1]
    k = (1 if X is None else X._array.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X._array.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of requested "
            f"eigenpairs (={n})"
        )
    if X is None:  # PyTorch iterates from here: the numbers that are drawn after it are the same
        table.find_function("randn")((*A._array.shape[:-2], m, n), dtype=of(A._array))
    if A._node is not None:  # of whose elements both triangles count, and not the lower one alone
        A = (A + A.mH) / 2
    if B is None:
        values, vectors = eigh.function(A)
    else:
        factor = linalg_cholesky(B)
        inner = solve_triangular.function(factor, solve_triangular.function(factor, A, upper=False).mH, upper=False)
        values, vectors = eigh.function(inner)
        vectors = solve_triangular.function(factor.mH, vectors, upper=True)
    count = values._array.shape[-1]
    if largest is None or largest:
        return values.narrow(-1, count - k, k).flip([-1]), vectors.narrow(-1, count - k, k).flip([-1])
    return values.narrow(-1, 0, k), vectors.narrow(-1, 0, k)


REMOVED = {
    "eig": " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking "
    "complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n"
    "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)",
    "symeig": " The default behavior has changed from using the upper triangular portion of the matrix by default to using "
    "the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = torch.symeig(A, eigenvectors=True) should be "
    "replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and does "
    "not return the QR decomposition in the returned tuple (although it returns other information about the problem).\n\nTo get "
    "the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in `torch.lstsq` stored the residuals of the "
    "solution in the last m - n columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the "
    "field 'residuals' of the returned named tuple.\n\nThe unpacking of the solution, as in\nX, _ = torch.lstsq(B, "
    "A).solution[:A.size(1)]\nshould be replaced with:\nX = torch.linalg.lstsq(A, B).solution",
    "matrix_rank": "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'.",
    "solve": " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed "
    "and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with "
    "`torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)",
}


def _removed(name: str, advice: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed.{advice}")

    function.__doc__ = f"Removed from PyTorch; see ``torch.linalg``.{advice.partition(chr(10))[0]}"
    return function


for _name, _advice in REMOVED.items():
    table.FUNCTIONS[_name] = _removed(_name, _advice)
    if _name != "matrix_rank":
        table.METHODS[_name] = table.FUNCTIONS[_name]
