"""Numbers of bytes and of seconds as a person reads them."""

from __future__ import annotations


def size_text(size: float) -> str:
    """`1.5 MB` of a number of bytes."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.3g} {unit}"
        size /= 1000
    return ""


def duration_text(seconds: float) -> str:
    """`1.23 ms` of a number of seconds."""
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    if seconds < 60:
        return f"{seconds:.3g} s"
    return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
