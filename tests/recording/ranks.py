"""What the programs of tests/distributed print on each of several ranks under PyTorch, with gloo, started by torchrun."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ..support.ranks import recorded, runs
from .origin import one_thread, origin

MINUTES = 2


def record() -> None:
    one_thread()
    for program, size in runs():
        lines = []
        for rank, text in enumerate(printed(program, size)):
            lines += [f"[{rank}] {line}" for line in text.splitlines()]
        recorded(program, size).write_text("\n".join([f"# {origin('ranks')}", *lines]) + "\n", encoding="utf-8")
        print(f"  {program.stem} on {size}: {len(lines)} lines")


def printed(program: Path, size: int) -> list[str]:
    """What each rank printed."""
    with tempfile.TemporaryDirectory() as folder:
        torchrun = os.path.join(os.path.dirname(sys.executable), "torchrun")
        words = [torchrun, "--nproc-per-node", str(size), "-r", "3", "--log-dir", folder, str(program)]
        subprocess.run(words, check=True, timeout=60 * MINUTES, capture_output=True)
        return [next(Path(folder).glob(f"**/{rank}/stdout.log")).read_text() for rank in range(size)]
