"""Functions that an interrupt does not cut in two: settings put back by halves, a half loaded family of operators.

Ctrl-C and the timers of time limits are heard at any step of Python's. Their handlers ask here whether they may raise at the
step that they are told of; where they may not, they come again.
"""

from __future__ import annotations

from .sealed import MARK

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType, TracebackType
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

IMPORTS = "<frozen importlib"
"""Python's imports: a module that is left half loaded is loaded again, but it may have told others of itself."""

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
    if frame is not None and frame.f_code in _alone:
        return False
    while frame is not None and MARK not in frame.f_builtins:
        if frame.f_code in _whole or frame.f_code.co_filename.startswith(IMPORTS):
            return False
        frame = frame.f_back
    return True


def was_interrupted(trace: TracebackType | None) -> bool:
    """Whether a handler raised an error, rather than a program."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code in _handlers
