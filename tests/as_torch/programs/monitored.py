"""Counters and events of torch.monitor, and tensors of the meta device between processes."""

import datetime
import gc

import torch
import torch.multiprocessing as mp
from torch.monitor import (
    STAT_EVENT,
    Aggregation,
    Event,
    Stat,
    TensorboardEventHandler,
    log_event,
    register_event_handler,
    unregister_event_handler,
)

events = []
handle = register_event_handler(events.append)
hour = datetime.timedelta(hours=1)


def summary(stat):
    return sorted((kind.name, value) for kind, value in stat.get().items())


stat = Stat("a", [Aggregation.MEAN, Aggregation.COUNT, Aggregation.SUM, Aggregation.MAX, Aggregation.MIN], hour, 3)
print(summary(stat), stat.count, stat.name)
stat.add(2)
stat.add(-1.5)
print(summary(stat), stat.count)
stat.add(7)
print(summary(stat), stat.count, len(events))
print(events[0].name == STAT_EVENT, sorted(events[0].data.items()), type(events[0].timestamp).__name__)
stat.add(1)
print(stat.count, len(events))
other = Stat("b", (Aggregation.SUM,), hour)
other.add(4)
print(other.count, summary(other))
del other
gc.collect()
print([(event.name, event.data) for event in events[1:]])
event = Event("n", datetime.datetime(2020, 1, 2), {"x": 1, "y": "z", "f": 1.5})
print(
    event.name,
    sorted(event.data.items()),
    event.timestamp,
    repr(Aggregation.SUM),
    str(Aggregation.MIN),
    int(Aggregation.MAX),
)
log_event(event)
print(events[-1].name)


written = []


class Writer:
    def add_scalar(self, name, value, walltime):
        written.append((name, value, type(walltime).__name__))


second = register_event_handler(TensorboardEventHandler(Writer()))
log_event(events[0])
print(sorted(written))
unregister_event_handler(second)
unregister_event_handler(handle)
log_event(event)
print(len(events))
for call in (
    lambda: Event("n", 1, {}),
    lambda: Event("n", datetime.datetime(2020, 1, 2), {"a": [1]}),
    lambda: Stat("x", [Aggregation.SUM], 5),
    lambda: Stat("x", Aggregation.SUM, hour),
    lambda: stat.add("a"),
    lambda: log_event(3),
    lambda: register_event_handler(3),
):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])

queue = mp.Queue()
for sent in (torch.empty(2, 3, device="meta").t(), torch.empty(0, dtype=torch.int64, device="meta")):
    queue.put(sent)
    found = queue.get(timeout=20)
    print(found, found.shape, found.stride(), found.dtype)
