"""A run of the open text, which notes the value of each name where it is bound, and the first error with its operands.

Behind each statement that binds names stands a call of `<note>`, put into the tree after the gate has seen it. What is noted is
text: no value outlives its run, and the texts are made here, where the program runs, from what `language/peek.py` sees.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ..assist.signatures import signature_text
from ..golden.document import blocks, line_matches
from ..language import peek
from ..language.compiler import Program
from ..language.hints import hints
from ..language.places import Place, headline, places
from ..language.scopes import LOAD
from ..language.translation import Translation
from ..sandbox.files import as_program
from ..sandbox.limits import Limit, Timeout, start_timer, stop_timer
from ..session import Session, _Known
from .faults import ERROR, INFORMATION, WARNING, fault, replacement, without_grad
from .index import ast_place
from .positions import Lines, Span

NOTED = 50
"""How many values of one place are looked at."""
OFTEN = 0.2
"""Seconds between two messages on what was noted so far."""
REFUSED = (PermissionError, ModuleNotFoundError, EOFError, MemoryError)
"""Errors that may come of running here: no files, no other modules, no input, little memory."""
ELEMENTS = (
    "on meta tensors", "of meta tensor", "meta device type", "with Meta tensors", "register_meta", "expected device",
)  # fmt: skip
"""Words of errors that only tensors without elements raise."""
_MEANT = re.compile(r"did you mean (.*)\?")
_QUOTED = re.compile(r"`([^`]+)`")


class Nowhere:
    """A stream that drops what is written."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


class Note:
    """The values that one place was bound to."""

    __slots__ = ("count", "kind", "shape", "text")

    def __init__(self) -> None:
        self.count = 0
        self.kind = self.text = ""
        self.shape: list[Any] | None = None

    def add(self, value: object) -> None:
        kind, shape, text = described(value)
        if not self.count:
            self.kind, self.shape, self.text = kind, shape, text
        elif kind != self.kind or (shape is None) != (self.shape is None):
            self.kind, self.shape = f"{self.kind} or {kind}" if kind not in self.kind.split(" or ") else self.kind, None
            self.text = self.kind if len(self.kind) < 60 else "several types"
        elif shape is not None and self.shape is not None and shape != self.shape:
            same = len(shape) == len(self.shape)
            self.shape = [a if a == b else "*" for a, b in zip(shape, self.shape, strict=True)] if same else ["..."]
            self.text = f"{kind}[{', '.join(map(str, self.shape))}]"
        elif text != self.text:
            self.text = kind if shape is None else text
        self.count += 1


def described(value: object) -> tuple[str, list[Any] | None, str]:
    """The kind of a value (a tensor's dtype), its shape, and both as text."""
    text = peek.describe(value)
    if text is not None:
        kind = text.partition("[")[0]
        return kind, list(peek.shape_of(value) or ()), text
    kind = type(value).__name__
    if type(value) in (int, float, bool, complex, str, bytes, type(None)):
        shown = repr(value) if type(value) not in (str, bytes) or len(value) < 60 else ""  # type: ignore[arg-type]
        return kind, None, f"{kind} = {shown}" if 0 < len(shown) < 80 else kind
    if type(value) in (tuple, list):
        parts = [described(each)[2].partition(" = ")[0] for each in value[:4]]  # type: ignore[index]
        size = len(value)  # type: ignore[arg-type]
        return kind, None, f"{kind} of {size}: {', '.join(parts)}{', ...' * (size > 4)}" if size else f"empty {kind}"
    if isinstance(value, type):
        return "class", None, f"class {value.__name__}"
    if type(value) is FunctionType and not peek.is_library(value):
        return kind, None, kind + signature_text(value)
    return kind, None, kind


class Checked(Session):
    """A session whose warnings are kept."""

    def __init__(self, **options: Any) -> None:
        super().__init__(stdout=Nowhere(), **options)  # type: ignore[arg-type]
        self.warned: dict[tuple[int, str], None] = {}

    def _show_warning(self, message: Any, category: type, filename: str, line: int, *_: Any) -> None:
        frame: Any = sys._getframe()
        while frame is not None and not self.owns(frame):
            frame = frame.f_back
        if len(self.warned) < 100:
            self.warned[(frame.f_lineno if frame is not None else line), f"{category.__name__}: {message}"] = None


class Notes:
    """The places of a tree that are noted."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.sites: list[tuple[tuple[int, int, int, int], str]] = []
        self.notes: list[Note] = []
        self.changed = False
        pending = [body]
        while pending:
            statements = pending.pop()
            made: list[ast.stmt] = []
            for node in statements:
                ahead, behind = self._calls(node)
                inner: Any = getattr(node, "body", None)
                if type(inner) is list:
                    pending.append(inner)
                    at = 1 if type(node) is ast.FunctionDef and ast.get_docstring(node, False) is not None else 0
                    inner[at:at] = ahead
                for name in ("orelse", "finalbody"):
                    if getattr(node, name, None):
                        pending.append(getattr(node, name))
                for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    pending.append(each.body)
                made += [node, *behind]
            statements[:] = made

    def _calls(self, node: Any) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The calls at the beginning of a statement's body, and those behind it."""
        kind = type(node)
        if kind is ast.FunctionDef:
            a = node.args
            every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
            return [self._call(ast.Name(each.arg, LOAD), each) for each in every], []
        if kind is ast.For:
            return list(self._targets([node.target])), []
        if kind is ast.With:
            return list(self._targets([item.optional_vars for item in node.items])), []
        if kind is ast.Assign:
            return [], list(self._targets(node.targets))
        if kind is ast.AugAssign or kind is ast.AnnAssign and node.value is not None:
            return [], list(self._targets([node.target]))
        return [], []

    def _targets(self, targets: list[Any]) -> Iterator[ast.stmt]:
        pending = targets[::-1]
        while pending:
            target = pending.pop()
            kind = type(target)
            if kind is ast.Name and not target.id.startswith("__"):
                yield self._call(ast.Name(target.id, LOAD), target)
            elif kind is ast.Starred:
                pending.append(target.value)
            elif kind in (ast.Tuple, ast.List):
                pending += target.elts[::-1]
            elif kind is ast.Attribute:
                owner = target.value.args[0] if type(target.value) is ast.Call else target.value  # `<own>(x).a`
                if type(owner) is ast.Name:
                    yield self._call(ast.Name(owner.id, LOAD), target, target.attr)

    def _call(self, value: ast.Name, node: Any, attribute: str = "") -> ast.stmt:
        place = ast_place(node)
        if attribute:
            place = (place[2], place[3] - len(attribute.encode()), place[2], place[3])
        elif type(node) is ast.arg:
            place = (place[0], place[1], place[0], place[1] + len(node.arg.encode()))
        where = dict(zip(("lineno", "col_offset", "end_lineno", "end_col_offset"), place, strict=True))
        for name, number in where.items():
            setattr(value, name, number)
        given: list[ast.expr] = [ast.Constant(len(self.sites), None, **where), value]
        if attribute:
            given.append(ast.Constant(attribute, None, **where))
        self.sites.append((place, value.id + ("." + attribute if attribute else "")))
        self.notes.append(Note())
        return ast.Expr(ast.Call(ast.Name("<note>", LOAD, **where), given, [], **where), **where)

    def note(self, site: int, value: object, attribute: str = "") -> None:
        found = self.notes[site]
        if found.count < NOTED:
            if attribute:
                value = peek.attribute(value, attribute)
            if value is not peek.MISSING:
                found.add(value)
                self.changed = True
        else:
            found.count += 1

    def told(self, lines: Lines) -> list[list[Any]]:
        """`[line, start, end, text, a tensor's shape, how often, name]` of each place that was reached."""
        found = []
        for (place, name), note in zip(self.sites, self.notes, strict=True):
            if note.count:
                line, start, _, end = lines.span(place)
                found.append([line, start, end, note.text, note.shape, note.count, name])
        return found


class Run:
    """One run of a text. `send` takes what there is to tell: notes as they come. A run of `shapes` alone makes its tensors on the meta
    device, and tells nothing of what needs their elements."""

    def __init__(
        self, text: str, module: ast.Module | None, send: Callable[[dict[str, Any]], None], seconds: float, memory: str,
        shapes: bool = False,
    ) -> None:  # fmt: skip
        self.text, self.lines, self.send = text, Lines(text), send
        self.module, self.seconds = module, seconds
        self.session = Checked(max_memory=memory)
        self.session.watch("lint")
        self.shapes, self.short = shapes, False
        if shapes:
            self.session.run("torch.set_default_device('meta')")
        self.faults: list[dict[str, Any]] = []
        self.notes: Notes | None = None

    def compile(self) -> None:
        """Raises the SyntaxError that only compiling finds, or a Mistake."""
        session = self.session
        translation = Translation(
            self.text, "<editor>", _Known(session.variables, session._builtins), module=self.module
        )
        self.notes = Notes(translation.body)
        session._builtins["<note>"] = self.notes.note
        module, last = translation.program()
        names = translation.names
        self.program = Program("<editor>", self.text, module, last, names, translation.questions, translation)
        session._programs["<editor>"] = [self.program]

    def run(self) -> None:
        statements = self.program.statements
        session = self.session
        sent = time.monotonic()
        try:
            start_timer(self.seconds)
            for block in blocks(self.text, [(s.lineno, s.end_lineno) for s in statements]):
                self.line = block.start
                try:
                    session.execute(self.program, statements=[statements[i] for i in block.statements])
                except Exception as error:
                    first = "! " + headline(error).split("\n")[0]
                    if not any(line.startswith("!") and line_matches(line, first) for line in block.expected):
                        raise
                if time.monotonic() - sent > OFTEN:
                    self.tell()
                    sent = time.monotonic()
        except BaseException as error:
            stop_timer()
            self._failed(error)
        stop_timer()
        for line, message in session.warned:
            self.faults.append(fault(self.lines.whole(line), message, WARNING, "lint"))

    def tell(self) -> None:
        if self.notes is not None and self.notes.changed:
            self.notes.changed = False
            self.send({"kind": "notes", "notes": self.notes.told(self.lines)})

    def _failed(self, error: BaseException) -> None:
        session = self.session
        if isinstance(error, Limit | SystemExit | KeyboardInterrupt):
            if not isinstance(error, SystemExit):
                self._stopped(
                    f"after {self.seconds:g} s" if isinstance(error, Timeout) else as_program(str, error), error
                )
            return
        session._settings.explain(self._explain, error)

    def _stopped(self, reason: str, error: BaseException) -> None:
        found = places(error.__traceback__, self.session.host())
        line = found[-1].line if found else self.line
        message = f"the check of this text while it is edited ended here {reason}"
        self.faults.append(fault(self.lines.whole(line), message, INFORMATION, "limit"))

    def _explain(self, error: BaseException) -> None:
        host = self.session.host()
        found = places(error.__traceback__, host)
        said = headline(error)
        if not found:
            self.faults.append(fault(self.lines.whole(self.line), said, ERROR, type(error).__name__))
            return
        # The innermost frame of a recursion has only begun: the call above it is the one to show.
        place = found[-2] if isinstance(error, RecursionError) and len(found) > 1 else found[-1]
        self.short = isinstance(error, MemoryError) or "(--max-memory)" in said
        refused = isinstance(error, REFUSED) or self.short
        if self.shapes and (refused or any(words in said for words in ELEMENTS)):
            return
        fixes: list[Any] = []
        if refused:
            said += "\nwhile a text is edited it runs without files, other modules, input, and with little memory"
        elif not isinstance(error, RecursionError):
            operands = [f"{name}: {peek.describe(value)}" for name, value in place.operands().items()][:8]
            advice = list(hints(error, place, host))
            said = "\n".join(
                [said, *(["  ".join(operands)] if operands else []), *(f"hint: {each}" for each in advice)]
            )
            fixes = [fix for each in advice for fix in self._fixes(place, each)]
            if "leaf Variable that requires grad" in said:
                fixes.append(without_grad(self.lines.lines, place.line - 1, place.line - 1))
        made = fault(self._span(place), said, INFORMATION if refused else ERROR, type(error).__name__, fixes)
        made["related"] = [[self._span(each), f"called here, in {each.name}"] for each in found[-2::-1][:8]]
        self.faults.append(made)

    def _span(self, place: Place) -> Span:
        if place.column is None or place.end_column is None:
            return self.lines.whole(place.line)
        return self.lines.characters(place.line, place.column, place.end_line, place.end_column)

    def _fixes(self, place: Place, advice: str) -> Iterator[dict[str, Any]]:
        """The changes that a hint proposes: the whole expression for another one, or a name within it."""
        meant = _MEANT.search(advice)
        names = _QUOTED.findall(meant[1]) if meant else []
        expression = place.expression()
        if not names or place.column is None:
            return
        for new in names:
            if new.isidentifier():
                old = _misspelt(place, new)
                if old:
                    yield from self._inside(place, rf"\b{re.escape(old)}\b", new)
            elif "[" in new and new.partition("[")[0] in expression:
                yield from self._inside(place, rf"(?<![\w.]){re.escape(new.partition('[')[0])}(?![\w.(\[])", new)
            else:
                yield replacement(self._span(place), new)

    def _inside(self, place: Place, pattern: str, new: str) -> Iterator[dict[str, Any]]:
        """A change of what a pattern finds last on the expression's own line."""
        end = place.end_column if place.end_line == place.line else len(place.text)
        found = list(re.compile(pattern).finditer(place.text, place.column or 0, end or 0))
        if found:
            start, stop = found[-1].span()
            yield replacement(self.lines.characters(place.line, start, place.line, stop), new)


def _misspelt(place: Place, new: str) -> str:
    """The name in an expression that a hint would have another one for."""
    tree = place.tree()
    names = [n.attr if type(n) is ast.Attribute else getattr(n, "id", "") for n in ast.walk(tree)] if tree else []
    from difflib import get_close_matches

    near = get_close_matches(new, [name for name in names if name != new], 1, 0.6)
    return near[0] if near else ""


def quiet() -> None:
    """Drops what this process would print, whoever prints it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
