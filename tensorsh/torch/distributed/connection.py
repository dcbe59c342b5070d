"""The connection of this process to the service of its ranks, and what scripts may not do without one."""

from __future__ import annotations

from ...ranks import world as places
from ...ranks.client import Client
from ...sandbox.files import acting
from .errors import DistNetworkError

_given: list[Client | None] = []
"""The launcher's connection, once it was asked for."""


def launched() -> Client | None:
    """The connection to the service of whoever started this process; None where there is none."""
    if not _given:
        _given.append(places.descriptor())
    return _given[0]


def forbid_scripts() -> None:
    if acting() is not None:
        raise DistNetworkError(
            "a script meets other processes through the launcher: start it with `tensorsh run -n 2 FILE`, or mpiexec"
        )
