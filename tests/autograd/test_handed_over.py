"""What ``autograd.grad`` returns: the very gradient that was given where it came through unchanged, a view of it where it was
only turned, as in PyTorch; memory of its own where something was computed or is kept."""

import pytest

from tensorsh import torch


def test_a_gradient_that_comes_through_is_the_given_one():
    x, y = (torch.rand(3, 4).requires_grad_() for _ in range(2))
    g = torch.ones(3, 4)
    a, b = torch.autograd.grad(x + y, [x, y], g)
    assert a is g and b is g


def test_a_view_shares_memory_and_version():
    x, g = torch.rand(3, 4).requires_grad_(), torch.ones(4, 3)
    (a,) = torch.autograd.grad(x.t(), x, g)
    assert a.stride() == (1, 3) and a.data_ptr() == g.data_ptr()
    a.mul_(2)
    assert g.tolist() == [[2.0] * 3] * 4 and g._version == a._version == 1


def test_other_gradients_have_memory_of_their_own():
    x, c = torch.rand(3, 4).requires_grad_(), torch.rand(3, 4)
    out = (x * c).sum()
    (a,) = torch.autograd.grad(out, x, retain_graph=True)
    a.mul_(5)
    (b,) = torch.autograd.grad(out, x)
    assert b.tolist() == c.tolist() and not a.requires_grad
    (a,) = torch.autograd.grad(x.sum(), x)
    a[0, 0] = 3
    assert a.sum() == 14
    held = []
    y = x * c
    y.register_hook(held.append)
    (a,) = torch.autograd.grad(y.exp().sum(), y)
    kept = held[0].tolist()
    a.zero_()
    assert a.abs().sum() == 0 and held[0].shape == a.shape and kept != a.tolist()


def test_a_view_of_all_of_what_was_made_is_handed_over_alone() -> None:
    x = torch.rand(12).requires_grad_()
    (a,) = torch.autograd.grad(x.as_strided((2, 2), (2, 1)).sum(), x)
    a.add_(1)
    assert a.tolist() == [2.0] * 4 + [1.0] * 8 and a.untyped_storage().nbytes() == 48
    image = torch.rand(1, 1, 6, 6, requires_grad=True)
    pooled = torch.nn.functional.max_pool2d(image.sin(), 2)
    a, b = torch.autograd.grad((pooled + 1).sum(), [image, pooled])
    a.zero_()
    assert b.sum() == 9


def test_what_a_large_sum_gives_back_is_repeated_as_in_pytorch() -> None:
    x = torch.rand(100, 100, requires_grad=True)
    given = torch.ones(100)
    for made, strides in [
        (x.sum(0), (0, 1)),
        (x.sum(1), (1, 0)),
        (x.mean(0), (100, 1)),
        (x.reshape(20, 5, 100).sum(1), (100, 1)),
    ]:
        g = torch.autograd.grad(made, x, torch.ones_like(made))[0]
        assert g.stride() == strides and round(g.sum().item()) in (100, 10_000)
    whole = torch.autograd.grad(x.sum(), x)[0]
    assert whole.stride() == (0, 0) and whole.untyped_storage().nbytes() == 4
    with pytest.raises(
        RuntimeError, match="more than one element of the written-to tensor refers to a single memory location"
    ):
        whole.add_(1)
    g = torch.autograd.grad(x.sum(0), x, given)[0]
    given.zero_()
    assert g.sum() == 10_000  # it is not the given one's memory
    x.sum().backward()
    assert x.grad.stride() == (100, 1)
