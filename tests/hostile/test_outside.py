"""Functions of the library that a program has its objects call where no program runs: as the process ends, in threads beside it, where
a session shows a value. They have the program's permissions and stand before its gate all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tensorsh import Session, torch
from tensorsh.language.places import headline
from tensorsh.sandbox import process

from ..support.started import tensorsh

SAVES = "functools.partial(torch.save, torch.ones(1), 'leak')"
BEGIN = "import functools, torch, torch.multiprocessing as mp, torch.distributed.checkpoint as dcp\n"
AT_THE_END = [
    f"class A: __str__ = {SAVES}\nexit(A())",
    f"class A: __str__ = staticmethod({SAVES})\nexit(A())",
    f"class A(Exception): __str__ = {SAVES}\nraise A()",
    f"class P(mp.Process): join = {SAVES}\nP(target=lambda: None).start()",
    f"class P(mp.Process): kill = {SAVES}\nP(target=input, daemon=True).start()",
    "class A: __str__ = functools.partial(torch.distributed.TCPStore, 'localhost', 0, is_master=True)\nexit(A())",
]


@pytest.mark.parametrize("source", AT_THE_END, ids=range(len(AT_THE_END)))
def test_what_ends_a_process_has_the_program_s_permissions(source: str, tmp_path: Path) -> None:
    ended = tensorsh("-c", BEGIN + source, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
    assert "TypeError: __str__ returned non-string" not in ended.stderr  # all was done that it asked for


def test_what_is_freed_with_an_error_is_told_of_in_the_program_s_own_words() -> None:
    """No frame of ours is shown: what a traceback holds is freed in the session."""
    source = "def g():\n  while True:\n    try: yield\n    except BaseException: pass\n"
    ended = tensorsh("-c", source + "def f(q):\n  next(q)\n  raise KeyboardInterrupt\nf(g())")
    assert ended.stderr.startswith("KeyboardInterrupt at <string>:7:3 in f\nException ignored in: <generator object g")
    assert ended.stderr.endswith("\nRuntimeError: generator ignored GeneratorExit\n")


def test_a_pool_that_is_not_made_ends_nothing() -> None:
    source = "import multiprocessing as mp\ntry: mp.Pool(1, initargs=5)\nexcept TypeError as e: print(e)"
    ended = tensorsh("-c", source)
    assert (ended.stdout, ended.stderr) == ("'int' object is not iterable\n", "")


WRITER = f"""
class Waits:
    wait = {SAVES}
    def value(self): return []
class Writer(dcp.StorageWriter):
    def reset(self, *a): pass
    def set_up_storage_writer(self, *a, **k): pass
    def prepare_local_plan(self, plan): return plan
    def prepare_global_plan(self, plans): return plans
    def write_data(self, plan, planner): return Waits()
    def finish(self, *a): pass
    def storage_meta(self): pass
    @classmethod
    def validate_checkpoint_id(cls, i): return True
dcp.async_save({{"a": torch.ones(2)}}, storage_writer=Writer()).result()
"""


@pytest.mark.filterwarnings("ignore")
def test_threads_beside_a_program_have_its_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(torch.distributed.checkpoint.CheckpointException):
        Session().run(BEGIN + WRITER)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["Exception", "KeyboardInterrupt", "SyntaxError"])
def test_the_text_of_an_error_has_no_rights(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who show errors ask when the program has ended: editors, notebooks, tests of programs."""
    monkeypatch.chdir(tmp_path)
    body = f"class B: __str__ = {SAVES}\nraise SyntaxError(B())" if kind == "SyntaxError" else "raise A()"
    with pytest.raises(BaseException) as caught:
        Session().run(BEGIN + f"class A({kind}): __str__ = {SAVES}\n" + body)
    assert headline(caught.value)
    assert not list(tmp_path.iterdir())


READS = """
got = []
class L(torch.nn.LSTM): pass
m = L(1, 1)
m._all_weights = [["__reduce_ex__"]]
read = torch.nn.LSTM.all_weights.fget
class A: __repr__ = functools.partial(list, filter(got.append, map(read, [m])))
a = A()
"""


def test_what_a_session_shows_stands_before_the_gate() -> None:
    session = Session()
    session.run(BEGIN + READS)
    with pytest.raises((AttributeError, TypeError)):
        session.text(session["a"])
    assert session["got"] == []


def test_messages_that_a_session_reads_name_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.torch.multiprocessing import packing

    def asked() -> Any:
        return packing.by_program()

    session = Session()
    assert not asked() and session._settings.run(asked)
    monkeypatch.setattr(process, "outside", session.permissions)
    assert asked()
