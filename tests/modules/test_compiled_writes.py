"""`torch.compile` of functions with several outputs and of those that write over tensors: the numbers are the function's, bit for bit."""

from __future__ import annotations

import pytest

from .test_compile import bits, replays, session

pytestmark = pytest.mark.usefixtures("closed_door")

SETUP = "F = torch.nn.functional\ntorch.manual_seed(0)\nw = torch.rand(6, 6)\n"
SEVERAL = {
    "max and min": "(x * 2).max(1)[0] + torch.min(x, 0).values",
    "sort": "x.sort(1)[0] * x.sort(0, descending=True).values + x.argsort(1)",
    "topk": "x.topk(2, 1).values.sum(1) + x.topk(2).indices.sum(1) * 2",
    "median and mode": "x.median(0).values * 2 + x.mode(1)[0] + x.kthvalue(2).values",
    "running": "x.cummax(1)[0] * 2 + x.cummin(0).values",
    "moments": "torch.var_mean(x, 1)[0] * 2 + torch.std_mean(x, 0)[1] + x.aminmax().max",
}
COUNTED = """
def used(g, k):
    x = (torch.arange(36.0).reshape(6, 6) * k / 36).requires_grad_()
    y = g(x)
    (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
    return y.detach(), x.grad
"""


@pytest.mark.parametrize("kind", SEVERAL)
def test_several_outputs(kind):
    made = session(
        f"{SETUP}{COUNTED}f = lambda x: {SEVERAL[kind]}\nc = torch.compile(f)\nx = torch.rand(6, 6, requires_grad=True)\nc(x)"
    )
    assert replays(made, "c(x)")
    for k in (1.0, 0.75):
        assert bits(made.run(f"used(c, {k})")) == bits(made.run(f"used(f, {k})"))


def test_named_results_stay_what_they_are():
    made = session(f"{SETUP}f = lambda x: (x * 2 + 1).max(1)\nc = torch.compile(f)\nc(w)")
    assert replays(made, "c(w)")
    assert (
        made.run("type(c(w)) is type(f(w)), c(w).indices.equal(f(w).indices), c(w)[0].equal(f(w).values)")
        == (True,) * 3
    )


INSIDE = {
    "operators": "    h = x * 2\n    h += 1\n    h *= w\n    h -= x\n    h /= 3\n    return h",
    "methods": "    h = x @ w\n    h.mul_(w).add_(x, alpha=0.5).clamp_(0.1)\n    return h.neg_()",
    "a mask": "    h = x + 1\n    h.masked_fill_(x > 0.5, 0.25)\n    return h * w",
}


@pytest.mark.parametrize("kind", INSIDE)
def test_what_a_function_made_is_written_over(kind):
    made = session(
        f"{SETUP}{COUNTED}def f(x):\n{INSIDE[kind]}\nc = torch.compile(f)\nx = torch.rand(6, 6, requires_grad=True)\nc(x)"
    )
    assert replays(made, "c(x)")
    for k in (1.0, 0.75):
        assert bits(made.run(f"used(c, {k})")) == bits(made.run(f"used(f, {k})"))


def test_a_write_over_what_the_backward_pass_needs_is_an_error():
    for call in ("f(x)", "[c(x), c(x), c(x)][2]"):
        made = session(
            f"{SETUP}def f(x):\n    h = (x * 2).exp()\n    h += 1\n    return h * w\nc = torch.compile(f)\nx = torch.rand(6, 6, requires_grad=True)"
        )
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            made.run(f"{call}.sum().backward()")


WRITES = "def f(x, y):\n    x += y\n    z = x * w\n    x.mul_(0.5).relu_()\n    return z + x, x\nc = torch.compile(f)\n"


def test_a_tensor_of_the_call_is_written_over():
    made = session(f"{SETUP}{WRITES}y = torch.randn(6, 6)\na, b = w.clone(), w.clone()\nc(a, y)\nf(b, y)")
    assert replays(made, "c(a, y)")
    made.run("f(b, y)\nr, s = c(a, y), f(b, y)")
    assert bits(made["a"]) == bits(made["b"]) and bits(made["r"][0]) == bits(made["s"][0])
    assert made.run("r[1] is a and s[1] is b, a._version > 0")


def test_tensors_on_one_memory_are_left_to_the_function():
    made = session(
        f"{SETUP}{WRITES}y = torch.randn(6, 6)\na, b = w.clone(), w.clone()\nc(w.clone(), y)\nc(w.clone(), y)"
    )
    made.run("r, s = c(a, a.detach()), f(b, b.detach())")
    assert bits(made["a"]) == bits(made["b"]) and bits(made["r"][0]) == bits(made["s"][0])
    made.run("v, u = torch.ones(12, 6), torch.ones(12, 6)\nr, s = c(v[:6], v[6:]), f(u[:6], u[6:])")
    assert bits(made["v"]) == bits(made["u"]) and bits(made["r"][0]) == bits(made["s"][0])


def test_a_view_that_was_taken_before_follows():
    made = session(
        f"{SETUP}def f(x):\n    h = x * 2\n    v = h[0]\n    h += 1\n    return v + h\nc = torch.compile(f)\nx = torch.rand(6, 6)\nc(x)"
    )
    assert replays(made, "c(x)")
    assert bits(made.run("c(x)")) == bits(made.run("f(x)"))


def test_a_tensor_that_wants_a_gradient_is_not_written_over():
    made = session(
        f"{SETUP}def f(x, y):\n    x += y\n    return x * w\nc = torch.compile(f)\np = torch.rand(6, 6, requires_grad=True)"
    )
    made.run(
        "def used(g):\n    a = torch.zeros(6, 6)\n    g(a, p).sum().backward()\n    found = p.grad, a.requires_grad\n    p.grad = None\n    return found"
    )
    assert [bits(made.run("used(c)")[0]) for _ in range(3)] == [bits(made.run("used(f)")[0])] * 3
    assert made.run("used(c)")[1] is True
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        made.run("c(p, w)")


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_keeps_its_statistics(training):
    found = []
    for compiled in (True, False):
        made = session(
            f"{SETUP}from torch import nn\n"
            "model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 8), nn.BatchNorm1d(8))\n"
            f"model.train({training})\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "x, y = torch.randn(5, 1, 6, 6), torch.randn(5, 8)\n"
            "def f(x, y):\n    optimizer.zero_grad()\n    loss = F.mse_loss(model(x), y)\n    loss.backward()\n    optimizer.step()\n"
            "    return loss\n" + ("step = torch.compile(f)" if compiled else "step = f")
        )
        made.run("losses = [step(x * k, y).item() for k in range(1, 6)]")
        if compiled:
            assert replays(made, "pass; step(x, y)")
        else:
            made.run("step(x, y)")
        found.append((made["losses"], {k: bits(v) for k, v in made.run("model.state_dict()").items()}))
    assert found[0] == found[1]
