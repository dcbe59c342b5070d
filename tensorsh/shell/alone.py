"""Entries as a program that stands alone: the values that the shell keeps get names.

    x * 2            ->  _2 = x * 2; _2
    _ + Out[2]       ->  _2 + _2
    Out[9]           ->  {}[9], where there is no such value
    In[2], _i2, _i   ->  'x * 2'

Only what a later entry asks for is named. Edits stay within their lines, so that the numbers of lines hold.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .outputs import ENTERED, LAST

if TYPE_CHECKING:
    from .record import Record

Echo = tuple[int, int]
"""The number of an entry, and which of its statements gave the value."""
Edit = tuple[int, int, int, str]
"""A line, its bytes from and to, and what stands there instead."""
OWN_SCOPE = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def standing_alone(records: list[Record]) -> dict[int, str]:
    """The texts of entries by their numbers; an entry that is no Python to its parser stays as it was typed."""
    trees = {record.number: _statements(record) for record in records}
    texts = {record.number: record.text for record in records}
    edits: dict[int, list[Edit]] = {record.number: [] for record in records}
    own_names = {_bound(node) for tree in trees.values() for statement in tree for node in ast.walk(statement)} - {""}
    names: dict[Echo, str] = {}
    echoes: list[Echo | None] = []
    for record in records:
        for at, statement in enumerate(trees[record.number]):
            own = any(_binds_last(node) for node in ast.walk(statement))
            for node in ast.walk(statement):
                echo = None if own and isinstance(node, ast.Name) and node.id in LAST else _asked(node, echoes, trees)
                if echo is not None:
                    last = max((e[1] for e in echoes if e and e[0] == echo[0]), default=0) == echo[1]
                    names[echo] = f"_{echo[0]}" if last else f"_{echo[0]}_{echo[1]}"
                    edits[record.number].append(_instead(node, names[echo]))
                elif _is_item(node, "Out") and (record.error or "").startswith("KeyError"):  # the mistake stays
                    edits[record.number].append(_instead(node, f"{{}}[{node.slice.value}]"))  # type: ignore[attr-defined]
                elif getattr(node, "id", "") not in own_names and (entered := _entered(node, record.number)) in texts:
                    edits[record.number].append(_instead(node, repr(texts[entered])))
            if own and _in_scope(statement):
                echoes[-1:] = [None]  # the program's own `_`, until the next value
            if at in record.kept:
                echoes.append((record.number, at))
    for (number, at), name in names.items():
        statement = trees[number][at]
        end = statement.end_col_offset or 0
        edits[number].append((statement.lineno, statement.col_offset, statement.col_offset, f"{name} = "))
        edits[number].append((statement.end_lineno or 0, end, end, f"; {name}"))
    return {number: _edited(text, edits[number]) for number, text in texts.items()}


def _statements(record: Record) -> list[ast.stmt]:
    try:
        return ast.parse(record.text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _bound(node: ast.AST) -> str:
    """The name to which a node gives a value, or nothing."""
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def _binds_last(node: ast.AST) -> bool:
    """Whether a node gives `_` a value of its own."""
    return _bound(node) in LAST


def _in_scope(node: ast.AST) -> bool:
    """Whether it does so in the session's own scope."""
    return _binds_last(node) or any(_in_scope(n) for n in ast.iter_child_nodes(node) if not isinstance(n, OWN_SCOPE))


def _is_item(node: ast.AST, name: str) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.slice, ast.Constant)
        and type(node.slice.value) is int
    )


def _entered(node: ast.AST, here: int) -> int:
    """The number of the entry whose text `In[3]`, `_i3`, `_i`, `_ii` or `_iii` is; 0 for anything else."""
    if _is_item(node, "In"):
        return node.slice.value  # type: ignore[attr-defined]
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id[:2] != "_i":
        return 0
    back, number = node.id[1:], node.id[2:]
    return here - len(back) if back in ENTERED else int(number) if number.isdecimal() else 0


def _asked(node: ast.AST, echoes: list[Echo | None], trees: dict[int, list[ast.stmt]]) -> Echo | None:
    """Which value `_`, `__`, `___`, `_3` or `Out[3]` is, where that was an expression's."""
    found: Echo | None = None
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in LAST and len(echoes) >= len(node.id):
            found = echoes[-len(node.id)]
        elif node.id[0] == "_" and node.id[1:].isdecimal():
            found = _of_entry(int(node.id[1:]), echoes)
    elif _is_item(node, "Out"):
        found = _of_entry(node.slice.value, echoes)  # type: ignore[attr-defined]
    return found if found and isinstance(trees[found[0]][found[1]], ast.Expr) else None


def _of_entry(number: int, echoes: list[Echo | None]) -> Echo | None:
    return next((echo for echo in reversed(echoes) if echo and echo[0] == number), None)


def _instead(node: ast.AST, text: str) -> Edit:
    return node.lineno, node.col_offset, node.end_col_offset, text  # type: ignore[attr-defined]


def _edited(text: str, edits: list[Edit]) -> str:
    """A text with its edits, from the last to the first. Within f-strings Python 3.11 tells no places: such a name stays."""
    lines = [line.encode() for line in text.split("\n")]
    for line, start, end, new in sorted(edits, reverse=True):
        there = lines[line - 1][start:end]
        if start == end or there.startswith((b"_", b"Out", b"In")):
            lines[line - 1] = lines[line - 1][:start] + new.encode() + lines[line - 1][end:]
    return b"\n".join(lines).decode()
