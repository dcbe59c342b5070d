"""`gradcheck`: what it checks is left as it was, and one wrong element is found, also in the fast mode, along one direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorsh import Session, torch


def test_a_graph_made_before_the_check_is_walked_after_it() -> None:
    session = Session()
    session.run("x = tensor([2., 3.], dtype=torch.float64, requires_grad=True)\ny = (x ** 3).sum()")
    assert session.run("torch.autograd.gradcheck(lambda v: v ** 3, (x,))") is True
    session.run("y.backward()")
    assert session.run("x.grad.tolist(), x.tolist()") == ([12.0, 27.0], [2.0, 3.0])


class Cubes(torch.autograd.Function):
    """Cubes and squares, whose gradient is wrong by a hundredth at one element of the squares'."""

    @staticmethod
    def forward(ctx: Any, x: Any, wrong: Any) -> Any:
        ctx.save_for_backward(x, wrong)
        return x**3, x * x

    @staticmethod
    def backward(ctx: Any, cubes: Any, squares: Any) -> Any:
        x, wrong = ctx.saved_tensors
        return cubes * (3 * x * x).conj() + squares * (2 * x * (1 + 0.01 * wrong)).conj(), None


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_one_wrong_element_is_found(fast: bool, dtype: Any) -> None:
    values = 0.5 + np.random.RandomState(1).rand(3, 4)
    x = torch.tensor(values * (1 + 0.5j) if dtype.is_complex else values, dtype=dtype, requires_grad=True)
    before = x.tolist()
    for place in (None, 0, 7, 11):
        wrong = torch.zeros(12, dtype=torch.float64)
        if place is not None:
            wrong[place] = 1
        right = torch.autograd.gradcheck(
            lambda v, wrong=wrong: Cubes.apply(v, wrong.view(3, 4)), (x,), fast_mode=fast, raise_exception=False
        )
        assert right is (place is None)
    assert x.tolist() == before
