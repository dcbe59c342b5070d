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

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ..sandbox.sealed import program_frame
from . import peek
from .hints import hints
from .places import Host, Place, headline, places
from .source import harmless

CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"
WIDEST_LINE = 160
BESIDE = 10
"""Columns in front of a program's line: its number, and the mark that it was cut."""
MOST_OPERANDS = 8
MOST_CALLERS = 20
MOST_LINKS = 8


class Painter:
    """Adds colours, or does not, and knows how much of a program's line there is room for."""

    COLOURS = {"error": "1;31", "place": "36", "dim": "2", "mark": "1;31", "value": "33", "hint": "32"}

    def __init__(self, color: bool, width: int | None = None) -> None:
        self.color = color
        self.widest = WIDEST_LINE if width is None else max(20, min(WIDEST_LINE, width - BESIDE))

    def __call__(self, kind: str, text: str) -> str:
        text = harmless(text)
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


def _told(error: BaseException) -> str:
    return harmless(headline(error).rstrip("\n"))


def excerpt(text: str, number: int, column: int | None, end: int | None, paint: Painter) -> Iterator[str]:
    """The source line with its number, and the carets under a span of it; of a long line the part around the span."""
    text = text.rstrip()
    if not text.strip():
        return
    prefix = f"{number} | "
    if len(text) > paint.widest:
        first = max(0, (column or 0) - paint.widest // 4)
        text = text[first : first + paint.widest]
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
            yield f"      {_visible(place.text.strip()[: paint.widest])}"


def where_text(place: Place) -> str:
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
    lines = [paint("error", _told(error))]
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
        lines.append(paint("hint", "hint: ") + harmless(str(advice)))
    return lines


def place_text(error: BaseException, host: Host) -> str:
    """`file:line:column in function` of the innermost frame of the script, or nothing. Does not raise."""
    try:
        frames = places(error.__traceback__, host)
        return where_text(frames[-1]) if frames else ""
    except Exception:
        return ""


def _single(error: BaseException, host: Host, paint: Painter) -> list[str]:
    """The lines for one exception of a chain."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return _syntax_error(error, host, paint)
    if isinstance(error, KeyboardInterrupt):
        where = place_text(error, host)
        return [f"{_told(error)} at {where}" if where else _told(error)]
    lines = [paint("error", _told(error))]
    notes = getattr(error, "__notes__", ())
    lines += [harmless(str(note)) for note in notes if type(note) is str] if type(notes) is list else []
    frames: list[Place] = []

    def find() -> Iterator[str]:
        frames.extend(places(error.__traceback__, host))
        return iter(())

    _safely(find)
    if not frames:
        return lines
    place = frames[-1]
    lines.append("  " + paint("dim", "--> ") + paint("place", where_text(place)))
    end = place.end_column if place.end_line == place.line else len(place.text.rstrip())
    lines += _safely(lambda: excerpt(place.text, place.line, place.column, end, paint))
    if isinstance(error, RecursionError | MemoryError):
        return lines
    lines += _safely(lambda: _operand_lines(place, paint))
    lines += _safely(lambda: _callers(frames[:-1], paint))

    def advise() -> Iterator[str]:
        for hint in hints(error, place, host):
            yield paint("hint", "hint: ") + harmless(hint)

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


def report(error: BaseException, host: Host | None = None, color: bool = False, width: int | None = None) -> str:
    """The whole explanation as text, without a final newline; of the program's lines what so many columns have room for. Does
    not raise."""
    host = host or Host()
    paint = Painter(color, width)
    try:
        lines: list[str] = []
        for sentence, link in _chain(error, host):
            lines += _single(link, host, paint)
            if sentence:
                lines += ["", sentence, ""]
        return "\n".join(lines)
    except Exception:
        try:
            return _told(error)
        except Exception:
            return type(error).__name__


TELLER = "<diagnose>"
"""Where the function that explains an error stands among the builtins of a session's programs."""


def told(error: BaseException) -> str:
    """The explanation of an error by the session whose program runs; Python's own where there is none."""
    frame = program_frame(sys._getframe(1), TELLER)
    if frame is not None:
        return frame.f_builtins[TELLER](error)
    from . import plain_tracebacks

    return plain_tracebacks.told(error).rstrip()
