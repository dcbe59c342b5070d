"""Installed packages that a person allows by name: what programs get of them, and that nothing leads out through them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

import pytest

from tensorsh import Permissions, Session
from tensorsh.sandbox import gate

from ..support import started
from .escapes import ESCAPES as PLAIN
from .package_escapes import ESCAPES, INWARD, LEAKS, PACKAGE
from .test_escapes import REFUSALS

PROVE = """
import sys, tensorsh.as_torch
sys.path[:0] = {paths!r}
from package_escapes import ESCAPES
for index, source in enumerate(ESCAPES):
    scope = {{"__name__": "__main__"}}
    try:
        exec(compile(source, "<escape>", "exec"), scope)
        scope["result"]
    except BaseException as error:
        print(index, repr(error), source.splitlines()[-1])
"""
CLOSED = ("get_submodule", "_private_of_nobody", "import lent.os;", "lent.sub.os as")
"""Those that Python itself closes."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The careless package, where Python finds it."""
    home = tmp_path_factory.mktemp("site")
    for name, text in PACKAGE.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.lstrip())
    sys.path[:0] = [str(home)]
    before, finders = set(sys.modules), list(sys.meta_path)
    yield home
    sys.path.remove(str(home))
    gate.read_checked = None
    sys.meta_path[:] = finders
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("lent", "torch"):
            del sys.modules[name]


@pytest.fixture
def session(installed: Path) -> Session:
    return Session(Permissions(imports=["lent"]))


@pytest.mark.parametrize(
    "source, value",
    [
        ("import lent; lent.add(2, 3)", 5),
        ("from lent import add as plus, PI; plus(PI, 1)", 4.25),
        ("from lent import *; (add(1, 1), PI, Thing(2).double(), sub.add(1, 2))", (2, 3.25, 4, 3)),
        ("import lent.sub.deep as d; d.depth()", 3),
        ("import lent.sub.deep; lent.sub.deep.depth()", 3),
        ("from lent.sub import deep; deep.depth()", 3),
        ("from lent import layers; layers.Double()(torch.ones(2)).tolist()", [2.0, 2.0]),
        ("import lent; lent.__version__, lent.__name__, lent.__doc__", ("1.5", "lent", "A package with all kinds of ways out.")),
        ("import lent; lent.NAMES.append('c'); lent.NAMES", ["a", "b"]),
        ("import lent; lent.add_one(2)", 3),
        ("import lent; t = lent.Thing(2); t.x = 5; (t + 1).x, repr(t), t.double(), type(t).__name__", (6, "Thing(5)", 10, "Thing")),
        ("import lent; isinstance(lent.Thing.made(1), lent.Thing)", True),
        ("import lent; lent.Color.RED.name, lent.Color(1) is lent.Color.RED", ("RED", True)),
        ("import lent; list(lent.numbers(3)), sum(lent.numbers(4))", ([0, 1, 2], 6)),
        ("import lent; lent.call(lambda a, b: a * b, 3, 4)", 12),
        ("import lent; w = lent.Wide(a=1); w['b'] = 2; dict(w), len(w)", ({"a": 1, "b": 2}, 2)),
        (
            "import lent\nclass Mine(lent.Base):\n    def name(self): return 'mine'\nMine().hello()",
            "hello mine",
        ),
        ("import lent; sorted(dir(lent))", ["PI", "Thing", "add", "sub"]),
        ("import lent; type(lent) is type(torch), repr(lent)", (True, "<module 'lent'>")),
        (
            "from lent.layers import Double\nm = nn.Sequential(Double(), nn.Linear(2, 1))\nm(torch.ones(2)).sum().backward()\n"
            "(len(list(m.parameters())), m[0].factor.grad.shape, isinstance(m[0], nn.Module), str(m[0]))",
            (3, (), True, "Double()"),
        ),
        ("import lent\nx = torch.arange(3.)\n(x.view(3, 1).shape, x.data.tolist(), x.numpy().base is None)", ((3, 1), [0.0, 1.0, 2.0], False)),
        (
            "import enum\nclass C(enum.Enum):\n    RED = 1\n    BLUE = 2\ndef f(x):\n    match x:\n        case C.RED: return 'red'\n"
            "        case C.BLUE | 3: return 'blue'\n        case [C.RED, y]: return y\n        case {'a': C.BLUE}: return 'a'\n"
            "f(C.RED), f(C.BLUE), f(3), f([C.RED, 5]), f({'a': C.BLUE}), f(None)",
            ("red", "blue", "blue", 5, "a", None),
        ),
        (
            "class P:\n    __match_args__ = ('x', 'y')\n    def __init__(self, x, y): self.x, self.y = x, y\ndef f(v):\n    match v:\n"
            "        case P(0, y=b): return 'zero', b\n        case P(a, b) if a > b: return 'falls', a, b\n        case P(a, _) as p: return a, p.y\n"
            "        case int(n) | str(n): return n\n        case [P() as first, *rest]: return first.x, rest\n"
            "f(P(0, 1)), f(P(5, 2)), f(P(2, 5)), f(7), f('s'), f([P(1, 2), 3]), f(None)",
            (("zero", 1), ("falls", 5, 2), (2, 5), 7, "s", (1, [3]), None),
        ),
        ("a = np.arange(3.)\na.astype('int64').tolist(), '{0.shape}'.format(a), a.T.shape", ([0, 1, 2], "(3,)", (3,))),
    ],
)  # fmt: skip
def test_what_programs_get(source: str, value: object, session: Session) -> None:
    assert session.run(source) == value


@pytest.mark.parametrize(
    "source, kind, text",
    [
        ("import lent.nothing", ModuleNotFoundError, "No module named 'lent.nothing'"),
        ("from lent import nothing", ImportError, "cannot import name 'nothing' from 'lent'"),
        ("from lent import os", ImportError, "programs get what an allowed package defines itself"),
        ("import lent; lent.nothing", AttributeError, "module 'lent' has no attribute 'nothing'"),
        ("import lent; lent.fail()", ValueError, "from lent"),
        ("import lent; lent.Thing().os.sep", AttributeError, "module 'os' is not available"),
        ("import other", ModuleNotFoundError, "No module named 'other'"),
    ],
)
def test_failures(source: str, kind: type, text: str, session: Session) -> None:
    with pytest.raises(kind) as caught:
        session.run(source)
    assert text in str(caught.value)


def test_without_permission_the_error_names_the_flag(installed: Path) -> None:
    session = Session()
    with pytest.raises(ModuleNotFoundError) as caught:
        session.run("import lent")
    assert "an installed package needs --allow-import=lent" in session.diagnose(caught.value)


def test_a_package_that_is_not_there(installed: Path) -> None:
    session = Session(Permissions(imports="absent_package"))
    with pytest.raises(ModuleNotFoundError) as caught:
        session.run("import absent_package")
    assert "pip install --no-deps absent_package" in session.diagnose(caught.value)


@pytest.mark.parametrize("name", ["", "os.path", "_private", "a b", "1x"])
def test_names_are_names(name: str) -> None:
    with pytest.raises(ValueError, match="a package is named as in"):
        Permissions(imports=[name])


def test_a_module_beside_the_program_comes_first(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "lent.py").write_text("mine = True\n")
    assert Session(Permissions(imports=["lent"]), folder=tmp_path).run("import lent; lent.mine") is True


def test_modules_beside_the_program_are_checked_too(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import lent\ndef out():\n    return lent.Thing().os.system\n")
    session = Session(Permissions(imports=["lent"]), folder=tmp_path, cache=tmp_path / "cache")
    with pytest.raises(AttributeError, match="module 'os'"):
        session.run("import mine; mine.out()")


def test_a_program_that_was_kept_unchecked_is_not_used(installed: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    source = "def f(thing):\n    return thing.os.sep\n"
    Session(cache=cache).run(source, "kept.tsr")
    session = Session(Permissions(imports=["lent"]), cache=cache)
    session.run(source, "kept.tsr")
    with pytest.raises(AttributeError, match="module 'os'"):
        session.run("import lent; f(lent.Thing())")


def why_not(value: object) -> str | None:
    """Why no program may hold a value that an escape has found."""
    if isinstance(value, (ModuleType, FrameType)):
        return type(value).__name__
    module = getattr(value, "__module__", None)
    return (
        module
        if module in ("os", "posix", "nt", "subprocess", "builtins", "_io", "functools", "lent", "lent.sub")
        else None
    )


def test_they_work_in_plain_python(installed: Path, tmp_path: Path) -> None:
    code = PROVE.format(paths=[str(Path(__file__).parent), str(installed)])
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, input="", cwd=tmp_path)
    stuck = [line for line in found.stdout.splitlines() if not any(word in line for word in CLOSED)]
    assert len(stuck) == 0 and found.returncode == 0, "\n".join(stuck) + found.stderr


@pytest.mark.parametrize("source", ESCAPES + INWARD, ids=range(len(ESCAPES + INWARD)))
def test_they_do_not_work_here(source: str, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        session.run(source)
    except REFUSALS as error:
        assert str(error)
        assert not list(tmp_path.iterdir())
        return
    result = session.variables.get("result")
    assert result is not True and why_not(result) is None, f"{source}\n-> {result!r}"


@pytest.mark.parametrize("source", PLAIN[::6], ids=range(0, len(PLAIN), 6))
def test_other_ways_out_are_shut_as_ever(
    source: str, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus of escapes, in a session whose attributes are all read on the gate."""
    from .crawl import why_not

    monkeypatch.chdir(tmp_path)
    try:
        session.run("import lent\n" + source)
    except REFUSALS as error:
        assert str(error)
        return
    assert not list(tmp_path.iterdir())
    result = session.variables.get("result")
    assert result is not True and why_not(result) is None, f"{source}\n-> {result!r}"


BEFORE = """
def plain(o): return o.os.sep
class A:
    def method(self, o): return [x.os.sep for x in [o]][0]
    @staticmethod
    def still(o, f=lambda o: o.os.sep): return f(o)
def outer(y):
    z = 1
    def inner(o): return (lambda: (y, z, o.os.sep))()
    return inner
closed = outer(2)
f, g = (lambda o: o.os.sep), (lambda o: o.x)
"""


def test_what_was_defined_before_is_checked_as_well(installed: Path) -> None:
    from tensorsh.language.rechecked import recheck

    session = Session()
    program = session.compile(BEFORE, "<input 1>", continued=True)
    session.execute(program)
    session.run("h = lambda o: o.os.sep\nh", "<input 2>")
    session.run(
        "def lost(o): return o.os.sep\ndef kept():\n    u = 1\n    def k(o): return u, o.os.sep\n    return k\nk = kept()",
        "<input 3>",
    )
    del session._programs["<input 3>"]
    session["thing"] = type("Thing", (), {"os": os, "x": 5})()
    for name in ("plain", "A().method", "A.still", "f", "h", "lost"):
        assert session.run(f"{name}(thing)") == os.sep
    assert recheck(session._programs, session._builtins) == 12
    session.permissions.imports = ("lent",)
    for name in ("plain", "A().method", "A.still", "f", "closed", "h"):
        with pytest.raises(AttributeError, match="module 'os' is not available"):
            session.run(f"{name}(thing)")
    for name in ("lost", "k"):
        with pytest.raises(RuntimeError, match="define it again"):
            session.run(f"{name}(thing)")
    assert session.run("g(thing)") == 5


def tensorsh(installed: Path, *words: str) -> subprocess.CompletedProcess:
    return started.tensorsh(*words, env={**os.environ, "PYTHONPATH": str(installed), "NO_COLOR": "1"})


def test_the_command_line(installed: Path, tmp_path: Path) -> None:
    script = tmp_path / "s.tsr"
    script.write_text("import lent\nlent.add(1, 2)\n#> 3\nlent.os\n#! AttributeError: [..]\n")
    done = tensorsh(installed, "--allow-import=other,lent", "-c", "from lent import add; add(1, 2)")
    assert done.stdout == "3\n", done.stderr
    assert tensorsh(installed, "--allow-import", "lent", "-c", "import lent; lent.os").returncode == 1
    assert "needs --allow-import=lent" in tensorsh(installed, "-c", "import lent").stderr
    assert tensorsh(installed, "--allow-import=os.path", "-c", "1").returncode == 2
    assert tensorsh(installed, "test", "--allow-import=lent", str(script)).returncode == 0
    assert tensorsh(installed, "test", str(script)).returncode == 1


def test_functions_that_cython_compiled_keep_their_globals(session: Session) -> None:
    """They have them under names without an underscore as well (`pandas.Timestamp.as_unit.func_globals`)."""
    from tensorsh.engine.operators import executor

    found = [each for each in vars(executor).values() if type(each).__name__ == "cython_function_or_method"]
    session["functions"] = found
    for each in range(len(found)):
        for name in ("func_globals", "func_code", "func_closure", "func_dict", "func_defaults", "__globals__"):
            with pytest.raises(AttributeError):
                session.run(f"functions[{each}].{name}")
            with pytest.raises(AttributeError):
                session.run(f"getattr(functions[{each}], {name!r})")


def test_such_a_name_may_be_a_program_s_own(session: Session) -> None:
    assert (
        session.run(
            "class A:\n    func_code = 3\n    def __init__(self): self.func_dict = 4\nA().func_code + A().func_dict"
        )
        == 7
    )


@pytest.mark.parametrize("source", LEAKS)
def test_what_a_package_hands_out_is_looked_at_where_it_is_called(session: Session, source: str) -> None:
    with pytest.raises(AttributeError, match="not available in tensorsh|reads past the gate"):
        session.run(f"import lent.leaky as leaky\n{source}")


def test_a_context_of_a_package_gives_nothing_that_leads_out(session: Session) -> None:
    for begin in ("leaky.Box()", "leaky.context()"):
        with pytest.raises(AttributeError, match="not available in tensorsh"):
            session.run(f"import lent.leaky as leaky\nwith {begin} as f:\n    f(1)")


def test_calls_of_a_program_stay_as_they_are(session: Session) -> None:
    session.run("""
from sys import intern, getsizeof
from inspect import isgeneratorfunction
import functools, operator
class A:
    def __init__(self, n): self.n = n
    def __call__(self, m): return self.n + m
class B(A):
    def __init__(self, n): super().__init__(n)
got = [intern("a"), isgeneratorfunction(print), A(1)(2), B(2)(3), functools.reduce(operator.add, [1, 2]), list(map(A(1), range(2))),
       sorted([2, 1], key=lambda x: -x), functools.partial(max, 3)(4), dict(a=int("3")), isinstance(1, int), type(1) is int, max(*[1, 2])]
""")
    assert session.variables["got"] == ["a", False, 3, 5, 3, [1, 2], [2, 1], 4, {"a": 3}, True, True, 2]


def test_objects_in_arrays_are_of_the_session_that_imported_a_package() -> None:
    program = "import numpy as np\nstr(np.where([True], None, 1).dtype)"
    other, importing = Session(), Session(Permissions(imports=["lark"]))
    for session in (other, importing):
        with pytest.raises(TypeError, match="arrays of Python objects"):
            session.run(program)
    importing.run("import lark")
    assert importing.run(program) == "object"
    with pytest.raises(TypeError, match="arrays of Python objects"):
        other.run(program)
