"""What `%timeit` measures, and its value under `-o`."""

from __future__ import annotations

from collections.abc import Callable

from ..display.sizes import duration_text
from ..sandbox.sealed import Sealed

LEAST_TIME = 0.2
"""Seconds that one run should last."""
SPREAD, NOTEWORTHY = 4, 1e-6
"""How much longer than the fastest the slowest run may take before it is told, and from how many seconds on."""


class TimeitResult(metaclass=Sealed):
    """Times of a statement: `average`, `stdev`, `best` and `worst` in seconds per loop, `timings` of each run, `all_runs` in
    seconds, `loops` of a run, `repeat`, the number of runs, `compile_time`."""

    __slots__ = ("__parts",)
    __module__ = "IPython.core.magics.execution"

    def __init__(self, loops: int, all_runs: list[float], compile_time: float) -> None:
        self.__parts = int(loops), tuple(map(float, all_runs)), float(compile_time)

    loops = property(lambda self: self.__parts[0], doc="How often a run calls the statement.")
    repeat = property(lambda self: len(self.__parts[1]), doc="How many runs there were.")
    all_runs = property(lambda self: list(self.__parts[1]), doc="Seconds of each run.")

    @property
    def timings(self) -> list[float]:
        """Seconds per loop of each run."""
        return [seconds / self.loops for seconds in self.__parts[1]]

    best = property(lambda self: min(self.timings), doc="Seconds per loop of the fastest run.")
    worst = property(lambda self: max(self.timings), doc="Seconds per loop of the slowest run.")
    average = property(lambda self: sum(self.timings) / self.repeat, doc="The mean of the seconds per loop.")

    @property
    def stdev(self) -> float:
        """The standard deviation of the seconds per loop."""
        mean = self.average
        return (sum((seconds - mean) ** 2 for seconds in self.timings) / self.repeat) ** 0.5

    compile_time = property(lambda self: self.__parts[2], doc="Seconds until the statement was compiled.")

    def __str__(self) -> str:
        runs = f"{self.repeat} run{'' if self.repeat == 1 else 's'}"
        many = f"{runs}, {self.loops:,} loop{'' if self.loops == 1 else 's'} each"
        return f"{duration_text(self.average)} ± {duration_text(self.stdev)} per loop (mean ± std. dev. of {many})"

    def __repr__(self) -> str:
        return f"<TimeitResult : {self}>"


def measured(run: Callable[[int], float], loops: int, runs: int, compile_time: float = 0.0) -> TimeitResult:
    """The times of `run(loops)`, which gives its seconds; without `loops`, as many as take a fifth of a second."""
    count = loops
    if not count:
        count = 1
        while (spent := run(count)) < LEAST_TIME / 10 and count < 10**9:
            count *= 10
        count = max(1, min(10 ** len(str(int(LEAST_TIME / (spent / count)))) // 10, 10**9)) if spent else count
    return TimeitResult(count, [run(count) for _ in range(runs)], compile_time)


def told(found: TimeitResult) -> str:
    """The line that is printed, and the one before it where the runs differ much."""
    best, worst = found.best, found.worst
    warning = ""
    if 0 < best and worst > SPREAD * best and worst > NOTEWORTHY:
        warning = (
            f"The slowest run took {worst / best:0.2f} times longer than the fastest. "
            "This could mean that an intermediate result is being cached.\n"
        )
    return f"{warning}{found}"
