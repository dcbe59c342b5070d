"""An exception -> what happened, where, what the operands were, what to try.

    RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x3)
      --> demo.tsr:7:10
    7 | y = relu(x @ w)
                 ^^^^^
        x: float32[2, 3]   w: float32[5, 3]
    hint: inner sizes differ (3 and 5); did you mean `x @ w.T`?

The first lines are the ones Python would print last. The place is the innermost frame of the script, never one of
ours; the frames around it follow as Python shows them. Whatever goes wrong while explaining is left out of the
explanation: `report` does not raise.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any

from . import peek

CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"
WIDEST_LINE = 160
MOST_OPERANDS = 8
MOST_CALLERS = 20
MOST_LINKS = 8
LONGEST_MESSAGE = 20_000


@dataclass
class Host:
    """What the program that runs scripts knows and the language does not."""

    owns: Callable[[FrameType], bool] = lambda frame: True
    """Whether a frame belongs to a script."""
    source: Callable[[CodeType], str | None] = lambda code: None
    """The whole text a code object was compiled from."""
    names: Callable[[], Iterable[str]] = lambda: ()
    """The names that a script may use without having bound them."""
    lacking: Callable[[str, str], str | None] = lambda owner, name: None
    """What there is to say of a name that one might expect in `torch`, `torch.nn`, `Tensor` and is not there."""
    history: Callable[[BaseException, str, int], str | None] = lambda error, filename, line: None
    """What the programs tell about an error of gradients that arose on a line: where a chain was cut, what was written."""


@dataclass
class Place:
    """Where in a script something is: a frame of it, with the span of the expression at hand."""

    filename: str
    line: int
    end_line: int
    column: int | None
    """In characters, from 0; None where the bytecode does not say."""
    end_column: int | None
    name: str
    text: str = ""
    """The source line."""
    lines: list[str] = field(default_factory=list)
    scopes: tuple[Mapping[str, Any], ...] = ()

    def expression(self) -> str:
        """The text of the failing sub-expression, or of the line."""
        if self.column is None or self.end_column is None:
            return self.text
        lines = self.lines[self.line - 1 : self.end_line]
        if not lines:
            return ""
        lines = [*lines[:-1], lines[-1][: self.end_column]]
        return "\n".join([lines[0][self.column :], *lines[1:]])

    def tree(self) -> ast.AST | None:
        """The failing sub-expression (or statement), parsed."""
        text = self.expression()
        if len(text) > 4000:
            return None
        for source in (f"(\n{text}\n)", text.strip()):
            try:
                return ast.parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        return None

    def operands(self) -> dict[str, Any]:
        """The tensors and arrays in the failing sub-expression, by their text, in the order they stand there."""
        found: dict[str, Any] = {}
        tree = self.tree()
        ahead = [] if tree is None else [tree]
        while ahead:  # no function that calls itself: in a cycle it would keep the program's variables
            node = ahead.pop()
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
                value = peek.evaluate(node, *self.scopes)
                if value is not peek.MISSING and peek.tensor_class(value):
                    found.setdefault(ast.unparse(node), value)
                    if not isinstance(node, ast.Subscript):
                        continue
            ahead += reversed(list(ast.iter_child_nodes(node)))
        return found


def _characters(line: str, column: int) -> int:
    """CPython counts columns in bytes of UTF-8."""
    if line.isascii():
        return column
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))


def place_of(frame: FrameType, instruction: int, line: int | None, host: Host) -> Place:
    """The place a frame stands at."""
    code = frame.f_code
    start, end, column, end_column = next(
        islice(code.co_positions(), max(instruction, 0) // 2, None), (None, None, None, None)
    )
    line = line or start or code.co_firstlineno
    if start != line or end is None:
        column = end_column = None
    source = host.source(code) or ""
    lines = source.split("\n")
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    end_line = end if end is not None and end >= line else line
    if column is not None and end_column is not None and text:
        column = _characters(text, column)
        end_column = _characters(lines[min(end_line, len(lines)) - 1], end_column)
    else:
        column = end_column = None
    name = getattr(code, "co_qualname", code.co_name)
    return Place(code.co_filename, line, end_line, column, end_column, name, text, lines, ())


def places(traceback: TracebackType | None, host: Host) -> list[Place]:
    """The script's frames of a traceback, outermost first."""
    found = []
    while traceback is not None:
        frame = traceback.tb_frame
        if host.owns(frame):
            place = place_of(frame, traceback.tb_lasti, traceback.tb_lineno, host)
            place.scopes = (frame.f_locals, frame.f_globals, frame.f_builtins)
            found.append(place)
        traceback = traceback.tb_next
    return found


def type_name(cls: type) -> str:
    """The name Python prints before the message; what is ours goes by its Python name."""
    module = cls.__module__
    while cls.__qualname__.startswith("_") and module.partition(".")[0] == "numpy":
        cls = cls.__base__ or BaseException  # numpy's _ArrayMemoryError is a MemoryError to its users
        module = cls.__module__
    if not isinstance(module, str) or module in ("builtins", "__main__"):
        return cls.__qualname__
    if module.partition(".")[0] == "tensorsh":
        for base in cls.__mro__:
            if issubclass(base, SyntaxError) and base.__module__ == "builtins":
                return base.__qualname__
        return cls.__qualname__
    return f"{module}.{cls.__qualname__}"


def headline(error: BaseException) -> str:
    """`RuntimeError: message`, as at the end of a traceback; the message may have several lines."""
    name = type_name(type(error))
    try:
        if isinstance(error, SyntaxError):
            message = str(error.msg)
        else:
            message = str(error)
    except RecursionError:
        message = "<exception str() failed>"
    except Exception:
        message = "<exception str() failed>"
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[:LONGEST_MESSAGE]} ... ({len(message)} characters)"
    return f"{name}: {message}" if message else name


class Painter:
    """Adds colours, or does not."""

    COLOURS = {"error": "1;31", "place": "36", "dim": "2", "mark": "1;31", "value": "33", "hint": "32"}

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{self.COLOURS[kind]}m{text}\x1b[0m" if self.color and text else text


def _width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _visible(text: str) -> str:
    """A source line as it may be shown: tabs as spaces, no control characters."""
    return "".join(" " if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def excerpt(text: str, number: int, column: int | None, end: int | None, paint: Painter) -> Iterator[str]:
    """The source line with its number, and the carets under a span of it; of a long line the part around the span."""
    text = text.rstrip()
    if not text.strip():
        return
    prefix = f"{number} | "
    if len(text) > WIDEST_LINE:
        first = max(0, (column or 0) - WIDEST_LINE // 4)
        text = text[first : first + WIDEST_LINE]
        if column is not None and end is not None:
            column, end = column - first, min(end - first, len(text))
        if first:
            text = "..." + text
            column, end = (None, None) if column is None or end is None else (column + 3, end + 3)
    yield paint("dim", prefix) + _visible(text)
    if column is not None and end is not None and column <= len(text):
        before, span = _visible(text[:column]), _visible(text[column:end])
        yield " " * (len(prefix) + _width(before)) + paint("mark", "^" * max(1, _width(span)))


def _operand_lines(place: Place, paint: Painter) -> Iterator[str]:
    indent = " " * (len(str(place.line)) + 3)
    line = ""
    for name, value in islice(place.operands().items(), MOST_OPERANDS):
        item = f"{name}: {peek.describe(value)}"
        if line and len(line) + len(item) > 100:
            yield indent + paint("value", line)
            line = ""
        line += ("   " if line else "") + item
    if line:
        yield indent + paint("value", line)


def _callers(frames: list[Place], paint: Painter) -> Iterator[str]:
    """The frames around the innermost one, as Python prints them."""
    if not frames:
        return
    yield "  called from (most recent call last):"
    shown = frames if len(frames) <= MOST_CALLERS else frames[: MOST_CALLERS // 2] + frames[-MOST_CALLERS // 2 :]
    for index, place in enumerate(shown):
        if len(shown) < len(frames) and index == MOST_CALLERS // 2:
            yield paint("dim", f"    ... {len(frames) - len(shown)} more calls ...")
        yield paint("place", f'    File "{place.filename}", line {place.line}, in {place.name}')
        if place.text.strip():
            yield f"      {_visible(place.text.strip()[:WIDEST_LINE])}"


def _where(place: Place) -> str:
    column = "" if place.column is None else f":{place.column + 1}"
    inside = "" if place.name == "<module>" else f" in {place.name}"
    return f"{place.filename}:{place.line}{column}{inside}"


def _safely(lines: Callable[[], Iterable[str]]) -> list[str]:
    """The lines, or as many as could be made."""
    made: list[str] = []
    try:
        made.extend(lines())
    except Exception:  # an explanation is never worth a second error
        pass
    return made


def _syntax_error(error: SyntaxError, host: Host, paint: Painter) -> list[str]:
    lines = [paint("error", headline(error))]
    number = error.lineno or 1
    column = error.offset - 1 if error.offset else None
    where = f"{error.filename or '<string>'}:{number}" + ("" if column is None else f":{column + 1}")
    lines.append("  " + paint("dim", "--> ") + paint("place", where))
    text = (error.text or "").split("\n")[0]
    end = error.end_offset - 1 if error.end_offset and error.end_lineno in (None, error.lineno) else None
    if column is not None and (end is None or end <= column):
        end = len(text) if error.end_lineno and error.end_lineno > number else column + 1
    lines += _safely(lambda: excerpt(text, number, column, end, paint))
    advice = getattr(error, "advice", None)
    if advice:
        lines.append(paint("hint", "hint: ") + str(advice))
    return lines


def place_text(error: BaseException, host: Host) -> str:
    """`file:line:column in function` of the innermost frame of the script, or nothing. Does not raise."""
    try:
        frames = places(error.__traceback__, host)
        return _where(frames[-1]) if frames else ""
    except Exception:
        return ""


def _single(error: BaseException, host: Host, paint: Painter) -> list[str]:
    """The lines for one exception of a chain."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return _syntax_error(error, host, paint)
    if isinstance(error, KeyboardInterrupt):
        where = place_text(error, host)
        return [f"{headline(error)} at {where}" if where else headline(error)]
    lines = [paint("error", headline(error))]
    notes = getattr(error, "__notes__", ())
    lines += [str(note) for note in notes if type(note) is str] if type(notes) is list else []
    frames: list[Place] = []

    def find() -> Iterator[str]:
        frames.extend(places(error.__traceback__, host))
        return iter(())

    _safely(find)
    if not frames:
        return lines
    place = frames[-1]
    lines.append("  " + paint("dim", "--> ") + paint("place", _where(place)))
    end = place.end_column if place.end_line == place.line else len(place.text.rstrip())
    lines += _safely(lambda: excerpt(place.text, place.line, place.column, end, paint))
    if isinstance(error, RecursionError | MemoryError):
        return lines
    lines += _safely(lambda: _operand_lines(place, paint))
    lines += _safely(lambda: _callers(frames[:-1], paint))

    def advise() -> Iterator[str]:
        from .hints import hints

        for hint in hints(error, place, host):
            yield paint("hint", "hint: ") + hint

    return lines + _safely(advise)


def _chain(error: BaseException, host: Host) -> list[tuple[str, BaseException]]:
    """The exceptions that led to this one and the sentence that follows each, oldest first.

    One that never passed through the script is an inner matter of ours and left out.
    """
    links: list[tuple[str, BaseException]] = [("", error)]
    seen = {id(error)}
    while len(links) < MOST_LINKS:
        cause, context = error.__cause__, error.__context__
        if cause is not None:
            older, sentence = cause, CAUSE
        elif context is not None and not error.__suppress_context__:
            older, sentence = context, CONTEXT
        else:
            break
        passed = older.__traceback__ is None and cause is not None or places(older.__traceback__, host)
        if id(older) in seen or not passed:
            break
        seen.add(id(older))
        links.append((sentence, older))
        error = older
    return links[::-1]


def report(error: BaseException, host: Host | None = None, color: bool = False) -> str:
    """The whole explanation as text, without a final newline. Does not raise."""
    host = host or Host()
    paint = Painter(color)
    try:
        lines: list[str] = []
        for sentence, link in _chain(error, host):
            lines += _single(link, host, paint)
            if sentence:
                lines += ["", sentence, ""]
        return "\n".join(lines)
    except Exception:
        try:
            return headline(error)
        except Exception:
            return type(error).__name__


def nearest(name: str, names: Container[str] | Iterable[str], most: int = 3) -> list[str]:
    """The names most like a misspelt one; a difference of case only comes first."""
    from difflib import get_close_matches

    unlikely = {name, "None", "True", "False"}
    pool = {n for n in names if type(n) is str and n not in unlikely and not n.startswith("_")}  # type: ignore[union-attr]
    folded = sorted(n for n in pool if n.lower() == name.lower())
    if len(name) < 3 or len(name) > 60:
        return folded[:most]
    close = get_close_matches(name, sorted(pool), most, 0.75)
    return list(dict.fromkeys(folded + close))[:most]
