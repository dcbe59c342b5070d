"""What ``autograd.grad`` returns: the very gradient that was given where it came through unchanged, a view of it where it was
only turned, as in PyTorch; memory of its own where something was computed or is kept."""

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
