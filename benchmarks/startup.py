"""Start-up of processes, and the language's overhead over CPython."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .cases import language as programs

ROOT = str(Path(__file__).parent.parent)


def spent(command: list[str]) -> tuple[float, int]:
    """Wall seconds and peak memory (KB) of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": ROOT}
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - start, usage.ru_maxrss


def processes(torch_python: str | None, rounds: int) -> str:
    """Whole processes that do one small thing."""
    folder = tempfile.mkdtemp()
    script = Path(folder) / "long.tsr"
    script.write_text("".join(f"x{i} = {i} + 1\n" for i in range(1000)) + "print(ones(2, 2) + x1)\n")
    line = "print(ones(2,2)+1)"
    commands = {
        "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
        f"tensorsh -c '{line}'": [sys.executable, "-m", "tensorsh", "-c", line],
        "tensorsh, a cached script of 1,000 lines": [sys.executable, "-m", "tensorsh", str(script)],
    }
    if torch_python:
        commands["PyTorch, the same line"] = [torch_python, "-c", "import torch; print(torch.ones(2,2)+1)"]
    for command in commands.values():
        spent(command)
    found: dict[str, list] = {name: [] for name in commands}
    for _ in range(max(rounds, 5)):
        for name, command in commands.items():
            found[name].append(spent(command))
    base = statistics.median(t for t, _ in found["python -c 'import numpy'"])
    lines = ["## Start-up", "", "| process | wall | peak memory | against numpy |", "|---|---|---|---|"]
    for name, many in found.items():
        wall = statistics.median(t for t, _ in many)
        lines.append(f"| {name} | {wall * 1e3:.0f} ms | {max(m for _, m in many) / 1024:.0f} MB | {wall / base:.2f} |")
    return "\n".join(lines) + "\n"


def language(torch_python: str | None, rounds: int) -> str:
    """The same plain Python source run by CPython and by a session."""
    from tensorsh import Session

    session = Session()
    lines = ["## Language", "", "| program | CPython | tensorsh | ratio |", "|---|---|---|---|"]
    for name, source in programs.items():
        times: dict[str, list] = {"python": [], "tensorsh": []}
        code = compile(source, "<plain>", "exec")
        program = session.compile(source)
        for _ in range(max(rounds, 5)):
            start = time.perf_counter()
            exec(code, {"__name__": "__main__"})
            middle = time.perf_counter()
            session.execute(program)
            times["python"].append(middle - start)
            times["tensorsh"].append(time.perf_counter() - middle)
        a, b = (min(times[k]) for k in ("python", "tensorsh"))
        lines.append(f"| {name} | {a * 1e3:.1f} ms | {b * 1e3:.1f} ms | {b / a:.2f} |")
    text = "".join(
        f"value_{i} = relu(ones({i % 7 + 1}, 2) @ randn(2, 3) + {i}) if {i} % 3 else [k * 2 for k in range({i})]\n"
        for i in range(1000)
    )
    start = time.perf_counter()
    session.compile(text)
    lines.append(f"| parsing 1,000 fresh lines | | {(time.perf_counter() - start) * 1e3:.0f} ms | |")
    lines.append(f"| memory of this process | | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB | |")
    return "\n".join(lines) + "\n"
