"""Programs of several ranks: where they stand, what each rank printed under PyTorch, what it prints here."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from . import started

TESTS = Path(__file__).parents[1]
RANKS = (2, 4)
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
LONGEST = 120
"""Seconds after which a run counts as hanging."""


def programs() -> list[Path]:
    return sorted((TESTS / "distributed" / "programs").glob("*.py"))


def runs() -> list[tuple[Path, int]]:
    """Each program with the numbers of ranks it is run with; those that write files are no scripts, and run with 2."""
    files = (TESTS / "distributed" / "files").glob("*.py")
    return [(program, size) for program in programs() for size in RANKS] + [(program, 2) for program in sorted(files)]


def recorded(program: Path, size: int) -> Path:
    return TESTS / "data" / "ranks" / f"{program.stem}.{size}.txt"


def by_rank(text: str, size: int) -> list[list[str]]:
    """The lines of each rank."""
    found: list[list[str]] = [[] for _ in range(size)]
    for line in text.splitlines():
        label = re.match(r"\[(\d+)\] ?(.*)", line)
        if label and int(label[1]) < size:
            found[int(label[1])].append(ADDRESS.sub("at 0x", label[2]))
    return found


def tensorsh(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end; it must not hang."""
    return started.tensorsh(
        *words, timeout=LONGEST, env={**os.environ, "PYTHONWARNINGS": "ignore", "NO_COLOR": "1", **environment}
    )


def shared() -> set[str]:
    """The files of MPI in shared memory."""
    return {name for name in os.listdir("/dev/shm") if "mpich" in name} if os.path.isdir("/dev/shm") else set()


def gone_from_shared_memory(before: set[str]) -> bool:
    """Whether nothing new stays there; what other runs have there for a moment, while they start, goes by itself."""
    new, end = shared() - before, time.monotonic() + 10
    while (new := new & shared()) and time.monotonic() < end:
        time.sleep(0.05)
    return not new
