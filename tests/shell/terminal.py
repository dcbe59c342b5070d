"""A tensorsh process in a pseudo-terminal and the screen it draws on.

Nothing here depends on how fast the machine is: keys are sent when the editor reads them, what they do is waited for on the
screen, and the patience of a wait is far beyond what a slow machine needs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")

from wcwidth import wcwidth as cell_width  # noqa: E402 - with pyte

from ..support.started import FORKS, Shell  # noqa: E402

ROOT = Path(__file__).parents[2]
UNSET = ("NO_COLOR", "FORCE_COLOR", "COLORFGBG", "COLUMNS", "LINES", "PYTHONIOENCODING")
UP, DOWN, RIGHT, TAB, PASTE, PASTED = "\x1b[A", "\x1b[B", "\x1b[C", "\t", "\x1b[200~", "\x1b[201~"
PATIENCE = 60.0
READS, READS_NO_MORE = b"\x1b[?2004h", b"\x1b[?2004l"
"""What the editor sends when it begins and ends to read an entry."""


class Screen(pyte.HistoryScreen):  # type: ignore[misc, name-defined]
    """A screen that puts together anew only the lines in which something was written: it is looked at after every few letters."""

    @property
    def display(self) -> list[str]:
        shown, columns = self.__dict__.setdefault("shown", {}), range(self.columns)
        for y in self.dirty:
            line = self.buffer[y]
            found = line.get
            text = "".join([found(x, line.default).data for x in columns])
            shown[y] = text if text.isascii() else self.with_wide(line)
        self.dirty.clear()
        return [shown[y] for y in range(self.lines)]

    def with_wide(self, line: Any) -> str:
        """A line in which some letters may be two columns wide."""
        cells: list[str] = []
        skipped = False
        for x in range(self.columns):
            if skipped:
                skipped = False
                continue
            cells.append(line[x].data)
            skipped = cell_width(cells[-1][0]) == 2
        return "".join(cells)


class Terminal:
    """What a person at a terminal does and sees. A thread draws what comes and answers what the program asks."""

    def __init__(
        self, folder: Path, *arguments: str, columns: int = 100, rows: int = 40, wait: bool = True, **variables: str
    ) -> None:
        env = {k: v for k, v in os.environ.items() if k not in UNSET}
        env |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        env |= {"XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}
        env |= {"XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder), **variables}
        self.folder = folder
        self.screen = Screen(columns, rows, history=5000)
        self.screen.write_process_input = self.send  # where the cursor is, when asked
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.changed = threading.Condition()
        self.process: Any
        if FORKS and not any(
            name.startswith(("PYTHON", "LC_")) for name in variables
        ):  # which are read when Python starts
            self.process = Shell([*arguments], env, folder, rows, columns)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads when a process is started
                self.process = pexpect.spawn(
                    sys.executable,
                    ["-m", "tensorsh", *arguments],
                    env=env,
                    cwd=str(folder),
                    dimensions=(rows, columns),
                    preexec_fn=partial(
                        signal.signal, signal.SIGINT, signal.SIG_DFL
                    ),  # also where the tests ignore Ctrl-C
                )
        self.drawing = threading.Thread(target=self._draw, daemon=True)
        self.drawing.start()
        if wait:
            self.wait("tsr>")

    def _draw(self) -> None:
        while True:
            try:
                data = os.read(self.process.child_fd, 65536)
            except OSError:  # the program has ended
                data = b""
            with self.changed:
                self.raw += data
                self.stream.feed(data)
                self.changed.notify_all()
            if not data:
                return

    def text(self) -> str:
        with self.changed:
            return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def entry(self) -> str:
        """The screen from the last prompt on."""
        return self.text().rpartition("tsr>")[2]

    def prompts(self) -> int:
        """How many entries have been asked for."""
        return self.raw.count(READS)

    def is_reading(self) -> bool:
        """Whether the editor is there and takes keys."""
        return self.raw.rfind(READS) > self.raw.rfind(READS_NO_MORE)

    def until(self, condition: Callable[[], object], what: str = "what is waited for") -> str:
        """The screen, as soon as a condition holds."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            while not condition():
                assert self.changed.wait(end - time.monotonic()), f"{what} is not on the screen:\n{self.text()}"
            return self.text()

    def wait(self, shown: str) -> str:
        """The screen, as soon as a text stands on it."""
        return self.until(lambda: shown in self.text(), repr(shown))

    def gone(self, shown: str) -> str:
        """The screen, as soon as a text no longer stands on it."""
        return self.until(lambda: shown not in self.text(), f"a screen without {shown!r}")

    def send(self, keys: str) -> None:
        data = keys.encode()
        while data:
            data = data[os.write(self.process.child_fd, data) :]

    def type(self, keys: str, shown: str) -> str:
        """Presses keys and waits until a text stands in the entry (or in the menu and the bar below)."""
        self.until(self.is_reading, "the prompt")
        self.send(keys)
        return self.until(lambda: shown in self.entry(), f"{shown!r} in the entry")

    def run(self, *entries: str) -> str:
        """Types entries, each when the prompt is there; the screen when the last one has run."""
        for entry in entries:
            self.until(self.is_reading, "the prompt")
            before = self.prompts()
            self.send(entry + "\r")
            self.until(lambda: self.prompts() > before and self.is_reading(), "the next prompt")  # noqa: B023
        return self.until(lambda: "tsr>" in self.text())

    def enter(self, text: str, shown: str) -> str:
        """Runs an entry and waits for what it shows."""
        self.run(text)
        return self.wait(shown)

    def answer(self, line: str) -> str:
        """Types a line for `input()` and waits for the prompt after it."""
        before = self.prompts()
        self.send(line + "\r")
        return self.until(lambda: self.prompts() > before and self.is_reading(), "the next prompt")

    def interrupt(self) -> None:
        self.send("\x03")

    def rests(self) -> None:
        """Waits until the program waits in a call of the system (elsewhere than on Linux: a good while): what is pressed between
        Python's last look for it and that call is heard only when the call is over."""
        path = Path(f"/proc/{self.process.pid}/stat")
        if not path.exists():
            time.sleep(1)
            return
        told, before, end = "", "", time.monotonic() + PATIENCE
        while told[:1] != "S" or told != before:
            assert time.monotonic() < end, f"something is being computed:\n{self.text()}"
            time.sleep(0.05)
            before, told = told, path.read_text().rpartition(") ")[2]

    def busy(self, seconds: float) -> None:
        """Waits until the program has computed for some time from now on (elsewhere than on Linux: a good while)."""
        path = Path(f"/proc/{self.process.pid}/stat")
        if not path.exists():
            time.sleep(2 + seconds)
            return
        spent = lambda: sum(map(int, path.read_text().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        began, end = spent(), time.monotonic() + PATIENCE
        while spent() < began + seconds:
            assert time.monotonic() < end, f"nothing is being computed:\n{self.text()}"
            time.sleep(0.05)

    def ended(self) -> int:
        """The exit code, when the program has left by itself."""
        self.drawing.join(PATIENCE)
        assert not self.drawing.is_alive(), f"the program goes on:\n{self.text()}"
        code = self.process.wait()
        self.process.close()
        return code

    def close(self) -> None:
        if self.drawing.is_alive():
            self.process.kill(signal.SIGKILL)
            self.drawing.join(PATIENCE)
        self.process.close()
