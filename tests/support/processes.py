"""Python in a process of its own: what a program loads and prints there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tensorsh

FOLDER = Path(__file__).parents[2]
PACKAGE = str(Path(tensorsh.__file__).parents[1])


def printed(code: str, *options: str) -> str:
    """What code prints; it must end well and complain of nothing."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, cwd=FOLDER,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
