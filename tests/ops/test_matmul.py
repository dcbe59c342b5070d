"""Expressions about matrix products give what PyTorch gave, errors included."""

from __future__ import annotations

import pytest

from tensorsh import torch

from ..recording.linalg import alike, outcome
from ..support.cases import all_pass
from ..support.tables import section


def test_matmul() -> None:
    all_pass(check_matmul, section("linalg", "products").items())


def check_matmul(expression: str, expected: str) -> None:
    found = outcome(torch, expression)
    assert alike(found, expected), found


def test_graph() -> None:
    all_pass(check_graph, section("linalg", "graphs").items())


def check_graph(expression: str, expected: str) -> None:
    assert outcome(torch, expression, graphs=True) == expected


def linear_parts():
    torch.manual_seed(0)
    weight, bias = torch.rand(4, 3, requires_grad=True), torch.rand(4, requires_grad=True)
    return torch.rand(2, 5, 3, requires_grad=True) * 1, weight, bias


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (
            0,
            "[torch.FloatTensor [10, 3]], which is output 0 of AsStrided, is at version 1; expected version 0 instead.",
        ),
        (1, "[torch.FloatTensor [3, 4]], which is output 0 of AsStrided, is at version 1; expected version 0 instead."),
    ],
)
def test_written_operand(which: int, words: str) -> None:
    parts = linear_parts()
    y = torch.nn.functional.linear(*parts)
    with torch.no_grad():
        parts[which].add_(1)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    assert words in str(caught.value)


def test_written_linear_result() -> None:
    x, weight, bias = linear_parts()
    y = torch.nn.functional.linear(x, weight, bias)
    y.add_(1)
    y[0].zero_()
    assert y._is_view() and type(y.grad_fn).__name__ == "AsStridedBackward0"
    y.sum().backward()
    assert bias.grad.tolist() == [5.0] * 4


def test_graph_is_freed_once() -> None:
    x = torch.rand(2, 3, requires_grad=True)
    y = (x @ torch.rand(3, 4)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()


def test_bmm_does_not_broadcast() -> None:
    with pytest.raises(RuntimeError, match="Expected size for first two dimensions of batch2 tensor"):
        torch.bmm(torch.ones(1, 2, 3), torch.ones(4, 3, 2))
