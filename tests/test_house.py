"""The house: every room has a floor, imports point downwards, no file stands loose, no imports go in a circle.

docs/architecture.md shows the same rooms to people; a test compares.
"""

import ast
import gc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources
PACKAGE = Path(__file__).parent.parent / "tensorsh"

HOUSE = [
    {"ranks"},
    {"sandbox"},
    {"engine", "language"},
    {"torch", "display"},
    {"datasets", "transforms"},
    {"assist", "tools", "as_torch"},
    {"session"},
    {"golden", "command"},
    {"shell"},
    {"notebook", "editor"},
    {"cli"},
    {"__init__", "__main__"},
]
"""The floors from the bottom. A room imports from rooms on lower floors only; those of one floor know nothing of each other."""

LOOSE = {"__init__", "__main__", "cli", "session"}
"""The files that stand in no room."""

SANDBOX = [
    {
        "__init__",
        "process",
        "sealed",
        "wrapping",
        "long_calls",
        "iterating",
        "integers",
        "thrown",
        "whole",
        "numpy_views",
        "copying",
        "unicode_errors",
        "held",
        "ordered",
        "owned",
        "parts",
        "caches",
        "sets",
        "versions",
        "decoding",
        "replacing",
        "bounds",
        "long_texts",
        "long_lists",
        "structures",
        "orders",
        "decimals",
        "leaving",
    },
    {
        "names",
        "instance",
        "formatting",
        "classes",
        "stores",
        "gate",
        "steps",
        "named",
        "numpy_guards",
        "unseen",
        "methods",
    },
    {"kinds", "namespace", "imports", "beside", "packages", "files", "builtins", "restored"},
    {"modules"},
    {"environment"},
    {"supervision", "limits", "deadline", "isolation", "walls", "settings", "processes"},
]
"""The sandbox from its ground: what knows nothing, the attribute gate, what a script holds, the modules it may import, its
environment, what it may spend. A file imports from its own row and those below."""

GROUND = SANDBOX[0]
"""The files of the sandbox that the engine and the display may use."""

ENGINE = [
    {"loading"},
    {"arrays"},
    {"kernels"},
    {"numerics"},
    {"random"},
    {"graph"},
    {"tensors"},
    {"tape"},
    {"wording"},
    {"examples"},
    {"operators"},
    {"sparse"},
    {"ops"},
    {"cuda", "meta"},
]
"""The engine's rooms from the bottom."""

ENGINES_CIRCLE = 7
"""The files of the engine's largest circle, at most. All circles are within a room: the parts of one thing, such as a sparse
array and the rules by which it answers."""

CIRCLES = {
    "torch.nn.modules": (
        {"module", "hooks", "state"},
        "one class, `Module`, in three files: its hooks and its state are put on it when it is there",
    ),
    "torch.distributions": (
        {"kl", "kl_rules", "kl_cross"},
        "the rules are loaded with the first divergence, and those of compound distributions ask for divergences of parts",
    ),
}
"""Circles outside of the engine, by folder, with the reason."""


def parts(path: Path) -> list[str]:
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


def name_of(path: Path) -> str:
    """The name of a module below tensorsh; of a package's own file, the package's."""
    return ".".join(parts(path)).removesuffix(".__init__")


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """Each file is parsed once, and its tree kept for this module alone: a million nodes make collections of garbage slow."""
    gc.disable()
    yield
    tree.cache_clear()
    nodes.cache_clear()
    gc.enable()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All of a file's nodes, in the order of `ast.walk`, which takes several times as long."""
    found: list[ast.AST] = [tree(path)]
    for node in found:
        for value in node.__dict__.values():
            if type(value) is list:
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found


def nodes_where(pattern: str):
    """The nodes of the files whose text has a pattern."""
    for module, path in FILES.items():
        if re.search(pattern, text_of(path)):
            for node in nodes(path):
                yield module, node


def floor(floors: list[set[str]], room: str) -> int:
    return next((number for number, rooms in enumerate(floors) if room in rooms), -1)


def last(node: ast.AST) -> str:
    """The last name of `a.b.c`."""
    return getattr(node, "attr", getattr(node, "id", ""))


def imports_of(node: ast.AST, for_types: bool = False):
    """The import statements below a node, and whether each is for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, for_types
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in map(last, ast.walk(child.test))
            yield from imports_of(child, for_types or checking)


@cache
def imported(module: str) -> dict[str, bool]:
    """The modules of tensorsh that a file imports, at its top or within functions; whether that is for type checkers only."""
    path = FILES[module]
    here = ["tensorsh", *parts(path)[:-1]]
    found: dict[str, bool] = {}
    for node, for_types in imports_of(tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            base = here[: len(here) - node.level + 1] if node.level else []
            base = [*base, *(node.module or "").split(".")] if node.module else base
            names = [
                [*base, a.name] if ".".join([*base, a.name])[len("tensorsh.") :] in FILES else base for a in node.names
            ]
        for name in names:
            target = ".".join(name[1:])
            if name[0] == "tensorsh" and target in FILES and target != module:
                found[target] = found.get(target, True) and for_types
    return found


def room(module: str, depth: int = 0) -> str:
    """The room of a module, or the room within the room `depth` steps down."""
    steps = module.split(".")
    return steps[depth] if len(steps) > depth else "__init__"


def test_imports_point_downwards():
    homeless = {own for own in map(room, FILES) if floor(HOUSE, own) < 0}
    assert not homeless, "rooms that stand on no floor"
    upwards = [
        f"{module} imports {other}"
        for module in FILES
        for other in imported(module)
        if room(other) != room(module) and floor(HOUSE, room(other)) >= floor(HOUSE, room(module))
    ]
    assert not upwards


def test_no_file_stands_loose():
    assert {path.stem for path in PACKAGE.glob("*.py")} == LOOSE
    assert sorted(path.name for path in (PACKAGE / "engine").glob("*.py")) == ["__init__.py"]


def test_every_room_is_known():
    def folders(path: Path) -> set[str]:
        return {each.name for each in path.iterdir() if any(each.glob("*.py"))}

    assert folders(PACKAGE) == set().union(*HOUSE) - LOOSE
    assert folders(PACKAGE / "engine") == set().union(*ENGINE)
    assert {path.name.partition(".")[0] for path in (PACKAGE / "sandbox").iterdir()} - {"__pycache__"} == set().union(
        *SANDBOX
    )


def test_the_sandbox_stands_in_rows():
    for module in FILES:
        for other in imported(module):
            if room(module) == room(other) == "sandbox" and not imported(module)[other]:
                assert floor(SANDBOX, room(other, 1)) <= floor(SANDBOX, room(module, 1)), f"{module} imports {other}"
            if room(module) in ("engine", "display") and room(other) == "sandbox":
                assert room(other, 1) in GROUND, f"{module} imports {other}"


def test_the_engine_stands_in_rooms():
    for module in FILES:
        for other, for_types in imported(module).items():
            one, two = room(module, 1), room(other, 1)
            if room(module) == room(other) == "engine" and not for_types and "__init__" not in (one, two):
                assert one == two or floor(ENGINE, two) < floor(ENGINE, one), f"{module} imports {other}"


def circles() -> list[set[str]]:
    """The sets of files that import one another, at their top or within functions, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        path.append(module)
        for other, for_types in imported(module).items():
            if for_types:
                continue
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in path:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            start = path.index(module)
            if len(path) - start > 1:
                found.append(set(path[start:]))
            del path[start:]

    for module in FILES:
        if module not in number:
            visit(module)
    return found


def test_no_imports_go_in_a_circle():
    """An import within a function is for loading late, never for a circle."""
    known = [{f"{folder}.{file}" for file in files} for folder, (files, _) in CIRCLES.items()]
    found = circles()
    engine = [circle for circle in found if all(room(module) == "engine" for module in circle)]
    assert [circle for circle in found if circle not in engine] == known
    assert max(map(len, engine), default=0) <= ENGINES_CIRCLE


def test_few_imports_stand_within_functions_of_the_engine():
    functions = [
        f for path in (PACKAGE / "engine").rglob("*.py") for f in ast.walk(tree(path)) if isinstance(f, ast.FunctionDef)
    ]
    assert sum(isinstance(node, ast.Import | ast.ImportFrom) for f in functions for node in ast.walk(f)) <= 60


def test_modules_named_in_text_are_there():
    """Some files name a module in text, to load it by name or to ask whether it is loaded."""
    for module, node in nodes_where(r"[\"']tensorsh\."):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if re.fullmatch(r"tensorsh(\.[a-z_0-9]+)+\.?", text):
            assert text.removeprefix("tensorsh.").rstrip(".") in FILES, f"{module} names {text}"


@cache
def defined(module: str) -> set[str] | None:
    """The names that a module's file binds at its top, or as global anywhere; None where it makes names as they are asked for."""
    path = FILES[module]
    if re.search(r"def __getattr__\(name|globals\(\)|lazily\(|setattr\(|import \*|__dict__", text_of(path)):
        return None
    found = {"__name__", "__file__", "__doc__", "__dict__", "__path__"}
    found |= {name.rpartition(".")[2] for name in FILES if name.rpartition(".")[0] == module}
    found |= {c.stem for c in path.parent.glob("*.c")} if path.stem == "__init__" else set()  # modules in C

    def bindings(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update([(alias.asname or alias.name).split(".")[0] for alias in node.names])
        for child in ast.iter_child_nodes(node):
            bindings(child)

    bindings(tree(path))
    for node in nodes(path):
        if isinstance(node, ast.Global):
            found.update(node.names)
    return found


def test_what_is_read_from_a_module_is_there():
    """A constant that is gone is noticed here, and not where a handler of errors hides it."""
    missing = []
    for module, path in FILES.items():
        here = ["tensorsh", *parts(path)[:-1]]
        modules: dict[str, str] = {}
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = here[1 : len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
                for alias in node.names:
                    whole, within = ".".join([*base, alias.name]), ".".join(base)
                    if whole in FILES:
                        modules[alias.asname or alias.name] = whole
                    elif within in FILES and alias.name != "*" and alias.name not in (defined(within) or {alias.name}):
                        missing.append(f"{module}: {alias.name} of {within}")
        bound = {node.id for node in nodes(path) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in nodes(path) if isinstance(node, ast.arg)}
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in bound:
                target = modules.get(node.value.id)
                if target and node.attr not in (defined(target) or {node.attr}):
                    missing.append(f"{module}: {node.value.id}.{node.attr}")
    assert missing == []


def test_the_architecture_page_shows_the_house():
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (?:\*\*)?(`[^|]*?`)(?:\*\*)? *\|", text, re.M)
    rows = [set(re.findall(r"`([a-z_]+)(?:/|\.py)?`", cell)) for cell in shown]
    floors = [rooms for rooms in HOUSE if rooms != {"__init__", "__main__"}]
    assert rows[: len(floors)] == floors[::-1]
    assert rows[len(floors) : len(floors) + len(ENGINE)] == ENGINE[::-1]
    assert rows[len(floors) + len(ENGINE) :] == [row - {"__init__"} for row in SANDBOX[::-1]]


def test_wrappers_take_nothing_along():
    """functools' own copies attributes of what a program hands in; see tensorsh/sandbox/wrapping.py."""
    using = [
        module
        for module, node in nodes_where("wraps|update_wrapper|import.* wrap")
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == "functools"
            and any("wrap" in a.name for a in node.names)
        )
        or (isinstance(node, ast.Attribute) and node.attr in ("wraps", "update_wrapper"))
    ]
    assert set(using) == {"sandbox.wrapping"}  # which mends them


def test_no_file_is_long():
    long = {"/".join(parts(p)): n for p in PACKAGE.rglob("*.py") if (n := len(p.read_text().splitlines())) > 500}
    assert not long


def records() -> list[int]:
    """The lengths of the operators' declarations, without docstrings, from the decorator to the last gradient."""
    lengths = []
    for path in (PACKAGE / "engine" / "ops").rglob("*.py"):
        nodes = tree(path).body
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


def test_arrays_on_a_memory_are_made_in_one_file():
    """numpy's as_strided checks nothing, its ndarray forgets sums beyond 64 bits: engine/arrays/extents.py looks first."""
    makers = {"as_strided": set(), "ndarray": set()}
    for module, node in nodes_where("stride_tricks|ndarray"):
        if isinstance(node, ast.Call) and last(node.func) == "ndarray":
            makers["ndarray"].add(module)
        if isinstance(node, ast.Attribute) and (node.attr, last(node.value)) == ("as_strided", "stride_tricks"):
            makers["as_strided"].add(module)
        if isinstance(node, ast.ImportFrom) and "stride_tricks" in (node.module or ""):
            makers["as_strided"].add(module)
    assert makers == {"as_strided": {"engine.arrays.extents"}, "ndarray": {"engine.arrays.extents"}}
