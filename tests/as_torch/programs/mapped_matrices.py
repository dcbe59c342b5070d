# ruff: noqa
"""Functions of matrices, transforms along a dimension and indices mapped over slices: what each gives, beside what a loop gives."""

import torch
import torch.nn.functional as F
from torch.func import vmap

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X, W, Y, V = torch.randn(5, 4, 4), torch.randn(4, 4), torch.randn(5, 4), torch.randn(4)
S = X @ X.mT + torch.eye(4)
i, j = torch.randint(4, (5,)), torch.randint(4, (5, 3))


def listed(x):
    return [x] if isinstance(x, torch.Tensor) else list(x)


def t(name, function, *args, in_dims=0):
    try:
        found = listed(vmap(function, in_dims=in_dims)(*args))
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        rows = [listed(function(*[a if d is None else a[n] for a, d in zip(args, dims)])) for n in range(5)]
        same = all(torch.allclose(whole, torch.stack(column)) for whole, column in zip(found, zip(*rows)))
        print(name, [(tuple(x.shape), x.dtype) for x in found], same)
    except Exception as e:
        print(name, type(e).__name__, str(e)[:90])


L = torch.linalg
for name in "inv det cholesky eigvalsh svdvals slogdet matrix_exp qr eigvals pinv".split():
    t(name, getattr(L, name), S)
t("eigh", lambda x: L.eigh(x)[0], S)
t("svd", lambda x: L.svd(x)[1], S)
t("logdet", torch.logdet, S)
t("solve", lambda b: L.solve(W, b), Y)
t("solve matrix", lambda b: L.solve(W, b), X)
t("solve each", L.solve, S, Y)
t("solve own", lambda a: L.solve(a, V), S)
t("solve own matrix", lambda a: L.solve(a, W), S)
t("cholesky_solve", lambda b: torch.cholesky_solve(b, L.cholesky(S[0])), X)
t("cholesky_solve each", lambda a, b: torch.cholesky_solve(b, L.cholesky(a)), S, X)
t("solve_triangular", lambda a: L.solve_triangular(a, W, upper=True), S)
t("cdist", lambda a: torch.cdist(a, W), X)
t("cdist row", lambda a: torch.cdist(a[None], W), Y)
for name in "fft ifft rfft irfft hfft ihfft".split():
    t(name, getattr(torch.fft, name), Y)
    t(name + " dim", lambda x: getattr(torch.fft, name)(x, dim=0), X)
    t(name + " n", lambda x: getattr(torch.fft, name)(x, 6, -1, "ortho"), Y)
t("cosine", lambda a: F.cosine_similarity(a, W), Y)
t("cosine each", lambda a, b: F.cosine_similarity(a, b, dim=0), X, S)
t("cross", lambda a: L.cross(a[:3], V[:3]), Y)
t("cross dims", lambda a: torch.cross(a[:3], W[:3], dim=0), X)
t("trace", torch.trace, X)
t("diag", torch.diag, X)
t("diag vector", lambda a: torch.diag(a, 1), Y)
t("addmm", lambda a: torch.addmm(V, a, W), X)
t("addmv", lambda a: torch.addmv(a, W, a), Y)
t("addmm scaled", lambda a: torch.addmm(V, a, W, alpha=2), X)
t("bucketize", lambda a: torch.bucketize(a, torch.linspace(-1, 1, 5)), Y)
t("searchsorted", lambda a: torch.searchsorted(a.sort()[0], a), Y)
t("outer", torch.outer, Y, Y)
t("outer one", lambda a: torch.outer(V, a), Y)
t("interpolate", lambda a: F.interpolate(a[None], scale_factor=2), X)
t("interpolate linear", lambda a: F.interpolate(a.view(1, 1, 4, 4), size=(3, 5), mode="bilinear"), X)
t("tensordot", lambda a: torch.tensordot(a, W, 1), X)
t("tensordot dims", lambda a: torch.tensordot(a, W, ([0], [1])), X)
t("one_hot", lambda a: F.one_hot(a, 5), i)
t("v[i]", lambda a, b: a[b], Y, i)
t("v[i] rows", lambda a, b: a[b], X, j)
t("W[i]", lambda a: W[a], j)
t("v[:, i]", lambda a, b: a[:, b], X, i)
for reduction in ("mean", "sum", "none"):
    t("bce " + reduction, lambda a: F.binary_cross_entropy_with_logits(a, torch.ones(4), reduction=reduction), Y)
    t("mse " + reduction, lambda a: F.mse_loss(V, a, reduction=reduction), Y)
t("shapes", lambda a: F.mse_loss(a, torch.ones(2)), Y)
t("fft dim", lambda a: torch.fft.fft(a, dim=3), Y)
t("trace of a vector", torch.trace, Y)
t("nested", lambda a: vmap(lambda b: L.solve(W, b))(a), X)
t("nested two", lambda a: vmap(lambda b: torch.cdist(b[None], a))(a), X)
t("nested index", lambda a, b: vmap(lambda c: a[c])(b), Y, j)
