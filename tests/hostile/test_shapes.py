"""Programs that choose sizes, strides and offsets get PyTorch's answer or its refusal, in time and in one piece."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.processes import PACKAGE
from .shapes import OVERLAPS, OWN, programs

SECONDS = 2
EXPECTED = programs() | programs(OVERLAPS) | programs(OWN)


def answers(waiting: list[str]) -> dict[str, tuple[str, float]]:
    """What each program gets here. All are run one after the other; where one ends the process, the next starts another."""
    found: dict[str, tuple[str, float]] = {}
    while waiting:
        run = subprocess.run(
            [sys.executable, str(Path(__file__).parent / "shapes.py"), "session"],
            input=json.dumps(waiting),
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONMALLOC": "debug", "PYTHONPATH": PACKAGE},
        )
        told = [json.loads(line) for line in run.stdout.splitlines()]
        found |= {waiting[number]: tuple(rest) for number, *rest in told if rest}
        last = told[-1][0] if told else 0
        if waiting[last] not in found:
            found[waiting[last]] = f"the process ended with {run.returncode}: {run.stderr[-300:]}", 0.0
        waiting = waiting[last + 1 :]
    return found


PART = 200
"""Programs that share a process."""


@pytest.mark.parametrize("start", range(0, len(EXPECTED), PART))
def test_programs_get_what_pytorch_gives(start: int) -> None:
    expected = dict(list(EXPECTED.items())[start : start + PART])
    found = answers(list(expected))
    wrong = {
        p: (told, expected[p]) for p, (told, seconds) in found.items() if told != expected[p] or seconds >= SECONDS
    }
    assert found.keys() == expected.keys() and not wrong, json.dumps(wrong, indent=1)
