"""``torch.monitor``: events, which handlers are told of, and counters that log their summary as one, window by window. For plain Python
alone (`tensorsh.as_torch`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

__all__ = [
    "Aggregation", "Event", "EventHandlerHandle", "Stat", "TensorboardEventHandler", "data_value_t", "log_event",
    "register_event_handler", "unregister_event_handler",
]  # fmt: skip

STAT_EVENT = "torch.monitor.Stat"
data_value_t = str | int | float | bool


class Aggregation(Enum):
    """What is kept of the values of a counter."""

    VALUE, MEAN, COUNT, SUM, MAX, MIN = 0, 2, 3, 4, 5, 6

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return f"Aggregation.{self.name}"


class Event:
    """Something that happened: a name, a time, and values by their names.

    name: what all events of the kind bear. timestamp: when it happened. data: texts, numbers and truths.
    """

    def __init__(self, name: str, timestamp: datetime, data: dict[str, data_value_t]) -> None:
        fits = isinstance(name, str) and isinstance(timestamp, datetime) and isinstance(data, dict)
        if not fits or not all(isinstance(k, str) and isinstance(v, str | int | float) for k, v in data.items()):
            raise refused("__init__", "constructor")
        self.name, self.timestamp, self.data = name, timestamp, dict(data)


def refused(name: str, kind: str = "function") -> TypeError:
    return TypeError(f"{name}(): incompatible {kind} arguments. The following argument types are supported:")


class EventHandlerHandle:
    """A handler that is told of events."""

    def __init__(self, handler: Callable) -> None:
        self._handler = handler


_handles: list[EventHandlerHandle] = []


def register_event_handler(handler: Callable) -> EventHandlerHandle:
    """Call `handler` with every event from now on; what comes back ends that."""
    if not callable(handler):
        raise refused("register_event_handler")
    _handles.append(EventHandlerHandle(handler))
    return _handles[-1]


def unregister_event_handler(handler: EventHandlerHandle) -> None:
    """Tell a handler of no more events."""
    if handler in _handles:
        _handles.remove(handler)


def log_event(event: Event) -> None:
    """Tell all handlers of an event."""
    if not isinstance(event, Event):
        raise refused("log_event")
    for handle in list(_handles):
        handle._handler(event)


class Stat:
    """A counter that logs an event with its summary at the end of each window.

    name: of the values in its events, ``name.sum``. aggregations: what is kept. window_size: how long a window is. max_samples: values
    of a window; further ones are left out (None: no bound). What is left is logged when the counter goes.
    """

    def __init__(self, name: str, aggregations: Any, window_size: timedelta, max_samples: int | None = None) -> None:
        fits = isinstance(name, str) and isinstance(aggregations, list | tuple) and isinstance(window_size, timedelta)
        if not fits or not all(isinstance(each, Aggregation) for each in aggregations):
            raise refused("__init__", "constructor")
        self.name = name
        self._kept = [each for each in Aggregation if each in aggregations and each is not Aggregation.VALUE]
        self._length, self._most = window_size.total_seconds(), max_samples
        self._values: list[float] = []
        self._before: list[float] = []
        self._window = self._logged = 0

    count = property(lambda self: len(self._values), doc="The values of this window.")

    def add(self, v: float) -> None:
        """Count a value."""
        if not isinstance(v, int | float):
            raise refused("add")
        self._maybe_log()
        if self._logged != self._now():
            self._values.append(float(v))
            self._maybe_log()

    def get(self) -> dict:
        """The summary of the last window."""
        values = self._before
        total, count = sum(values), len(values)
        found = {
            Aggregation.MEAN: total / max(count, 1), Aggregation.COUNT: float(count), Aggregation.SUM: float(total),
            Aggregation.MAX: max(values, default=0.0), Aggregation.MIN: min(values, default=0.0),
        }  # fmt: skip
        return {each: found[each] for each in self._kept}

    def _now(self) -> int:
        return int(time.monotonic() / self._length) + 1

    def _maybe_log(self) -> None:
        now = self._now()
        over = self._window != now or self._most is not None and len(self._values) >= self._most
        if over and self._logged != now:
            self._log()
            self._logged, self._window = self._window, now

    def _log(self) -> None:
        self._before, self._values = self._values, []
        if self._before:
            data = {f"{self.name}.{each.name.lower()}": value for each, value in self.get().items()}
            log_event(Event(STAT_EVENT, datetime.now(), data))

    def __del__(self) -> None:
        if getattr(self, "_values", None):
            self._log()


class TensorboardEventHandler:
    """A handler that writes the summaries of counters as scalars. writer: a SummaryWriter."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __call__(self, event: Event) -> None:
        if event.name == STAT_EVENT:
            for name, value in event.data.items():
                self._writer.add_scalar(name, value, walltime=event.timestamp.timestamp())


class _WaitCounter:
    """Counts waits for those who watch a fleet of machines; nobody does here."""

    def __init__(self, key: str) -> None:
        self.key = key

    @contextmanager
    def guard(self) -> Iterator[None]:
        """A context: what is waited for."""
        yield
