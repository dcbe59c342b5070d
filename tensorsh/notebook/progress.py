"""Progress bars beneath a cell, redrawn in place: what `track` and `tqdm` show where there is no terminal but a notebook."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

from ..display.sizes import duration_text
from ..display.vector import escape

PAUSE = 0.1
"""Seconds between two drawings of a bar."""
CELLS = 20
"""Characters of a bar as text."""


class Bars:
    """The bars of one notebook. `publish` shows data under a name, `update` replaces what is shown there."""

    def __init__(self, publish: Callable[..., None], update: Callable[..., None]) -> None:
        self.publish, self.update = publish, update
        self.numbers = itertools.count(1)
        self.open: dict[str, dict[str, Any]] = {}

    def add(self, description: str, total: float | None) -> str:
        """A new bar: its name."""
        bar = f"tensorsh-bar-{next(self.numbers)}"
        now = time.monotonic()
        self.open[bar] = {"description": description, "completed": 0.0, "began": now, "drawn": now} | _plain(
            total=total
        )
        self.publish(self._data(bar), {}, False, bar)
        return bar

    def show(self, bar: str, **fields: Any) -> None:
        """Changes a bar: `completed`, `total`, `description`."""
        known = self.open.get(bar)
        if known is None:
            return
        known.update(_plain(**fields))
        if time.monotonic() - known["drawn"] >= PAUSE:
            known["drawn"] = time.monotonic()
            self.update(self._data(bar), bar)

    def remove(self, bar: str) -> None:
        """Draws a bar for the last time; it stays as it is."""
        if bar in self.open:
            self.update(self._data(bar), bar)
            del self.open[bar]

    def _data(self, bar: str) -> dict[str, str]:
        known = self.open[bar]
        done, total = known["completed"], known["total"]
        part = min(done / total, 1.0) if total else 0.0
        before = f"{known['description']} " if known["description"] else ""
        after = (
            f"{done:g}"
            + (f"/{total:g}" if total is not None else "")
            + f" [{duration_text(time.monotonic() - known['began'])}]"
        )
        full = round(part * CELLS)
        drawn = f"<progress value='{done:g}' max='{total:g}'></progress> " if total else ""
        return {
            "text/plain": f"{before}{'#' * full}{'.' * (CELLS - full)} {after}" if total else before + after,
            "text/html": f"<div style='font-family:monospace'>{escape(before)}{drawn}{escape(after)}</div>",
        }


def _plain(**fields: Any) -> dict[str, Any]:
    """Numbers as Python's own: a program's would say themselves how they are written into a page."""
    return {name: each if name == "description" or each is None else float(each) for name, each in fields.items()}
