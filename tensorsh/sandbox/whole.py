"""Functions that an interrupt does not cut in two: settings put back by halves, a half loaded family of operators.

Ctrl-C and the timers of time limits are heard at any step of Python's. Their handlers ask here whether they may raise at the
step that they are told of; where they may not, they come again.
"""

from __future__ import annotations

import os

from .sealed import MARK

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType, TracebackType
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

IMPORTS = "<frozen importlib"
"""Python's imports: a module that is left half loaded is loaded again, but it may have told others of itself."""

CONTEXTS = ("__enter__", "__exit__")
"""What puts settings in place, and back."""
ROOMS = tuple(
    os.path.join(os.path.dirname(os.path.dirname(__file__)), room, "") for room in ("engine", "tools", "torch")
)
MOST = 20
"""So often in succession a context is not left: it may wait for what never comes."""

_refused = 0
_whole: set[CodeType] = set()
_alone: set[CodeType] = set()
_handlers: set[CodeType] = set()


def whole(function: Function) -> Function:
    """A function that is not left, nor what it calls, other than a program."""
    _whole.add(function.__code__)
    return function


def whole_alone(function: Function) -> Function:
    """A function whose own steps are not left; what it calls may be."""
    _alone.add(function.__code__)
    return function


def handler(function: Function) -> Function:
    """A function that raises what interrupts a program."""
    _handlers.add(function.__code__)
    return function


def may_be_left(frame: FrameType | None) -> bool:
    """Whether an error that is raised at this frame leaves nothing half done, up to the program that led to it."""
    global _refused
    if frame is not None and frame.f_code in _alone:
        return False
    in_context = frame is not None and is_before_with(frame)
    while frame is not None and MARK not in frame.f_builtins:
        if frame.f_code in _whole or frame.f_code.co_filename.startswith(IMPORTS):
            return False
        in_context = in_context or is_context(frame)
        frame = frame.f_back
    _refused = _refused + 1 if in_context and _refused < MOST else 0
    return not _refused


def is_before_with(frame: FrameType) -> bool:
    """Whether the next step of a frame enters a `with` block, whose context may have been put in place when it was made
    (`torch.set_grad_enabled(False)`)."""
    from opcode import opmap

    steps, at = frame.f_code.co_code, frame.f_lasti + 2
    while at < len(steps) and steps[at] == 0:  # what belongs to the step before
        at += 2
    return at < len(steps) and steps[at] == opmap.get("BEFORE_WITH")


def is_context(frame: FrameType) -> bool:
    """Whether a frame begins or ends one of the library's contexts (`no_grad`), also of those that are generators."""
    code = frame.f_code
    if code.co_name not in CONTEXTS:
        return False
    if code.co_filename.endswith("contextlib.py"):
        code = getattr(getattr(frame.f_locals.get("self"), "gen", None), "gi_code", code)
    return code.co_filename.startswith(ROOMS)


def was_interrupted(trace: TracebackType | None) -> bool:
    """Whether a handler raised an error, rather than a program."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code in _handlers


def is_outside(trace: TracebackType | None) -> bool:
    """Whether an error arose in the library or in Python's, as that of Python's own handler of Ctrl-C does."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and MARK not in trace.tb_frame.f_builtins


def is_raised(trace: TracebackType | None) -> bool:
    """Whether a program's own `raise` raised an error: between two steps Python's handler of Ctrl-C leaves no frame either."""
    from opcode import opmap

    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or MARK not in trace.tb_frame.f_builtins:
        return False
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == opmap["RAISE_VARARGS"]
