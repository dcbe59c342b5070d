"""Large arrays are written in place by the kernels themselves: the same bits as out of place, and the same errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorsh import torch

F = torch.nn.functional
SPECIAL = [
    0.0,
    -0.0,
    float("inf"),
    -float("inf"),
    float("nan"),
    1.0,
    -1.0,
    0.5,
    -0.5,
    1e-40,
    -1e-40,
    3e38,
    6.0,
    -3.0,
    3.0,
    2.0,
]
NAMES = (
    "abs acos asin asinh atan ceil cos cosh deg2rad erf erfinv exp expm1 floor frac log log1p log2 neg reciprocal relu round rsqrt "
    "sgn sigmoid sign sin sinh sqrt tan tanh trunc"
).split()


def method(name: str, *arguments: Any, **options: Any) -> Callable:
    return lambda x, within: getattr(x, name + "_" * within)(*arguments, **options)


def function(name: str, *arguments: Any) -> Callable:
    return lambda x, within: getattr(F, name)(x, *arguments, inplace=within)


FORMS: dict[str, Callable] = {name: method(name) for name in NAMES} | {
    "clamp": method("clamp", 0, 1),
    "clamp below": method("clamp", max=-0.0),
    "clamp of nan": method("clamp", float("nan"), 1),
    "clamp turned": method("clamp", 1, -1),
    "round to tenths": method("round", decimals=1),
    "hardtanh": function("hardtanh"),
    "leaky_relu": function("leaky_relu", 0.1),
    "steep": function("leaky_relu", -0.3),
    "threshold": function("threshold", 0.2, -1),
    "hardsigmoid": function("hardsigmoid"),
    "hardswish": function("hardswish"),
    "elu": function("elu", 1.3),
    "silu": function("silu"),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_same_bits(dtype: Any, threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        torch.manual_seed(0)
        given = torch.randn(1 << (20 if threads > 1 and dtype is torch.float32 else 15)) * 3
        given[: len(SPECIAL)] = torch.tensor(SPECIAL)
        given = given.to(dtype)
        for name, form in FORMS.items():
            for x in (given.clone(), given.clone().view(4, -1).t(), torch.stack([given, given], 1)[:, 0]):
                wanted, version = form(x.clone(), False), x._version
                assert form(x, True) is x and x._version == version + 1, name
                assert torch.equal(torch.signbit(x), torch.signbit(wanted)) or name == "erfinv", name
                assert torch.equal(x.nan_to_num(7), wanted.nan_to_num(7)), name
    finally:
        torch.set_num_threads(before)


def test_gradients() -> None:
    """Formulas that want the operand have it as it was; those that want the result find it."""
    for form in (FORMS["hardtanh"], FORMS["sqrt"], FORMS["sin"], FORMS["relu"]):
        x = torch.rand(1 << 15, requires_grad=True)
        form(x * 1, True).sum().backward()
        y = x.detach().clone().requires_grad_()
        form(y * 1, False).sum().backward()
        assert torch.equal(x.grad, y.grad)


def test_whole_numbers_are_refused() -> None:
    x = torch.ones(1 << 15, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.sqrt_()
    assert x.sum() == 1 << 15


OUT = "abs acos atan ceil cos erf exp expm1 floor log neg reciprocal rsqrt sigmoid sign sin sqrt tanh trunc".split()
PAIRS = "add sub mul div maximum fmod hypot atan2 pow eq lt copysign logaddexp".split()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64], ids=str)
def test_out(dtype: Any) -> None:
    """What is written into a tensor that was given is what a call without it returns, wherever that tensor's memory is."""
    torch.manual_seed(0)
    x, y = torch.randn(2, 1 << 15) * 3
    x[: len(SPECIAL)] = torch.tensor(SPECIAL)
    x, y = (x.nan_to_num(0).clamp(-9, 9).to(dtype), y.to(dtype)) if dtype is torch.int64 else (x.to(dtype), y.to(dtype))
    calls: dict[str, Callable] = {name: lambda out, f=getattr(torch, name): f(x, **out) for name in OUT}
    calls |= {name: lambda out, f=getattr(torch, name): f(x, y, **out) for name in PAIRS if dtype is not torch.int64}
    calls |= {"number": lambda out: torch.mul(x, 3, **out), "alpha": lambda out: torch.add(x, y, alpha=2, **out)}
    calls |= {
        "clamp": lambda out: torch.clamp(x, 0, 1, **out),
        "row": lambda out: torch.add(x.view(8, -1), y[:4096], **out),
    }
    for name, call in calls.items():
        wanted = call({})
        flat = torch.empty(wanted.shape, dtype=wanted.dtype)
        spread = torch.empty((*wanted.shape, 2), dtype=wanted.dtype)[..., 0]
        for out in (flat, spread, torch.empty(0, dtype=wanted.dtype)):
            version = out._version
            assert call({"out": out}) is out and out._version > version, name
            assert torch.equal(out.nan_to_num(7), wanted.nan_to_num(7)), name
            assert torch.equal(torch.signbit(out), torch.signbit(wanted)), name


def test_out_is_an_operand() -> None:
    x, y = torch.rand(2, 1 << 15)
    for call in (lambda a, b, **o: torch.sqrt(a, **o), torch.sub):
        wanted, a, b = call(x, y), x.clone(), y.clone()
        assert torch.equal(call(a, b, out=a), wanted)
        a = x.clone()
        assert call is not torch.sub or torch.equal(call(a, b, out=b), wanted)
    whole = torch.rand((1 << 15) + 1)
    with pytest.raises(
        RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"
    ):
        torch.sqrt(whole[:-1], out=whole[1:])
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.sqrt(x.requires_grad_(), out=torch.empty(1 << 15))
