"""`plot(values)` and `hist(x)`: curves and histograms as text, drawn by plotille where the terminal has its characters.

plot(losses)             one curve over 0, 1, 2 ...
plot(x, y)               y over x
plot({"train": a, "test": b})
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display.cells import draws_unicode
from .shown import Shown

if TYPE_CHECKING:
    from ..language.workspace import Workspace

MARKS = "*+ox#@"
LABEL = 11
"""Columns that the numbers beside an axis take."""


def numbers(values: Any, what: str) -> Any:
    """Values as one row of floats: a tensor, an array, a list of numbers or of tensors of one element."""
    if hasattr(values, "_array"):
        values = values._array
    elif isinstance(values, Sequence) and not isinstance(values, str):
        values = [v._array.item() if hasattr(v, "_array") else v for v in values]
    try:
        found = np.asarray(values)
        found = np.abs(found) if found.dtype.kind == "c" else found.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what}(): expected numbers, not {type(values).__name__}") from None
    return found.reshape(-1)


def curves(first: Any, second: Any) -> dict[str, tuple[Any, Any]]:
    """x and y of each curve by its name."""
    if isinstance(first, dict):
        return {str(name): (np.arange(len(y := numbers(each, "plot")), dtype=float), y) for name, each in first.items()}
    if second is None:
        y = numbers(first, "plot")
        return {"": (np.arange(len(y), dtype=float), y)}
    x, y = numbers(first, "plot"), numbers(second, "plot")
    if len(x) != len(y):
        raise ValueError(f"plot(): {len(x)} values of x and {len(y)} of y")
    return {"": (x, y)}


def plot_text(found: dict[str, tuple[Any, Any]], width: int, height: int, title: str = "", unicode: bool = True) -> str:
    """Curves in lines of at most `width` columns; what is not finite is left out."""
    kept = _finite(found)
    if not kept:
        return "nothing to plot: no finite values"
    x_limits, y_limits = _ranges(kept)
    inner = max(width - LABEL - 4, 10)
    draw = _braille if unicode and len(kept) == 1 else _marks
    lines = draw(kept, inner, height, x_limits, y_limits)
    labels = {0: f"{y_limits[1]:.4g}", height - 1: f"{y_limits[0]:.4g}", height // 2: f"{sum(y_limits) / 2:.4g}"}
    bar, corner, rule = ("│", "└", "─") if unicode else ("|", "+", "-")
    drawn = [f"{labels.get(row, ''):>{LABEL}} {bar}{line}".rstrip() for row, line in enumerate(lines)]
    left, right = f"{x_limits[0]:.4g}", f"{x_limits[1]:.4g}"
    drawn.append(" " * (LABEL + 1) + corner + rule * inner)
    drawn.append(" " * (LABEL + 2) + left + " " * max(inner - len(left) - len(right), 1) + right)
    if len(kept) > 1 or next(iter(kept)):
        marks = [MARKS[i % len(MARKS)] + " " if draw is _marks else "" for i in range(len(kept))]
        drawn.append(" " * (LABEL + 2) + "   ".join(mark + name for mark, name in zip(marks, kept, strict=True)))
    return "\n".join(([" " * (LABEL + 2) + title] if title else []) + drawn)


def _finite(found: dict[str, tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """The curves without what is not finite."""
    kept = {}
    for name, (x, y) in found.items():
        good = np.isfinite(x) & np.isfinite(y)
        if good.any():
            kept[name] = (x[good], y[good])
    return kept


def _ranges(kept: dict[str, tuple[Any, Any]]) -> tuple[tuple[float, float], tuple[float, float]]:
    x, y = (_limits(np.concatenate([pair[i] for pair in kept.values()])) for i in (0, 1))
    return x, y


def plot_forms(found: dict[str, tuple[Any, Any]], title: str) -> dict[str, str]:
    """The curves as a picture, if there is anything to be drawn."""
    from ..display import vector

    kept = _finite(found)
    return {"image/svg+xml": vector.curves(kept, *_ranges(kept), title)} if kept else {}


def hist_forms(values: Any, bins: int, title: str) -> dict[str, str]:
    """The histogram as a picture, if there is anything to be drawn."""
    from ..display import vector

    finite = values[np.isfinite(values)]
    if not finite.size:
        return {}
    counts, edges = np.histogram(finite, bins)
    return {"image/svg+xml": vector.bars(counts.tolist(), float(edges[0]), float(edges[-1]), title)}


def _limits(values: Any) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    return low, high


def _braille(kept: dict[str, tuple[Any, Any]], width: int, height: int, x: Any, y: Any) -> list[str]:
    import plotille

    canvas = plotille.Canvas(width, height, xmin=x[0], ymin=y[0], xmax=x[1], ymax=y[1])
    for xs, ys in kept.values():
        if len(xs) == 1:
            canvas.point(xs[0], ys[0])
        for i in range(len(xs) - 1):
            canvas.line(xs[i], ys[i], xs[i + 1], ys[i + 1])
    return canvas.plot().split("\n")


def _marks(kept: dict[str, tuple[Any, Any]], width: int, height: int, x: Any, y: Any) -> list[str]:
    rows = [[" "] * width for _ in range(height)]
    for mark, (xs, ys) in zip(MARKS * len(kept), kept.values(), strict=False):
        places = np.linspace(x[0], x[1], width)
        order = np.argsort(xs, kind="stable")
        level = np.interp(places, xs[order], ys[order], left=np.nan, right=np.nan)
        for column, value in enumerate(level):
            if np.isfinite(value):
                rows[height - 1 - round((value - y[0]) / (y[1] - y[0]) * (height - 1))][column] = mark
    return ["".join(row) for row in rows]


def hist_text(values: Any, bins: int, width: int, title: str = "", unicode: bool = True) -> str:
    """A histogram with a bar for each part of the range; what is not finite is counted below."""
    finite = values[np.isfinite(values)]
    lines = [title] if title else []
    if not finite.size:
        return "\n".join([*lines, "nothing to count: no finite values"])
    counts, edges = np.histogram(finite, bins)
    labels = [f"{edge:.4g}" for edge in edges[:-1]]
    wide, most = max(map(len, labels)), int(counts.max())
    room = max(width - wide - len(str(most)) - 4, 5)
    for label, count in zip(labels, counts, strict=True):
        lines.append(f"{label:>{wide}} {_bar(count / most * room, unicode)} {count}")
    if rest := values.size - finite.size:
        lines.append(f"{rest} of {values.size} values are not finite")
    return "\n".join(lines)


def _bar(length: float, unicode: bool) -> str:
    if not unicode:
        return "#" * round(length)
    whole, part = int(length), int(length % 1 * 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[part] if part else "")


def make(session: Workspace) -> dict[str, Any]:
    def size(width: int | None) -> int:
        return int(width) if width else shutil.get_terminal_size().columns - 1

    def plot(x: Any, y: Any = None, *, width: int | None = None, height: int = 15, title: str = "") -> Any:
        """Curves as text: `plot(losses)`, `plot(x, y)`, `plot({"train": a, "test": b})`. In a script, print it."""
        found, title = curves(x, y), str(title)
        text = plot_text(found, size(width), max(int(height), 3), title, draws_unicode(sys.stdout))
        return Shown(text, session.permissions, lambda: plot_forms(found, title))

    def hist(x: Any, bins: int = 15, *, width: int | None = None, title: str = "") -> Any:
        """A histogram of all elements as text. In a script, print it."""
        found, bins, title = numbers(x, "hist"), int(bins), str(title)
        text = hist_text(found, bins, size(width), title, draws_unicode(sys.stdout))
        return Shown(text, session.permissions, lambda: hist_forms(found, bins, title))

    return {"plot": plot, "hist": hist}
