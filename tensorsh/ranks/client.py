"""A rank's connection to the service: keys that all ranks share, and who of them is gone."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterable

from .service import packed, unpacked


class Gone(Exception):
    """The service does not answer any more."""


class Client:
    """The keys of a world. Each request is answered at once; whoever waits for a key asks again."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._lock = sock, threading.Lock()

    def ask(self, *fields: bytes) -> list[bytes]:
        """The fields of the answer to a request."""
        with self._lock:
            try:
                self._sock.sendall(packed(*fields))
                (length,) = struct.unpack("!I", self._take(4))
                return unpacked(self._take(length))
            except OSError as error:
                raise Gone(f"the service of the ranks is gone ({error.strerror or error})") from None
            except BaseException:  # an interrupt: the next request would have the rest of this answer
                self.close()
                raise

    def _take(self, count: int) -> bytes:
        found = bytearray()
        while len(found) < count:
            part = self._sock.recv(min(count - len(found), 1 << 20))
            if not part:
                raise OSError("connection closed")
            found += part
        return bytes(found)

    def ended(self) -> dict[int, str]:
        """The ranks that are gone, and how they went."""
        found = {}
        for field in self.ask(b"ended"):
            rank, _, how = field.decode().partition(" ")
            found[int(rank)] = how
        return found

    def present(self) -> dict[int, str]:
        """The ranks that have come, and their machines."""
        found = {}
        for field in self.ask(b"hosts"):
            rank, _, host = field.decode().partition(" ")
            found[int(rank)] = host
        return found

    def come(self, rank: int) -> bool:
        """Says that this rank has come to the meeting."""
        return self.ask(b"come", b"%d" % rank, socket.gethostname().encode()) == [b"ok"]

    def wait_present(self, size: int, seconds: float) -> list[int]:
        """Waits for all ranks to come; those that did not in time."""
        end, pause = time.monotonic() + seconds, 0.001
        while True:
            absent = sorted(set(range(size)) - set(self.present()))
            if not absent or time.monotonic() > end or any(rank in absent for rank in self.ended()):
                return absent
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def wait(self, keys: Iterable[bytes], seconds: float) -> bool:
        """Whether all keys are there within so many seconds."""
        end, pause, wanted = time.monotonic() + seconds, 0.0005, list(keys)
        while self.ask(b"check", *wanted) != [b"1"]:
            if time.monotonic() > end:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        return True

    def leave(self) -> None:
        """Says that this rank ends as it should."""
        try:
            self.ask(b"leave")
        except Gone:
            pass

    def close(self) -> None:
        self._sock.close()
