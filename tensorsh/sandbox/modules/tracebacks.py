"""The module `traceback`: errors as Python tells them, with the frames of programs alone. What holds frames is left out."""

from __future__ import annotations

from itertools import islice
from sys import modules, version_info

from ..sealed import MARK, SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import traceback as real
    from types import TracebackType
    from typing import Any

    from ..environment import Environment


def frames(trace: TracebackType | None) -> list:
    """The frames of programs, outermost first."""
    from traceback import FrameSummary

    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if MARK in trace.tb_frame.f_builtins:
            start, places = trace.tb_lineno, islice(code.co_positions(), max(trace.tb_lasti, 0) // 2, None)
            _, end, column, end_column = next(places, (None,) * 4)
            # Later Pythons show all lines of a statement.
            last = end if end and version_info >= (3, 13) else start
            lines = (trace.tb_frame.f_builtins[SOURCE](code) or "").split("\n")[max(start - 1, 0) : last]
            told = {"line": "\n".join(lines) + "\n", "end_lineno": end, "colno": column, "end_colno": end_column}
            found.append(FrameSummary(code.co_filename, start, code.co_name, lookup_line=False, **told))
        trace = trace.tb_next
    return found


def told(error: BaseException | None, limit: int | None = None) -> real.TracebackException:
    """Python's own account of an error and of those that led to it, whose frames are replaced."""
    import traceback as real
    from traceback import StackSummary, TracebackException

    # From 3.12 on its hints import the module that an error names, which is loaded where `from x import y` failed.
    vars(real).setdefault("__import__", modules.__getitem__)
    # Without its traceback, in which the account would look for names: the frames are ours to choose.
    account = TracebackException(type(error), error, None, lookup_lines=False, compact=True)  # type: ignore[arg-type]
    ahead: list = [(account, error)]
    while ahead:
        each, error = ahead.pop()
        if each is None or error is None:
            continue
        kept = frames(error.__traceback__)
        if limit is not None:
            kept = kept[:limit] if limit >= 0 else kept[limit:]
        each.stack = StackSummary.from_list(kept)
        ahead += [(each.__cause__, error.__cause__), (each.__context__, error.__context__)]
        ahead += zip(each.exceptions or (), getattr(error, "exceptions", ()), strict=False)
    return account


def traceback(environment: Environment) -> dict[str, Any]:
    from sys import exc_info

    def chosen(exc: Any, value: Any) -> BaseException | None:
        """The error of the old form (type, value, traceback) or of the new one."""
        error = value if isinstance(value, BaseException) else exc
        if error is not None and not isinstance(error, BaseException):
            raise TypeError(f"Exception expected for value, {type(error).__name__} found")
        return error

    def format_exception(
        exc: Any, /, value: Any = None, tb: Any = None, limit: int | None = None, chain: bool = True
    ) -> list[str]:
        """The lines of an error: its frames and its message, after those of the errors that led to it."""
        return list(told(chosen(exc, value), limit).format(chain=chain))

    def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
        """The lines of an error's message."""
        return list(told(chosen(exc, value)).format_exception_only())

    def print_exception(
        exc: Any, /, value: Any = None, tb: Any = None, limit: int | None = None, file: Any = None, chain: bool = True
    ) -> None:
        """Write the lines of an error to a file, the standard error where none is given."""
        text = "".join(format_exception(exc, value, tb, limit, chain))
        environment.builtins["print"](text, file=environment.stderr if file is None else file, end="")

    def format_exc(limit: int | None = None, chain: bool = True) -> str:
        """The text of the error that is being handled."""
        return "".join(format_exception(exc_info()[1], limit=limit, chain=chain))

    def print_exc(limit: int | None = None, file: Any = None, chain: bool = True) -> None:
        """Write the error that is being handled."""
        print_exception(exc_info()[1], limit=limit, file=file, chain=chain)

    public = format_exc, format_exception, format_exception_only, print_exc, print_exception
    return {function.__name__: function for function in public}
