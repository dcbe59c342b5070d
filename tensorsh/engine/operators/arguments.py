"""What the arguments of a function mean, for `help`: a sentence for each that its docstring does not name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from inspect import Parameter
from typing import Any

from ..loading.recorded import beside, entries

FILE = beside(__file__, "arguments.txt")


@lru_cache(1)
def meanings() -> dict[str, list[tuple[str, str]]]:
    """For each argument the functions, as patterns of names, and what it means there."""
    found: dict[str, list[tuple[str, str]]] = {}
    for head, text in entries(FILE):
        functions, _, argument = head.rpartition(" ")
        found.setdefault(argument, []).append((functions, text))
    return found


@cache
def pattern(functions: str) -> re.Pattern[str]:
    """Patterns of names as a regular expression."""
    from fnmatch import translate

    return re.compile("|".join(map(translate, functions.split(","))))


def meaning(function: str, argument: str) -> str | None:
    """What an argument of a function means, by the name that the function has below torch."""
    name = function.removeprefix("tensorsh.").removeprefix("torch.").removeprefix("Tensor.")
    name = name.rstrip("_") or name
    for functions, text in meanings().get(argument, ()):
        if not functions or pattern(functions).match(name):
            return text
    return None


def told_in_full(function: str, parameters: Iterable[Any], doc: str) -> str:
    """A docstring with a line for each parameter that it does not name, in front of its example: what the parameter means,
    and its default."""
    text, mark, example = doc.partition(">>> ")
    found, named = [], False
    for each in parameters:
        if each.name in ("self", "out"):
            continue
        if re.search(rf"\b{re.escape(each.name)}\b", text):
            named = True
        elif (means := meaning(function, each.name)) is not None:
            default = "" if each.default in (Parameter.empty, None) else f" ({each.default!r})"
            found.append(f"  {each.name}{default}: {means}.")
    if not found:
        return doc
    head = "Other arguments:" if named else "Arguments:"
    return "\n".join([text.rstrip(), "", head, *found, *([""] if mark else [])]) + (
        "\n" + mark + example if mark else ""
    )
