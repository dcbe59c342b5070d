"""Python's collector of cycles, held back while modules are loaded and texts are compiled: that leaves nothing to collect, and
looking for it would take a tenth of the time."""

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
