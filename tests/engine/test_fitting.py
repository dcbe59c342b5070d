"""Numbers that do not fit a dtype, and how half types round numbers: PyTorch 2.13's answers."""

from __future__ import annotations

import pytest

from tensorsh import torch
from tensorsh.engine.operators import titles

REFUSED = {
    "torch.tensor([300], dtype=torch.uint8)": "uint8",
    "torch.tensor(-129, dtype=torch.int8)": "int8",
    "torch.tensor([1, float('nan')], dtype=torch.int64)": "int64",
    "torch.full((2,), 2**40, dtype=torch.int32)": "int",
    "torch.full((2,), 1e40)": "float",
    "torch.zeros(2, dtype=torch.uint8).fill_(-0.5)": "uint8_t",
    "torch.ones(2, dtype=torch.int8).clamp(2**40)": "int8_t",
    "torch.where(torch.tensor([True]), torch.ones(1, dtype=torch.int16), 10**10)": "int16_t",
    "torch.ones(2, dtype=torch.half).masked_fill(torch.tensor([True, False]), 65520.0)": "c10::Half",
    "torch.ones(2, dtype=torch.int8) ** 255": "int8_t",
}


@pytest.mark.parametrize("expression", REFUSED)
def test_numbers_that_do_not_fit(expression: str) -> None:
    with pytest.raises(RuntimeError, match=f"value cannot be converted to type {REFUSED[expression]} without overflow"):
        eval(expression)


def test_numbers_that_wrap_or_overflow_quietly() -> None:
    assert torch.tensor([-1], dtype=torch.uint8).item() == 255
    assert (torch.ones(1, dtype=torch.uint8) + 300).item() == 45
    x = torch.zeros(2, dtype=torch.half)
    x[0] = 1e40
    assert x.tolist() == [float("inf"), 0.0]
    assert torch.tensor([0j, 1j]).to(torch.bool).tolist() == [False, True]


def test_half_types_round_the_number_first_but_not_for_products() -> None:
    x = torch.arange(-3, 4, dtype=torch.float16) * 1.1
    assert (x + 2.7).tolist() == [-0.6015625, 0.5, 1.599609375, 2.69921875, 3.798828125, 4.8984375, 6.0]
    assert (x - torch.tensor(2.7))[4:].tolist() == [-1.599609375, -0.5, 0.6015625]
    y = torch.arange(1, 4, dtype=torch.bfloat16) * 1.1
    assert (y**2.7).tolist() == [1.296875, 8.4375, 25.125]
    assert (torch.ones(3, dtype=torch.half) * 0.1).tolist() == [0.0999755859375] * 3


def test_a_complex_number_without_dimensions_keeps_the_precision_of_the_tensor() -> None:
    number = torch.ones((), dtype=torch.complex128)
    assert (torch.ones(2) * number).dtype is torch.complex64
    assert (torch.ones(2, dtype=torch.half) * 1j).dtype is torch.complex32
    assert str(torch.tensor([1 + 2j]).chalf()) == "tensor([1.+2.j], dtype=torch.complex32)"


def test_signs_of_zero_and_the_largest_float8() -> None:
    assert str(torch.relu(torch.tensor([-0.0, -1.0, 2.0]))) == "tensor([-0., 0., 2.])"
    assert torch.tensor([1e4, float("nan")]).to(torch.float8_e4m3fn).float()[0].item() == 448.0


@pytest.mark.parametrize(
    "call",
    [
        "torch.zeros(2, 3, dtype=torch.float32)", "torch.zeros((2, 3), device='cpu')", "torch.ones(3, requires_grad=True)",
        "torch.empty(2, device=x.device)", "x.new_zeros(2, 3)", "torch.full((2,), 3.0, dtype=x.dtype)", "torch.eye(3, dtype=x.dtype)",
        "torch.randn(2, 3, generator=g)", "torch.arange(0, 3, dtype=torch.float32)", "torch.zeros_like(x, dtype=torch.long)",
        "x.sum(dim=1, keepdim=True)", "x.sum((0, 1))", "x.max(dim=1)", "x.to(torch.float64)", "x.view(-1, 2)", "x.split([1, 2], dim=1)",
        "x.permute(1, 0)", "x.clamp(min=0)", "torch.cat([x, x], dim=0)", "torch.stack((x, x))", "torch.where(x > 0, x, 0.0)",
        "x.std(dim=0, unbiased=False)", "torch.topk(x, 2, dim=1)", "x.scatter(1, i, 1.0)", "x.gather(1, i)", "x.norm(p=2, dim=1)",
        "F.pad(x, (1, 1), value=2.0)", "F.softmax(x, dim=1)", "F.mse_loss(x, x, reduction='sum')", "x.masked_fill(x > 0, 0.0)",
    ],
)  # fmt: skip
def test_types_that_fit_are_looked_at_once(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, i = torch.ones(2, 3), torch.zeros(2, 1, dtype=torch.int64)
    known = {"torch": torch, "F": torch.nn.functional, "x": x, "i": i, "g": torch.Generator()}
    eval(call, known)
    asked: list[object] = []
    monkeypatch.setattr(titles, "checked", lambda *args: asked.append(args))
    eval(call, known)
    assert not asked
