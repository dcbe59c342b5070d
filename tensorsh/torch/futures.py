"""``torch.futures``: values that are there later. A value comes from the program itself, or from a collective under way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..engine.arrays.warning import warn
from ..sandbox import process
from ..sandbox.sealed import OpenSealed

__all__ = ["Future", "collect_all", "wait_all"]


class Future(metaclass=OpenSealed):
    """A value, or an error, that is set once; functions that wait for it are called then, in their order.
    devices: GPUs that the value may lie on, which nothing depends on here."""

    __module__ = "torch.futures"

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __init__(self, *, devices: Any = None) -> None:
        self._done = False
        self._value: Any = None
        self._error: Exception | None = None
        self._waiting: list[Callable[[Future], Any]] = []
        self._cause: Callable[[], Any] | None = None
        """What brings the value, where something else than the program does."""

    def done(self) -> bool:
        """Whether the value, or an error, is there."""
        return self._done

    def wait(self) -> Any:
        """The value; the error, if there is one instead. In plain Python, another thread may set it meanwhile."""
        self._settle()
        if not self._done and process.plain:
            from time import sleep

            while not self._done and others():
                sleep(0.001)
        if not self._done:
            raise RuntimeError("the value of this Future is not set: nothing else runs in tensorsh that could set it")
        return self.value()

    def _settle(self) -> None:
        """Waits for what brings the value."""
        if not self._done and self._cause is not None:
            self._cause()

    def value(self) -> Any:
        """As `wait`, of a future that is done."""
        if not self._done:
            raise RuntimeError("completed() INTERNAL ASSERT FAILED: the value of this Future is not set")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: Any) -> None:
        """Give the value and call what waits for it."""
        self._finish(result, None)

    def set_exception(self, result: Exception) -> None:
        """Give an error in the value's place."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value: Any, error: Exception | None) -> None:
        if self._done:
            raise RuntimeError(
                "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once."
            )
        self._value, self._error, self._done = value, error, True
        waiting, self._waiting = self._waiting, []
        for function in waiting:
            self._call(function)

    def _call(self, function: Callable[[Future], Any]) -> None:
        """Calls a function that nobody asks for errors: they are told as a warning."""
        try:
            function(self)
        except Exception as error:  # noqa: BLE001 - it would end whoever sets the value
            warn(failed(error))

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        """Call a function with this future when it is done: now, if it is."""
        if self._done:
            self._call(callback)
        else:
            self._waiting.append(callback)

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A future of what a function gives for this one."""
        following = Future()
        following._cause = self._settle

        def run(done: Future) -> None:
            try:
                value = callback(done)
            except Exception as error:  # noqa: BLE001 - it is handed on
                following.set_exception(RuntimeError(failed(error)))
            else:
                following.set_result(value)

        self.add_done_callback(run)
        return following

    def __reduce__(self) -> Any:
        raise RuntimeError("Can not pickle torch.futures.Future")


def failed(error: Exception) -> str:
    """What is said of an error in a function that waited."""
    return f"Got the following error when running the callback: {type(error).__name__}: {error}"


def others() -> bool:
    """Whether another thread may yet set a value."""
    from threading import current_thread, enumerate

    return any(each is not current_thread() for each in enumerate())


def present(futures: Iterable[Any]) -> list[Future]:
    many = list(futures)
    if any(each is None for each in many):
        raise RuntimeError("Future can't be None")
    wrong = next((each for each in many if not isinstance(each, Future)), None)
    if wrong is not None:
        raise TypeError(f"a Future is expected, not {type(wrong).__name__}")
    return many


def collect_all(futures: Iterable[Future]) -> Future:
    """A future of the list of all these, done when they are."""
    many, together = present(futures), Future()
    together._cause = lambda: [future._settle() for future in many]
    left = len(many)

    def one(_: Future) -> None:
        nonlocal left
        left -= 1
        if not left:
            wrong = next((each._error for each in many if each._error is not None), None)
            together._finish(many, wrong)

    for future in many:
        future.add_done_callback(one)
    if not many:
        together.set_result(many)
    return together


def wait_all(futures: Iterable[Future]) -> list:
    """The values of all these."""
    return [future.wait() for future in collect_all(futures).wait()]
