"""The door that every public call passes: closed over nobody's wish for ordinary programs, open while somebody has a say.

Classes and modes that override functions, a profiler, mixed precision, forward differentiation, several devices and memory that processes share have one.
A form looks how far its thread's door is open, which it is not as long as there is nobody, and then goes on by itself; who they
are, `operators/hooks.py` knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CASTING, PLACING, ASKED = 1, 2, 3
"""How far the door is open for a thread (`here.door`; 0: shut, as long as there is nobody): to those functions alone whose
arguments mixed precision may cast (`operators/casts.py`), also to those whose operands may decide where memory is read, as while
processes share memory, to all."""
NEVER = 4
PROCEED: Any = type("Proceed", (), {"__repr__": lambda self: "<proceed>"})()
"""The answer that leaves a call to its form."""
lasting: set[str] = set()
"""Those who have a say for good, since something of them may be anywhere: "classes" that override, several
"devices", "memory" that processes share; and as long as there are parameters without a shape, "unmade"."""
unmade: dict[int, Callable[[], Any]] = {}
"""Weak references to the parameters without a shape, by their places in memory."""
_keeper: list[Callable] = []
attending: list[Callable] = []
"""The function that lets what has no form ask, too (`operators/hooks.py`)."""


def answers_below(kind: type) -> bool:
    """Whether a class of tensors has a ``__torch_dispatch__`` of its own: that of all tensors answers nothing."""
    return not hasattr(getattr(kind, "__torch_dispatch__", answers_below), "_answers_nothing")


answers_below._answers_nothing = True  # type: ignore[attr-defined]
late: list[Callable] = []
"""The function that is asked when a call fails: whether an argument's class overrides functions, and nobody had asked yet."""


def ask(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer of those who have a say to a call of a form; PROCEED where the form is to give it."""
    for answer in _keeper:
        return answer(form, args, kwargs)
    return PROCEED


def keep(answer: Callable) -> None:
    """Take the function that stands at the door while it is open."""
    _keeper[:] = [answer]


def forget_made() -> None:
    """Nobody asks for parameters without a shape that are gone, also where an interrupt kept them from saying so."""
    if not unmade and "unmade" not in lasting:
        return
    for place in [place for place, param in unmade.items() if param() is None]:
        unmade.pop(place, None)
    if not unmade:
        lasting.discard("unmade")


def level(modes: Any, aside: bool = False) -> int:
    """How far the doors are open for a thread, as its modes say: within a call, only casts, devices and shared memory count; and what
    is done `aside`, under ``no_grad`` while forward differentiation is under way."""
    if aside:
        for attend in attending:
            attend()
    if "devices" in lasting or aside:
        return ASKED
    if modes.outermost and (
        modes.function_modes != () or modes.profile is not None or "classes" in lasting or "unmade" in lasting
    ):
        return ASKED
    return PLACING if "memory" in lasting else CASTING if modes.autocast is not None else 0
