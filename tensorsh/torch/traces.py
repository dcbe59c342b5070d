"""What a profiler saw, as a trace that browsers draw (``chrome://tracing``, Perfetto) and TensorBoard reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from gzip import compress
from time import time_ns
from typing import Any

from ..engine.tensors.tensor import Size
from ..sandbox import process
from .serialization import permissions

__all__: list[str] = []


def own_number() -> int:
    """The process's number, where programs may know it."""
    return os.getpid() if process.plain else 1


def event_of(number: int, event: Any, pid: int) -> dict[str, Any]:
    """One call of an operator, or one block that has a name."""
    label = not event.name.startswith("aten::") and not event.name.split("::")[-1].endswith("Backward0")
    told = {"External id": number + 1, "Record function id": 0, "Ev Idx": number}
    if event.input_shapes:
        told["Input Dims"] = [list(shape) if isinstance(shape, (list, Size)) else [] for shape in event.input_shapes]
    return {
        "ph": "X",
        "cat": "user_annotation" if label else "cpu_op",
        "name": event.name,
        "pid": pid,
        "tid": pid,
        "ts": event.start / 1000,
        "dur": event.cpu_time_total,
        "args": told,
    }


def trace(profile: Any) -> dict[str, Any]:
    """All that a profiler saw, as PyTorch's traces have it."""
    pid = own_number()
    events = [event_of(at, event, pid) for at, event in enumerate(profile._events)]
    start = min((each["ts"] for each in events), default=0.0)
    end = max((each["ts"] + each["dur"] for each in events), default=start)
    names = [
        {"ph": "M", "name": name, "ts": start, "pid": pid, "tid": tid, "args": told}
        for name, tid, told in (
            ("process_name", 0, {"name": "python"}),
            ("process_labels", 0, {"labels": "CPU"}),
            ("process_sort_index", 0, {"sort_index": pid}),
            ("thread_name", pid, {"name": f"thread {pid} (python)"}),
            ("thread_sort_index", pid, {"sort_index": pid}),
        )
    ]
    span = {
        "ph": "X",
        "cat": "Trace",
        "name": "PyTorch Profiler (0)",
        "pid": "Spans",
        "tid": "PyTorch Profiler",
        "ts": start,
        "dur": end - start,
        "args": {"Op count": 0},
    }
    shapes = {"record_shapes": 1} if profile.record_shapes else {}
    return {
        "schemaVersion": 1, "deviceProperties": [], **shapes, **{key: json.loads(told) for key, told in profile._told.items()}, "displayTimeUnit": "ms", "baseTimeNanoseconds": 0,
        "traceEvents": [*names, *events, span],
    }  # fmt: skip


def export(profile: Any, path: Any) -> None:
    """Write a trace where a program may write; compressed where the name ends in ``.gz``."""
    data = json.dumps({**trace(profile), "traceName": os.fspath(path)}, indent=2).encode()
    permissions().write_bytes(path, compress(data) if os.fspath(path).endswith(".gz") else data)


def handler(dir_name: str, worker_name: str | None, use_gzip: bool) -> Callable[[Any], None]:
    """What writes each cycle of a profiler into a folder."""

    def handle(prof: Any) -> None:
        if process.plain:
            os.makedirs(dir_name, exist_ok=True)
        name = f"{worker_name or own_number()}.{time_ns()}.pt.trace.json" + ".gz" * use_gzip
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handle
