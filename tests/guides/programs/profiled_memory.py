import warnings

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

x = torch.ones(64, 64)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], profile_memory=True) as prof:
        with record_function("block"):
            y = x @ x
            y.add_(1)
            y.exp()
        torch.cat([x, x]).relu_()
        y.max(1)
        y.detach()
print([str(w.message) for w in told])
known = {e.key: e for e in prof.key_averages()}
for name in ("aten::matmul", "aten::add_", "aten::exp", "aten::cat", "aten::relu_", "aten::max", "aten::detach"):
    print(name, known[name].count, known[name].cpu_memory_usage, known[name].device_time_total)
print(prof.key_averages().table(sort_by="cpu_memory_usage", row_limit=1).splitlines()[1].split("  ")[-6:])
print(len(prof.key_averages().table(sort_by="cuda_time_total", row_limit=1, header="H").splitlines()))
parts = prof.key_averages().table(top_level_events_only=True, time_unit="us").splitlines()
print(parts[0] == "=" * len(parts[0]), parts[1], parts[-1].endswith("us"))
for e in prof.events():
    if e.name in ("block", "aten::exp", "aten::cat"):
        print(e.name, e.cpu_parent is not None)
try:
    prof.key_averages().table(sort_by="speed")
except AttributeError as error:
    print(error)
for wanted in ([ProfilerActivity.CUDA], [], ["cpu"]):
    try:
        with warnings.catch_warnings(), profile(activities=wanted):
            warnings.simplefilter("ignore")
            x + 1
    except AssertionError as error:
        print(error)
for options in ({"use_cuda": True}, {"use_device": "cuda"}, {"use_cpu": False}, {"profile_memory": True}):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with torch.autograd.profiler.profile(**options) as prof:
                x + 1
            print("CPU Mem" in str(prof))
        except AssertionError as error:
            print(error)
    print([str(w.message) for w in told])
for kept in (False, True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=1), acc_events=kept) as prof:
            for _ in range(6):
                x.cos()
                prof.step()
    print(kept, sum(e.count for e in prof.key_averages() if e.key == "aten::cos"))
