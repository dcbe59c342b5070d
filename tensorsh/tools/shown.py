"""Results of tools: a text that the shell echoes and `print` writes; some can be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..sandbox.sealed import Sealed


class Shown(metaclass=Sealed):
    """A finished text."""

    __slots__ = ("__text", "__permissions", "__drawn")
    __module__ = "torch"

    def __init__(self, text: str, permissions: Any = None, drawn: Callable[[], dict[str, str]] = dict) -> None:
        self.__text, self.__permissions, self.__drawn = text, permissions, drawn

    def __repr__(self) -> str:
        return self.__text

    @classmethod
    def _forms(cls, value: Shown) -> dict[str, str]:
        """What a browser shows in its place, by MIME type."""
        return value.__drawn()

    def save(self, path: Any) -> None:
        """Writes the text to a file, where the session may write."""
        if self.__permissions is None:
            raise RuntimeError("this text belongs to no session; use print and redirect the output")
        self.__permissions.write_bytes(path, (self.__text + "\n").encode())
