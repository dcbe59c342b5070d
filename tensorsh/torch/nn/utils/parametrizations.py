"""``torch.nn.utils.parametrizations``: weight and spectral normalisation as parametrizations."""

from __future__ import annotations

from typing import Any

from ....engine.modes import no_grad
from ....engine.tensor import Tensor
from ..modules.conv import Transposed
from ..modules.module import Module
from ..reach import F, T
from .parametrize import register_parametrization
from .spectral_norm import matrix_of
from .weight_norm import norm_except, weighted

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weighted(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple:
        return norm_except(weight, self.dim), weight


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
            u, v = (T.empty(size, dtype=weight.dtype).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.copy_(F.normalize(T.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(T.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = matrix_of(weight, self.dim)
        if self.training:
            self._iterate(matrix.detach(), self.n_power_iterations)
        return weight / T.dot(self._u.clone(), T.mv(matrix, self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Make a parameter the product of a length and a direction."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a parameter by its largest singular value."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = (1 if isinstance(module, Transposed) else 0) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


for _f in (weight_norm, spectral_norm):
    _f.__module__ = "torch.nn.utils.parametrizations"
