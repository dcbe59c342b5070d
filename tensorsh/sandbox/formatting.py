"""str.format on the attribute gate: fields such as `{0.shape}` read attributes as a script would."""

from __future__ import annotations

from _string import formatter_field_name_split, formatter_parser
from collections.abc import Callable
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=256)
def is_plain(template: str) -> bool:
    """No field of the template reads an attribute: Python's own formatting may do it."""
    try:
        for _, field, spec, _ in formatter_parser(template):
            if field is not None and ("." in field or "{" in (spec or "")):
                return False
    except ValueError:
        return True  # raises the same error again, in its own words
    return True


def formatted(template: str, arguments: tuple[Any, ...], keywords: Any, read: Callable[[Any, str], Any]) -> str:
    """As string.Formatter.vformat, with str.format's messages; `read` gives the attributes."""
    return _format(template, arguments, keywords, read, 2, [0])


def _format(
    template: str, arguments: tuple[Any, ...], keywords: Any, read: Callable[[Any, str], Any], depth: int,
    counter: list[Any],
) -> str:  # fmt: skip
    if depth < 0:
        raise ValueError("Max string recursion exceeded")
    pieces = []
    for text, field, spec, conversion in formatter_parser(template):
        pieces.append(text)
        if field is None:
            continue
        first, rest = formatter_field_name_split(field)
        if first == "":
            if counter[0] is None:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            first = counter[0]
            counter[0] += 1
        elif isinstance(first, int):
            if counter[0]:
                raise ValueError("cannot switch from automatic field numbering to manual field specification")
            counter[0] = None
        if isinstance(first, int):
            if first >= len(arguments):
                raise IndexError(f"Replacement index {first} out of range for positional args tuple")
            value = arguments[first]
        else:
            value = keywords[first]
        for is_attribute, name in rest:
            value = read(value, name) if is_attribute else value[name]
        if conversion == "r":
            value = repr(value)
        elif conversion == "s":
            value = str(value)
        elif conversion == "a":
            value = ascii(value)
        elif conversion:
            raise ValueError(f"Unknown conversion specifier '{conversion}'")
        if spec and "{" in spec:
            spec = _format(spec, arguments, keywords, read, depth - 1, counter)
        pieces.append(format(value, spec))
    return "".join(pieces)
