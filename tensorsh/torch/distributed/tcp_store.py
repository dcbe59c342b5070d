"""`TCPStore`: keys at an address."""

from __future__ import annotations

import time
from datetime import timedelta

from ...ranks import world as places
from .connection import forbid_scripts, launched
from .errors import DistNetworkError, DistStoreError
from .stores import TIMEOUT, KeyStore, PrefixStore, Store

__all__ = ["TCPStore"]


class TCPStore(Store):
    """Keys at an address: one process (`is_master`) keeps them, the others come there."""

    __module__ = "torch._C._distributed_c10d"

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = TIMEOUT, wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        self._host, self._port, self._timeout = host_name, port, timeout
        self._under = keys_at(host_name, port, world_size, is_master, timeout.total_seconds(), wait_for_workers)

    def _ask(self, *fields: bytes) -> list[bytes]:
        return self._under._ask(*fields)

    @property
    def host(self) -> str:
        return self._host

    @property
    def port(self) -> int:
        return self._port


def keys_at(host: str, port: int, size: int | None, master: bool, seconds: float, wait_for_workers: bool) -> Store:
    """What keeps the keys of a `TCPStore`: the launcher's service under a name of their own, or one at that address."""
    client = launched()
    if client is None:
        forbid_scripts()
        try:
            client = places.keys(host, port, master, seconds)
        except places.Unreachable as error:
            raise DistNetworkError(str(error)) from None
        store: Store = KeyStore(client)
    else:
        store = PrefixStore(f"tcp://{host}:{port}", KeyStore(client))
    if size and size > 0 and wait_for_workers:
        store.set_timeout(timedelta(seconds=seconds))
        store.add("<workers>", 1)
        end = time.monotonic() + seconds
        while store.add("<workers>", 0) < size:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {seconds:g} seconds waiting for clients. {store.add('<workers>', 0)}/{size} clients joined."
                )
            time.sleep(0.005)
    return store
