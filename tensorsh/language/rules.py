"""How a hint is declared: a rule for the errors whose first line has a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .places import Host, Place


@dataclass
class Case:
    """An error as a rule sees it."""

    error: BaseException
    match: re.Match[str]
    place: Place
    host: Host

    def tensors(self) -> list[tuple[str, Any]]:
        return list(self.place.operands().items())


Rule = Callable[[Case], "str | None"]
RULES: list[tuple[re.Pattern[str], Rule]] = []


def rule(pattern: str) -> Callable[[Rule], Rule]:
    """Declares a hint for the errors whose first line matches."""

    def declare(function: Rule) -> Rule:
        RULES.append((re.compile(pattern), function))
        return function

    return declare


def always(pattern: str, text: str) -> None:
    """Declares a hint that is the same for all errors whose first line matches."""
    RULES.append((re.compile(pattern), lambda case: text))
