"""Keys and values that processes share: `FileStore`, `HashStore`, and `PrefixStore` on top of one of them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from ...ranks.client import Client, Gone
from ...sandbox.sealed import OpenSealed
from .errors import DistNetworkError, DistStoreError, QueueEmptyError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store"]

TIMEOUT = timedelta(seconds=300)


def as_bytes(value: Any) -> bytes:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    raise TypeError(f"a store keeps text and bytes, not {type(value).__name__}")


class Store(metaclass=OpenSealed):
    """Keys with values of bytes that processes share. `get` and `wait` wait for a key until the timeout."""

    __module__ = "torch.distributed.distributed_c10d"
    _timeout = TIMEOUT

    def _ask(self, *fields: bytes) -> list[bytes]:
        """The answer of what keeps the keys: see `ranks/service.py`."""
        raise NotImplementedError("a store of its own has set, get, add, wait, check and the like")

    def set(self, key: str, value: Any) -> None:
        """Put a value under a key."""
        self._ask(b"set", as_bytes(key), as_bytes(value))

    def get(self, key: str) -> bytes:
        """The value of a key, waited for."""
        self._await([key], self._timeout)
        return self._ask(b"get", as_bytes(key))[0]

    def add(self, key: str, amount: int) -> int:
        """Add to a number (0 at first); its new value."""
        return int(self._ask(b"add", as_bytes(key), b"%d" % amount)[0])

    def append(self, key: str, value: Any) -> None:
        """Append to a value."""
        self._ask(b"append", as_bytes(key), as_bytes(value))

    def compare_set(self, key: str, expected_value: Any, desired_value: Any) -> bytes:
        """Put a value where the present one is the expected; the value that there is then."""
        return self._ask(b"swap", as_bytes(key), as_bytes(expected_value), as_bytes(desired_value))[0]

    def check(self, keys: Iterable[str]) -> bool:
        """Whether all keys are there."""
        return self._ask(b"check", *map(as_bytes, keys)) == [b"1"]

    def delete_key(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        return self._ask(b"delete", as_bytes(key)) == [b"1"]

    def num_keys(self) -> int:
        """How many keys there are."""
        return len(self.list_keys())

    def list_keys(self) -> list[str]:
        """The keys."""
        return [key.decode(errors="replace") for key in self._ask(b"list")]

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        """The values of several keys, waited for."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Iterable[str], values: Iterable[Any]) -> None:
        """Put several values."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def queue_push(self, key: str, value: Any) -> None:
        """Put a value at the end of a queue."""
        self.set(f"{key}/{self.add(f'{key}/pushed', 1)}", value)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value of a queue, waited for; QueueEmptyError at once where there is none and `block` is False."""
        if not block and not self.queue_len(key):
            raise QueueEmptyError("queue is empty")
        place = f"{key}/{self.add(f'{key}/popped', 1)}"
        try:
            value = self.get(place)
        except DistStoreError:
            self.add(f"{key}/popped", -1)
            raise
        self.delete_key(place)
        return value

    def queue_len(self, key: str) -> int:
        """How many values a queue has."""
        pushed, popped = (self.add(f"{key}/{name}", 0) for name in ("pushed", "popped"))
        return max(pushed - popped, 0)

    def wait(self, keys: Iterable[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys are there; DistStoreError when the time is over."""
        self._await(list(keys), timeout or self._timeout)

    def _await(self, keys: list[str], timeout: timedelta) -> None:
        end, pause = time.monotonic() + timeout.total_seconds(), 0.0005
        while not self.check(keys):
            if time.monotonic() > end:
                milliseconds = int(timeout.total_seconds() * 1000)
                raise DistStoreError(f"wait timeout after {milliseconds}ms, keys: {', '.join(keys)}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)

    def set_timeout(self, timeout: timedelta) -> None:
        """How long `get` and `wait` wait."""
        self._timeout = timeout

    @property
    def timeout(self) -> timedelta:
        return self._timeout

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are there."""
        return True


class HashStore(Store):
    """Keys in the memory of this process."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self) -> None:
        from ...ranks.service import Table

        self._table = Table()

    def _ask(self, *fields: bytes) -> list[bytes]:
        return self._table.ask(list(fields))


class KeyStore(Store):
    """Keys that the service of the ranks keeps."""

    __module__, __qualname__ = "torch._C._distributed_c10d", "TCPStore"

    def __init__(self, client: Client) -> None:
        self._client = client

    def _ask(self, *fields: bytes) -> list[bytes]:
        try:
            found = self._client.ask(*fields)
            if found == [b"full"] and fields[0] != b"get":
                raise DistStoreError("the keys of a program hold 256 MB at most: send tensors by collectives")
            return found
        except Gone as error:
            raise DistNetworkError(str(error)) from None


class PrefixStore(Store):
    """The keys of another store that begin with a prefix."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self, prefix: str, store: Store) -> None:
        self._prefix, self._under = as_bytes(prefix) + b"/", store
        self._timeout = store._timeout

    @property
    def underlying_store(self) -> Store:
        return self._under

    def _ask(self, *fields: bytes) -> list[bytes]:
        name, *rest = fields
        if name == b"check":
            rest = [self._prefix + key for key in rest]
        elif rest:
            rest[0] = self._prefix + rest[0]
        found = self._under._ask(name, *rest)
        if name == b"list":
            return [key[len(self._prefix) :] for key in found if key.startswith(self._prefix)]
        return found


class FileStore(Store):
    """Keys in a file that all processes can reach."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        from .file_store import FileTable

        self._path = file_name
        self._table = FileTable(file_name)

    @property
    def path(self) -> str:
        return self._path

    def _ask(self, *fields: bytes) -> list[bytes]:
        return self._table.ask(list(fields))
