"""The launcher: starts the ranks of a program on this machine, passes on what they print, and ends all when one ends badly.

Each rank gets two ends of socket pairs, to MPI's process manager and to the keys: nothing listens. The ranks are groups of
processes of their own, so that a signal to the launcher ends them in order, and none of their children stays.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from .lifeline import end_with
from .service import ENDED, Service
from .world import KEYS, TORCHRUN

NOTICE = 2.0
"""Seconds that the others have to find out by themselves that a rank is gone, and to say so."""
TERM = 3.0
"""Seconds between the request to end and the end."""
LONGEST = 1 << 16
"""Bytes of a line that is passed on whole."""
SIGNALS = {int(each): each.name for each in signal.Signals}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Lines:
    """What one rank writes to one stream, passed on line by line."""

    def __init__(self, source: Any, target: BinaryIO | None, label: bytes) -> None:
        self.source, self.target, self.label = source, target, label
        self.kept = b""
        self.refused: OSError | None = None
        """Why something was not passed on, where somebody would have read it."""

    def readable(self) -> bool:
        """Passes on what came; False at the end."""
        try:
            data = os.read(self.source.fileno(), 1 << 16)
        except OSError:
            data = b""
        *lines, self.kept = (self.kept + data).split(b"\n")
        if (not data or len(self.kept) > LONGEST) and self.kept:
            lines.append(self.kept)
            self.kept = b""
        if lines and self.target is not None:
            try:
                self.target.write(b"".join(self.label + line + b"\n" for line in lines))
                self.target.flush()
            except (BrokenPipeError, ValueError):
                pass  # nobody reads: the ranks go on
            except OSError as error:
                self.refused = error
        return bool(data)


class Rank:
    """One rank: its process, how it ended."""

    def __init__(self, number: int, process: subprocess.Popen) -> None:
        self.number, self.process = number, process
        self.code: int | None = None

    def kill(self, number: int) -> None:
        """Sends a signal to the process and to all that it has started."""
        try:
            os.killpg(self.process.pid, number)
        except OSError:
            pass

    def how(self) -> str:
        """How it ended, in words."""
        code = self.code or 0
        if code < 0:
            return f"was ended by {SIGNALS.get(-code, f'signal {-code}')}"
        return f"ended with exit code {code}" if code else ENDED


class Launcher:
    """The ranks of one program, from their start to their end."""

    def __init__(
        self, size: int, command: Sequence[str], labels: bool = True, outputs: Sequence[tuple[Any, Any]] = ()
    ) -> None:
        self.size, self.command, self.labels = size, list(command), labels
        self.outputs = outputs or [tuple(each and each.buffer for each in (sys.stdout, sys.stderr))] * size
        """Where the lines of each rank's stdout and stderr go."""
        self.selector = selectors.DefaultSelector()
        self.service = Service(size, self.selector)
        self.ranks: list[Rank] = []
        self.streams = 0
        self.signals: list[int] = []
        self.failed: Rank | None = None
        self.refused: OSError | None = None
        self.held: list[int] = []

    def start(self) -> None:
        """Starts all ranks."""
        for number in range(self.size):
            self._start(number)

    def _start(self, number: int) -> None:
        pmi, pmi_there = socket.socketpair()
        keys, keys_there = socket.socketpair()
        alive, held = os.pipe()  # of which the system tells the rank when its other end closes
        self.held.append(held)
        environment = self.environment(number, pmi_there.fileno(), keys_there.fileno())
        process = subprocess.Popen(
            self.command, env=environment, stdin=None if number == 0 else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, preexec_fn=lambda: end_with(alive),
            pass_fds=(pmi_there.fileno(), keys_there.fileno(), alive),
        )  # fmt: skip
        pmi_there.close()
        keys_there.close()
        os.close(alive)
        self.service.connect(pmi, "pmi", number)
        self.service.connect(keys, "keys", number)
        self.ranks.append(Rank(number, process))
        label = b"[%d] " % number if self.labels else b""
        for source, target in zip((process.stdout, process.stderr), self.outputs[number], strict=True):
            lines = Lines(source, target, label)
            self.selector.register(source, selectors.EVENT_READ, lambda lines=lines: self._read(lines))
            self.streams += 1

    def environment(self, number: int, pmi: int, keys: int) -> dict[str, str]:
        """The environment of a rank: torchrun's names, MPI's, and one thread for each rank's products of matrices."""
        rank, size = str(number), str(self.size)
        said = {name: value for name, value in os.environ.items() if name not in TORCHRUN}
        said |= {"RANK": rank, "LOCAL_RANK": rank, "ROLE_RANK": rank, "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1"}
        said |= {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size, "ROLE_WORLD_SIZE": size, "ROLE_NAME": "default"}
        said |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": self.service.name}
        said |= {"TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0", "PYTHONUNBUFFERED": "1"}
        said |= {"PMI_FD": str(pmi), "PMI_RANK": rank, "PMI_SIZE": size, KEYS: str(keys), "UCX_TLS": "self,sm"}
        if self.size > 1 and not any(name in os.environ for name in THREADS):
            said |= dict.fromkeys(THREADS, "1")  # as torchrun does: ranks share the cores
        return said

    def _read(self, lines: Lines) -> None:
        if not lines.readable():
            self.selector.unregister(lines.source)
            lines.source.close()
            self.streams -= 1
        self.refused = self.refused or lines.refused

    def run(self) -> int:
        """Starts the ranks and stays until all are gone; the exit code."""
        watched = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, lambda got, frame: self.signals.append(got)) for number in watched}
        waking, woken = socket.socketpair()
        for each in (waking, woken):
            each.setblocking(False)
        old = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        self.selector.register(waking, selectors.EVENT_READ, lambda: waking.recv(4096))
        try:
            self.start()
            return self._watch()
        finally:
            for rank in self.ranks:
                if rank.process.poll() is None:
                    rank.kill(signal.SIGKILL)
                    rank.process.wait()
                rank.kill(signal.SIGKILL)  # what it left behind
            self.service.forget()
            signal.set_wakeup_fd(old)
            for number, handler in before.items():
                signal.signal(number, handler)
            waking.close()
            woken.close()
            for pipe in self.held:
                os.close(pipe)

    def _watch(self) -> int:
        stop: float | None = None
        asked = 0
        while True:
            self.service.step(0.1 if self.streams else 0.02)
            living = [rank for rank in self.ranks if not self._ended(rank)]
            if self.signals and not asked:
                asked = self.signals[0]
                for rank in living:
                    rank.kill(asked)
                stop = time.monotonic() + TERM
            if self.failed is not None and stop is None:
                stop = time.monotonic() + NOTICE
            if not living:
                break
            if stop is not None and time.monotonic() > stop:
                for rank in living:
                    rank.kill(signal.SIGTERM if not asked else signal.SIGKILL)
                    rank.kill(signal.SIGCONT)
                asked, stop = asked or signal.SIGTERM, time.monotonic() + TERM
        self._drain()
        if self.signals:
            return 128 + self.signals[0]
        if self.refused is not None:
            raise self.refused
        return self._code()

    def _ended(self, rank: Rank) -> bool:
        if rank.code is not None:
            return True
        rank.code = rank.process.poll()
        if rank.code is None:
            return False
        self.service.ended[rank.number] = rank.how()
        if rank.code and self.failed is None:
            self.failed = rank
        rank.kill(signal.SIGKILL)  # the processes that it leaves behind
        return True

    def _drain(self) -> None:
        """Passes on what is still in the pipes."""
        end = time.monotonic() + 1.0
        while self.streams and time.monotonic() < end:
            self.service.step(0.05)

    def _code(self) -> int:
        if self.failed is None:
            return 0
        code = self.failed.code or 0
        if code < 0:
            sys.stderr.write(f"tensorsh: rank {self.failed.number} {self.failed.how()}; the others were ended\n")
            sys.stderr.flush()
        return code if code in (2, 124, 130) else 1


def launch(size: int, words: Sequence[str], labels: bool = True, hosts: Sequence[str] = ()) -> int:
    """Runs `tensorsh` with some words as `size` ranks; the exit code: 1 where a rank failed, 130 after Ctrl-C.

    With `hosts`, an option of mpiexec and its value, mpiexec starts them on other machines.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    command = [sys.executable, "-P", "-m", "tensorsh", *words]
    return by_mpiexec(size, command, labels, hosts) if hosts else Launcher(size, command, labels).run()


def by_mpiexec(size: int, command: Sequence[str], labels: bool, hosts: Sequence[str]) -> int:
    """Hands a program over to mpiexec, which comes with the MPI library; it listens on the network."""
    from shutil import which

    found = which("mpiexec", path=os.path.join(sys.prefix, "bin")) or which("mpiexec")
    if found is None:
        sys.stderr.write('tensorsh: there is no mpiexec: pip install "tensorsh[distributed]"\n')
        return 2
    options = [*hosts, "-n", str(size), *(["-prepend-rank"] if labels else [])]
    process = subprocess.Popen([found, *options, *command], env={**os.environ, "PYTHONUNBUFFERED": "1"})
    while True:
        try:
            code = process.wait()
            return 130 if code in (2, -2, 130) else min(abs(code), 1)
        except KeyboardInterrupt:
            continue  # mpiexec got it, too, and ends its ranks
