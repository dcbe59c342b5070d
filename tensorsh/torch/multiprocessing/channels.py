"""Channels between processes: whole messages through a pair of sockets, with the descriptors of the memory that they name.

A message arrives whole or not at all, whichever of several processes takes it, so that no locks are needed and a process that is
killed leaves nothing half read. A large one is itself sent as memory.
"""

from __future__ import annotations

import os
import select
import socket
import time
from array import array
from typing import Any

from ...engine.tensors.segments import TOO_MANY, created, mapped, segment_of
from .packing import packed, unpacked

INLINE = 1 << 14
"""Bytes of a message that go through the socket itself."""
MANY = 200
"""Descriptors that go with one message."""
PLAIN, LARGE = b"\0", b"\1"


class Ended(Exception):
    """Whoever stood at the other end is gone."""


class Message:
    """A value ready to be sent. It holds the memory that it names until then."""

    __slots__ = ("data", "fds", "kept")

    def __init__(self, value: Any, lends: bool = True) -> None:
        """lends: whether sender and receiver share its tensors."""
        data, fds, kept = packed(value, lends)
        if len(fds) >= MANY:
            raise RuntimeError(
                f"a message names {len(fds)} tensors, and {MANY - 1} are the most; send them stacked, or in parts"
            )
        if len(data) > INLINE:
            memory = created(len(data))
            memory[:] = memoryview(data)
            segment: Any = segment_of(memory)
            data, fds, kept = LARGE + len(data).to_bytes(8, "little"), [segment.fd, *fds], [memory, *kept]
        else:
            data = PLAIN + data
        self.data, self.fds, self.kept = data, fds, kept

    def hold(self, more: int = 1) -> None:
        """Count the message among the holders of its memory, before it can arrive; with -1, no more."""
        for root in self.kept:
            segment: Any = segment_of(root)
            segment.send(more)


class End:
    """One end of a pair of sockets."""

    __slots__ = ("_poll", "socket")

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        self._poll: Any = None

    def fileno(self) -> int:
        return self.socket.fileno()

    def close(self) -> None:
        self.socket.close()

    def wait(self, seconds: float | None, events: int | None = None) -> bool:
        """Whether there is something to read (or room to write) within so many seconds."""
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN if events is None else events)
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            left = 0.5 if until is None else min(until - time.monotonic(), 0.5)
            if waiting.poll(max(left, 0) * 1000):
                return True
            if until is not None and time.monotonic() >= until:
                return False

    def send(self, message: Message, block: bool = True) -> bool:
        """Send a message; whether there was room for it. Ended if nobody is there."""
        parts = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", message.fds))] if message.fds else []
        message.hold()
        try:
            while True:
                try:
                    self.socket.sendmsg([message.data], parts, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
                    return True
                except BlockingIOError:
                    if not block:
                        message.hold(-1)
                        return False
                    self.wait(None, select.POLLOUT)
        except (BrokenPipeError, ConnectionError):
            message.hold(-1)
            raise Ended from None

    def put(self, value: Any) -> None:
        """Send a value."""
        self.send(Message(value))

    def get(self, seconds: float | None = None, keep: bool = True) -> Any:
        """The next value. TimeoutError after so many seconds, Ended if nobody is there to send one."""
        if seconds is None or seconds > 0:
            if not self.wait(seconds):
                raise TimeoutError
        return self.take(keep)

    def take(self, keep: bool = True) -> Any:
        """The value of the message that has arrived. TimeoutError if there is none."""
        room = socket.CMSG_SPACE(MANY * array("i").itemsize)
        try:
            data, extra, flags, _ = self.socket.recvmsg(
                INLINE + 64, room, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            raise TimeoutError from None
        except ConnectionError:
            raise Ended from None
        fds = array("i")
        for level, kind, content in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(content[: len(content) // fds.itemsize * fds.itemsize])
        if not data:
            raise Ended
        if flags & socket.MSG_CTRUNC:
            for fd in fds:
                os.close(fd)
            raise RuntimeError(TOO_MANY)
        if data[:1] == LARGE:
            memory = mapped(fds.pop(0), int.from_bytes(data[1:], "little"), False)
            return unpacked(memory, list(fds), keep)
        return unpacked(memoryview(data)[1:], list(fds), keep)


def pair() -> tuple[End, End]:
    """Two ends of one channel."""
    try:
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except PermissionError:
        raise RuntimeError(
            "--isolate lets a program start no processes: work in this one (num_workers=0), or run it without --isolate"
        ) from None
    except OSError as error:
        import errno

        if error.errno == errno.EMFILE:
            raise RuntimeError(TOO_MANY) from None
        raise RuntimeError(f"processes of a program need sockets that this system has not ({error.strerror})") from None
    return End(one), End(other)
