"""Tables of operators: the page `docs/operators.md`, a line an operator, made from the records and the docstrings."""

from __future__ import annotations

import inspect
import re
import sys
from itertools import groupby
from typing import Any

from ..engine.loading import table
from ..engine.operators.declare import Operator
from ..language.pytorch_names import names as pytorch_names
from ..sandbox.namespace import Namespace, names

HEAD = """\
# Operators

Made by `make tables` from the records of the operators; do not edit. Names stand below `torch`; `Tensor.` marks a method that
is no function. The forms: *method* (`x.name()`), *in-place* (`x.name_()`), *out=* (the result is written into a given tensor).
The gradient: the name that `grad_fn` shows; *varies* where it depends on the arguments, *parts* where the operator is made of
others, whose nodes the graph has. At the end: the other names of PyTorch 2.13, and those that are not there.

"""
COLUMNS = "| operator | purpose | forms | gradient | also |\n|---|---|---|---|---|\n"


class Row:
    """An operator's line: all names under which one record, or one function without a record, is known."""

    def __init__(self, name: str, function: Any) -> None:
        self.names, self.function = [name], function
        self.forms: set[str] = set()
        self.record = getattr(function, "_operator", None)

    def text(self) -> str:
        main, *others = self.names
        signature = signature_of(self.function)
        forms = [f for f in ("attribute", "method", "in-place") if f in self.forms] + ["out="] * ("out=" in signature)
        cells = (code(main + signature), sentence(self.function), ", ".join(forms), self.gradient(), listed(others))
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    def gradient(self) -> str:
        record = self.record
        if not isinstance(record, Operator):
            return "parts" if record is not None else ""
        if not record.differentiable:
            return ""
        return code(record.node) if isinstance(record.node, str) else "varies"


def code(text: str) -> str:
    return f"`{text}`"


def listed(found: list[str]) -> str:
    return ", ".join(map(code, found))


def signature_of(function: Any) -> str:
    if isinstance(function, property):
        return ""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return re.sub(r"<[^>]*>", "...", str(found.replace(parameters=plain, return_annotation=found.empty)))


def sentence(value: Any) -> str:
    """The first sentence of a docstring, in one line."""
    said = (getattr(value, "__doc__", None) or "").split(">>> ")[0].split("\n\n")[0]
    return re.split(r"(?<=[.])\s", " ".join(said.split()).replace("``", "`"), maxsplit=1)[0]


def key(function: Any) -> int:
    form = getattr(function, "__wrapped__", None)
    return id(getattr(function, "_operator", None) or getattr(form, "source", None) or function)


def has_line(name: str, function: Any) -> bool:
    """Whether a name is public and no in-place form of another."""
    if name.rpartition(".")[2].startswith("_") or not (callable(function) or isinstance(function, property)):
        return False
    return name[-1] != "_" or not (name[:-1] in table.FUNCTIONS or name[:-1] in table.METHODS)


def rows() -> dict[str, list[Row]]:
    """The lines of each family."""
    table.load_all()
    found: dict[int, Row] = {}
    families: dict[str, list[Row]] = {}
    for kind, functions in enumerate((table.FUNCTIONS, table.METHODS)):
        for name, function in sorted(functions.items(), key=lambda item: (item[0].count("."), item[0])):
            if not has_line(name, function):
                continue
            row = found.get(key(function)) or (found.get(key(table.FUNCTIONS.get(name))) if kind else None)
            if row is None:
                row = found[key(function)] = Row("Tensor." * kind + name, function)
                families.setdefault(table.family_of(name, kind) or "others", []).append(row)
            elif not kind:
                row.names.append(name)
            elif name not in row.names:
                row.names.append("Tensor." + name)
            row.forms.update(
                ["attribute" if isinstance(function, property) else "method"] * kind,
                ["in-place"] * (name + "_" in table.METHODS),
            )
    return families


def page() -> str:
    """The whole page."""
    parts, families = [HEAD], rows()
    known = {*table.FUNCTIONS, *("Tensor." + name for name in table.METHODS)}
    for room, members in groupby(sorted(families), lambda family: family.partition(".")[0]):
        parts.append(f"## {room}\n\n")
        for family in members:
            told = sentence(sys.modules["tensorsh.engine.ops." + family])
            lines = "\n".join(row.text() for row in sorted(families[family], key=lambda row: row.names[0]))
            parts.append(f"### {family.rpartition('.')[2]}\n\n{told}\n\n{COLUMNS}{lines}\n\n")
    return "".join(parts) + "".join(others(known))


def namespace(dotted: str) -> Any:
    """The namespace of a dotted name (`torch.nn`), or the class `Tensor`; None where there is none."""
    from ..torch.root import torch

    if dotted == "Tensor":
        return torch.Tensor
    found: Any = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def has(space: Any, name: str) -> bool:
    """A namespace is asked by its table: the error for a missing name looks for those that are near."""
    return name in names(space) if isinstance(space, Namespace) else hasattr(space, name)


def others(known: set[str]) -> list[str]:
    """The names of PyTorch that are no operators: those that are there, by namespace, then counts and what is not there."""
    parts, lacks = [], []
    for owner, wanted in pytorch_names().items():
        space, below = namespace(owner), owner.removeprefix("torch").lstrip(".")
        there = sorted(n for n in wanted if space is not None and has(space, n))
        rest = [n for n in there if f"{below}.{n}".lstrip(".") not in known]
        if rest:
            lines = "\n".join(f"| `{n}` | {told(getattr(space, n, None))} |" for n in rest)
            parts.append(f"### {owner}\n\n| name | purpose |\n|---|---|\n{lines}\n\n")
        lacking = sorted(set(wanted) - set(there))
        lacks.append(f"| `{owner}` | {len(there)} | {len(lacking)} | {listed(lacking)} |")
    head = "## What is not there\n\n| namespace | there | not there | names |\n|---|---|---|---|\n"
    return ["## Names that are no operators\n\n", *parts, head, "\n".join(lacks), "\n"]


def told(value: Any) -> str:
    """The first sentence on a class or function; nothing of a value, whose docstring is that of its class."""
    plain = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value) or isinstance(value, property)
    return sentence(value).replace("|", "\\|") if plain else ""
