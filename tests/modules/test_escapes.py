"""Each program gets out of plain Python, and none gets out of a session's environment."""

from __future__ import annotations

import subprocess
import sys
import typing
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from tensorsh.language.compiler import RUNTIME, compile_program
from tensorsh.sandbox.environment import make_environment

from .crawl import why_not
from .escapes import ESCAPES

REFUSALS = (
    AttributeError,
    EOFError,
    ImportError,
    IndexError,
    KeyError,
    NameError,
    PermissionError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)

GONE: tuple[str, ...] = ()
if sys.version_info >= (3, 12):  # ways that newer Pythons and numpys have closed themselves
    GONE = ("import datetime; result = datetime.sys", "buffer=bytearray(8)).shape == (1,)", "624') import numpy as np")
if sys.version_info >= (3, 13):
    GONE += ("IndexError('list index out of range') import numpy as np",)

PROVE = """
import sys
import typing
sys.path[:0] = {paths!r}
from crawl import why_not
from escapes import ESCAPES
import warnings
warnings.simplefilter("ignore")
for index, source in enumerate(ESCAPES):
    scope = {{"__name__": "__main__"}}
    try:
        exec(compile(source, "<escape>", "exec"), scope)
        result = scope["result"]
        out = result is True or why_not(result) is not None
    except BaseException as error:
        out = repr(error)
    if out is not True:
        print(index, out, source.splitlines()[0])
"""


def run(source: str, **options: Any) -> dict[str, Any]:
    """A program's variables after it ran as a session runs it."""
    environment = make_environment(**options)
    environment.builtins.update(RUNTIME)
    scope = {"__name__": "__main__", "__builtins__": environment.builtins}
    program = compile_program(source, "<escape>", bound=environment.builtins)
    apart = copy_context()  # where numpy's print options are kept
    apart.run(exec, program.module, scope)
    if program.last is not None:
        apart.run(eval, program.last, scope)
    return scope


def test_they_work_in_plain_python(tmp_path: Path) -> None:
    here = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]
    code = PROVE.format(paths=here)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, input="", cwd=tmp_path)
    stuck = [line for line in found.stdout.splitlines() if not line.endswith(GONE)]
    assert stuck == [] and found.returncode == 0, found.stdout + found.stderr


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("source", ESCAPES, ids=range(len(ESCAPES)))
def test_they_do_not_work_here(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        scope = run(source)
    except REFUSALS as error:
        assert str(error)
        return
    assert not list(tmp_path.iterdir())
    result = scope.get("result")
    assert result is not True and why_not(result) is None, f"{source}\n-> {result!r}"


@pytest.mark.parametrize("way", ["one.evaluate", "type(one).evaluate", "getattr(one, 'evaluate')"])
def test_text_of_annotations_is_not_run(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing.ForwardRef, "evaluate", lambda self: 1, raising=False)  # as in Python 3.14
    start = "import typing\none = typing.get_args(typing.Optional['1 + 1'])[0]\n"
    with pytest.raises(AttributeError, match="'evaluate' of .* is not available"):
        run(start + f"result = {way}")
    own = "class Model:\n    def evaluate(self): return 5\nresult = Model().evaluate(), getattr(Model(), 'evaluate')()"
    assert run(own)["result"] == (5, 5)


def test_the_class_of_a_text_s_format_makes_no_partials() -> None:
    with pytest.raises(TypeError, match="cannot create 'partial' instances"):
        run("result = type(''.format)(print)")
    assert run("from functools import partial\nresult = type(partial(print)) is partial")["result"] is True


KEPT = {
    "class F(enum.Flag): A = 1\nF._member_type_ = object": "_sunder_ names, such as '_member_type_', are reserved",
    "class S(contextlib.ExitStack):\n def _create_cb_wrapper(self, call): return call": "cannot define '_create_cb_wrapper'",
}


@pytest.mark.parametrize("source", KEPT)
def test_names_that_the_library_trusts_are_no_program_s(source: str) -> None:
    with pytest.raises((TypeError, ValueError), match=KEPT[source]):
        run(f"import contextlib, enum\n{source}")


HIDING = """
dataclasses.make_dataclass("A", [], **{Name("namespace"): {}})
dataclasses.dataclass(**{Name("slots"): True})
dataclasses.field(**{Name("init"): True})
enum.Enum("A", "x", **{Name("type"): int})
argparse.ArgumentParser().add_argument("--x", **{Name("dest"): "y"})
np.clip(np.zeros(2), 0, 1, **{Name("where"): False})
"""


@pytest.mark.parametrize("call", HIDING.strip().splitlines())
def test_keywords_hide_from_nobody(call: str) -> None:
    start = "import argparse, dataclasses, enum, numpy as np\nclass Name(str): pass\n"
    with pytest.raises(TypeError, match="keywords must be strings"):
        run(start + call)


@pytest.mark.parametrize("given", ["collections.Counter", "enum.Enum", "enum.Flag"])
def test_makers_of_members_make_no_class_a_program_s(given: str) -> None:
    own = "class E(int, enum.Enum):\n def __new__(cls, v): return int.__new__(cls, v)\n A = 1\n"
    ask = f"try: E._new_member_({given}, 1)\nexcept TypeError: pass\n{given}.x = 5"
    with pytest.raises(TypeError, match="immutable type"):
        run(f"import collections, enum\n{own}{ask}")


def test_members_get_their_value_by_an_own_new() -> None:
    body = " def __new__(cls, v, w):\n  made = int.__new__(cls, v)\n  made._value_ = w\n  return made\n A = 1, 2\n"
    assert run(f"import enum\nclass E(int, enum.Enum):\n{body}result = E.A.value, E.A + 0, E(2) is E.A")["result"] == (
        2,
        1,
        True,
    )
