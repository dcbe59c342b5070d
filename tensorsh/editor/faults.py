"""Faults that a text shows without being run: what is no program, names that nothing binds, calls that cannot fit.

A fault is a dictionary: `span`, `message`, `severity` (1 error, 2 warning, 3 information), `code`, `fixes` (each a `title` and
the `edits`, spans with a new text behind).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from inspect import signature
from typing import Any

from ..assist.completion import find
from ..assist.signatures import Parameter, parameters
from ..language import peek
from ..language.bare_flags import bare_flags
from ..language.mistake import TsrSyntaxError
from ..language.places import nearest
from ..language.pytorch_names import lacking
from ..sandbox.namespace import Namespace
from ..session import Session
from .index import Index, ast_place
from .positions import Lines, Span

ERROR, WARNING, INFORMATION = 1, 2, 3
MOST = 200
PYTHON = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__"}
PATH = ("torch", "nn", "F", "np")


def fault(span: Span, message: str, severity: int, code: str, fixes: list[Any] | None = None) -> dict[str, Any]:
    return {"span": span, "message": message, "severity": severity, "code": code, "fixes": fixes or []}


def replacement(span: Span, text: str, title: str = "") -> dict[str, Any]:
    """A fix that puts a text in place of a span."""
    return {"title": title or f"Change to `{text}`", "edits": [[*span, text]]}


def without_grad(lines: list[str], first: int, last: int) -> dict[str, Any]:
    """The fix that puts whole lines within `with torch.no_grad():`."""
    margin = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    inner = "".join(("    " + line if line.strip() else line) + "\n" for line in lines[first : last + 1])
    text = f"{margin}with torch.no_grad():\n{inner}"
    return {"title": "Wrap in `with torch.no_grad():`", "edits": [[first, 0, last + 1, 0, text]]}


def syntax_fault(error: SyntaxError, text: str, is_python: bool) -> dict[str, Any]:
    """The fault of a text that is no program; of Python's own syntax beyond tensorsh's language a piece of information."""
    lines = Lines(text)
    line = min(error.lineno or 1, len(lines.lines))
    column = max((error.offset or 1) - 1, 0)
    end_line = min(max(error.end_lineno or line, line), len(lines.lines))
    end = max((error.end_offset or column + 2) - 1, column + 1 if end_line == line else 0)
    span = lines.characters(line, column, end_line, end)
    advice = getattr(error, "advice", None)
    message = f"{error.msg}\n{advice}" if advice else str(error.msg)
    if is_python:
        try:
            compile(text, "<editor>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        else:
            return fault(span, f"tensorsh does not have this syntax: {message}", INFORMATION, "language")
    return fault(span, message, ERROR, "syntax" if isinstance(error, TsrSyntaxError) else "compile")


def faults(index: Index, session: Session, is_python: bool) -> Iterator[dict[str, Any]]:
    """The faults of a program that can be read; at most so many."""
    yield from _names(index, session, is_python)
    found = 0
    for node in ast.walk(index.module):
        if type(node) is ast.Call:
            told = _call(node, index, session, is_python)
        elif type(node) is ast.Attribute and type(node.ctx) is ast.Load:
            told = _attribute(node, index, session, is_python)
        else:
            continue
        for each in told:
            yield each
            found += 1
            if found >= MOST:
                return


def _names(index: Index, session: Session, is_python: bool) -> Iterator[dict[str, Any]]:
    walk = index.walk
    if walk.scopes[0].star:
        return
    known = PYTHON if is_python else PYTHON | set(session.names())
    bound = {name for scope in walk.scopes for name in scope.bound}
    flags = {id(flag) for _, found in bare_flags(walk, known, {}) for flag in found} if not is_python else set()
    count = 0
    for node, _ in walk.nodes:
        if index.owner[id(node)] >= 0 or node.id in known or id(node) in flags or node.id.startswith("__"):
            continue
        count += 1
        if count > MOST:
            return
        span = index.lines.span(ast_place(node))
        near = nearest(node.id, bound | (known if is_python else set(known) | set(session.names())))
        said = lacking("torch", node.id)
        message = f"name '{node.id}' is not defined" + (f"; {said}" if said else "")
        if near:
            message += f"; did you mean {' or '.join(f'`{name}`' for name in near)}?"
        yield fault(span, message, WARNING, "name", [replacement(span, name) for name in near])


def _attribute(node: ast.Attribute, index: Index, session: Session, is_python: bool) -> Iterator[dict[str, Any]]:
    """A name that a module of the library has not."""
    path = library_path(node.value, index, is_python)
    home = find(session, path) if path else peek.MISSING
    if not isinstance(home, Namespace) or node.attr.startswith("_"):
        return
    if find(session, f"{path}.{node.attr}") is not peek.MISSING:
        return
    whole = index.lines.span(ast_place(node))
    span = [whole[2], whole[3] - len(node.attr), whole[2], whole[3]]
    near = nearest(node.attr, set(dir(home)))
    path = str(getattr(home, "__name__", path))
    said = lacking(path, node.attr)
    message = f"module '{path}' has no attribute '{node.attr}'" + (f"; {said}" if said else "")
    if near:
        message += f"; did you mean {' or '.join(f'`{name}`' for name in near)}?"
    yield fault(whole, message, WARNING, "name", [replacement(span, name) for name in near])


def _call(node: ast.Call, index: Index, session: Session, is_python: bool) -> Iterator[dict[str, Any]]:
    if any(type(a) is ast.Starred for a in node.args) or any(k.arg is None for k in node.keywords):
        return
    function = index.own_function(node.func)
    if function is not None:
        wrong = misfit(function.name, _of_tree(function.args), node, True)
    else:
        path = library_path(node.func, index, is_python)
        value = find(session, path) if path else peek.MISSING
        if value is peek.MISSING or not callable(value):
            return
        if not isinstance(value, type) and not node.keywords:
            return
        found = parameters(value)
        if not found or _takes_any(value, found):
            return
        wrong = misfit(path, found, node, isinstance(value, type))
    if wrong:
        place: Any = node.func if wrong[0] is None else wrong[0]
        span = index.lines.span(ast_place(place))
        fixes = []
        if wrong[2]:
            at, start = span[0], span[1]
            fixes = [replacement([at, start, at, start + len(wrong[0].arg)], name) for name in wrong[2] if wrong[0].arg]
        yield fault(span, wrong[1], WARNING, "call", fixes)


def _takes_any(value: Any, found: list[Parameter]) -> bool:
    """Whether a callable of the library takes any keyword, or a class any arguments."""
    if hasattr(getattr(value, "_operator", None), "params"):
        return False
    made = signature(value).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in made) or isinstance(value, type) and found[0].name.startswith("*")


def _of_tree(arguments: ast.arguments) -> list[Parameter]:
    """The parameters of a function as it is written."""
    plain = [*arguments.posonlyargs, *arguments.args]
    without = len(plain) - len(arguments.defaults)
    found = [Parameter(each.arg, "" if at < without else "...") for at, each in enumerate(plain)]
    if arguments.vararg:
        found.append(Parameter("*" + arguments.vararg.arg))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(each.arg, "" if default is None else "...", True))
    return [*found, Parameter("**")] if arguments.kwarg else found


def misfit(name: str, found: list[Parameter], node: ast.Call, exact: bool) -> tuple[Any, str, list[str]] | None:
    """Why arguments do not fit the parameters: what is wrong (None for the call), the sentence, names that were meant.

    With `exact`, missing arguments and too many are found, too; an operator's other overloads may take them."""
    names = {p.name for p in found}
    if "**" not in names:
        for keyword in node.keywords:
            if keyword.arg not in names and (exact or keyword.arg not in ("size", "axis", "dim", "input", "self")):
                near = nearest(keyword.arg or "", names)
                said = f"; did you mean `{near[0]}`?" if near else ""
                return keyword, f"{name}() got an unexpected keyword argument '{keyword.arg}'{said}", near
    if not exact:
        return None
    positional = [p for p in found if not p.keyword_only and not p.name.startswith("*")]
    if len(node.args) > len(positional) and not any(p.name.startswith("*") and p.name != "**" for p in found):
        flags = sum(type(a) is ast.Name for a in node.args)
        if len(node.args) - flags > len(positional) or not flags:
            takes = f"{len(positional)} positional argument{'' if len(positional) == 1 else 's'}"
            return None, f"{name}() takes {takes} but {len(node.args)} were given", []
    given = {k.arg for k in node.keywords} | {p.name for p in positional[: len(node.args)]}
    given |= {a.id for a in node.args if type(a) is ast.Name}
    missing = [p.name for p in found if not p.default and not p.name.startswith("*") and p.name not in given]
    if missing:
        listed = ", ".join(f"'{each}'" for each in missing)
        return None, f"{name}() missing {len(missing)} required argument{'s' * (len(missing) > 1)}: {listed}", []
    return None


def library_path(node: ast.expr, index: Index, is_python: bool) -> str:
    """The dotted name by which the library knows what an expression names, or nothing."""
    steps: list[str] = []
    while type(node) is ast.Attribute:
        steps.append(node.attr)
        node = node.value
    if type(node) is not ast.Name:
        return ""
    number = index.owner.get(id(node), -1)
    if number < 0:
        if is_python or node.id in PYTHON:
            return ""
        return ".".join([node.id, *reversed(steps)])
    made = index.definitions.get(number, [])
    if len(made) != 1 or type(made[0]) is not ast.alias:
        return ""
    home = index.symbols[number].get("module", "")
    path = ".".join([home, *reversed(steps)])
    return path if path == "torch" or path.startswith("torch.") else ""
