"""IPython's commands in cells: their values, commands within programs, patterns of names."""

from __future__ import annotations

import re

import pytest

from tensorsh.assist.command_lines import command_lines, replaced
from tensorsh.golden.notebook import plain

pytestmark = pytest.mark.filterwarnings("default")
TIMES = re.compile(r"CPU times: user .*, sys: .*, total: .*\nWall time: .*\n")
RUNS = re.compile(r"[\d.]+ [mnµ]?s ± [\d.]+ [mnµ]?s per loop \(mean ± std. dev. of 7 runs, [\d,]+ loops each\)")


def test_a_command_is_no_command_in_a_string_or_behind_an_open_bracket() -> None:
    text = 's = """\n%time 1\nx?"""\ny = [5\n%time, 3]\nz = 5 \\\n%time\n# it\'s (open\n%time x\n  a.b = %timeit -o f(1) \nx = "\'" ; y %= 3\n!ls\nf?\n?g*\n'
    assert [(each.number, each.indent, each.target, each.name, each.argument) for each in command_lines(text)] == [
        (8, "", "", "time", "x"), (9, "  ", "a.b", "timeit", "-o f(1)"), (11, "", "", "", "ls"), (12, "", "", "", "f?"),
        (13, "", "", "", "?g*"),
    ]  # fmt: skip
    assert replaced("a\n %x\nb", lambda each: each.indent + "c") == "a\n c\nb"


def test_a_notebook_as_a_program_takes_values_of_what_is_timed() -> None:
    text = 'a = %time f()\nif a:\n    !ls\nf?\ns = """\n!kept\n"""'
    assert plain(text) == ('a = f()\nif a:\n    pass\n\ns = """\n!kept\n"""', ["!ls", "f?"])


def test_what_is_timed_has_a_value(kernel) -> None:
    printed, value = kernel.texts("%time 3 + 4")
    assert TIMES.fullmatch(printed) and value == "7" and kernel.texts("_") == ["7"]
    assert TIMES.fullmatch(*kernel.texts("p, q = %time (1, 2)")) and kernel.texts("[p, q]") == ["[1, 2]"]
    printed, value = kernel.texts("%timeit -o p + 1")
    assert RUNS.search(printed) and RUNS.search(value) and value.startswith("<TimeitResult : ")
    assert kernel.texts("r = %timeit -q -o -n 2 -r 3 p + 1") == []
    told = (
        "r.loops, r.repeat, len(r.all_runs), r.best <= r.average <= r.worst, r.timings[0] * 2 == r.all_runs[0], type(r)"
    )
    assert kernel.texts(told) == ["(2, 3, 3, True, True, IPython.core.magics.execution.TimeitResult)"]
    assert kernel.run("r.__parts")[0]["ename"] == "AttributeError"
    assert kernel.texts("names = %who_ls\nnames") == ["['p', 'q', 'r']"]


def test_what_is_timed_is_all_of_it_and_binds_nothing(kernel) -> None:
    """The line of `%%timeit` is run before each run and not timed, as IPython does."""
    assert kernel.texts("%%timeit -n1 -r2 print('before')\nprint('a')\nkept = 1\n3")[0].startswith(
        "before\na\nbefore\na\n"
    )
    assert kernel.run("kept")[0]["ename"] == "NameError"
    assert kernel.texts("x = 5\n%timeit -q -n 3 -r 1 x += 1\nx") == ["5"]
    assert kernel.run("%timeit -n 0 1")[0]["evalue"] == "%timeit: -n needs a number above 0"


def test_commands_within_programs(kernel) -> None:
    shown = kernel.texts("def f(n):\n    v = %time n * 2\n    %time w = n + 5\n    return v + w\nf(4)")
    assert len(TIMES.findall(shown[0])) == 2 and shown[1] == "17"
    text = "for n in (1, 2):\n    r = %timeit -q -o -n 2 -r 3 torch.ones(n)\n    print(n, r.loops, r.repeat)"
    assert kernel.texts(text) == ["1 2 3\n2 2 3\n"]
    shown = kernel.run(
        "try:\n    import foo_bar\nexcept ImportError:\n    %pip install foo_bar\n    !ls\n    print('after')"
    )
    told = "".join(content["text"] for _, content in shown[1])
    assert (
        shown[0]["status"] == "ok" and "after\n" in told and "installs nothing" in told and "`!` is not there" in told
    )
    assert kernel.texts("if True:\n    %matplotlib inline\n    %load_ext autoreload\n    %autoreload 2\n3") == ["3"]
    assert kernel.run("%%capture\n!pip install torch")[0]["status"] == "ok"
    assert kernel.run("a = !ls")[0]["evalue"].startswith("`!` is not there")
    assert kernel.run("if True:\n    %who")[0]["evalue"] == "%who stands at the beginning of a line"
    assert kernel.run("a = %who")[0]["evalue"] == "%who has no value that could be assigned"
    assert kernel.run("a = %nothing")[0]["evalue"].startswith("there is no command %nothing")
    assert kernel.run("for i in [1]:\n    %time for j in [1]: pass")[0]["evalue"].startswith(
        "%time takes an expression"
    )


def test_what_stands_for_a_command_is_no_door(kernel) -> None:
    """A program may call it itself, and reaches nothing by it."""
    for call in ("'cat', '/etc/passwd'", "'run', '/etc/passwd'", "'writefile', 'x'", "'cd', '/'", "'reset', '-f'"):
        assert "root:" not in str(kernel.run(f"_command_({call})"))
    for path in ("_Within__shell", "__shell", "__class__.__init__.__globals__", "__call__.__func__", "__reduce__()"):
        assert kernel.run(f"_command_.{path}")[0]["status"] == "error", path
    assert kernel.run("_command_(3)")[0]["evalue"] == "a command is a text"


def test_names_are_found_by_a_pattern(kernel) -> None:
    assert kernel.texts("torch.on*?") == ["torch.ones\ntorch.ones_like\ntorch.onnx"]
    assert kernel.texts("?torch.NN.lin*ar") == kernel.texts("%psearch torch.nn.linear") == ["torch.nn.Linear"]
    kernel.run("weight_a = weight_b = 1")
    assert kernel.texts("weight_*?") == ["weight_a\nweight_b"] and kernel.texts("torch.zz*?") == [
        "nothing fits torch.zz*"
    ]
    assert kernel.run("6 * 7 ?")[0]["ename"] == "SyntaxError"
