"""The supervisor of the processes that run hostile programs: many in one process, a new one after a crash or a standstill."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOW = 2.0
"""Seconds of processor time that a program may take."""
FACTOR = 5.0 if os.environ.get("LD_PRELOAD") else 1.0
"""How much longer everything may take under sanitizers."""
PATIENCE = 30.0
"""Seconds of the clock after which a program stands still, also on a busy machine."""


BYTE = 0x7A
"""Memory that belongs to nobody who may see it is filled with this."""
SIGNS = ["2054847098", "8825501086245354106", "3.2516e+35", "3.25161e+35"]
"""The texts of such memory as int32, int64 and float32."""


class Worker:
    """One process and what it has said."""

    def __init__(self, command: list[str], byte: int) -> None:
        # Fresh memory of the C library is filled as well (M_PERTURB), with the complement of this byte.
        environment = {**os.environ, "MALLOC_PERTURB_": str(0xFF ^ byte), "PYTHONUNBUFFERED": "1"}
        self.told = tempfile.TemporaryFile()  # a pipe that nobody reads would fill up, and hold the process
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.told, env=environment, cwd=ROOT,
        )  # fmt: skip
        self.rest = b""

    def line(self, seconds: float) -> bytes | None:
        """The next line; nothing at the end, None where it takes too long."""
        output = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([output], [], [], seconds)[0]:
                return None
            piece = os.read(output, 65536)
            if not piece:
                return b""
            self.rest += piece
        found, _, self.rest = self.rest.partition(b"\n")
        return found

    def ask(self, source: str) -> tuple[str, str]:
        """A program's text, and the harm that it did."""
        self.process.stdin.write(json.dumps(source).encode() + b"\n")
        self.process.stdin.flush()
        self.line(20 * PATIENCE)  # until everything is loaded
        found = self.line(PATIENCE)
        if not found:
            return "", "stands still" if found is None else self.end()
        text, problem, seconds = json.loads(found)
        if not problem and seconds > SLOW * FACTOR:
            problem = f"takes {seconds:.1f} s"
        return text, problem

    def end(self) -> str:
        """The way in which a process ended by itself."""
        self.process.communicate()
        self.told.seek(0)
        told = self.told.read().decode(errors="replace")
        code = self.process.returncode
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"crash ({name}) {told[-2000:]}"

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.told.close()


class Runner:
    """Programs, one after another, in one process; in a new one after one that did harm."""

    def __init__(self, command: list[str] | None = None, byte: int = BYTE) -> None:
        self.command, self.byte = command or [sys.executable, "-m", "tests.hostile.worker"], byte
        self.worker: Worker | None = None

    def ask(self, source: str) -> tuple[str, str]:
        """A program's text, and the harm that it did: a crash, a standstill, foreign memory."""
        self.worker = self.worker or Worker(self.command, self.byte)
        text, harm = self.worker.ask(source)
        if harm:
            self.close()
        return text, harm

    def close(self) -> None:
        if self.worker:
            self.worker.close()
            self.worker = None


def run(sources: list[str], command: list[str] | None = None, byte: int = BYTE) -> list[tuple[str, str]]:
    """The text of each program, and the harm that it did."""
    runner = Runner(command, byte)
    answers = [runner.ask(source) for source in sources]
    runner.close()
    return answers
