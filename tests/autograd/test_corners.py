"""Corners of gradients: what PyTorch gives, and what it refuses."""

from __future__ import annotations

import pytest

from tensorsh import Session, torch

from ..recording.views import outcome
from ..support.tables import rows


@pytest.mark.parametrize(("program", "expected"), rows("autograd_corners"))
def test_autograd_corners(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected


@pytest.mark.parametrize(
    "function, name",
    [
        ("relu", "ThresholdBackwardBackward0"),
        ("F.leaky_relu", "LeakyReluBackwardBackward0"),
        ("F.hardtanh", "HardtanhBackwardBackward0"),
        ("F.relu6", "HardtanhBackwardBackward0"),
        ("F.hardshrink", "HardshrinkBackwardBackward0"),
        ("F.softshrink", "SoftshrinkBackwardBackward0"),
        ("lambda v: F.threshold(v, 0.1, 0.2)", "ThresholdBackwardBackward0"),
        ("lambda v: F.prelu(v, tensor([0.3]))", None),
    ],
)
def test_functions_of_straight_pieces_have_a_second_derivative_of_zero(function: str, name: str | None) -> None:
    session = Session()
    session.run(
        f"F = nn.functional\nx = tensor([-1.5, -0.2, 0.3, 2.0], requires_grad=True)\nf = {function}\n"
        "(g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)\n(h,) = torch.autograd.grad(g.sum(), x)"
    )
    assert session.run("h.tolist()") == [0.0] * 4
    assert name is None or session.run("g.grad_fn.name()") == name


def test_a_penalty_of_gradients_gives_zeros_where_pytorch_does() -> None:
    """An optimizer with momentum moves a parameter whose gradient is zero, and leaves one that has none."""
    session = Session()
    session.run(
        "net = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(), nn.Linear(3, 1))\nx = ones(4, 2, requires_grad=True)\n"
        "(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)\n(g ** 2).sum().backward()"
    )
    assert session.run("net[0].bias.grad.tolist(), net[2].bias.grad") == ([0.0, 0.0, 0.0], None)
