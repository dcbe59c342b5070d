"""Distributions, constraints, transforms and divergences give what PyTorch gave, samples after a seed included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.arrays.state import state

from .recording.values import outcome, same
from .support.cases import all_pass
from .support.tables import rows


def test_distributions() -> None:
    all_pass(check_program, rows("distributions"))


def check_program(program: str, expected: Any) -> None:
    found = outcome(torch, program)
    assert same(found, expected), f"{found}\n{expected}"


def test_gamma_slope_is_that_of_the_quantile() -> None:
    """A variate moves with its parameter as the quantile it is."""
    from scipy.special import gammainc, gammaincinv

    alpha = np.array([0.05, 0.3, 1.0, 2.5, 7.0, 9.0, 30.0, 200.0])
    x = np.concatenate([alpha * f for f in (0.3, 0.7, 1.0, 1.3)])
    alpha = np.tile(alpha, 4)
    quantile, step = gammainc(alpha, x), 1e-5 * alpha
    slope = (gammaincinv(alpha + step, quantile) - gammaincinv(alpha - step, quantile)) / (2 * step)
    found = torch._standard_gamma_grad(torch.from_numpy(alpha), torch.from_numpy(x)).numpy()
    sound = (quantile > 1e-6) & (quantile < 1 - 1e-6)
    assert sound.sum() > 20
    np.testing.assert_allclose(found[sound], slope[sound], rtol=2e-3)


def test_beta_slope_is_that_of_the_quantile() -> None:
    from scipy.special import betainc, betaincinv

    alpha, beta = (a.ravel() for a in np.meshgrid([0.3, 1.5, 5.0, 12.0, 60.0], [0.4, 2.0, 7.5, 40.0]))
    x = alpha / (alpha + beta) * 0.9
    quantile, step = betainc(alpha, beta, x), 1e-5 * alpha
    slope = (betaincinv(alpha + step, beta, quantile) - betaincinv(alpha - step, beta, quantile)) / (2 * step)
    x_, alpha_, total = (torch.from_numpy(a) for a in (x, alpha, alpha + beta))
    found = (torch._dirichlet_grad(x_, alpha_, total) * (1 - x_)).numpy()
    np.testing.assert_allclose(found, slope, rtol=2e-3)


def test_divergences_are_expectations() -> None:
    """kl_divergence(p, q) is the mean of log p - log q over samples of p."""
    D = torch.distributions
    torch.manual_seed(1)
    pairs = [
        (D.Normal(0.3, 1.2), D.Laplace(0.1, 0.9)),
        (D.Gamma(2.0, 1.5), D.Normal(1.0, 2.0)),
        (D.Beta(2.0, 3.0), D.Uniform(0.0, 1.0)),
        (D.Exponential(1.3), D.Gumbel(0.2, 1.1)),
    ]
    for p, q in pairs:
        x = p.sample((20000,))
        difference = p.log_prob(x) - (q.log_prob(x) if not isinstance(q, D.Uniform) else 0.0)
        assert abs(float(difference.mean()) - float(D.kl_divergence(p, q))) < 4 * float(difference.std()) / 20000**0.5


def test_what_a_session_sets_stays_in_it() -> None:
    D = torch.distributions
    outside = state.settings()
    state.use(state.fresh())
    try:
        D.Distribution.set_default_validate_args(False)
        D.Normal(0.0, -1.0)
        D.register_kl(D.Normal, D.VonMises)(lambda p, q: p.loc - q.loc)
        D.biject_to.register(D.constraints.symmetric, lambda c: D.ExpTransform())
        assert float(D.kl_divergence(D.Normal(3.0, 1.0), D.VonMises(1.0, 1.0))) == 2.0
        assert isinstance(D.biject_to(D.constraints.symmetric), D.ExpTransform)
    finally:
        state.use(outside)
    with pytest.raises(ValueError, match="satisfy the constraint"):
        D.Normal(0.0, -1.0)
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Normal(3.0, 1.0), D.VonMises(1.0, 1.0))
    with pytest.raises(NotImplementedError):
        D.biject_to(D.constraints.symmetric)


def test_shared_objects_are_read_only() -> None:
    D = torch.distributions
    for shared in (D.constraints.positive, D.Normal.support, D.biject_to, D.transforms.identity_transform):
        with pytest.raises(AttributeError, match="read-only"):
            shared.lower_bound = 3.0
    D.Normal.arg_constraints["loc"] = None
    assert D.Normal.arg_constraints["loc"] is D.constraints.real
