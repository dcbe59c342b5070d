"""``tqdm``, as training programs import it: the same calls, shown as `track` shows its loops.

Where nobody looks, nothing is written; numbers and texts (`bar.n`, `bar.postfix`) are kept all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..sandbox.namespace import Namespace
from ..sandbox.sealed import OpenSealed
from .progress import length, screen

if TYPE_CHECKING:
    from ..language.workspace import Workspace


def _number(value: Any) -> str:
    """A number as tqdm writes it behind its bar: three digits."""
    text = f"{value:.3g}".replace("e+0", "e+").replace("e-0", "e-")
    return text if len(text) < len(str(value)) else str(value)


class tqdm(metaclass=OpenSealed):
    """A progress bar around an iterable, or one that `update` moves."""

    def __init__(
        self, iterable: Any = None, desc: str | None = None, total: float | None = None, leave: bool = True,
        file: Any = None, ncols: Any = None, mininterval: float = 0.1, maxinterval: float = 10.0, miniters: Any = None,
        ascii: Any = None, disable: bool | None = False, unit: str = "it", unit_scale: Any = False,
        dynamic_ncols: bool = False, smoothing: float = 0.3, bar_format: str | None = None, initial: float = 0,
        position: int | None = None, postfix: Any = None, unit_divisor: float = 1000, **options: Any,
    ) -> None:  # fmt: skip
        self.iterable, self.desc, self.n, self.disable = iterable, desc or "", initial, bool(disable)
        self.total = length(iterable) if total is None else total
        self.leave, self.unit, self.postfix = leave, unit, None
        self._bar = None if disable else screen.add(self.desc, self.total)
        if isinstance(postfix, Mapping):
            self.set_postfix(postfix)

    def __iter__(self) -> Iterator[Any]:
        try:
            for each in self.iterable:
                yield each
                self.update()
        finally:
            self.close()

    def __len__(self) -> int:
        return len(self.iterable) if self.iterable is not None else int(self.total or 0)

    def __bool__(self) -> bool:
        return bool(self.total) if self.total is not None or self.iterable is None else bool(self.iterable)

    def __enter__(self) -> tqdm:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        """Move the bar by `n`."""
        self.n += n
        screen.show(self._bar, completed=self.n)

    def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
        """The text before the bar."""
        self.set_description_str(desc + ": " if desc else "", refresh)

    def set_description_str(self, desc: str | None = None, refresh: bool = True) -> None:
        self.desc = desc or ""
        self.refresh()

    def set_postfix(self, ordered_dict: Any = None, refresh: bool = True, **values: Any) -> None:
        """Names and values behind the bar."""
        from numbers import Number

        shown = {**dict(ordered_dict or {}), **dict(sorted(values.items()))}
        texts = {k: _number(v) if isinstance(v, Number) else str(v).strip() for k, v in shown.items()}
        self.set_postfix_str(", ".join(f"{k}={v}" for k, v in texts.items()))

    def set_postfix_str(self, s: str = "", refresh: bool = True) -> None:
        self.postfix = str(s)
        self.refresh()

    def refresh(self, *args: Any, **options: Any) -> None:
        """Draw the bar again."""
        text = f"{self.desc} {self.postfix}" if self.postfix else self.desc
        screen.show(self._bar, completed=self.n, total=self.total, description=text)

    def reset(self, total: float | None = None) -> None:
        """Back to the start."""
        self.n = 0
        if total is not None:
            self.total = total
        self.refresh()

    def clear(self, *args: Any, **options: Any) -> None:
        """Take the bar away until it is drawn again."""

    def close(self) -> None:
        """Take the bar away."""
        bar, self._bar = self._bar, None
        screen.remove(bar)


def bars(session: Workspace) -> Namespace:
    """The module of one session; `tqdm.write` prints where the session prints."""
    printing = session.builtin("print")

    def write(s: Any, file: Any = None, end: str = "\n", nolock: bool = False) -> None:
        """Print a line above the bars."""
        printing(s, end=end, file=file)

    made = OpenSealed(
        "tqdm", (tqdm,), {"write": staticmethod(write), "__module__": "tqdm.std", "__doc__": tqdm.__doc__}
    )

    def trange(*args: Any, **options: Any) -> Any:
        """`tqdm(range(...))`."""
        return made(range(*args), **options)

    table = {"tqdm": made, "trange": trange}
    below = {name: Namespace(f"tqdm.{name}", table) for name in ("auto", "autonotebook", "notebook", "std")}
    return Namespace("tqdm", {**table, **below, "tqdm_notebook": made, "tnrange": trange})
