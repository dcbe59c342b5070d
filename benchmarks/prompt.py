"""The shell at a pseudo-terminal: how soon the prompt comes, how soon a key is drawn, how soon Ctrl-C gives the prompt back."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from .startup import ROOT, spent

HISTORY = 10_000
KEYS = "value_77 + torch.sum(value_3).argmax"
WHERE, READS = b"\x1b[6n", b"\x1b[?2004h"


class Prompt:
    """A tensorsh process, started at once; what it draws is kept as it comes."""

    def __init__(self, home: Path) -> None:
        self.raw = b""
        self.began = time.perf_counter()
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            keep = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "NO_COLOR"))}
            env = keep | {"PYTHONPATH": ROOT, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": str(home)}
            os.execve(sys.executable, [sys.executable, "-m", "tensorsh"], env)

    def read(self, seconds: float) -> bool:
        """What comes within some time; the question where the cursor is gets an answer."""
        if not select.select([self.file], [], [], seconds)[0]:
            return False
        data = os.read(self.file, 65536)
        self.raw += data
        if WHERE in data:
            os.write(self.file, b"\x1b[1;1R")
        return True

    def until(self, mark: bytes, start: int = 0) -> float:
        """Seconds since the start of the process when a mark has come."""
        while mark not in self.raw[start:]:
            if not self.read(60):
                raise TimeoutError(f"{mark!r} did not come: {self.raw[-500:]!r}")
        return time.perf_counter() - self.began

    def quiet(self, seconds: float) -> None:
        while self.read(seconds):
            pass

    def key(self, character: str) -> float:
        """Seconds until something is drawn for a key."""
        began = time.perf_counter()
        os.write(self.file, character.encode())
        self.read(10)
        return time.perf_counter() - began

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.file)


def shell(torch_python: str | None, rounds: int) -> str:
    """Start to prompt against the imports it cannot do without, keys with a long history, Ctrl-C in one long call."""
    imports = [sys.executable, "-c", "import numpy, prompt_toolkit"]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        kept = home / ".local/state/tensorsh/history.jsonl"
        kept.parent.mkdir(parents=True)
        base, prompts = [], []
        for _ in range(
            max(rounds, 7) + 1
        ):  # side by side, so that a busy machine slows both; the first fills the caches
            base.append(spent(imports)[0])
            one = Prompt(home)
            prompts.append(one.until(b"tsr>"))
            one.close()
        kept.write_text("".join(json.dumps(f"value_{i} = {i} * {i}") + "\n" for i in range(HISTORY)))
        one = Prompt(home)
        one.until(READS)
        one.quiet(3.0)
        keys = []
        for character in KEYS:
            keys.append(one.key(character))
            one.quiet(0.3)
        stop = interrupted(one)
        one.close()
    least, soonest = min(base[1:]), min(prompts[1:])  # what else the machine does only adds to it
    rows = [
        ("python -c 'import numpy, prompt_toolkit'", least, ""),
        ("tensorsh, start to prompt", soonest, f"{soonest / least:.2f} times the imports"),
        (
            f"a key is drawn, {HISTORY:,} entries of history",
            statistics.median(keys),
            f"slowest {max(keys) * 1e3:.0f} ms",
        ),
        ("Ctrl-C in one long matrix product, to the prompt", stop, ""),
    ]
    lines = ["## Shell", "", "| | time | |", "|---|---|---|"]
    return (
        "\n".join([*lines, *(f"| {name} | {seconds * 1e3:.0f} ms | {note} |" for name, seconds, note in rows)]) + "\n"
    )


def interrupted(one: Prompt) -> float:
    """Seconds from Ctrl-C to the next prompt while one product of matrices is computed."""
    os.write(one.file, b"\x15" + b"a = ones(8000, 8000); ones(2, 2) @ ones(2, 2);\r")
    one.until(READS, len(one.raw))
    one.quiet(0.5)
    at = len(one.raw)
    os.write(one.file, b"print('now'); b = a @ a\r")
    one.until(b"now\r\n", at)
    one.quiet(1.0)
    began, at = time.perf_counter(), len(one.raw)
    os.write(one.file, b"\x03")
    one.until(READS, at)
    return time.perf_counter() - began
