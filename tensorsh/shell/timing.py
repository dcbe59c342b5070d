"""What `%time` and `%timeit` measure and print, of statements and of functions."""

from __future__ import annotations

import re
import time as clock
from collections.abc import Callable
from typing import Any

from ..display.sizes import duration_text
from ..tools.timing import TimeitResult, measured, told
from .commands import CommandError

_OPTION = re.compile(r"-(?:([nrp])[ ]*(\S*)|([tcqo]+)(?=\s|$)|-(?=\s))\s*")


def time_of(call: Callable[[], Any]) -> Any:
    """The value of a call, after the times that it took are printed."""
    value, times = timed(call)
    print(times)
    return value


def timed(call: Callable[[], Any]) -> tuple[Any, str]:
    """The value of a call, and the text of the times that it took."""
    before = processor()
    began = clock.perf_counter()
    value = call()
    wall, used = clock.perf_counter() - began, [now - then for now, then in zip(processor(), before, strict=True)]
    parts = "user {}, sys: {}, ".format(*map(duration_text, used)) if len(used) == 2 else ""
    return value, f"CPU times: {parts}total: {duration_text(sum(used))}\nWall time: {duration_text(wall)}"


def processor() -> tuple[float, ...]:
    """The processor's time so far, the program's and the system's, or their sum where they are not told apart."""
    try:
        import resource
    except ImportError:
        return (clock.process_time(),)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime


def options_of(argument: str) -> tuple[str, str]:
    """The options of `%timeit`, and its statement. Raises CommandError."""
    options, rest = [], argument
    while (option := _OPTION.match(rest)) is not None:
        rest = rest[option.end() :]
        if option[0].startswith("--"):
            break
        value = option[2] or ""
        if option[1] and not (value.replace("_", "").isdigit() and int(value)):
            raise CommandError(f"%timeit: -{option[1]} needs a number above 0")
        options += [option[1] + value] if option[1] else list(option[3])
    return " ".join(options), rest


def timeit_of(options: str, call: Callable[[], Any]) -> TimeitResult | None:
    """The times of a function's calls."""

    def run(count: int) -> float:
        began = clock.perf_counter()
        for _ in range(count):
            call()
        return clock.perf_counter() - began

    return measure(options, run)


def measure(options: str, run: Callable[[int], float], compile_time: float = 0.0) -> TimeitResult | None:
    given = {word[0]: word[1:] for word in options.split()}
    found = measured(run, int(given.get("n", 0)), int(given.get("r", 7)), compile_time)
    if "q" not in given:
        print(told(found))
    return found if "o" in given else None
