"""Collectives and training steps on 1, 2 and 4 ranks, beside PyTorch with gloo, in turn.

    python -m benchmarks.ranks --python /path/to/python-with-torch [--ranks 2] [--turns 3]

Both run the same file, this one. Shown is the best of all turns, and in brackets the median: a rank that shares its core
with something else makes the median say more of that than of the library.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SIZES = (4 << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranks")
    parser.add_argument("--python", help="an interpreter that has PyTorch, beside which torchrun lies")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    for size in options.ranks:
        found: dict[str, dict[str, list[float]]] = {}
        for _ in range(options.turns):
            for name, command in commands(options.python, size).items():
                for row, seconds in run(command).items():
                    found.setdefault(row, {}).setdefault(name, []).extend(seconds)
        print(f"\n{size} rank{'s' * (size > 1)} (ms)")
        for row, times in found.items():
            shown = {name: (min(s) * 1e3, statistics.median(s) * 1e3) for name, s in times.items()}
            line = "".join(f"{name} {best:9.3f} ({middle:9.3f})   " for name, (best, middle) in shown.items())
            ratio = shown["gloo"][0] / shown["tensorsh"][0] if len(shown) > 1 else 0
            print(f"{row:>22}  {line}{f'{ratio:6.2f} times' if ratio else ''}", flush=True)
    return 0


def commands(python: str | None, size: int) -> dict[str, list[str]]:
    found = {"tensorsh": [sys.executable, "-m", "tensorsh", "run", "-n", str(size), "--no-labels", __file__]}
    if python:
        torchrun = str(Path(python).parent / "torchrun")
        found["gloo"] = [torchrun, "--nproc-per-node", str(size), __file__]
    return found


def run(command: list[str]) -> dict[str, list[float]]:
    """The seconds of each row."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RANKS_BENCHMARK": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(done.stderr)
    return json.loads(lines[-1])


def measure() -> None:
    """What one rank does."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rows: dict[str, list[float]] = {}
    for size in SIZES:
        x = torch.ones(size // 4)
        times = max(4, min(100, (32 << 20) // size))
        rows[f"all_reduce {size >> 10} KB"] = timed(lambda x=x: dist.all_reduce(x), times)
    rows["barrier"] = timed(dist.barrier, 50)
    for name, make in (("MLP", mlp), ("GPT", gpt)):
        step = make(torch, dist)
        if step is not None:
            rows[f"DDP {name} step"] = timed(step, 10)
    if dist.get_rank() == 0:
        print(json.dumps(rows), flush=True)
    dist.destroy_process_group()


def timed(function: Any, times: int) -> list[float]:
    import torch.distributed as dist

    found = []
    for _ in range(times + 2):
        dist.barrier()
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return found[2:]


def mlp(torch: Any, dist: Any) -> Any:
    nn = torch.nn
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    rows = 512 // dist.get_world_size()
    x, y = torch.randn(rows, 256), torch.randint(0, 10, (rows,))
    return trained(torch, model, lambda model: nn.functional.cross_entropy(model(x), y))


def gpt(torch: Any, dist: Any) -> Any:
    nn = torch.nn

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(256, 128), nn.Embedding(64, 128)
            layer = nn.TransformerEncoderLayer(128, 4, 512, 0.0, activation="gelu", batch_first=True, norm_first=True)
            self.blocks, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(128, 256)

        def forward(self, x: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            h = self.words(x) + self.places(torch.arange(x.shape[1]))
            return self.head(self.blocks(h, mask=mask, is_causal=True))

    x = torch.randint(0, 256, (8 // min(dist.get_world_size(), 8), 64))
    loss = lambda model: nn.functional.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    return trained(torch, GPT(), loss)


def trained(torch: Any, model: Any, loss: Any) -> Any:
    try:
        from torch.nn.parallel import DistributedDataParallel
    except ImportError:
        return None
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step() -> None:
        optimizer.zero_grad()
        loss(model).backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    if os.environ.get("RANKS_BENCHMARK"):
        measure()
    else:
        sys.exit(main())
