"""Where the processes of a program meet: ``env://``, ``tcp://host:port``, ``file://path``, or the launcher's service."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...engine.arrays.state import state
from ...ranks import world as places
from ...ranks.client import Client
from ...sandbox.files import acting
from ...sandbox.processes import secret
from .connection import forbid_scripts, launched
from .errors import DistNetworkError
from .stores import TIMEOUT, FileStore, Store
from .tcp_store import TCPStore

__all__ = ["register_rendezvous_handler", "rendezvous"]


def setting(name: str, url: dict[str, str], given: int) -> int:
    """Rank or size: as an argument, in the address, in the environment."""
    said = places.said()
    if given >= 0:
        return given
    if name.lower() in url:
        return int(url[name.lower()])
    if said.get(name, "").isdigit():
        return int(said[name])
    raise missing("env://", f"environment variable {name} expected, but not set")


def missing(scheme: str, what: str) -> ValueError:
    return ValueError(f"Error initializing torch.distributed using {scheme} rendezvous: {what}")


class Meeting:
    """This process's place among those that met: rank, size, the keys they share."""

    def __init__(self, rank: int, size: int, store: Store, client: Client | None) -> None:
        self.rank, self.size, self.store, self.client = rank, size, store, client


class Place:
    """What an address says: its scheme, the rank and size of this process, where to go."""

    def __init__(self, url: str, rank: int, size: int) -> None:
        self.url, self.parts = url, urlsplit(url)
        query = {key: values[-1] for key, values in parse_qs(self.parts.query).items()}
        self.scheme = scheme = self.parts.scheme
        if scheme not in ("env", "tcp", "file"):
            raise RuntimeError(f"No rendezvous handler for {scheme}://")
        self.outside = scheme == "env" and rank < 0 and size < 0 and "RANK" in places.said() and not query
        """Whether rank, size and place are those that whoever started this process has said."""
        if scheme == "file" and not self.parts.netloc + self.parts.path:
            raise missing("file://", "path missing")
        if scheme == "tcp" and self.parts.port is None:
            raise missing("tcp://", "port number missing")
        self.rank, self.size = rank, size
        if scheme == "env" or rank < 0 and "rank" in query:
            self.rank = setting("RANK", query, rank)
        if scheme == "env" or size < 0 and "world_size" in query:
            self.size = setting("WORLD_SIZE", query, size)
        for name, value in (("rank", self.rank), ("world size", self.size)):
            if value < 0:
                raise missing(f"{scheme}://", f"{name} parameter missing")
        self.libuv = query.get("use_libuv", os.environ.get("USE_LIBUV", "1")) == "1"

    path = property(lambda self: self.parts.netloc + self.parts.path)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        if self.scheme == "tcp":
            return self.parts.hostname or "127.0.0.1", self.parts.port or 0
        if self.scheme == "file":
            import hashlib

            path = os.path.realpath(self.path)
            return "127.0.0.1", int(hashlib.sha256(path.encode()).hexdigest()[:12], 16)
        said = places.said()
        for name in ("MASTER_ADDR", "MASTER_PORT"):
            if name not in said:
                raise missing("env://", f"environment variable {name} expected, but not set")
        return said["MASTER_ADDR"], int(said["MASTER_PORT"])

    def store(self, client: Client | None) -> Store:
        """The keys at the address, which a service keeps, or this process alone."""
        if self.scheme == "env" and "MASTER_ADDR" not in places.said():
            return TCPStore._of(client, "localhost", 29500, self.libuv)
        return TCPStore._of(client, *self.address, self.libuv)


def meet(url: str, rank: int, size: int, seconds: float) -> Meeting:
    """Meets the other processes at an address."""
    if urlsplit(url).scheme in handlers():
        store, rank, size = next(rendezvous(url, rank, size, timeout=timedelta(seconds=seconds)))
        return meet_by_store(store, rank, size, seconds)
    place = Place(url, rank, size)
    rank, size = place.rank, place.size
    if not 0 <= rank < size:
        raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {size - 1}]")
    client = launched()
    if client is not None and os.environ.get("PMI_SIZE") == str(size):
        return _with_launcher(client, rank, size, seconds)
    if size == 1 or places.managed():  # by mpiexec or srun: MPI knows everybody
        return Meeting(rank, size, place.store(None), None)
    own = secret() if acting() is not None else ""
    if not own and not place.outside:
        forbid_scripts()
    own_place = "localhost", 29500  # a script's `os.environ` is its own
    host, port = own_place if own and place.scheme == "env" else place.address
    try:
        client = places.meet(rank, size, host, port, seconds, own)
    except places.Unreachable as error:
        raise DistNetworkError(f"{url} rendezvous: {error}") from None
    return Meeting(rank, size, place.store(client), client)


def meet_by_store(store: Store, rank: int, size: int, seconds: float) -> Meeting:
    """Meets processes that share keys already: their rank 0 says there where."""
    client = launched()
    if client is not None and os.environ.get("PMI_SIZE") == str(size):
        return Meeting(rank, size, store, _with_launcher(client, rank, size, seconds).client)
    if size == 1 or places.managed():
        return Meeting(rank, size, store, None)
    own = secret() if acting() is not None else ""
    if not own:
        forbid_scripts()
    if rank == 0:
        store.set("<meeting>", str(int.from_bytes(os.urandom(6), "big")))
    store.wait(["<meeting>"], timedelta(seconds=seconds))
    try:
        client = places.meet(rank, size, "localhost", int(store.get("<meeting>")), seconds, own)
    except places.Unreachable as error:
        raise DistNetworkError(str(error)) from None
    return Meeting(rank, size, store, client)


def _with_launcher(client: Client, rank: int, size: int, seconds: float) -> Meeting:
    late = client.wait_present(size, seconds) if client.come(rank) else []
    if late:
        gone = client.ended()
        said = [f"rank {r} {gone[r]}" for r in late if r in gone]
        who = f"rank{'s' if len(late) > 1 else ''} {', '.join(map(str, late))} did not arrive within {seconds:g} s"
        raise DistNetworkError(f"init_process_group on rank {rank}: {'; '.join(said) or who}")
    return Meeting(rank, size, TCPStore._of(client, "localhost", 29500), client)


def handlers() -> dict[str, Any]:
    """What this session has registered for schemes of its own."""
    return state.__dict__.setdefault("rendezvous_handlers", {})


def register_rendezvous_handler(scheme: str, handler: Any) -> None:
    """Let a function meet for addresses of a scheme: it gives (store, rank, size) tuples."""
    if scheme in handlers() or scheme in ("env", "tcp", "file"):
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    handlers()[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Iterator:
    """An iterator of the (store, rank, size) of an address."""
    if not isinstance(url, str | bytes):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, value in (("rank", rank), ("world_size", world_size)):
        if not isinstance(value, int):
            raise RuntimeError(f"`{name}` must be an integer. {value}")
    parts = urlsplit(str(url))
    if parts.scheme not in handlers() and parts.scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    query = parse_qs(parts.query)
    told = {key: value for key, value in (("rank", rank), ("world_size", world_size)) if value >= 0}
    if told and query.keys() & {"rank", "world_size"}:
        raise AssertionError(f"The url: {url} has node-specific arguments(rank, world_size) already.")
    if parts.scheme in handlers():
        more = "&".join(f"{key}={value}" for key, value in told.items())
        mark = "" if not more else "&" if parts.query else "?"
        return iter(handlers()[parts.scheme](f"{url}{mark}{more}", **kwargs))
    return _stores(str(url), rank, world_size, kwargs.get("timeout", TIMEOUT))


def _stores(url: str, rank: int, size: int, timeout: timedelta) -> Iterator:
    place = Place(url, rank, size)
    if place.scheme == "file":
        yield FileStore(place.path, place.size), place.rank, place.size
    elif place.outside and acting() is not None:
        yield meet(url, rank, size, timeout.total_seconds()).store, place.rank, place.size
    else:
        host, port = place.address
        store = TCPStore(host, port, place.size, place.rank == 0, timeout, multi_tenant=True, use_libuv=place.libuv)
        yield store, place.rank, place.size
    raise RuntimeError("Unable to perform rerendezvous using " + place.scheme + ":// method")
