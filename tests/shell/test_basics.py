"""The shell in a pseudo-terminal, as a person sees it: running, echo, errors, leaving."""

from __future__ import annotations

import time
from pathlib import Path

from .terminal import Terminal


def test_values_are_echoed_with_type_and_chain(terminal: Terminal) -> None:
    terminal.enter("x = ones(2, 2)", "x = ones(2, 2)\ntsr>")
    terminal.enter("x + 1", "tensor([[2., 2.],\n        [2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("_.shape", "torch.Size([2, 2])\ntsr>")
    terminal.enter("__", "[2., 2.]])  float32[2, 2]\ntsr>")
    terminal.enter("None", "None\ntsr>")
    terminal.enter("1 + 1; 2 + 2;", "2 + 2;\n2\ntsr>")
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


def test_blocks_end_with_an_empty_line(terminal: Terminal) -> None:
    terminal.send("def f(n):\rreturn n * 2\r")
    terminal.wait("...>     return n * 2")
    terminal.send("\r")
    terminal.enter("f(4)", "\n8\ntsr>")


def test_errors_do_not_end_it(terminal: Terminal) -> None:
    terminal.enter("1 / 0", "ZeroDivisionError: division by zero\n  --> <input 1>:1:1\n1 | 1 / 0\n    ^^^^^\ntsr>")
    terminal.enter("raise ValueError('no')", "ValueError: no")
    terminal.enter("zeros(2) @ zeros(3)", "inconsistent tensor size")
    terminal.enter("40 + 2", "42\ntsr>")
    terminal.send("exit\r")
    assert terminal.ended() == 0


def test_ctrl_c_stops_a_loop_and_drops_what_is_typed(terminal: Terminal) -> None:
    terminal.send("x = 5; print('now')\rwhile True: pass\r\r")
    terminal.wait("\nnow")
    time.sleep(1)
    terminal.interrupt()
    began = time.monotonic()
    terminal.wait("KeyboardInterrupt at <input 2>:1")
    assert time.monotonic() - began < 1
    terminal.send("abc")
    terminal.wait("tsr> abc")
    terminal.interrupt()
    terminal.enter("x", "\n5\ntsr>")


def test_ctrl_c_in_compiled_code_gives_the_prompt_back_with_all_variables(terminal: Terminal) -> None:
    terminal.enter("x = 7; n = 500", "500\ntsr>")
    terminal.enter("a = np.random.rand(n, n); b = torch.from_numpy(a)", "from_numpy(a)\ntsr>")
    terminal.send(
        "for i in range(1): c = b.repeat(1, 16).T.contiguous().sort(stable=True)[0] if n < 9 else np.sort(np.random.rand(80_000_000))\r\r"
    )
    time.sleep(1.5)
    terminal.interrupt()
    began = time.monotonic()
    terminal.wait("compiled code was running")
    assert time.monotonic() - began < 1.5
    terminal.settle()
    terminal.enter("x", "\n7\ntsr>")
    terminal.enter("'c' in globals()", "False")


def test_ctrl_c_gives_up_sleep_and_input(terminal: Terminal) -> None:
    terminal.send("import time; print('now'); time.sleep(60)\r")
    terminal.wait("\nnow")
    terminal.interrupt()
    terminal.wait("KeyboardInterrupt")
    terminal.send("name = input('name? ')\r")
    terminal.wait("\nname?")
    time.sleep(0.3)
    terminal.interrupt()
    terminal.wait("input('name? ')\nname? ^CKeyboardInterrupt")
    terminal.send("name = input('again? ')\r")
    terminal.wait("\nagain?")
    terminal.enter("Ada", "tsr>")
    terminal.enter("name", "'Ada'")


def test_interactive_after_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsr").write_text("x = 6\nprint('ran')\n")
    terminal = Terminal(tmp_path, "-i", "a.tsr")
    terminal.wait("ran\ntsr>")
    terminal.enter("x * 7", "42\ntsr>")
    terminal.close()


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, TERM="dumb")
    terminal.enter("1 + 1", "2\ntsr>")
    terminal.enter("def f():", "...>")
    terminal.enter("    return 3", "return 3\n...>")
    terminal.enter("", "...>\ntsr>")
    terminal.enter("f()", "3\ntsr>")
    terminal.enter("ones(2)", "tensor([1., 1.])\ntsr>")
    terminal.enter("%who", "f\ntsr>")
    assert b"\x1b" not in terminal.raw
    terminal.process.sendeof()
    assert terminal.ended() == 0


def test_exit_with_a_code(terminal: Terminal) -> None:
    terminal.send("exit(3)\r")
    assert terminal.ended() == 3
