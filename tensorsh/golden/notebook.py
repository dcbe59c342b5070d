"""Notebooks as programs: code cells run in order, compared with the outputs that stand in them, or written anew.

A wildcard of golden files holds in stored outputs, too; the tags `nbval-skip`, `nbval-ignore-output` and
`raises-exception` mean what they mean elsewhere.
"""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from ..assist.command_lines import CommandLine, replaced
from ..display.nested import plain_text
from ..language.parser import clean
from ..language.places import parted
from ..language.source import SourceError
from ..session import Session, torch_names
from .document import Block, matches, merge, output_lines
from .outcomes import Bounds, Printed, limit_text, worded
from .percent import Cell, cells_of, text_of

HALVES = "backslashreplace"
"""Half a character of UTF-16 is written as JSON and programs write it, for UTF-8 has none."""
MISSING = 'notebooks need nbformat and IPython: pip install "tensorsh[notebook]"'
_IDLE = frozenset("matplotlib load_ext reload_ext autoreload config".split())
"""Commands of notebooks that change nothing here."""
_BLOCK = re.compile(r"((?:[ \t]*(?:#.*)?\n)*)%%(\w+).*")
_PLACE = re.compile(r" \((?:<[^<>]*>|[^<>(),]*), line \d+\)\Z")
"""Where a kernel says that a SyntaxError stands; the name of the file is another in each run."""
_DRAWN = ("html", "markdown", "latex", "svg")
"""Blocks that are text, and print nothing."""
_CAPTURED = re.compile(r"(?:[ \t]*(?:#.*)?\n)*%%capture\b *([^\W\d]\w*)?.*")
_PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
_OURS = {
    "kernelspec": {"name": "tensorsh", "display_name": "tensorsh (PyTorch)", "language": "tensorsh"},
    "language_info": {"name": "tensorsh", "file_extension": ".tsr", "mimetype": "text/x-python"},
}


def is_notebook(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).endswith(".ipynb")


def _nbformat() -> Any:
    """The package that knows the form of notebooks. Raises SourceError where it is not installed."""
    try:
        import nbformat.v4
    except ImportError:
        raise SourceError(MISSING, 2) from None
    return nbformat


def read(path: str | os.PathLike[str]) -> Any:
    """A notebook of a file, in nbformat's own form. Raises SourceError."""
    nbformat = _nbformat()
    try:
        with warnings.catch_warnings(action="ignore"):  # of what it mends
            notebook = nbformat.read(os.fspath(path), as_version=4)
            nbformat.validate(notebook, relax_add_props=True)
        for cell in notebook.cells:
            cell.source = clean(cell.source)
        return notebook
    except OSError as error:
        raise SourceError(f"cannot read {os.fspath(path)}: {error.strerror}", 2) from None
    except Exception as error:  # nbformat's own, of many kinds
        raise SourceError(f"{os.fspath(path)} is no notebook: {str(error).split(chr(10))[0]}", 2) from None


def write(notebook: Any, path: str | os.PathLike[str]) -> None:
    """Writes a notebook beside its place and renames it."""
    from ..sandbox.files import Permissions

    Permissions(write=True).write_bytes(os.fspath(path), (_nbformat().writes(notebook) + "\n").encode(errors=HALVES))


def _tags(cell: Any) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def _code(notebook: Any) -> list[tuple[int, Any]]:
    """The code cells that are to be run, with their numbers among all cells."""
    return [
        (number, cell)
        for number, cell in enumerate(notebook.cells, 1)
        if cell.cell_type == "code" and cell.source.strip() and "nbval-skip" not in _tags(cell)
    ]


def name_of(path: str | os.PathLike[str], number: int) -> str:
    """The file name of a cell's program in diagnostics."""
    return f"{os.path.basename(os.fspath(path))} cell {number}"


def plain(source: str) -> tuple[str, list[str]]:
    """A cell without commands of notebooks: what is timed runs untimed, `!` and the rest are passed over; and these lines.

    Lines keep their numbers."""
    passed: list[str] = []
    block = _BLOCK.match(source)
    if block is not None:
        if block[2] not in ("time", "capture", "prun"):
            return "", [block[0].strip()] if block[2] not in _DRAWN else []
        source = block[1] + source[block.end() :]

    def line(found: CommandLine) -> str:
        before = found.indent + (f"{found.target} = " if found.target else "")
        if found.name == "time" and found.argument:
            return before + found.argument
        if found.name not in _IDLE:
            passed.append(found.command)
        return found.indent + "pass" if found.indent else ""

    return replaced(source, line), passed


def run_cell(session: Session, source: str, name: str, echo: Callable[[Any], None]) -> None:
    """Runs a cell; the value of a last expression goes to `echo`, unless a semicolon stands behind it."""
    captured = _CAPTURED.match(source)
    if captured is not None:
        _run_captured(session, source, name, captured)
        return
    text = source
    try:
        program = session.compile(text, name, continued=True)
    except SyntaxError:
        text, passed = plain(source)
        if text == source:
            raise
        program = session.compile(text, name, continued=True)
        for each in passed:
            print(f"{name}: `{each}` is passed over", file=sys.stderr)
    session.execute(program, None, program.statements[:-1])
    session.execute(program, None if text.rstrip().endswith(";") else echo, program.statements[-1:])


def _run_captured(session: Session, source: str, name: str, block: re.Match[str]) -> None:
    from ..tools.captured import CapturedIO

    shown: list[Any] = []
    body = "\n" * block[0].count("\n") + source[block.end() :]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        run_cell(session, body, name, shown.append)
    if block[1] is not None and not block[1].startswith("_"):
        session.variables[block[1]] = CapturedIO(out.getvalue(), err.getvalue(), shown)


def run(session: Session, path: str) -> None:
    """Runs the cells of a notebook in order; what they show is printed. The first error ends it."""
    for number, cell in _code(read(path)):
        try:
            run_cell(session, cell.source, name_of(path, number), lambda value: print(plain_text(value)))
        except Exception as error:
            if "raises-exception" not in _tags(cell):
                raise
            print(worded(session, error)[1], file=sys.stderr)


class Outcome:
    """What a cell gave: what it printed, the text of its value, its error."""

    def __init__(self) -> None:
        self.printed = self.warned = ""
        self.value: str | None = None
        self.error: BaseException | None = None
        self.name = self.message = ""
        """Those of the error."""

    def lines(self) -> list[str]:
        shown = self.printed + ("" if self.value is None else self.value + "\n")
        return output_lines(shown, None if self.error is None else _joined(self.name, self.message))

    def outputs(self, count: int) -> list[Any]:
        """The same in nbformat's own form."""
        from nbformat.v4 import new_output

        found = []
        for name, text in (("stdout", self.printed), ("stderr", self.warned)):
            if text:
                found.append(new_output("stream", name=name, text=text))
        if self.value is not None:
            found.append(new_output("execute_result", {"text/plain": self.value}, execution_count=count))
        if self.error is not None:
            told = [_joined(self.name, self.message)]
            found.append(new_output("error", ename=self.name, evalue=self.message, traceback=told))
        return found


def outcome(session: Session, printed: Printed, source: str, name: str) -> Outcome:
    """Runs a cell, which prints into `printed`."""
    found = Outcome()
    printed.begin()

    def echo(value: Any) -> None:
        found.value = plain_text(value)

    try:
        with redirect_stdout(printed), redirect_stderr(printed.warned):  # type: ignore[type-var]
            run_cell(session, source, name, echo)
    except BaseException as error:
        found.error, said = worded(session, error)
        found.name, found.message = parted(said)
    found.printed, found.warned = printed.getvalue(), printed.warned.getvalue()
    return found


def _joined(name: str, message: str) -> str:
    return f"{name}: {message}" if message else name


def stored_lines(cell: Any) -> list[str]:
    """The outputs that stand in a cell, in the form of a golden file's expectations."""
    shown, error = "", None
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            shown += output.text
        elif (
            output.output_type == "execute_result"
            or output.output_type == "display_data"
            and "image/png" not in output.data
        ):
            shown += str(output.data.get("text/plain", "")) + "\n"
        elif output.output_type == "error":
            error = _joined(output.ename, _PLACE.sub("", output.evalue))
    return output_lines(shown, error)


def compare(path: str, result: Any, difference: Callable[..., Any], bless: bool, bounds: Bounds) -> None:
    """Runs a notebook and notes in `result` what differs; with `bless` the outputs are written anew where they do not hold."""
    notebook = read(path)
    printed = Printed(bounds.output)
    session = bounds.session(path)
    changed = False
    for count, (number, cell) in enumerate(_code(notebook), 1):
        found = outcome(session, printed, cell.source, name_of(path, number))
        if said := limit_text(found.error, name_of(path, number), Block(1, 1, [])):
            result.problem = said
            return
        expected, actual = stored_lines(cell), found.lines()
        fails = any(line.startswith("!") for line in expected) or "raises-exception" in _tags(cell)
        unexpected = found.error is not None and not fails
        ignored = "nbval-ignore-output" in _tags(cell) and not unexpected
        if ignored or matches(expected, actual):
            continue
        block = Block(1, cell.source.count("\n") + 1, [])
        block.places, block.expected = [number] * len(expected), expected
        diagnostic = session.diagnose(found.error) if unexpected and found.error is not None else ""
        result.differences.append(difference(block, cell.source, actual, diagnostic))
        result.differences[-1].line = number
        if bless:
            changed = True
            kept = merge(expected, actual)
            cell.execution_count = count
            cell.outputs = found.outputs(count) if kept == actual else _with_wildcards(found, kept, count)
        elif unexpected:
            break  # what follows would fail only because of it
    if changed:
        write(notebook, path)
        result.blessed = True


def _with_wildcards(found: Outcome, lines: list[str], count: int) -> list[Any]:
    """The outputs as one text, in which wildcards of the ones before still stand."""
    from nbformat.v4 import new_output

    text = "".join(line[2:] + "\n" for line in lines if line.startswith(">"))
    rest = [each for each in found.outputs(count) if each.output_type == "error"]
    return [new_output("stream", name="stdout", text=text), *rest]


def convert(source: str, target: str) -> None:
    """A program as a notebook, or a notebook as a program with `# %%` between its cells. Raises SourceError."""
    try:
        _convert(source, target)
    except OSError as error:
        raise SourceError(f"cannot write {target}: {error.strerror}", 1) from None


def _convert(source: str, target: str) -> None:
    if is_notebook(source) == is_notebook(target):
        raise SourceError("convert takes a program and a notebook: A.tsr B.ipynb, or B.ipynb A.tsr", 2)
    if is_notebook(source):
        from ..sandbox.files import Permissions

        Permissions(write=True).write_bytes(target, text_of(_cells(read(source))).encode(errors=HALVES))
        return
    from ..language.source import read_source

    v4 = _nbformat().v4
    notebook = v4.new_notebook(metadata=_OURS)
    make = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}
    for kind, text, title, bare in cells_of(read_source(source)):
        cell = make[kind](text)
        cell.metadata.update({"title": title} if title else {}, **({"bare": True} if bare else {}))
        notebook.cells.append(cell)
    write(notebook, target)


def _cells(notebook: Any) -> list[Cell]:
    def named(cell: Any) -> tuple[str, bool]:
        title = clean(str(cell.metadata.get("title", ""))).split("\n")[0]
        return title, cell is notebook.cells[0] and cell.cell_type == "code" and bool(cell.metadata.get("bare"))

    return [Cell(cell.cell_type, cell.source, *named(cell)) for cell in notebook.cells]


def exported(path: str) -> str:
    """A notebook for PyTorch, as text: shorthands are rewritten, outputs are left out. Raises SyntaxError."""
    from ..language.export import export

    notebook = read(path)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    sources = [cell.source for cell in codes]
    mark = "#\N{ZERO WIDTH SPACE}"
    while any(mark in source for source in sources):
        mark += mark[1]
    # In front of each cell, and of a command behind a statement in its place, a comment stands that is in none of them.

    def kept(line: CommandLine) -> str:
        return line.indent + (f"{line.target} = None" if line.target else "pass") + mark + line.command

    text = "\n".join(f"{mark}\n{replaced(source, kept)}" for source in sources)
    first, *parts = export(text, Path(path).name, torch_names()).split(mark + "\n")
    for number, (cell, part) in enumerate(zip(codes, parts, strict=True)):
        source = re.sub(f"(?:pass|None){mark}", "", part.removesuffix("\n"))
        cell.source = first + source if number == 0 else source
        cell.outputs, cell.execution_count = [], None
    notebook.metadata.update(_PYTHON)
    return (_nbformat().writes(notebook) + "\n").encode(errors=HALVES).decode()
