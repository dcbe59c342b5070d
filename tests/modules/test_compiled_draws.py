"""`torch.compile` of functions that draw random numbers: they draw those of the function, from the same generator, in its order."""

from __future__ import annotations

import pytest

from .test_compile import bits, replays, session

pytestmark = pytest.mark.usefixtures("closed_door")

PROGRAMS = {
    "one dropout": "f = lambda x: nn.functional.dropout(x * 2 + 1, 0.3) * x - 1",
    "two of them": "f = lambda x: nn.functional.dropout(torch.tanh(nn.functional.dropout(x, p=0.2) @ x), 0.5, True) + x",
    "attention": "f = lambda x: nn.functional.scaled_dot_product_attention(x[None], x[None] + 1, x[None] * 2, dropout_p=0.4) * 2 + x",
    "numbers drawn": "f = lambda x: x * x * torch.rand(6, 6) + torch.randn_like(x) * x - torch.randn(6)",
    "whole numbers drawn": "f = lambda x: x * x * torch.randint(0, 9, (6, 6)) + x.index_select(0, torch.randperm(6)) * 2",
    "a module": "torch.manual_seed(3)\nf = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.25), nn.Tanh(), nn.Dropout(0.5))",
    "one that does not draw": "f = lambda x: nn.functional.dropout(x * x, 0.5, False, False) + x * x - 1",
}
USES = """
def gradients(g):
    torch.manual_seed(7)
    x = (torch.arange(36.0).reshape(6, 6) / 36).requires_grad_()
    found = []
    for k in range(3):
        y = g(x)
        y.sum().backward()
        found.append((y.detach(), x.grad.clone()))
    return found, torch.rand(3)
def twice(g):
    torch.manual_seed(7)
    x = (torch.arange(36.0).reshape(6, 6) / 36).requires_grad_()
    g(x)
    y = g(x)
    torch.rand(5)
    (a,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    if a.requires_grad:
        (a * a).sum().backward()
    return a.detach(), x.grad, torch.rand(3)
def plain(g):
    torch.manual_seed(7)
    with torch.no_grad():
        return [g(torch.ones(6, 6)) for _ in range(3)], torch.rand(3)
"""


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_draws_what_its_function_draws(kind):
    made = session("from torch import nn\n" + PROGRAMS[kind] + "\nc = torch.compile(f)\n" + USES)
    for way in ("gradients", "twice", "plain"):
        made.run(f"made = {way}(c)")  # which has a program now
        made.run("x = torch.ones(6, 6, requires_grad=True)")
        if kind != "a module":
            assert replays(made, "c(x)") or way == "plain"
            if way == "gradients":
                assert replays(made, "y = c(x)")
        made.run("y = None")
        if kind == "a module":
            made.run("f.zero_grad()")
        found = made.run(f"again = {way}(c)\n[again]")
        if kind == "a module":
            made.run("f.zero_grad()")
        assert bits(made["made"]) == bits(made.run(f"{way}(f)")), way
        assert bits(found[0]) == bits(made["made"]), way


def test_a_module_that_no_longer_trains_draws_nothing_more():
    made = session(
        "from torch import nn\nm = nn.Sequential(nn.Dropout(0.5), nn.Tanh())\nc = torch.compile(m)\nx = torch.ones(8)\n"
        "torch.manual_seed(0)\na = [c(x), c(x), c(x)]\nm.eval()\nb = [c(x), c(x)]\nm.train()\nd = c(x)\nm[0].p = 0.0\ne = c(x)"
    )
    made.run(
        "torch.manual_seed(0)\nm[0].p = 0.5\nplain = [m(x), m(x), m(x)]\nm.eval()\nlast = m(x)\nm.train()\nfourth = m(x)"
    )
    assert bits(made["a"]) == bits(made["plain"])
    assert [bits(each) for each in made["b"]] == [bits(made["last"])] * 2
    assert bits(made["d"]) == bits(made["fourth"])
    assert bits(made["e"]) == bits(made["last"])


def test_a_training_step_with_dropout_is_that_of_the_function():
    source = """
from torch import nn
def run(compiles):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randn(12, 8), torch.randn(12, 1)
    def f(x, y):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss
    step = torch.compile(f) if compiles else f
    losses = [step(x, y).detach() for _ in range(6)]
    return losses, [p.detach() for p in model.parameters()], torch.rand(2)
"""
    made = session(source)
    assert bits(made.run("run(True)")) == bits(made.run("run(False)"))


def test_a_call_that_fails_has_drawn_what_the_function_has_drawn():
    """An index that is too large is met after the numbers were drawn."""
    made = session(
        "from torch import nn\nF = nn.functional\nw = torch.rand(4, 4)\n"
        "f = lambda x, i: F.embedding(i, F.dropout(x * 2, 0.5)) * 2 + 1\nc = torch.compile(f)\n"
        "def used(g, x):\n    torch.manual_seed(5)\n    torch.rand(700)\n    found = g(x, torch.tensor([1, 2]))\n"
        "    try:\n        g(x, torch.tensor([1, 9]))\n    except IndexError as error:\n"
        "        return found.detach(), torch.rand(3)\n"
    )
    for wants in ("", ".requires_grad_()"):
        made.run(f"x = w.clone(){wants}\nused(c, x)")
        assert bits(made.run("used(c, x)")) == bits(made.run("used(f, x)"))
