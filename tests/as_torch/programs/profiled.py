"""Schedules of the profiler, what its events tell, and what is written beside them into a trace."""

import json
import os
import tempfile

import torch
from torch.profiler import profile, record_function, schedule

for options in (
    {"wait": 2, "warmup": 1, "active": 1, "repeat": 2, "skip_first": 1, "skip_first_wait": 1},
    {"wait": 2, "warmup": 0, "active": 1, "skip_first_wait": 1},
    {"wait": 1, "warmup": 1, "active": 2, "repeat": 1},
):
    chosen = schedule(**options)
    print([chosen(step).name for step in range(10)])
for options in ({"wait": -1, "warmup": 0, "active": 1}, {"wait": 0, "warmup": 0, "active": 0}):
    try:
        schedule(**options)
    except AssertionError as error:
        print(error)
with profile() as seen:
    with record_function("mine"):
        torch.ones(2).sin()
for event in seen.events():
    if event.name in ("mine", "aten::sin"):
        print(
            event.name,
            event.is_async,
            event.is_remote,
            event.node_id,
            event.is_user_annotation,
            event.stack,
            event.kernels,
        )
        print(
            [child.name for child in event.cpu_children],
            event.cpu_parent.name if event.cpu_parent else None,
            event.trace_name,
        )
        print(
            event.time_range.elapsed_us() > 0,
            type(event.time_range).__name__,
            event.use_device,
            type(event.id).__name__,
        )
print(seen.current_action.name)
with profile() as told:
    told.add_metadata("said", "so much")
    told.add_metadata_json("counted", "[1, 2]")
    torch.ones(2)
path = os.path.join(tempfile.mkdtemp(), "trace.json")
told.export_chrome_trace(path)
with open(path) as file:
    trace = json.load(file)
print(trace["said"], trace["counted"], len(trace["traceEvents"]) > 0)
