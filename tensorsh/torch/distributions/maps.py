"""The transforms proper: of single numbers, of vectors to probabilities, of matrices."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tensors.tensor import Tensor
from ..nn.reach import F, T
from . import constraints
from .base import NUMBERS, broadcast_all, lazy_property, sum_rightmost
from .transform import FEW, Transform

real, positive = constraints.real, constraints.positive


def elementwise(
    name: str, doc: str, call: Any, inverse: Any, slope: Any = None, codomain: Any = positive, domain: Any = real
) -> Any:
    """A transform without settings, of each element or of whole events; `doc` ends with what it gives of 0.5."""
    says, _, gives = doc.rpartition(" > ")
    example = f">>> distributions.{name}()(torch.full((1, 1), 0.5))\n    tensor([[{gives}]])"
    body = {
        "__doc__": f"{says}\n    cache_size: 1 keeps the last pair of x and y (0).\n    {example}", "domain": domain, "codomain": codomain, "_call": lambda self, x: call(x),
        "_inverse": lambda self, y: inverse(y), "__module__": "torch.distributions.transforms",
    }  # fmt: skip
    if slope is not None:
        body |= {"bijective": True, "sign": 1, "log_abs_det_jacobian": lambda self, x, y: slope(x, y)}
    return type(Transform)(name, (Transform,), body)


def clipped_sigmoid(x: Tensor) -> Tensor:
    limits = finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1.0 - limits.eps)


def clipped_logit(y: Tensor) -> Tensor:
    limits = finfo(y.dtype)
    y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
    return y.log() - (-y).log1p()


def softmax_of(x: Tensor) -> Tensor:
    probs = (x - x.max(-1, True)[0]).exp()
    return probs / probs.sum(-1, True)


def cholesky_of(x: Tensor) -> Tensor:
    return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()


def uncholesky(y: Tensor) -> Tensor:
    return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


def squared(x: Tensor) -> Tensor:
    lower = cholesky_of(x)
    return lower @ lower.mT


ExpTransform = elementwise(
    "ExpTransform", "y = exp(x), elementwise. > 1.6487", lambda x: x.exp(), lambda y: y.log(), lambda x, y: x
)
SigmoidTransform = elementwise(
    "SigmoidTransform", "y = 1 / (1 + exp(-x)), elementwise. > 0.6225", clipped_sigmoid, clipped_logit,
    lambda x, y: -F.softplus(-x) - F.softplus(x), constraints.unit_interval,
)  # fmt: skip
SoftplusTransform = elementwise(
    "SoftplusTransform", "y = log(1 + exp(x)), elementwise. > 0.9741", lambda x: F.softplus(x), lambda y: (-y).expm1().neg().log() + y,
    lambda x, y: -F.softplus(-x),
)  # fmt: skip
TanhTransform = elementwise(
    "TanhTransform", "y = tanh(x), elementwise. > 0.4621", lambda x: x.tanh(), lambda y: T.atanh(y),
    lambda x, y: 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x)), constraints.fix(constraints.interval(-1.0, 1.0)),
)  # fmt: skip
AbsTransform = elementwise(
    "AbsTransform", "y = abs(x), elementwise; its inverse is y itself. > 0.5000", lambda x: x.abs(), lambda y: y
)
MATRICES = constraints.fix(constraints.independent(real, 2))
LowerCholeskyTransform = elementwise(
    "LowerCholeskyTransform", "A matrix as a lower triangular one, the exponential of its diagonal there. > 1.6487", cholesky_of, uncholesky, None,
    constraints.lower_cholesky, MATRICES,
)  # fmt: skip
PositiveDefiniteTransform = elementwise(
    "PositiveDefiniteTransform", "A matrix as a positive definite one, L @ L.mT of LowerCholeskyTransform's L. > 2.7183", squared,
    lambda y: uncholesky(constraints.L.cholesky(y)), None, constraints.positive_definite, MATRICES,
)  # fmt: skip


class PowerTransform(Transform):
    """y = x ** exponent, for positive numbers.
    exponent: the exponent, a number or a tensor, not 0. cache_size: 1 keeps the last pair of x and y (0).
    >>> distributions.PowerTransform(2.0)(torch.tensor(3.0))
    tensor(9.)"""

    domain = codomain = positive
    bijective = True
    settings = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Any:  # type: ignore[override]
        return self.exponent.sign()

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return T.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale * x.
    loc, scale: numbers or tensors. event_dim: dimensions of an event, whose slopes are summed, 0 (default), 1 or 2.
    cache_size: 1 keeps the last pair of x and y (0).
    >>> distributions.AffineTransform(1.0, 2.0)(torch.tensor(3.0))
    tensor(7.)"""

    bijective = True
    settings = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)

    def _set(self) -> Any:
        return constraints.independent(real, self.event_dim) if self.event_dim else real

    domain = constraints.dependent_property(_set, is_discrete=False)
    codomain = constraints.dependent_property(_set, is_discrete=False)

    @property
    def sign(self) -> Any:
        scale = self.scale
        return (scale > 0) - (scale < 0) if isinstance(scale, NUMBERS) else scale.sign()

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        scale, shape = self.scale, x.shape
        result = T.full_like(x, math.log(abs(scale))) if isinstance(scale, NUMBERS) else scale.abs().log()
        if self.event_dim:
            result = sum_rightmost(result, self.event_dim)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return T.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def below(matrix: Tensor, diag: int = 0) -> Tensor:
    """The elements of matrices on and below a diagonal, row by row."""
    n = matrix.shape[-1]
    at = T.arange(n)
    return matrix[..., at < at.view(-1, 1) + (diag + 1)]


class CorrCholeskyTransform(Transform):
    """Vectors of n * (n - 1) / 2 numbers as Cholesky factors (n, n) of correlation matrices: rows of length 1, with
    positive diagonal.
    cache_size: 1 keeps the last pair of x and y (0). ValueError for another number of numbers.
    >>> distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])"""

    domain, codomain = constraints.real_vector, constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        x = x.tanh()
        eps = finfo(x.dtype).eps
        x = x.clamp(min=-1 + eps, max=1 - eps)
        n = self.forward_shape(x.shape)[-1]
        r = x.new_zeros((*x.shape[:-1], n, n))
        at = T.arange(n)
        r[..., at < at.view(-1, 1)] = x
        left = (1 - r**2).sqrt().cumprod(-1)
        return (r + T.eye(n, dtype=r.dtype, device=r.device)) * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = F.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        t = below(y, -1) / below(left, -1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        sticks = 0.5 * below(1 - (y * y).cumsum(dim=-1), -2).log().sum(-1)
        return sticks + -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError(FEW)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError(
                f"The size of last dimension is {shape[-1]} which cannot be expressed as the lower triangular part of a square D x D "
                "matrix."
            )
        return shape[:-1] + (n, n)  # noqa: RUF005 - a Size stays one

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise ValueError(FEW)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)  # noqa: RUF005


class SoftmaxTransform(Transform):
    """Vectors as probabilities, y = softmax(x) over the last dimension; its inverse, the logarithm, is one of many.
    cache_size: 1 keeps the last pair of x and y (0).
    >>> distributions.SoftmaxTransform()(torch.zeros(2))
    tensor([0.5000, 0.5000])"""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return softmax_of(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        if len(shape) < 1:
            raise ValueError(FEW)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """Vectors of n numbers as n + 1 probabilities: each takes a share of what is left of a stick.
    cache_size: 1 keeps the last pair of x and y (0).
    >>> distributions.StickBreakingTransform()(torch.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])"""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True

    @staticmethod
    def _offset(x: Tensor, n: int) -> Tensor:
        return n + 1 - x.new_ones(n).cumsum(-1)

    def _call(self, x: Tensor) -> Tensor:
        z = clipped_sigmoid(x - self._offset(x, x.shape[-1]).log())
        return F.pad(z, [0, 1], value=1) * F.pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        crop = y[..., :-1]
        left = (1 - crop.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return crop.log() - left.log() + self._offset(y, crop.shape[-1]).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - self._offset(x, x.shape[-1]).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def _longer(self, shape: Any, by: int) -> Any:
        if len(shape) < 1:
            raise ValueError(FEW)
        return shape[:-1] + (shape[-1] + by,)  # noqa: RUF005

    def forward_shape(self, shape: Any) -> Any:
        return self._longer(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        return self._longer(shape, -1)
