"""Golden files: what belongs to which statement, wildcards, blessing, the command, the pytest plugin."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from _thread import interrupt_main
from pathlib import Path

import pytest

from tensorsh.cli import main
from tensorsh.golden.document import blocks, expectation, line_matches, matches, merge, output_lines, rewrite
from tensorsh.golden.runner import collect, run_file

from .support import started

ROOT = Path(__file__).parents[1]


def tensorsh(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "XDG_CACHE_HOME": str(cwd / ".cache")}
    return started.tensorsh(*arguments, cwd=cwd, env=environment, timeout=120)


def golden(folder: Path, text: str, name: str = "a.tsr") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#> a", "> a"),
        ("#>  a ", ">  a"),
        ("#>", ">"),
        ("#! ValueError: no", "! ValueError: no"),
        ("#>a", None),
        ("# > a", None),
        (" #> a", None),
        ("x  #> a", None),
        ("#: a", None),
    ],
)
def test_what_is_an_expectation(line: str, expected: str | None) -> None:
    assert expectation(line) == expected


def test_expectations_belong_to_the_statement_before_them() -> None:
    source = "x = 1\n\nif x:\n    #> no\n    y\n#> 1\n# said\n#> 2\nz; z\n#> 3\n"
    found = blocks(source, [(1, 1), (3, 5), (9, 9), (9, 9)])
    assert [(b.start, b.end, b.statements, b.places, b.expected) for b in found] == [
        (1, 1, [0], [], []),
        (3, 5, [1], [6, 8], ["> 1", "> 2"]),
        (9, 9, [2, 3], [10], ["> 3"]),
    ]


def test_output_as_expectations() -> None:
    assert output_lines("") == []
    assert output_lines("a\n\nb  \n") == ["> a", ">", "> b"]
    assert output_lines("", "ValueError: \x1b[2J\x07 bell\nmore") == [r"! ValueError: \x1b[2J\x07 bell"]
    assert output_lines("a", "ValueError: no\nmore") == ["> a", "! ValueError: no"]


@pytest.mark.parametrize(
    ("pattern", "line", "same"),
    [
        ("> a", "> a", True),
        ("> [..]", ">", True),
        ("> [..]", "> anything", True),
        ("> x=[..], y=[..]", "> x=1, y=2", True),
        ("> x=[..], y", "> x=1, z", False),
        ("> a.b", "> aXb", False),
        ("! E: [..]", "> E: x", False),
        ("> [..]", "! x", False),
    ],
)
def test_line_wildcard(pattern: str, line: str, same: bool) -> None:
    assert line_matches(pattern, line) is same


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (["> a", "> ...", "> d"], ["> a", "> b", "> c", "> d"], True),
        (["> a", "> ...", "> d"], ["> a", "> d"], True),
        (["> ..."], [], True),
        (["> ...", "> d"], ["> d", "> d", "> e"], False),
        (["> ...", "> d", "> ..."], ["> a", "> d", "> e"], True),
        (["> a", "> ..."], ["> b"], False),
        (["> a"], ["> a", "> b"], False),
        ([], [], True),
    ],
)
def test_lines_wildcard(expected: list[str], actual: list[str], same: bool) -> None:
    assert matches(expected, actual) is same


@pytest.mark.parametrize(
    ("expected", "actual", "merged"),
    [
        (["> a"], ["> b"], ["> b"]),
        (["> t=[..]", "> a"], ["> t=3", "> b"], ["> t=[..]", "> b"]),
        (["> a", "> ...", "> d", "> x"], ["> a", "> b", "> c", "> d", "> y"], ["> a", "> ...", "> d", "> y"]),
        (["> a", "> ...", "> x"], ["> a", "> b", "> y"], ["> a", "> b", "> y"]),
        (["> x", "> b", "> ..."], ["> y", "> b", "> c"], ["> y", "> b", "> ..."]),
        (["> at [..]", "! E: x"], ["> at 1"], ["> at [..]"]),
        ([], ["> <A object at 0x7f0a6ec43490>"], ["> <A object at 0x[..]>"]),
    ],
)
def test_blessing_keeps_wildcards_that_hold(expected: list[str], actual: list[str], merged: list[str]) -> None:
    assert merge(expected, actual) == merged
    assert matches(merged, actual)


def test_rewriting_changes_nothing_else() -> None:
    source = "# head\n\nx = 1   # why\nx\n#> 2\n# between\n#> 3\n\n\n  # odd\ny\r\n#> 7\r\nz"
    found = blocks(source, [(3, 3), (4, 4), (11, 11), (13, 13)])
    changed = rewrite(source, [(found[1], ["> 1"]), (found[2], ["> 8", "> 9"]), (found[3], ["> 5"])])
    assert changed == "# head\n\nx = 1   # why\nx\n#> 1\n# between\n\n\n  # odd\ny\r\n#> 8\r\n#> 9\r\nz\n#> 5"


PROGRAM = '''\
"""A docstring of the file."""
#> 'A docstring of the file.'

def half(n):
    """Half of n.

    #> not an expectation
    """
    return n / 2

half(3)
#> 1.5
print("a"); print(""); [1,
  2]
#> a
#>
#> [1, 2]
None
half("a")
#! TypeError: unsupported operand type(s) for /: 'str' and 'int'
print("still here")
#> still here
for i in range(2):
    print(i)
    half(i)
# the loop
#> 0
#> 1
raise KeyboardInterrupt("mine")
#! KeyboardInterrupt: mine
'''


def test_a_file_that_holds(tmp_path: Path) -> None:
    result = run_file(golden(tmp_path, PROGRAM))
    assert result.ok and not result.differences and not result.problem


def test_crlf_and_byte_order_mark_survive_blessing(tmp_path: Path) -> None:
    path = golden(tmp_path, "\ufeff" + PROGRAM.replace("1.5", "9").replace("\n", "\r\n"))
    assert not run_file(path).ok
    assert run_file(path, bless=True).blessed
    assert path.read_bytes() == ("\ufeff" + PROGRAM.replace("\n", "\r\n")).encode()


def test_bless_writes_what_is_missing(tmp_path: Path) -> None:
    bare = "\n".join(line for line in PROGRAM.split("\n") if expectation(line) is None).replace("# the loop\n", "")
    path = golden(tmp_path, bare)
    path.chmod(0o640)
    assert run_file(path, bless=True).ok
    assert path.read_text() == PROGRAM.replace("# the loop\n", "")
    assert path.stat().st_mode & 0o777 == 0o640 and os.listdir(tmp_path) == ["a.tsr"]
    assert run_file(path).ok


def test_blessing_a_right_file_does_not_touch_it(tmp_path: Path) -> None:
    path = golden(tmp_path, PROGRAM)
    os.utime(path, (1, 1))
    assert run_file(path, bless=True).ok and path.stat().st_mtime == 1


def test_difference_names_lines(tmp_path: Path) -> None:
    golden(tmp_path, "x = 3\nx\n#> 4\nprint(1)\nprint(2)\n#> 2\n")
    done = tensorsh("test", "a.tsr", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.split("\n")[:7] == [
        "--- a.tsr",
        "    2   x",
        "    3 - #> 4",
        "      + #> 3",
        "    4   print(1)",
        "      + #> 1",
        "1 failed in " + done.stdout.split("\n")[6].removeprefix("1 failed in "),
    ]


def test_an_unexpected_error_is_explained(tmp_path: Path) -> None:
    golden(tmp_path, "x = 3\n1 / 0\nx\n#> 9\n")
    done = tensorsh("test", "a.tsr", cwd=tmp_path)
    assert done.returncode == 1
    assert "+ #! ZeroDivisionError: division by zero" in done.stdout and "--> a.tsr:2:1" in done.stdout
    assert "#> 9" not in done.stdout  # what follows is not run


def test_an_error_that_does_not_come_is_a_difference(tmp_path: Path) -> None:
    assert not run_file(golden(tmp_path, "1 + 1\n#! ValueError: no\n")).ok


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    result = run_file(golden(tmp_path, "x = = 1\n"))
    assert not result.ok and "SyntaxError" in result.problem
    assert not run_file(golden(tmp_path, "x = = 1\n#! SyntaxError: something else\n")).ok
    assert run_file(golden(tmp_path, "x = = 1\n#! SyntaxError: [..]\n")).ok


def test_files_are_run_apart_and_in_order(tmp_path: Path) -> None:
    for index in range(4):
        golden(tmp_path, f"try:\n    seen\nexcept NameError:\n    seen = {index}\nseen\n#> {index}\n", f"{index}.tsr")
    (tmp_path / ".hidden").mkdir()
    golden(tmp_path / ".hidden", "1", "x.tsr")
    assert [Path(name).name for name in collect([str(tmp_path), str(tmp_path / "1.tsr")])] == [
        f"{index}.tsr" for index in range(4)
    ]
    done = tensorsh("test", "-v", "-j2", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[1] for line in done.stdout.split("\n")[:4]] == [f"{index}.tsr" for index in range(4)]
    assert "4 passed" in done.stdout


def test_exit_codes(tmp_path: Path) -> None:
    assert tensorsh("test", "none", cwd=tmp_path).returncode == 2
    assert tensorsh("test", cwd=tmp_path).returncode == 2
    assert tensorsh("test", ".", cwd=tmp_path).returncode == 5  # nothing found is no success


def test_bless_by_command(tmp_path: Path) -> None:
    path = golden(tmp_path, "1 + 1\n#> [..]\n2 + 2\n")
    done = tensorsh("test", "--bless", ".", cwd=tmp_path)
    assert done.returncode == 0 and "1 blessed" in done.stdout
    assert path.read_text() == "1 + 1\n#> [..]\n2 + 2\n#> 4\n"


def test_pytest_runs_the_package_as_it_was_compiled() -> None:
    from tensorsh import session

    assert type(session.__loader__).__module__.startswith(("importlib", "_frozen_importlib")), session.__loader__


def test_pytest_plugin(tmp_path: Path) -> None:
    golden(tmp_path, "1 + 1\n#> 2\n", "good.tsr")
    golden(tmp_path, "1 + 1\n#> 3\n", "bad.tsr")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tensorsh.golden.plugin", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        # Where tensorsh is installed its entry point would register the plugin a second time.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout
    assert "    2 - #> 3" in done.stdout and "      + #> 2" in done.stdout


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("x = ones(2)\nx @ x\n#> tensor(2.)\n", "tensor(2.)\n"),
        (
            "1 / 0\n#! ZeroDivisionError: division by zero\nprint('on')\n#> on\n",
            "ZeroDivisionError: division by zero\non\n",
        ),
        ("1, 'a'\n#> (1, 'a')\n(1), (2)\n#> (1, 2)\n", "(1, 'a')\n(1, 2)\n"),
        ("'text'\n#> 'text'\na = [1]; a.append(2); a\n#> [1, 2]\n", "'text'\n[1, 2]\n"),
        ("def f():\n    print('in')\nf()\n#> in\n(\n  1 +\n  2)\n#> 3\n", "in\n3\n"),
        ("x = '''a\nb'''; raise ValueError(x)\n#! ValueError: a\n", "ValueError: a\n"),
        ("raise SystemExit\n#! SystemExit\nnp.zeros(2)\n#> array([0., 0.])\n", "SystemExit\narray([0., 0.])\n"),
    ],
)
def test_an_export_prints_what_the_golden_says(
    tmp_path: Path, source: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.tsr").write_text(source)
    assert run_file(tmp_path / "a.tsr").ok
    assert main(["export", str(tmp_path / "a.tsr"), "-o", str(tmp_path / "a.py")]) == 0
    assert main([str(tmp_path / "a.py")]) == 0
    assert capsys.readouterr().out == printed


def test_a_statement_without_an_end_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tsr").write_text("1\n#> 1\nwhile True: pass\n2\n#> 2\n")
    assert main(["test", "--timeout", "0.3", str(tmp_path / "a.tsr")]) == 1
    assert "a.tsr:3: the program ran longer than 0.3 s (--timeout" in capsys.readouterr().out


@pytest.mark.parametrize("ranks", [0, 1])
def test_ctrl_c_is_no_error_of_a_program(tmp_path: Path, ranks: int) -> None:
    timer = threading.Timer(0.3, interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_file(golden(tmp_path, "while True: pass\n"), ranks=ranks)
    timer.join()


def test_an_empty_file_is_no_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in pytest: nothing ran, and the exit code is 5; beside a test it is only told."""
    (tmp_path / "empty.tsr").write_text("# to be written\n#> 1\n")
    assert main(["test", str(tmp_path)]) == 5
    said = capsys.readouterr().out
    assert "empty.tsr: no statement stands in it" in said and "no tests ran, 1 empty in" in said
    (tmp_path / "full.tsr").write_text("1\n#> 1\n")
    assert main(["test", str(tmp_path)]) == 0
    assert "1 passed, 1 empty in" in capsys.readouterr().out
    (tmp_path / "none").mkdir()
    assert main(["test", str(tmp_path / "none")]) == 5
    assert "no tests ran, no .tsr files found in" in capsys.readouterr().out
    assert not pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path / "full.tsr")])
    assert pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path / "empty.tsr")]) == 5


def test_a_program_without_expectations_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.tsr").write_text("1 + 1\n")
    assert main(["test", str(tmp_path / "a.tsr")]) == 1
    assert "no expected output stands in it yet; tensorsh test --bless writes it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "written"),
    [
        (r'print("a\rimport os")', r"#> a\rimport os"),
        (r'print("a\0b")', r"#> a\x00b"),
        (r'print("\ud800")', r"#> \ud800"),
        (r'raise ValueError("\ud800\r")', r"#! ValueError: \ud800\r"),
    ],
)
def test_output_becomes_no_code_when_it_is_blessed(tmp_path: Path, program: str, written: str) -> None:
    """Nor is the file no text any more: it holds as it was blessed."""
    path = golden(tmp_path, program + "\n")
    assert run_file(path, bless=True).blessed
    assert path.read_bytes().decode() == f"{program}\n{written}\n" and run_file(path).ok


def test_blessing_writes_to_no_name_that_others_know(tmp_path: Path) -> None:
    (tmp_path / f".a.tsr.{os.getpid()}").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "link.tsr").symlink_to(golden(tmp_path, "1\n"))
    assert run_file(tmp_path / "link.tsr", bless=True).blessed
    assert (tmp_path / "a.tsr").read_text() == "1\n#> 1\n" and (tmp_path / "link.tsr").is_symlink()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("#@ ranks 65\n1\n", "asks for 65 ranks; a file may have 64"),
        (f"#@ ranks {'9' * 5000}\n1\n", "asks for 999999999 ranks"),
        (
            "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E\n",
            ":4: the program ran longer",
        ),
        ("while True: print('x' * 10**6)\n", ":1: the program printed more than 1048576 bytes (--max-output)"),
        ("import sys\nwhile True: print('x' * 10**6, file=sys.stderr)\n", ":2: the program printed more than"),
        ("x = [0] * 10**9\n", "MemoryError: the limit is 104857600 bytes (--max-memory)"),
        ("print('x' * 200)\n#> " + "[..]x" * 40 + "[..]y\n", "1 failed in"),
        ("#" + "9" * 5000 + "> 1\n1\n#> 1\n", "1 passed in"),
        (r"print('\x1b[2J\x07', '\ud800')" + "\n#> no\n", r"+ #> \x1b[2J\x07 \ud800"),
    ],
)
def test_no_golden_file_runs_without_an_end(
    tmp_path: Path, program: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden(tmp_path, program)
    assert main(["test", "--timeout", "1", "--max-memory", "100M", "--max-output", "1M", str(path)]) in (0, 1)
    assert said in capsys.readouterr().out


def test_only_files_of_a_folder_are_tests(tmp_path: Path) -> None:
    golden(tmp_path, "1\n#> 1\n")
    os.mkfifo(tmp_path / "pipe.tsr")
    (tmp_path / "zero.tsr").symlink_to("/dev/zero")
    (tmp_path / "folder.tsr").mkdir()
    assert collect([str(tmp_path)]) == [str(tmp_path / "a.tsr")]


def test_names_of_files_move_no_cursor(tmp_path: Path) -> None:
    for text in ("1\n", "x = = 1\n", "1 / 0\n"):
        path = golden(tmp_path, text, "\x1b[31mred\udcff.tsr")
        for words in (["test"], ["export"], []):
            done = tensorsh(*words, str(path), cwd=tmp_path)
            assert "\x1b" not in done.stdout + done.stderr and "Traceback" not in done.stderr, (text, words)


@pytest.mark.parametrize("first", ["# -*- coding: utf-7 -*-", "#!/x\n# vim: fileencoding=raw_unicode_escape :"])
def test_an_export_is_decoded_as_it_is_written(tmp_path: Path, first: str) -> None:
    """A comment of another code would make code of the comments behind it."""
    path = golden(tmp_path, first + "\n# +AAo-print('code') \\u000aprint('code')\n'text'\n#> 'text'\n")
    assert main(["export", str(path), "-o", str(tmp_path / "a.py")]) == 0
    done = subprocess.run([sys.executable, tmp_path / "a.py"], capture_output=True, text=True)
    assert done.stdout == "'text'\n" and done.stderr == ""
