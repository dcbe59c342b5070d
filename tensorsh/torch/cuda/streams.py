"""``torch.cuda.streams``: queues of a device's work, and moments in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...engine.arrays import backend, device_guard
from ...engine.arrays.bounds import settle
from ...engine.arrays.device import device as device_type
from ...sandbox.sealed import Sealed
from .places import index_of, module

__all__ = ["Event", "Stream"]


class Event(metaclass=Sealed):
    """A moment in the device's work: ``record()`` it, and ask for the time between two."""

    __module__ = "torch.cuda.streams"

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if backend.cupy() is None:
            raise RuntimeError("Tried to instantiate dummy base class Event")
        self._options = {"block": blocking, "disable_timing": not enable_timing}
        self._event: Any = None
        self._index = -1

    def record(self, stream: Any = None) -> None:
        """Mark this moment in a stream's work (the current one's)."""
        stream = current_stream() if stream is None else stream
        with device_guard.on(stream._index):
            if self._event is None:
                self._event, self._index = module().cuda.Event(**self._options), stream._index
            if self._index != stream._index:
                raise RuntimeError(
                    f"Event device {self._index} does not match recording stream's device {stream._index}."
                )
            self._event.record(stream._stream)

    def wait(self, stream: Any = None) -> None:
        """Let a stream (the current one) wait for this moment."""
        (current_stream() if stream is None else stream).wait_event(self)

    def synchronize(self) -> None:
        """Wait until this moment has come."""
        if self._event is not None:
            self._event.synchronize()
            settle()

    def query(self) -> bool:
        """Whether this moment has come."""
        return self._event is None or self._event.done

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to another."""
        if self._event is None or end_event._event is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return module().cuda.get_elapsed_time(self._event, end_event._event)


class Stream(metaclass=Sealed):
    """A queue of the device's work."""

    __module__ = "torch.cuda.streams"

    def __init__(self, device: Any = None, priority: int = 0, **own: Any) -> None:
        if backend.cupy() is None:
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        self._index = index_of(device)
        found = own.get("stream")
        if found is None:
            with device_guard.on(self._index):
                found = module().cuda.Stream(non_blocking=True)
        self._stream, self.priority = found, priority
        self._outer: list[int] = []

    device = property(lambda self: device_type("cuda", self._index))
    device_index = property(lambda self: self._index)
    cuda_stream = stream_id = property(lambda self: self._stream.ptr)

    def synchronize(self) -> None:
        """Wait until all its work is done."""
        with device_guard.on(self._index):
            self._stream.synchronize()
        settle()

    def query(self) -> bool:
        """Whether all its work is done."""
        with device_guard.on(self._index):
            return self._stream.done

    def record_event(self, event: Event | None = None) -> Event:
        """Mark this moment in its work."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Do nothing more before an event."""
        if event._event is not None:
            with device_guard.on(self._index):
                self._stream.wait_event(event._event)

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing more before another stream has done what it was given."""
        self.wait_event(stream.record_event())

    def __enter__(self) -> Stream:
        """Its device is the current one, too."""
        runtime = device_guard.runtime()
        self._outer.append(runtime.getDevice())
        runtime.setDevice(self._index)
        self._stream.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        runtime = device_guard.runtime()
        runtime.setDevice(self._index)
        self._stream.__exit__(*exception)
        runtime.setDevice(self._outer.pop())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (other._index, other.cuda_stream) == (self._index, self.cuda_stream)

    def __hash__(self) -> int:
        return hash((self._index, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class StreamContext(metaclass=Sealed):
    """``with torch.cuda.stream(s):`` gives the work inside to a stream; nothing for None."""

    __module__ = "torch.cuda"

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            self.stream.__exit__(*exception)


def stream(stream: Stream | None) -> StreamContext:
    """A block whose work goes to a stream."""
    return StreamContext(stream)


@contextmanager
def aside() -> Iterator[None]:
    """A block on a stream of its own, after what the current one holds and before what it is given next."""
    side = Stream()
    side.wait_stream(current_stream())
    with side:
        yield
    current_stream().wait_stream(side)


def set_stream(stream: Stream | None) -> None:
    """Make a stream the current one, and its device."""
    if stream is not None:
        device_guard.runtime().setDevice(stream._index)
        stream._stream.use()


def current_stream(device: Any = None) -> Stream:
    """The stream that work is given to."""
    index = index_of(device)
    return Stream(index, stream=module().cuda.get_current_stream(index))


def default_stream(device: Any = None) -> Stream:
    """The stream that work is given to unless a program says otherwise."""
    index = index_of(device)
    return Stream(index, stream=module().cuda.Stream.null)
