"""Errors that end a program, whatever it catches; and how one thread throws an error at another, which raises it at its next step."""

from __future__ import annotations

from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Limit(BaseException):
    """A bound was reached. No `Exception`; and the `except`, `finally` and `with` of programs let it pass."""


class Timeout(Limit):
    """The time is over."""


class OutputLimit(Limit):
    """More was printed than allowed."""


def kept_out(leave: Any) -> Any:
    """A program's `__exit__`, whose answer does not hold an error that ends the program."""

    def __exit__(self: Any, *told: Any) -> Any:
        answer = leave(self, *told)
        if answer is None or answer is False:
            return answer
        return answer if not any(isinstance(each, Limit) for each in told) else False

    __exit__.__doc__, __exit__.__qualname__ = leave.__doc__, leave.__qualname__
    return __exit__


helpers: list[Any] = []
"""Threads that work for programs beside them; what ends a program ends them."""


def end_helpers() -> None:
    """End what works for a program that has reached a bound."""
    for thread in list(helpers):
        throw(thread.ident, Timeout)


def throw(thread: int, error: type[BaseException]) -> None:
    """Raise an error in a thread, named by its number, at its next step."""
    _set(thread, error)


def take_back(thread: int) -> None:
    """Take back what was thrown at a thread and has not arrived."""
    _set(thread, None)
    settle()


def settle() -> None:
    """Make Python forget that something was thrown that has not arrived: all threads look for it at every step meanwhile,
    and in Python 3.11 one whose calls are watched (`sys.setprofile`) never gets beyond the first. It arrives all the same,
    as soon as two threads want to run."""
    try:
        _set(get_ident(), Settled)
        for _ in range(100):
            pass
    except Settled:
        pass


class Settled(BaseException):
    """The error that a thread throws at itself."""


def _set(thread: int, error: type[BaseException] | None) -> None:
    import ctypes

    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
