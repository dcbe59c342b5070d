"""``torch.testing.FileCheck``: what a text must say, in order; for plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import re
from typing import Any


class FileCheck:
    """Checks of a text, each from where the one before was found: `run` makes them. Each method adds one and gives this object."""

    def __init__(self) -> None:
        self.checks: list[tuple[str, str, int]] = []

    def _also(self, kind: str, text: str, count: int = 1) -> Any:
        self.checks.append((kind, text, count))
        return self

    def check(self, text: str) -> Any:
        """The text comes next, anywhere."""
        return self._also("CHECK", text)

    def check_not(self, text: str) -> Any:
        """The text does not come before what the next check finds."""
        return self._also("CHECK-NOT", text)

    def check_same(self, text: str) -> Any:
        """The text comes next, on the same line."""
        return self._also("CHECK-SAME", text)

    def check_next(self, text: str) -> Any:
        """The text comes next, on the next line."""
        return self._also("CHECK-NEXT", text)

    def check_dag(self, text: str) -> Any:
        """The text comes next; checks of this kind in a row are in any order."""
        return self._also("CHECK-DAG", text)

    def check_regex(self, text: str) -> Any:
        """Something of this pattern comes next."""
        return self._also("CHECK-REGEX", text)

    def check_count(self, text: str, count: int, exactly: bool = False) -> Any:
        """The text comes `count` times; if `exactly`, then no more."""
        self._also("CHECK-COUNT", text, count)
        return self.check_not(text) if exactly else self

    def run(self, text: str) -> None:
        """Make all checks. RuntimeError: one that fails."""
        at, group, forbidden = 0, 0, []
        for kind, wanted, count in self.checks:
            if kind == "CHECK-NOT":
                forbidden.append(wanted)
                continue
            end, first = group if kind == "CHECK-DAG" else at, -1
            for _ in range(count):
                begin, after = self._found(kind, wanted, text, end)
                lines = text[end:begin].count("\n")
                if kind == "CHECK-SAME" and lines or kind == "CHECK-NEXT" and lines != 1:
                    raise RuntimeError(f'Expected to find "{wanted}" on the {kind[6:].lower()} line')
                first, end = begin if first < 0 else first, after
            self._without(forbidden, text[at:first])
            forbidden = []
            at = max(at, end)
            if kind != "CHECK-DAG":
                group = at
        self._without(forbidden, text[at:])

    @staticmethod
    def _found(kind: str, wanted: str, text: str, at: int) -> tuple[int, int]:
        match = re.compile(wanted if kind == "CHECK-REGEX" else re.escape(wanted)).search(text, at)
        if match is None:
            raise RuntimeError(f'Expected to find "{wanted}" but did not find it\nSearched string:\n{text[at:]}')
        return match.span()

    @staticmethod
    def _without(forbidden: list[str], text: str) -> None:
        for each in forbidden:
            if each in text:
                raise RuntimeError(f'Expected to not find "{each}" but found it\nSearched string:\n{text}')
