"""Long calls of every operator end: `make nightly`, about an hour; ``SWEEP=3/40`` for every fortieth operator, from the third on.

Each tensor of an operator's example is replaced by one number repeated 2**40 times, in one, two and three dimensions, and by a large
tensor. A call is given one second by ``Session(timeout=1)``, and has to be over, one way or another, after three.
"""

from __future__ import annotations

import ast
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 3.0
"""Processor time after which a call stands still; it is left within its second of the clock where the machine is quiet."""
SHAPES = ["(2**40,)", "(2**20, 2**20)", "(2**14, 2**13, 2**13)"]

CHILD = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
from tensorsh import Session
from tensorsh.engine.loading import table
table.load_all()
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
for line in sys.stdin:
    session = Session(timeout=1, max_memory=2 << 30)
    began = time.process_time()
    try:
        session.run(json.loads(line))
        told = "ended"
    except BaseException as error:
        told = type(error).__name__
    print(json.dumps([told, time.process_time() - began]), flush=True)
"""


def variants(code: list[str]) -> Iterator[str]:
    """An example's programs with one of its tensors replaced."""
    from tensorsh import Session

    session = Session()
    for line in code[:-1]:
        session.run(line)
    tree = ast.parse(code[-1], mode="eval")
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        for place, argument in enumerate(call.args):
            text = ast.unparse(argument)
            try:
                dtype = str(session.run(f"({text}).dtype")) if session.run(f"isinstance({text}, torch.Tensor)") else ""
            except Exception:
                continue
            if not dtype.startswith("torch."):
                continue
            made = [f"torch.ones(1, dtype={dtype}).expand({shape})" for shape in SHAPES]
            for new in [*made, f"torch.ones(3000, 3000, dtype={dtype})", f"torch.ones(10**7, dtype={dtype})"]:
                call.args[place] = ast.parse(new, mode="eval").body
                yield "\n".join([*code[:-1], ast.unparse(tree)])
            call.args[place] = argument


def operators() -> list[str]:
    """The operators of this run."""
    from tensorsh.engine.examples import example
    from tensorsh.engine.loading import table

    table.load_all()
    names = [name for name in sorted(table.OPERATORS) if example(name) is not None]
    first, _, count = os.environ.get("SWEEP", "0/1").partition("/")
    return names[int(first) :: int(count)]


class Child:
    """A process that makes calls, until one stands still."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )

    def ask(self, program: str) -> str:
        self.process.stdin.write(json.dumps(program).encode() + b"\n")
        self.process.stdin.flush()
        began = time.monotonic()
        while not select.select([self.process.stdout], [], [], 1)[0]:
            if time.monotonic() - began > 60:
                return "stands still"
        line = self.process.stdout.readline()
        if not line:
            return "crashed"
        told, seconds = json.loads(line)
        return told if seconds < SECONDS else f"{told} after {seconds:.1f} s"

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def children() -> Iterator[list[Child]]:
    made: list[Child] = []
    yield made
    for child in made:
        child.close()


@pytest.mark.parametrize("name", operators())
def test_calls_on_tensors_that_cost_nothing_end(name: str, children: list[Child]) -> None:
    from tensorsh.engine.examples import example

    wrong = []
    for program in variants(list(example(name).code)):
        if not children:
            children.append(Child())
        told = children[0].ask(program)
        if "after" in told or told in ("stands still", "crashed"):
            wrong.append(f"{told}: {program}")
            children.pop().close()
    assert not wrong, "\n".join(wrong)
