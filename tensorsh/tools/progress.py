"""`track(iterable)`: a progress bar while a loop runs, where somebody can see it; elsewhere nothing at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..session import Session


def is_seen() -> bool:
    """Whether there is a terminal that can redraw a line."""
    try:
        return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:
        return False


def progress(iterable: Iterable[Any], description: str, total: float | None) -> Iterator[Any]:
    if not is_seen():
        yield from iterable
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=True, redirect_stderr=False)
    if total is None:
        try:
            total = len(iterable)  # type: ignore[arg-type]
        except TypeError:
            total = None
    with bar:
        task = bar.add_task(description, total=total)
        for each in iterable:
            yield each
            bar.advance(task)


def make(session: Session) -> dict[str, Any]:
    def track(iterable: Any, description: str = "", total: float | None = None) -> Any:
        """The same elements, with a progress bar that goes when the loop ends; silent where nobody looks."""
        return progress(iterable, str(description), total)

    return {"track": track}
