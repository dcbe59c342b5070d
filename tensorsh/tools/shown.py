"""Results of tools: a text that the shell echoes and `print` writes; some can be saved."""

from __future__ import annotations

from typing import Any

from ..sandbox.sealed import Sealed


class Shown(metaclass=Sealed):
    """A finished text."""

    __slots__ = ("__text", "__permissions")
    __module__ = "torch"

    def __init__(self, text: str, permissions: Any = None) -> None:
        self.__text, self.__permissions = text, permissions

    def __repr__(self) -> str:
        return self.__text

    def save(self, path: Any) -> None:
        """Writes the text to a file, where the session may write."""
        if self.__permissions is None:
            raise RuntimeError("this text belongs to no session; use print and redirect the output")
        self.__permissions.write_bytes(path, (self.__text + "\n").encode())
