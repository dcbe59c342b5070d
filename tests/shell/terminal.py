"""A tensorsh process in a pseudo-terminal and the screen it draws on."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")

ROOT = Path(__file__).parents[2]
UNSET = ("NO_COLOR", "FORCE_COLOR", "COLORFGBG", "COLUMNS", "LINES", "PYTHONIOENCODING")
UP, DOWN, RIGHT, TAB, PASTE, PASTED = "\x1b[A", "\x1b[B", "\x1b[C", "\t", "\x1b[200~", "\x1b[201~"


class Terminal:
    """What a person at a terminal does and sees."""

    def __init__(
        self, folder: Path, *arguments: str, columns: int = 100, rows: int = 40, wait: bool = True, **variables: str
    ) -> None:
        env = {k: v for k, v in os.environ.items() if k not in UNSET}
        env |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        env |= {"XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}
        env |= {"XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder), **variables}
        self.folder = folder
        self.screen = pyte.HistoryScreen(columns, rows, history=5000)
        self.screen.write_process_input = lambda data: self.process.send(data)  # where the cursor is, when asked
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.process = pexpect.spawn(
            sys.executable, ["-m", "tensorsh", *arguments], env=env, cwd=str(folder), dimensions=(rows, columns)
        )
        self.process.delaybeforesend = None
        if wait:
            self.wait("tsr>")

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def above(self) -> str:
        """The screen without the line at the bottom."""
        return "\n".join(line.rstrip() for line in self.screen.display[:-1]).rstrip()

    def read(self, seconds: float = 0.05) -> None:
        try:
            data = self.process.read_nonblocking(65536, seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += data
        self.stream.feed(data)

    def wait(self, shown: str, seconds: float = 20) -> str:
        """The screen, as soon as a text stands on it."""
        end = time.monotonic() + seconds
        while True:
            self.read()
            if shown in self.text():
                return self.text()
            assert time.monotonic() < end, f"{shown!r} is not on the screen:\n{self.text()}"

    def settle(self, seconds: float = 0.3) -> str:
        """The screen when nothing more is drawn."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = len(self.raw)
            self.read(0.05)
            if len(self.raw) != before:
                end = time.monotonic() + seconds
        return self.text()

    def send(self, keys: str) -> None:
        self.process.send(keys)

    def enter(self, text: str, shown: str) -> str:
        """Types a line and waits for what it shows."""
        self.send(text + "\r")
        return self.wait(shown)

    def interrupt(self) -> None:
        self.process.sendintr()

    def ended(self) -> int:
        self.process.expect(pexpect.EOF, timeout=20)
        self.process.close()
        return self.process.exitstatus

    def close(self) -> None:
        self.process.close(force=True)
