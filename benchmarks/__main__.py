"""Runs the suites side by side and prints tables; results go to ``benchmarks/results/``.

    python -m benchmarks --python /path/to/python-with-torch [--suite small] [--threads 1] [--rounds 3] [--device cuda]
    python -m benchmarks --python /path/to/python-with-torch --suite sweep [--only conv]     every public operator
    python -m benchmarks --against /path/to/another/checkout                                 which rows fell by a tenth

Every engine is a process of its own; they are asked in turn, round by round, and medians are shown.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from . import cases, startup
from .engines import Engine, machine, measure
from .forms import FORMS
from .gate import Gate
from .prompt import shell
from .sweep import measured, sweep
from .sweep import table as sweep_table
from .tables import table

ANCHORS = ("numexpr", "numba")
"""Optional packages that make one pass of a formula: floors beside the suite of formulas."""
ORDER = ["tensorsh", "torch", "numpy", "autograd", "mygrad", *ANCHORS]
SWEEP = "Sweep"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python", help="an interpreter with PyTorch (and HIPS autograd, MyGrad where they are wanted)"
    )
    parser.add_argument(
        "--suite",
        action="append",
        help="only suites whose title contains this (may be repeated); `sweep` runs when named",
    )
    parser.add_argument("--only", action="append", help="only rows whose name contains this (may be repeated)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="where tensors are made: cpu, cuda, cuda:1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, help="seconds for one measurement: 0.1, in a sweep 0.01")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="PATH",
        help="name the rows that fell by more than a tenth against another checkout, or a file of rows; status 1 if any did",
    )
    parser.add_argument(
        "--output", type=Path, action="append", default=[], help="also write to this file: *.json rows, others tables"
    )
    return parser.parse_args()


def engines_for(options: argparse.Namespace) -> dict[str, Engine]:
    names = {"tensorsh": sys.executable}
    if options.python:
        names["torch"] = options.python
    if options.against and options.against.is_dir():
        names = {"tensorsh": sys.executable}
    elif options.device == "cpu" and not swept(options):
        names["numpy"] = sys.executable
        if options.python and not options.against:
            names |= {"autograd": options.python, "mygrad": options.python}
        for name in ANCHORS:
            if find_spec(name):
                names[name] = sys.executable
            elif not options.suite or any(s.lower() in "formulas" for s in options.suite):
                print(f"{name} is not installed: its column is left out", file=sys.stderr)
    found = {name: Engine(name, python, options.threads, options.device) for name, python in names.items()}
    if options.against and options.against.is_dir():
        home = options.against.resolve()
        found["before"] = Engine("tensorsh", sys.executable, options.threads, options.device, home)
    return found


def swept(options: argparse.Namespace) -> bool:
    return bool(options.suite) and any(s.lower() in SWEEP.lower() for s in options.suite)


def main() -> int:
    options = parsed()
    wanted = lambda title: not options.suite or any(s.lower() in title.lower() for s in options.suite)
    named = lambda suite: [c for c in suite if not options.only or any(text in c.name for text in options.only)]
    parts = [
        f"# Benchmarks\n\n{machine()}, {options.threads} thread(s), {options.device}, {time.strftime('%Y-%m-%d')}. "
        f"Times are medians of {options.rounds} rounds, in a sweep the least.\n"
    ]
    kept: dict[str, dict] = {}
    fell = False

    def told(part: str) -> None:
        parts.append(part)
        print(part, flush=True)

    print(parts[0])
    if not options.against:
        for title, run in (
            ("Start-up", startup.processes),
            ("Shell start and keys", shell),
            ("Language", startup.language),
        ):
            if wanted(title):
                told(run(options.python, options.rounds))
    suites: dict[str, Iterable[cases.Case]] = dict(
        cases.SUITES if options.device == "cpu" else cases.SUITES | cases.ON_A_GPU
    )
    suites["Forms of functions"] = FORMS
    if swept(options):
        suites[SWEEP] = sweep()
    engines = engines_for(options)
    try:
        for title, suite in list(suites.items()):
            if not wanted(title) or not suites:
                continue
            chosen = named(suite)
            budget = options.budget or (0.01 if title == SWEEP else 0.1)
            if options.against:
                text, some = Gate(options.against).run(chosen, engines, options.rounds, budget)
                told(f"# {title}\n\n{text}")
                fell |= some
                continue
            rows = []
            try:
                for case in chosen:
                    times = (measured if title == SWEEP else measure)(case, engines, options.rounds, budget)
                    rows.append((case, times))
                    kept[case.name] = times
            except KeyboardInterrupt:  # what was measured so far is told and kept
                print("interrupted", file=sys.stderr)
                suites = {}
            told(sweep_table(rows) if title == SWEEP else table(title, rows, ORDER))
            if title != SWEEP:
                for case, times in rows:
                    for engine, value in times.items():
                        if isinstance(value, str):
                            print(f"{case.name}, {engine}: {value}", file=sys.stderr)
    finally:
        for engine in engines.values():
            engine.close()
    for path in options.output:
        rows_as_json = json.dumps({"machine": machine(), "rows": kept}, indent=0)
        path.write_text(rows_as_json if path.suffix == ".json" else "\n".join(parts), encoding="utf-8")
    return fell


if __name__ == "__main__":
    sys.exit(main())
