# ruff: noqa
"""Traces of a profiler: what a file of them holds, and the files of the cycles of a schedule."""

import gzip
import json
import os
import tempfile

import torch
from torch.profiler import profile, record_function, schedule, tensorboard_trace_handler

folder = tempfile.mkdtemp()
x = torch.ones(3, requires_grad=True)


def shown(path):
    read = gzip.open if path.endswith(".gz") else open
    with read(path, "rt") as file:
        found = json.load(file)
    events = [e for e in found["traceEvents"] if e.get("cat") in ("cpu_op", "user_annotation")]
    by_name = {e["name"]: e for e in sorted(events, key=lambda e: -e["ts"])}  # the first of each name
    return found, by_name


with profile(record_shapes=True) as p:
    with record_function("block"):
        y = (x * 2).sum()
    y.backward()
path = os.path.join(folder, "trace.json")
print(p.export_chrome_trace(path))
found, events = shown(path)
print(found["schemaVersion"], found["displayTimeUnit"], found["traceName"] == path)
for name in ("block", "aten::mul", "aten::sum"):
    e = events[name]
    print(name, e["ph"], e["cat"], e["dur"] > 0, type(e["args"]["External id"]).__name__, e["pid"] == os.getpid())
print(events["aten::mul"]["args"]["Input Dims"][0])
block, mul = events["block"], events["aten::mul"]
print(block["ts"] <= mul["ts"], mul["ts"] + mul["dur"] <= block["ts"] + block["dur"])
names = [e["name"] for e in found["traceEvents"] if e["ph"] == "M"]
print("process_name" in names, "thread_name" in names)

runs = os.path.join(folder, "runs")
with profile(
    schedule=schedule(wait=0, warmup=1, active=1, repeat=2), on_trace_ready=tensorboard_trace_handler(runs, "w")
) as p:
    for _ in range(4):
        x + 1
        p.step()
files = sorted(os.listdir(runs))
print(len(files), {f.split(".")[0] for f in files}, {f.split(".", 2)[2] for f in files})
print("aten::add" in shown(os.path.join(runs, files[0]))[1])

with torch.autograd.profiler.profile() as p:
    x + 1
p.export_chrome_trace(path)
print("aten::add" in shown(path)[1])
with profile() as p:
    x + 1
p.export_chrome_trace(path + ".gz")
print("aten::add" in shown(path + ".gz")[1])
