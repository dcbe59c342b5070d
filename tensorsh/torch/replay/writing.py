"""The source of a program, and the values that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .slots import Slot, is_results


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

    def text(self, value: Any) -> str:
        """A tree of values as an expression."""
        if type(value) is Slot:
            return f"v{value.number}"
        if type(value) is tuple:
            return "(" + "".join([self.text(each) + ", " for each in value]) + ")"
        if type(value) is list:
            return "[" + ", ".join(map(self.text, value)) + "]"
        if type(value) is dict:
            return "{" + ", ".join([f"{self.name(k)}: {self.text(each)}" for k, each in value.items()]) + "}"
        if is_results(value):
            return f"{self.name(type(value))}({self.text(tuple(value))})"
        return self.name(value)

    def compiled(self, names: dict[str, Any]) -> Callable:
        """The function of args and kwargs that the lines are; names: what else they name."""
        source = "def program(args, kwargs):\n" + "\n".join(self.lines)
        scope = names | self.names
        exec(source, scope)  # noqa: S102 - of numbers and names made here
        return scope["program"]
