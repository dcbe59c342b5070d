"""The kernels of ``engine/cuda`` on the stand-in: what they give is what the operators give on the CPU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import cuda
from tensorsh.engine.loading import table
from tensorsh.engine.operators import placement

from ..support.near import near
from . import c, standin, steps

F = torch.nn.functional
CASES = {
    "gelu": lambda x, w, b: F.gelu(x),
    "relu": lambda x, w, b: F.relu(x),
    "gelu, tanh": lambda x, w, b: F.gelu(x, approximate="tanh"),
    "silu": lambda x, w, b: F.silu(x),
    "mish": lambda x, w, b: F.mish(x * 30),
    "softmax": lambda x, w, b: torch.softmax(x, 1),
    "softmax, first": lambda x, w, b: torch.softmax(x, 0),
    "log_softmax": lambda x, w, b: F.log_softmax(x, -1),
    "softmax, masked": lambda x, w, b: torch.softmax(x.masked_fill(x > 1, -torch.inf), 1),
    "softmax of long rows": lambda x, w, b: torch.softmax(x.repeat(1, 300), 1).view(5, 300, 4)[:, 7] * 300,
    "layer_norm of long rows": lambda x, w, b: F.layer_norm(x.repeat(1, 300), (1200,)).view(5, 300, 4)[:, 0],
    "cross_entropy": lambda x, w, b: F.cross_entropy(x, torch.tensor([1, 0, 3, 2, 1], device=x.device)),
    "layer_norm": lambda x, w, b: F.layer_norm(x, (4,), w, b),
    "layer_norm, bare": lambda x, w, b: F.layer_norm(x, (4,)),
    "layer_norm of all": lambda x, w, b: F.layer_norm(x, (5, 4), w.expand(5, 4), b.expand(5, 4)),
    "batch_norm": lambda x, w, b: F.batch_norm(x, torch.zeros_like(w), torch.ones_like(w), w, b, training=True),
    "batch_norm, fixed": lambda x, w, b: F.batch_norm(x, w.detach() * 0.1, w.detach() ** 2 + 1, w, b),
    "batch_norm of images": lambda x, w, b: F.batch_norm(x.view(1, 4, 5, 1), None, None, w, b, training=True),
    "group_norm": lambda x, w, b: F.group_norm(x.view(1, 4, 5), 2, w, b),
    "group_norm of images": lambda x, w, b: F.group_norm(x.repeat(2, 3).view(2, 4, 3, 5), 4, w),
    "instance_norm": lambda x, w, b: F.instance_norm(x.view(1, 4, 5), weight=w, bias=b),
    "rms_norm": lambda x, w, b: F.rms_norm(x, (4,), w),
    "rms_norm of all": lambda x, w, b: F.rms_norm(x, (5, 4)),
    "attention": lambda x, w, b: F.scaled_dot_product_attention(x[None], x[None] * w, x[None] + b, is_causal=True),
    "attention of heads": lambda x, w, b: F.scaled_dot_product_attention(heads(x), heads(x * w), heads(x + b)),
    "attention, causal": lambda x, w, b: F.scaled_dot_product_attention(
        heads(x)[:, :, :3], heads(x * w), heads(x + b), is_causal=True, scale=0.3
    ),
    "attention, masked": lambda x, w, b: F.scaled_dot_product_attention(
        heads(x), heads(x * w), heads(x + b), heads(x).detach()[..., :1] > 0
    ),
    "attention, biased": lambda x, w, b: F.scaled_dot_product_attention(
        heads(x), heads(x * w), heads(x + b), x.detach()[:, :1].expand(5, 5)
    ),
}


def heads(x: torch.Tensor) -> torch.Tensor:
    """[5, 4] as three samples of two heads with rows of 8."""
    return x.repeat(3, 4).view(3, 5, 2, 8).transpose(1, 2)


def outcome(case: str, device: str, dtype: object) -> list:
    """The result and the gradients of a weighted sum of it; on the CPU in double precision."""
    torch.manual_seed(0)
    made = [(torch.randn(*shape, dtype=torch.float64) * 2).to(dtype) for shape in ((5, 4), (4,), (4,))]
    x, w, b = (t.to(device, torch.float64 if device == "cpu" else dtype).requires_grad_() for t in made)
    y = CASES[case](x, w, b)
    (
        y.double() * torch.arange(1.0, 1 + y.numel(), device=device, dtype=torch.float64).view(y.shape).cos()
    ).sum().backward()
    return [None if t is None else t.detach().cpu().double() for t in (y, x.grad, w.grad, b.grad)]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[set]:
    """The names of the kernels that run."""
    names: set = set()
    for kind in cuda.kernels.Elementwise, cuda.launch.Launcher:

        def call(self: object, *args: object, before: object = kind.__call__, **options: object) -> object:
            names.add(self.name)  # type: ignore[attr-defined]
            return before(self, *args, **options)  # type: ignore[operator]

        monkeypatch.setattr(kind, "__call__", call)
    yield names


DTYPES = [("float64", 1e-12), ("float16", 4e-3), pytest.param("float32", 1e-5, marks=pytest.mark.nightly)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("dtype", "error"), DTYPES)
def test_as_on_the_cpu(case: str, dtype: str, error: float, ran: set) -> None:
    kind = getattr(torch, dtype)
    expected = outcome(case, "cpu", kind)
    assert not ran
    with standin.installed():
        actual = outcome(case, "cuda", kind)
    assert ran
    if case.startswith("attention") and dtype == "float32":
        error = 5e-5  # weights of scores up to 50 are made again from their sums' logarithms
    for a, e in zip(actual, expected, strict=True):
        assert (a is None) == (e is None)
        assert e is None or torch.allclose(a, e, rtol=error, atol=error)


DROPPED = {
    "float": ((1, 2, 6, 8), {}),
    "odd rows": ((1, 1, 3, 4), {}),
    "causal": ((2, 3, 5, 8), {"is_causal": True}),
    "biased": ((1, 2, 4, 8), {"attn_mask": True}),
}


@pytest.mark.parametrize("case", DROPPED)
def test_attention_with_dropout_is_the_written_out_form(case: str, ran: set) -> None:
    """The weights that PyTorch's math path keeps are kept, by the numbers that it draws; gradients of first and second order."""
    table.load("nn.attention")
    attention = sys.modules["tensorsh.engine.ops.nn.attention"]
    shape, options = DROPPED[case]

    def outcome() -> list:
        torch.manual_seed(3)
        made = [torch.randn(shape).cuda().requires_grad_() for _ in range(3)]
        rows = shape[2]
        given = {k: v if k == "is_causal" else torch.randn(rows, rows).cuda() for k, v in options.items()}
        torch.cuda.manual_seed_all(5)
        y = F.scaled_dot_product_attention(*made, dropout_p=0.4, **given)
        grads = torch.autograd.grad((y * y.detach().cos()).sum(), made, create_graph=True)
        again = torch.autograd.grad(sum(g.sin().sum() for g in grads), made)
        after = torch.rand(2, device="cuda")
        return [t.detach().double().cpu() for t in (y, *grads, *again, after)]

    with standin.installed(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda.attention, "SCORES", 12)  # in several parts
        actual = outcome()
        assert any(name.startswith("tensorsh_attention_") for name in ran)
        patch.setattr(attention, "fused", lambda *_: None)
        expected = outcome()
        for a, e in zip(actual, expected, strict=True):
            assert torch.allclose(a, e, rtol=1e-4, atol=1e-4)
        assert float((expected[0] == 0).sum()) < expected[0].numel()


TWICE = {
    "gelu and softmax": lambda x: F.gelu(x).softmax(0)[0],
    "group_norm": lambda x: F.group_norm(x.view(1, 4, 8), 2).sin(),
    "rms_norm": lambda x: F.rms_norm(x.view(4, 8), (8,)).sin(),
    "attention": lambda x: F.scaled_dot_product_attention(*[x.view(1, 1, 4, 8) * k for k in (1, 2, 3)], is_causal=True),
}


@pytest.mark.parametrize("case", TWICE)
def test_second_order_takes_the_operators_own_formulas(case: str) -> None:
    def second(device: str, dtype: torch.dtype) -> list:
        x = torch.linspace(-1, 1, 32, dtype=torch.float64).sin().to(device, dtype).requires_grad_()
        (g,) = torch.autograd.grad(TWICE[case](x).sum(), x, create_graph=True)
        return torch.autograd.grad(g.sin().sum(), x)[0].tolist()

    with standin.installed():
        expected = second("cpu", torch.float64)
        assert near(second("cuda", torch.float32), expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("most", [1, 26])
@pytest.mark.parametrize("case", [name for name in CASES if name.startswith("attention")])
def test_attention_in_parts(case: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda.attention, "SCORES", most)
    expected = outcome(case, "cpu", torch.float32)
    with standin.installed():
        actual = outcome(case, "cuda", torch.float32)
    for a, e in zip(actual, expected, strict=True):
        assert e is None or torch.allclose(a, e, rtol=5e-5, atol=5e-5)


def test_operators_of_devices_have_their_own_nodes() -> None:
    with standin.installed():
        x = torch.randn(1, 2, 4, 8, device="cuda", requires_grad=True)
        attend = lambda q, *mask: F.scaled_dot_product_attention(q, q, q, *mask).grad_fn.name()
        assert attend(x) == "ScaledDotProductEfficientAttentionBackward0"
        assert attend(x.half()) == attend(x.bfloat16()) == "ScaledDotProductFlashAttentionBackward0"
        assert attend(x.half(), torch.zeros(4, 4, device="cuda")) == "ScaledDotProductEfficientAttentionBackward0"
        assert attend(x.double()) == attend(x[..., :3]) == "UnsafeViewBackward0"
        assert F.rms_norm(x, (8,)).grad_fn.name() == "FusedRmsNormBackward0"
        assert F.rms_norm(x.half(), (8,)).dtype is torch.float16
        hidden = F.scaled_dot_product_attention(x, x, x, torch.zeros(4, 4, dtype=torch.bool, device="cuda"))
        assert not hidden.any().item()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types_are_computed_wide(dtype: str) -> None:
    kind = getattr(torch, dtype)
    x = torch.linspace(-2, 2, 64).view(1, 2, 4, 8).to(kind)
    for f in (
        lambda x: F.scaled_dot_product_attention(x, x, x),
        lambda x: x.softmax(-1),
        lambda x: F.log_softmax(x, 0),
        lambda x: F.rms_norm(x, (8,), x[0, 0, 0]),
    ):
        with standin.installed():
            actual = f(x.cuda())
        assert actual.dtype is kind
        assert torch.allclose(
            actual.cpu().double(), f(x.double()), rtol=torch.finfo(kind).eps, atol=torch.finfo(kind).eps
        )


OPTIONS: list[tuple[str, dict]] = [
    ("SGD", {"lr": 0.1, "weight_decay": 0.01, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "maximize": True}),
    ("AdamW", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "maximize": True}),
    ("RMSprop", {"lr": 0.1, "centered": True}),
    ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.5}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adadelta", {"lr": 1.0, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "betas": (0.5, 0.6), "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("ASGD", {"lr": 0.1, "weight_decay": 0.1, "t0": 2}),
    ("Rprop", {"lr": 0.1, "maximize": True}),
]
ONE_PACE = {"SGD", "RMSprop", "Adadelta", "Rprop"}
"""Optimizers whose steps have the same numbers each time, also for a parameter that is behind."""


def stepped(device: str, name: str, options: dict) -> list[float]:
    torch.manual_seed(1)
    shapes = [(7,), (0,), (), (3, 2), (5000,), *[(2,)] * 64]
    made = [*[torch.randn(s, dtype=torch.float64) for s in shapes], torch.randn(4, 3, dtype=torch.float64).t()]
    parameters = [x.to(device).requires_grad_() for x in made]
    optimizer = getattr(torch.optim, name)(parameters, **options)
    for k in range(4):
        for x in parameters:
            x.grad = torch.randn(x.shape, dtype=x.dtype).to(device)
        if k == 2:  # The first is left out once, so that it is one step behind the others.
            parameters[0].grad = None
        optimizer.step()
    return [v for x in parameters for v in x.detach().reshape(-1).tolist()]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_steps_of_optimizers(name: str, options: dict, ran: set) -> None:
    expected = stepped("cpu", name, options)
    with standin.installed():
        standin.launched.clear()
        actual = stepped("cuda", name, options)
    (step,) = ran
    assert near(actual, expected, rel=1e-9)
    # Two launches of each step, for seventy parameters, and in most last steps one for the one that is behind.
    assert standin.launched.count(step) == 8 + (name not in ONE_PACE)


def test_steps_in_single_precision_have_the_bits_of_the_cpu() -> None:
    """Both are made of one formula."""

    def some(device: str, name: str, options: dict) -> list[float]:
        torch.manual_seed(1)
        x = torch.randn(6).to(device).requires_grad_()
        optimizer = getattr(torch.optim, name)([x], **options)
        for _ in range(3):
            x.grad = torch.randn(6).to(device)
            optimizer.step()
        return x.tolist()

    expected = [some("cpu", *each) for each in OPTIONS]
    with standin.installed():
        actual = [some("cuda", *each) for each in OPTIONS]
    assert [each for each, a, b in zip(OPTIONS, actual, expected, strict=True) if a != b] == []


def ran_as_c(body: str, threads: int = 4, **names: object) -> dict:
    """The names after a body of C has run on a number of threads, of which `i` is the number."""
    scope = {"i": np.arange(threads, dtype=np.int32)} | names
    c.Machine({}, threads).run(c.Parser("{" + body + "}", c.TYPES).statement(), scope)
    return scope


def test_c_is_run_by_its_own_rules() -> None:
    found = ran_as_c(
        "int q = (i - 3) / 2, r = (i - 3) % 2; unsigned int w = i - 1u; float f = 7 / 2; float h = 7 / 2.0f;"
        "int sum = 0; for (int k = 0; k < i; ++k) { if (k == 1) continue; if (k == 3) break; sum += k + 10; }"
        "double d = i > 1 ? i : 0.5; bool odd = i & 1 && i != 3; long long big = (long long)i << 40;"
    )
    assert found["q"].tolist() == [-1, -1, 0, 0] and found["r"].tolist() == [-1, 0, -1, 0]
    assert found["w"].tolist() == [2**32 - 1, 0, 1, 2] and found["f"] == 3 and found["h"] == 3.5
    assert found["sum"].tolist() == [0, 10, 10, 22] and found["d"].tolist() == [0.5, 0.5, 2.0, 3.0]
    assert found["odd"].tolist() == [False, True, False, False] and found["big"][1] == 1 << 40


def test_what_leaves_an_array_is_found() -> None:
    x = c.Memory(np.arange(3.0))
    ran_as_c("double y = i < 3 ? x[i] : 0.0; if (i < 3) x[i] = y + 1;", x=x)
    assert x.array.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(IndexError, match="element 3 of an array of 3"):
        ran_as_c("double y = x[i];", x=x)


FOLDED = [("float32", 0.5), ("float16", 0.5), ("int64", -3), ("uint8", 3), ("complex64", 1 + 2j), ("bool", True)]


@pytest.mark.parametrize(("kind", "value"), FOLDED)
def test_places_that_come_twice(kind: str, value: object) -> None:
    def added(device: str) -> list:
        torch.manual_seed(0)
        x = torch.zeros(4, 2, dtype=getattr(torch, kind), device=device)
        index = torch.tensor([0, 3, 0, -1, 0], device=device) % 4
        x.index_add_(0, index, torch.full((5, 2), value, dtype=x.dtype, device=device))
        x.t().index_put_((index % 2,), torch.full((5, 4), value, dtype=x.dtype, device=device), accumulate=True)
        return x.tolist()

    with standin.installed():
        assert added("cuda") == added("cpu")


COUNTED = {"MLP": 25, "LeNet": 46, "GPT": 131}
"""At most so many launches has a training step of each network of `steps.py`."""


@pytest.mark.parametrize("name", COUNTED)
def test_training_steps_wait_for_nothing(name: str) -> None:
    launches, reads = steps.counted(name)
    assert not reads and launches.total() <= COUNTED[name], launches


WRONG = [
    "torch.nn.functional.embedding(i, x)",
    "x.index_select(0, i)",
    "x[i]",
    "x.gather(0, i[:, None])",
    "x.take(i * 10)",
    "torch.nn.functional.nll_loss(x, i)",
    "torch.nn.functional.binary_cross_entropy(x * 9, x)",
]


@pytest.mark.parametrize("code", WRONG)
def test_wrong_values_are_told_when_the_device_is_read(code: str) -> None:
    with standin.installed():
        names = {"torch": torch, "x": torch.ones(3, 2, device="cuda"), "i": torch.tensor([0, 1, 7], device="cuda")}
        try:
            eval(code, names)
        except standin.HostRead as error:
            raise AssertionError("the check waits for the device") from error
        except IndexError:
            pass  # numpy, behind the stand-in, refuses what cupy wraps
        with pytest.raises(RuntimeError, match="CUDA error: device-side assert triggered"):
            names["x"].tolist()
        assert names["x"].sum().item() == 6.0


BESSEL = {
    "i0": [4.9205049735753885, 1.0, 427.56411572180474, 1.0737517071310738e42, float("nan")],
    "i0e": [0.24253995049673444, 1.0, 0.1434317818568503, 0.03994437929909668, 0.0],
    "i1": [-3.9891609909352717, 0.0, 399.8731367825599, 1.0683693903381625e42, float("nan")],
    "i1e": [-0.19663244208894837, 0.0, 0.13414249329269812, 0.03974415302513025, 0.0],
}
"""At -3.01, 0, 8, 100 and infinity, where PyTorch's series give no number."""


@pytest.mark.parametrize("name", BESSEL)
@pytest.mark.parametrize(("dtype", "error"), [("float64", 1e-14), ("float32", 2e-6), ("float16", 5e-3)])
def test_bessel_functions(name: str, dtype: str, error: float, ran: set) -> None:
    kind = getattr(torch, dtype)
    expected = torch.tensor(BESSEL[name], dtype=torch.float64).to(kind).tolist()
    with standin.installed():
        x = torch.tensor([-3.01, 0, 8, 100, torch.inf], dtype=kind, device="cuda")
        y = getattr(torch.special, name)(x).tolist()
    assert y == pytest.approx(expected, rel=error, nan_ok=True) and "tensorsh_" + name in ran


SORTED = {
    "cummax": lambda x: x.cummax(1),
    "cummin, first": lambda x: x.cummin(0),
    "cummax of integers": lambda x: (x * 2).int().cummax(-1),
    "cummin of truth": lambda x: (x > 0).cummin(1),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "topk": lambda x: x.topk(3).values,
    "topk, least": lambda x: x.topk(2, 0, largest=False),
    "kthvalue": lambda x: x.kthvalue(2, keepdim=True),
    "mode": lambda x: x.round().mode(1),
    "mode, first": lambda x: x.round().mode(0, keepdim=True),
    "searchsorted": lambda x: torch.searchsorted(x.sort(1)[0], x.flip(0)),
    "searchsorted, right": lambda x: torch.searchsorted(x.flatten().sort()[0], x, right=True, out_int32=True),
    "searchsorted, a number": lambda x: torch.searchsorted(torch.arange(5, device=x.device), 2.5),
    "bucketize": lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0], device=x.device)),
    "quantile": lambda x: x.quantile(torch.tensor([0.2, 0.5], device=x.device), 1),
    "nanquantile": lambda x: torch.where(x > 1, torch.nan, x).nanquantile(0.3, 0, interpolation="midpoint"),
    "isin": lambda x: torch.isin(x.round(), torch.tensor([0.0, 1.0], device=x.device)),
    "bincount": lambda x: (x.abs() * 2).long().flatten().bincount(minlength=9),
    "repeat_interleave": lambda x: x.repeat_interleave(3, 1),
    "repeat_interleave, counts": lambda x: x.repeat_interleave(torch.tensor([1, 0, 2, 1], device=x.device), 0),
    "embedding with padding": lambda x: F.embedding(torch.tensor([0, 2, 0], device=x.device), x, padding_idx=0),
}
SYSTEMS = {
    "inv": lambda a, b: torch.linalg.inv(a),
    "det": lambda a, b: torch.linalg.det(a),
    "slogdet": lambda a, b: torch.linalg.slogdet(a),
    "solve": lambda a, b: torch.linalg.solve(a, b),
    "solve, right": lambda a, b: torch.linalg.solve(a, b.mT, left=False),
    "solve, a vector": lambda a, b: torch.linalg.solve(a[0], b[0, :, 0]),
    "solve_triangular": lambda a, b: torch.linalg.solve_triangular(a.triu(), b, upper=True),
    "solve_triangular, right": lambda a, b: torch.linalg.solve_triangular(a.tril(), b.mT, upper=False, left=False),
    "cholesky": lambda a, b: torch.linalg.cholesky(a @ a.mT),
    "cholesky, upper": lambda a, b: torch.linalg.cholesky(a @ a.mT, upper=True),
    "qr": lambda a, b: torch.linalg.qr(b).R.abs(),
    "eigh": lambda a, b: torch.linalg.eigh(a + a.mT).eigenvalues,
    "svd": lambda a, b: torch.linalg.svd(b).S,
    "svdvals": lambda a, b: torch.linalg.svdvals(b),
}


def leaves(found: Any) -> list:
    return [t.detach().cpu().double() for t in (found if isinstance(found, tuple) else [found])]


@pytest.mark.parametrize("case", SORTED)
def test_sorting_on_the_device(case: str) -> None:
    x = torch.tensor(
        [[1.5, -2.0, 1.5, 0.25, 3.0], [0.5, 0.5, -1.0, 4.0, -3.5], [2.0, 2.0, 2.0, 1.0, 1.0], [torch.nan, 1.0, 0.0, 5.0, -7.0]]
    )[: 3 + ("cum" in case)]  # fmt: skip
    x = torch.cat([x, x[:1] * 2])[:4]
    expected = leaves(SORTED[case](x))
    with standin.installed():
        actual = leaves(SORTED[case](x.cuda()))
        reads = standin.reads[0]
        made = x.cuda().requires_grad_()
        SORTED[case](made)
        assert standin.reads[0] - reads <= ("bincount" in case or "counts" in case), "the device is read"
    for a, e in zip(actual, expected, strict=True):
        assert torch.allclose(a, e, equal_nan=True, rtol=1e-6)


@pytest.mark.parametrize("case", SYSTEMS)
def test_linear_algebra_on_the_device(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(2)
    given = [torch.randn(2, 4, 4, dtype=torch.float64) + torch.eye(4) * 3, torch.randn(2, 4, 3, dtype=torch.float64)]

    def outcome(device: str) -> list:
        a, b = (t.to(device).requires_grad_() for t in given)
        found = SYSTEMS[case](a, b)
        first = found[1] if case == "slogdet" else found
        grads = torch.autograd.grad((first * first.detach().cos()).sum(), [a, b], allow_unused=True)
        return leaves(found) + leaves(tuple(g for g in grads if g is not None))

    expected = outcome("cpu")
    with standin.installed():
        monkeypatch.setattr(placement, "on_host", None)  # nothing is copied
        for a, e in zip(outcome("cuda"), expected, strict=True):
            assert torch.allclose(a, e, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "code",
    [
        "torch.linalg.inv(z)", "torch.linalg.solve(z, x)", "torch.linalg.cholesky(-x)", "torch.cholesky(-x)",
        "torch.linalg.eigh(x / 0)", "torch.linalg.svd(x / 0)", "torch.linalg.solve(x, x[:, :1, :1])", "torch.linalg.qr(x, 'a')",
        "torch.linalg.inv_ex(z)[1].tolist()", "torch.linalg.cholesky_ex(-x).info.tolist()", "x.topk(9)", "x.cummax(5)",
        "x.kthvalue(0)", "torch.linalg.det(x.half())", "torch.linalg.solve_triangular(x, x[..., :1, :], upper=True)",
    ],
)  # fmt: skip
def test_failures_are_told_as_on_the_cpu(code: str) -> None:
    def told(device: str) -> str:
        x = (torch.eye(3) + torch.ones(3, 3)).expand(2, 3, 3).to(device)
        try:
            return str(eval(code, {"torch": torch, "x": x, "z": x * 0}))
        except (RuntimeError, IndexError, NotImplementedError) as error:
            return f"{type(error).__name__}: {error}"

    expected = told("cpu")
    with standin.installed():
        assert told("cuda") == expected


@pytest.mark.parametrize("dims", [(0, 2, 3), (0, 3), (3, 0, -2), (0, 2), (1, 3), (0, 0)])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_sums_over_dimensions_that_are_no_neighbours(name: str, dims: tuple) -> None:
    x = torch.arange(2.0 * 3 * 5 * 8).view(2, 3, 5, 8) * 0.5
    with standin.installed():
        for keepdim in (False, True):
            try:
                expected = getattr(x, name)(dims, keepdim)
            except RuntimeError as error:
                with pytest.raises(RuntimeError, match="appears multiple times"):
                    getattr(x.cuda(), name)(dims, keepdim)
                assert "appears multiple times" in str(error)
                continue
            assert torch.allclose(getattr(x.cuda(), name)(dims, keepdim).cpu(), expected)


AFTER = """
from tests.device import standin
from tensorsh import torch

def step(device):
    torch.manual_seed(0)
    x = torch.randn(4, 8).to(device, torch.float16).requires_grad_()
    w = torch.ones(8, device=device, dtype=torch.float16).requires_grad_()
    torch.nn.functional.batch_norm(x, None, None, w, w, training=True).square().sum().backward()
    return w.grad.cpu()

first = step("cpu")
with standin.installed():
    assert torch.allclose(step("cuda"), first, atol=0.02)
"""


def test_halves_of_the_cpu_come_first() -> None:
    """Gradients of half types go by float32 on a device, too, where the CPU's were computed before it was asked for."""
    done = subprocess.run([sys.executable, "-c", AFTER], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
