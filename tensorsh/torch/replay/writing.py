"""The source of a program, and the values that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Writer:
    """The source of a program, and the values that it names."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__builtins__": {}}
        self.lines: list[str] = []
        self.known: dict[int, str] = {}

    def name(self, value: Any) -> str:
        """A name of a value."""
        made = self.known.get(id(value))
        if made is None:
            made = self.known[id(value)] = f"k{len(self.names)}"
            self.names[made] = value  # and so it lives, and its identity is its own
        return made

    def compiled(self, names: dict[str, Any]) -> Callable:
        """The function of args and kwargs that the lines are; names: what else they name."""
        source = "def program(args, kwargs):\n" + "\n".join(self.lines)
        scope = names | self.names
        exec(source, scope)  # noqa: S102 - of numbers and names made here
        return scope["program"]
