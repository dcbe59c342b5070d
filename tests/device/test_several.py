"""Tensors of a device that is not the current one: calls run where they lie, and leave the current device as it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tensorsh import torch
from tensorsh.engine.arrays import device_guard

from ..support.cases import all_pass
from ..support.near import near
from . import gradients, standin, sweep

OPERATORS = gradients.operators()
OTHER = "cuda:1"


@pytest.fixture
def cuda() -> Iterator[None]:
    with standin.installed():
        yield
        assert standin.current == [0]


def test_examples() -> None:
    all_pass(check_example, sweep.names())


def check_example(name: str) -> None:
    assert sweep.failure(name, device=OTHER) is None
    assert standin.current == [0]


def test_gradients() -> None:
    all_pass(check_gradient, OPERATORS)


def check_gradient(name: str) -> None:
    assert not gradients.failure(OPERATORS[name], OTHER)
    assert standin.current == [0]


def test_one_device_pays_nothing(cuda: None) -> None:
    x = torch.ones(2, device="cuda:0", requires_grad=True)
    (x.to("cuda") * 2).sum().backward()
    assert not device_guard.several
    x.to(OTHER)
    assert device_guard.several


MADE = [
    "torch.ones(2, device=d)", "torch.tensor([1.0, 2.0], device=d)", "torch.arange(3, device=d)", "torch.rand(3, device=d)",
    "torch.randn(3, device=d, dtype=torch.float16)", "torch.randperm(5, device=d)", "torch.full((2,), 3, device=d)",
    "torch.randint(9, (3,), device=d)", "torch.eye(2, device=d)", "torch.linspace(0, 1, 3, device=d)", "x.new_zeros(2)",
    "torch.zeros_like(z, device=d)", "torch.rand_like(z, device=d)", "torch.randint_like(z, 4, device=d)", "torch.tensor([x[0].item()], device=x.device)",
    "z.new_tensor([1], device=d)", "torch.as_tensor(x, dtype=torch.float64)", "z.to(d)", "c.to(d, torch.float16)",
    "z.cuda(1)", "z.t().to(d)", "x.clone()", "x[:2]", "x[torch.tensor([0])]", "x.bernoulli(0.5)", "x.uniform_()",
    "torch.normal(x, x.abs())", "torch.nn.functional.dropout(x, 0.5)", "torch.multinomial(x.abs(), 2)", "copy.deepcopy(x)",
    "torch.rand(3, generator=torch.Generator(d), device=d)", "torch.nn.Linear(3, 2, device=d)(x)", "x.topk(2).values",
    "torch.distributions.Normal(x, 1.0).sample()", "torch.vmap(lambda a: a * 2)(x)", "torch.func.grad(lambda a: a.sum())(x)",
    "torch.from_dlpack(x)", "torch.autograd.functional.jacobian(lambda a: a * a, x)", "x.clone().resize_(5)",
    "torch.nn.init.orthogonal_(torch.empty(3, 2, device=d))", "torch.nn.init.trunc_normal_(torch.empty(3, 2, device=d))",
    "torch.nn.utils.clip_grad_norm_([torch.nn.Parameter(x)], 1.0) + x",
]  # fmt: skip


@pytest.mark.parametrize("code", MADE)
def test_where_results_lie(cuda: None, code: str) -> None:
    x, z, c = (torch.linspace(0.5, 1, 3, device=d) for d in (OTHER, "cuda:0", "cpu"))
    names = {"torch": torch, "copy": copy, "x": x, "z": z, "c": c, "d": OTHER}
    assert str(eval(code, names).device) == OTHER


def test_the_device_without_a_number_is_the_current_one(cuda: None) -> None:
    x = torch.ones(2, device=OTHER)
    assert str(x.to("cuda").device) == "cuda:0" and str(x.cuda().device) == "cuda:0"
    assert str(torch.zeros_like(x, device="cuda").device) == "cuda:0"
    with torch.cuda.device(1):
        assert x.to("cuda") is x and str(torch.ones(1, device="cuda:0").exp().device) == "cuda:0"
        assert torch.cuda.current_device() == 1


def test_copies(cuda: None) -> None:
    x = torch.arange(12.0).reshape(2, 3, 2)
    for made in x, x.transpose(0, 2), x[:, ::2], x.permute(1, 2, 0), x.double(), torch.tensor(3.0):
        a = made.to("cuda:0")
        b = a.to(OTHER)
        assert b.tolist() == made.tolist() and str(b.device) == OTHER
        assert b.stride() == a.stride() or not a.is_contiguous()
        assert torch.zeros_like(a).copy_(b).tolist() == torch.zeros_like(b).copy_(a).tolist() == made.tolist()
        assert torch.zeros_like(made).copy_(b).equal(made) and str(b) == str(a).replace("cuda:0", OTHER)


@pytest.mark.parametrize(
    "code, message",
    [
        ("x + z", "Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:0!"),
        (
            "torch.add(x, x, out=z)",
            "Expected all tensors to be on the same device, but found at least two devices, cuda:1",
        ),
        ("x[i]", r"indices should be either on cpu or on the same device as the indexed tensor \(cuda:1\)"),
        ("c[i]", r"indices should be either on cpu or on the same device as the indexed tensor \(cpu\)"),
    ],
)
def test_mixing_is_refused(cuda: None, code: str, message: str) -> None:
    names = {"torch": torch, "i": torch.tensor([0], device="cuda:0")}
    names |= {name: torch.ones(2, device=d) for name, d in (("x", OTHER), ("z", "cuda:0"), ("c", "cpu"))}
    with pytest.raises(RuntimeError, match=message):
        eval(code, names)


def test_gradients_go_from_device_to_device(cuda: None) -> None:
    x = torch.tensor([1.0, 2.0], device="cuda:0", requires_grad=True)
    w = torch.tensor([3.0, 4.0], device=OTHER, requires_grad=True)
    c = torch.tensor([5.0, 6.0], requires_grad=True)
    for _ in range(2):  # the second time, gradients are added up
        y = (x.exp() * x).to(OTHER)
        ((y * w + w * c.to(OTHER)).to("cuda:0") * x + y.to("cuda:0") * c.cuda()).sum().cpu().backward()
    expected = [torch.tensor(t.tolist(), requires_grad=True) for t in (x, w, c)]
    a, b, d = expected
    y = a.exp() * a
    (((y * b + b * d) * a + y * d).sum() * 2).backward()
    for t, e in zip((x, w, c), expected, strict=True):
        assert t.grad.device == t.device and t.grad.tolist() == pytest.approx(e.grad.tolist())
    (g,) = torch.autograd.grad((x.to(OTHER) ** 3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad((g.to(OTHER) * w).sum(), x)
    assert str(g.device) == str(h.device) == "cuda:0" and h.tolist() == [18.0, 48.0]


def test_hooks_and_several_results(cuda: None) -> None:
    x = torch.tensor([[3.0, 1.0], [2.0, 4.0]], device=OTHER, requires_grad=True)
    seen: list[Any] = []
    y = x * 2
    y.register_hook(lambda g: seen.append((g.device, torch.cuda.current_device())) or g * 2)
    y.retain_grad()
    values, _ = y.max(1)
    a, b = values.unbind()
    (a.to("cuda:0") + b.to("cuda:0") + y.sum().to("cuda:0")).backward()
    assert seen == [(x.device, 1)] and x.grad.tolist() == [[8.0, 4.0], [4.0, 8.0]] and str(y.grad.device) == OTHER


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam"])
def test_training_of_a_model_on_two_devices(name: str) -> None:
    def trained(first: str, second: str) -> list:
        torch.manual_seed(0)
        one, two = torch.nn.Linear(3, 4), torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.Linear(4, 2))
        x, y = torch.randn(6, 3).to(first), torch.tensor([0, 1] * 3).to(second)
        one.to(first), two.to(second)
        optimizer = getattr(torch.optim, name)([*one.parameters(), *two.parameters()], lr=0.05)
        told = []
        for _ in range(3):
            optimizer.zero_grad(set_to_none=False)
            loss = torch.nn.functional.cross_entropy(two(one(x).relu().to(second)), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(one.parameters(), 1.0)
            optimizer.step()
            told.append(loss.item())
        assert {str(v.device) for s in optimizer.state.values() for v in s.values() if getattr(v, "ndim", 0)} <= {
            first,
            second,
        }
        return told + [p.sum().item() for m in (one, two) for p in m.parameters()]

    expected = trained("cpu", "cpu")
    with standin.installed():
        assert near(trained("cuda:0", OTHER), expected, rel=1e-5, abs=1e-6)
        assert standin.current == [0]


def test_generators_of_each_device(cuda: None) -> None:
    torch.cuda.manual_seed_all(3)
    first, second = (torch.rand(4, device=d) for d in ("cuda:0", OTHER))
    assert first.tolist() == second.tolist()
    before = torch.cuda.get_rng_state(OTHER)
    third = torch.rand(4, device=OTHER)
    assert torch.rand(4, device="cuda:0").tolist() == third.tolist() != first.tolist()
    torch.cuda.set_rng_state(before, OTHER)
    assert torch.rand(4, device=OTHER).tolist() == third.tolist()


def test_streams_of_each_device(cuda: None) -> None:
    mine = torch.cuda.Stream(OTHER)
    assert str(torch.cuda.current_stream(OTHER).device) == OTHER and torch.cuda.current_stream(1) != mine
    with torch.cuda.stream(mine):
        assert torch.cuda.current_device() == 1 and torch.cuda.current_stream() == mine == torch.cuda.current_stream(
            OTHER
        )
        assert str(torch.cuda.current_stream("cuda:0").device) == "cuda:0"
        x = torch.ones(2, device="cuda:0") * 2
        assert str(x.device) == "cuda:0"
    assert torch.cuda.current_stream(OTHER) == torch.cuda.default_stream(OTHER) != torch.cuda.default_stream(0)
    event = torch.cuda.Event(enable_timing=True)
    assert event.query()
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time."):
        event.elapsed_time(event)
    event.record(mine)
    torch.cuda.current_stream().wait_event(event)
    with pytest.raises(RuntimeError, match="Event device 1 does not match recording stream's device 0."):
        event.record()
    torch.cuda.set_stream(mine)
    assert torch.cuda.current_device() == 1 and torch.cuda.current_stream() == mine
    torch.cuda.set_stream(torch.cuda.default_stream(1))
    torch.cuda.set_device(0)
    torch.cuda.synchronize(OTHER)
    assert torch.cuda.memory_allocated(OTHER) == torch.cuda.max_memory_allocated(1) == 0


def test_values_are_checked_on_each_device(cuda: None) -> None:
    for place in ["cuda:0", OTHER] * 70:
        x = torch.arange(3.0, device=place)
        x.take(torch.tensor([1], device=place)), x.index_select(0, torch.tensor([2], device=place))
        torch.multinomial(x, 1)
    assert x.tolist() == [0.0, 1.0, 2.0]
    torch.multinomial(-x, 1)
    with pytest.raises(RuntimeError, match="CUDA error: device-side assert triggered"):
        torch.ones(1, device="cuda:0").tolist()
    torch.cuda.empty_cache()
