"""What every tensor and every node of the tape keeps, and how they are made.

The compiled kernels give these fields fixed places in memory, so that they can read and fill them without Python (see
kernels/tensors.c); the plain classes here do without.
"""

from __future__ import annotations

import itertools
from typing import Any

from .kernels import kernel
from .state import state

tick: Any = kernel("tick", itertools.count(1).__next__)
"""The one clock: nodes take their sequence number from it, in-place writes their stamp."""

new: Any = kernel("new", object.__new__)
"""Makes tensors and nodes, their fields at the defaults."""


class PlainFields:
    """The fields of a tensor, which `Tensor` explains, and `_array`."""

    _array: Any = None
    _node: Any = None
    _grad: Any = None
    _root: Any = None
    _cell: Any = None
    _views: list | None = None
    _origin: str | None = None
    _inference: bool = False


class PlainStep:
    """The fields of a node."""

    _edges: tuple = ()
    _saved: tuple = ()
    _metas: tuple | None = None
    _sequence: Any = 0


def linked(node_class: type, edges: tuple, saved: tuple = (), metas: tuple | None = None) -> Any:
    """A node, filled in by hand."""
    node: Any = node_class()
    node._edges = edges
    node._saved = saved
    node._metas = metas
    node._sequence = tick()
    if state.places:
        node._place = state.places()
    return node


Fields: Any = kernel("Fields", PlainFields)
Step: Any = kernel("Step", PlainStep)
link: Any = kernel("link", linked)
