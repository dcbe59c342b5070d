"""Runs the programs beside the tests in a session and compares what they print with what PyTorch printed.

Words must be equal; numbers may differ in the last digits, which matrix products leave to the machine. Numbers in
hexadecimal are words.
"""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

from .started import tensorsh

TESTS = Path(__file__).parents[1]
FOLDERS = ("nn", "optim", "data_loader", "guides", "as_torch", "vision")
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.])|[-+]?\d+e[-+]?\d+(?!\w)")


def programs(folder: str) -> list[Path]:
    return sorted((TESTS / folder / "programs").glob("*.py"))


def recorded(program: Path) -> Path:
    return TESTS / "data" / "programs" / f"{program.stem}.txt"


def expected(program: Path) -> str:
    """What PyTorch printed, without the heading that says where."""
    return of_this_python(recorded(program).read_text(encoding="utf-8").partition("\n")[2])


def of_this_python(text: str) -> str:
    """The text with ordered dictionaries as Python writes them since 3.12; what is recorded is 3.11's."""
    while sys.version_info >= (3, 12) and (start := text.rfind("OrderedDict([")) >= 0:
        first = start + len("OrderedDict([")
        items, depth, at, begun = [], 0, first, first
        while depth >= 0:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if depth == 1 and text[at] == "(":
                begun = at + 1
            elif depth == 0 and text[at] == ")":
                items.append(text[begun:at].replace(", ", ": ", 1))
            at += 1
        text = f"{text[:start]}OrderedDict({{{', '.join(items)}}}){text[at + 1 :]}"
    return text


def run(program: Path) -> str:
    """What a program prints in a session of its own."""
    from tensorsh import Session

    output = io.StringIO()
    session = Session(stdout=output)
    session.run("import warnings; warnings.simplefilter('ignore')")
    session.run(program.read_text(), str(program))
    return output.getvalue()


def run_as_torch(program: Path) -> str:
    """What a program prints as ordinary Python, with tensorsh in PyTorch's place."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    ran = tensorsh("python", program, cwd=TESTS.parent, env=environment, timeout=120)
    return ran.stdout + ran.stderr


def differences(got: str, wanted: str) -> list[str]:
    """The lines that differ by more than the last digits."""
    found = []
    left, right = got.splitlines(), wanted.splitlines()
    for i, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b and not same(a, b):
            found.append(f"line {i + 1}:\n  got      {a}\n  expected {b}")
    if len(left) != len(right):
        found.append(f"{len(left)} lines instead of {len(right)}")
    return found


def same(a: str, b: str) -> bool:
    numbers = [list(map(float, NUMBER.findall(text))) for text in (a, b)]
    if NUMBER.sub("#", a).split() != NUMBER.sub("#", b).split() or len(numbers[0]) != len(numbers[1]):
        return False
    return all(abs(x - y) <= 2e-4 + 2e-4 * abs(y) for x, y in zip(*numbers, strict=True))
