"""The names of a text in words: what hover shows, from the notes of a run, from the text, from the library."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from ..session import Session
from .document import Document
from .positions import Span, characters

if TYPE_CHECKING:
    from ..assist.about import Inspection

_BEFORE = re.compile(r"(?:[^\W\d]\w*\.)*[^\W\d]?\w*$")
_BEHIND = re.compile(r"\w*")
LONGEST = 1500
"""Characters of a docstring that are shown."""


class Words:
    """Answers about names. The session behind them never runs a program."""

    @cached_property
    def library(self) -> Session:
        return Session()

    def explained(self, document: Document, line: int, column: int) -> tuple[str, Span | None] | None:
        """Markdown about the name at a place, and the span of the name."""
        row = document.name_at(line, column) if document.index else None
        if row is not None and row[3] >= 0:
            said = self._variable(document, row)
            if said:
                return said, [line, row[1], line, row[2]]
        elif row is None and document.index:
            row = document.attribute_at(line, column)
            note = document.note_of_attribute(row) if row is not None else None
            if row is not None and note is not None:
                return _code(f"{note[6]}: {note[3]}"), [line, row[1], line, row[2]]
        path = self.path(document, line, column)
        found = self.library.inspect(path) if path else None
        return None if found is None else (_described(found), None)

    def path(self, document: Document, line: int, column: int) -> str:
        """The dotted name around a place, by the name that the library has for it; nothing for the text's own."""
        text = document.lines[line] if line < len(document.lines) else ""
        at = characters(text, column)
        before, behind = _BEFORE.search(text[:at]), _BEHIND.match(text, at)
        word = (before[0] if before else "") + (behind[0] if behind else "")
        first, dot, rest = word.partition(".")
        for symbol in document.index.get("symbols", ()):
            if symbol["name"] == first and symbol["scope"] == "module":
                home = symbol.get("module", "")
                return home + dot + rest if home.partition(".")[0] in ("torch", "numpy", "math") else ""
        return word

    def _variable(self, document: Document, row: list) -> str:
        symbol = document.index["symbols"][row[3]]
        name = symbol["name"]
        note = document.note_of(row)
        if note is not None:
            times = f"\n\nbound {note[5]} times" if note[5] > 1 else ""
            return _code(f"{name}: {note[3]}") + times
        made = document.index["functions"].get(name) if symbol["kind"] in ("function", "class") else None
        if made is not None:
            head = f"def {name}({made[0]})" if symbol["kind"] == "function" else f"class {name}({made[0]})"
            return _code(head) + (f"\n\n{made[1]}" if made[1] else "")
        return ""


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _described(found: Inspection) -> str:
    head = _code(found.name + found.signature if found.signature else f"{found.name}: {found.type}")
    doc = found.doc if len(found.doc) <= LONGEST else found.doc[:LONGEST] + " ..."
    formulas = "".join(f"\n- gradient of `{name}`: `{text}`" for name, text in found.formulas.items())
    return head + (f"\n\n{doc}" if doc else "") + (f"\n{formulas}" if formulas else "")
