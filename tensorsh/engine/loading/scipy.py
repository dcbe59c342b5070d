"""The parts of scipy, which some special functions and decompositions need and nothing else does."""

from __future__ import annotations

from importlib import import_module
from typing import Any

WORDS = "this needs scipy, which is not there: pip install scipy"


def part(name: str) -> Any:
    """A module of scipy. ModuleNotFoundError says what to do where there is none."""
    try:
        return import_module("scipy." + name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "scipy":
            raise
        raise ModuleNotFoundError(WORDS, name="scipy") from None


def folder() -> str:
    """Where scipy lies, which is not loaded for this. ModuleNotFoundError as above."""
    from importlib.util import find_spec

    found = find_spec("scipy")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(WORDS, name="scipy")
    return str(found.submodule_search_locations[0])
