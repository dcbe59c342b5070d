"""A check of one text, in a process of its own: it is read, its faults are told, it runs within bounds.

`check(request, send)` sends dictionaries: `index` (what the text is made of, the faults it shows), `notes` (the values of names,
so far), `done` (the faults of its run). A request has `text`, `python` (a .py file), `run`, `seconds`, `memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..golden.document import blocks
from ..language.mistake import Mistake, error_of
from ..language.parser import clean, run_lowering
from .faults import faults, syntax_fault
from .index import Index
from .running import Run

Send = Callable[[dict[str, Any]], None]


def check(request: dict[str, Any], send: Send) -> None:
    """All there is to tell of a text."""
    text, is_python = clean(request["text"]), bool(request.get("python"))
    run = None
    found: list[dict[str, Any]] = []
    told: dict[str, Any] = {}
    try:
        module = run_lowering(text)
        expected = _failing(text, module)
        index = Index(text, module)
        told = index.told()
        run = Run(text, module, send, request.get("seconds", 2.0), request.get("memory", "512M"))
        found = [f for f in faults(index, run.session, is_python) if f["span"][0] + 1 not in expected]
        run.compile()
    except Mistake as mistake:
        run, found = None, [syntax_fault(error_of(mistake, text, "<editor>"), text, is_python)]
    except SyntaxError as error:
        run, found = None, [syntax_fault(error, text, is_python)]
    except RecursionError:  # nested too deeply to be looked at
        run = None
    send({"kind": "index", "faults": found, "index": told})
    if run is None or not request.get("run", True):
        send({"kind": "done", "faults": [], "ran": False})
        return
    run.run()
    run.tell()
    send({"kind": "done", "faults": run.faults, "ran": True})


def _failing(text: str, module: Any) -> set[int]:
    """The lines of statements that a golden file expects to fail."""
    if "#!" not in text:
        return set()
    found = blocks(text, [(s.lineno, s.end_lineno) for s in module.body])
    return {line for block in found if block.fails for line in range(block.start, block.end + 1)}
