"""The grad_fn chain in one line."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tensorsh.display.cells import cell_width
from tensorsh.display.chain import chain_text

_spec = importlib.util.spec_from_file_location("fake_nodes", Path(__file__).with_name("fake_nodes.py"))
fake = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake)
Node, leaf = fake.Node, fake.leaf

x, w, b = leaf((3, 4)), leaf((4,)), leaf()
NAMES = fake.names_of(x=x, w=w, b=b)
add = Node("AddBackward0", x, None)
linear = Node("AddmmBackward0", b, Node("ReluBackward0", add), Node("TBackward0", w))
long_branch = Node("MulBackward0", Node("AddBackward0", x, w), x)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Node("MeanBackward0", Node("MulBackward0", add)), "MeanBackward0 ← MulBackward0 ← AddBackward0 ← x"),
        (Node("MulBackward0", w, add), "MulBackward0(w) ← AddBackward0 ← x"),
        (Node("MulBackward0", add, w), "MulBackward0(w) ← AddBackward0 ← x"),
        (linear, "AddmmBackward0(b, w) ← ReluBackward0 ← AddBackward0 ← x"),
        (
            Node("DivBackward0", linear, long_branch),
            "DivBackward0(…) ← AddmmBackward0(b, w) ← ReluBackward0 ← AddBackward0 ← x",
        ),
        (Node("SinBackward0", leaf()), "SinBackward0 ← AccumulateGrad"),
        (Node("SinBackward0", leaf(name="rate")), "SinBackward0 ← rate"),
        (fake.Variable(grad_fn=add), "AddBackward0 ← x"),
        (fake.Variable(grad_fn=None), ""),
        (x, "x"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_chain(node, text):
    assert chain_text(node, NAMES, width=120) == text
    assert chain_text(node, NAMES, width=120, unicode=False) == text.replace("←", "<-").replace("…", "...")


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [1, 10, 20, 40, 55, 56, 300])
def test_truncated_to_the_width(width, unicode):
    text = chain_text(linear, {**NAMES, id(x.variable): "重み"}, width=width, unicode=unicode)
    assert cell_width(text) <= width
    assert unicode or text.isascii()
    full = chain_text(linear, NAMES, width=300)
    assert chain_text(linear, NAMES, width=len(full)) == full
    assert chain_text(linear, NAMES, width=len(full) - 1) == "AddmmBackward0(b, w) ← ReluBackward0 ← …"


def test_long_chains_cost_only_the_line():
    visited = []

    class Counted(Node):
        def name(self):
            visited.append(self)
            return super().name()

    node = x
    for _ in range(100_000):
        node = Counted("SinBackward0", node)
    text = chain_text(node, NAMES)
    assert text == "SinBackward0" + " ← SinBackward0" * 4 + " ← …" and len(visited) < 200
    fake.take_apart(node)
