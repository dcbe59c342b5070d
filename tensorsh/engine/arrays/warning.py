"""Warnings, told of the line of the program that led to them."""

from __future__ import annotations

import sys
import warnings

from ...sandbox.sealed import is_own


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn, once for each place: the innermost line that is not this package's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_own(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
