"""Times as text: a number with its unit, a Markdown table of a suite."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .cases import Case


def shown(seconds: float | str | None) -> str:
    if seconds is None:
        return ""
    if isinstance(seconds, str):
        return "error"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean; 1 of none."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / max(len(logs), 1))


def table(title: str, rows: list[tuple[Case, dict]], engines: list[str]) -> str:
    """A Markdown table with the ratio of PyTorch's time to tensorsh's in the last column."""
    used = [n for n in engines if any(n in times for _, times in rows)]
    lines = [f"## {title}", "", "| | " + " | ".join(used) + " | PyTorch / tensorsh |", "|---" * (len(used) + 2) + "|"]
    ratios = []
    for case, times in rows:
        a, b = times.get("tensorsh"), times.get("torch")
        ratio = b / a if isinstance(a, float) and isinstance(b, float) else None
        if ratio:
            ratios.append(ratio)
        cells = [shown(times.get(e)) for e in used]
        lines.append(f"| {case.name} | " + " | ".join(cells) + f" | {f'{ratio:.2f}' if ratio else ''} |")
    if ratios:
        lines += ["", f"Geometric mean of the ratios: **{mean(ratios):.2f}**, lowest {min(ratios):.2f}."]
    return "\n".join(lines) + "\n"
