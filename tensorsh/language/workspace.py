"""The workspace: a namespace in which programs run, as completion, inspection and tools see it. A session is one."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any, Protocol


class Workspace(Protocol):
    """Variables, the text of the programs that ran, and what they may read; for type checkers only."""

    variables: dict[str, Any]

    @property
    def permissions(self) -> Any:
        """The files that its programs may read and write."""

    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...

    def names(self) -> list[str]:
        """The names that a program may use without having bound them."""

    def host(self) -> Any:
        """What a diagnostic may ask the session (`language/places.py`): its names, and those of modules."""

    def builtin(self, name: str) -> Any:
        """The value of such a name as far as it is loaded, else `peek.MISSING`."""

    def load(self, name: str) -> Any:
        """The value of such a name, loaded if need be, else `peek.MISSING`."""

    def source_of(self, code: CodeType) -> str | None:
        """The text that a code object was compiled from."""

    def sources(self) -> list[tuple[str, str]]:
        """File name and text of the programs compiled so far, the newest last."""

    def line(self, filename: str, number: int) -> str:
        """A line of the newest program of a file name, or nothing."""
