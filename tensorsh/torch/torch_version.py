"""``torch.torch_version``: the class of ``torch.__version__``, text that compares as a version does."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Any


def _key(version: Any) -> tuple[int, ...]:
    """The numbers of a version, as text or as a sequence of them, without what stands behind ``+``."""
    if isinstance(version, str):
        version = re.findall(r"\d+", version.partition("+")[0])
    return tuple(int(part) for part in version)


def _padded(one: Any, other: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    a, b = _key(one), _key(other)
    most = max(len(a), len(b))
    return a + (0,) * (most - len(a)), b + (0,) * (most - len(b))


@total_ordering
class TorchVersion(str):
    """`torch.__version__ >= (2, 1)`, `torch.__version__ < "2.10"`: by number, and equal as text is.

    Example: ``TorchVersion("2.13.0+tensorsh") > "2.9"`` is True.
    """

    __module__ = "torch.torch_version"
    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        one, two = _padded(self, other)
        return one < two

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __gt__(self, other: Any) -> bool:
        one, two = _padded(self, other)
        return one > two

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other) or "+" not in other and _key(other) == _key(self)
        return isinstance(other, tuple | list) and _padded(self, other)[0] == _padded(self, other)[1]

    __hash__ = str.__hash__
