"""Places of a script, which errors and hints speak of: a frame, the text of its line, the operands that stand there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any

from ..sandbox.files import as_program
from ..sandbox.thrown import Limit
from . import peek

LONGEST_MESSAGE = 20_000


@dataclass
class Host:
    """The program that runs scripts, which knows what the language does not."""

    owns: Callable[[FrameType], bool] = lambda frame: True
    """Whether a frame belongs to a script."""
    source: Callable[[CodeType], str | None] = lambda code: None
    """The whole text a code object was compiled from."""
    names: Callable[[], Iterable[str]] = lambda: ()
    """The names that a script may use without having bound them."""
    lacking: Callable[[str, str], str | None] = lambda owner, name: None
    """The remark on a name that one might expect in `torch`, `torch.nn`, `Tensor` and is not there."""
    history: Callable[[BaseException, str, int], str | None] = lambda error, filename, line: None
    """The history of an error of gradients that arose on a line: where a chain was cut, what was written."""
    names_in: Callable[[str], Iterable[str]] = lambda path: ()
    """The names that can be imported from a module; of an empty path, the modules that there are."""


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
        for source in (f"(\n{text}\n)", text.strip(), f'f"""{text}"""'):  # the last for a part of such a text
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
    message = text_of(error.msg if isinstance(error, SyntaxError) else error)
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[:LONGEST_MESSAGE]} ... ({len(message)} characters)"
    return f"{name}: {message}" if message else name


def text_of(value: Any) -> str:
    """`str(value)` of what a program has given: an error, the code of its exit."""
    try:
        return as_program(str, value)
    except (KeyboardInterrupt, Limit):
        raise
    except BaseException:  # also SystemExit, which is no wish of the program that has ended by an error
        return "<exception str() failed>"


def name_and_message(error: BaseException) -> tuple[str, str]:
    """The same in two parts."""
    return parted(headline(error))


def parted(said: str) -> tuple[str, str]:
    """What a headline says in two parts, as notebooks keep them: the name of the class alone, and the message."""
    name, _, message = said.partition(": ")
    return name.rpartition(".")[2], message


def nearest(name: str, names: Container[str] | Iterable[str], most: int = 3) -> list[str]:
    """The names most like a misspelt one; a difference of case only comes first, then names that are so abbreviated."""
    from difflib import get_close_matches

    unlikely = {name, "None", "True", "False"}
    pool = {n for n in names if type(n) is str and n not in unlikely and not n.startswith("_")}  # type: ignore[union-attr]
    folded = sorted(n for n in pool if n.lower() == name.lower())
    if len(name) < 3 or len(name) > 60:
        return folded[:most]
    longer = sorted((n for n in pool if n.lower().startswith(name.lower())), key=lambda n: (len(n), n))
    close = get_close_matches(name, sorted(pool), most, 0.75)
    return list(dict.fromkeys(folded + (close or longer)))[:most]
