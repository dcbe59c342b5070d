"""The gate: which rows fell by more than a tenth, against another checkout or against the rows of an earlier run.

Times of two runs cannot be compared: a machine changes its speed, and with it every row. So both sides of a ratio come from one
run, in which they take turns. Against a checkout these are the two versions of tensorsh. Against a file of rows (`--output
rows.json`) the yardstick is PyTorch, or numpy where there is no other: its time divided by tensorsh's, then and now. A row
that fell is measured again, longer, before it is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from .cases import Case
from .engines import Engine, Times, measure
from .tables import mean

BAR = 0.9


class Gate:
    """What a run is compared with: `path` is a checkout of tensorsh, or a file of rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.saved: dict[str, Times] | None = (
            None if path.is_dir() else json.loads(path.read_text(encoding="utf-8"))["rows"]
        )

    def change(self, case: Case, times: Times) -> float | None:
        """The speed of a row now, divided by that before: 0.5 takes twice as long. None: it cannot be compared."""
        if self.saved is None:
            return ratio(times, "before")
        then = self.saved.get(case.name, {})
        for yardstick in ("torch", "numpy"):
            now, before = ratio(times, yardstick), ratio(then, yardstick)
            if now and before:
                return now / before
        return None

    def run(self, cases: Iterable[Case], engines: dict[str, Engine], rounds: int, budget: float) -> tuple[str, bool]:
        """The rows that fell, as a Markdown table, and whether there are any."""
        changes: dict[str, float] = {}
        for case in cases:
            found = self.change(case, measure(case, engines, rounds, budget, of=min))
            if found is not None and found < BAR:
                again = self.change(case, measure(case, engines, 3 * rounds, 2 * budget, of=min))
                found = max(found, again or 0.0)
            if found is not None:
                changes[case.name] = found
        fell = sorted((change, name) for name, change in changes.items() if change < BAR)
        lines = [
            f"## Against {self.path}",
            "",
            f"{len(changes)} rows compared, geometric mean {mean(changes.values()):.2f}.",
        ]
        lines += (
            ["", "| fell by more than a tenth | speed, of what it was |", "|---|---|"] if fell else ["", "No row fell."]
        )
        return "\n".join([*lines, *(f"| {name} | {change:.2f} |" for change, name in fell)]) + "\n", bool(fell)


def ratio(times: Times, yardstick: str) -> float | None:
    a, b = times.get("tensorsh"), times.get(yardstick)
    return b / a if isinstance(a, float) and isinstance(b, float) else None
