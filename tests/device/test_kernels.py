"""The kernels of ``engine/cuda`` on the stand-in: what they give is what the operators give on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import c
import standin
import steps

from tensorsh import torch
from tensorsh.engine import cuda

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
    "attention": lambda x, w, b: F.scaled_dot_product_attention(x[None], x[None] * w, x[None] + b, is_causal=True),
}


def outcome(case: str, device: str, dtype: object) -> list:
    """The result and the gradients of a weighted sum of it."""
    torch.manual_seed(0)
    made = [torch.randn(*shape, dtype=torch.float64) * 2 for shape in ((5, 4), (4,), (4,))]
    x, w, b = (t.to(device, dtype).requires_grad_() for t in made)
    y = CASES[case](x, w, b)
    (
        y.double() * torch.arange(1.0, 1 + y.numel(), device=device, dtype=torch.float64).view(y.shape).cos()
    ).sum().backward()
    return [None if t is None else t.detach().cpu().double() for t in (y, x.grad, w.grad, b.grad)]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[set]:
    """The names of the kernels that run."""
    names: set = set()
    for kind in cuda.kernels.Elementwise, cuda.kernels.Raw:

        def call(self: object, *args: object, before: object = kind.__call__, **options: object) -> object:
            names.add(self.name)  # type: ignore[attr-defined]
            return before(self, *args, **options)  # type: ignore[operator]

        monkeypatch.setattr(kind, "__call__", call)
    yield names


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("dtype", "error"), [("float64", 1e-12), ("float32", 1e-5), ("float16", 4e-3)])
def test_as_on_the_cpu(case: str, dtype: str, error: float, ran: set) -> None:
    kind = getattr(torch, dtype)
    expected = outcome(case, "cpu", kind)
    assert not ran
    with standin.installed():
        actual = outcome(case, "cuda", kind)
    assert ran
    for a, e in zip(actual, expected, strict=True):
        assert (a is None) == (e is None)
        assert e is None or torch.allclose(a, e, rtol=error, atol=error)


def test_second_order_takes_the_operators_own_formulas() -> None:
    def second(device: str) -> list:
        x = torch.tensor([0.3, -1.0], device=device, dtype=torch.float64, requires_grad=True)
        (g,) = torch.autograd.grad(F.gelu(x).softmax(0)[0], x, create_graph=True)
        return torch.autograd.grad(g.sin().sum(), x)[0].tolist()

    with standin.installed():
        assert second("cuda") == pytest.approx(second("cpu"), rel=1e-9)


OPTIONS = [
    ("SGD", {"lr": 0.1, "weight_decay": 0.01, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "maximize": True}),
    ("AdamW", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
]


def stepped(device: str, name: str, options: dict) -> list[float]:
    torch.manual_seed(1)
    shapes = [(7,), (0,), (), (3, 2), (5000,), *[(2,)] * 64]
    made = [*[torch.randn(s, dtype=torch.float64) for s in shapes], torch.randn(4, 3, dtype=torch.float64).t()]
    parameters = [x.to(device).requires_grad_() for x in made]
    optimizer = getattr(torch.optim, name)(parameters, **options)
    for k in range(4):
        optimizer.zero_grad()
        # The first is left out once, so that it is one step behind the others.
        sum((x.sin() * x).sum() for x in parameters[k == 2 :]).backward()
        optimizer.step()
    return [v for x in parameters for v in x.detach().reshape(-1).tolist()]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_steps_of_optimizers(name: str, options: dict, ran: set) -> None:
    expected = stepped("cpu", name, options)
    with standin.installed():
        standin.launched.clear()
        actual = stepped("cuda", name, options)
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12) and len(ran) == 1
    # Two launches of each step, for seventy parameters, and in Adam's last step one for the one that is behind.
    assert standin.launched.count(*ran) == (8 if name == "SGD" else 9)


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


COUNTED = {"MLP": 28, "LeNet": 49, "GPT": 160}
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
