"""What arrives at leaves: memory of its own for each, which is the gradient's own where nobody else holds that."""

import pytest

from tensorsh import torch

from ..support.near import near


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


A, B, C = (3, 3), (3, 3), (3,)
SOME = {
    "a * b": ([A, None], [None, B]),
    "torch.addmm(c, a, b)": ([None, A, None], [None, None, B]),
    "torch.nn.functional.linear(a, b, c)": ([None, A, None], [None, None, B]),
    "torch.nn.functional.layer_norm(a, (3,), c, b[0])": ([A, None, None], [None, None, C]),
    "torch.nn.functional.conv1d(a[None], b[:, :, None], c)": ([(1, 3, 3), None, None], [None, (3, 3, 1), None]),
    "torch.linalg.solve(a, b)": ([A, None], [None, B]),
    "torch.lerp(a, b, c)": ([A, None, None], [None, B, None]),
    "torch.cat([a, b])": ([A, B], [A, B]),
    "Product.apply(a, b)": ([A, B], [A, B]),
}
"""The shapes of the gradients that a hook of a node sees where that of `a` alone is asked for, and that of `b`, as PyTorch's."""


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        assert ctx.needs_input_grad == (True, True)
        return g * y, g * x


@pytest.mark.parametrize("again", (False, True))
def test_only_what_leads_to_what_is_asked_for_is_computed(again: bool) -> None:
    wrong = []
    for call, expected in SOME.items():
        for which, shapes in enumerate(expected):
            torch.manual_seed(0)
            a, b, c = (torch.randn(n, requires_grad=True) for n in (A, B, C))
            y, seen = eval(call, {"torch": torch, "Product": Product, "a": a, "b": b, "c": c}), []
            y.grad_fn.register_hook(
                lambda given, _, seen=seen: seen.append([None if g is None else tuple(g.shape) for g in given])
            )
            (found,) = torch.autograd.grad((y**2).sum(), (a, b)[which], create_graph=again)
            if again:
                (y**2).sum().backward()
            if seen[0] != shapes or again and not torch.allclose(found, (a, b)[which].grad):
                wrong.append((call, which, seen))
    assert not wrong


def test_gradients_of_gradients_find_their_way_past_what_was_left_out() -> None:
    x, w = torch.tensor([0.5, -1.0], requires_grad=True), torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    y = torch.tanh(w @ x).sum()
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    slope.pow(2).sum().backward()
    assert near(
        w.grad.flatten().tolist() + x.grad.tolist(),
        [0.39841643, -0.48753983, -0.00958211, 0.06467886, 0.46793383, 1.26396871],
    )


def test_what_was_saved_for_another_input_is_looked_at_all_the_same() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    w = a.clone()
    y = (w * b).sum()
    w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(y, a)
