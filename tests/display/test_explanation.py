"""What `name?` shows of a docstring: paragraphs as wide as the terminal, examples as they stand."""

from __future__ import annotations

from tensorsh import Session
from tensorsh.display.explanation import explanation, paragraphs

LONG = "a learning rate, a number or a tensor of one element, that every step of an optimizer multiplies, and"


def test_lines_of_the_source_are_joined_and_others_stay() -> None:
    doc = f"A sentence.\n{LONG}\nmore of it.\nlr: short.\n\n>>> x\n{LONG}\ny\n\n    {LONG}\nend"
    assert paragraphs(doc) == [
        "A sentence.", f"{LONG} more of it.", "lr: short.", "", ">>> x", LONG, "y", "", f"    {LONG}", "end",
    ]  # fmt: skip


def test_no_word_stands_alone_on_a_narrow_terminal() -> None:
    session = Session()
    session.run("torch")
    for width in (60, 80, 100, 140):
        lines = explanation(session.inspect("torch.optim.Adam"), width).split("\n")
        prose = lines[lines.index("") + 1 : next(i for i, line in enumerate(lines) if line.startswith(">>>"))]
        assert max(map(len, prose)) <= width
        for line, following in zip(prose, prose[1:], strict=False):
            ends = line.endswith((".", ")."))
            assert ends or len(line) + 1 + len(following.split()[0]) > width, (width, line)


def test_nothing_is_cut_on_a_narrow_terminal() -> None:
    session = Session()
    session.run("np")
    wide, narrow = (explanation(session.inspect("np.sum"), width) for width in (120, 60))
    assert wide.split() == narrow.split() and max(map(len, narrow.split("\n"))) <= 60


def test_a_module_tells_its_names() -> None:
    text = explanation(Session().inspect("nn"), 2000)
    assert text.startswith("nn  module\n\nIts names, ") and "AlphaDropout, attention, AvgPool1d, " in text


def test_texts_of_what_a_program_defined() -> None:
    session = Session()
    session.run(
        "f = lambda a: a\nclass A:\n  def m(self): return 1\nclass B:\n  @staticmethod\n  def m(): return 2\n"
        "@torch.no_grad()\ndef g(x):\n  return x\n"
    )
    assert session.inspect("f").source == "f = lambda a: a"
    assert session.inspect("A.m").source == "def m(self): return 1"
    assert session.inspect("B.m").source == "@staticmethod\ndef m(): return 2"
    assert session.inspect("g").source == "@torch.no_grad()\ndef g(x):\n  return x"
    assert session.inspect("A").source == "class A:\n  def m(self): return 1"
    assert session.inspect("torch.relu").source == ""
