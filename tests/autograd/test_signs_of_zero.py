"""Signs of zeros in gradients and products, as PyTorch 2.13 prints them: a masked sum starts from +0, a product keeps its sign."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensorsh import torch

F = torch.nn.functional


def gradient(f: Callable, values: list, weight: float = -1.0) -> str:
    """The text of the gradient of one argument, where that of the result is `weight` everywhere."""
    x = torch.tensor(values, requires_grad=True)
    y = f(x)
    y.backward(torch.full_like(y, weight))
    return repr(x.grad)


CASES = [
    (lambda x: F.max_pool2d(x[None], 2), [[1.0, 2.0], [3.0, 4.0]], -1.0, "tensor([[ 0.,  0.],\n        [ 0., -1.]])"),
    (lambda x: F.max_pool2d(x[None], 2), [[1.0, 2.0], [3.0, 4.0]], -0.0, "tensor([[0., 0.],\n        [0., 0.]])"),
    (lambda x: F.max_pool1d(x[None], 2, 1), [1.0, 2.0, 0.0], -1.0, "tensor([ 0., -2.,  0.])"),
    (lambda x: torch.logit(x, 0.2), [0.1, 0.5, 0.9], -1.0, "tensor([ 0., -4.,  0.])"),
    (lambda x: torch.logit(x), [0.5], -0.0, "tensor([-0.])"),
    (lambda x: torch.cumprod(x, 0), [2.0, 0.0, 3.0], -1.0, "tensor([-1., -8.,  0.])"),
    (
        lambda x: torch.as_strided_scatter(x, torch.ones(1), (1,), (1,), 1),
        [1.0, 2.0, 3.0],
        -1.0,
        "tensor([ 0., -1.,  0.])",
    ),
    (lambda x: torch.cdist(x, torch.zeros(1, 2), p=0.0), [[1.0, 2.0]], -1.0, "tensor([[0., 0.]])"),
    (lambda x: F.pdist(x, 0.0), [[1.0], [2.0]], -1.0, "tensor([[0.],\n        [0.]])"),
    (lambda x: F.multi_margin_loss(x, torch.tensor(0)), [5.0, 1.0], -1.0, "tensor([-0., -0.])"),
    (lambda x: F.mse_loss(torch.zeros(2), x, reduction="none"), [0.0, 1.0], 1.0, "tensor([0., 2.])"),
    (lambda x: F.smooth_l1_loss(torch.zeros(2), x, reduction="none"), [0.0, 3.0], 1.0, "tensor([0., 1.])"),
    (lambda x: F.huber_loss(torch.zeros(2), x, reduction="none"), [0.0, 3.0], 1.0, "tensor([0., 1.])"),
    (lambda x: torch.copysign(x, torch.tensor(1.0)), [0.0, 2.0], -1.0, "tensor([-0., -1.])"),
    (lambda x: torch.pow(0, x), [0.0, 2.0], -1.0, "tensor([-0., -0.])"),
    (lambda x: torch.pow(torch.tensor(0.0), x), [0.0, 2.0], -1.0, "tensor([-0., -0.])"),
    (lambda x: torch.nan_to_num(x), [float("inf"), 2.0], -1.0, "tensor([-0., -1.])"),
    (lambda x: torch.sinc(x), [0.0, -0.0], -1.0, "tensor([0., 0.])"),
    (lambda x: torch.prod(x), [0.0, 0.0, -2.0], 1.0, "tensor([0., 0., 0.])"),
    (lambda x: torch.xlogy(x, torch.tensor([-1.0, 0.0])), [1.0, 2.0], 0.0, "tensor([0., 0.])"),
    (lambda x: torch.cdist(torch.zeros(1, 2), x), [[0.0, 2.0]], 1.0, "tensor([[0., 1.]])"),
    (lambda x: F.pad(x[None], (1, 1), mode="reflect"), [1.0, 2.0, 3.0], -0.0, "tensor([0., 0., 0.])"),
]
RESULTS = [
    (lambda: torch.clamp(torch.tensor([-0.0, 0.0]), min=0), "tensor([-0., 0.])"),
    (lambda: torch.clamp(torch.tensor([-0.0, 0.0]), max=0), "tensor([-0., 0.])"),
    (lambda: torch.linalg.qr(torch.eye(2)).Q, "tensor([[1., 0.],\n        [-0., 1.]])"),
    (lambda: torch.logcumsumexp(torch.tensor([-0.0]), 0), "tensor([0.])"),
    (lambda: F.layer_norm(torch.tensor([[-0.0, -0.0]]), (2,)), "tensor([[0., 0.]])"),
    (
        lambda: F.pairwise_distance(torch.tensor([[3.0, 2.0]]), torch.zeros(1, 2), p=-float("inf"), eps=0.0),
        "tensor([2.])",
    ),
]


@pytest.mark.parametrize("f, values, weight, text", CASES)
def test_gradients(f: Callable, values: list, weight: float, text: str) -> None:
    assert gradient(f, values, weight) == text


@pytest.mark.parametrize("f, text", RESULTS)
def test_results(f: Callable, text: str) -> None:
    assert repr(f()) == text


def test_a_norm_of_one_element_is_its_size() -> None:
    x = torch.tensor([[1e-30], [-2.5]])
    for p in (0.5, 1.7, 2.0, 3.0, -2.0):
        assert torch.equal(torch.linalg.vector_norm(x, p, 1), x[:, 0].abs())
    assert torch.linalg.vector_norm(torch.tensor([1e-30])).item() == pytest.approx(1e-30)
