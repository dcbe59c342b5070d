"""Programs in a process of their own, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def command(folder: Path, source: str, *options: str) -> tuple[list[str], dict[str, str]]:
    """The command that runs a program, and its environment, by which its processes are known."""
    (folder / "program.tsr").write_text(source)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache"), "TSR_TEST": str(folder)}
    return [sys.executable, "-m", "tensorsh", *options, "program.tsr"], env


def run(folder: Path, source: str, *options: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    words, env = command(folder, source, *options)
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=timeout)


def left(folder: Path) -> list[int]:
    """The processes of a program that are still there."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                environment = (each / "environ").read_bytes()
                state = (each / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if f"TSR_TEST={folder}\0".encode() in environment and state != "Z":
                found.append(int(each.name))
    return found
