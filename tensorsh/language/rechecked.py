"""Functions that programs defined before their session was allowed a package: compiled anew, with every attribute on the gate."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

from .compiler import Program
from .translation import Translation

REFUSAL = """
def outer():
    {names}
    def inner(*args, **kwargs):
        raise RuntimeError("this function was defined before a package was allowed, and its text is no longer there: define it again")
        {names}
    return inner
"""


def recheck(programs: dict[str, Sequence[Program]], builtins: dict[str, Any]) -> int:
    """Puts checked code into every function of a session; how many there were. One whose text is gone is refused from now on."""
    made: dict[int, CodeType] = {}
    found = [each for each in gc.get_objects() if type(each) is FunctionType and each.__builtins__ is builtins]  # type: ignore[attr-defined]
    olds = [each.__code__ for each in found]  # kept: their numbers are keys
    for name in {code.co_filename for code in olds}:
        for program in programs.get(name, ()):
            if not program._checked:
                for old, new in _pairs(program):
                    made[id(old)] = new
    for function, old in zip(found, olds, strict=True):
        if id(old) not in made:
            made[id(old)] = _refusal(old)
        function.__code__ = made[id(old)]
    return len(found)


def _pairs(program: Program) -> Iterator[tuple[CodeType, CodeType]]:
    """The codes of a program with their checked ones."""
    statements = [each._code for each in program._statements or ()]
    fresh = Translation(program.source, program.filename, program._bound, checked=True)
    module, last = fresh.program()
    for old, new in ((program.module, module), (program.last, last)):
        if old is not None and new is not None:
            yield from _within(old, new)
    for code, parts in zip(statements, fresh.statements() if any(statements) else (), strict=False):
        if code is not None:
            yield from _within(code, parts[0]())


def _within(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    pending = [(old, new)]
    while pending:
        old, new = pending.pop()
        yield old, new
        parts = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
        pending += zip(*parts, strict=True)


def _refusal(old: CodeType) -> CodeType:
    names = "; ".join(f"{name} = None" for name in old.co_freevars) or "pass"
    space: dict[str, Any] = {}
    exec(REFUSAL.replace("{names}", names, 1).replace("{names}", "; ".join(old.co_freevars) or "pass"), space)
    return space["outer"]().__code__
