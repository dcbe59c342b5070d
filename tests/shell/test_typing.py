"""Typing: several lines, indent, colours, pasting, syntax errors, the history, completion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tensorsh.shell.history import Entries, suggestion
from tensorsh.shell.keys import Search, bindings
from tensorsh.shell.paste import without_prompts

from .terminal import DOWN, PASTE, PASTED, RIGHT, TAB, UP, Terminal


def test_indent_follows_the_block(terminal: Terminal) -> None:
    terminal.type("for i in range(2):\r", "...>")
    terminal.type("if i:\rprint(i)\r", "...>         print(i)\n...>")
    x = terminal.screen.cursor.x
    terminal.send("\x7f\x7f")  # a backspace in the margin takes a whole step
    terminal.until(lambda: terminal.screen.cursor.x == x - 8)
    terminal.enter("print('end')\r", "end\ntsr>")
    assert terminal.text().count("\nend") == 1


def test_brackets_and_strings_go_on(terminal: Terminal) -> None:
    terminal.run("x = [1,\r2]")
    terminal.enter("x", "[1, 2]\ntsr>")
    terminal.run('s = """a\rb"""')
    terminal.enter("s", r"'a\nb'")


def test_alt_enter_begins_a_line(terminal: Terminal) -> None:
    terminal.type("a = 1\x1b\rb = a + 1\x1b\rb", "...> b\n")
    terminal.enter("", "\n2\ntsr>")


def test_an_entry_of_several_lines_is_edited_as_a_whole(terminal: Terminal) -> None:
    terminal.run("def f(n):\rreturn n + 1\r")
    terminal.enter("f(1)", "\n2\ntsr>")
    terminal.type("def" + UP, "...>     return n + 1")
    terminal.send(UP + "\x05" + "0")
    terminal.wait("...>     return n + 10")
    terminal.send(DOWN)
    terminal.run("")
    terminal.enter("f(1)", "f(1)\n11\ntsr>")


def test_syntax_has_colours(terminal: Terminal) -> None:
    terminal.type("for i in zeros(2): 'text'", "'text'")

    def colours() -> list[str]:
        line = terminal.screen.buffer[terminal.screen.cursor.y]
        return [line[column].fg for column in (5, 14, 24)]  # for, zeros, 'text'

    terminal.until(lambda: "default" not in colours() and len(set(colours())) == 3, "colours")


def test_pasted_lines_keep_their_indent(terminal: Terminal) -> None:
    pasted = "def g(a):\n    if a:\n        return 1\n    return 2\n\ng(0) + g(1)"
    terminal.type(PASTE + pasted + PASTED, "...>         return 1\n...>     return 2\n...>\n...> g(0) + g(1)\n")
    terminal.enter("", "\n3\ntsr>")


def test_a_margin_that_all_pasted_lines_have_goes(terminal: Terminal) -> None:
    terminal.type(PASTE + "    a = 1\n    if a:\n        a = 5\n" + PASTED, " a = 1\n...> if a:\n...>     a = 5\n")
    terminal.run("")
    terminal.enter("def f():\r" + PASTE + "    x = 3\n    return x\n" + PASTED, "...>     x = 3\n...>     return x\n")
    terminal.enter("a, f()", "(5, 3)")


def test_pasted_prompts_and_output_go(terminal: Terminal) -> None:
    terminal.type(PASTE + ">>> a = 2\n>>> for i in range(2):\n...     a += i\n...\n>>> a\n3\n" + PASTED, "...> a\n")
    assert ">>>" not in terminal.text()
    terminal.enter("", "\n3\ntsr>")


def test_commands_among_pasted_lines_run_in_their_turn(terminal: Terminal) -> None:
    pasted = 'tsr> s = """\n...> %who"""\ntsr> %precision 2\n2\ntsr> for i in range(2):\n...>     print(i)\n...>\ntsr> s?\ntsr> 1 / 0\ntsr> %who\n'
    terminal.type(PASTE + pasted + PASTED, "...> %who\n")
    terminal.run("")
    text = terminal.text().rpartition("...> %who\n")[2]
    assert text.startswith("2\n0\n1\ns  str\n  value  '\\n%who'\nZeroDivisionError") and "i  s" not in text


def test_a_command_that_cannot_be_ends_what_is_pasted(terminal: Terminal) -> None:
    terminal.run(PASTE + "%xmode Verbose\nq = 1\n%nosuch\nq = 2" + PASTED)
    terminal.enter("q", "\n1\ntsr>")


@pytest.mark.parametrize("end", ["\r", "\n"])
def test_lines_that_arrive_at_once_are_pasted(terminal: Terminal, end: str) -> None:
    """Where a terminal says nothing of pasting: their indents and empty lines stay, and each entry runs in its turn."""
    long = "".join(f"    a_name_of_some_length_{i} = {i}\n\n" for i in range(60))  # read in pieces
    lines = f"def g(a):\n{long}    if a:\n\n        return 1\n\n    else:\n        return 2\n\nh = 10\nif h:\n    h += g(0)\n\nelse:\n    h = 0\n\nh\n"
    terminal.send(lines.replace("\n", end))
    text = terminal.wait("tsr> h\n12\ntsr>")
    assert "...>     if a:\n...>\n...>         return 1\n" in text
    terminal.enter("for i in range(2):\rprint('ahead', i)\r", "ahead 0\nahead 1")  # typed ahead: indented as ever


def test_characters_that_arrive_in_a_row_are_typed_at_once() -> None:
    with create_pipe_input() as keys:
        keys.send_text("1" * 20000 + "é\r")
        shell: Any = SimpleNamespace(is_complete=lambda text: ("complete", 0))
        reader: Any = PromptSession(input=keys, output=DummyOutput(), key_bindings=bindings(shell, Search()))
        changes: list[Any] = []
        reader.default_buffer.on_text_changed += changes.append
        assert reader.prompt() == "1" * 20000 + "é" and len(changes) < 5


def test_typed_prompts_go_too(terminal: Terminal) -> None:
    terminal.enter(">>> 40 + 2", "tsr> 40 + 2\n42\ntsr>")


def test_names_that_nobody_has_used_have_signatures(terminal: Terminal) -> None:
    for text, shown in (("nn.functional.softma", "(input, dim="), ("nn.Linea", "(in_features, out_features")):
        while shown not in terminal.type(text, text):  # they are loaded in the background
            terminal.send("\x15")
            terminal.gone(text)


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
    terminal.type("print('first'); x = = 1\r", "SyntaxError: ")
    assert "tsr> print('first'); x = = 1" in terminal.text() and "\nfirst" not in terminal.text()
    terminal.until(lambda: terminal.screen.cursor.x == len("tsr> print('first'); x = "), "the cursor at the fault")
    terminal.type("\x1b[3~", "x =  1\n")  # the fault is under the cursor: delete it
    terminal.enter("\x05", "\nfirst")
    terminal.enter("x", "1\ntsr>")
    terminal.type("if x:\ry = = 2\r", "SyntaxError: ")
    terminal.type("\r\x05 + 1", "...>     y = = 2 + 1\n")  # Enter once more asks again and breaks no line


@pytest.mark.parametrize("keys", ["exit\r", "quit\r", "exit()\r", "quit()\r", "\x04"])
def test_leaving(terminal: Terminal, keys: str) -> None:
    terminal.send(keys)
    assert terminal.ended() == 0


def test_vi_keys(terminal: Terminal) -> None:
    terminal.enter("%config keys vi", "keys = vi")
    terminal.type("12 + 1", "12 + 1")
    x = len("tsr> 12 + 1")
    terminal.until(lambda: terminal.screen.cursor.x == x, "the cursor behind it")
    terminal.send("\x1b")
    terminal.until(lambda: terminal.screen.cursor.x == x - 1, "navigation mode")
    terminal.type("0x", "\x20" + "2 + 1\n")
    terminal.enter("", "\n3\ntsr>")
    terminal.enter("40 + 1\x1b", "\n41\ntsr>")  # Escape and Enter at once


def test_up_finds_what_begins_alike(terminal: Terminal) -> None:
    terminal.run("alpha = 1", "beta = 2", "alpha + 10", "beta + 20")
    terminal.type("al", "al")
    terminal.type(UP, " alpha + 10\n")
    terminal.type(UP, " alpha = 1\n")


def test_ctrl_r_searches(terminal: Terminal) -> None:
    terminal.run("first = 41 + 1", "second = 2")
    terminal.type("\x12" + "41", " first = 41 + 1\n")
    terminal.send("\r")  # ends the search
    terminal.gone("i-search")
    terminal.run("")
    terminal.enter("first", "\n42\ntsr>")


def test_a_suggestion_is_accepted_by_right(terminal: Terminal) -> None:
    terminal.run("total = 5 * 5", "total = 0" + "\x08" + "5 * 6")
    terminal.type("tota", "total = 5 * 6\n")
    x = len("tsr> tota")
    terminal.until(lambda: terminal.screen.cursor.x == x, "the cursor before it")
    terminal.send(RIGHT)
    terminal.until(lambda: terminal.screen.cursor.x == x + len("l = 5 * 6"), "the cursor behind it")
    terminal.run("")
    terminal.enter("total", "\n30\ntsr>")


def test_the_menu_shows_shapes_and_signatures(terminal: Terminal) -> None:
    terminal.run("weights = ones(3, 4); weights.argmax(); vector = ones(3, requires_grad) * 2")
    terminal.type("vector.", "abs_")
    assert "Warning" not in terminal.text()  # of `vector.T` and `vector.grad`
    terminal.type("\x15", "\n")
    terminal.type("weigh", "float32[3, 4]")
    terminal.type("ts.argm", "(dim=None, keepdim=False")
    terminal.type(TAB, " weights.argmax\n")
    terminal.send("\r")  # takes what is chosen
    terminal.gone("(dim=None, keepdim=False")
    terminal.enter("()", "\ntensor(0)  int64[]\ntsr>")


def test_keywords_dtypes_and_files_are_completed(terminal: Terminal) -> None:
    (terminal.folder / "numbers.csv").write_text("1")
    terminal.run("x = ones(3)")
    terminal.type("x.sum(keep", "keepdim=")
    terminal.type("\x15x = ones(2, dtype=bf", "bfloat16")
    terminal.type("\x15open('num", "numbers.csv")
    terminal.type("\x15x.sum() /", "x.sum() /\n")  # neither a division nor the end of a string asks for names
    terminal.type("\x15'text'", "'text'\n")
    assert "abs" not in terminal.entry()
    terminal.type("\x15%who", "lists the variables with dtype")
    terminal.type("\x15%load n", "numbers.csv")
    assert "nansum" not in terminal.entry()
    terminal.type("\x15%help lpr", "runs it and says how long each line took")
    terminal.send("\x15x.sum(" + TAB)  # before the search for a menu that nobody asked for has ended
    terminal.wait("keepdim=")


def test_the_history_is_not_searched_for_each_key() -> None:
    class Counting(Entries):
        def __init__(self) -> None:
            self.session, self.seen = ["value_1 = 0"], 0
            self.earlier = [f"value_{i} = {i} * {i}" for i in range(10_000)]

        def newest_first(self) -> Iterator[str]:
            for entry in super().newest_first():
                self.seen += 1
                yield entry

    entries = Counting()
    suggest = suggestion(entries)
    proposed = lambda text: getattr(suggest.get_suggestion(None, Document(text)), "text", None)
    for length in range(1, len("value_77") + 1):
        rest = proposed("value_77"[:length])
    assert rest == "99 = 7799 * 7799" and entries.seen < 3000
    assert proposed("value_77x") is None and entries.seen < 10_100
    assert proposed("value_77xy") is None and entries.seen < 10_100
    assert proposed("value_8") == "999 = 8999 * 8999"
    entries.session.append("value_8 = 1")
    assert proposed("value_8") == " = 1" and proposed("value_8 = 1") is None and proposed(" ") is None


def test_keys_are_drawn_with_a_long_history(tmp_path: Path) -> None:
    folder = tmp_path / "state/tensorsh"
    folder.mkdir(parents=True)
    (folder / "history.jsonl").write_text("".join(f'"value_{i} = {i} * {i}"\n' for i in range(10_000)))
    terminal = Terminal(tmp_path)
    terminal.type("value_77", "value_7799 = 7799 * 7799")
    terminal.close()
