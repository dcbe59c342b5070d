"""``torch.nn.utils.parametrizations``: orthogonal matrices, weight and spectral normalisation as parametrizations."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.dtype import finfo
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.named import read_named
from ..modules.conv import Transposed
from ..modules.module import Module
from ..reach import F, L, T
from .parametrize import register_parametrization
from .spectral_normalization import matrix_of

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _Orthogonal(Module):
    """A matrix with orthonormal columns (or rows, where it is wide), as a function of the entries below the diagonal.

    With a base, the function is applied to a small change and the base is turned by the result.
    """

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:  # noqa: N803
        wide = X.shape[-2] < X.shape[-1]
        x = X.mT if wide else X
        n, k = x.shape[-2:]
        if self.orthogonal_map == "householder":
            below = x.tril(diagonal=-1)
            q = L.householder_product(below, 2.0 / (1.0 + (below * below).sum(dim=-2)))
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            x = x.tril()
            if n != k:
                x = T.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
            skew = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                q = T.matrix_exp(skew)
            else:
                one = T.eye(n, dtype=skew.dtype, device=skew.device)
                q = L.solve(T.add(one, skew, alpha=-0.5), T.add(one, skew, alpha=0.5))
            if n != k:
                q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    @no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:  # noqa: N803
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        q = Q.mT if wide else Q
        n, k = q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            made, tau = T.geqrf(q)
            made.diagonal(dim1=-2, dim2=-1).sign_()
            made.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return made.mT if wide else made
        if n != k:
            q = _nearest_orthogonal(T.cat([q, T.randn(*q.shape[:-2], n, n - k, dtype=q.dtype)], dim=-1))
        else:
            q = q.clone() if _is_orthogonal(q) else _nearest_orthogonal(q)
        self.base = q
        start = T.zeros_like(Q)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def _is_orthogonal(q: Tensor) -> bool:
    one = T.eye(q.shape[-1], dtype=q.dtype, device=q.device)
    return T.allclose(q.mH @ q, one, atol=10.0 * q.shape[-2] * finfo(q.dtype).eps)


def _nearest_orthogonal(matrix: Tensor) -> Tensor:
    """The orthogonal factor of a matrix, with signs that make it unique."""
    reflections, tau = T.geqrf(matrix)
    q = L.householder_product(reflections, tau)
    q *= reflections.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return q


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """A matrix stays orthogonal (or its rows or columns orthonormal) while it is trained.

    module: the module, which is returned. name: the parameter's, of two dimensions or more. orthogonal_map: ``"matrix_exp"``,
    ``"cayley"`` or ``"householder"``; None for what suits the shape. use_trivialization: the matrix that was there is the point to
    start from. ValueError: fewer dimensions, another map.

    >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5)
    True
    """
    weight = read_named(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if not isinstance(orthogonal_map, str):
        raise TypeError(f"attribute name must be string, not '{type(orthogonal_map).__name__}'")
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return T._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple:
        return T.norm_except_dim(weight, 2, self.dim), weight


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        n = weight.ndim
        if not -n <= dim < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % n
        self.eps = eps
        if n > 1:
            self.n_power_iterations = n_power_iterations
            matrix = matrix_of(weight.detach(), self.dim)
            u, v = (matrix.new_empty(size).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                F.normalize(T.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
                F.normalize(T.mv(matrix.mH, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = matrix_of(weight, self.dim)
        if self.training:
            self._iterate(matrix.detach(), self.n_power_iterations)
        return weight / T.vdot(self._u.clone(), T.mv(matrix, self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """A parameter becomes the product of a length and a direction, which are trained in its place.

    module: the module, which is returned. name: the parameter's. dim: the dimension that keeps lengths of its own; None for one
    length of all. The two are ``parametrizations.weight.original0`` (lengths) and ``original1``.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape, layer.weight.shape
    (torch.Size([2, 1]), torch.Size([2, 3]))
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def of_old(state_dict: Any, prefix: str, *rest: Any) -> None:
        """Entries as the weight norm of old named them."""
        length, direction = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if length in state_dict and direction in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(length)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(direction)

    module._register_load_state_dict_pre_hook(of_old)
    return module


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """A parameter is divided by its largest singular value, which is followed by power iterations.

    module: the module, which is returned. name: the parameter's. n_power_iterations: steps at each access while training. eps: keeps
    norms from 0. dim: the dimension of the outputs, 0 but for transposed convolutions. ValueError: no positive number of steps.

    >>> _ = torch.manual_seed(0)
    >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3), n_power_iterations=50)
    >>> torch.linalg.matrix_norm(layer.weight, 2).item() < 1.01
    True
    """
    weight = read_named(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = (1 if isinstance(module, Transposed) else 0) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


for _f in (orthogonal, weight_norm, spectral_norm):
    _f.__module__ = "torch.nn.utils.parametrizations"
