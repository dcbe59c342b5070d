"""Golden results as text: the difference of a file, the line that sums up a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import perf_counter

from ..display.terminal import paint, use_color
from ..language.source import harmless
from .outcomes import Bounds, Result
from .runner import collect, run_files

NOTHING_TESTED = 5
"""The exit code where no statement was tested, as pytest's."""

_COLOURS = {"head": "1", "-": "31", "+": "32"}


def difference_text(result: Result, color: bool = False) -> str:
    """Why a file failed."""
    by_cells = ", by cells" if result.path.endswith(".ipynb") else ""
    lines = [paint(f"--- {harmless(result.path)}{by_cells}", "1;31", color)]
    if result.problem:
        lines.append(harmless(result.problem))
    elif not result.expects and not any(difference.diagnostic for difference in result.differences):
        return "\n".join([*lines, "no expected output stands in it yet; tensorsh test --bless writes it"])
    for difference in result.differences:
        lines += [paint(harmless(text), _COLOURS.get(kind, ""), color) for kind, text in difference.lines()]
    return "\n".join(lines)


def command(paths: Sequence[str], bless: bool, jobs: int, verbose: bool, bounds: Bounds, ranks: int) -> int:
    """`tensorsh test`: runs the files, prints differences and a summary, returns the exit code."""
    began = perf_counter()
    color = use_color(sys.stdout)
    files = collect(paths)
    counts = {"passed": 0, "blessed": 0, "failed": 0, "empty": 0}
    for result in run_files(files, bless, jobs, bounds, ranks):
        kind = "failed" if not result.ok else "blessed" if result.blessed else "empty" if result.empty else "passed"
        counts[kind] += 1
        if kind == "failed":
            print(difference_text(result, color), flush=True)
        elif kind == "empty":
            print(f"empty {harmless(result.path)}: no statement stands in it", flush=True)
        elif verbose or kind == "blessed":
            print(f"{kind} {harmless(result.path)} ({result.seconds:.2f} s)", flush=True)
    tested = counts["passed"] or counts["blessed"] or counts["failed"]
    said = [f"{count} {kind}" for kind, count in counts.items() if count] or ["no .tsr files found"]
    summary = f"{', '.join(said if tested else ['no tests ran', *said])} in {perf_counter() - began:.1f} s"
    print(paint(summary, "1;31" if counts["failed"] or not tested else "32", color))
    return 1 if counts["failed"] else 0 if tested else NOTHING_TESTED
