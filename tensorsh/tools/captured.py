"""What lines printed and displayed, kept: the value of `%%capture NAME`."""

from __future__ import annotations

import sys
from typing import Any

from ..sandbox.sealed import Sealed
from .displays import board


class CapturedIO(metaclass=Sealed):
    """What lines printed and displayed: `stdout`, `stderr`, `outputs`; `show()` or a call shows it again.
    stdout, stderr: texts. outputs: a list of values."""

    __slots__ = ("__parts",)
    __module__ = "IPython.utils.capture"

    def __init__(self, stdout: str, stderr: str, outputs: list[Any] | None = None) -> None:
        if type(stdout) is not str or type(stderr) is not str or outputs is not None and type(outputs) is not list:
            raise TypeError("CapturedIO takes two texts and a list")
        self.__parts = stdout, stderr, list(outputs or ())

    stdout = property(lambda self: self.__parts[0], doc="What was printed.")
    stderr = property(lambda self: self.__parts[1], doc="What was written to the standard error.")
    outputs = property(lambda self: list(self.__parts[2]), doc="What was displayed.")

    def show(self) -> None:
        """Show all of it again."""
        show(*self.__parts)

    def __call__(self) -> None:
        show(*self.__parts)

    def __str__(self) -> str:
        return self.__parts[0]


def show(stdout: str, stderr: str, outputs: list[Any]) -> None:
    """Writes and displays what was captured."""
    for stream, text in ((sys.stdout, stdout), (sys.stderr, stderr)):
        stream.write(text)
        stream.flush()
    for each in outputs:
        if board.elsewhere is not None:
            board.elsewhere.show(each, False, None)
