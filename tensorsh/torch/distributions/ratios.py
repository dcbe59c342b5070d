"""Distributions of ratios: a normal or chi-squared variate over another one, by degrees of freedom."""

from __future__ import annotations

import math
from math import inf, nan, pi
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.tensors.tensor import Tensor
from ..nn.reach import T
from .base import Distribution, broadcast_all, checked, standard_normal
from .constraints import positive, real
from .half_line import Chi2, Gamma

__all__ = ["FisherSnedecor", "StudentT"]


class StudentT(Distribution):
    """Student's t distribution (Gosset, 1908): a normal variate over the root of a chi-squared one divided by df.
    df: degrees of freedom, positive. loc: the centre (0.0). scale: the unit (1.0), positive; numbers or tensors. The
    mean is nan for df up to 1.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.StudentT(torch.tensor(4.0)).variance
    tensor(2.)"""

    arg_constraints = {"df": positive, "loc": real, "scale": positive}
    support = real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        df, loc, scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(df)
        self._take(validate_args, df=df, loc=loc, scale=scale)

    mode = property(lambda self: self.loc, doc="The mode.")

    @property
    def mean(self) -> Tensor:
        """`loc`, NaN up to one degree of freedom."""
        m = self.loc.clone()
        m[self.df <= 1] = nan
        return m

    @property
    def variance(self) -> Tensor:
        """The variance: infinite up to two degrees of freedom, NaN up to one."""
        m = self.df.clone()
        wide = self.df > 2
        m[wide] = self.scale[wide].pow(2) * self.df[wide] / (self.df[wide] - 2)
        m[(self.df <= 2) & (self.df > 1)] = inf
        m[self.df <= 1] = nan
        return m

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        y = x * T.rsqrt(self._chi2.rsample(sample_shape) / self.df)
        return self.loc + self.scale * y

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        y, df = (value - self.loc) / self.scale, self.df
        z = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(pi) + T.lgamma(0.5 * df) - T.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * T.log1p(y**2.0 / df) - z

    def entropy(self) -> Tensor:
        df = self.df
        lbeta = T.lgamma(0.5 * df) + math.lgamma(0.5) - T.lgamma(0.5 * (df + 1))
        slope = T.digamma(0.5 * (df + 1)) - T.digamma(0.5 * df)
        return self.scale.log() + 0.5 * (df + 1) * slope + 0.5 * df.log() + lbeta


class FisherSnedecor(Distribution):
    """Quotient of two chi-squared variates, each divided by its degrees of freedom (Snedecor, 1934), for x > 0.
    df1, df2: degrees of freedom above and below, positive; numbers or tensors, broadcast to each other.
    validate_args: check arguments and values (None: yes, unless set otherwise); ValueError for those out of bounds.
    >>> distributions.FisherSnedecor(torch.tensor(2.0), torch.tensor(4.0)).mean
    tensor(2.)"""

    arg_constraints = {"df1": positive, "df2": positive}
    support = positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        first, second = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = (Gamma(df * 0.5, df) for df in (first, second))
        self._take(validate_args, df1=df1, df2=df2)

    def _above(self, limit: float) -> Tensor:
        df2 = self.df2.clone()
        df2[df2 <= limit] = nan
        return df2

    @property
    def mean(self) -> Tensor:
        """The mean; NaN where there is none."""
        df2 = self._above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        """The mode; NaN where there is none."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = nan
        return mode

    @property
    def variance(self) -> Tensor:
        """The variance; NaN where there is none."""
        df1, df2 = self.df1, self._above(4)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        over, under = (g.rsample(sample_shape).view(shape) for g in (self._gamma1, self._gamma2))
        tiny = finfo(under.dtype).tiny
        return (over / under.clamp_(min=tiny)).clamp_(min=tiny)

    @checked
    def log_prob(self, value: Tensor) -> Tensor:
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return constant + (a * ratio.log() + (a - 1) * T.log(value)) - (a + b) * T.log1p(ratio * value)
