"""A page for each family of operators, made from the records: purpose, shapes, forms, gradients, an example, what differs."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import Any

from tensorsh.assist.about import formulas
from tensorsh.assist.operator_tables import Row, rows, sentence, signature_of

ROOT = Path(__file__).parents[1]
ROOMS = {
    "creation": "Making tensors",
    "elementwise": "Elementwise",
    "reductions": "Reductions",
    "shapes": "Shapes and views",
    "indexing": "Indexing",
    "linalg": "Linear algebra",
    "nn": "Networks",
    "losses": "Losses",
    "random": "Random numbers",
    "signal": "Signals",
    "sparse": "Sparse tensors",
}
CALL = re.compile(r"(?:torch\.|tensor\(.*?\)\.|\w+\.)*(\w+)\(")

ARGUMENT = re.compile(r"  (\w+)( \(.*?\))?: ")
"""A line of a docstring that says what an argument means."""


def differences() -> dict[str, list[str]]:
    """What the tests know to differ from PyTorch, by the operator's last name."""
    found: dict[str, list[str]] = {}
    text = (ROOT / "tests/ops/test_pointwise.py").read_text(encoding="utf-8")
    known: dict[str, Any] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "KNOWN":
            known = ast.literal_eval(node.value)
    last = ""
    for case, (_, reason) in known.items():
        call, _, dtypes = case.partition("|")
        last = last if reason == "likewise" else reason
        name = re.findall(r"(\w+)\(", call) or {"**": ["pow"]}.get(call.split()[1], [""])
        found.setdefault(name[0].rstrip("_"), []).append(
            f"`{call}` in {dtypes.replace('|', ', ').replace(',', ', ')}: {last}.".replace(",  ", ", ")
        )
    for line in (ROOT / "tests/ops/errors_not_yet.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name = re.search(r"(?:\)\.|^(?:nn\.functional\.|linalg\.)?)(\w+)\(", line)
            if name:
                found.setdefault(name[1], []).append(f"The wrong call `{line}` is refused in other words.")
    return found


def titled(family: str) -> str:
    room, _, name = family.partition(".")
    return name.replace("_", " ").capitalize() if name else room.capitalize()


def told(function: Any) -> str:
    """A docstring as a page shows it: examples fenced, names in code."""
    form = getattr(function, "__wrapped__", None)
    if hasattr(form, "document"):
        form.document()
    lines, inside = [], False
    for line in inspect.cleandoc(getattr(function, "__doc__", None) or "").splitlines():
        if line.startswith(">>> ") and not inside:
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        if not inside and (argument := ARGUMENT.match(line)):
            lines += [
                *([] if lines[-1].startswith("- `") else [""]),
                f"- `{argument[1]}`{argument[2] or ''}: {line[argument.end() :]}",
            ]
            continue
        lines.append(
            line if inside else re.sub(r"<(?=[\w/])(?=[^`]*(?:`[^`]*`[^`]*)*$)", "&lt;", line.replace("``", "`"))
        )
    return "\n".join([*lines, *["```"] * inside])


def operator(row: Row) -> str:
    """What a page says of one operator."""
    name, *others = row.names
    parts = [f"## {name}\n", f"```python\n{name}{signature_of(row.function)}\n```\n", told(row.function) + "\n"]
    if others:
        parts.append("Also: " + ", ".join(f"`{other}`" for other in others) + ".\n")
    if found := formulas(row.record):
        lines = "\n".join(f"{argument}: {text}" for argument, text in found.items())
        parts.append(
            '??? note "The gradient\'s formula"\n\n'
            + "\n".join("    " + line for line in f"```text\n{lines}\n```".splitlines())
            + "\n"
        )
    return "\n".join(parts)


def page(family: str, members: list[Row], known: dict[str, list[str]]) -> str:
    """A family's page."""
    members = sorted(members, key=lambda row: row.names[0])
    said = (sys.modules["tensorsh.engine.ops." + family].__doc__ or "").strip().split("\n\n")[0].replace("``", "`")
    lines = [f"# {titled(family)}\n", said + "\n", "| operator | purpose |\n|---|---|"]
    lines += [
        f"| [`{row.names[0]}`](#{anchor(row.names[0])}) | {sentence(row.function).replace('|', chr(92) + '|')} |"
        for row in members
    ]
    lines += ["", *map(operator, members), "## Differences from PyTorch\n"]
    lasts = dict.fromkeys(name.rpartition(".")[2] for row in members for name in row.names)
    different = [f"- {text}" for last in lasts for text in known.get(last, ())]
    lines += different or [
        "None is known beyond [those of all operators](../differences.md): the examples on this page print what PyTorch 2.13 printed."
    ]
    return "\n".join(lines) + "\n"


def anchor(name: str) -> str:
    """The anchor that markdown's table of contents gives a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name).strip().lower())


def pages() -> dict[str, dict[str, str]]:
    """The pages by room and family."""
    known, found = differences(), rows()
    made: dict[str, dict[str, str]] = {room: {} for room in ROOMS}
    for family in sorted(found):
        made[family.partition(".")[0]][family] = page(family, found[family], known)
    return made
