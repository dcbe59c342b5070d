"""The drawing of backward graphs."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tensorsh.display.cells import cell_width
from tensorsh.display.colours import THEMES, stripped
from tensorsh.display.graph import Graph, place_text, saved_text

_spec = importlib.util.spec_from_file_location("fake_nodes", Path(__file__).with_name("fake_nodes.py"))
fake = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake)
Node, leaf = fake.Node, fake.leaf


class Freed(Node):
    saved_names = ("self",)

    @property
    def _saved_self(self):
        raise RuntimeError(
            "Trying to backward through the graph a second time (... after they have already been freed)"
        )


x, w = leaf((3, 4), grad=fake.Gradient(0.25)), leaf((4,))
add = Node("AddBackward0", x, None, shape=(3, 4), place=("/home/me/a.tsr", 1))
mul = Node(
    "MulBackward0", add, w, shape=(3, 4), dtype="float32", place=("a.tsr", 2, "  h = x * w\n"), norm=0.28867,
    _saved_self=fake.Variable((3, 4)), _saved_other=fake.Variable((4,)), saved_names=("self", "other"),
    cuts=("mask: detach() at a.tsr:1",),
)  # fmt: skip
sub = Freed("SubBackward0", mul, add)
mean = Node("MeanBackward0", sub, _saved_self_sizes=(3, 4), _saved_dim=(0, 1))
loss = fake.Variable((), grad_fn=mean)
NAMES = {**fake.names_of(x=x, 重み=w, h=mul), id(loss): "loss"}

DRAWN = """\
loss = MeanBackward0                       float32[]      saved dim (0, 1)
└─ SubBackward0
   ├─ h = MulBackward0                     float32[3, 4]  |grad| 0.2887  a.tsr:2  saved self[3, 4], other[4]  h = x * w
   │  ├─ #1 AddBackward0                   [3, 4]         a.tsr:1
   │  │  └─ x                              float32[3, 4]  leaf  |grad| 0.25
   │  ├─ 重み                              float32[4]     leaf
   │  └─ ╳ mask: detach() at a.tsr:1
   └─ #1 AddBackward0 (above)
what was saved for the gradients was freed by backward"""


def squeezed(text: str) -> list[str]:
    """The lines without the widths of the columns."""
    return [re.sub(r"(?<=\S) {2,}", "  ", line) for line in text.split("\n")]


def test_everything_a_node_tells_is_drawn():
    drawn = Graph(loss, NAMES).text(200)
    assert squeezed(drawn) == squeezed(DRAWN)
    starts = {cell_width(line[: line.index("float32[")]) for line in drawn.split("\n") if "float32[" in line}
    assert len(starts) == 1, "types stand in one column, also behind wide characters"
    assert repr(Graph(loss, NAMES)) == Graph(loss, NAMES).text(80)


def test_ascii_and_colours():
    text = Graph(loss, NAMES).text(200, unicode=False)
    assert text.isascii()
    assert squeezed(text)[3:6] == [
        "   |  |- #1 AddBackward0  [3, 4]  a.tsr:1",
        "   |  |  `- x  float32[3, 4]  leaf  |grad| 0.25",
        "   |  |- \\u91cd\\u307f  float32[4]  leaf",
    ]
    painted = Graph(loss, NAMES).text(100, theme=THEMES["dark"])
    assert painted != stripped(painted) == Graph(loss, NAMES).text(100)


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_lines_fit(width, unicode):
    deep = loss
    for _ in range(40):
        deep = Node("AddmmBackward0", w, Node("ReluBackward0", getattr(deep, "grad_fn", deep)))
    for graph in (Graph(loss, NAMES), Graph(deep, NAMES)):
        assert max(map(cell_width, graph.text(width, unicode).split("\n"))) <= width


def test_deep_graphs_continue_below():
    lines = Graph(fake.deep_chain(8, x), NAMES).text(30).split("\n")
    assert lines == [
        "SinBackward0",
        "└─ SinBackward0",
        "   └─ SinBackward0",
        "      └─ SinBackward0",
        "         └─ #1 SinBackward0 (…",
        "",
        "#1 SinBackward0",
        "└─ SinBackward0",
        "   └─ SinBackward0",
        "      └─ SinBackward0",
        "         └─ x    float32[3, 4…",
    ]


def test_long_graphs_end_at_the_limit():
    node = fake.deep_chain(200_000, x)
    lines = Graph(node, NAMES, limit=50).text().split("\n")
    assert lines[-1] == "… the graph goes on" and 50 < len(lines) < 70
    fake.take_apart(node)


def test_many_paths_to_one_node_are_drawn_once():
    node = x
    for _ in range(60):
        node = Node("AddBackward0", node, node)
    text = Graph(node, NAMES).text(200)
    trees = text.count("\n\n")
    assert 1 < trees < 5
    assert text.count("above") + text.count("below") == 59 + trees, (
        "each is referred to once, and where it goes on below"
    )
    assert text.count("x  ") == 1


def test_dot():
    node = Node('Odd"\\Name', x, x)
    assert Graph(node, NAMES).dot() == (
        "digraph {\n"
        '  node [shape=box, fontname="monospace", fontsize=10]\n'
        '  n0 [label="Odd\\"\\\\Name"]\n'
        "  n0 -> n1\n"
        "  n0 -> n1\n"
        '  n1 [label="x\\nfloat32[3, 4]\\nleaf\\n|grad| 0.25", style=filled, fillcolor=lightblue]\n'
        "}\n"
    )
    deep = fake.deep_chain(5000, x)
    assert Graph(deep, NAMES).dot().count("->") == 5000
    fake.take_apart(deep)


def test_without_history():
    value = fake.Variable((2,), grad_fn=None, requires_grad=False)
    assert Graph(value, {id(value): "y"}).text() == "y  float32[2]  no operation with a gradient led to this"
    value.cuts = ("detach() at a.tsr:3",)
    assert Graph(value).text() == "float32[2]  detach() at a.tsr:3"
    parameter = fake.Variable((2,), grad_fn=None, requires_grad=True)
    assert Graph(parameter).text() == "float32[2]  a leaf: nothing has been computed from it here"
    assert Graph(value).dot().count("\n") == 3


def test_places_and_saved_values():
    assert place_text(("C:\\x\\a.tsr", 3)) == "a.tsr:3" and place_text("here") == "here" and place_text(None) == ""
    assert place_text(fake.Variable(filename="/a/b.tsr", lineno=7)) == "b.tsr:7"

    class Modified(Node):
        _saved_exponent = 2

        @property
        def _saved_self(self):
            raise RuntimeError("one of the variables needed ... has been modified by an inplace operation")

    assert saved_text(Modified("PowBackward0")) == "self (modified since), exponent 2"
