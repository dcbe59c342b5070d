"""Runs the suites side by side and prints tables; results go to ``benchmarks/results/``.

    python -m benchmarks --python /path/to/python-with-torch [--suite small] [--threads 1] [--rounds 3] [--device cuda]

Every engine is a process of its own; they are asked in turn, round by round, and medians are shown.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

from . import cases, startup
from .prompt import shell

HERE = Path(__file__).parent


class Engine:
    """A worker process for one library."""

    def __init__(self, name: str, python: str, threads: int, device: str) -> None:
        self.name = name
        environment = os.environ | {f"{lib}_NUM_THREADS": str(threads) for lib in ("OMP", "OPENBLAS", "MKL")}
        environment["PYTHONPATH"] = str(HERE.parent)
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), name, str(threads), device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, setup: str, statement: str, budget: float) -> float | str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"setup": setup, "statement": statement, "budget": budget}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "the process died"}')
        return answer.get("seconds", answer.get("error"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def measure(case: cases.Case, engines: dict[str, Engine], rounds: int, budget: float) -> dict[str, float | str]:
    """The median seconds of each engine that the case has a program for."""
    found: dict[str, list] = {}
    for _ in range(rounds):
        for name, engine in engines.items():
            if name in ("tensorsh", "torch"):
                program: tuple[str, str] | None = (case.setup, case.statement)
            else:
                program = case.others.get(name)
            if program is not None:
                found.setdefault(name, []).append(engine.ask(*program, budget))
    return {
        name: next((v for v in many if isinstance(v, str)), None) or statistics.median(many)
        for name, many in found.items()
    }


def shown(seconds: float | str | None) -> str:
    if seconds is None:
        return ""
    if isinstance(seconds, str):
        return "error"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(title: str, rows: list[tuple[str, dict]], engines: list[str]) -> str:
    """A Markdown table with the ratio of PyTorch's time to tensorsh's in the last column."""
    lines = [
        f"## {title}",
        "",
        "| | " + " | ".join(engines) + " | PyTorch / tensorsh |",
        "|---" * (len(engines) + 2) + "|",
    ]
    ratios = []
    for name, times in rows:
        a, b = times.get("tensorsh"), times.get("torch")
        ratio = b / a if isinstance(a, float) and isinstance(b, float) else None
        if ratio:
            ratios.append(ratio)
        cells = [shown(times.get(e)) for e in engines]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {f'{ratio:.2f}' if ratio else ''} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines += ["", f"Geometric mean of the ratios: **{mean:.2f}**, lowest {min(ratios):.2f}."]
    return "\n".join(lines) + "\n"


def machine() -> str:
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or model
    import numpy

    # On a busy machine the ratios are as uncertain as the times, above all with several threads: say so in the table.
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}, "
        f"numpy {numpy.__version__}{busy}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python", help="an interpreter with PyTorch (and HIPS autograd, MyGrad where they are wanted)"
    )
    parser.add_argument("--suite", action="append", help="only suites whose title contains this (may be repeated)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="where tensors are made: cpu, cuda, cuda:1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=0.1, help="seconds for one measurement")
    parser.add_argument("--output", type=Path, help="also write the tables to this file")
    options = parser.parse_args()
    wanted = lambda title: not options.suite or any(s.lower() in title.lower() for s in options.suite)
    started = time.strftime("%Y-%m-%d")
    parts = [
        f"# Benchmarks\n\n{machine()}, {options.threads} thread(s), {options.device}, {started}. Times are medians of {options.rounds} rounds.\n"
    ]
    print(parts[0])
    for title, run in (
        ("Start-up", startup.processes),
        ("Shell start and keys", shell),
        ("Language", startup.language),
    ):
        if wanted(title):
            parts.append(run(options.python, options.rounds))
            print(parts[-1], flush=True)
    names = {"tensorsh": sys.executable}
    if options.python:
        names["torch"] = options.python
    if options.device == "cpu":
        names["numpy"] = sys.executable
        if options.python:
            names |= {"autograd": options.python, "mygrad": options.python}
    engines = {name: Engine(name, python, options.threads, options.device) for name, python in names.items()}
    order = [n for n in ("tensorsh", "torch", "numpy", "autograd", "mygrad") if n in engines]
    try:
        for title, suite in (cases.SUITES if options.device == "cpu" else cases.SUITES | cases.ON_A_GPU).items():
            if wanted(title):
                rows = [(case.name, measure(case, engines, options.rounds, options.budget)) for case in suite]
                used = [n for n in order if any(n in times for _, times in rows)]
                parts.append(table(title, rows, used))
                print(parts[-1], flush=True)
                for name, times in rows:
                    for engine, value in times.items():
                        if isinstance(value, str):
                            print(f"{name}, {engine}: {value}", file=sys.stderr)
    finally:
        for engine in engines.values():
            engine.close()
    if options.output:
        options.output.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
