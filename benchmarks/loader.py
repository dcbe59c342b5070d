"""Items a DataLoader's workers give, beside PyTorch's, in turn: microseconds of the clock and of the processors.

    python -m benchmarks.loader --python /path/to/python-with-torch [--workers 2] [--turns 5]

Both run the same file, this one. The clock says little on a machine that others use; the time of all processes together, which counts
what is computed and no waiting, says more there. A pass begins and ends its workers.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

ITEMS = 2000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loader")
    parser.add_argument("--python", help="an interpreter that has PyTorch")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    commands = {"tensorsh": [sys.executable, "-m", "tensorsh", "python", __file__]}
    if options.python:
        commands["PyTorch"] = [options.python, __file__]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "LOADER_BENCHMARK": str(options.workers)}
    found: dict[str, dict[str, list[float]]] = {}
    for turn in range(options.turns):
        for name in list(commands) if turn % 2 else [*commands][::-1]:
            done = subprocess.run(commands[name], capture_output=True, text=True, env=environment, timeout=600)
            if done.returncode:
                raise SystemExit(done.stderr)
            for row, times in json.loads(done.stdout.splitlines()[-1]).items():
                found.setdefault(row, {}).setdefault(name, []).extend(times)
    print("load of the machine", *(f"{each:.1f}" for each in os.getloadavg()))
    for row, all_times in found.items():
        shown = {name: (min(t), statistics.median(t)) for name, t in all_times.items()}
        line = "".join(f"{name} {best:8.1f} ({middle:8.1f})   " for name, (best, middle) in shown.items())
        if len(shown) > 1:
            (best, middle), (other_best, other_middle) = shown["tensorsh"], shown["PyTorch"]
            line += f"{ratio(other_best, best)} ({ratio(other_middle, middle).strip()}) times"
        print(f"{row:>22}  {line}")
    return 0


def ratio(theirs: float, own: float) -> str:
    """How many times as fast; a dash where the clock of the processors shows no time."""
    return f"{theirs / own:6.2f}" if own else "     -"


def measure(workers: int) -> None:
    """What one interpreter does."""
    import torch
    from torch.utils.data import DataLoader, Dataset

    torch.set_num_threads(1)
    pictures = torch.randn(64, 3, 128, 128)

    def loops(i: int) -> Any:
        total = 0.0
        for k in range(2000):
            total += (i * k) % 7
        return torch.tensor([total, float(i)]), i

    def operators(i: int) -> Any:
        x = torch.arange(256.0) + i
        for _ in range(10):
            x = torch.sin(x) * 0.5 + x
        return x, i

    class Items(Dataset):
        def __init__(self, make: Any) -> None:
            self.make = make

        def __len__(self) -> int:
            return ITEMS

        def __getitem__(self, i: int) -> Any:
            return self.make(i)

    makers = {
        "loops of Python": loops, "small operators": operators, "numbers": float,
        "pictures": lambda i: (pictures[i % 64] * 2, i),
    }  # fmt: skip
    rows: dict[str, list[float]] = {}
    for name, make in makers.items():
        for _ in range(3):
            before, began = sum(os.times()[:4]), time.perf_counter()
            for _batch in DataLoader(Items(make), 32, num_workers=workers):
                pass
            rows.setdefault(name, []).append((time.perf_counter() - began) / ITEMS * 1e6)
            rows.setdefault(f"{name}, processors", []).append((sum(os.times()[:4]) - before) / ITEMS * 1e6)
    print(json.dumps(rows))


if __name__ == "__main__":
    if os.environ.get("LOADER_BENCHMARK"):
        measure(int(os.environ["LOADER_BENCHMARK"]))
    else:
        sys.exit(main())
