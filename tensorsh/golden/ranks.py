"""Golden files of many ranks: a line ``#@ ranks 2`` runs a file as two processes that work together.

What stands behind a statement as `#> ` is expected of each rank, what stands as `#1> ` (or `#1! `) of rank 1 alone.
Run as a module, this file is one of the ranks: it tells what each statement printed as a line of JSON.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from typing import Any

from ..language.source import read_source
from ..ranks.launcher import Launcher
from .document import Block, blocks, matches, merge
from .outcomes import Bounds, Difference, Printed, limit_text, steps

RANKED = re.compile(r"^#([0-9]+)([>!])(?= |$)", re.MULTILINE)


def of_rank(source: str, rank: int) -> str:
    """A file as one rank sees it: line by line the same, with what is expected of others as plain comments."""
    return RANKED.sub(lambda found: f"#{found[2]}" if found[1] == str(rank) else "#", source)


def of_all(source: str) -> str:
    """A file with the expectations of all ranks as if they were of one."""
    return RANKED.sub(lambda found: f"#{found[2]}", source)


def compare_ranks(source: str, result: Any, bless: bool, bounds: Bounds, size: int) -> list[tuple[Block, list[str]]]:
    """Runs a golden text as many ranks, notes in the result what differs, and gives the expectations that would hold."""
    told = run_ranks(result.path, bless, bounds, size)
    problems = [f"rank {rank}: {each['problem']}" for rank, each in enumerate(told) if each["problem"]]
    if problems:
        result.problem = problems[0]
        return []
    spans = told[0]["spans"]
    every = [blocks(of_rank(source, rank), spans) for rank in range(size)]
    changes: list[tuple[Block, list[str]]] = []
    whole = blocks(of_all(source), spans)
    result.expects = any(block.expected for block in whole)
    for index, block in enumerate(whole):
        merged, before = [], len(result.differences)
        for rank, own in enumerate(every):
            if index >= len(told[rank]["blocks"]):
                return changes  # a rank ended before, for a reason that is told already
            actual, diagnostic = told[rank]["blocks"][index]
            merged.append(merge(own[index].expected, actual))
            if not matches(own[index].expected, actual):
                difference = Difference(own[index], source, actual, diagnostic)
                difference.code = f"[{rank}] {difference.code}"
                result.differences.append(difference)
        if len(result.differences) == before:
            continue
        lines = merged[0] if all(each == merged[0] for each in merged) else ranked(merged)
        changes.append((block, lines))
    return changes


def ranked(merged: list[list[str]]) -> list[str]:
    """Expectations that differ among ranks, each under the number of its rank."""
    return [f"{rank}{line}" for rank, lines in enumerate(merged) for line in lines]


def run_ranks(path: str, bless: bool, bounds: Bounds, size: int) -> list[dict[str, Any]]:
    """What each rank of a golden file tells."""
    permissions, *rest = bounds
    given: dict[str, Any] = {"path": path, "bless": bless, "bounds": rest}
    if permissions is not None:
        given["permissions"] = [permissions.read, permissions.write, permissions.imports]
    outputs = [(io.BytesIO(), io.BytesIO()) for _ in range(size)]
    launcher = Launcher(size, [sys.executable, "-P", "-m", __name__, json.dumps(given)], False, outputs)
    launcher.run()
    if launcher.signals:
        raise KeyboardInterrupt
    told = []
    for out, errors in outputs:
        lines = out.getvalue().decode(errors="replace").strip().split("\n")
        try:
            told.append(json.loads(lines[-1]))
        except ValueError:
            last = errors.getvalue().decode(errors="replace").strip().split("\n")[-1]
            told.append({"problem": last or "ended without a word", "blocks": [], "spans": []})
    return told


def member(given: dict[str, Any]) -> dict[str, Any]:
    """Runs a golden file as one rank; what to tell of it."""
    from ..sandbox.files import Permissions

    rank = int(os.environ["RANK"])
    source = of_rank(read_source(given["path"]), rank)
    bounds = Bounds(Permissions(*given["permissions"]) if "permissions" in given else None, *given["bounds"])
    printed = Printed(bounds.output)
    session = bounds.session(given["path"], printed)
    told: dict[str, Any] = {"problem": "", "blocks": [], "spans": []}
    try:
        program = session.compile(source, given["path"])
    except SyntaxError as error:
        return told | {"problem": session.diagnose(error)}
    told["spans"] = [(s.lineno, s.end_lineno) for s in program.statements]
    found = blocks(source, told["spans"])
    for block, actual, failure in steps(session, program, found, printed):
        if said := limit_text(failure, given["path"], block):
            return told | {"problem": said}
        unexpected = failure is not None and not block.fails
        diagnostic = session.diagnose(failure) if unexpected and failure is not None else ""
        told["blocks"].append((actual, diagnostic))
        if unexpected and not given["bless"]:
            break
    session.close()
    return told


if __name__ == "__main__":
    told = member(json.loads(sys.argv[1]))
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
