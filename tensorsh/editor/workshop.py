"""The workshop: a process that has loaded what a check needs and forks a child for each one.

    python -m tensorsh.editor.workshop FD     takes requests, each with two sockets of its own, over a socket
    python -m tensorsh.editor.workshop        checks the one request on standard input (where there is no fork)

A child reads a line of JSON and writes lines of JSON. The workshop ends it when its leash is let go, for the text has changed,
and when its time is over, however busy it is in one long operation. The workshop runs no program itself.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from typing import Any

GRACE = 1.0
"""Seconds that a child has beyond those of its program."""
BEHIND = 10
"""How nice children are to whoever types."""
IDLE = 0.3
"""Seconds without a request after which all operators are loaded, so that no child has to."""
REQUEST = 8
"""Bytes of a request on the control socket: the seconds that the program has."""
WARM = """x = torch.randn(2, 3, requires_grad=True)
layer = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
loss = nn.functional.mse_loss(layer(x @ x.T @ x), torch.zeros(2, 1))
loss.backward()
torch.optim.SGD(layer.parameters(), lr=0.1).step()
y = x.sum(0).mean().item(), torch.cat([x, x]), x[0, 1:], torch.arange(3)
"""
"""A program that loads what most programs use."""


class Child:
    """A check under way; its leash is a socket that the server closes when it wants the check no longer, or it has ended."""

    def __init__(self, pid: int, leash: socket.socket, until: float) -> None:
        self.pid, self.leash, self.until = pid, leash, until

    def end(self) -> None:
        """Ends it, if it has not ended; its id is its own until it is waited for."""
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        self.leash.close()


def serve(control: socket.socket) -> None:
    """Takes requests until the server is gone."""
    load()
    children: list[Child] = []
    idle: float | None = IDLE
    while True:
        now = time.monotonic()
        waits = [max(child.until - now, 0) for child in children] or ([] if idle is None else [idle])
        ready, _, _ = select.select([control, *(c.leash for c in children)], [], [], min(waits, default=None))
        now = time.monotonic()
        for child in [c for c in children if c.leash in ready or c.until <= now]:
            child.end()
            children.remove(child)
        if control in ready:
            message, descriptors, _, _ = socket.recv_fds(control, REQUEST, 2)
            if len(message) < REQUEST or len(descriptors) < 2:
                break
            children.append(start(*(socket.socket(fileno=each) for each in descriptors), control, float(message)))
        elif not children and not ready and idle is not None:
            idle = None
            load_all()
    for child in children:
        child.end()


def start(line: socket.socket, leash: socket.socket, control: socket.socket, seconds: float) -> Child:
    """Forks a child that reads its request from a socket and answers there."""
    pid = os.fork()
    if pid:
        line.close()
        return Child(pid, leash, time.monotonic() + seconds + GRACE)
    try:
        control.close()
        leash.close()
        work(line.makefile("rb"), line.makefile("wb"), seconds)
    finally:
        os._exit(0)


def work(reading: Any, writing: Any, seconds: float) -> None:
    """One check, in a process that holds nothing else."""
    from .check import check
    from .running import quiet

    request = json.loads(reading.readline())
    quiet()
    bound_processor(seconds)

    def send(message: dict[str, Any]) -> None:
        writing.write(json.dumps(message).encode("ascii") + b"\n")
        writing.flush()

    check(request, send)


def bound_processor(seconds: float) -> None:
    """The system's own limits, which hold whatever becomes of the workshop."""
    try:
        import resource
    except ImportError:
        return
    most = int(seconds + GRACE) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(BEHIND)


def load() -> None:
    """Loads what a check needs, so that children find it there."""
    import gc

    from ..session import Session
    from .check import check

    Session().run(WARM)
    check({"text": WARM, "run": False}, lambda message: None)
    gc.collect()
    gc.freeze()


def load_all() -> None:
    """Loads every operator."""
    import gc

    from ..engine.loading import table

    table.load_all()
    gc.collect()
    gc.freeze()


def main(words: list[str]) -> None:
    if words:
        serve(socket.socket(fileno=int(words[0])))
        return
    writing = os.fdopen(os.dup(1), "wb")
    work(sys.stdin.buffer, writing, 5.0)


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when it is over
    main(sys.argv[1:])
