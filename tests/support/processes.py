"""Python in a process of its own: what a program loads and prints there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2]


def printed(code: str, *options: str) -> str:
    """What code prints; it must end well and complain of nothing."""
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, cwd=FOLDER)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
