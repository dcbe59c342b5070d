"""Random graphs with views and writes in place: gradients equal finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorsh import torch

SMOOTH = "sin cos tanh sigmoid".split()
VIEWS = ["a.t()", "a.view(3, 4)", "a.view(4, 3)", "a.reshape(12)", "a.flip(0)", "a[1:]", "a[..., :2]", "a.unsqueeze(0)",
         "a.transpose(0, -1)", "a.select(0, 0)", "a[::2]", "a.expand(2, *a.shape)", "a.permute(*range(a.dim() - 1, -1, -1))"]  # fmt: skip
JOIN = ["a + b", "a * b", "a - 2 * b", "torch.cat([a.reshape(-1), b.reshape(-1)])", "a * b.sum()", "a / (2 + b.sin())"]
INPLACE = ["a.mul_(1.5)", "a[0] = b.sum()", "a.add_(b.mean())", "a.sin_()", "a.view(-1)[0] = 2 * b.mean()", "a[..., 0] *= 2",
           "a.t().mul_(0.5)", "a.tanh_()", "a.select(0, 0).add_(b.mean())", "a[:1].copy_(b.sum())", "a.unsqueeze(0).sigmoid_()"]  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("unary"), st.sampled_from(SMOOTH), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("view"), st.sampled_from(VIEWS), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("join"), st.sampled_from(JOIN), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("write"), st.sampled_from(INPLACE), st.integers(0, 9), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=8,
)


def compute(leaf: Any, steps: list[tuple[str, str, int, int]]) -> Any:
    """The sum of everything that the steps make of a leaf; a step that does not fit its operands is left out."""
    made = [leaf * 1.0, leaf.sin()]
    for kind, text, i, j in steps:
        a, b = made[i % len(made)], made[j % len(made)]
        try:
            if kind == "unary":
                made.append(getattr(torch, text)(a))
            elif kind == "write":
                exec(text, {"a": a, "b": b, "torch": torch})
            else:
                made.append(eval(text, {"a": a, "b": b, "torch": torch}))
        except (RuntimeError, IndexError, TypeError) as error:
            assert "internal" not in str(error).lower()
    return sum(m.sum() * (k + 1) for k, m in enumerate(made))


@pytest.mark.filterwarnings("ignore")
@given(STEPS, st.integers(0, 99))
def test_gradients_equal_finite_differences(steps: list[tuple[str, str, int, int]], seed: int) -> None:
    start = np.random.default_rng(seed).uniform(-1, 1, (3, 4))
    leaf = torch.tensor(start, requires_grad=True)
    try:
        result = compute(leaf, steps)
        result.backward()
    except RuntimeError as error:  # what a write changed was needed: said in PyTorch's words
        assert "modified by an inplace operation" in str(error) or "is a view" in str(error), str(error)
        return
    found = leaf.grad.numpy()
    step = 1e-6
    for at in [(0, 0), (1, 2), (2, 3)]:
        ends = []
        for sign in (1, -1):
            moved = start.copy()
            moved[at] += sign * step
            # The same writes happen with gradients on, so that the same steps are left out.
            ends.append(compute(torch.tensor(moved, requires_grad=True), steps).item())
        want = (ends[0] - ends[1]) / (2 * step)
        assert abs(found[at] - want) <= 1e-4 * max(1.0, abs(want), abs(ends[0])), (at, found[at], want, steps)


@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=8), st.sampled_from([1, 2, 4]))
def test_printed_text_reads_back(values: list[float], rows: int) -> None:
    data = torch.tensor([values] * rows)
    again = eval(repr(data), {"tensor": torch.tensor})
    scale = max(1.0, float(data.abs().max()))
    assert again.shape == data.shape and float((again - data).abs().max()) <= 1e-3 * scale
