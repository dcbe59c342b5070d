"""argparse, logging and the modules around files answer as Python's do."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import logging
from pathlib import Path
from typing import Any

import pytest

from tensorsh import Session
from tensorsh.sandbox.environment import make_environment
from tensorsh.sandbox.files import Permissions

PARSER = """
parser = argparse.ArgumentParser("train", description="Trains.", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
parser.add_argument("data", nargs="*", metavar="FILE")
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
parser.add_argument("-e", "--max-epochs", type=int, default=3, choices=range(1, 10))
parser.add_argument("--no-cuda", dest="cuda", action="store_false")
parser.add_argument("-v", action="count", default=0)
parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
group = parser.add_argument_group("model")
group.add_argument("--width", type=int, default=8)
only = group.add_mutually_exclusive_group()
only.add_argument("--cnn", action="store_true")
only.add_argument("--rnn", action="store_true")
parser.set_defaults(seed=1)
"""


@pytest.mark.parametrize("given", ["", "a b --lr 0.5 -e 4 -vv", "--no-cuda --rnn --width 3 --no-amp", "-e 2 x"])
def test_arguments_are_parsed_as_by_python(given: str) -> None:
    found = []
    for module in (argparse, make_environment(argv=("train.tsr", *given.split())).module("argparse")):
        scope: dict[str, Any] = {"argparse": module}
        exec(PARSER, scope)
        args = scope["parser"].parse_args(given.split())
        found.append(
            (repr(args), scope["parser"].format_help(), args.lr, args == scope["parser"].parse_args(given.split()))
        )
    assert found[0] == found[1]


@pytest.mark.parametrize("given", ["--lr x", "--nope", "--cnn --rnn", "-e 99"])
def test_wrong_arguments_end_the_program(given: str, capsys: pytest.CaptureFixture) -> None:
    said = []
    for module in (argparse, make_environment().module("argparse")):
        scope: dict[str, Any] = {"argparse": module}
        exec(PARSER, scope)
        with pytest.raises(SystemExit) as end:
            scope["parser"].parse_args(given.split())
        said.append((end.value.code, capsys.readouterr().err))
    assert said[0] == said[1]


def test_the_arguments_of_the_program_and_its_commands() -> None:
    output = io.StringIO()
    session = Session(stdout=output, arguments=["prog.tsr", "fit", "--lr", "2"])
    session.run(
        """
import argparse, types
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command", required=True)
fit = commands.add_parser("fit", help="fit it")
fit.add_argument("--lr", type=float)
args = parser.parse_args()
args.extra = [1]
print(args, vars(args)["lr"], "lr" in args, parser.format_usage().strip())
print(types.SimpleNamespace(a=1, b="x"))
"""
    )
    assert output.getvalue().splitlines() == [
        "Namespace(command='fit', lr=2.0, extra=[1]) 2.0 True usage: prog.tsr [-h] {fit} ...",
        "namespace(a=1, b='x')",
    ]


JOURNAL = """
logging.debug("never"); logging.warning("first %s", 1)
log = logging.getLogger("net.layer")
log.info("not yet")
logging.getLogger("net").setLevel("DEBUG")
log.info("values %d and %.2f", 3, 0.5)
handler = logging.StreamHandler(stream)
handler.setFormatter(logging.Formatter("%(levelname)-8s|%(name)s|%(funcName)s|%(message)s"))
log.addHandler(handler)
log.error("twice"); log.propagate = False
def train(): log.warning("once")
train()
handler.setLevel(logging.ERROR); log.info("no"); log.critical("yes")
print(log, logging.getLogger(), logging.getLevelName(30), log.isEnabledFor(10), log.getEffectiveLevel(), file=stream)
class Marked(logging.Formatter):
    FORMATS = {logging.INFO: "I %(name)s %(message)s", logging.ERROR: "E %(lineno)d %(message)s"}
    def __init__(self, tag): super().__init__("%(asctime)s %(levelname)s %(tag)s %(message)s"); self.tag = tag
    def format(self, record):
        record.tag, record.levelname = self.tag, record.levelname.lower()
        if record.levelno in self.FORMATS: return logging.Formatter(self.FORMATS[record.levelno]).format(record)
        return super().format(record).upper()
    def formatTime(self, record, datefmt=None): return "now"
class Rows(logging.Handler):
    def __init__(self): super().__init__(); self.rows = []
    def emit(self, record): self.rows.append((self.format(record), record.getMessage(), record.args, record.funcName))
class Framed(logging.StreamHandler):
    def emit(self, record): self.stream.write("[" + self.format(record) + "]" + self.terminator)
class Quiet(logging.Filter):
    def filter(self, record): return "quiet" not in record.getMessage()
marked = logging.getLogger("marked"); marked.setLevel("DEBUG"); marked.propagate = False; marked.addFilter(Quiet())
rows, framed = Rows(), Framed(stream); framed.setFormatter(Marked("T")); framed.addFilter(lambda r: r.levelno > 10)
marked.addHandler(rows); marked.addHandler(framed)
marked.debug("x=%d", 3); marked.info("hi"); marked.warning("w"); marked.error("bad %s", 1); marked.info("be quiet")
print(rows.rows, isinstance(framed, logging.StreamHandler), framed.level, file=stream)
try: logging.Handler().emit(None)
except NotImplementedError as error: print(error, file=stream)
"""


def test_a_journal_as_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = io.StringIO()
    root = logging.RootLogger(logging.WARNING)
    manager = logging.Manager(root)
    monkeypatch.setattr(logging, "root", root)
    monkeypatch.setattr(logging.Logger, "root", root)
    monkeypatch.setattr(logging.Logger, "manager", manager)
    logging.basicConfig(stream=theirs)
    exec(JOURNAL, {"logging": logging, "stream": theirs})
    ours = io.StringIO()
    session = Session(stdout=ours)
    session.run("import logging, sys; stream = sys.stdout; logging.basicConfig(stream=stream)")
    session.run(JOURNAL)
    assert ours.getvalue() == theirs.getvalue()


DISPATCH = """
@singledispatch
def show(x): return f"other {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
@show.register(tuple)
def _(x, more=0): return f"{len(x)} and {more}"
class Shown:
    name = "one"
    @singledispatchmethod
    def show(self, x): return f"{self.name} other {x}"
    @show.register
    def _(self, x: int): return f"{self.name} int {x}"
    @show.register(str)
    def _(self, x, more=0): return f"{self.name} text {x} {more}"
answers = [Shown().show(1.5), Shown().show(2), Shown().show("a", more=3), show(3), show(True), show("s"), show((1,), more=2), show([]), show.dispatch(float)(2.0)]
for call in (lambda: show(), lambda: show.register(lambda x: x)):
    try: call()
    except TypeError as error: answers.append(str(error)[:40])
"""


def test_dispatch_by_class_as_pythons() -> None:
    theirs: dict = {name: getattr(functools, name) for name in ("singledispatch", "singledispatchmethod")}
    exec(DISPATCH, theirs)
    session = Session()
    session.run("from functools import singledispatch, singledispatchmethod")
    session.run(DISPATCH)
    assert session["answers"] == theirs["answers"]


DECORATING = """
class Within(contextlib.ContextDecorator):
    def __enter__(self): seen.append("in"); return self
    def __exit__(self, kind, error, trace): seen.append(kind and kind.__name__); return kind is ZeroDivisionError
@Within()
def inverse(x, *, more=0):
    "One by x."
    return 1 / x + more
seen = []
seen += [inverse(2, more=1), inverse(0), inverse.__name__, inverse.__doc__]
with Within() as w: seen.append(isinstance(w, contextlib.ContextDecorator))
"""


def test_decorating_context_managers_as_pythons() -> None:
    theirs: dict = {"contextlib": contextlib}
    exec(DECORATING, theirs)
    session = Session()
    session.run("import contextlib")
    session.run(DECORATING)
    assert session["seen"] == theirs["seen"]


def test_files_by_their_patterns(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/1.txt", "a/2.txt", "a/3.csv"):
        (tmp_path / name).write_text(name)
    environment = make_environment(permissions=Permissions(read=[str(tmp_path)], write=[str(tmp_path)]))
    glob, shutil, tempfile = (environment.module(name) for name in ("glob", "shutil", "tempfile"))
    assert [Path(p).name for p in sorted(glob.glob(f"{tmp_path}/*/*.txt"))] == ["1.txt", "2.txt"]
    with pytest.raises(PermissionError):
        glob.glob("/*")
    shutil.copy(f"{tmp_path}/a/1.txt", f"{tmp_path}/b.txt")
    assert (tmp_path / "b.txt").read_text() == "a/1.txt"
    with tempfile.TemporaryDirectory() as folder:
        assert Path(folder).is_dir() and Path(folder).parent == tmp_path
        (Path(folder) / "x").write_text("")
    assert not Path(folder).exists()
    shutil.rmtree(f"{tmp_path}/a")
    assert not (tmp_path / "a").exists()
    with pytest.raises(PermissionError):
        shutil.rmtree(str(tmp_path.parent))


@pytest.mark.sources
def test_the_page_on_the_language_names_each_module() -> None:
    page = (Path(__file__).parents[2] / "docs/language.md").read_text(encoding="utf-8")
    told = page.partition("## Modules")[2].partition("**Modules of your own")[0]
    there = Session()._environment.names_in("")
    plain = [name for name in there if not name.startswith(("torch", "tensorsh"))]
    assert plain and [name for name in plain if f"`{name}`" not in told and f"`{name}." not in told] == []
