"""The text of long lists and their like: the first thousand elements, then three points, as IPython shows them."""

from __future__ import annotations

from itertools import islice
from typing import Any

MOST = 1000
DEEPEST = 20


class _Text:
    """A text that stands as it is within a list."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shortened(value: Any, mark: str = "...", most: int = MOST) -> str:
    """`repr(value)`, but of lists, tuples, sets and dicts within it that have more than `most` elements the first ones and
    a mark."""
    return repr(_short(value, mark, most, 0))


def is_long(value: Any, most: int = MOST) -> bool:
    """Whether something would be left out of a value's text."""
    return _short(value, "", most, 0) is not value


def _short(value: Any, mark: str, most: int, depth: int) -> Any:
    """The value itself where nothing in it is long."""
    kind = type(value)
    if kind not in (list, tuple, set, frozenset, dict) or not value or depth > DEEPEST:
        return value
    inner = value.values() if kind is dict else value
    first = [_short(each, mark, most, depth + 1) for each in islice(inner, most)]
    rest = len(value) > most
    if not rest and all(a is b for a, b in zip(first, inner, strict=True)):
        return value
    made: Any = dict(zip(value, first, strict=False)) if kind is dict else kind(first)
    if not rest:
        return made
    text = repr(made)
    end = 2 if kind is frozenset else 1
    return _Text(f"{text[:-end]}, {mark}{text[-end:]}")
