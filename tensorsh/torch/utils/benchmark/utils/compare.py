"""Compare: measurements as a table, a row for each thing timed, a column for each description."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import Any

from .common import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

__all__ = ["Colorize", "Compare"]

BEST, GOOD, BAD, VERY_BAD = "\033[92m\033[1m", "\033[34m\033[1m", "\033[2m\033[91m", "\033[31m\033[1m"
PLAIN = "\033[0m" * 2
BETWEEN = "  |  "


class Colorize(enum.Enum):
    """Whether the best time is looked for in columns, in rows, or not at all."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def coloured(cell: str, value: float, best: float) -> str:
    """A cell in the colour of its time beside the best one."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return BEST + cell + PLAIN
    if value <= best * 1.1:
        return GOOD + cell + PLAIN
    if value >= best * 5:
        return VERY_BAD + cell + PLAIN
    return BAD + cell + PLAIN if value >= best * 2 else cell


class Column:
    """How the times of a column are written."""

    def __init__(self, found: list[Measurement], scale: float, trims: bool, warns: bool) -> None:
        self.scale, self.trims = scale, trims
        self.warns = warns and any(each.has_warnings for each in found)
        digits = [math.ceil(math.log10(each.median / scale)) for each in found]
        self.decimals = 1
        if trims:
            figures = [each.significant_figures for each in found]
            self.decimals = min(max(f - d, 0) for f, d in zip(figures, digits, strict=True))
        self.width = max(digits) + self.decimals + bool(self.decimals)

    def text(self, found: Measurement | None) -> str:
        if found is None:
            return " " * len(self.cell(1.0, ""))
        value = found.median / self.scale
        if self.trims:
            value = trim_sigfig(value, found.significant_figures)
        spread = f" (! {found.iqr / found.median * 100:.0f}%)" if self.warns and found.has_warnings else ""
        return self.cell(value, spread)

    def cell(self, value: float, spread: str) -> str:
        return f"{value:>{max(self.width, 0)}.{self.decimals}f}{spread:>{7 if self.warns else 0}}"


class Table:
    """The measurements of one label."""

    def __init__(self, results: list[Measurement], colours: Colorize, trims: bool, warns: bool) -> None:
        self.results, self.colours = results, colours
        self.unit, scale = select_unit(min(each.median for each in results))
        self.heads = ordered_unique(each.description for each in results)
        self.rows = sorted(ordered_unique(map(self.row_of, results)), key=lambda row: row[:2])
        self.found = {(self.row_of(each), each.description): each for each in results}
        self.columns = [
            Column([m for m in results if self.found[self.row_of(m), m.description] is m and m.description == head], scale, trims, warns)
            for head in self.heads
        ]  # fmt: skip
        self.warns = warns and any(each.has_warnings for each in results)

    @staticmethod
    def row_of(found: Measurement) -> tuple:
        return found.num_threads, found.env, found.as_row_name

    def best(self, row: tuple, head: Any) -> float | None:
        """The least time that a cell is compared with."""
        if self.colours is Colorize.ROWWISE:
            near = [m.median for (r, _), m in self.found.items() if r == row]
        else:
            near = [m.median for (r, h), m in self.found.items() if h == head and r[0] == row[0]]
        return min(near, default=None)

    def names(self) -> list[str]:
        """The first cells of rows: the environment where there are several and it is new, and the name."""
        environments = {env for _, env, _ in self.rows}
        wide = max(len(str(env)) for env in environments) if len(environments) > 1 else 0
        made, before = [], (-1, "")
        for threads, env, name in self.rows:
            fresh = len(environments) > 1 and env != (before[1] if threads == before[0] else "")
            made.append("  " + (f"({env})" if fresh else "").ljust(wide + 4) + name)
            before = threads, env
        return made

    def __str__(self) -> str:
        names = self.names()
        cells = [
            [c.text(self.found.get((r, h))) for h, c in zip(self.heads, self.columns, strict=True)] for r in self.rows
        ]
        grid = [["", *self.heads], *[[name, *row] for name, row in zip(names, cells, strict=True)]]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        lines = [BETWEEN.join(head.center(width) for head, width in zip(grid[0], widths, strict=True))]
        whole, threads = len(lines[0]), None
        for row, name, texts in zip(self.rows, names, cells, strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            line = [name.ljust(widths[0])]
            for head, text, width in zip(self.heads, texts, widths[1:], strict=True):
                found, text = self.found.get((row, head)), text.center(width)
                least = None if found is None or self.colours is Colorize.NONE else self.best(row, head)
                line.append(text if found is None or least is None else coloured(text, found.median, least))
            lines.append(BETWEEN.join(line))
        title = f" {self.results[0].label or ''} ".center(whole - 2, "-")
        lines = [f"[{title}]", *lines, "", f"Times are in {unit_to_english(self.unit)}s ({self.unit}).", ""]
        if self.warns:
            lines[-1:] = ["(! XX%) Measurement has high variance, where XX is the IQR / median * 100.", ""]
        return "\n".join(lines)


class Compare:
    """Measurements to be shown as tables, one for each label. ValueError: what is no `Measurement`."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trims = self._warns = False
        self._colours = Colorize.NONE

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements."""
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
            self._results.append(each)

    def trim_significant_figures(self) -> None:
        """Show the figures that the spread of the times allows."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour the times beside the best of their column, or of their row."""
        self._colours = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Mark times that spread widely."""
        self._warns = True

    def __str__(self) -> str:
        labels: dict[Any, list[Measurement]] = {}
        for each in Measurement.merge(self._results):
            labels.setdefault(each.label, []).append(each)
        return "\n".join(str(Table(found, self._colours, self._trims, self._warns)) for found in labels.values())

    def print(self) -> None:
        """Print the tables."""
        print(str(self))
