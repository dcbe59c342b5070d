"""A check of one text, in a process of its own: it is read, its faults are told, it runs within bounds.

`check(request, send)` sends dictionaries: `index` (what the text is made of, the faults it shows), `notes` (the values of names,
so far), `done` (the faults of its run, the variables it left). A request has `text`, `python` (a .py file), `run`, `seconds`,
`memory`; or `golden`, and the answer is what comes of it as a golden test.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from ..golden.document import blocks, rewrite
from ..golden.outcomes import Bounds
from ..golden.runner import Result, compare_text
from ..language.mistake import Mistake, error_of
from ..language.parser import clean, run_lowering
from .faults import ERROR, faults, syntax_fault
from .index import Index
from .running import Run
from .world import told as told_of

Send = Callable[[dict[str, Any]], None]
CLAUSE = re.compile(r"(?:elif|else|except|finally)\b")
WHERE = " on meta"
"""What a description says of a tensor on the meta device, which is here in the place of one that has numbers."""


def check(request: dict[str, Any], send: Send) -> None:
    """All there is to tell of a text."""
    text, is_python = clean(request["text"]), bool(request.get("python"))
    if request.get("golden"):
        send(golden(text, request.get("path", ""), request.get("memory", "512M")))
        return
    run = None
    found: list[dict[str, Any]] = []
    told: dict[str, Any] = {}
    wrong: SyntaxError | None = None
    for part in ("whole", "begun"):
        if part == "begun":
            if wrong is None or request.get("known"):
                break
            text = begun(text, wrong.lineno or 1)  # names and values before the fault complete what is typed there
        try:
            module = run_lowering(text)
            expected = _failing(text, module)
            index = Index(text, module)
            told = index.told() | {"begun": part == "begun"}
            run = Run(text, module, send, request.get("seconds", 2.0), request.get("memory", "512M"))
            shown = [f for f in faults(index, run.session, is_python) if f["span"][0] + 1 not in expected]
            found = found + shown
            run.compile()
        except (Mistake, SyntaxError) as error:
            run, seen = None, error if isinstance(error, SyntaxError) else error_of(error, text, "<editor>")
            wrong, found = wrong or seen, found if wrong else [syntax_fault(seen, text, is_python)]
        except RecursionError:  # nested too deeply to be looked at
            run = None
    send({"kind": "index", "faults": found, "index": told})
    if run is None or not request.get("run", True):
        send({"kind": "done", "faults": []})
        return
    run.run()
    run.tell()
    run.session.watch("lint", False)
    if run.short:
        shapes(run, request, send)
    send({"kind": "done", "faults": run.faults, "world": told_of(run.session)})


def begun(text: str, line: int) -> str:
    """The whole statements before that in which a fault stands."""
    lines = text.split("\n")
    for at in range(min(line, len(lines)) - 1, -1, -1):
        head = lines[at][:1]
        if head and not head.isspace() and head not in ")]}#" and not CLAUSE.match(lines[at]):
            above = lines[:at]
            while above and above[-1].startswith("@"):
                del above[-1]
            return "\n".join(above) + "\n" * bool(above)
    return ""


def shapes(run: Run, request: dict[str, Any], send: Send) -> None:
    """What a run that had too little memory did not come to, as far as shapes alone tell: its values, and its errors."""
    again = Run(run.text, run_lowering(run.text), lambda _: None, run.seconds, request.get("memory", "512M"), True)
    again.compile()
    again.run()
    again.session.watch("lint", False)
    if run.notes is None or again.notes is None:
        return
    known = run.notes.told(run.lines)
    places = {tuple(each[:3]) for each in known}
    more = [
        [*each[:3], each[3].replace(WHERE, ""), *each[4:]]
        for each in again.notes.told(run.lines)
        if tuple(each[:3]) not in places
    ]
    send({"kind": "notes", "notes": sorted(known + more, key=lambda each: each[:3])})
    for each in again.faults:
        if each["severity"] == ERROR:
            run.faults.append(each | {"message": each["message"].replace(WHERE, "")})


def golden(text: str, path: str, memory: str) -> dict[str, Any]:
    """The outcome of a golden test: why it cannot be run, lines that differ and how, the text with the output of this run.

    Modules beside its file are imported, as by `tensorsh test`; a text without a file has none."""
    from ..engine import kernels
    from ..sandbox.limits import bound_memory, parse_size

    bound_memory(parse_size(memory), kernels)
    result = Result(path or os.path.join(os.devnull, "untitled"))
    changes = compare_text(text, result, True, Bounds())
    found = []
    for each in result.differences:
        rows = [f"#{line}" for line in each.actual]
        found.append([each.line - 1, "\n".join(["this gave:", *rows[:20]] if rows else ["this gave no output"])])
    new = text if result.problem else rewrite(text, changes)
    return {"kind": "golden", "problem": result.problem, "differences": found, "text": new}


def _failing(text: str, module: Any) -> set[int]:
    """The lines of statements that a golden file expects to fail."""
    if "#!" not in text:
        return set()
    found = blocks(text, [(s.lineno, s.end_lineno) for s in module.body])
    return {line for block in found if block.fails for line in range(block.start, block.end + 1)}
