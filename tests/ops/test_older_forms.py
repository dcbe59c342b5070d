"""Older orders of arguments, and PyTorch's words for a few wrong calls."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from tensorsh import torch
from tensorsh.engine.arrays.state import state

from ..recording.views import outcome
from ..support.tables import rows

X = torch.arange(6.0).view(2, 3)
M = torch.ones(2, 2)

CALLS: list[tuple[Callable, list]] = [
    (lambda: torch.add(X, 2, X), [0, 3, 6, 9, 12, 15]),
    (lambda: X.clone().add_(2, X), [0, 3, 6, 9, 12, 15]),
    (lambda: torch.add(X, 2, other=X), [0, 3, 6, 9, 12, 15]),
    (lambda: X.sub(2, X), [0, -1, -2, -3, -4, -5]),
    (lambda: torch.addcmul(X, 0.5, X, X), [0, 1.5, 4, 7.5, 12, 17.5]),
    (lambda: X.clone().addcdiv_(0.5, X, torch.ones(2, 3)), [0, 1.5, 3, 4.5, 6, 7.5]),
    (lambda: torch.addmm(2, M, 3, M, M), [8, 8, 8, 8]),
    (lambda: torch.addmm(2, M, M, M), [4, 4, 4, 4]),
    (lambda: M.addmm(2, 3, M, M), [8, 8, 8, 8]),
    (lambda: M[0].addmv(2, M, M[0]), [4, 4]),
    (lambda: torch.addr(2, M, 3, M[0], M[0]), [5, 5, 5, 5]),
    (lambda: torch.baddbmm(2, M[None], 3, M[None], M[None]), [8, 8, 8, 8]),
    (lambda: torch.zeros(1, 1, 2).squeeze(0, 1), [0, 0]),
]


@pytest.mark.parametrize("call, values", CALLS)
def test_numbers_before_what_they_scale(call: Callable, values: list) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert call().flatten().tolist() == values


def test_the_older_form_is_told_once() -> None:
    state.warned.discard("older")
    with pytest.warns(UserWarning) as told:
        torch.add(X, 2, X)
        X.clone().add_(2, X)
    assert [str(each.message) for each in told] == [
        "This overload of add is deprecated:\n\tadd(Tensor input, Number alpha, Tensor other, *, Tensor out = None)\n"
        "Consider using one of the following signatures instead:\n"
        "\tadd(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)"
    ]


def test_a_weight_of_another_dtype_is_told_once() -> None:
    state.warned.discard("rms_norm")
    with pytest.warns(UserWarning) as told:
        for dtype in torch.bfloat16, torch.float64:
            torch.rms_norm(M.to(dtype), [2], M[0])
    assert [str(each.message) for each in told] == [
        "Mismatch dtype between input and weight: input dtype = c10::BFloat16, weight dtype = float, Cannot dispatch to fused "
        "implementation."
    ]


@pytest.mark.parametrize(
    "call", [lambda: torch.mul(X, 2, X), lambda: torch.div(X, 2, X), lambda: torch.squeeze(X, 0, 1)]
)
def test_others_have_no_older_form(call: Callable) -> None:
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "x, text",
    [
        (X, " 0  1  2\n 3  4  5\n[ torch.FloatTensor{2,3} ]"),
        (
            torch.tensor([[1.5, -2e5], [1e-3, 3]]),
            " 1.5000e+00 -2.0000e+05\n 1.0000e-03  3.0000e+00\n[ torch.FloatTensor{2,2} ]",
        ),
        (torch.tensor([[1000, 2, -3]]), " 1000     2    -3\n[ torch.LongTensor{1,3} ]"),
        (torch.tensor([[True, False]]), " 1  0\n[ CPUBoolType{1,2} ]"),
        (torch.tensor([[-0.25, 0.5]], dtype=torch.float64), "-0.2500  0.5000\n[ torch.DoubleTensor{1,2} ]"),
        (torch.zeros(0, 3), "[ torch.FloatTensor{0,3} ]"),
    ],
)
def test_a_grid_of_a_matrix(x: torch.Tensor, text: str) -> None:
    with pytest.raises(RuntimeError) as told:
        torch.meshgrid(x, indexing="ij")
    assert str(told.value) == "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: " + text


def test_what_has_no_graph_is_told_first() -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.autograd.grad(X.sum(), X)


@pytest.mark.parametrize(("program", "expected"), rows("older_constructors"))
def test_constructors(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected


def test_lists_within_themselves_where_classes_override_functions() -> None:
    class Answering:
        @classmethod
        def __torch_function__(cls, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> str:
            return func.__name__

    assert torch.add(Answering(), 1) == "add" and X[[Answering()],] == "__getitem__"
    itself: list = [0]
    itself.append(itself)
    for call in (lambda: torch.tensor(itself), lambda: torch.as_tensor([[1, 2], itself])):
        with pytest.raises(TypeError, match="self-referential lists are incompatible"):
            call()
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got list"):
        torch.stack([X, itself])
