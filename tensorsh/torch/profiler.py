"""``torch.profiler``: how often a program calls which operators, and how long they take.

Calls are counted where a program makes them; what an operator does by calling others is a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ContextDecorator
from enum import Enum, EnumType
from time import perf_counter_ns
from typing import Any

from ..engine.arrays import backend
from ..engine.arrays.state import here
from ..engine.arrays.warning import warn, warn_of_old
from ..engine.operators.hooks import SYMBOLS, attend
from ..engine.tensors.tensor import Tensor
from ..sandbox.named import read_named
from ..sandbox.sealed import Sealed
from .profiled import bytes_in_words, in_words, made, operations, row, scaled, share

__all__ = [
    "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]  # fmt: skip


class SealedEnum(Sealed, EnumType):
    """The metaclass of enumerations that programs cannot change."""


class ProfilerActivity(Enum, metaclass=SealedEnum):
    """What is measured; here always the CPU."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum, metaclass=SealedEnum):
    """What a step of a schedule does."""

    __module__ = "torch.profiler.profiler"

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable:
    """Which steps are measured: after `wait` and `warmup` steps come `active` ones, `repeat` times (0: without end). skip_first: steps
    before all. skip_first_wait: not 0 leaves out the first wait."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got {wait=} (need >= 0), {warmup=} (need >= 0), {active=} (need > 0), {repeat=} "
            f"(need >= 0), {skip_first=} (need >= 0)."
        )

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        length = wait + warmup + active
        if step >= 0 and skip_first_wait:
            step += wait
        if step < 0 or repeat and step // length >= repeat:
            return ProfilerAction.NONE
        at = step % length
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


class Interval(metaclass=Sealed):
    """When something began and ended, in microseconds."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it took."""
        return self.end - self.start


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
        self.cpu_memory_usage = self.self_cpu_memory_usage = self.flops = 0
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.is_user_annotation, self.id, self.stack, self.kernels = False, 0, [], []

    trace_name = property(lambda self: self.name)
    time_range = property(lambda self: Interval(self.start / 1000, self.start / 1000 + self.cpu_time_total))
    is_async = is_remote = False
    node_id, use_device, concrete_inputs = -1, None, ()
    device_time = device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0

    cpu_time = property(lambda self: self.cpu_time_total / self.count)
    cpu_time_str = property(lambda self: in_words(self.cpu_time))
    cpu_time_total_str = property(lambda self: in_words(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: in_words(self.self_cpu_time_total))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.key} count={self.count} cpu_time={self.cpu_time_str}>"


class FunctionEventAvg(FunctionEvent):
    """All calls of an operator."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, name: str, shapes: list) -> None:
        super().__init__(name, shapes)
        self.count = 0

    def add(self, e: FunctionEvent) -> None:
        """One call more."""
        self.count += 1
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(e, name))


SUMS = "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "flops"


class EventList(list, metaclass=Sealed):
    """Events, as a table. events: which; profile_memory, with_flops: whether it shows memory, operations of numbers."""

    __module__ = "torch.autograd.profiler_util"

    def __init__(self, events: Iterable = (), profile_memory: bool = False, with_flops: bool = False) -> None:
        super().__init__(events)
        self._memory, self._flops = profile_memory, with_flops

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75,
        max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: str | None = None,
        top_level_events_only: bool = False, time_unit: str | None = None,
    ) -> str:  # fmt: skip
        """The events as text, the largest in `sort_by` first."""
        if not self:
            return ""
        events = list(self)
        if sort_by is not None:
            key = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
            events.sort(key=lambda e: read_named(e, key), reverse=True)
        memory, shapes = self._memory, any(e.input_shapes for e in events)
        titles = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        titles += ["CPU Mem", "Self CPU Mem"] * memory + ["# of Calls"]
        widths = [min(max(len(e.key) for e in events) + 4, max_name_column_width)] + [12] * (len(titles) - 1)
        if shapes:
            titles.append("Input Shapes")
            widths.append(min(max(len(str(e.input_shapes)) for e in events) + 4, max_shapes_column_width))
        flops = self._flops and any(e.flops > 0 for e in events)
        scale, unit = scaled([e.flops for e in events])
        titles += [f"Total {unit}"] * flops
        widths += [12] * flops
        line = "".join("-" * w + "  " for w in widths)
        total = sum(e.self_cpu_time_total for e in events)
        rows = [line, row(titles, widths), line]
        doubled = "=" * (len(line) - 2)
        if top_level_events_only:
            rows[:0] = [doubled, "This report only display top-level ops statistics"]
            events = [e for e in events if e.cpu_parent is None]
        if header is not None:
            rows[:0] = [doubled, header]
        for e in events[: row_limit if row_limit >= 0 else None]:
            name = e.key if len(e.key) < max_name_column_width - 3 else e.key[: max_name_column_width - 3] + "..."
            cells = [name]
            for part in (e.self_cpu_time_total, e.cpu_time_total):
                cells += [share(part, total), in_words(part, time_unit)]
            cells.append(in_words(e.cpu_time, time_unit))
            cells += [bytes_in_words(count) for count in (e.cpu_memory_usage, e.self_cpu_memory_usage)] * memory
            cells += [e.count, *[str(e.input_shapes)] * shapes]
            cells += [f"{e.flops * scale:8.3f}" if e.flops > 0 else "--"] * flops
            rows.append(row(cells, widths))
        return "\n".join([*rows, line, f"Self CPU time total: {in_words(total, time_unit)}", ""])

    def __repr__(self) -> str:
        return self.table()

    __str__ = __repr__

    def key_averages(self, group_by_input_shape: bool = False, **_: Any) -> EventList:
        """One event for all of a name."""
        found: dict[Any, FunctionEventAvg] = {}
        for e in self:
            key = (e.name, str(e.input_shapes) if group_by_input_shape else "")
            one = found.get(key)
            if one is None:
                one = found[key] = FunctionEventAvg(e.name, e.input_shapes if group_by_input_shape else [])
            one.add(e)
        return EventList(found.values(), self._memory, self._flops)

    def total_average(self) -> FunctionEventAvg:
        """One event for all."""
        total = FunctionEventAvg("Total", [])
        for e in self:
            total.add(e)
        total.cpu_time_total = total.self_cpu_time_total
        return total

    self_cpu_time_total = property(lambda self: sum(e.self_cpu_time_total for e in self))


class profile(ContextDecorator, metaclass=Sealed):
    """A context in which operators are counted and timed; `key_averages().table()` shows what was found."""

    __module__ = "torch.profiler.profiler"

    def __init__(
        self, *, activities: Any = None, schedule: Callable | None = None, on_trace_ready: Callable | None = None,
        record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, experimental_config: Any = None, execution_trace_observer: Any = None, acc_events: bool = False,
        use_cuda: Any = None, custom_trace_id_callback: Any = None, post_processing_timeout_s: Any = None,
    ) -> None:  # fmt: skip
        wanted = supported_activities() if activities is None else set(activities)
        if not wanted & set(ProfilerActivity):
            raise AssertionError("No valid profiler activities found")
        self._devices = {"cuda"} if ProfilerActivity.CUDA in wanted else set()
        self._cpu = ProfilerActivity.CPU in wanted
        self.schedule, self.on_trace_ready, self.record_shapes = schedule, on_trace_ready, record_shapes
        self.profile_memory, self.with_flops, self._keeps = profile_memory, with_flops, acc_events
        self.step_num = 0
        self._events: list[FunctionEvent] = []
        self._open: list[FunctionEvent] = []
        self._told: dict[str, str] = {}

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begin."""
        if "cuda" in self._devices and backend.cupy() is None:
            warn("CUDA is not available, disabling CUDA profiling")
            if not self._cpu:
                raise AssertionError("No activities specified for the profiler")
        attend()
        self._before, here.profile = here.profile, self if self._records() else None
        here.settle()

    def stop(self) -> None:
        """End."""
        ready = self.schedule is None or self._records()
        here.profile = self._before
        here.settle()
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)

    def _records(self) -> bool:
        return self._action() in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def step(self) -> None:
        """The next step of the schedule begins."""
        before = self._action()
        self.step_num += 1
        after = self._action()
        last = self.schedule is not None and before is ProfilerAction.RECORD_AND_SAVE
        if last and self.on_trace_ready is not None:
            self.on_trace_ready(self)
        begins = (last or before is ProfilerAction.NONE) and after is not ProfilerAction.NONE
        if begins and self._events and not self._keeps:
            warn_of_old("profiler")
            self._events.clear()
        here.profile = self if self._records() else None
        here.settle()

    def begun(self, name: str, args: tuple, kwargs: dict, function: Any = None) -> Callable:
        """An operator is called; what is to be called when it has ended."""
        if name == "backward":
            return self.backward()
        shapes = [list(a._array.shape) if isinstance(a, Tensor) else [] for a in args] if self.record_shapes else []
        name = SYMBOLS.get(name, name)
        return self.enter(
            "aten::" + (name.strip("_") if name.startswith("__") else name), shapes, (*args, *kwargs.values())
        )

    def backward(self) -> Callable:
        """A backward pass begins: each of its steps is an event."""
        before, step = here.flow, [lambda: None]

        def flow(node: Any, gradient: Any) -> Any:
            step.pop()()
            step.append(self.enter(node.name(), []))
            return None if before is None else before(node, gradient)

        def ended(result: Any = None) -> None:
            step.pop()()
            here.flow = before

        here.flow = flow
        return ended

    def enter(self, name: str, shapes: list, args: tuple = ()) -> Callable:
        """A block of a name begins; `args`: what was there before."""
        event = FunctionEvent(name, shapes)
        event.cpu_parent = parent = self._open[-1] if self._open else None
        event.id = len(self._events) + 1
        if parent is not None:
            parent.cpu_children.append(event)
        self._events.append(event)
        self._open.append(event)
        start = event.start = perf_counter_ns()

        def ended(result: Any = None) -> None:
            taken = (perf_counter_ns() - start) / 1000
            self._open.pop()
            event.cpu_time_total += taken
            event.self_cpu_time_total += taken
            event.self_cpu_memory_usage += made(result, args) if self.profile_memory else 0
            event.flops = operations(name[6:], args, result) if self.with_flops else 0
            event.cpu_memory_usage += event.self_cpu_memory_usage
            if parent is not None:
                parent.self_cpu_time_total -= taken
                parent.cpu_memory_usage += event.cpu_memory_usage

        return ended

    def events(self) -> EventList:
        """All calls."""
        return EventList(self._events, self.profile_memory, self.with_flops)

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

    def add_metadata(self, key: str, value: str) -> None:
        """Tell the trace something more."""
        self.add_metadata_json(key, '"' + value.replace('"', '\\"') + '"')

    def add_metadata_json(self, key: str, value: str) -> None:
        """Tell the trace something more, as JSON."""
        self._told[key] = value

    preset_metadata_json = add_metadata_json
    current_action = property(_action)


class old_profile(profile):
    """``torch.autograd.profiler.profile``: prints as a table.

    use_cuda, use_device: a device to measure beside the CPU; where there is none a warning says so. use_cpu: whether the CPU is measured,
    which may be left out with `use_kineto` alone. activity_filters: taken, with no effect."""

    __module__, __qualname__ = "torch.autograd.profiler", "profile"

    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None, record_shapes: bool = False,
        with_flops: bool = False, profile_memory: bool = False, with_stack: bool = False, with_modules: bool = False,
        use_kineto: bool = False, use_cpu: bool = True, experimental_config: Any = None, acc_events: bool = False,
        custom_trace_id_callback: Any = None, post_processing_timeout_s: float | None = None, activity_filters: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(record_shapes=record_shapes, profile_memory=profile_memory, with_flops=with_flops)
        self.enabled, self._cpu = enabled, use_cpu
        if not enabled:
            return
        if use_cuda:
            told = "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead."
            warn(told, FutureWarning)
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self._devices = {"cuda"} if use_cuda or use_device == "cuda" else set()

    __init__.__qualname__ = "profile.__init__"

    def start(self) -> None:
        if self.enabled:
            super().start()

    def stop(self) -> None:
        if self.enabled:
            super().stop()

    def __repr__(self) -> str:
        return str(self.events())


type.__setattr__(old_profile, "__name__", "profile")


class record_function(ContextDecorator, metaclass=Sealed):
    """A context, or a decorator, that gives a block of a program a name in profiles."""

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> Any:
        self._ended = None if here.profile is None else here.profile.enter(self.name, [])
        if here.profile is not None:
            here.profile._open[-1].is_user_annotation = True
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
