"""`track(iterable)`: a progress bar while a loop runs, where somebody can see it; elsewhere nothing at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..language.workspace import Workspace


def is_seen() -> bool:
    """Whether there is a terminal that can redraw a line."""
    try:
        return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:
        return False


class Screen:
    """The bars that are on the terminal now; several may be, one below the other."""

    def __init__(self) -> None:
        self._live: Any = None
        self._shown = 0
        self.elsewhere: Any = None
        """Another that shows the bars, where there is no terminal: a notebook's."""

    def add(self, description: str, total: float | None) -> Any:
        """A new bar: its number, or None where nobody sees it."""
        if self.elsewhere is not None:
            return self.elsewhere.add(description, total)
        if not is_seen():
            return None
        if self._live is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            console = Console(stderr=True)
            self._live = Progress(
                *columns, console=console, transient=True, redirect_stdout=True, redirect_stderr=False
            )
            self._live.start()
        self._shown += 1
        return self._live.add_task(description, total=total)

    def show(self, bar: Any, **fields: Any) -> None:
        """Changes a bar: `completed`, `total`, `description`."""
        if bar is not None and self.elsewhere is not None:
            self.elsewhere.show(bar, **fields)
        elif bar is not None and self._live is not None:
            self._live.update(bar, **fields)

    def remove(self, bar: Any) -> None:
        """Takes a bar away."""
        if bar is not None and self.elsewhere is not None:
            self.elsewhere.remove(bar)
            return
        if bar is None or self._live is None:
            return
        self._live.remove_task(bar)
        self._shown -= 1
        if not self._shown:
            live, self._live = self._live, None
            live.stop()


screen = Screen()


def length(iterable: Any) -> float | None:
    """How many elements there will be, if that is known."""
    try:
        return len(iterable)
    except TypeError:
        return None


def progress(iterable: Iterable[Any], description: str, total: float | None) -> Iterator[Any]:
    bar = screen.add(description, length(iterable) if total is None else total)
    if bar is None:
        yield from iterable
        return
    try:
        for count, each in enumerate(iterable, 1):
            yield each
            screen.show(bar, completed=count)
    finally:
        screen.remove(bar)


def make(session: Workspace) -> dict[str, Any]:
    def track(iterable: Any, description: str = "", total: float | None = None) -> Any:
        """The same elements, with a progress bar that goes when the loop ends; silent where nobody looks."""
        return progress(iterable, str(description), total)

    return {"track": track}
