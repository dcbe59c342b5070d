"""Long lists brought in order in pieces, between which a thread can be interrupted: Python's own method sorts a list at once.
`orders.c` calls this in its place."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PIECE = 1 << 18
"""Elements that are sorted in a moment."""


def in_order(sort: Callable[..., None], walked: list[Any], keys: list[Any] | None, reverse: Any) -> None:
    """Brings a list in order as `walked.sort(...)` does, where `sort` is Python's own. keys: those of the elements.

    Two lists that are in order, one behind the other, are merged by Python's own sort in one walk.
    """
    items = list.copy(walked)
    if keys is None:
        order, options = items, {"reverse": reverse}
    else:
        order, options = list(range(len(items))), {"key": keys.__getitem__, "reverse": reverse}
    sorted_ones = []
    for begin in range(0, len(order), PIECE):
        sorted_ones.append(order[begin : begin + PIECE])
        sort(sorted_ones[-1], **options)
    while len(sorted_ones) > 1:
        rest, sorted_ones = sorted_ones[::-1], []
        while rest:
            merged = rest.pop()
            if rest:
                merged += rest.pop()
                sort(merged, **options)
            sorted_ones.append(merged)
    if len(walked) != len(items):
        raise ValueError("list modified during sort")
    found = sorted_ones[0]
    list.__setitem__(walked, slice(None), found if keys is None else [items[k] for k in found])
