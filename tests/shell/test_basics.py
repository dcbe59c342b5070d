"""The shell in a pseudo-terminal, as a person sees it: running, echo, errors, leaving."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from tensorsh import Session
from tensorsh.engine.arrays.state import state
from tensorsh.sandbox import settings
from tensorsh.shell.interrupts import Interrupts

from ..support.processes import printed
from .terminal import Terminal

WITHIN = 2.0
"""Seconds in which Ctrl-C gives the prompt back."""


def test_values_are_echoed_with_type_and_chain(terminal: Terminal) -> None:
    terminal.enter("x = ones(2, 2)", "x = ones(2, 2)\ntsr>")
    terminal.enter("x + 1", "tensor([[2., 2.],\n        [2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("_.shape", "torch.Size([2, 2])\ntsr>")
    terminal.enter("__", "[2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("None", "None\ntsr>")
    terminal.enter("# nothing runs", "# nothing runs\ntsr>")
    terminal.enter("1 + 1; 2 + 2;", "2 + 2;\n2\ntsr>")
    terminal.enter("5;\x1b\r6\x1b\r[7,\x1b\r8];\x1b\r9", "\n...> 9\n6\n9\ntsr>")
    terminal.enter("w = ones(2, requires_grad)", "grad)\ntsr>")
    terminal.enter(
        "((x * w) + 1).mean()",
        "tensor(2., grad_fn=<MeanBackward0>)  float32[]\nMeanBackward0 ← AddBackward0 ← MulBackward0 ← w",
    )
    terminal.enter("%config note off", "note = False")
    terminal.enter("%config chain off", "chain = False")
    terminal.enter("(x * w).sum()", "tensor(4., grad_fn=<SumBackward0>)\ntsr>")
    terminal.send("\x04")
    assert terminal.ended() == 0


def test_numbers_nan_and_what_is_dim_have_colours(terminal: Terminal) -> None:
    terminal.enter("tensor([1.5, float('nan')])", "float32[2]\ntsr>")
    assert b"\x1b[36m1.5000\x1b[0m" in terminal.raw and b"\x1b[1;31mnan\x1b[0m" in terminal.raw
    assert b"\x1b[90mfloat32[2]\x1b[0m" in terminal.raw


def test_what_is_printed_without_newline_stays_alone_in_its_line(terminal: Terminal) -> None:
    terminal.enter("print('half', end='')", "\nhalf\ntsr>")
    terminal.enter("print('half', end=''); 1 / 0", "\nhalf\nZeroDivisionError")


def test_blocks_end_with_an_empty_line(terminal: Terminal) -> None:
    terminal.type("def f(n):\rreturn n * 2\r", "...>     return n * 2\n...>")
    terminal.run("")
    terminal.enter("f(4)", "\n8\ntsr>")


def test_errors_do_not_end_it(terminal: Terminal) -> None:
    terminal.enter("1 / 0", "ZeroDivisionError: division by zero\n  --> <input 1>:1:1\n1 | 1 / 0\n    ^^^^^\ntsr>")
    terminal.enter("raise ValueError('no')", "ValueError: no")
    terminal.enter("zeros(2) @ zeros(3)", "inconsistent tensor size")
    terminal.enter("40 + 2", "42\ntsr>")
    terminal.send("exit\r")
    assert terminal.ended() == 0


def test_ctrl_c_stops_a_loop_and_drops_what_is_typed(terminal: Terminal) -> None:
    terminal.run("x = 5")
    terminal.send("print('now')\x1b\rwhile True: pass\x1b\r\r")
    terminal.wait("\nnow")
    terminal.busy(0.1)
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt at <input 2>:2")
    terminal.type("abc", "abc")
    terminal.interrupt()
    terminal.enter("x", "\n5\ntsr>")


@pytest.mark.parametrize("call", ["a @ a", "torch.linalg.eigvals(a)", "torch.linalg.svd(a)", "sum(range(10**12))"])
def test_ctrl_c_ends_a_long_call_at_its_line(terminal: Terminal, call: str) -> None:
    terminal.run("x = 7; a = rand(4000, 4000, dtype=torch.float64); repr(torch.linalg.eigvals(ones(2, 2)))")
    terminal.send(f"print('now'); b = {call}\r")
    terminal.wait("\nnow")
    terminal.busy(0.1)
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt")
    terminal.enter("x + a.numel(); 'b' in globals()", "\n16000007\nFalse\ntsr>")


@pytest.mark.parametrize(
    "call",
    [
        "10**10**8",
        "re.match('(a+)+$', 'a' * 40 + 'b')",
        "ones(1).expand(10**12).sum()",
    ],
)
def test_ctrl_c_ends_what_never_ends(terminal: Terminal, call: str) -> None:
    terminal.run("x = 7; import re; repr(torch.linalg.inv(eye(2)))")
    terminal.send(f"print('now')\x1b\r{call}\r")
    terminal.wait("\nnow")
    terminal.busy(0.1)
    began = time.monotonic()
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt at <input 2>:")
    assert time.monotonic() - began < WITHIN
    terminal.enter("x + 35", "\n42\ntsr>")


@pytest.mark.parametrize(
    "program",
    [
        "try:\n  while True: pass\nfinally:\n  while True: pass",
        "while True:\n  try:\n    while True: len([1])\n  except: len([1])",
        "def g():\n  try: yield\n  finally:\n    while True: len([1])\na = g()\nnext(a)\ndel a\nwhile True: pass",
        "class A:\n  def __repr__(self):\n    while True: pass\nprint(A())",
        "class A(Exception):\n  def __str__(self):\n    while True: pass\nraise A()",
    ],
)
def test_ctrl_c_twice_ends_what_catches_it(terminal: Terminal, program: str) -> None:
    (terminal.folder / "program.tsr").write_text(f"print('now')\n{program}\n")
    terminal.run("x = 7")
    terminal.send("%run program.tsr\r")
    terminal.wait("\nnow")
    terminal.busy(0.1)
    prompts = terminal.prompts()
    terminal.interrupt()
    time.sleep(0.3)
    terminal.interrupt()
    terminal.until(lambda: terminal.prompts() > prompts and terminal.is_reading(), "the prompt")
    assert "Insistent" not in terminal.enter("x + 35", "\n42\ntsr>")


def test_what_nests_deeply_is_an_error_or_ends(terminal: Terminal) -> None:
    terminal.run("def f(n): return f(n + 1)\r", "x = iter([7])")
    terminal.enter("f(0)", "RecursionError: maximum recursion depth exceeded")
    terminal.run("for i in range(100000): x = map(int, x)\r")
    terminal.enter("list(x)", "\n[7]\ntsr>")


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    """Ctrl-C as in the shell, in the tests' own process."""
    before, threads, until = signal.getsignal(signal.SIGINT), _thread._count(), time.monotonic() + 60
    found = Interrupts()
    found.listen()
    yield found
    while _thread._count() > threads and time.monotonic() < until:
        time.sleep(0.01)  # who still presses must not press what listens next
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_is_not_lost_in_a_collection_of_cycles(interrupts: Interrupts) -> None:
    session = Session()
    session.run("torch.set_default_dtype(torch.float64)")
    thresholds, until = gc.get_threshold(), time.monotonic() + 60
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(20):
            session["press"] = threading.Timer(0.01, press).start
            with pytest.raises(KeyboardInterrupt):
                interrupts.run(session.run, "press()\nwith torch.no_grad():\n  while True: a = {1}, {2}")
            assert repr(session.run("torch.get_default_dtype(), torch.is_grad_enabled()")) == "(torch.float64, True)"
        while not gc.isenabled() and time.monotonic() < until:
            time.sleep(0.001)
        assert gc.isenabled()
    finally:
        gc.set_threshold(*thresholds)


def test_ctrl_c_leaves_no_settings_behind(interrupts: Interrupts) -> None:
    """It comes at every line of the way into a program and out of it, the first time that it is run and the last."""
    session, kept = Session(), warnings.filters[:]
    session.run("torch.set_default_dtype(torch.float64)")
    program = session.compile("1", "x")
    outside = state.default_dtype
    step = last = left = 0
    firsts: dict[tuple, int] = {}
    lasts: dict[tuple, int] = {}  # of a loop over all that programs meet not each round
    interrupts._is_trying = True  # nothing comes again: it would while `each` runs, which is no step of the way

    def each(frame: FrameType, event: str, told: object) -> object:
        nonlocal step
        step += 1
        if not last:
            firsts.setdefault(place := (frame.f_code, frame.f_lineno, event), step)
            lasts[place] = step
        if step == last:
            interrupts._hear(signal.SIGINT, frame)
        return each

    def interrupted() -> bool:
        nonlocal step
        step = 0
        sys.settrace(each)
        try:
            interrupts.run(session.execute, program)
            return False
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)

    assert not interrupted()
    steps = sorted({*firsts.values(), *lasts.values()})
    for last in steps:  # noqa: B007 - each looks at it
        left += interrupted()
        assert warnings.filters == kept and not session._settings.depth and not settings._turn._is_owned()
        assert state.default_dtype is outside
        interrupts.forget()
    assert 5 < left < len(steps)
    assert repr(session.run("torch.get_default_dtype()")) == "torch.float64"


def test_ctrl_c_leaves_no_family_of_operators_half_loaded() -> None:
    code = """
import os, signal, sys
from tensorsh import Session
from tensorsh.shell.interrupts import Interrupts
interrupts, session = Interrupts(), Session()
interrupts.listen()
from tensorsh.engine.loading import table
real = table.importlib.import_module
def load(name):
    if name.endswith("powers"):
        os.kill(os.getpid(), signal.SIGINT)
    return real(name)
table.importlib.import_module = load
program = "torch.sqrt(torch.ones(2, requires_grad=True)).sum().backward()\\nwhile True: pass"
try:
    interrupts.run(session.run, program)
except KeyboardInterrupt:
    print("interrupted", "tensorsh.engine.ops.elementwise.powers" in sys.modules)
session.run("w = torch.ones(2, requires_grad=True); torch.sqrt(w).sum().backward(); print(w.grad)")
"""
    assert printed(code).split("\n")[-3:-1] == ["interrupted True", "tensor([0.5000, 0.5000])"]


def test_ctrl_c_between_two_entries_is_remembered_until_the_next_is_read(interrupts: Interrupts) -> None:
    press()
    with pytest.raises(KeyboardInterrupt):
        interrupts.run(print, "not reached")
    press()
    interrupts.forget()
    assert interrupts.run(len, "abc") == 3


def test_a_program_may_catch_ctrl_c(terminal: Terminal) -> None:
    terminal.run("import time")
    terminal.send(
        "try: print('now'); [None for i in iter(int, 1)]\x1b\rexcept KeyboardInterrupt: time.sleep(2); print('caught')\x1b\r\r"
    )
    terminal.wait("\nnow")
    terminal.busy(0.1)
    terminal.interrupt()
    terminal.wait("^Ccaught\ntsr>")


def test_ctrl_c_gives_up_sleep_and_input(terminal: Terminal) -> None:
    terminal.run("import time")
    terminal.send("print('now'); time.sleep(600)\r")
    terminal.wait("\nnow")
    terminal.rests()
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt")
    terminal.until(terminal.is_reading)
    terminal.send("name = input('name? ')\r")
    terminal.wait("\nname?")
    terminal.rests()
    terminal.interrupt()
    terminal.wait("input('name? ')\nname? ^C\nKeyboardInterrupt")
    terminal.until(terminal.is_reading)
    terminal.send("name = input('again? ')\r")
    terminal.wait("\nagain?")
    terminal.answer("Ada")
    terminal.enter("name", "again? Ada\ntsr> name\n'Ada'")


def test_interactive_after_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsr").write_text("x = 6\nprint('ran')\n")
    terminal = Terminal(tmp_path, "-i", "a.tsr")
    terminal.wait("ran\ntsr>")
    terminal.enter("x * 7", "42\ntsr>")
    terminal.close()


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, TERM="dumb")
    for text, shown in (
        ("1 + 1", "2\ntsr>"), ("def f():", "...>"), ("    return 3", "return 3\n...>"), ("", "...>\ntsr>"),
        ("f()", "3\ntsr>"), ("ones(2)", "tensor([1., 1.])\ntsr>"), ("%who", "f\ntsr>"),
    ):  # fmt: skip
        terminal.send(text + "\r")
        terminal.wait(shown)
    assert b"\x1b" not in terminal.raw
    terminal.send("\x04")
    assert terminal.ended() == 0


def test_exit_with_a_code(terminal: Terminal) -> None:
    terminal.send("exit(3)\r")
    assert terminal.ended() == 3


def test_bounds_of_the_command_line(tmp_path: Path) -> None:
    """--max-memory holds for each entry and leaves the shell alive; what can bound only a program is refused."""
    terminal = Terminal(tmp_path, "--max-memory", "300M")
    terminal.enter("rows = []", "rows = []")
    terminal.enter("while True: rows.append([0.0] * 5000000)\n", "the limit is 314572800 bytes (--max-memory)")
    terminal.enter("len(rows) > 3, ones(2)", "(True, tensor([1., 1.]))")
    terminal.close()
    terminal = Terminal(tmp_path, "--timeout", "5", wait=False)
    terminal.wait("in the shell Ctrl-C stops what runs")
    assert terminal.ended() == 2
