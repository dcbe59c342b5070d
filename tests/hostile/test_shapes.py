"""Programs that choose sizes, strides and offsets get PyTorch's answer or its refusal, in time and in one piece."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from .shapes import OVERLAPS, OWN, programs

SECONDS = 2
EXPECTED = programs() | programs(OVERLAPS) | programs(OWN)


@cache
def answers() -> dict[str, tuple[str, float]]:
    """What each program gets here. All of a run are run one after the other; where one ends the process, the next starts another."""
    found: dict[str, tuple[str, float]] = {}
    waiting = list(EXPECTED)
    while waiting:
        run = subprocess.run(
            [sys.executable, str(Path(__file__).parent / "shapes.py"), "session"],
            input=json.dumps(waiting),
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONMALLOC": "debug"},
        )
        told = [json.loads(line) for line in run.stdout.splitlines()]
        found |= {waiting[number]: tuple(rest) for number, *rest in told if rest}
        last = told[-1][0] if told else 0
        if waiting[last] not in found:
            found[waiting[last]] = f"the process ended with {run.returncode}: {run.stderr[-300:]}", 0.0
        waiting = waiting[last + 1 :]
    return found


@pytest.mark.parametrize("program", EXPECTED)
def test_a_program_gets_what_pytorch_gives(program):
    told, seconds = answers()[program]
    assert told == EXPECTED[program]
    assert seconds < SECONDS
