"""First and second derivatives of matrix functions against finite differences in double precision, real and complex."""

from __future__ import annotations

import numpy as np

from tensorsh import torch
from tensorsh.engine.tape.backward import grad

from ..support.cases import all_pass

L, F, X = torch.linalg, torch.nn.functional, torch.fft
SEED = 5


def spd(a):
    """Hermitian and positive-definite."""
    return a @ a.mH + torch.eye(a.shape[-1], dtype=a.dtype) * 2


def hermitian(a):
    return a + a.mH


def phases(v):
    """What does not depend on the phase or sign of columns."""
    return (v.unsqueeze(-2) * v.conj().unsqueeze(-3)).reshape(-1)


def triangular(a, upper=False):
    n = a.shape[-1]
    eye = torch.eye(n, dtype=a.dtype) * 3
    return (a.triu() if upper else a.tril()) + eye


def lu_parts(a):
    lu, pivots = L.lu_factor(a)
    return lu


def solved(a, b, **options):
    lu, pivots = L.lu_factor(a)
    return L.lu_solve(lu, pivots, b, **options)


def polar_factor(a):
    u, _, vh = L.svd(a, full_matrices=False)
    return u @ vh


def qr_parts(a):
    q, r = L.qr(a)
    return torch.cat([phases(q), phases(r.mH)])


def reflectors(a, transpose=False, left=True):
    v, tau = a[:, :2], a[0, :2] * 0.5
    return torch.ormqr(v, tau, a if left else a.mT, left, transpose)


CASES = {
    "mm": (torch.mm, [(2, 3), (3, 2)]),
    "mv": (torch.mv, [(2, 3), (3,)]),
    "dot": (torch.dot, [(3,), (3,)]),
    "vdot": (torch.vdot, [(3,), (3,)]),
    "bmm": (torch.bmm, [(2, 2, 3), (2, 3, 2)]),
    "matmul 3x2": (torch.matmul, [(2, 2, 3), (3, 2)]),
    "matmul 2x3": (torch.matmul, [(2, 3), (2, 3, 2)]),
    "matmul 1x3": (torch.matmul, [(3,), (2, 3, 2)]),
    "matmul 4x3": (torch.matmul, [(2, 1, 2, 3), (2, 3, 2)]),
    "addmm": (lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3), [(2,), (2, 3), (3, 2)]),
    "addmv": (lambda a, b, c: torch.addmv(a, b, c, beta=2, alpha=3), [(2,), (2, 3), (3,)]),
    "addr": (lambda a, b, c: torch.addr(a, b, c, beta=2, alpha=3), [(1, 3), (2,), (3,)]),
    "addbmm": (lambda a, b, c: torch.addbmm(a, b, c, beta=2, alpha=3), [(2, 2), (2, 2, 3), (2, 3, 2)]),
    "baddbmm": (lambda a, b, c: torch.baddbmm(a, b, c, beta=2, alpha=3), [(2, 1), (2, 2, 3), (2, 3, 2)]),
    "linear": (F.linear, [(2, 3), (4, 3), (4,)]),
    "linear 3-D": (F.linear, [(2, 2, 3), (4, 3), (4,)]),
    "linear no bias": (F.linear, [(2, 3), (4, 3)]),
    "bilinear": (F.bilinear, [(2, 3), (2, 2), (2, 3, 2), (2,)]),
    "einsum": (lambda a, b: torch.einsum("bij,bjk,ij->k", a, b, a.sum(0)), [(2, 2, 3), (2, 3, 2)]),
    "einsum diagonal": (lambda a: torch.einsum("iji->j", a), [(2, 3, 2)]),
    "tensordot": (lambda a, b: torch.tensordot(a, b, ([0, 1], [1, 0])), [(2, 3, 2), (3, 2)]),
    "kron": (torch.kron, [(2, 2), (3,)]),
    "inner": (torch.inner, [(2, 3), (2, 3)]),
    "multi_dot": (lambda *m: L.multi_dot(m), [(2, 3), (3, 2), (2, 4), (4,)]),
    "matrix_power": (lambda a: L.matrix_power(a, 5), [(2, 2)]),
    "matrix_power -2": (lambda a: L.matrix_power(a, -2), [(2, 2)]),
    "cross": (L.cross, [(2, 3), (1, 3)]),
    "vecdot": (L.vecdot, [(2, 3), (3,)]),
    "linalg.vander": (lambda a: L.vander(a, N=4), [(2, 2)]),
    "inv": (L.inv, [(2, 3, 3)]),
    "det": (L.det, [(2, 3, 3)]),
    "slogdet": (lambda a: torch.stack([x * 1 for x in L.slogdet(a)]), [(2, 3, 3)]),
    "logdet": (lambda a: torch.logdet(spd(a)), [(3, 3)]),
    "solve": (L.solve, [(2, 3, 3), (3, 2)]),
    "solve vector": (L.solve, [(3, 3), (3,)]),
    "solve right": (lambda a, b: L.solve(a, b, left=False), [(3, 3), (2, 3)]),
    "solve_triangular": (lambda a, b: L.solve_triangular(triangular(a), b, upper=False), [(3, 3), (2, 3, 2)]),
    "solve_triangular unit": (
        lambda a, b: L.solve_triangular(a, b, upper=True, left=False, unitriangular=True),
        [(3, 3), (2, 3)],
    ),
    "triangular_solve": (lambda a, b: torch.triangular_solve(b, triangular(a, True))[0], [(3, 3), (3, 2)]),
    "triangular_solve transposed": (
        lambda a, b: torch.triangular_solve(b, triangular(a, True), transpose=True)[0],
        [(3, 3), (3, 2)],
    ),
    "cholesky": (lambda a: L.cholesky(spd(a)), [(2, 3, 3)]),
    "cholesky upper": (lambda a: L.cholesky(spd(a), upper=True), [(3, 3)]),
    "torch.cholesky": (lambda a: torch.cholesky(spd(a)), [(3, 3)]),
    "cholesky_solve": (lambda a, b: torch.cholesky_solve(b, triangular(a)), [(3, 3), (3, 2)]),
    "cholesky_solve upper": (lambda a, b: torch.cholesky_solve(b, triangular(a, True), upper=True), [(3, 3), (3, 2)]),
    "cholesky_inverse": (lambda a: torch.cholesky_inverse(triangular(a)), [(3, 3)]),
    "cholesky_inverse upper": (lambda a: torch.cholesky_inverse(triangular(a, True), upper=True), [(3, 3)]),
    "qr tall": (qr_parts, [(4, 3)]),
    "qr wide": (qr_parts, [(2, 4)]),
    "qr square": (qr_parts, [(2, 3, 3)]),
    "svd": (lambda a: torch.cat([phases(x) for x in (L.svd(a, False)[0], L.svd(a, False)[2].mH)]), [(3, 3)]),
    "svd tall": (lambda a: phases(L.svd(a, False)[0]), [(4, 2)]),
    "svd wide": (lambda a: phases(L.svd(a, False)[2].mH), [(2, 4)]),
    "svd product": (polar_factor, [(2, 3, 2)]),
    "svdvals": (L.svdvals, [(2, 3, 4)]),
    "eigh": (lambda a: phases(L.eigh(hermitian(a))[1]), [(3, 3)]),
    "eigvalsh": (lambda a: L.eigvalsh(hermitian(a)), [(2, 3, 3)]),
    "eig": (lambda a: phases(L.eig(spd(a))[1]), [(3, 3)]),
    "eigvals": (lambda a: L.eigvals(a).sum(-1) ** 2 + (L.eigvals(a) ** 3).sum(-1), [(2, 3, 3)]),
    "pinv tall": (L.pinv, [(3, 2)]),
    "pinv wide": (L.pinv, [(2, 2, 3)]),
    "cond": (L.cond, [(3, 3)]),
    "cond 1": (lambda a: L.cond(a, 1), [(3, 3)]),
    "lstsq": (lambda a, b: L.lstsq(a, b).solution, [(4, 2), (4, 3)]),
    "lstsq residuals": (lambda a, b: L.lstsq(a, b, driver="gelsd").residuals, [(4, 2), (4, 3)]),
    "lu": (lambda a: torch.cat([L.lu(a)[1].reshape(-1), L.lu(a)[2].reshape(-1)]), [(3, 3)]),
    "lu tall": (lambda a: torch.cat([L.lu(a)[1].reshape(-1), L.lu(a)[2].reshape(-1)]), [(4, 2)]),
    "lu wide": (lambda a: torch.cat([L.lu(a)[1].reshape(-1), L.lu(a)[2].reshape(-1)]), [(2, 4)]),
    "lu_factor": (lu_parts, [(2, 3, 3)]),
    "lu_factor tall": (lu_parts, [(4, 2)]),
    "lu_solve": (solved, [(3, 3), (3, 2)]),
    "lu_solve adjoint": (lambda a, b: solved(a, b, adjoint=True), [(3, 3), (3, 2)]),
    "lu_solve right": (lambda a, b: solved(a, b, left=False), [(3, 3), (2, 3)]),
    "lu_solve right adjoint": (lambda a, b: solved(a, b, left=False, adjoint=True), [(3, 3), (2, 3)]),
    "matrix_exp": (L.matrix_exp, [(2, 2, 2)]),
    "householder_product": (L.householder_product, [(4, 3), (2,)]),
    "ormqr": (reflectors, [(4, 3)]),
    "ormqr transposed": (lambda a: reflectors(a, True), [(4, 3)]),
    "ormqr right": (lambda a: reflectors(a, False, False), [(4, 3)]),
    "tensorinv": (lambda a: L.tensorinv(a.reshape(2, 2, 4)), [(4, 4)]),
    "tensorsolve": (lambda a, b: L.tensorsolve(a.reshape(2, 2, 4), b), [(4, 4), (2, 2)]),
    "fft": (lambda a: X.fft(a, n=4), [(2, 3)]),
    "ifft": (lambda a: X.ifft(a, norm="ortho", dim=0), [(2, 3)]),
    "irfft": (lambda a: X.irfft(a, n=5), [(2, 3)]),
    "irfft even": (X.irfft, [(2, 3)]),
    "hfft": (X.hfft, [(3,)]),
    "fftn": (X.fftn, [(2, 3)]),
    "irfftn": (X.irfftn, [(2, 3)]),
    "hfftn": (X.hfftn, [(2, 3)]),
    "fftshift": (X.fftshift, [(2, 3)]),
    "stft": (lambda a: torch.stft(a, 4, window=torch.hann_window(4, dtype=torch.float64), return_complex=True), [(9,)]),
    "istft": (lambda a: torch.istft(a + 0j, 4, window=torch.ones(4, dtype=torch.float64)), [(3, 4)]),
}
REAL = {
    "rfft": (X.rfft, [(2, 5)]),
    "rfft even": (X.rfft, [(2, 4)]),
    "ihfft": (X.ihfft, [(4,)]),
    "rfftn": (lambda a: X.rfftn(a, s=(3, 4)), [(2, 3)]),
    "ihfftn": (X.ihfftn, [(2, 3)]),
    "cdist": (torch.cdist, [(2, 3), (4, 3)]),
    "cdist 1": (lambda a, b: torch.cdist(a, b, p=1), [(2, 2, 3), (4, 3)]),
    "cdist 1.5": (lambda a, b: torch.cdist(a, b, p=1.5), [(2, 3), (4, 3)]),
    "cdist 3": (lambda a, b: torch.cdist(a, b, p=3), [(2, 3), (4, 3)]),
    "cdist inf": (lambda a, b: torch.cdist(a, b, p=float("inf")), [(2, 3), (4, 3)]),
    "cdist large": (lambda a, b: torch.cdist(a, b)[::9], [(27, 2), (1, 2)]),
    "pdist": (F.pdist, [(4, 2)]),
    "pdist 3": (lambda a: F.pdist(a, 3), [(4, 2)]),
    "pairwise_distance": (F.pairwise_distance, [(2, 3), (2, 3)]),
    "pairwise_distance 3": (lambda a, b: F.pairwise_distance(a, b, 3.0, keepdim=True), [(2, 3), (3,)]),
    "cosine_similarity": (F.cosine_similarity, [(2, 3), (2, 3)]),
    "pinv hermitian": (lambda a: L.pinv(hermitian(a), hermitian=True), [(3, 3)]),
}
COMPLEX_SKIPPED = {"stft", "istft", "cond 1"}
SECOND_SKIPPED = {"cond 1"}


def inputs(shapes: list, is_complex: bool) -> list:
    random = np.random.default_rng(SEED)
    found = [random.standard_normal(s) for s in shapes]
    if is_complex:
        found = [x + 1j * random.standard_normal(s) for x, s in zip(found, shapes, strict=True)]
    return found


def weighted(outputs, random) -> torch.Tensor:
    """A real number from tensors, with random weights."""
    total = None
    for x in outputs:
        w = random.standard_normal(tuple(x.shape))
        if "complex" in str(x.dtype):
            w = w + 1j * random.standard_normal(tuple(x.shape))
        term = x * torch.from_numpy(np.asarray(w))
        term = term.real.sum() if "complex" in str(term.dtype) else term.sum()
        total = term if total is None else total + term
    return total


def directions(arrays: list) -> list:
    """Three directions in which all elements move at once, none alike: a wrong element shows in each."""
    rng = np.random.default_rng(3)
    return [[drawn(rng, a) for a in arrays] for _ in range(3)]


def drawn(rng: np.random.Generator, a: np.ndarray) -> np.ndarray:
    real = rng.uniform(0.5, 1.5, a.shape) * rng.choice([-1.0, 1.0], a.shape)
    return real + 1j * rng.uniform(0.5, 1.5, a.shape) if a.dtype.kind == "c" else real


def slope(f, arrays: list, direction: list, step: float = 1e-6) -> float:
    """The central difference along a direction."""
    ahead, behind = ([a + sign * step * d for a, d in zip(arrays, direction, strict=True)] for sign in (1, -1))
    return (f(ahead) - f(behind)) / (2 * step)


def leaves(arrays: list) -> list:
    return [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]


def check(function, shapes: list, is_complex: bool, second: bool) -> None:
    arrays = inputs(shapes, is_complex)

    def loss(xs: list):
        y = function(*xs)
        return weighted([y + y * y], np.random.default_rng(1))

    def gradient_loss(xs: list):
        gs = grad(loss(xs), xs, create_graph=True)
        return weighted(gs, np.random.default_rng(2))

    measured = gradient_loss if second else loss
    xs = leaves(arrays)
    found = grad(measured(xs), xs, allow_unused=True)
    f = (lambda moved: plain(loss, moved)) if second else (lambda moved: loss(leaves(moved)).item())
    gradients = [np.zeros_like(a) if g is None else g.detach().numpy() for g, a in zip(found, arrays, strict=True)]
    for direction in directions(arrays):
        expected = slope(f, arrays, direction)
        terms = [(g.conj() * d).real for g, d in zip(gradients, direction, strict=True)]
        given = sum(term.sum() for term in terms)
        largest = max([1.0, *(np.abs(term).max(initial=0) for term in terms)])
        np.testing.assert_allclose(given, expected, rtol=2e-4, atol=2e-5 * largest)


def plain(loss, moved: list) -> float:
    """The weighted sum of an ordinary backward pass's gradients: the raw formulas against the differentiable ones."""
    xs = leaves(moved)
    gs = grad(loss(xs), xs, allow_unused=True)
    gs = [torch.zeros_like(x) if g is None else g for g, x in zip(gs, xs, strict=True)]
    return weighted(gs, np.random.default_rng(2)).item()


ALL = [(name, False) for name in (*CASES, *REAL)] + [(name, True) for name in CASES if name not in COMPLEX_SKIPPED]


def test_first() -> None:
    all_pass(check_first, ALL)


def check_first(name: str, is_complex: bool) -> None:
    check(*(CASES | REAL)[name], is_complex, False)


def test_second() -> None:
    all_pass(check_second, [(n, c) for n, c in ALL if n not in SECOND_SKIPPED])


def check_second(name: str, is_complex: bool) -> None:
    check(*(CASES | REAL)[name], is_complex, True)


def test_norm_of_a_number_has_a_gradient():
    x = torch.tensor(-3.0, dtype=torch.float64, requires_grad=True)
    torch.linalg.vector_norm(x, 2.0, 0).backward()
    assert x.grad.tolist() == -1.0
