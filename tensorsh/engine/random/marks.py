"""Where a generator stands in its numbers, noted at little cost: a state of 5056 bytes is made of it only if somebody goes back."""

from __future__ import annotations

from typing import Any

from .generator import Generator


def mark(generator: Generator) -> Any:
    """Where a generator stands. Its block of numbers is never written, so that it need not be copied."""
    if generator._fresh:
        return generator.get_state()
    return generator._seed, generator._block, generator._pos, generator._normal


def go_back(generator: Generator, to: Any) -> None:
    """Let a generator draw from a mark on."""
    if type(to) is tuple:
        twin = Generator()
        twin._seed, block, position, twin._normal = to
        twin._fresh = False
        twin._set_block(block, position)
        to = twin.get_state()
    generator.set_state(to)
