"""Commands that look at what is there: %who %whos %graph %grad, and `name?`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from ..display.cells import draws_unicode
from ..display.sizes import size_text
from .commands import CommandError, command
from .outputs import LAST
from .status import held, memory_of
from .values import columns, shell_theme

if TYPE_CHECKING:
    from .loop import Shell


def _names(shell: Shell, types: str = "") -> list[str]:
    """The variables, or those whose types are named."""
    wanted = types.replace(",", " ").split()
    session = shell.session
    return sorted(
        name for name in session if name not in LAST and (not wanted or type(session[name]).__name__ in wanted)
    )


@command("who", "[TYPE...]", "lists the variables, or those of some types")
def who(shell: Shell, argument: str) -> None:
    import textwrap

    text = "  ".join(_names(shell, argument))
    print("\n".join(textwrap.wrap(text, columns() - 1)) if text else _none(argument))


@command("who_ls", "[TYPE...]", "the names of the variables, as a list")
def who_ls(shell: Shell, argument: str) -> list[str]:
    return _names(shell, argument)


@command("psearch", "PATTERN", "lists the names that a pattern fits, as torch.on*? does")
def psearch(shell: Shell, argument: str) -> None:
    if not argument:
        raise CommandError("%psearch needs a pattern, as in %psearch torch.on*")
    found = _fitting(shell, argument.replace("?", ""))
    shell.tell("\n".join(found) if found else f"nothing fits {argument}")


def _fitting(shell: Shell, pattern: str) -> list[str]:
    """The names and dotted paths that a pattern fits, in any case; private ones where it begins with an underscore."""
    from fnmatch import translate

    session = shell.session
    found, known = [""], sorted({*session, *session.names()}, key=str.lower)
    for part in pattern.split("."):
        fits = re.compile(translate(part), re.IGNORECASE).match
        private = "_" if part.startswith("_") else ""
        steps = [
            (path, name)
            for path in found
            for name in ([each.text for each in session.complete(f"{path}.{private}")] if path else known)
        ]
        found = [f"{path}.{name}" if path else name for path, name in steps if fits(name)]
    return found


def _none(types: str) -> str:
    return "no variables" + (f" of type {types}" if types else "")


@command("whos", "[TYPE...]", "lists the variables with dtype, shape, device, gradient and memory")
def whos(shell: Shell, argument: str) -> None:
    from ..display.table import table_text

    rows = [_row(name, shell.session[name]) for name in _names(shell, argument)]
    if not rows:
        print(_none(argument))
        return
    print(
        table_text(
            ("name", "type", "dtype", "shape", "device", "grad", "memory"), rows, right=("memory",),
            spare=("device", "type", "grad"), width=columns() - 1,
            unicode=draws_unicode(sys.stdout), theme=shell_theme(shell.config),
        )
    )  # fmt: skip


def _row(name: str, value: Any) -> tuple[str, ...]:
    from ..language import peek

    base = peek.tensor_class(value)
    kind = type(value).__name__
    if base is None:
        size = memory_of([value])
        return name, kind, "", _size_of(value), "", "", size_text(size) if size else ""
    dtype = str(value.dtype).removeprefix("torch.")
    shape = str(list(value.shape))
    memory = size_text(value.nbytes if base.__name__ == "ndarray" else value._array.nbytes)
    if base.__name__ == "ndarray":
        return name, kind, dtype, shape, "", "", memory
    return name, kind, dtype, shape, str(value.device), _gradient(value), memory


def _size_of(value: Any) -> str:
    return (
        f"{len(value)} items"
        if type(value) in (list, tuple, dict, set, str, bytes) and not isinstance(value, str | bytes)
        else ""
    )


def _gradient(value: Any) -> str:
    """The gradients of a tensor: those that have arrived, that are wanted, or the operation that passes them on."""
    if value._node is None:
        return ""
    if not value.is_leaf:
        return str(value._node.name())
    return "wanted" if value._grad is None else "there"


@command("graph", "EXPRESSION", "draws the backward graph of a tensor")
def graph(shell: Shell, argument: str) -> None:
    if not argument:
        raise CommandError("%graph needs a tensor, as in %graph loss")
    session = shell.session

    from ..tools.picture import Picture, drawn, picture

    value = session.run(argument, "<graph>")
    if not (hasattr(value, "grad_fn") or hasattr(value, "next_functions")):
        raise CommandError(f"%graph needs a tensor, and {argument} is {type(value).__name__}")
    made = session._settings.run(picture, session, value)
    shell.present(Picture(made, session.permissions), drawn(made, columns() - 1, shell_theme(shell.config)))


@command("page", "EXPRESSION", "shows a value in the pager, for long output")
def page(shell: Shell, argument: str) -> None:
    from pydoc import pager

    if not argument:
        raise CommandError("%page needs an expression")
    session = shell.session
    text = session.text(session.run(argument, "<page>"))
    pager(text)


@command("grad", "[NAME]", "the gradients of the leaves (of one network or tensor): norms, means, extremes")
def grad(shell: Shell, argument: str) -> None:
    from ..display.table import table_text
    from ..tools.picture import variable_names

    session = shell.session
    if argument and argument not in session:
        raise CommandError(f"there is no variable {argument}")
    chosen = {argument: session[argument]} if argument else {name: session[name] for name in _names(shell)}
    rows, seen = [], set()
    by_id = variable_names(chosen)
    for value in held(chosen.values()):
        if id(value) in seen or getattr(value, "_node", None) is None or not value.is_leaf:
            continue
        seen.add(id(value))
        rows.append((by_id.get(id(value), "?"), *_facts(value)))
    if not rows:
        print("no leaf wants a gradient")
        return
    print(
        table_text(
            ("name", "shape", "|value|", "|grad|", "mean", "smallest", "largest"), sorted(rows), width=columns() - 1,
            right=("|value|", "|grad|", "mean", "smallest", "largest"),
            spare=("largest", "smallest", "mean", "|value|"), unicode=draws_unicode(sys.stdout),
            theme=shell_theme(shell.config),
        )
    )  # fmt: skip


def _facts(value: Any) -> tuple[str, ...]:
    import numpy as np

    norm = lambda a: f"{float(np.linalg.norm(a.astype(np.float64).reshape(-1))):.4g}"
    shape, size = str(list(value._array.shape)), norm(value._array)
    if value._grad is None:
        return shape, size, "none", "", "", ""
    g = value._grad._array.astype(np.float64)
    if not g.size:
        return shape, size, "0", "", "", ""
    return shape, size, norm(g), f"{g.mean():.4g}", f"{g.min():.4g}", f"{g.max():.4g}"
