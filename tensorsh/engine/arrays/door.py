"""The door that every public call passes: closed over nobody's wish for ordinary programs, open while somebody has a say.

Classes and modes that override functions, a profiler, mixed precision, forward differentiation, several devices and memory that processes share have one.
A form looks at `asked`, which is empty as long as there is nobody, and then goes on by itself; who they are, `operators/hooks.py`
knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

asked: list[Callable] = []
"""The function that asks those who have a say; empty while there is nobody."""
casting: list[Callable] = []
"""As `asked`, of the functions whose arguments mixed precision may cast (`operators/casts.py`)."""
placing: list[Callable] = []
"""As `asked`, of the functions whose operands may decide where memory is read: also open while processes share memory."""
PROCEED: Any = type("Proceed", (), {"__repr__": lambda self: "<proceed>"})()
"""The answer that leaves a call to its form."""
lasting: set[str] = set()
"""Those who have a say for good, since something of them may be anywhere: "classes" that override, several
"devices", "memory" that processes share; and as long as there are parameters without a shape, "unmade"."""
unmade: dict[int, Callable[[], Any]] = {}
"""Weak references to the parameters without a shape, by their places in memory."""
_keeper: list[Callable] = []
listening: list = []
"""The modes that are asked below autograd, the innermost last (`torch/dispatching.py`)."""
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
    for answer in casting or placing:
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


def settle(settings: dict[str, Any], aside: bool = False) -> None:
    """Open or close the doors, as the engine's settings say: within a call, only casts, devices and shared memory count; and what
    is done `aside`, under ``no_grad`` while forward differentiation is under way."""
    modes, profile = settings["function_modes"], settings["profile"]
    if not casting and not lasting and modes == () and profile is None and settings["autocast"] is None and not aside:
        return  # they are shut, and nobody comes
    if aside:
        for attend in attending:
            attend()
    someone = (
        "devices" in lasting
        or aside
        or settings["outermost"]
        and ("classes" in lasting or "unmade" in lasting or profile is not None or modes != ())
    )
    asked[:] = _keeper if someone else ()
    several = someone or "memory" in lasting
    placing[:] = _keeper if several else ()
    casting[:] = _keeper if several or settings["autocast"] is not None else ()
