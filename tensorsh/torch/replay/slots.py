"""What a recording is made of: calls, and slots in the places of their tensors."""

from __future__ import annotations

from typing import Any


class Slot:
    """The place of a tensor among the values of a program."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return type(other) is Slot and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)


class Node:
    """A call of an operator: the function, its arguments with slots for tensors, the slots of its results."""

    __slots__ = ("args", "function", "kwargs", "likes", "name", "over", "result")

    def __init__(self, name: str, function: Any, args: Any, kwargs: Any, result: Any, likes: Any) -> None:
        """likes: dtype and shape of each tensor among arguments and result, by its number."""
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.result, self.likes = result, likes
        self.over: Any = None
        """The function that was called, if it writes over its first argument, which is no tensor of the program's call."""


def numbers_in(value: Any) -> set[int]:
    """The numbers of the slots in a tree of values."""
    if type(value) is Slot:
        return {value.number}
    if isinstance(value, (tuple, list)):
        return set().union(*map(numbers_in, value))
    return set().union(*map(numbers_in, value.values())) if type(value) is dict else set()


def is_results(value: Any) -> bool:
    """Whether a value is a tuple, with or without names, as operators give it."""
    return type(value) is tuple or type(value).__module__ == "torch.return_types"
