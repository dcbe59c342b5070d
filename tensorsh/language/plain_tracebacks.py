"""Tracebacks of plain Python: the lines of the program, of libraries and of layers, as where torch is compiled code."""

from __future__ import annotations

import os
import sys
from types import TracebackType

ALL = "TORCH_SHOW_CPP_STACKTRACES"
"""The variable by which PyTorch is asked for the frames of its compiled code."""
MADE_OF_PYTHON = ("tensorsh.torch.", "tensorsh.datasets.", "tensorsh.transforms.")
"""What is Python in PyTorch, too: layers, optimizers, data."""


class here:
    """What is so in this process."""

    rank: int | None = None
    """Its number among several, which stands in front of each line then."""


def cleared(error: BaseException) -> BaseException:
    """An error without the frames of the engine, unless they are asked for: in its traceback and in those of the errors before it."""
    if os.environ.get(ALL, "0") in ("", "0"):
        error.__traceback__ = program_frames(error.__traceback__)
        without_inner_errors(error)
    return error


def told(error: BaseException) -> str:
    """An error with its traceback, as Python tells it."""
    from traceback import format_exception

    return "".join(format_exception(cleared(error)))


def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error that ended the program, on standard error: for `sys.excepthook`."""
    error.__traceback__ = below_start(trace)
    if here.rank is None:
        sys.__excepthook__(kind, cleared(error), error.__traceback__)
    else:
        lines = told(error).split("\n")
        sys.stderr.write("\n".join([line and f"[rank{here.rank}]: {line}" for line in lines]))


def below_start(trace: TracebackType | None) -> TracebackType | None:
    """A traceback from the program's first line on: without what started it."""
    started = trace
    while started is not None and module_of(started) != "tensorsh.as_torch.running":
        started = started.tb_next
    if started is None:
        return trace
    while started is not None and module_of(started) in ("tensorsh.as_torch.running", "runpy"):
        started = started.tb_next
    return started


def program_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the engine."""
    kept = []
    while trace is not None:
        if not is_engine(module_of(trace)):
            kept.append(trace)
        trace = trace.tb_next
    last = None
    for each in reversed(kept):
        last = TracebackType(last, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return last


def without_inner_errors(error: BaseException) -> None:
    """Take from the errors that stand before this one those which the engine caught itself; the others lose its frames."""
    seen = {id(error)}
    while error.__cause__ is not None or error.__context__ is not None:
        before = error.__cause__ or error.__context__
        if before is None or id(before) in seen:
            return
        seen.add(id(before))
        left = program_frames(before.__traceback__)
        if left is None and before.__traceback__ is not None and error.__cause__ is None:
            error.__context__ = before.__context__
        else:
            before.__traceback__ = left
            error = before


def is_engine(module: str) -> bool:
    return module.startswith("tensorsh.") and not module.startswith(MADE_OF_PYTHON)


def module_of(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__"))
