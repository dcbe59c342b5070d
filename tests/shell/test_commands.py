"""The % commands, questions, and what is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorsh.golden.runner import run_file

from .terminal import Terminal


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n")]


def test_help_lists_every_command(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, columns=140, rows=60)
    text = terminal.enter("%help", "Ctrl-R searches")
    for name in (
        "time timeit run who whos reset history save load edit graph grad nan lint device dtype precision export transcript "
        "config help pwd cd ls cat rerun macro paste autoreload debug prun lprof %capture %writefile %html"
    ).split():
        assert f"%{name} " in text or f"%{name}\n" in text, name
    terminal.enter("%help timeit", "gives mean and spread")
    terminal.enter("%tiem 1", "there is no command %tiem; did you mean %time")
    terminal.enter("%save?", "writes the entries that succeeded as a program")
    terminal.enter("%%", "there is no command %; %help lists them")
    terminal.enter("?", "%autoreload [on|off]")
    terminal.close()


def test_the_system_is_out_of_reach(terminal: Terminal) -> None:
    terminal.enter("!ls", "`!` is not there")


def test_time_and_timeit(terminal: Terminal) -> None:
    text = terminal.enter("%time ones(3).sum()", "Wall time")
    assert "tensor(3.)" in text
    assert re.search(
        r"CPU times: user [\d.]+ [µmn]?s, sys: [\d.]+ [µmn]?s, total: [\d.]+ [µmn]?s\nWall time: [\d.]+ [µm]?s", text
    )
    text = terminal.enter("%timeit -n 100 -r 3 1 + 1", "per loop")
    assert re.search(
        r"[\d.]+ (ns|µs|ms) ± [\d.]+ (ns|µs|ms) per loop \(mean ± std. dev. of 3 runs, 100 loops each\)", text
    )
    terminal.enter("%timeit -n50 -r2 ones(3) + 1", "of 2 runs, 50 loops each")
    terminal.enter("%timeit ones(3) + 1", "of 7 runs, 1")
    terminal.enter("%timeit nothing_there", "NameError")
    terminal.type("%%time\rfor i in range(2):\rprint(i)\r", "...>     print(i)\n...>")
    terminal.enter("", "\n0\n1\nCPU times: user ")
    terminal.enter("%timeit", "needs a statement")


def test_who_and_reset(terminal: Terminal) -> None:
    terminal.run("x = ones(3, 4, requires_grad)", "n = [1, 2]", "a = np.zeros(5)", "y = x * 2", "x.sum().backward()")
    terminal.enter("%who", "a  n  x  y")
    lines = squeezed(terminal.enter("%whos", "y     Tensor"))
    assert "name type dtype shape device grad memory" in lines
    assert "x Tensor float32 [3, 4] cpu there 48 B" in lines
    assert "a ndarray float64 [5] 40 B" in lines
    assert "y Tensor float32 [3, 4] cpu MulBackward0 48 B" in lines
    assert "n list 2 items" in lines
    terminal.enter("%who Tensor, list", "\nn  x  y\ntsr>")
    terminal.enter("%whos str", "no variables of type str")
    terminal.enter("%reset now", "%reset takes -f or nothing, not now")
    terminal.enter("%pwd there", "%pwd takes nothing behind it, not there")
    terminal.send("%reset\r")
    terminal.wait("Forget all variables? (y/n)")
    terminal.answer("n")
    terminal.enter("%who", "(y/n) n\ntsr> %who\na  n  x  y")
    terminal.run("%reset -f")
    terminal.enter("%who", "no variables")


def test_graph_and_grad(terminal: Terminal) -> None:
    terminal.run("w = ones(2, requires_grad)", "loss = (w * 3).sum()")
    text = terminal.enter("%graph loss", "w              float32[2]")
    assert "loss = SumBackward0" in text and "<input 2>:1" in text and "└─ MulBackward0" in text
    terminal.enter("%grad", "none")
    terminal.run("loss.backward()")
    assert "w [2] 1.414 4.243 3 3 3" in squeezed(terminal.enter("%grad", "4.243"))
    assert "|grad| 4.243" in terminal.enter("graph(loss)", "leaf  |grad|")
    terminal.enter("%graph 3", "%graph needs a tensor, and 3 is int")


def test_history_save_load_run(terminal: Terminal) -> None:
    terminal.run("a = 2", "a / 0", "b = a * 3", "b")
    terminal.enter("%history", "1  a = 2\n2  a / 0\n3  b = a * 3\n4  b\n")
    terminal.enter("%history 1", "%history 1\n4  b\n")
    terminal.enter("%history 1-2 4", "1  a = 2\n2  a / 0\n4  b\n")
    terminal.enter("%history -g a *", "b = a * 3\ntsr>")
    terminal.enter("%save kept.tsr", "kept.tsr: 3 lines")
    assert (terminal.folder / "kept.tsr").read_text() == "a = 2\nb = a * 3\nb\n"
    terminal.enter("%save kept.tsr", "is there already; %save -f kept.tsr writes over it")
    terminal.run("%reset -f")
    terminal.enter("%run kept.tsr", "%run kept.tsr\ntsr>")
    terminal.enter("a + b", "\n8\ntsr>")
    terminal.enter("%load kept.tsr", "...> b = a * 3\n...> b")
    terminal.enter("", "\n6\ntsr>")
    terminal.enter("%run nowhere.tsr", "%run: cannot read nowhere.tsr")
    (terminal.folder / "leaves early.tsr").write_text("early = argv\nexit(3)\nlate = 1\n")
    terminal.enter("%run leaves early.tsr", "leaves early.tsr ended with exit code 3\ntsr>")
    terminal.enter("early, 'late' in globals()", "(['leaves early.tsr'], False)")
    (terminal.folder / "given.tsr").write_text(
        "import argparse, sys\np = argparse.ArgumentParser()\np.add_argument('--lr')\nprint(p.parse_args(), sys.argv == argv)\n"
    )
    terminal.enter("%run given.tsr --lr 2", "Namespace(lr='2') True\ntsr>")
    terminal.enter("import sys; sys.argv", "['']\ntsr>")
    terminal.enter("%save some.tsr 1 3-4", "some.tsr: 3 lines")
    terminal.enter("%save none.tsr 70-80", "%save: there is no entry 70-80; %history shows them")
    terminal.enter("%export kept.py", "kept.py: ")
    assert (terminal.folder / "kept.py").read_text().startswith("a = 2\n")


def test_a_transcript_is_a_golden_test(terminal: Terminal) -> None:
    terminal.run("torch.manual_seed(1);", "x = randn(2)", "x; x + 1", "print('a'); print('b')", "1 / 0")
    terminal.enter("for i in range(2):\r    print(i)\r", "\n1\ntsr>")
    terminal.enter("%transcript t.tsr", "t.tsr: ")
    text = (terminal.folder / "t.tsr").read_text()
    assert "print('a'); print('b')\n#> a\n#> b\n1 / 0\n#! ZeroDivisionError: division by zero\n" in text
    assert "    print(i)\n#> 0\n#> 1\n" in text and "float32[2]" not in text
    result = run_file(terminal.folder / "t.tsr")
    assert result.ok, [list(d.lines()) for d in result.differences]


def test_what_commands_set_stands_in_the_programs_that_are_written(terminal: Terminal) -> None:
    terminal.run("%precision 2", "tensor([3.14159])", "%dtype float64", "nothing_there", "%device cpu", "ones(1).dtype")
    terminal.run("%transcript kept.tsr", "%save kept_too.tsr", "%export kept.py")
    settings = ["torch.set_printoptions(precision=2)", "torch.set_default_dtype(torch.float64)"]
    program = [settings[0], "tensor([3.14159])", settings[1], "torch.set_default_device('cpu')", "ones(1).dtype"]
    assert (terminal.folder / "kept_too.tsr").read_text().splitlines() == program
    assert run_file(terminal.folder / "kept.tsr").ok
    assert settings[1] in (terminal.folder / "kept.py").read_text()


def test_edit(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'edited = 5' > \"$1\"\n")
    editor.chmod(0o755)
    terminal = Terminal(tmp_path, EDITOR=str(editor), VISUAL="")
    terminal.run("%edit")
    terminal.enter("edited", "\n5\ntsr>")
    terminal.close()


def test_device_dtype_precision(terminal: Terminal) -> None:
    terminal.enter("%device", "\ncpu\n")
    terminal.enter("%device nowhere", "Expected one of cpu")
    terminal.enter("%device", "%device\ncpu\n")
    terminal.enter("%dtype float64", "\nfloat64\n")
    terminal.enter("ones(1).dtype", "torch.float64")
    terminal.wait("cpu · float64 · grad on")
    terminal.enter("%precision 2", "\n2\n")
    terminal.enter("tensor([1.23456])", "tensor([1.23])")
    terminal.enter("%dtype nonsense", "%dtype takes one of float32, float64, float16, bfloat16, float,")
    terminal.enter("%precision many", "takes a number")


def test_nan_and_lint(terminal: Terminal) -> None:
    terminal.enter("%nan", "nan is off")
    terminal.enter("%nan on", "%nan on\ntsr>")
    terminal.wait("0 B · nan")
    terminal.enter("zeros(2).log()", "log has -infinity at [0] (2 of 2 elements)")
    terminal.enter("%nan off", "%nan off\ntsr>")
    terminal.enter("zeros(2).log()", "tensor([-inf, -inf])")
    terminal.enter("%lint on", "%lint on\ntsr>")
    terminal.enter("ones(3, 1) + ones(3)", "UserWarning: add of shapes [3, 1] and [3] gives [3, 3]")
    terminal.enter("%nan maybe", "%nan takes on or off")


def test_nan_from_the_command_line(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "--nan")
    terminal.enter("zeros(2).log()", "log has -infinity at [0]")
    terminal.close()


def test_questions(terminal: Terminal) -> None:
    terminal.run("x = arange(12.).view(3, 4).t()")
    text = terminal.enter("x?", "strides")
    lines = squeezed(text)
    assert "dtype torch.float32" in lines and "shape torch.Size([4, 3])" in lines, text
    assert "strides (1, 4), not contiguous" in lines and "device cpu" in lines
    assert "values mean 5.5, std 3.452, min 0, max 11" in lines
    assert any("█" in line for line in lines)
    text = terminal.enter("mul?", "input: g * ")
    assert "mul(input, other, *, out=None)" in text
    terminal.enter("nothing_there?", "nothing is called nothing_there")
    terminal.enter("reluu?", "did you mean relu")
    terminal.enter("nn.Linera?", "did you mean nn.Linear?")
    terminal.enter("for?", "for is a word of the language itself")
    terminal.enter("help('softmax')", "softmax(input, dim")
    terminal.run("def double(a, *, b=1):\r'Twice a.'\rreturn a * 2\r")
    terminal.enter("double?", "double(a, *, b=1)  function\n\nTwice a.\ntsr>")
    terminal.enter("double??", "Twice a.\ndef double(a, *, b=1):\n    'Twice a.'\n    return a * 2\ntsr>")
    terminal.run("layers = [nn.Linear(2, 3)]")
    terminal.enter("layers[0].weight?", "torch.Size([3, 2])")
    terminal.enter("softmax?", "  input: g * result - result * sum(g * result, dim, True)")
    terminal.enter("help(softmax)", "softmax(input, dim")
    terminal.enter("?x.sum", "x.sum(dim=None, keepdim=False, *, dtype=None")


def test_config_writes_an_explained_file(terminal: Terminal) -> None:
    terminal.enter("%config", "with an explanation of each")
    text = (terminal.folder / "config/tensorsh/config.toml").read_text()
    import tomllib

    from tensorsh.shell.config import KEYS

    assert tomllib.loads(text) == {name: key.default for name, key in KEYS.items()}
    assert all(key.about.split(".")[0] in text for key in KEYS.values())
    terminal.enter("%config", "the settings file is")
    terminal.enter("%config theme purple", "theme must be auto or dark or light or plain, not 'purple'")
    terminal.enter("%config nonsense 1", "there is no setting 'nonsense'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("note = false\n", ""),
        ("note = 3\n", "note must be true or false, not 3"),
        ("note = \n", "is not used"),
        ("nose = 1\n", "no setting 'nose'"),
    ],
)
def test_config_is_read_and_what_is_wrong_is_said(tmp_path: Path, text: str, problem: str) -> None:
    folder = tmp_path / "config/tensorsh"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)
    terminal = Terminal(tmp_path)
    shown = terminal.enter("ones(1)", "tensor([1.])" + ("  float32[1]" if problem else "\n"))
    shown = "".join(shown.split())  # where the lines end depends on the folder's name
    assert problem.replace(" ", "") in shown and shown.count("config.toml") == (1 if problem else 0)
    terminal.close()


def test_a_program_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "config/tensorsh"
    folder.mkdir(parents=True)
    (folder / "startup.tsr").write_text("lucky = 7\n1 / 0\n")
    terminal = Terminal(tmp_path)
    terminal.wait("2 | 1 / 0")
    terminal.enter("lucky", "\n7\ntsr>")
    terminal.close()


def test_a_command_without_its_sign_is_told(terminal: Terminal) -> None:
    text = terminal.enter("clear", "did you mean %clear?")
    assert "clear_autocast_cache" not in text
    assert "NameError" not in terminal.enter("%clear", "tsr>")


def test_lines_are_captured_and_written(terminal: Terminal) -> None:
    terminal.type("%%capture seen\rprint('a line')\rones(2)\r", "...> ones(2)\n...>")
    text = terminal.enter("", "tsr>")
    assert "\na line" not in text
    terminal.enter("seen.stdout", "'a line\\n'")
    terminal.type("%%capture seen\r1 / 0\r", "...> 1 / 0\n...>")
    terminal.enter("", "ZeroDivisionError: division by zero")
    terminal.type("%%capture __builtins__\r1\r", "...> 1\n...>")
    terminal.enter("", "%%capture takes one name, and lines beneath it")
    terminal.enter("%capture x", "%%capture takes the lines beneath it, and two %")


def test_blocks_begin_entries_of_several_lines() -> None:
    from tensorsh.shell.commands import commands, is_block

    for each in commands().values():
        assert is_block(f"%%{each.name}\nx") or not each.takes_lines, each.name
