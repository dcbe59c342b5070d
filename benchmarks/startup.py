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


def spent(command: list[str], more: dict[str, str] | None = None) -> tuple[float, int]:
    """Wall seconds and peak memory (KB) of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": ROOT} | (more or {}),
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - start, usage.ru_maxrss


def never_run(command: list[str]) -> tuple[float, int]:
    """As `spent`, where nothing was ever compiled or kept."""
    with tempfile.TemporaryDirectory() as folder:
        empty = {name: folder for name in ("PYTHONPYCACHEPREFIX", "XDG_CACHE_HOME", "HOME")}
        return spent(command, empty | {"PYTHONDONTWRITEBYTECODE": "1"})


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
    for name in ("python -c 'import numpy'", f"tensorsh -c '{line}'"):
        found[f"{name}, the first run ever"] = [never_run(commands[name]) for _ in range(max(rounds, 5))]
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
            start = time.process_time()
            exec(code, {"__name__": "__main__"})
            middle = time.process_time()
            session.execute(program)
            times["python"].append(middle - start)
            times["tensorsh"].append(time.process_time() - middle)
        a, b = (min(times[k]) for k in ("python", "tensorsh"))
        lines.append(f"| {name} | {a * 1e3:.1f} ms | {b * 1e3:.1f} ms | {b / a:.2f} |")
    calls = "".join(f"value_{i} = relu(ones({i % 7 + 1}, 2) @ randn(2, 3) + {i})\n" for i in range(1000))
    lists = "".join(f"value_{i} = [k * {i} for k in range({i})] if {i} % 3 else {i}\n" for i in range(1000))
    numbers = "x = [" + ", ".join(str(i * 37 % 1000) for i in range(10_000)) + "]\n"
    texts = {
        "parsing 1,000 fresh lines of calls": [calls],
        "parsing 1,000 fresh lines of lists": [lists],
        "a literal of 10,000 numbers": [numbers],
        "1,000 fresh statements in a session, run one by one": [f"x = {i} + 1" for i in range(1000)],
        "1,000 fresh calls in a session, run one by one": [f"y = len(str({i} + 1))" for i in range(1000)],
    }
    for name, parts in texts.items():
        fresh: dict[str, list] = {"python": [], "tensorsh": []}
        space: dict = {}
        alone = len(parts) == 1
        for k in range(max(rounds, 5)):
            some = [f"{part}  # {k}" for part in parts]
            start = time.process_time()
            for part in some:
                code = compile(part, "<plain>", "exec")
                if not alone:
                    exec(code, space)
            middle = time.process_time()
            for part in some:
                (session.compile if alone else session.run)(part)
            fresh["python"].append(middle - start)
            fresh["tensorsh"].append(time.process_time() - middle)
        a, b = (min(fresh[k]) for k in ("python", "tensorsh"))
        lines.append(f"| {name} | {a * 1e3:.1f} ms | {b * 1e3:.1f} ms | {b / a:.2f} |")
    lines.append(f"| memory of this process | | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB | |")
    return "\n".join(lines) + "\n"
