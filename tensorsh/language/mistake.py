"""Mistakes in a text and their places: `TsrSyntaxError`, and the internal `Mistake` that becomes one.

Inside this floor places are (line, byte column, end line, end byte column), as in Python's `ast`. `TsrSyntaxError`
carries what any SyntaxError carries (columns counted in characters from 1) and an advice.
"""

from __future__ import annotations

from typing import Any

Place = tuple[int, int, int, int]
Where = dict[str, Any]  # a place as the keyword arguments of an ast node
Children = list[Any]  # of a rule: tokens, nodes, lists of nodes


LONGEST = 2000  # characters of a line that an error carries


class TsrSyntaxError(SyntaxError):
    """A text that is no program. Has the fields of SyntaxError, and `advice`: a sentence on what to do, or None."""

    advice: str | None = None


class TsrIndentationError(TsrSyntaxError, IndentationError):
    """The indentation of a line does not fit."""


class TsrTabError(TsrIndentationError, TabError):
    """Tabs and spaces are mixed so that the indentation depends on the width of a tab."""


KINDS = {"syntax": TsrSyntaxError, "indentation": TsrIndentationError, "tab": TsrTabError}


class Mistake(Exception):
    """A mistake on its way to the person: message, place, advice and kind ("syntax", "indentation", "tab")."""

    def __init__(self, message: str, place: Place, advice: str | None = None, kind: str = "syntax") -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.advice = advice
        self.kind = kind
        self.unfinished = False  # more text could repair it: a bracket, string or block is open at the end


def place_of(node: object) -> Place:
    """The place of an ast node."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def place_in(where: Where) -> Place:
    return (where["lineno"], where["col_offset"], where["end_lineno"], where["end_col_offset"])


def node(kind: Any, where: Where) -> Any:
    """An ast node of the fields and the place in a dictionary, which is the node's from now on: several times faster than
    `kind(..., **where)`."""
    made = kind.__new__(kind)
    made.__dict__ = where
    return made


def where_of(token: Any) -> Where:
    """The place of a token."""
    return {"lineno": token[2], "col_offset": token[3], "end_lineno": token[4], "end_col_offset": token[5]}


def at(node: Any) -> Where:
    """The place of an ast node, for another that stands there."""
    line, column, last, end = place_of(node)
    return {"lineno": line, "col_offset": column, "end_lineno": last, "end_col_offset": end}


def _offset(line: str, column: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")) + 1


def error_of(mistake: Mistake, text: str, filename: str) -> TsrSyntaxError:
    """The TsrSyntaxError for a mistake found in `text`, whose lines end in a plain newline."""
    lines = text.split("\n")
    line, column, end_line, end_column = mistake.place
    line = min(max(line, 1), len(lines))
    end_line = min(max(end_line, line), len(lines))
    shown = lines[line - 1]
    offset = _offset(shown, column)
    details = (
        filename,
        line,
        offset,
        (shown if len(shown) <= LONGEST else shown[:LONGEST] if offset <= LONGEST else "") + "\n",
        end_line,
        _offset(lines[end_line - 1], end_column),
    )
    error = KINDS[mistake.kind](mistake.message, details)
    error.advice = mistake.advice
    return error
