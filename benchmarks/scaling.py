"""A model of training steps on many ranks: latency, bandwidth and computation, and the schedule by which they overlap.

    python -m benchmarks.scaling

Each part of a step is an event on one of two lines, computation and communication; a line does one thing at a time, in order.
What can begin when is that of DDP (a bucket is reduced once its gradients are there), of FSDP (a layer's parameters are
gathered one layer ahead) and of tensor parallelism (activations are summed before the next layer begins).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Machine:
    """Seconds of a message, bytes a second between two ranks, and how many ranks compute at the same time."""

    latency: float
    bandwidth: float
    cores: float = math.inf
    turn: float = 0.0
    """Seconds until a rank that shares its core gets it for the next message."""

    def all_reduce(self, size: float, ranks: int) -> float:
        """Halves are exchanged and reduced, then gathered: each rank sends and receives 2 (p - 1) / p of the data."""
        if ranks == 1:
            return 0.0
        rounds, crowd = 2 * math.log2(ranks), max(ranks / self.cores, 1.0)
        each = self.latency + (self.turn if crowd > 1 else 0.0)
        return rounds * each + crowd * 2 * (ranks - 1) / ranks * size / self.bandwidth

    def gather(self, size: float, ranks: int) -> float:
        """Half of an all-reduce: `size` bytes in all, of which each rank has its part. A reduce-scatter costs as much."""
        return self.all_reduce(size, ranks) / 2

    def compute(self, seconds: float, ranks: int) -> float:
        """The part of a computation that one of the ranks does, which share the cores."""
        return seconds / min(ranks, self.cores)


@dataclass(frozen=True)
class Model:
    """A model of equal layers: seconds of its forward pass on one rank and bytes of parameters; backward is twice the forward."""

    layers: int
    forward: float
    parameters: float
    activations: float = 0.0
    """Bytes of a layer's output, for a whole batch."""
    bucket: float = 25 << 20


class Line:
    """What is done one after the other: `run` gives the moment of its end."""

    def __init__(self) -> None:
        self.free = 0.0

    def run(self, ready: float, seconds: float) -> float:
        self.free = max(self.free, ready) + seconds
        return self.free


def ddp(machine: Machine, model: Model, ranks: int) -> float:
    """Seconds of a step: gradients go in buckets while backward goes on."""
    compute, wire = Line(), Line()
    compute.run(0.0, machine.compute(model.forward, ranks))
    waiting = 0.0
    for layer in range(model.layers):
        done = compute.run(0.0, machine.compute(2 * model.forward / model.layers, ranks))
        waiting += model.parameters / model.layers
        if waiting >= model.bucket or layer == model.layers - 1:
            wire.run(done, machine.all_reduce(waiting, ranks))
            waiting = 0.0
    return max(compute.free, wire.free)


def fsdp(machine: Machine, model: Model, ranks: int) -> float:
    """Seconds of a step: a layer's parameters are gathered before it runs, forward and backward, and its gradients scattered."""
    compute, wire = Line(), Line()
    size = model.parameters / model.layers
    there = wire.run(0.0, machine.gather(size, ranks))
    for i in range(2 * model.layers):
        seconds = machine.compute((1 if i < model.layers else 2) * model.forward / model.layers, ranks)
        begun = max(compute.free, there)
        if i + 1 < 2 * model.layers:
            there = wire.run(begun, machine.gather(size, ranks))  # of the next layer, while this one computes
        done = compute.run(begun, seconds)
        if i >= model.layers:
            wire.run(done, machine.gather(size, ranks))
    return max(compute.free, wire.free)


def tensor(machine: Machine, model: Model, ranks: int) -> float:
    """Seconds of a step: each layer's matrices are divided, and its output is summed twice forward and twice backward."""
    compute = machine.compute(3 * model.forward, ranks)
    return compute + 4 * model.layers * machine.all_reduce(model.activations, ranks)


def efficiency(step: float, alone: float, ranks: int) -> float:
    return alone / step / ranks


HERE = Machine(latency=13e-6, bandwidth=3.8e9, cores=2, turn=1.6e-4)
"""Two cores that share memory: half of a 4 KB all-reduce between two ranks, 8 MB in 2.2 ms, and 4 KB between four in 0.7 ms."""
CLUSTER = Machine(latency=5e-6, bandwidth=12.5e9)
"""Machines with a network of 100 Gb/s, one rank on each."""
MLP = Model(layers=3, forward=5.1e-3, parameters=4 * 399_000)
GPT = Model(layers=2, forward=8.5e-3, parameters=4 * 470_000, activations=4 * 8 * 63 * 128)
LARGE = Model(layers=24, forward=0.40, parameters=4 * 350e6, activations=4 * 16 * 1024 * 1024)
"""A GPT of 350 million parameters; the batch grows with the ranks for DDP and FSDP, the model is divided for tensors."""


def table() -> str:
    lines = ["all_reduce (ms)          4 KB     1 MB     8 MB    64 MB"]
    for ranks in (2, 4):
        sizes = (4 << 10, 1 << 20, 8 << 20, 64 << 20)
        lines.append(f"{ranks} ranks, 2 cores  " + "".join(f"{HERE.all_reduce(n, ranks) * 1e3:9.3f}" for n in sizes))
    lines += ["", "step here (ms)      1 rank  2 ranks  4 ranks"]
    for name, model in (("DDP MLP", MLP), ("DDP GPT", GPT)):
        lines.append(f"{name:15}" + "".join(f"{ddp(HERE, model, ranks) * 1e3:9.1f}" for ranks in (1, 2, 4)))
    lines.append(f"{'tensor GPT':15}" + "".join(f"{tensor(HERE, GPT, ranks) * 1e3:9.1f}" for ranks in (1, 2, 4)))
    lines += ["", "efficiency on a cluster    8       64    1,024"]
    for name, step in (("DDP", ddp), ("FSDP", fsdp)):
        row = ""
        for ranks in (8, 64, 1024):
            wide = replace(LARGE, forward=LARGE.forward * ranks)  # as much for each rank as for one
            row += f"{efficiency(step(CLUSTER, wide, ranks), 3 * wide.forward, ranks):9.2f}"
        lines.append(f"{name:20}{row}")
    row = "".join(
        f"{efficiency(tensor(CLUSTER, LARGE, ranks), 3 * LARGE.forward, ranks):9.2f}" for ranks in (8, 64, 1024)
    )
    lines.append(f"{'tensor':20}{row}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
