"""Keys and values that processes share: `FileStore`, `HashStore`, and `PrefixStore` on top of one of them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from ...sandbox.sealed import OpenSealed
from .errors import DistStoreError, QueueEmptyError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store"]

TIMEOUT = timedelta(seconds=300)
NOT_HERE = "Not implemented."
"""What a program says whose own store lacks a method that it is asked for."""


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

    def set(self, key: str, value: Any) -> None:
        """Put a value under a key."""
        raise RuntimeError(NOT_HERE)

    def get(self, key: str) -> bytes:
        """The value of a key, waited for."""
        raise RuntimeError(NOT_HERE)

    def add(self, key: str, amount: int) -> int:
        """Add to a number (0 at first); its new value."""
        raise RuntimeError(NOT_HERE)

    def append(self, key: str, value: Any) -> None:
        """Append to a value."""
        added = as_bytes(value)
        before, wanted = added, added
        while (found := self.compare_set(key, before, wanted)) != wanted:
            before, wanted = found, found + added

    def compare_set(self, key: str, expected_value: Any, desired_value: Any) -> bytes:
        """Put a value where the present one is the expected; the value that there is then."""
        raise RuntimeError(NOT_HERE)

    def check(self, keys: Iterable[str]) -> bool:
        """Whether all keys are there."""
        raise RuntimeError(NOT_HERE)

    def delete_key(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        raise RuntimeError(NOT_HERE)

    def num_keys(self) -> int:
        """How many keys there are."""
        raise RuntimeError(NOT_HERE)

    def list_keys(self) -> list[str]:
        """The keys."""
        raise NotImplementedError("listKeys support is not implemented.")

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        """The values of several keys, waited for."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Iterable[str], values: Iterable[Any]) -> None:
        """Put several values."""
        keys, values = list(keys), list(values)
        if len(keys) != len(values):
            raise DistStoreError("multiSet keys and values vectors must be of same size")
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
        keys, timeout = list(keys), timeout or self.timeout
        end, pause = time.monotonic() + timeout.total_seconds(), 0.0005
        while not self.check(keys):
            if time.monotonic() > end:
                raise DistStoreError(self._late(keys, int(timeout.total_seconds() * 1000)))
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)

    def _late(self, keys: list[str], milliseconds: int) -> str:
        return "Wait timeout"

    def set_timeout(self, timeout: timedelta) -> None:
        """How long `get` and `wait` wait."""
        self._timeout = timeout

    timeout = property(lambda self: self._timeout)

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are there."""
        return False


class Asking(Store):
    """Keys that something keeps which answers requests: see `ranks/service.py`."""

    __module__ = "torch._C._distributed_c10d"

    def _ask(self, *fields: bytes) -> list[bytes]:
        raise NotImplementedError

    def set(self, key: str, value: Any) -> None:
        """Put a value under a key."""
        self._ask(b"set", as_bytes(key), as_bytes(value))

    def get(self, key: str) -> bytes:
        """The value of a key, waited for."""
        self.wait([key])
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
        return len(self._ask(b"list"))

    def list_keys(self) -> list[str]:
        """The keys."""
        return [key.decode(errors="replace") for key in self._ask(b"list")]

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are there."""
        return True


class HashStore(Asking):
    """Keys in the memory of this process."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self) -> None:
        from ...ranks.service import Table

        self._table = Table()

    def _ask(self, *fields: bytes) -> list[bytes]:
        return self._table.ask(list(fields))

    def clone(self) -> HashStore:
        """Another handle of the same keys."""
        made = HashStore()
        made._table, made._timeout = self._table, self._timeout
        return made


class PrefixStore(Store):
    """The keys of another store that begin with a prefix."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self, prefix: str, store: Store) -> None:
        if store is None:
            raise ValueError("store argument cannot be None")
        self._prefix, self._under = prefix + "/", store

    underlying_store = property(lambda self: self._under)

    @property
    def _underlying_non_prefix_store(self) -> Store:
        under = self._under
        while isinstance(under, PrefixStore):
            under = under._under
        return under

    def _names(self, keys: Iterable[str]) -> list[str]:
        return [self._prefix + key for key in keys]

    def set(self, key: str, value: Any) -> None:
        """Put a value under a key."""
        self._under.set(self._prefix + key, as_bytes(value))

    def get(self, key: str) -> bytes:
        """The value of a key, waited for."""
        return self._under.get(self._prefix + key)

    def add(self, key: str, amount: int) -> int:
        """Add to a number (0 at first); its new value."""
        return self._under.add(self._prefix + key, amount)

    def append(self, key: str, value: Any) -> None:
        """Append to a value."""
        self._under.append(self._prefix + key, as_bytes(value))

    def compare_set(self, key: str, expected_value: Any, desired_value: Any) -> bytes:
        """Put a value where the present one is the expected; the value that there is then."""
        return self._under.compare_set(self._prefix + key, as_bytes(expected_value), as_bytes(desired_value))

    def check(self, keys: Iterable[str]) -> bool:
        """Whether all keys are there."""
        return self._under.check(self._names(keys))

    def delete_key(self, key: str) -> bool:
        """Remove a key; whether it was there."""
        return self._under.delete_key(self._prefix + key)

    def num_keys(self) -> int:
        """How many keys the other store has."""
        return self._under.num_keys()

    def list_keys(self) -> list[str]:
        """The keys, without the prefix."""
        return [key[len(self._prefix) :] for key in self._under.list_keys() if key.startswith(self._prefix)]

    def multi_get(self, keys: Iterable[str]) -> list[bytes]:
        """The values of several keys, waited for."""
        return self._under.multi_get(self._names(keys))

    def multi_set(self, keys: Iterable[str], values: Iterable[Any]) -> None:
        """Put several values."""
        self._under.multi_set(self._names(keys), [as_bytes(value) for value in values])

    def wait(self, keys: Iterable[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys are there; DistStoreError when the time is over."""
        self._under.wait(self._names(keys), *([] if timeout is None else [timeout]))

    def set_timeout(self, timeout: timedelta) -> None:
        """How long `get` and `wait` of the other store wait."""
        self._under.set_timeout(timeout)

    timeout = property(lambda self: self._under.timeout)

    def has_extended_api(self) -> bool:
        """Whether the other store has `append`, `multi_get` and `multi_set`."""
        return self._under.has_extended_api()


class FileStore(Asking):
    """Keys in a file that all processes can reach. Where `world_size` says how many use it, the last of them removes it."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        from .file_store import FileTable

        self._path = file_name
        self._table = FileTable(file_name, world_size)

    path = property(lambda self: self._path)

    def _ask(self, *fields: bytes) -> list[bytes]:
        return self._table.ask(list(fields))
