"""The names of a text in words: what hover shows, from the notes of a run, from the text, from the library."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..language import peek
from ..session import MODULES, Session
from ..tools.provided import torch_names
from .document import Document
from .faults import PYTHON
from .positions import Span, characters
from .world import Stand, tensor

if TYPE_CHECKING:
    from ..assist.about import Inspection

_BEFORE = re.compile(r"(?:[^\W\d]\w*\.)*[^\W\d]?\w*\Z")
_BEHIND = re.compile(r"\w*")
LONGEST = 1500
"""Characters of a docstring that are shown."""


class Words:
    """Answers about names. The session behind them never runs a program."""

    def __init__(self) -> None:
        self._stands: dict[str, tuple[Any, Session, dict[str, Any]]] = {}

    @cached_property
    def library(self) -> Session:
        return Session()

    @cached_property
    def stand(self) -> Stand:
        return Stand(self.library)

    def session(self, document: Document, line: int) -> Session:
        """A session that holds stand-ins for the document's variables, and for those of the function around a line."""
        world, session, made = self._stands.get(document.uri, (None, None, {}))
        if session is None:
            session = Session()
        if world is not document.world:
            made = {"__name__": "__main__", "__builtins__": session.variables["__builtins__"]}
            made |= self.stand.made(document.world)
            self._stands[document.uri] = document.world, session, made
        session.variables = {**made, **self._locals(document, line, made)}
        return session

    def forget(self, uri: str) -> None:
        self._stands.pop(uri, None)

    def _locals(self, document: Document, line: int, known: dict[str, Any]) -> dict[str, Any]:
        """Stand-ins for what the function around a line has bound, from the notes on it."""
        around = [each for each in _within(document.index.get("outline", ()), line) if each["kind"] != "variable"]
        if not around or around[-1]["kind"] == "class":
            return {}
        first, _, last, _ = around[-1]["span"]
        found: dict[str, Any] = {}
        for at, _, _, text, shape, _, name in document.notes:
            if first <= at <= last and "." not in name:
                if shape is not None:
                    found[name] = tensor(text.partition("[")[0], shape)
                elif isinstance(known.get(text), type):
                    found[name] = self._self(document, around[0]["span"], known[text])
        return {name: value for name, value in found.items() if value is not peek.MISSING}

    def _self(self, document: Document, span: Span, cls: Any) -> Any:
        """An object of a class of the text, with what its methods set."""
        attributes = {
            name.partition(".")[2]: tensor(text.partition("[")[0], shape) if shape is not None else None
            for at, _, _, text, shape, _, name in document.notes
            if span[0] <= at <= span[2] and name.startswith("self.")
        }
        return self.stand.instance(cls, attributes)

    def names(self, document: Document, line: int) -> dict[str, str]:
        """The names that the text binds and a place may use, with their kinds, also where nothing has run."""
        around = _within(document.index.get("outline", ()), line)
        spans = [each["span"] for each in around if each["kind"] in ("function", "method")]
        symbols = document.index.get("symbols", ())
        found = {each["name"]: each["kind"] for each in symbols if each["scope"] == "module"}
        for at, _, _, number, bound in document.index.get("names", ()):
            if bound and number >= 0 and any(span[0] <= at <= span[2] for span in spans):
                found[symbols[number]["name"]] = symbols[number]["kind"]
        return found

    def kind(self, name: str) -> str:
        """The kind of a name that needs no binding, for its colour: the library's, never Python's own."""
        if name in PYTHON:
            return ""
        if name in MODULES or name == "nn":
            return "namespace"
        return "function" if name in torch_names() else ""

    def explained(self, document: Document, line: int, column: int) -> tuple[str, Span | None] | None:
        """Markdown about the name at a place, and the span of the name."""
        row = document.name_at(line, column) if document.index else None
        if row is not None and row[3] >= 0:
            said = self._variable(document, row)
            if said:
                return said, [line, row[1], line, row[2]]
            row = None
        elif document.index:
            row = document.attribute_at(line, column)
            note = document.note_of_attribute(row) if row is not None else None
            if row is not None and note is not None:
                return _code(f"{note[6]}: {note[3]}"), [line, row[1], line, row[2]]
        word, path = self.path(document, line, column)
        of_result = row is not None and "." not in word  # `f().name`: whose it is is not known
        methods = _methods(document, row[3]) if row is not None else ""
        found = None
        if not (of_result and methods):
            found = self.library.inspect(path) if path else self.session(document, line).inspect(word) if word else None
        if found is not None:
            return _described(found), None
        return (methods, [line, row[1], line, row[2]]) if row is not None and methods else None

    def path(self, document: Document, line: int, column: int) -> tuple[str, str]:
        """The dotted name around a place, and the name that the library has for it: nothing for the text's own."""
        text = document.lines[line] if line < len(document.lines) else ""
        at = characters(text, column)
        before, behind = _BEFORE.search(text[:at]), _BEHIND.match(text, at)
        word = (before[0] if before else "") + (behind[0] if behind else "")
        first, dot, rest = word.partition(".")
        for symbol in document.index.get("symbols", ()):
            if symbol["name"] == first and symbol["scope"] == "module":
                home = symbol.get("module", "")
                return word, home + dot + rest if home.partition(".")[0] in ("torch", "numpy", "math") else ""
        return word, word

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
        return _methods(document, name) if symbol["scope"] == "class" else ""


def _methods(document: Document, name: str) -> str:
    """The methods of a name that the text's own classes have, with what is said of them."""
    found = document.index["methods"].get(name, ())
    return "\n\n".join(
        _code(f"def {owner}.{name}({parameters})") + (f"\n\n{doc}" if doc else "") for owner, parameters, doc in found
    )


def _within(outline: Any, line: int) -> list[dict[str, Any]]:
    """The parts of an outline around a line, from the outside."""
    for each in outline:
        if each["span"][0] <= line <= each["span"][2]:
            return [each, *_within(each.get("children", ()), line)]
    return []


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _described(found: Inspection) -> str:
    head = _code(found.name + found.signature if found.signature else f"{found.name}: {found.type}")
    doc = found.doc if len(found.doc) <= LONGEST else found.doc[:LONGEST] + " ..."
    formulas = "".join(f"\n- gradient of `{name}`: `{text}`" for name, text in found.formulas.items())
    return head + (f"\n\n{doc}" if doc else "") + (f"\n{formulas}" if formulas else "")
