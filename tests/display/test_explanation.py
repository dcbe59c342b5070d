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
