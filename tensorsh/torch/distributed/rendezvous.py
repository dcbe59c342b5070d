"""Where the processes of a program meet: ``env://``, ``tcp://host:port``, ``file://path``, or the launcher's service."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...ranks import world as places
from ...ranks.client import Client
from ...sandbox.files import acting
from ...sandbox.processes import secret
from .connection import forbid_scripts, launched
from .errors import DistNetworkError
from .stores import FileStore, HashStore, KeyStore, Store

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


def meet(url: str, rank: int, size: int, seconds: float) -> Meeting:
    """Meets the other processes at an address."""
    parts = urlsplit(url)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if parts.scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    outside = parts.scheme == "env" and rank < 0 and size < 0 and "RANK" in places.said() and not query
    """Whether rank, size and place are those that whoever started this process has said."""
    if parts.scheme == "env" or not (rank < 0 and "rank" not in query):
        rank = setting("RANK", query, rank)
    if parts.scheme == "env" or not (size < 0 and "world_size" not in query):
        size = setting("WORLD_SIZE", query, size)
    for name, value in (("rank", rank), ("world size", size)):
        if value < 0:
            raise missing(f"{parts.scheme}://", f"{name} parameter missing")
    if not 0 <= rank < size:
        raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {size - 1}]")
    client = launched()
    if client is not None and os.environ.get("PMI_SIZE") == str(size):
        return _with_launcher(client, rank, size, seconds)
    if places.managed():  # by mpiexec or srun: MPI knows everybody
        return Meeting(rank, size, HashStore(), None)
    if size == 1:
        return Meeting(rank, size, HashStore(), None)
    own = secret() if acting() is not None else ""
    if not own and not outside:
        forbid_scripts()
    own_place = "localhost", 29500  # a script's `os.environ` is its own
    host, port = own_place if own and parts.scheme == "env" else _address(parts, url, rank, seconds)
    try:
        client = places.meet(rank, size, host, port, seconds, own)
    except places.Unreachable as error:
        raise DistNetworkError(f"{url} rendezvous: {error}") from None
    return Meeting(rank, size, KeyStore(client), client)


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
    return Meeting(rank, size, KeyStore(client), client)


def _address(parts: Any, url: str, rank: int, seconds: float) -> tuple[str, int]:
    """Host and port of an address, as its scheme says them."""
    if parts.scheme == "tcp":
        if parts.port is None:
            raise missing("tcp://", "port number missing")
        return parts.hostname or "127.0.0.1", parts.port
    if parts.scheme == "file":
        import hashlib

        path = os.path.realpath(parts.netloc + parts.path)
        if not parts.netloc + parts.path:
            raise missing("file://", "path missing")
        FileStore(path)
        return "127.0.0.1", int(hashlib.sha256(path.encode()).hexdigest()[:12], 16)
    said = places.said()
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in said:
            raise missing("env://", f"environment variable {name} expected, but not set")
    return said["MASTER_ADDR"], int(said["MASTER_PORT"])


_handlers: dict[str, Any] = {}


def register_rendezvous_handler(scheme: str, handler: Any) -> None:
    """Let a function meet for addresses of a scheme: it gives (store, rank, size) tuples."""
    if scheme in _handlers or scheme in ("env", "tcp", "file"):
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Any:
    """An iterator of the (store, rank, size) of an address."""
    if not isinstance(url, str | bytes):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    met = meet(str(url), rank, world_size, 300.0)
    yield met.store, met.rank, met.size
