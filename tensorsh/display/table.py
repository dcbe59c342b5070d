"""A table for the terminal: columns aligned also with wide characters, fitted into the width there is.

Where it is too wide the columns go that can be spared, then the widest give way; where even that is not enough the last
columns are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .cells import ascii_only, cell_width, clip, pad
from .colours import PLAIN, Theme

NARROWEST = 5
"""No column is cut below this, unless its text is shorter."""


def table_text(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Iterable[str] = (), spare: Iterable[str] = (),
    width: int = 80, unicode: bool = True, theme: Theme = PLAIN,
) -> str:  # fmt: skip
    """A table as text. Columns named in `right` are aligned to the right, those in `spare` go first, in this order, where
    there is not room for all; `unicode=False` draws with ASCII only."""
    right = set(right)
    cells = [[_cell(value, unicode) for value in row] for row in (columns, *rows)]
    for name in spare:
        if sum(max(map(cell_width, column)) + 2 for column in zip(*cells, strict=True)) - 2 <= width:
            break
        at = list(columns).index(name)
        columns = [*columns[:at], *columns[at + 1 :]]
        cells = [row[:at] + row[at + 1 :] for row in cells]
    widths = fitted([max(map(cell_width, column)) for column in zip(*cells, strict=True)], width)
    ellipsis = "…" if unicode else "..."
    lines = []
    for row in cells:
        parts = []
        for name, text, room in zip(columns, row, widths, strict=False):
            text = clip(text, room, ellipsis)
            parts.append(" " * (room - cell_width(text)) + text if name in right else pad(text, room))
        lines.append("  ".join(parts).rstrip())
    rule = ("─" if unicode else "-") * (sum(widths) + 2 * len(widths) - 2)
    return "\n".join([theme.paint("dim", lines[0]), theme.paint("dim", rule), *lines[1:]])


def _cell(value: Any, unicode: bool) -> str:
    """One line of characters that the terminal can show; blanks in front are kept."""
    text = str(value)
    text = text[: len(text) - len(text.lstrip(" "))] + " ".join(text.split())
    return text if unicode else ascii_only(text)


def fitted(widths: Sequence[int], width: int) -> list[int]:
    """Column widths, two blanks apart, that fit into a width: level the widest, then drop the last."""
    kept = list(widths)
    while kept and (excess := sum(kept) + 2 * len(kept) - 2 - width) > 0:
        widest = max(kept)
        if widest > NARROWEST:
            second = max((other for other in kept if other < widest), default=0)
            kept[kept.index(widest)] = max(widest - excess, min(second, widest - 1), NARROWEST)
        elif len(kept) > 1:
            kept = list(widths[: len(kept) - 1])
        else:
            return [width]
    return kept
