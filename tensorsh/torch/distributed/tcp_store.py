"""`TCPStore`: keys at an address."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, Protocol

from ...ranks import world as places
from ...ranks.client import Client, Gone
from ...ranks.service import Table
from ...sandbox.files import acting
from ...sandbox.processes import secret
from .connection import forbid_scripts, launched
from .errors import DistNetworkError, DistStoreError
from .stores import TIMEOUT, Asking

__all__ = ["TCPStore"]

MOST = 16


class Keeper(Protocol):
    """What keeps keys and answers requests."""

    def ask(self, *fields: bytes) -> list[bytes]: ...


class Here:
    """Keys in the memory of a process that nobody else asks."""

    def __init__(self) -> None:
        self.table = Table()

    def ask(self, *fields: bytes) -> list[bytes]:
        return self.table.ask(list(fields))


class TCPStore(Asking):
    """Keys at an address: one process (`is_master`) keeps them, the others come there. Port 0 is one that is free, which
    `port` says then."""

    __module__ = "torch._C._distributed_c10d"
    _under = b""
    """What the launcher's keys of this address begin with."""

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = TIMEOUT, wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        if world_size == 0:
            raise ValueError("TCPStore world size cannot be 0")
        self._host, self._port, self._timeout, self._uv = host_name, port, timeout, use_libuv
        client = launched()
        if client is not None:
            self._keeper: Keeper = client
            self._under = f"tcp://{host_name}:{port}/".encode()
        else:
            self._keeper, self._port = reached(host_name, port, is_master, timeout, multi_tenant)
        if world_size and world_size > 0 and wait_for_workers:
            self._await_workers(world_size if is_master else 0)

    @classmethod
    def _of(cls, keeper: Keeper | None, host: str, port: int, libuv: bool = True) -> TCPStore:
        """The store of keys that are kept already; None: by this process alone."""
        made = cls.__new__(cls)
        made._host, made._port, made._uv = host, port, libuv
        made._keeper = keeper or Here()
        return made

    def _await_workers(self, size: int) -> None:
        here, end = self.add("init/", 1), time.monotonic() + self._timeout.total_seconds()
        while here < size:
            if time.monotonic() > end:
                seconds = f"{self._timeout.total_seconds():g}"
                raise DistStoreError(
                    f"Timed out after {seconds} seconds waiting for clients. {here}/{size} clients joined."
                )
            time.sleep(0.005)
            here = self.add("init/", 0)

    def _ask(self, *fields: bytes) -> list[bytes]:
        name, *rest = fields
        if self._under and rest:
            rest = [self._under + key for key in rest] if name == b"check" else [self._under + rest[0], *rest[1:]]
        try:
            found = self._keeper.ask(name, *rest)
        except Gone as error:
            raise DistNetworkError(str(error)) from None
        if found == [b"full"] and name != b"get":
            raise DistStoreError("the keys of a program hold 256 MB at most: send tensors by collectives")
        if name == b"list":
            return [key[len(self._under) :] for key in found if key.startswith(self._under)]
        return found

    def list_keys(self) -> list[str]:
        """The keys, but for that by which the workers were counted."""
        return [key for key in super().list_keys() if key != "init/"]

    def _late(self, keys: list[str], milliseconds: int) -> str:
        return f"wait timeout after {milliseconds}ms, keys: {', '.join('/' + key for key in keys)}"

    host = property(lambda self: self._host)
    port = property(lambda self: self._port)

    @property
    def libuvBackend(self) -> bool:  # noqa: N802
        return self._uv

    def clone(self) -> Any:
        """Another connection to the same keys."""
        return TCPStore(self._host, self._port, timeout=self._timeout, use_libuv=self._uv)


def reached(host: str, port: int, master: bool, timeout: timedelta, shared: bool) -> tuple[Client, int]:
    """A connection to the keys at an address, and its port."""
    own = secret() if acting() is not None else ""
    if not own:
        forbid_scripts()
    elif master and places.kept() >= MOST:
        raise DistNetworkError(
            f"a process of a script keeps keys at {MOST} addresses at most: use one store with prefixes"
        )
    try:
        return places.keys(host, port, master, timeout.total_seconds(), shared, own)
    except places.Taken as error:
        raise DistNetworkError(
            f"The server socket has failed to listen on any local network address. port: {port}, useIpv6: false, {error}"
        ) from None
    except places.Unreachable as error:
        milliseconds = int(timeout.total_seconds() * 1000)
        raise DistNetworkError(
            f"The client socket has timed out after {milliseconds}ms while trying to connect to ({host}, {port}).\n{error}"
        ) from None
