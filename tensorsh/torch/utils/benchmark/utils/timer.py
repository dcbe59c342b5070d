"""Timer: a statement run often enough that its time can be told."""

from __future__ import annotations

import enum
import timeit
from collections.abc import Callable
from statistics import median
from textwrap import dedent
from typing import Any

from ....root import torch
from .common import Measurement, TaskSpec, set_torch_threads

__all__ = ["Language", "Timer", "timer"]

LEAST = 1e-9
"""Seconds that a run takes at least: nothing is divided by zero."""
MOST_RUNS = 2**31 - 1


def timer() -> float:
    """The time in seconds, once a GPU has done what it was told."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """What a statement is written in."""

    PYTHON = 0
    CPP = 1


def block(text: str) -> str:
    """A text without its indentation, the newline it begins with, and what is blank at its end."""
    return dedent(text).removeprefix("\n").rstrip()


class Timer:
    """A statement and how it is timed; `timeit` runs it so often, `blocked_autorange` as long as it takes.

    stmt, setup: text; setup runs once before the statement's runs. globals: the variables they see (torch is always there).
    label, sub_label, description, env: words for `Compare`. num_threads: how many threads operators take meanwhile.
    ValueError: no text. NotImplementedError: C++.
    """

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:  # fmt: skip
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError("tensorsh compiles no C++: time the statement in Python")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        self._globals = {"torch": torch} | (globals or {})
        stmt, setup = block(stmt), block(setup)
        self._timer = timeit.Timer(stmt, setup, timer, self._globals)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), LEAST)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One measurement of so many runs, after a hundredth of them to warm up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """NotImplementedError: `blocked_autorange` takes its place."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Any = None) -> None:
        """NotImplementedError: `blocked_autorange` takes its place."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, least: float) -> int:
        """How many runs make the timer's own time negligible."""
        overhead = median(self._timeit(0) for _ in range(5))
        number = 1
        while True:
            taken = self._timeit(number)
            if taken > least or overhead / taken <= 1e-4 and taken >= least / 1000 or number * 10 > MOST_RUNS:
                return number
            number *= 10

    def _measured(self, least: float, most: float, callback: Any, done: Callable[[list], bool]) -> Measurement:
        """Blocks of runs until `done`, for so many seconds at least and at most."""
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block_size(least)
            times: list[float] = []
            total, enough = 0.0, False
            while total < least or not enough:
                times.append(self._timeit(number))
                total += times[-1]
                if callback:
                    callback(number, times[-1])
                enough = done(times)
                if total > most:
                    break
        return Measurement(number, times, self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Blocks of runs, each long enough for the timer, for so many seconds."""
        return self._measured(min_run_time, float("inf"), callback, lambda times: True)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:  # fmt: skip
        """Blocks of runs until their spread is below a part of the median."""

        def steady(times: list[float]) -> bool:
            return len(times) > 3 and Measurement(1, times, self._task_spec).meets_confidence(threshold)

        return self._measured(min_run_time, max_run_time, callback, steady)

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> Any:
        """NotImplementedError: instructions are counted by Valgrind from outside."""
        raise NotImplementedError("tensorsh counts no instructions: run the program under `valgrind --tool=callgrind`")
