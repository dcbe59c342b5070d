"""``torch.profiler``: how often a program calls which operators, and how long they take.

Calls are counted where a program makes them; what an operator does by calling others is a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from enum import Enum, EnumType
from time import perf_counter_ns
from typing import Any

from ..engine.arrays.state import state
from ..engine.operators.hooks import SYMBOLS, attend
from ..engine.tensors.tensor import Tensor
from ..sandbox.named import read_named
from ..sandbox.sealed import Sealed

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class SealedEnum(Sealed, EnumType):
    """The metaclass of enumerations that programs cannot change."""


class ProfilerActivity(Enum, metaclass=SealedEnum):
    """What is measured; here always the CPU."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum, metaclass=SealedEnum):
    """What a step of a schedule does."""

    __module__ = "torch.profiler.profiler"

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0) -> Callable:
    """Which steps are measured: after `wait` and `warmup` steps come `active` ones, `repeat` times (0: without end)."""

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        length = wait + warmup + active
        if step < 0 or repeat and step // length >= repeat:
            return ProfilerAction.NONE
        at = step % length
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def in_words(microseconds: float) -> str:
    """A time as the tables show it."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    return f"{microseconds / 1e3:.3f}ms" if microseconds >= 1e3 else f"{microseconds:.3f}us"


class FunctionEvent(metaclass=Sealed):
    """One call of an operator, or a labelled block; or, in averages, all of one name."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, name: str, shapes: list) -> None:
        self.name = self.key = name
        self.input_shapes = shapes
        self.count = 1
        self.start = 0
        """When it began, in nanoseconds of a clock of its own."""
        self.cpu_time_total = self.self_cpu_time_total = 0.0

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total / self.count

    cpu_time_str = property(lambda self: in_words(self.cpu_time))
    cpu_time_total_str = property(lambda self: in_words(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: in_words(self.self_cpu_time_total))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.key} count={self.count} cpu_time={self.cpu_time_str}>"


class EventList(list, metaclass=Sealed):
    """Events, as a table."""

    __module__ = "torch.autograd.profiler_util"

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as text, the largest in `sort_by` first."""
        if not self:
            return ""
        events = list(self)
        if sort_by is not None:
            events.sort(key=lambda e: read_named(e, sort_by), reverse=True)
        titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        widths = [min(max(len(e.key) for e in events) + 4, max_name_column_width)] + [12] * 6
        shapes = any(e.input_shapes for e in events)
        if shapes:
            titles.append("Input Shapes")
            widths.append(min(max(len(str(e.input_shapes)) for e in events) + 4, max_shapes_column_width))
        line = "".join("-" * w + "  " for w in widths)
        total = sum(e.self_cpu_time_total for e in events)
        rows = [line, row(titles, widths), line]
        if header is not None:
            rows[:0] = ["=" * (len(line) - 2), header]
        for e in events[: row_limit if row_limit >= 0 else None]:
            name = e.key if len(e.key) < max_name_column_width - 3 else e.key[: max_name_column_width - 3] + "..."
            cells = [
                name,
                share(e.self_cpu_time_total, total),
                e.self_cpu_time_total_str,
                share(e.cpu_time_total, total),
            ]
            cells += [e.cpu_time_total_str, e.cpu_time_str, e.count]
            rows.append(row(cells + [str(e.input_shapes)] * shapes, widths))
        return "\n".join([*rows, line, f"Self CPU time total: {in_words(total)}", ""])

    def __repr__(self) -> str:
        return self.table()

    __str__ = __repr__

    def key_averages(self, group_by_input_shape: bool = False, **_: Any) -> EventList:
        """One event for all of a name."""
        found: dict[Any, FunctionEvent] = {}
        for e in self:
            key = (e.name, str(e.input_shapes) if group_by_input_shape else "")
            one = found.get(key)
            if one is None:
                one = found[key] = FunctionEvent(e.name, e.input_shapes if group_by_input_shape else [])
                one.count = 0
            one.count += 1
            one.cpu_time_total += e.cpu_time_total
            one.self_cpu_time_total += e.self_cpu_time_total
        return EventList(found.values())

    def total_average(self) -> FunctionEvent:
        """One event for all."""
        total = FunctionEvent("Total", [])
        total.count = len(self)
        total.cpu_time_total = total.self_cpu_time_total = self.self_cpu_time_total
        return total

    @property
    def self_cpu_time_total(self) -> float:
        return sum(e.self_cpu_time_total for e in self)


def row(cells: Iterable, widths: list) -> str:
    return "".join(f"{cell!s:>{width}}  " for cell, width in zip(cells, widths, strict=True))


def share(part: float, whole: float) -> str:
    return f"{part * 100 / whole:.2f}%" if whole else "NaN"


class profile(ContextDecorator, metaclass=Sealed):
    """A context in which operators are counted and timed; `key_averages().table()` shows what was found."""

    __module__ = "torch.profiler.profiler"

    def __init__(
        self, *, activities: Any = None, schedule: Callable | None = None, on_trace_ready: Callable | None = None,
        record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, experimental_config: Any = None, execution_trace_observer: Any = None, acc_events: bool = False,
        use_cuda: Any = None, custom_trace_id_callback: Any = None, post_processing_timeout_s: Any = None,
    ) -> None:  # fmt: skip
        self.schedule, self.on_trace_ready, self.record_shapes = schedule, on_trace_ready, record_shapes
        self.step_num = 0
        self._events: list[FunctionEvent] = []
        self._open: list[FunctionEvent] = []

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begin."""
        attend()
        self._before, state.profile = state.profile, self if self._records() else None
        state.settle()

    def stop(self) -> None:
        """End."""
        ready = self.schedule is None or self._records()
        state.profile = self._before
        state.settle()
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _records(self) -> bool:
        wanted = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
        return self.schedule is None or self.schedule(self.step_num) in wanted

    def step(self) -> None:
        """The next step of the schedule begins."""
        last = self.schedule is not None and self.schedule(self.step_num) is ProfilerAction.RECORD_AND_SAVE
        before = self._records()
        self.step_num += 1
        if last and self.on_trace_ready is not None:
            self.on_trace_ready(self)
        now = self._records()
        if now and (not before or last):
            self._events.clear()
        state.profile = self if now else None
        state.settle()

    def begun(self, name: str, args: tuple, kwargs: dict, function: Any = None) -> Callable:
        """An operator is called; what is to be called when it has ended."""
        if name == "backward":
            return self.backward()
        shapes = [list(a._array.shape) if isinstance(a, Tensor) else [] for a in args] if self.record_shapes else []
        name = SYMBOLS.get(name, name)
        return self.enter("aten::" + (name.strip("_") if name.startswith("__") else name), shapes)

    def backward(self) -> Callable:
        """A backward pass begins: each of its steps is an event."""
        before, step = state.flow, [lambda: None]

        def flow(node: Any, gradient: Any) -> Any:
            step.pop()()
            step.append(self.enter(node.name(), []))
            return None if before is None else before(node, gradient)

        def ended(result: Any = None) -> None:
            step.pop()()
            state.flow = before

        state.flow = flow
        return ended

    def enter(self, name: str, shapes: list) -> Callable:
        """A block of a name begins."""
        event = FunctionEvent(name, shapes)
        self._events.append(event)
        self._open.append(event)
        start = event.start = perf_counter_ns()

        def ended(result: Any = None) -> None:
            taken = (perf_counter_ns() - start) / 1000
            self._open.pop()
            event.cpu_time_total += taken
            event.self_cpu_time_total += taken
            if self._open:
                self._open[-1].self_cpu_time_total -= taken

        return ended

    def events(self) -> EventList:
        """All calls."""
        return EventList(self._events)

    function_events = property(events)
    self_cpu_time_total = property(lambda self: self.events().self_cpu_time_total)

    def key_averages(self, group_by_input_shape: bool = False, **_: Any) -> EventList:
        """One event for all calls of an operator."""
        return self.events().key_averages(group_by_input_shape)

    def total_average(self) -> FunctionEvent:
        """One event for all calls."""
        return self.events().total_average()

    def table(self, **options: Any) -> str:
        """The calls as text."""
        return self.events().table(**options)

    def export_chrome_trace(self, path: Any, *, use_python_export: bool = False) -> None:
        """Write what was seen as a trace that a browser draws (``chrome://tracing``), where the program may write."""
        from .traces import export

        export(self, path)


class old_profile(profile):
    """``torch.autograd.profiler.profile``: prints as a table."""

    __module__ = "torch.autograd.profiler"

    def __init__(self, enabled: bool = True, *, use_cpu: bool = True, **options: Any) -> None:
        super().__init__(**{k: v for k, v in options.items() if k == "record_shapes"})
        self.enabled = enabled

    def start(self) -> None:
        if self.enabled:
            super().start()

    def stop(self) -> None:
        if self.enabled:
            super().stop()

    def __repr__(self) -> str:
        return str(self.events())


class record_function(ContextDecorator, metaclass=Sealed):
    """A context, or a decorator, that gives a block of a program a name in profiles."""

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> Any:
        self._ended = None if state.profile is None else state.profile.enter(self.name, [])
        return self

    def __exit__(self, *_: Any) -> None:
        if self._ended is not None:
            self._ended()


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable:
    """What `profile` is given as `on_trace_ready` so that each of its cycles is a file in a folder, for TensorBoard.
    dir_name: the folder, where the program may write; in plain Python it is made. worker_name: how the files' names begin.
    use_gzip: whether they are compressed. use_python_export: changes nothing."""
    from .traces import handler

    return handler(dir_name, worker_name, use_gzip)


def kineto_available() -> bool:
    """Whether PyTorch's own recorder of events is there: no."""
    return False


def supported_activities() -> set:
    """What can be measured: the CPU's work."""
    return {ProfilerActivity.CPU}
