"""Programs: statements, names, bare flags, and the cache of compiled ones."""

from __future__ import annotations

import marshal
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tensorsh.language import scopes, table, tokens
from tensorsh.language.compiler import compile_program
from tensorsh.language.export import export
from tensorsh.language.parser import TsrSyntaxError

from ..support.processes import printed
from .running import run


def test_statements_in_order() -> None:
    program = compile_program("x = 1\n@f\ndef g():\n    pass\nx + 1; y = 2\n'end'", "a.tsr")
    lines = [(s.lineno, s.end_lineno, s.is_expression) for s in program.statements]
    assert lines == [(1, 1, False), (2, 4, False), (5, 5, True), (5, 5, False), (6, 6, True)]
    assert eval(program.statements[2].code, {"x": 4}) == 5
    assert eval(program.last) == "end" and program.statements[-1].code is program.last
    assert program.source.startswith("x = 1") and program.module.co_filename == "a.tsr"


def test_a_gated_assignment_is_no_expression() -> None:
    program = compile_program("x = A()\nx._y = 1", bound={"A"})
    assert program.last is None and [s.is_expression for s in program.statements] == [False, False]


@pytest.mark.parametrize("text, value", [("\n@str\ndef f(): pass", None), ("  # a\n(1 +\n1)", 2)])
def test_one_statement_is_compiled_once(text: str, value: object) -> None:
    program = compile_program(text, "a.tsr")
    (statement,) = program.statements
    assert statement.code is (program.last or program.module) and statement.is_expression is (value is not None)
    assert (statement.lineno, statement.end_lineno) == (2, 3)
    assert eval(statement.code, {}) == value


def test_what_was_let_go_is_made_again() -> None:
    program = compile_program("x = 1\nx + 1", "a.tsr").let_go()
    space: dict[str, object] = {}
    assert [eval(s.code, space) for s in program.statements] == [None, 2] and program.holds(program.statements[0].code)


@pytest.mark.parametrize("module", [tokens, table, scopes])
def test_long_texts_can_be_left(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code makes a step of Python now and then."""
    steps = []

    def step() -> None:
        steps.append(None)
        if len(steps) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "step", step)
    with pytest.raises(KeyboardInterrupt):
        compile_program("x = [" + "f(1), " * 5000 + "]")


def test_an_empty_program() -> None:
    for text in ("", "\n", "# comment", "\ufeff"):
        program = compile_program(text)
        assert program.statements == [] and program.last is None
        exec(program.module, {})


def test_annotations_stay_text_when_the_future_says_so() -> None:
    text = "from __future__ import annotations\ndef f(x: nothing): pass\nf.__annotations__"
    names = {"__import__": lambda *arguments: __import__("__future__")}
    assert run(text, **names) == {"x": "nothing"}


NAMES = [
    ("x = a + b(c)", {"a", "b", "c"}),
    ("def f(x, y=d):\n  z = x\n  return z + w", {"d", "w"}),
    ("[x for x in y if z]", {"y", "z"}),
    ("def f():\n  global g\n  g += 1", {"g"}),
    ("class A(B):\n  x = y\n  def f(self): return x", {"B", "y", "x"}),
    ("lambda x: x + y", {"y"}),
    ("import a\na.b", {"a"}),
    ("x += 1", {"x"}),
    ("f'{a} {b!r:{c}}'", {"a", "b", "c"}),
    ("match a:\n  case B(c): d", {"a", "B", "d"}),
    ("def f():\n  x = 1\n  def g():\n    return x + y\n  return g", {"y"}),
    ("[(j := i) for i in r]", {"r"}),
]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_names_that_a_program_reads(text: str, names: set[str]) -> None:
    assert compile_program(text).names == names


def ones(*size: int, requires_grad: bool = False, keepdim: bool = False, unbiased: None = None, n: int = 1) -> tuple:
    return size, requires_grad, keepdim, unbiased


class Layer:
    def __init__(self, size: int, bias: bool = True, inplace: bool = False) -> None:
        self.size, self.inplace = size, inplace

    def sum(self, dim: int = 0, keepdim: bool = False) -> tuple:
        return dim, keepdim


FLAGS = [
    ("ones(2, 2, requires_grad)", ((2, 2), True, False, None)),
    ("ones(requires_grad, keepdim)", ((), True, True, None)),
    ("ones(2, unbiased)", ((2,), False, False, True)),
    ("ones(2, keepdim, requires_grad=False)", ((2,), False, True, None)),
    ("Layer(3, inplace).inplace", True),
    ("Layer(3).sum(0, keepdim)", (0, True)),
    ("keepdim = 5\nones(keepdim)", ((5,), False, False, None)),
    ("def f(keepdim): return ones(keepdim)\nf(7)", ((7,), False, False, None)),
    ("def f(): return ones(keepdim)\nx = f()\nkeepdim = 3\nx", NameError),
    ("ones(3, nothing)", NameError),
    ("ones(3, n)", NameError),
    ("ones(nothing, 3)", NameError),
    ("ones(2, nothing, nothing)", NameError),
    ("Layer(*[1], inplace).size", 1),
    ("[ones(i, keepdim)[2] for i in range(2)]", [True, True]),
]


@pytest.mark.parametrize(("text", "value"), FLAGS)
def test_bare_flags(text: str, value: object) -> None:
    if isinstance(value, type):
        with pytest.raises(value, match="name '.*' is not defined"):
            run(text, ones=ones, Layer=Layer)
    else:
        assert run(text, ones=ones, Layer=Layer) == value


def test_a_flag_that_was_bound_in_the_meantime_is_an_argument() -> None:
    assert run("def f(): return ones(1, later)\ng = f\nlater = 5\ng()", ones=ones)[0] == (1, 5)
    from tensorsh.language.compiler import RUNTIME

    program = compile_program("ones(1, later)", bound={"ones"})
    assert program.flags == {"later"}
    assert eval(program.last, {"__builtins__": {**RUNTIME, "ones": ones}, "later": 8})[0] == (1, 8)


def test_an_unbound_name_is_found_at_its_place() -> None:
    try:
        run("x = 1\nones(2,\n     nothing)", ones=ones)
    except NameError as error:
        traceback = error.__traceback__
        while traceback.tb_frame.f_code.co_filename != "test.tsr":
            traceback = traceback.tb_next
        code = traceback.tb_frame.f_code
        place = list(code.co_positions())[traceback.tb_lasti // 2]
        assert place == (3, 3, 5, 12) and error.name == "nothing"


def test_flags_with_positional_arguments_behind() -> None:
    with pytest.raises(TsrSyntaxError, match="positional argument follows flag 'keepdim'"):
        compile_program("f(keepdim, 1)")


# ---- the cache


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


TEXT = "def f(x): return g(x, keepdim)\n1 + 1"


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_a_second_compilation_comes_from_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_program(TEXT, "a.tsr", cache=folder)
    assert len(kept(folder)) == 1
    assert kept(folder)[0].stat().st_mode & 0o777 == 0o600 and folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setitem(sys.modules, "tensorsh.language.translation", None)
    second = compile_program(TEXT, "a.tsr", cache=folder)
    assert second.module.co_code == first.module.co_code and eval(second.last) == 2
    assert second.names == first.names and second.flags == first.flags == {"keepdim"}
    monkeypatch.undo()
    assert [s.lineno for s in second.statements] == [1, 2]


def test_the_cache_asks_for_source_name_and_bound_names(folder: Path) -> None:
    compile_program(TEXT, "a.tsr", cache=folder)
    compile_program(TEXT, "b.tsr", cache=folder)
    compile_program(TEXT + " ", "a.tsr", cache=folder)
    assert len(kept(folder)) == 3
    assert compile_program(TEXT, "a.tsr", bound={"keepdim"}, cache=folder).flags == frozenset()
    assert compile_program(TEXT, "a.tsr", bound={"other"}, cache=folder).flags == {"keepdim"}


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "cut":
        data = data[: len(data) // 2]
    elif how == "empty":
        data = b""
    elif how == "bit":
        data = data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]
    elif how == "planted":
        code = compile("raise SystemError('planted')", "x", "exec")
        data = data[:-100] + marshal.dumps((code, None, [], {}))
    elif how == "text":
        data = b"hello"
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["cut", "empty", "bit", "planted", "text"])
def test_damaged_files_do_not_count(folder: Path, how: str) -> None:
    compile_program(TEXT, cache=folder)
    (path,) = kept(folder)
    whole = path.read_bytes()
    damage(path, how)
    program = compile_program(TEXT, cache=folder)
    exec(program.module, {})
    assert eval(program.last) == 2 and path.read_bytes() == whole


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")
@pytest.mark.parametrize("what", ["open folder", "open file", "linked folder", "linked file"])
def test_what_others_could_have_written_is_not_read(folder: Path, what: str, tmp_path: Path) -> None:
    compile_program(TEXT, cache=folder)
    (path,) = kept(folder)
    if what == "open folder":
        folder.chmod(0o777)
    elif what == "open file":
        path.chmod(0o666)
    elif what == "linked folder":
        folder.rename(tmp_path / "real")
        folder.symlink_to(tmp_path / "real")
    elif what == "linked file":
        path.rename(tmp_path / "real")
        path.symlink_to(tmp_path / "real")
    from tensorsh.language.cache import key_of, load

    assert load(folder, key_of(TEXT, "<string>"), ()) is None
    assert eval(compile_program(TEXT, cache=folder).last) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_files_of_another_user_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_program(TEXT, cache=folder)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    from tensorsh.language.cache import key_of, load

    assert load(folder, key_of(TEXT, "<string>"), ()) is None


def test_no_folder_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert eval(compile_program(TEXT, cache=tmp_path / "file" / "cache").last) == 2


def test_the_cache_is_kept_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.language import cache

    monkeypatch.setattr(cache, "KEPT", 10)
    for number in range(25):
        compile_program(f"x = {number}", cache=folder)
    assert len(kept(folder)) <= 10


def test_a_cached_program_loads_no_parser(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tensorsh.language.compiler import compile_program\n"
        f"compile_program('x = 1\\nx', cache=Path({str(folder)!r}))\n"
        "names = ('lark', 'ast', 'json', 'inspect', 'hashlib', 'tensorsh.language.table')\n"
        "print([name for name in names if name in sys.modules])"
    )
    for expected in (False, True):
        assert (printed(code, "-S") == "[]\n") is expected


# ---- export

TORCH = {"ones", "zeros", "mean", "nn", "float32", "no_grad", "tensor"}
EXPORTS = [
    ("x = ones(2, requires_grad)  # c\n", "import torch\nx = torch.ones(2, requires_grad=True)  # c\n"),
    ("# c\n\nx = ones( 2 )\n", "# c\n\nimport torch\nx = torch.ones( 2 )\n"),
    ("import torch\nx = ones(2)", "import torch\nx = torch.ones(2)"),
    ("import torch\nx = torch.ones(2)", "import torch\nx = torch.ones(2)"),
    ("x = ones(2)\nimport torch\ntorch.add", "import torch\nx = torch.ones(2)\nimport torch\ntorch.add"),
    ("torch.ones(2)", "import torch\ntorch.ones(2)"),
    ("print(max(1, 2))", "print(max(1, 2))"),
    ('"""doc"""\nfrom __future__ import annotations\nx = ones(1)',
     '"""doc"""\nfrom __future__ import annotations\nimport torch\nx = torch.ones(1)'),
    ('"doc"; x = ones(1)', '"doc"; import torch; x = torch.ones(1)'),
    ("def ones(n): return n\nones(2)", "def ones(n): return n\nones(2)"),
    ("def f(ones): return ones(2)", "def f(ones): return ones(2)"),
    ("mean = mean(2)\nmean", "import torch\nmean = torch.mean(2)\nmean"),
    ("x.sum(0, keepdim)", "x.sum(0, keepdim=True)"),
    ("from torch import *\nf(add, verbose)\nf(keepdim)", "from torch import *\nf(add, verbose)\nf(keepdim=True)"),
    ("keepdim = 1\nx.sum(0, keepdim)", "keepdim = 1\nx.sum(0, keepdim)"),
    ("class A(nn.Module):\n    ones = 1\n    def f(self): return ones(2)",
     "import torch\nclass A(torch.nn.Module):\n    ones = 1\n    def f(self): return torch.ones(2)"),
    ("@no_grad\ndef f(): pass", "import torch\n@torch.no_grad\ndef f(): pass"),
    ("f'é{ones(2)} {ones(1)=}'", "import torch\nf'é{torch.ones(2)} ones(1)={torch.ones(1)!r}'"),
    ("[ones(n) for n in range(3)]", "import torch\n[torch.ones(n) for n in range(3)]"),
    ("[ones for ones in x]", "[ones for ones in x]"),
    ("x.ones(ones=1)", "x.ones(ones=1)"),
    ("print(argv, 1, argv)", "from sys import argv\nprint(argv, 1, argv)"),
    ("np.eye(2); math.pi", "import numpy as np\nimport math\nnp.eye(2); math.pi"),
    ("x = '日本'; y = ones(1), '日本', zeros(2)",
     "import torch\nx = '日本'; y = torch.ones(1), '日本', torch.zeros(2)"),
    ("if a:\n    x = ones(\n        2,  # two\n        requires_grad,\n    )\n",
     "import torch\nif a:\n    x = torch.ones(\n        2,  # two\n        requires_grad=True,\n    )\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPORTS)
def test_export(text: str, expected: str) -> None:
    assert export(text, "a.tsr", TORCH) == expected
    compile(expected, "a.py", "exec")


def test_export_of_an_export_changes_nothing() -> None:
    for text, _ in EXPORTS:
        once = export(text, "a.tsr", TORCH)
        assert export(once, "a.tsr", TORCH) == once


def test_export_reports_syntax_errors() -> None:
    with pytest.raises(TsrSyntaxError, match="was never closed"):
        export("x = (", "a.tsr", TORCH)
