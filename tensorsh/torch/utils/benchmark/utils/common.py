"""What was measured and how long it took: `TaskSpec` and `Measurement`, and numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from textwrap import indent
from typing import Any

import numpy as np

from ....root import torch

__all__ = [
    "Measurement", "TaskSpec", "ordered_unique", "select_unit", "set_torch_threads", "trim_sigfig", "unit_to_english",
]  # fmt: skip

UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3), "s": ("second", 1)}
MOST_FIGURES = 4
LEAST_SPREAD = 25e-9
"""Seconds by which any measurement is uncertain."""
WIDE, GROSS = 0.1, 0.25
"""The spreads, as parts of the median, from which a measurement warns."""


@dataclass(repr=False, frozen=True)
class TaskSpec:
    """A statement to be timed, and the words under which a table shows it."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement where there is none."""
        below = self.sub_label
        if self.label is not None or "\n" not in self.stmt:
            return (self.stmt if self.label is None else self.label) + (f": {below}" if below else "")
        return f"stmt:{f' ({below})' if below else ''}\n{indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """What comes before the statement, in words; empty where nothing does."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup, one below the other."""
        parts = [part for part in (self.title, self.description, self.setup_str()) if part]
        return "\n".join(f"{part}\n" if "\n" in part else part for part in parts)


ASKED_OF_THE_TASK = frozenset(field.name for field in fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """The times of a statement: `raw_times`, in seconds, each of `number_per_run` runs; `median`, `mean` and `iqr` of one run."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in ASKED_OF_THE_TASK:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds of one run."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    def _quantile(self, at: float) -> float:
        return float(np.quantile(self.times, at)) if self.raw_times else -1.0

    median = property(lambda self: self._quantile(0.5), doc="Seconds of one run, the median.")

    @property
    def mean(self) -> float:
        """Seconds of one run, the mean."""
        return float(np.mean(self.times)) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """The seconds between the first and the third quarter."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self) -> int:
        """How many figures of the median are worth showing, estimated from the half of the times in the middle."""
        count = len(self.raw_times)
        middle = sorted(self.times)[count // 4 : math.ceil(3 * count / 4)]
        spread = max(1.645 * float(np.std(middle)) / math.sqrt(len(middle)), LEAST_SPREAD)
        return min(max(math.floor(math.log10(self.median / spread)), 1), MOST_FIGURES)

    def meets_confidence(self, threshold: float = WIDE) -> bool:
        """Whether the spread is below a part of the median."""
        return self.iqr / self.median < threshold

    def _warning(self) -> str:
        if not self.raw_times or self.meets_confidence():
            return ""
        told = (
            "could indicate system fluctuation"
            if self.meets_confidence(GROSS)
            else "suggests significant environmental influence"
        )
        spread = f"{self.iqr / self.median * 100:.1f}%"
        return f"  WARNING: Interquartile range is {spread} of the median measurement.\n           This {told}."

    @property
    def has_warnings(self) -> bool:
        """Whether the spread is a tenth of the median, or more."""
        return bool(self._warning())

    title = property(lambda self: self.task_spec.title, doc="The title of the task.")
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]", doc="How a table calls its row.")

    def __repr__(self) -> str:
        count, several = len(self.raw_times), len(self.raw_times) > 1
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if several else ''}{self.median / scale:.2f} {unit}")
        if count >= 4:
            low, high = self._quantile(0.25) / scale, self._quantile(0.75) / scale
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        each = "per measurement," if several else ","
        lines.append(f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs {each} {threads}")
        return "\n".join([*lines, self._warning()]).strip()

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Those of one task as one, as if each run had been measured alone."""
        times: dict[TaskSpec, list[float]] = {}
        for each in measurements:
            times.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, found, task) for task, found in times.items()]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which so many seconds are a number before the point, and its seconds."""
    name = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3) if t > 0 else 0, "s")
    return name, UNITS[name][1]


def unit_to_english(u: str) -> str:
    """A unit's whole name."""
    return UNITS[u][0]


def trim_sigfig(x: float, n: int) -> float:
    """A number to so many figures: ``trim_sigfig(3.14159, 2)`` is 3.1."""
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10 ** (math.ceil(math.log10(abs(x))) - n)
    return float(torch.tensor(x / scale).round() * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Elements without doubles, in the order in which they came."""
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """A context with so many threads."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)
