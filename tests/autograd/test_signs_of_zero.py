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
]


@pytest.mark.parametrize("f, values, weight, text", CASES)
def test_gradients(f: Callable, values: list, weight: float, text: str) -> None:
    assert gradient(f, values, weight) == text


def test_a_norm_of_one_element_is_its_size() -> None:
    x = torch.tensor([[1e-30], [-2.5]])
    for p in (0.5, 1.7, 2.0, 3.0, -2.0):
        assert torch.equal(torch.linalg.vector_norm(x, p, 1), x[:, 0].abs())
    assert torch.linalg.vector_norm(torch.tensor([1e-30])).item() == pytest.approx(1e-30)
