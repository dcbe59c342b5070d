"""The shell in a pseudo-terminal, as a person sees it: running, echo, errors, leaving."""

from __future__ import annotations

import gc
import sys
import threading
import time
from functools import partial
from operator import call
from pathlib import Path

import pytest

from tensorsh import Session
from tensorsh.shell.worker import Abandoned, Worker

from .terminal import Terminal


def test_values_are_echoed_with_type_and_chain(terminal: Terminal) -> None:
    terminal.enter("x = ones(2, 2)", "x = ones(2, 2)\ntsr>")
    terminal.enter("x + 1", "tensor([[2., 2.],\n        [2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("_.shape", "torch.Size([2, 2])\ntsr>")
    terminal.enter("__", "[2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("None", "None\ntsr>")
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


def test_ctrl_c_in_compiled_code_gives_the_prompt_back_with_all_variables(terminal: Terminal) -> None:
    terminal.run("x = 7; a = np.random.rand(6000, 6000); np.linalg.eigvals(a[:2, :2])")
    terminal.send("print('now'); b = np.linalg.eigvals(a)\r")  # a call of minutes
    terminal.wait("\nnow")
    terminal.busy(1)
    terminal.interrupt()
    terminal.wait("compiled code was running")
    terminal.enter("x + a.size; 'b' in globals()", "\n36000007\nFalse\ntsr>")
    terminal.enter("%who", "\na  x\ntsr>")
    terminal.enter("torch.is_grad_enabled(), ones(2).log()", "(True, tensor([0., 0.]))\ntsr>")
    terminal.send("exit\r")
    assert terminal.ended() == 0


def test_what_ctrl_c_has_left_alone_ends_by_itself() -> None:
    session = Session()
    worker = Worker(session)
    begun, stuck = threading.Lock(), threading.Lock()
    begun.acquire()
    stuck.acquire()
    session["in_compiled_code"] = partial(list, map(call, (begun.release, stuck.acquire)))
    job = worker.start(lambda: session.run("with torch.no_grad(): x = in_compiled_code()\ny = 1"))
    begun.acquire()
    with pytest.raises(Abandoned):
        worker._interrupt(job)
    assert worker.busy and worker.run(lambda: session.run("z = 2; torch.is_grad_enabled()")) is True
    stuck.release()
    assert job.done.wait(60) and not worker.busy
    assert session.run("torch.is_grad_enabled()") and list(session) == ["in_compiled_code", "z"]


def test_ctrl_c_is_not_lost_in_a_collection_of_cycles() -> None:
    session = Session()
    worker = Worker(session)
    session.run("torch.set_default_dtype(torch.float64)")
    thresholds, until = gc.get_threshold(), time.monotonic() + 60
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(20):
            begun = threading.Event()
            session["begun"] = begun.set
            job = worker.start(lambda: session.run("with torch.no_grad():\n  while True: a = {1}, {2}; begun()"))
            begun.wait()
            worker._interrupt(job)
            assert job.done.wait(60) and isinstance(job.error, KeyboardInterrupt)
            assert repr(session.run("torch.get_default_dtype(), torch.is_grad_enabled()")) == "(torch.float64, True)"
        while not gc.isenabled() and time.monotonic() < until:
            time.sleep(0.001)
        assert gc.isenabled()
    finally:
        gc.set_threshold(*thresholds)


def test_calls_can_be_watched_after_ctrl_c() -> None:
    session = Session()
    worker = Worker(session)
    begun = threading.Event()
    session["begun"] = begun.set
    job = worker.start(lambda: session.run("while True: begun()"))
    begun.wait()
    worker._interrupt(job)
    calls: list[object] = []

    def watch() -> None:
        sys.setprofile(lambda *told: calls.append(told))
        try:
            begun.is_set()
        finally:
            sys.setprofile(None)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    watching.join(60)
    assert calls and not watching.is_alive()


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
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt")
    terminal.until(terminal.is_reading)
    terminal.send("name = input('name? ')\r")
    terminal.wait("\nname?")
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
