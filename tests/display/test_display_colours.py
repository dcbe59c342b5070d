"""Colours: the text stays, the right parts are painted, and only where colours are wanted."""

from __future__ import annotations

import io

import pytest

from tensorsh.display.cells import cell_width, clip, draws_unicode, pad
from tensorsh.display.colours import (
    PLAIN,
    THEMES,
    Theme,
    coloured,
    stripped,
    type_note,
    with_note,
)
from tensorsh.display.terminal import use_color

from ..support.processes import printed

TAGS = Theme(number="N", special="S", dim="D")


def tagged(text: str) -> str:
    """The painted text with readable marks for escape sequences: <N ...>."""
    painted = coloured(text, TAGS)
    for kind in "NSD":
        painted = painted.replace(f"\x1b[{kind}m", f"<{kind} ")
    return painted.replace("\x1b[0m", ">")


PAINTED = [
    ("tensor([1.5000,    nan,   -inf])", "tensor([<N 1.5000>,    <S nan>,   <S -inf>])"),
    ("tensor([1., -2., 3.e-05])", "tensor([<N 1., -2., 3.e-05>])"),
    ("tensor([1.0000+2.j,    nan-1.5e+03j])", "tensor([<N 1.0000+2.j>,    <S nan><N -1.5e+03j>])"),
    ("tensor([1.0000+infj])", "tensor([<N 1.0000><S +infj>])"),
    ("tensor([ True, False])", "tensor([ <N True, False>])"),
    ("tensor([0,  ..., 9], device='cuda:0')", "tensor([<N 0>,  <D ...>, <N 9>]<D , device='cuda:0'>)"),
    ("tensor([2.],\n       grad_fn=<MulBackward0>)", "tensor([<N 2.>],\n       <D grad_fn=<MulBackward0>>)"),
    (
        "tensor([], size=(0, 3), dtype=torch.int64, requires_grad=True)",
        "tensor([]<D , size=(0, 3), dtype=torch.int64, requires_grad=True>)",
    ),
    ("{'a 1': tensor(2), 'nan': \"3\"}", "{'a 1': tensor(<N 2>), 'nan': \"3\"}"),
    ("<object at 0x7f12> 2.13.0+cpu float32", "<object at 0x7f12> 2.13.0+cpu float32"),
    ("Conv2d(1, 2)", "Conv2d(<N 1, 2>)"),
    ("tensor([[1.],\n        ...,\n        [2.]])", "tensor([[<N 1.>],\n        <D ...>,\n        [<N 2.>]])"),
]


@pytest.mark.parametrize(("text", "expected"), PAINTED, ids=range(len(PAINTED)))
def test_what_is_painted(text, expected):
    assert tagged(text) == expected


@pytest.mark.parametrize("theme", THEMES)
def test_stripping_gives_the_text_back(theme):
    for text, _ in PAINTED:
        assert stripped(coloured(text, THEMES[theme])) == text


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environ", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ],
)
def test_when_colours_are_wanted(environ, terminal, pipe):
    assert use_color(Terminal(), environ) is terminal
    assert use_color(io.StringIO(), environ) is pipe


def test_streams_that_are_gone_take_no_colour():
    closed = io.StringIO()
    closed.close()
    assert not use_color(None, {}) and not use_color(closed, {})


def test_note_beside_the_last_line():
    note = type_note("torch.float32", (3, 4))
    assert note == "float32[3, 4]" and type_note("int64", ()) == "int64[]"
    text = "tensor([[1.],\n        [2.]])"
    assert with_note(text, note, 40) == text + "  float32[3, 4]"
    assert with_note(text, note, 20) == text + "\nfloat32[3, 4]"
    assert with_note(coloured(text, THEMES["dark"]), note, 40, TAGS).endswith(")  \x1b[Dmfloat32[3, 4]\x1b[0m")


def test_cells():
    assert [cell_width(text) for text in ("abc", "重み", "e\u0301", "├─ ←", "é")] == [3, 4, 1, 4, 1]
    assert clip("重み重み", 5) == "重み…" and clip("abcdef", 5, "...") == "ab..." and clip("abc", 3) == "abc"
    assert clip("abcdef", 2, "...") == ".." and clip("abc", 0) == ""
    assert pad("重", 4) == "重  "
    for encoding, unicode in [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False), (None, False)]:
        stream = type("Stream", (), {"encoding": encoding})
        assert draws_unicode(stream) is unicode


def test_plain_path_loads_no_rich():
    code = (
        "import sys; from tensorsh.display import cells, chain, colours, graph, table; colours.coloured('tensor(1)');"
        "print([m for m in ('rich', 'prompt_toolkit', 'ml_dtypes', 'tensorsh.engine') if m in sys.modules])"
    )
    assert printed(code) == "[]\n"
    assert coloured("tensor(1)", PLAIN) == "tensor(1)"
