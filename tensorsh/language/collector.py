"""Python's collector of cycles, held back while modules are loaded and texts are compiled: that leaves nothing to collect, and
looking for it would take a tenth of the time. And a step of Python in what is compiled."""

from __future__ import annotations

import gc


class Held:
    """A context in which no cycles are collected."""

    def __enter__(self) -> None:
        self._before = gc.isenabled()
        gc.disable()

    def __exit__(self, *exception: object) -> None:
        if self._before:
            gc.enable()


STEPS = 4096
"""Tokens or nodes after which compiled code makes a step of Python."""


def step() -> None:
    """A step of Python, in which a thread meets what others throw at it: compiled code makes none by itself."""
