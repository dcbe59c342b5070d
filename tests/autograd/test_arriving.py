"""What arrives at leaves: memory of its own for each, which is the gradient's own where nobody else holds that."""

import pytest

from tensorsh import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g, g


class Told(torch.autograd.Function):
    place = 0

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        answer = g * 2
        Told.place = answer.data_ptr()
        return answer


@pytest.mark.parametrize("together", [torch.add, torch.sub, Twice.apply, lambda x, y: torch.stack([x, y]).sum(0)])
@pytest.mark.parametrize("create", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_leaves_that_get_the_same_gradient_share_no_memory(together, create) -> None:
    x, y = (torch.ones(5, requires_grad=True) for _ in range(2))
    for times in 1, 2, 3:
        (together(x, y) * 2).sum().backward(create_graph=create)
        assert x.grad.tolist() == [2.0 * times] * 5 and y.grad.abs().tolist() == [2.0 * times] * 5
    assert x.grad.data_ptr() != y.grad.data_ptr()


def test_a_gradient_that_nobody_holds_is_not_copied() -> None:
    x = torch.rand(5, requires_grad=True)
    Told.apply(x).sum().backward()
    assert x.grad.data_ptr() == Told.place
    first = x.grad
    x.grad = None
    y = (x * 3).sum()
    held = []
    x.register_hook(held.append)
    y.backward()
    assert held[0].data_ptr() != x.grad.data_ptr() and first.tolist() == [2.0] * 5
