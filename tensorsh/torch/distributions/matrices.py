"""Distributions over matrices: covariances, and Cholesky factors of correlations."""

from __future__ import annotations

import math
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.arrays.warning import warn
from ...engine.tensors.tensor import Size, Tensor
from ..nn.reach import T
from . import constraints
from .base import NUMBERS, Distribution, ExponentialFamily, checked
from .constraints import L, lower_cholesky, positive, positive_definite
from .half_line import Chi2
from .multivariate import ONE_OF, Scaled, half_log_det, one_matrix
from .unit import Beta

__all__ = ["LKJCholesky", "Wishart"]


class Wishart(Scaled, ExponentialFamily):
    """Sum of `df` outer products of normal vectors: a distribution over covariances (..., D, D) (Wishart, 1928).
    df: degrees of freedom, above D - 1, a number or a tensor. covariance_matrix: positive definite (..., D, D); or
    precision_matrix: its inverse; or scale_tril: its lower triangular factor; one of the three.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])"""

    support = positive_definite
    has_rsample = True

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        chosen = one_matrix(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if chosen is None:
            raise AssertionError(ONE_OF)
        name, value = chosen
        if value.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = value.shape[:-2] if isinstance(df, NUMBERS) else T.broadcast_shapes(value.shape[:-2], df.shape)
        self.df = (
            T.tensor(df, dtype=value.dtype, device=value.device) if isinstance(df, NUMBERS) else df.expand(batch_shape)
        )
        n = value.shape[-1]
        if bool(self.df.le(n - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        self._take_matrix(name, value, batch_shape)
        if bool(self.df.lt(n).any()):
            warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        Distribution.__init__(self, batch_shape, value.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor()
        del self._factor
        steps = T.arange(n, dtype=value.dtype, device=value.device).expand((*batch_shape, -1))
        self._chi2 = Chi2(df=self.df.unsqueeze(-1) - steps)

    @property
    def arg_constraints(self) -> dict:
        """`df` must exceed the dimension less one."""
        given = {
            "covariance_matrix": positive_definite,
            "precision_matrix": positive_definite,
            "scale_tril": lower_cholesky,
        }
        return given | {"df": constraints.greater_than(self._event_shape[-1] - 1)}

    def _each(self, factor: Tensor) -> Tensor:
        return factor.view((*self._batch_shape, 1, 1))

    mean = property(lambda self: self._each(self.df) * self.covariance_matrix, doc="The mean.")

    @property
    def mode(self) -> Tensor:
        """The mode; NaN where there is none."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._each(factor) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._each(self.df) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape: Any = (), max_try_correction: int = 10) -> Tensor:
        """Bartlett's decomposition; singular samples are drawn again a few times."""
        sample = self._bartlett(sample_shape)
        # As PyTorch does, which takes the regular ones of the first samples for the singular ones.
        again = self._regular(sample)
        if bool(again.any()):
            warn("Singular sample detected.")
        for _ in range(max_try_correction):
            if not bool(again.any()):
                break
            new = self._bartlett(again[again].shape)
            sample[again] = new
            chosen, again = again, again.clone()
            again[chosen] = ~self._regular(new)
        return sample

    def _regular(self, sample: Tensor) -> Tensor:
        good = positive_definite.check(sample)
        dims = [-(x + 1) for x in range(len(self._batch_shape))]
        return good.amax(dims) if dims else good

    def _bartlett(self, sample_shape: Any) -> Tensor:
        n = self._event_shape[-1]
        roots = self._chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = T.tril_indices(n, n, offset=-1)
        noise[..., i, j] = T.randn(
            Size(sample_shape) + self._batch_shape + (n * (n - 1) // 2,), dtype=noise.dtype, device=noise.device
        )
        lower = self._unbroadcasted_scale_tril @ noise
        return lower @ lower.transpose(-2, -1)

    def _log_scale(self) -> Tensor:
        return self._event_shape[-1] * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        trace = T.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        normalizer = -nu * self._log_scale() - T.mvlgamma(nu / 2, p=p)
        return normalizer + (nu - p - 1) / 2 * L.slogdet(value).logabsdet - trace / 2

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        slopes = T.digamma((nu / 2).unsqueeze(-1) - T.arange(p, dtype=nu.dtype, device=nu.device).div(2)).sum(-1)
        return (p + 1) * self._log_scale() + T.mvlgamma(nu / 2, p=p) - (nu - p - 1) / 2 * slopes + nu * p / 2

    _natural_params = property(lambda self: (-self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-L.slogdet(-2 * x).logabsdet + math.log(2) * p) + T.mvlgamma(half, p=p)


class LKJCholesky(Distribution):
    """Cholesky factors (..., dim, dim) of random correlation matrices, with densities proportional to their
    determinants to the power concentration - 1 (Lewandowski, Kurowicka and Joe, 2009), drawn by the onion method.
    dim: size of the matrices, at least 2. concentration: positive, 1 (default) for a uniform distribution, a number or
    a tensor.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.LKJCholesky(3).sample().shape
    torch.Size([3, 3])"""

    arg_constraints = {"concentration": positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self._take(None, concentration=concentration)
        a = self.concentration
        offset = T.cat([a.new_zeros((1,)), T.arange(dim - 1, dtype=a.dtype, device=a.device)])
        self._beta = Beta(offset + 0.5, (a + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * offset)
        super().__init__(a.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """The onion method: one row after the other, a direction and a length."""
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = T.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)
        w = T.sqrt(y) * direction
        return w + T.diag_embed((1 - (w**2).sum(dim=-1)).clamp(min=finfo(w.dtype).tiny).sqrt())

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        powers = (
            2 * (self.concentration - 1).unsqueeze(-1)
            + self.dim
            - T.arange(2, self.dim + 1, device=self.concentration.device)
        )
        density = (powers * diagonal.log()).sum(dim=-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        return density - (0.5 * n * math.log(math.pi) + T.mvlgamma(alpha - 0.5, n) - T.lgamma(alpha) * n)
