"""``torch.utils.data.graph``: data pipes and the pipes that they read from."""

from __future__ import annotations

import warnings
from typing import Any

from .datapipes import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]


def _sources(value: Any, seen: set[int]) -> list:
    """The pipes that an attribute of a pipe holds, in containers as well."""
    if isinstance(value, (IterDataPipe, MapDataPipe)):
        return [value]
    if id(value) in seen or not isinstance(value, (dict, list, tuple, set)):
        return []
    seen.add(id(value))
    parts = [*value, *value.values()] if isinstance(value, dict) else list(value)
    return [pipe for part in parts for pipe in _sources(part, seen)]


def traverse_dps(datapipe: Any) -> dict:
    """The graph of a pipe: its number -> the pipe and the graph of what it reads from."""
    seen: set[int] = set()
    below: dict = {}
    for value in vars(datapipe).values():
        for source in _sources(value, seen):
            if source is not datapipe:
                below.update(traverse_dps(source))
    return {id(datapipe): (datapipe, below)}


def get_all_graph_pipes(graph: dict) -> list:
    """All pipes of a graph, each once. graph: as `traverse_dps` gives it."""
    found: dict[int, Any] = {}

    def visit(below: dict) -> None:
        for number, (pipe, more) in below.items():
            if number not in found:
                found[number] = pipe
                visit(more)

    visit(graph)
    return list(found.values())


def traverse(datapipe: Any, only_datapipe: Any = None) -> dict:
    """The same, deprecated."""
    warnings.warn(
        "`traverse` function and only_datapipe argument will be removed after 1.13. Please use `traverse_dps` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return traverse_dps(datapipe)
