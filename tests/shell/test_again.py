"""What people know from IPython: kept values, folders, entries run again, modules that have changed, long lists."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tensorsh.shell.loop import Shell

Enter = Callable[..., tuple[str, str]]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Shell()


@pytest.fixture
def enter(shell: Shell, capsys: pytest.CaptureFixture[str]) -> Enter:
    def enter(*entries: str) -> tuple[str, str]:
        capsys.readouterr()
        for entry in entries:
            shell.enter(entry)
        return tuple(capsys.readouterr())

    return enter


def test_values_are_kept_by_number(enter: Enter, shell: Shell) -> None:
    enter("x = ones(2)", "x", "x * 2", "7")
    assert enter("_2, Out[3], _4")[0] == "(tensor([1., 1.]), tensor([2., 2.]), 7)\n"
    assert enter("1", "2", "3", "(_, __, ___)")[0].endswith("(3, 2, 1)\n")
    assert enter("In[1], In[2]")[0] == "('x = ones(2)', 'x')\n"
    assert enter("_i, _ii, _i1")[0] == "('In[1], In[2]', '(_, __, ___)', 'x = ones(2)')\n"
    assert enter("_99")[1].startswith("NameError")
    assert enter("%hist 2") == enter("%history 2")
    assert enter("%who")[0] == "x\n"
    enter("Out = 3")
    assert enter("Out")[0] == "3\n"  # a program's own name comes first
    enter("%reset -f")
    assert enter("Out")[0] == "{}\n" and enter("_2")[1].startswith("NameError")


def test_only_so_many_values_are_kept(enter: Enter, shell: Shell) -> None:
    shell.outputs.most = 3
    enter(*map(str, range(10)))
    assert list(shell.outputs.values) == [8, 9, 10]
    assert enter("_7")[1].startswith("NameError") and enter("_10")[0] == "9\n"


def test_long_lists_are_shortened_as_in_ipython(enter: Enter) -> None:
    text, _ = enter("list(range(5000))")
    assert text.startswith("[0, 1, 2,") and text.endswith(", 998, 999, ...]\n")
    assert enter("list(range(1000))")[0].endswith(", 999]\n")
    assert enter("({1: list(range(2000))}, 5)")[0].endswith(", 999, ...]}, 5)\n")
    assert enter("{n: 0 for n in range(1001)}")[0].endswith("999: 0, ...}\n")
    assert enter("set(range(1001))")[0].endswith("999, ...}\n")
    assert enter("print(list(range(1001)))")[0].endswith("1000]\n")


def test_a_transcript_of_a_shortened_list_passes(enter: Enter, tmp_path: Path) -> None:
    from tensorsh.golden.runner import run_file

    enter("list(range(5000))", "%transcript t.tsr")
    assert "999, [..]]" in Path("t.tsr").read_text() and run_file(Path("t.tsr")).ok


def test_folders_and_files(enter: Enter, tmp_path: Path) -> None:
    Path("below").mkdir()
    Path("a.txt").write_text("one\n\x1b[31mred\n")
    Path("b.bin").write_bytes(b"\0\1")
    assert enter("%pwd")[0] == f"{tmp_path}/work\n"
    assert enter("%ls")[0] == "a.txt  b.bin  below/\n"
    assert re.fullmatch(r" +9? ?.*\d B  \d{4}-\d\d-\d\d \d\d:\d\d  a.txt\n", enter("%ls -l a*")[0])
    assert enter("%cat a.txt")[0] == "one\n\\x1b[31mred\n"
    assert "no text" in enter("%cat b.bin")[1] and "folder" in enter("%cat below")[1]
    assert "No such file" in enter("%cat nothing")[1] and "no such file" in enter("%ls nothing")[1]
    assert enter("%cd below")[0] == f"{tmp_path}/work/below\n"
    assert enter("%cd -")[0] == f"{tmp_path}/work\n"
    outside, _ = enter("%cd ..")
    assert outside == f"{tmp_path}\nprograms still read files below {tmp_path}/work only\n"
    assert "PermissionError" in enter("open('secret')")[1]
    assert "No such file" in enter("%cd nowhere")[1]
    os.chdir(tmp_path / "work")


def test_entries_run_again(enter: Enter, shell: Shell) -> None:
    enter("n = 0", "n += 1", "n")
    assert enter("%rerun 2-3")[0] == "| n += 1\n| n\n2\n"
    assert enter("%rerun")[0] == "| n\n2\n"
    assert enter("%macro step 2-3")[0] == "step runs 2 entries\n"
    assert enter("step")[0] == "3\n" and enter("%macro")[0] == "step\n    n += 1\n    n\n"
    assert "is a variable" in enter("%macro n 1")[1]
    assert "no entry 99" in enter("%rerun 99")[1] and "not x" in enter("%rerun x")[1]
    Path("kept.tsr").write_text("mine\n")
    enter("%macro over 1")
    shell.macros["over"] = "%save -f kept.tsr"
    assert "nothing was written" in enter("over")[1]  # what nobody typed writes over nothing
    assert Path("kept.tsr").read_text() == "mine\n"


def test_paste_asks_the_clipboard(enter: Enter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "xclip"
    program.write_text("#!/bin/sh\necho '>>> p = 5'\necho '>>> p * 2'\necho 10\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert enter("%paste")[0] == "| p = 5\n| p * 2\n10\n"
    program.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no program tells here what was copied" in enter("%paste")[1]


def test_changed_modules_are_run_anew(enter: Enter, shell: Shell) -> None:
    def write(text: str, after: int) -> None:
        Path("mymod.py").write_text(text)
        os.utime("mymod.py", (after, after))

    write("K = 1\ndef f(x): return x + K\nclass A:\n    def g(self): return 1\n", 1_000)
    enter("%autoreload 2", "import mymod; from mymod import f, A, K; a = A()")
    write("K = 10\ndef f(x): return x + K\nclass A:\n    def g(self): return 2\n", 2_000)
    assert enter("f(1), mymod.f(1), a.g(), A().g(), K")[0] == "(11, 11, 2, 2, 10)\n"
    write("def f(x:", 3_000)
    text, told = enter("f(1)")
    assert text == "11\n" and "mymod has changed and cannot be run:\nSyntaxError: '(' was never closed" in told
    write("from torch import relu as f\nclass A: pass\n", 4_000)
    enter("before = torch.relu(tensor(-1.))", "f(tensor(-1.))")
    write("from torch import exp as f\nclass A: pass\n", 5_000)
    assert (
        enter("torch.relu(tensor(-1.)), f(tensor(0.))")[0] == "(tensor(0.), tensor(1.))\n"
    )  # torch's stay as they are
    enter("%autoreload off")
    write("def f(x): return 0\n", 6_000)
    assert enter("f(tensor(0.))")[0] == "tensor(1.)\n"


def test_what_ipython_has_and_is_not_here_says_what_is(enter: Enter) -> None:
    assert enter("%matplotlib inline")[0].startswith("%matplotlib: nothing to be set up")
    assert "starts no programs" in enter("%pip install x")[1]
    assert "%debug looks into the last error" in enter("%pdb")[1]
    assert "%whos shows the memory" in enter("%memit x")[1] and "%help lists" in enter("%magic")[1]
    assert "hint: did you mean %pwd?" in enter("pwd")[1]
    assert "hint: did you mean %cd ..?" in enter("cd ..")[1]
    assert "hint" not in enter("nothing_of_that_name")[1]


def test_what_has_no_text_to_show_says_so(enter: Enter) -> None:
    assert "?? shows that of functions" in enter("torch.cumsum??")[0]
    enter("def f(x):\n    return x")
    assert enter("f??")[0].endswith("return x\n")


def test_times_by_function_and_by_line(enter: Enter) -> None:
    enter(
        "def inner(x):\n    return x.exp().log()\n", "def outer(n):\n    for i in range(n):\n        inner(ones(2))\n"
    )
    text, _ = enter("%prun outer(5)")
    calls = {name: count for count, name in re.findall(r"^ *(\d+) .*s  ([a-z]+)(?: <|$)", text, re.MULTILINE)}
    assert calls["inner"] == calls["exp"] == calls["log"] == calls["ones"] == "5" and calls["outer"] == "1"
    text, _ = enter("%lprof outer(5)")
    assert re.search(r"\n +3 +5 .* %  +inner\(ones\(2\)\) +ones x5\n", text)
    assert re.search(r"\n +2 +5 .* %  +return x\.exp\(\)\.log\(\) +exp x5, log x5\n", text)
    text, _ = enter("%lprof -f inner outer(3)")
    assert "exp x3" in text and "outer" not in text.split("\n", 1)[0] and "ones x3" not in text
    assert len(enter("%prun -l 2 -s name outer(5)")[0].split("\n")) == 6
    named = re.findall(r"s  ([a-z]+|<module>)(?= |$)", enter("%prun -s name outer(5)")[0], re.MULTILINE)
    assert named == ["<module>", "exp", "inner", "log", "ones", "outer"]
    assert enter("%prun -s size outer(5)")[1].startswith("%prun: -s needs one of time, tottime")
    assert enter("%prun -l x outer(5)")[1] == "%prun: -l needs a number of rows\n"
    text, told = enter("%prun outer('a')")
    assert "TypeError" in told and "in all" in text
    enter("%lint on")
    assert re.search(r"\n +3 .* exp\n", enter("%prun outer(3)")[0])  # beside another watch
    assert enter("import torch.profiler", "inner(zeros(1))")[0] == "tensor([0.])\n"  # nothing is left behind
