"""`vmap` computes all slices at once where every call has a rule: the same numbers as slice by slice, and two calls of the function."""

from __future__ import annotations

import pytest

from tensorsh import Session

HEAD = """
F = nn.functional
manual_seed(0)
x, y, w = randn(40, 6), randn(40, 6), randn(6, 5)
m = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.LayerNorm(4))
calls = []
def both(f, *given):
    def counted(*each):
        calls.append(1)
        return f(*each)
    return vmap(counted)(*given), torch.stack([f(*each) for each in zip(*given)])
"""


@pytest.mark.parametrize(
    "function, given",
    [
        ("lambda a: relu(a @ w).sum()", "x"),
        ("lambda a, b: (a - b).pow(2).mean().sqrt() / (a.norm() + 1)", "x, y"),
        ("lambda a: softmax(a, 0).log().max()", "x"),
        ("lambda a: a.max(0).values * a.argmax()", "x"),
        ("lambda a: a.view(2, 3).T.reshape(-1).cumsum(0)[1:]", "x"),
        ("lambda a: a[:, None] * a[None, :] + a.sum()", "x"),
        ("lambda a: torch.cat([a.view(2, 3), a.view(3, 2).t()], dim=1).flatten()", "x"),
        ("lambda a, b: dot(a, b) * torch.where(a > 0, b, zeros(()))", "x, y"),
        ("lambda a: m(a)", "x"),
        ("lambda a: w.t() @ a", "x"),
        ("lambda a, b: F.mse_loss(a, b) + F.cross_entropy(a, torch.arange(6)[2] + 0 * b.argmax())", "x, y"),
        ("lambda a: F.conv1d(a.view(1, 1, 6), torch.ones(1, 1, 3)).squeeze()", "x"),
        ("lambda a: a.unsqueeze(0).expand(3, 6).permute(1, 0).transpose(0, 1).sum(-1)", "x"),
        ("lambda a: vmap(lambda b: b * b + 1)(a.repeat(2) if False else a)", "x"),
        ("lambda a: a.sort(descending=True)[0] + a.topk(2)[0].sum() + a.std()", "x"),
    ],
)
def test_all_slices_at_once(function: str, given: str) -> None:
    session = Session()
    session.run(
        HEAD
        + f"one, other = both({function}, {given})\ntold = allclose(one, other, atol=1e-5), one.shape == other.shape, len(calls)"
    )
    assert session.run("told") == (True, True, 2)


@pytest.mark.parametrize(
    "function",
    [
        "lambda a: torch.func.grad(lambda b: (b ** 2).sum())(a)",  # gradients come by no call
        "lambda a: a.clone().mul_(2)",
        "lambda a: torch.autograd.functional.jacobian(lambda b: b * b, a).sum()",
        "lambda a: torch.gru_cell(a[None], zeros(1, 2), ones(6, 6), ones(6, 2))",
    ],
)
def test_what_has_no_rule_goes_slice_by_slice(function: str) -> None:
    session = Session()
    session.run(
        HEAD + f"one, other = both({function}, x)\ntold = allclose(one, other, atol=1e-5), one.shape == other.shape"
    )
    assert session.run("told") == (True, True)


def test_a_hundred_thousand_rows_are_two_calls_and_differentiable() -> None:
    session = Session()
    session.run(
        HEAD
        + "x = randn(100_000, 6).requires_grad_()\ny = vmap(lambda a: (calls.append(1), (a @ w).tanh().sum())[1])(x)\ny.sum().backward()"
    )
    assert session.run("len(calls), y.shape[0], allclose(x.grad, (1 - (x @ w).tanh() ** 2) @ w.t(), atol=1e-5)") == (
        2,
        100_000,
        True,
    )
