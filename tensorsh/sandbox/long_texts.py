"""Long texts searched from their end for long ones, and what is taken off their ends, in steps between which a thread can be
interrupted: Python's own methods take the product of both lengths. `bounds.c` calls these in their place."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STEP = 1 << 22
"""Comparisons that take a few milliseconds."""
SEARCH: dict[type, Callable[..., int]] = {kind: kind.rfind for kind in (str, bytes, bytearray)}
"""Python's own methods, taken before others stand in their place."""


def plain(text: Any) -> Any:
    """The text of an object of a class derived from Python's, which may answer otherwise when it is asked."""
    for kind in (str, bytes, bytearray):
        if isinstance(text, kind):
            return text if type(text) is kind else kind.__getitem__(text, slice(None))  # type: ignore[index]
    return text


def of_texts(function: Callable[..., Any], text: Any, part: Any, *more: Any, **options: Any) -> Any:
    """The result of a method of a text that takes a long one."""
    text, part, name = plain(text), plain(part), function.__name__
    if isinstance(text, str) is not isinstance(part, str):
        return function(text, part, *more, **options)  # which refuses them
    if name in ("rfind", "rindex"):
        place = found_last(text, part, *more)
        return place if place >= 0 or name == "rfind" else function(text, part, 0, 0)
    if name == "rpartition":
        place = found_last(text, part)
        return (text[:place], part, text[place + len(part) :]) if place >= 0 else (text[:0], text[:0], text)
    if name == "rsplit":
        return parts(text, part, *more, **options)
    return taken_off(name, text, part)


def found_last(text: Any, part: Any, *bounds: Any) -> int:
    """The last place of a part within bounds, searched in pieces; -1 where it is not."""
    begin, end, _ = slice(*(bounds or (None,)), *([None] if len(bounds) < 2 else [])).indices(len(text))
    many = max(1, STEP // len(part))
    search = SEARCH[type(text)]
    while end - len(part) >= begin:
        place = search(text, part, max(begin, end - len(part) - many + 1), end)
        if place >= 0:
            return place
        end -= many
    return -1


def parts(text: Any, part: Any, maxsplit: int = -1) -> list[Any]:
    """`text.rsplit(part, maxsplit)`."""
    found, end = [], len(text)
    while maxsplit:
        place = found_last(text, part, 0, end)
        if place < 0:
            break
        found.append(text[place + len(part) : end])
        end, maxsplit = place, maxsplit - 1
    return [*found, text[:end]][::-1]


def taken_off(name: str, text: Any, characters: Any) -> Any:
    """A text without some characters at its ends."""
    begin, end, taken = 0, len(text), set(characters)
    if name != "rstrip":
        while begin < end and text[begin] in taken:
            begin += 1
    if name != "lstrip":
        while end > begin and text[end - 1] in taken:
            end -= 1
    return text[begin:end]
