"""The libraries that are measured: each a process of its own, asked in turn."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from .cases import Case

HERE = Path(__file__).parent
Times = dict[str, float | str]
"""The seconds of each engine, or what it said instead."""


class Engine:
    """A worker process for one library; `home` is the folder that tensorsh is imported from."""

    def __init__(self, name: str, python: str, threads: int, device: str, home: Path = HERE.parent) -> None:
        self.name, self.program = name, [python, str(HERE / "worker.py"), name, str(threads), device]
        self.environment = os.environ | {
            f"{lib}_NUM_THREADS": str(threads) for lib in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
        }
        self.environment |= {"PYTHONPATH": str(home), "PYTHONWARNINGS": "ignore"}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment
        )

    def ask(self, setup: str, more: str, statement: str, budget: float) -> float | str:
        assert self.process.stdin and self.process.stdout
        order = {"setup": setup, "more": more, "statement": statement, "budget": budget}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            self.close()
            self.start()
            return "the process died"
        answer = json.loads(line)
        return answer.get("seconds", answer.get("error"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def measure(
    case: Case, engines: dict[str, Engine], rounds: int, budget: float, of: Callable = statistics.median
) -> Times:
    """The seconds of each engine that the case has a program for: `of` those of some rounds, in which engines take turns."""
    found: dict[str, list] = {}
    for _ in range(rounds):
        for key, engine in engines.items():
            if engine.name in ("tensorsh", "torch"):
                program: tuple[str, str] | None = (case.setup, case.statement)
            else:
                program = case.others.get(engine.name)
            if program is None:
                continue
            found.setdefault(key, []).append(engine.ask(program[0], case.more, program[1], budget))
            if isinstance(found[key][-1], str) and case.group:  # of a sweep: what one refuses is no row
                return {key: found[key][-1]}
    return {key: next((v for v in many if isinstance(v, str)), None) or of(many) for key, many in found.items()}


def machine() -> str:
    """The processor, the versions, and how busy it is."""
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
