"""The arrows of the house: a file imports only from its own floor and those below."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "tensorsh"

FLOORS = {
    "sealed": -2, "collector": -2, "wrapping": -1,
    "engine": 0, "language": 0, "bytecode": 0, "sizes": 0, "scanner": 1, "modules": 1, "torch": 2, "display": 2,
    "supervision": 1, "limits": 2, "isolation": 3, "settings": 3, "signatures": 3, "terminal": 3, "pytorch": 1, "arguments": 3, "tools": 3, "catalogue": 3,
    "stubs": 3, "about": 4, "assist": 5, "session": 6, "golden": 7, "shell": 8, "cli": 9, "__init__": 10, "__main__": 10,
}  # fmt: skip
"""The higher may import the lower; engine and language know nothing of each other."""


def parts(path: Path) -> list[str]:
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


def walked(node: ast.AST):
    """All nodes but those for type checkers only."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from walked(child)


def imported(path: Path) -> set[str]:
    """The top-level parts of tensorsh that a file imports, at its top or within functions."""
    found = set()
    here = ["tensorsh", *parts(path)[:-1]]
    for node in walked(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[list[str]] = []
        if isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = [*base, *(node.module or "").split(".")] if node.module else base
            names = [[*module, alias.name] for alias in node.names] if module == ["tensorsh"] else [module]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        found |= {
            n[1]
            for n in names
            if n[:1] == ["tensorsh"] and len(n) > 1 and (n[1] in FLOORS or (PACKAGE / n[1]).exists())
        }
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: "/".join(parts(p)))
def test_imports_point_downwards(path):
    own = parts(path)[0]
    assert own in FLOORS, f"{own} stands on no floor"
    for other in imported(path) - {own}:
        assert FLOORS.get(other, 99) < FLOORS[own], f"{own} imports {other}"


def test_wrappers_take_nothing_along():
    """functools' own copies attributes of what a program hands in; see tensorsh/wrapping.py."""
    using = [
        "/".join(parts(path))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == "functools"
            and any("wrap" in a.name for a in node.names)
        )
        or (isinstance(node, ast.Attribute) and node.attr in ("wraps", "update_wrapper"))
    ]
    assert sorted(set(using)) == [
        "engine/cuda/__init__",
        "engine/ops/linalg_common",
        "modules/standard",
    ]  # of their own functions


def test_no_file_is_long():
    long = {"/".join(parts(p)): n for p in PACKAGE.rglob("*.py") if (n := len(p.read_text().splitlines())) > 500}
    assert not long


def records() -> list[int]:
    """The lengths of the operators' declarations, without docstrings, from the decorator to the last gradient."""
    lengths = []
    for path in (PACKAGE / "engine" / "ops").glob("*.py"):
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
        for node in nodes:
            if not isinstance(node, ast.FunctionDef) or not any(
                "operator" in ast.unparse(d) or "composite" in ast.unparse(d) for d in node.decorator_list
            ):
                continue
            doc = node.body[0] if ast.get_docstring(node) else None
            length = node.end_lineno - node.decorator_list[0].lineno + 1
            length -= (doc.end_lineno - doc.lineno + 1) if doc else 0
            for other in nodes:
                text = ast.unparse(other) if isinstance(other, ast.Expr) else ""
                if text.startswith((f"{node.name}.gradient(", f"{node.name}.joint_gradient(")):
                    length += other.end_lineno - other.lineno + 1
            lengths.append(length)
    return lengths


def test_operators_are_declared_in_few_lines():
    from statistics import median

    lengths = records()
    assert len(lengths) > 400 and median(lengths) <= 8
