"""The server's end of checks: the workshop's process, and one check of one text."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from typing import Any

from .workshop import REQUEST

GLANCE = 0.3
"""Seconds without a message after which the workshop is looked at."""
LONGEST = 1 << 28
"""Bytes of one message of a check, at most."""


class Workshop:
    """The process that forks checks; started anew if it is gone."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> None:
        if not hasattr(os, "fork"):
            return
        self._control, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "tensorsh.editor.workshop", str(theirs.fileno())]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        nowhere = subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, pass_fds=[theirs.fileno()], env=environment
        )
        theirs.close()

    def close(self) -> None:
        """The workshop ends by itself, with its children, when the socket closes."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.wait()

    async def check(self, request: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """What a check tells; whoever leaves this early ends the check."""
        if not hasattr(os, "fork"):
            async for message in self._alone(request):
                yield message
            return
        if self._process is None or self._process.poll() is not None or self._control is None:
            self.start()
        ours, line = socket.socketpair()
        held, leash = socket.socketpair()
        with held, leash, line:
            self._ask(f"{request['seconds']:{REQUEST}.2f}".encode(), [line.fileno(), leash.fileno()])
            line.close()
            leash.close()
            reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST)
            try:
                writer.write(json.dumps(request).encode("ascii") + b"\n")
                async for told in _messages(reader, lambda process=self._process: process.poll() is None):  # type: ignore[misc]
                    yield told
            finally:
                writer.close()

    def _ask(self, seconds: bytes, descriptors: list[int]) -> None:
        assert self._control is not None
        try:
            socket.send_fds(self._control, [seconds], descriptors)
        except OSError:  # it has ended in this moment
            self.close()
            self.start()
            socket.send_fds(self._control, [seconds], descriptors)

    async def _alone(self, request: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """A check in a process that is started for it, where there is no fork."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "tensorsh.editor.workshop", stdin=pipe, stdout=pipe, limit=LONGEST
        )
        assert process.stdin is not None and process.stdout is not None
        late = asyncio.get_running_loop().call_later(request["seconds"] + 5, process.kill)
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            async for told in _messages(process.stdout):
                yield told
        finally:
            late.cancel()
            if process.returncode is None:
                process.kill()


async def _messages(
    reader: asyncio.StreamReader, is_alive: Callable[[], bool] = lambda: True
) -> AsyncGenerator[dict[str, Any], None]:
    """What comes, until the other end is gone: its socket closes, or, where that was never taken, its process ends."""
    while True:
        try:
            line = await asyncio.wait_for(reader.readline(), GLANCE)
        except TimeoutError:
            if is_alive():
                continue
            return
        except OSError:  # it ended before it read the request
            return
        if not line.endswith(b"\n"):  # it was ended, perhaps as it wrote
            return
        yield json.loads(line)
