"""Errors that one thread throws at another, which raises them at its next step."""

from __future__ import annotations

from _thread import get_ident


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
