"""Reductions, norms, scans, sorting, searching and statistics give what PyTorch gave."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from tensorsh import torch

from ..recording.reductions import gradients, graph, names, outcome
from ..support.outcomes import as_read
from ..support.tables import section

SPACE = names(torch)
CLOSE = {"float32": 2e-6, "complex64": 4e-6, "float16": 2e-3, "bfloat16": 2e-2}


def number(text: str) -> float:
    return float(text) if text[-1] in "nf" else float(ast.literal_eval(text))


def differs(got: Any, wanted: Any) -> str:
    """Where two recorded results are not the same, up to rounding."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        (kind, parts), (got_kind, got_parts) = *wanted.items(), *got.items()
        if kind != got_kind or len(parts) != len(got_parts):
            return f"{got_kind} of {len(got_parts)} for {kind} of {len(parts)}"
        return next(filter(None, map(differs, got_parts, parts)), "")
    if not isinstance(wanted, list) or not isinstance(got, list):
        same = as_read(str(got)) == as_read(str(wanted)) if isinstance(wanted, str) else got == wanted
        return "" if same else f"{got} for {wanted}"
    if got[:2] != wanted[:2]:
        return f"{got[:2]} for {wanted[:2]}"
    close = CLOSE.get(wanted[0].removeprefix("torch."), 1e-12)
    scale = max((abs(n) for n in map(number, wanted[2]) if math.isfinite(n)), default=0.0)
    for at, (one, other) in enumerate(zip(map(number, got[2]), map(number, wanted[2]), strict=True)):
        if (
            one != other
            and not (one != one and other != other)
            and not abs(one - other) <= close * (scale + abs(other))
        ):
            return f"element {at}: {one} for {other}"
    return ""


@pytest.mark.parametrize("subject", ["values", "ties", "errors"])
def test_results(subject: str) -> None:
    wrong = {}
    for expression, wanted in section("reductions", subject).items():
        problem = differs(outcome(torch, expression, SPACE), wanted)
        if problem and expression not in UNLIKE:
            wrong[expression] = problem
    assert not wrong


@pytest.mark.parametrize("point", ["smooth", "tied"])
def test_gradients_of_first_and_second_order(point: str) -> None:
    wrong = {}
    for key, wanted in section("reductions", "gradients").items():
        at, expression = key.split(": ", 1)
        if at == point:
            for order, got, want in zip(("first", "second"), gradients(torch, expression, point), wanted, strict=True):
                problem = order_differs(got, want)
                if problem and expression not in UNLIKE:
                    wrong[expression, order] = problem
    assert not wrong


def order_differs(got: Any, wanted: Any) -> str:
    """None and zeros are the same gradient."""
    if got is None or wanted is None:
        given = got or wanted
        return "" if given is None or not any(number(n) for n in given[2]) else f"{got} for {wanted}"
    return differs(got, wanted)


def test_graphs() -> None:
    wrong = {}
    for expression, wanted in section("reductions", "graphs").items():
        got = graph(torch, expression)
        if got != wanted:
            wrong[expression] = got, wanted
    assert not wrong


@pytest.mark.parametrize("n", [1, 5, 8, 16, 20, 40])
def test_results_own_their_memory(n: int) -> None:
    x = torch.ones(n, 2)
    for made, size in ((x.sum(), 4), (x.mean(), 4), (x.max(), 4), (x[:, 0].contiguous().sum(), 4), (x.sum(0), 8)):
        assert (made.storage_offset(), made.untyped_storage().nbytes()) == (0, size)


def test_sums_start_from_zero() -> None:
    for shape in ((1,), (3,), (16,), (2, 4), (4, 4), (5, 9)):
        x = torch.full(shape, -0.0)
        for made in (x.sum(), x.mean(), x.sum(0), x.sum(-1)):
            assert "-" not in str(made.tolist())


@pytest.mark.parametrize("shape", [(70_000,), (60, 1500), (9_000, 7)])
def test_large_arrays(shape: tuple[int, ...]) -> None:
    """Large arrays take other ways (by blocks, by bounds); they give what small ones do."""
    a = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    a.flat[:4] = a.flat[5], 0.0, -0.0, a.flat[6]
    wide, x = a.astype(np.float64), torch.from_numpy(a)
    near = {"rtol": 1e-5, "atol": 1e-6}
    for dim in range(-1, len(shape) - 1):
        e = np.exp(wide - wide.max(dim, keepdims=True))
        np.testing.assert_allclose(x.softmax(dim).numpy(), e / e.sum(dim, keepdims=True), **near)
        np.testing.assert_allclose(x.log_softmax(dim).numpy(), np.log(e / e.sum(dim, keepdims=True)), **near)
        np.testing.assert_array_equal(x.cumsum(dim).numpy(), np.cumsum(wide, dim).astype(np.float32))
        np.testing.assert_allclose(x.var(dim).numpy(), wide.var(dim, ddof=1), **near)
        np.testing.assert_allclose(x.norm(dim=dim).numpy(), np.sqrt((wide**2).sum(dim)), **near)
        order = a.argsort(dim, kind="stable")
        np.testing.assert_array_equal(x.sort(dim=dim, stable=True).indices.numpy(), order)
        backward = a.shape[dim] - 1 - np.flip(np.flip(a, dim).argsort(dim, kind="stable"), dim)
        np.testing.assert_array_equal(x.sort(dim=dim, stable=True, descending=True).indices.numpy(), backward)
        values, indices = x.topk(5, dim)
        np.testing.assert_array_equal(values.numpy(), -np.sort(-a, dim).take(range(5), dim))
        np.testing.assert_array_equal(np.take_along_axis(a, indices.numpy(), dim), values.numpy())
    np.testing.assert_allclose(x.std().item(), wide.std(ddof=1), rtol=1e-6)
    np.testing.assert_allclose(x.norm().item(), np.sqrt((wide**2).sum()), rtol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_gradients_of_large_softmax(name: str) -> None:
    a = np.random.default_rng(4).standard_normal((300, 1000))
    x, weights = torch.from_numpy(a).requires_grad_(), np.random.default_rng(5).standard_normal(a.shape)
    (getattr(x, name)(1) * torch.from_numpy(weights)).sum().backward()
    p = np.exp(a) / np.exp(a).sum(1, keepdims=True)
    g = weights * p if name == "softmax" else weights
    np.testing.assert_allclose(x.grad.numpy(), g - p * g.sum(1, keepdims=True), rtol=1e-9, atol=1e-12)


UNLIKE = {
    "bf.histc(4)",  # bin edges in bfloat16
    "hole.histc(4)",  # the sign of a NaN
    "hole.mode(0)",  # sorting numbers with NaN by `<`
}
"""What PyTorch leaves to chance."""


def test_log_softmax_of_half_types_keeps_the_logarithm_of_the_sum_in_them() -> None:
    """Recorded from PyTorch."""
    x = torch.linspace(-3, 3, 14).half().reshape(2, 7)
    assert x.log_softmax(1)[0].tolist() == [
        -3.724609375, -3.263671875, -2.80078125, -2.33984375, -1.8779296875, -1.416015625, -0.95458984375
    ]  # fmt: skip
    assert x.bfloat16().log_softmax(1)[1].tolist() == [
        -3.71875, -3.265625, -2.796875, -2.34375, -1.875, -1.421875, -0.953125
    ]  # fmt: skip


def test_gradient_of_a_product_with_a_zero() -> None:
    """Two running products, kept in double as PyTorch's are; the number is PyTorch 2.13's."""
    x = torch.tensor([1.1147, 0.881, 1.1371, 0.9745, 0.0, 1.119, 0.9425, 0.5958, 1.1142], requires_grad=True)
    x.prod().backward()
    assert x.grad.tolist() == [0, 0, 0, 0, 0.7618849873542786, 0, 0, 0, 0]
