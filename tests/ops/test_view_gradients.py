"""First and second derivatives of views, joins, indexing and scatters against finite differences."""

from __future__ import annotations

import warnings

import pytest

from tensorsh import torch
from tensorsh.torch.autograd.checking import gradcheck, gradgradcheck

INDEX = torch.tensor([2, 0, 2])
ONCE = torch.tensor([2, 0])
WIDE = torch.tensor([[0, 2, 1, 1], [1, 1, 0, 2]])
MASK = torch.tensor([[True, False, True, False], [False, True, True, False], [True, True, False, False]])

ONE = {
    "view": lambda x: x.view(2, 6),
    "reshape of a transposed": lambda x: x.t().reshape(3, 4),
    "unsqueeze, squeeze": lambda x: x.unsqueeze(1).squeeze(1),
    "expand": lambda x: x.expand(2, 3, 4),
    "permute": lambda x: x.permute(1, 0),
    "movedim": lambda x: x.movedim(0, 1),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "select": lambda x: x.select(1, 2),
    "slice": lambda x: x[1:, ::2],
    "diagonal": lambda x: x.diagonal(1),
    "unbind": lambda x: x.unbind(1)[0] * x.unbind(1)[2],
    "split": lambda x: x.split(3, 1)[1],
    "split with sizes": lambda x: x.split([1, 3], 1)[1],
    "unfold": lambda x: x.unfold(1, 3, 1),
    "unfold with gaps": lambda x: x.unfold(1, 1, 2),
    "as_strided": lambda x: x.as_strided((3, 3), (2, 1), 1),
    "cat": lambda x: torch.cat([x, x * x], 1),
    "stack": lambda x: torch.stack([x, x * 2], 1),
    "block_diag": lambda x: torch.block_diag(x, x),
    "repeat": lambda x: x.repeat(2, 2),
    "repeat_interleave": lambda x: x.repeat_interleave(torch.tensor([1, 0, 2]), 0),
    "flip": lambda x: x.flip(0, 1),
    "roll": lambda x: x.roll((1, 2), (0, 1)),
    "rot90": lambda x: x.rot90(),
    "tril": lambda x: x.tril(1),
    "diag": lambda x: x[0].diag(1),
    "diag of a matrix": lambda x: x.diag(),
    "trace": lambda x: x.trace(),
    "index": lambda x: x[INDEX],
    "index twice": lambda x: x[INDEX, INDEX],
    "index with a slice": lambda x: x[:, INDEX],
    "mask": lambda x: x[MASK],
    "masked_select": lambda x: x.masked_select(MASK[0]),
    "masked_fill": lambda x: x.masked_fill(MASK, 2.0),
    "masked_fill with a tensor": lambda x: x.masked_fill(MASK, x[0, 1]),
    "masked_scatter": lambda x: x.masked_scatter(MASK, x * x),
    "index_select": lambda x: x.index_select(0, INDEX),
    "index_add": lambda x: x.index_add(0, INDEX, x * x, alpha=2),
    "index_copy": lambda x: x.index_copy(0, ONCE, x[:2] * x[1:]),
    "index_fill": lambda x: x.index_fill(0, ONCE, 1.0),
    "index_fill with a tensor": lambda x: x.index_fill(0, INDEX, x[1, 1]),
    "index_put": lambda x: x.index_put((ONCE,), x[:2] * 2),
    "index_put accumulated": lambda x: x.index_put((INDEX,), x * x, accumulate=True),
    "take": lambda x: x.take(WIDE),
    "put": lambda x: x.put(torch.tensor([1, 5]), x[0, :2] * 3),
    "put accumulated": lambda x: x.put(torch.tensor([1, 1]), x[0, :2] * x[1, :2], accumulate=True),
    "gather": lambda x: x.gather(0, WIDE),
    "take_along_dim": lambda x: torch.take_along_dim(x, WIDE[:1], 0),
    "scatter": lambda x: x.scatter(0, WIDE[:1], x[1:] * 2),
    "scatter a number": lambda x: x.scatter(0, WIDE, 3.0),
    "scatter_add": lambda x: x.scatter_add(0, WIDE, x * x),
    "select_scatter": lambda x: x.select_scatter(x[1] * 2, 0, 0),
    "slice_scatter": lambda x: x.slice_scatter(x[:, :2] * 2, 1, 0, 4, 2),
    "diagonal_scatter": lambda x: x.diagonal_scatter(x[0, :3] * 2),
} | {
    f"scatter_reduce {how}, {'with' if own else 'without'} self": lambda x, how=how, own=own: x.scatter_reduce(
        0, WIDE, x[1:] * 1.5, how, include_self=own
    )
    for how in ("sum", "prod", "mean", "amax", "amin")
    for own in (True, False)
} | {
    f"index_reduce {how}": lambda x, how=how: x.index_reduce(0, INDEX, x * 1.5, how)
    for how in ("prod", "mean", "amax", "amin")
}  # fmt: skip
"""Functions of a matrix of 3 by 4 numbers."""


def written(x, write):
    y = x * 1.0
    write(y, x)
    return y


WRITES = {
    "a row": lambda y, x: y.__setitem__(0, x[1] * x[2]),
    "an element": lambda y, x: y.__setitem__((1, 2), x[0, 0]),
    "a number": lambda y, x: y.__setitem__((slice(None), 1), 3.0),
    "a mask": lambda y, x: y.__setitem__(MASK, x[MASK] * 2),
    "rows": lambda y, x: y.__setitem__(ONCE, x[:2]),
    "a view of a view": lambda y, x: y.t()[1].mul_(x[:, 0]),
    "a diagonal": lambda y, x: y.diagonal().mul_(x[0, :3]),
    "part of a row, then the row": lambda y, x: (y[0, 1:].mul_(x[1, 1:]), y[0].add_(x[2] * x[0])),
    "in another shape": lambda y, x: y.view(12)[3:9].mul_(x.view(12)[:6]),
    "overlapping windows": lambda y, x: y.unfold(1, 2, 2)[0].mul_(2.0),
    "masked_fill_": lambda y, x: y.masked_fill_(MASK, 1.0),
    "index_add_": lambda y, x: y.index_add_(0, INDEX, x),
    "scatter_add_": lambda y, x: y.scatter_add_(0, WIDE, x[1:]),
    "copy_ of a row": lambda y, x: y.copy_(x[0]),
    "transposed in place": lambda y, x: y.t_().mul_(2.0),
}


def matrix():
    torch.manual_seed(3)
    return (torch.randn(3, 4, dtype=torch.float64) + 0.1).requires_grad_()


@pytest.mark.parametrize("name", ONE)
def test_function(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="index_reduce")
        assert gradcheck(ONE[name], (matrix(),))
        assert gradgradcheck(lambda x: ONE[name](x).exp(), (matrix(),))


@pytest.mark.parametrize("name", WRITES)
def test_write(name: str) -> None:
    function = lambda x: written(x, WRITES[name])
    assert gradcheck(function, (matrix(),))
    assert gradgradcheck(lambda x: function(x).exp(), (matrix(),))


def test_write_to_the_real_part_of_a_complex_tensor() -> None:
    x = torch.randn(3, dtype=torch.complex128, requires_grad=True)

    def function(x):
        y = x * 1.0
        torch.view_as_real(y)[:, 0].mul_(3.0)
        return y

    assert gradcheck(function, (x,))


@pytest.mark.parametrize(
    "n, size, step",
    [(50, 7, 2), (50, 20, 3), (30, 25, 2), (100, 4, 1), (41, 40, 1), (33, 8, 5), (64, 16, 4), (20, 5, 5)],
)
def test_windows_that_overlap_are_added_in_their_order(n: int, size: int, step: int) -> None:
    """As PyTorch adds them, to the last digit: the first window first."""
    for shape, dim in [((n,), 0), ((3, n), 1), ((2, n, 3), 1)]:
        x = torch.ones(shape, requires_grad=True)
        windows = x.unfold(dim, size, step)
        g = torch.randn(windows.shape, generator=torch.Generator().manual_seed(n))
        windows.backward(g)
        expected = torch.zeros(shape)
        for k in range(windows.shape[dim]):
            expected.narrow(dim, k * step, size).add_(g.select(dim, k).movedim(-1, dim))
        assert torch.equal(x.grad, expected)
