"""The command line, as another process sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tensorsh.cli import main
from tensorsh.command.arguments import UsageError, parse

from .support import started

ROOT = Path(__file__).parents[1]
LINUX = sys.platform == "linux"


def environment(**changes: str | None) -> dict[str, str]:
    base = {
        k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "PYTHONUTF8", "PYTHONIOENCODING")
    }
    base["PYTHONPATH"] = str(ROOT)
    base.update({k: v for k, v in changes.items() if v is not None})
    return {k: v for k, v in base.items() if changes.get(k, v) is not None}


def tensorsh(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process that was forked when all was loaded."""
    return started.tensorsh(*arguments, stdin=stdin, cwd=cwd, env=environment())


def start(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command from its start."""
    options = {"env": environment()} | options
    return subprocess.run(
        [sys.executable, "-m", "tensorsh", *arguments],
        input="", capture_output="stdout" not in options, encoding="utf-8", timeout=60, **options,
    )  # fmt: skip


def script(folder: Path, text: str | bytes, name: str = "demo.tsr") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("1 + 2", "3\n"),
        ("'a'", "'a'\n"),
        ("None", ""),
        ("x = 3", ""),
        ("x = 3; x", "3\n"),
        ("1\n2", "2\n"),
        ("print('a'); 'b'", "a\n'b'\n"),
        ("def f():\n    return 4\nf()", "4\n"),
        ("__name__", "'__main__'\n"),
        ("", ""),
        ("# nothing", ""),
    ],
)
def test_code_echoes_its_last_value(code: str, shown: str) -> None:
    done = tensorsh("-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")


def test_a_file_echoes_nothing(tmp_path: Path) -> None:
    name = script(tmp_path, "1 + 2\nprint(argv[1:])\n3")
    for command in ([name, "a", "-c", "--help"], ["run", name, "a", "-c", "--help"], ["--", name, "a", "-c", "--help"]):
        done = tensorsh(*command)
        assert (done.returncode, done.stdout, done.stderr) == (0, "['a', '-c', '--help']\n", "")


def test_standard_input() -> None:
    for arguments in (["-"], []):
        done = tensorsh(*arguments, stdin="x = 4\nprint(x, argv)\nx\n")
        assert (done.returncode, done.stdout) == (0, "4 ['-']\n")
    done = tensorsh("-", stdin="1/0")
    assert done.returncode == 1 and "--> <stdin>:1:1" in done.stderr


def test_input_reads_standard_input(tmp_path: Path) -> None:
    done = tensorsh(script(tmp_path, "print(input().upper())"), stdin="abc\n")
    assert (done.returncode, done.stdout) == (0, "ABC\n")
    assert tensorsh("-", stdin="input()").returncode == 1


def test_export(tmp_path: Path) -> None:
    name = script(tmp_path, "# what it is\nx = ones(2, 2, requires_grad)   # a leaf\n")
    expected = "# what it is\nimport torch\nx = torch.ones(2, 2, requires_grad=True)   # a leaf\n"
    done = tensorsh("export", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
    assert tensorsh("export", name, "-o", "b.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "b.py").read_text() == expected
    assert tensorsh("export", name, "-o", "none/b.py", cwd=tmp_path).returncode == 1
    done = tensorsh("export", script(tmp_path, "x = = 1"))
    assert done.returncode == 1 and done.stderr.startswith("SyntaxError: ") and done.stdout == ""


def test_diagnostic_on_stderr(tmp_path: Path) -> None:
    name = script(tmp_path, "print('before')\ndef f(a):\n    return a / 0\n\nf(1)\n")
    done = start(name)
    assert done.returncode == 1 and done.stdout == "before\n"
    assert done.stderr.split("\n") == [
        "ZeroDivisionError: division by zero",
        f"  --> {name}:3:12 in f",
        "3 |     return a / 0",
        "               ^^^^^",
        "  called from (most recent call last):",
        f'    File "{name}", line 5, in <module>',
        "      f(1)",
        "",
    ]


def test_syntax_error(tmp_path: Path) -> None:
    done = tensorsh(script(tmp_path, "x = 1\nif x\n    pass\n"))
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("SyntaxError: ") and "demo.tsr:2:5" in done.stderr and "2 | if x" in done.stderr
    assert "Traceback" not in done.stderr


def test_classes_belong_to_main() -> None:
    done = tensorsh("-c", "class A: pass\nprint(A)\nclass E(Exception): pass\nraise E('x')")
    assert done.stdout == "<class '__main__.A'>\n" and done.stderr.startswith("E: x\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--unheard-of"], "unknown option --unheard-of"),
        (["-q"], "unknown option -q"),
        (["-c"], "-c needs the code to run"),
        (["--timeout"], "--timeout needs a value"),
        (["--timeout", "soon", "-c", "1"], "--timeout takes a value such as 5 or 0.5, not 'soon'"),
        (["--max-memory=much", "-c", "1"], "--max-memory takes a value such as 512M"),
        (["--allow-read=", "-c", "1"], "--allow-read= needs a path"),
        (["--bless", "x.tsr"], "--bless belongs to `tensorsh test`"),
        (["-o", "y", "x.tsr"], "-o belongs to `tensorsh export`"),
        (["export"], "export takes one file"),
        (["test"], "test needs"),
        (["run"], "run needs a file"),
        (["--timeout=5", "-i", "x.tsr"], "--timeout bounds a program"),
        (["--help=x"], "--help takes no value"),
        (["-n", "²", "x.tsr"], "-n takes a number of processes, not '²'"),
        (["-n", "9" * 5000, "x.tsr"], "-n takes a number of processes, not '999"),
        (["test", "-j", "²", "x.tsr"], "-j takes a number, not '²'"),
        (["--max-memory", "inf", "-c", "1"], "--max-memory takes a value such as 512M"),
        (["--max-memory", "9" * 30 + "G", "-c", "1"], "--max-memory takes a value such as 512M"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("`", "`")):
        parse(arguments)


def test_words_of_the_command_line_move_no_cursor() -> None:
    for words in (
        ["--\x1b[31m"],
        ["\x1b[31m"],
        ["python", "\x1b[31m"],
        ["python", "--\x1b[31m"],
        ["kernel", "\x1b[31m"],
    ):
        done = start(*words)
        assert done.returncode == 2 and "\x1b" not in done.stderr + done.stdout, words
    for words in (["kernel", "install", "--prefix", "/proc/x"], ["lsp", "--tcp=99999999"]):
        done = start(*words)
        assert done.returncode == 2 and "Traceback" not in done.stderr, words


def test_wrong_usage_exits_with_2() -> None:
    done = start("--unheard-of")
    assert done.returncode == 2 and done.stderr == "tensorsh: unknown option --unheard-of\nTry `tensorsh --help`.\n"


def test_options() -> None:
    options = parse(
        ["--allow-read=a", "--allow-read=b", "--allow-write", "--timeout=2m", "--max-memory", "1.5G", "x.tsr", "-c"]
    )
    assert (options.read, options.write, options.timeout) == (["a", "b"], True, 120.0)
    assert options.max_memory == 3 << 29 and options.arguments == ["x.tsr", "-c"]
    assert parse(["-i", "x.tsr"]).interactive and parse(["-A", "-c", "1"]).read is True
    assert parse(["export", "a.tsr", "-o", "b.py"]).output == "b.py"
    assert parse(["run", "test"]).arguments == ["test"]


def test_help_and_version() -> None:
    import tensorsh as package

    done = start("--help")
    assert done.returncode == 0 and max(map(len, done.stdout.split("\n"))) <= 120
    for word in ("-c CODE", "test PATH", "export", "--allow-read", "--timeout", "--bless", "NO_COLOR"):
        assert word in done.stdout
    assert "--bless" in (of_test := tensorsh("test", "--help").stdout) and "--nan" not in of_test
    assert "-o FILE" in tensorsh("export", "-h").stdout
    for command in ("convert", "kernel", "lsp", "completion"):
        done = tensorsh(command, "--help")
        assert done.returncode == 0 and done.stdout.count("  tensorsh ") == 1 and f"tensorsh {command} " in done.stdout
    assert tensorsh("lsp", "--port").stderr.endswith("Try `tensorsh lsp --help`.\n")
    first, second, end = tensorsh("--version").stdout.split("\n")
    assert first == f"tensorsh {package.__version__}" and not end
    assert "compiled kernels" in second and ", numpy " in second


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"\xef\xbb\xbfprint(1)", 0, "1\n"),
        (b"x = 1\r\nif x:\r\n    print(x)\r\n", 0, "1\n"),
        (b"print('\xc3\xa9\xe2\x82\xac')", 0, "é€\n"),
        (b"", 0, ""),
        (b"if 1:\n\tprint(1)", 0, "1\n"),
        (b"x = 1\ns = '\xe9'\n", 1, "demo.tsr:2:6: byte 0xe9 is not UTF-8"),
        (b"x = 1\0", 1, "null byte"),
        ("x = 1".encode("utf-16"), 1, "UTF-16"),
    ],
)
def test_script_files_of_all_sorts(tmp_path: Path, data: bytes, code: int, said: str) -> None:
    done = tensorsh(script(tmp_path, data))
    assert done.returncode == code
    if code:
        assert said in done.stderr and len(done.stderr.strip().split("\n")) == 1 and not done.stdout
    else:
        assert (done.stdout, done.stderr) == (said, "")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for name, said in ((str(tmp_path), "is a folder"), (str(tmp_path / "none.tsr"), "No such file")):
        done = tensorsh(name)
        assert done.returncode == 2 and said in done.stderr and len(done.stderr.strip().split("\n")) == 1
    name = script(tmp_path, "1")
    os.chmod(name, 0)
    if not os.access(name, os.R_OK):
        done = tensorsh(name)
        assert done.returncode == 2 and "Permission denied" in done.stderr


def test_utf8_in_a_c_locale() -> None:
    for locale in ({"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        done = start("-c", "print('é€漢'); undefined_é", env=environment(**locale))
        assert done.stdout == "é€漢\n" and "NameError: name 'undefined_é' is not defined" in done.stderr


def test_colours() -> None:
    plain = start("-c", "1/0")
    forced = start("-c", "1/0", env=environment(FORCE_COLOR="1"))
    refused = start("-c", "1/0", env=environment(FORCE_COLOR="1", NO_COLOR="1"))
    assert "\x1b" not in plain.stderr + refused.stderr and "\x1b[" in forced.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    for text in ("while True:\n    print('x' * 1000)", "print('x')"):
        process = subprocess.Popen(
            [sys.executable, "-m", "tensorsh", script(tmp_path, text)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(30) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "wb") as full:
        done = start("-c", "print(1)", stdout=full, stderr=subprocess.PIPE, env=environment(PYTHONUNBUFFERED=None))
    assert done.returncode == 1 and done.stderr == "tensorsh: cannot write output: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="closing streams by the shell")
def test_closed_streams() -> None:
    command = f"{sys.executable} -m tensorsh"
    for code, redirect, expected in (("print(1)", ">&-", 0), ("1/0", "2>&-", 1), ("print(1)", "<&-", 0)):
        done = subprocess.run(["sh", "-c", f"{command} -c '{code}' {redirect}"], env=environment(), capture_output=True)
        assert done.returncode == expected and b"Traceback" not in done.stderr
    done = subprocess.run(["sh", "-c", f"{command} <&-"], env=environment(), capture_output=True)
    assert done.returncode == 0 and done.stderr == b""


def test_exit_code_of_the_program() -> None:
    for code, expected in (
        ("exit(3)", 3),
        ("exit()", 0),
        ("raise SystemExit('bye')", 1),
        ("raise KeyboardInterrupt", 130),
    ):
        done = tensorsh("-c", code)
        assert done.returncode == expected, (code, done.stderr)
    assert done.stderr == "KeyboardInterrupt at <string>:1:1\n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c(tmp_path: Path) -> None:
    name = script(tmp_path, "print('ready', flush=True)\ni = 0\nwhile True:\n    i += 1\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "tensorsh", name],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130 and said.startswith("KeyboardInterrupt at ") and said.count("\n") == 1


@pytest.mark.skipif(not hasattr(signal, "sigtimedwait"), reason="nobody watches a program here")
def test_ctrl_c_ends_also_what_hears_of_nothing(tmp_path: Path) -> None:
    deaf = "import re\na, p = 'a' * 10**7, re.compile('a*b')\nprint('ready', flush=True)\np.findall(a)"
    slow = "import time\ntry:\n  print('ready', flush=True)\n  time.sleep(60)\nexcept KeyboardInterrupt:\n  time.sleep(1.5)\n  print('saved')"
    for source, code, output, error in (
        (deaf, 130, "", "KeyboardInterrupt: the program was in the midst of one call that nothing interrupts, and was ended with it\n"),
        (slow, 0, "saved\n", ""),
    ):  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-m", "tensorsh", script(tmp_path, source)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(1)  # until it is in the midst of it
        process.send_signal(signal.SIGINT)
        assert (*process.communicate(timeout=30), process.returncode) == (output, error, code)


LOOPS = {
    "plain": "while True: pass",
    "except": "while True:\n    try:\n        while True: pass\n    except: pass",
    "finally": "try:\n    while True: pass\nfinally:\n    while True: pass",
    "one operation in C": "print('first'); x = 10 ** 10 ** 8",
    "sum": "print('first'); sum(range(10 ** 12))",
}


@pytest.mark.skipif(not LINUX, reason="needs fork and sigtimedwait")
@pytest.mark.parametrize("kind", LOOPS)
def test_timeout_cannot_be_swallowed(kind: str) -> None:
    began = time.monotonic()
    limit = 1 if "first" in LOOPS[kind] else 0.3  # it is printed before the time is over
    done = tensorsh("--timeout", str(limit), "-c", LOOPS[kind])
    assert done.returncode == 124 and time.monotonic() - began < 20  # the start of a process on a busy machine
    assert done.stderr.startswith(f"Timeout: the program ran longer than {limit} s (--timeout)")
    assert done.stderr.count("\n") == 1
    if "first" in LOOPS[kind]:
        assert done.stdout == "first\n"


@pytest.mark.skipif(not LINUX, reason="needs fork and sigtimedwait")
def test_timeout_leaves_other_programs_alone() -> None:
    for code, expected in (("print(1)", 0), ("1/0", 1), ("exit(7)", 7), ("raise KeyboardInterrupt", 130)):
        assert tensorsh("--timeout", "30", "-c", code).returncode == expected


def test_max_output() -> None:
    done = tensorsh("--max-output", "1K", "-c", "try:\n    while True: print('x' * 99)\nexcept: print('y')")
    assert done.returncode == 1 and len(done.stdout) == 1024
    assert done.stderr.startswith("OutputLimit: the program printed more than 1024 bytes (--max-output) at <string>:2")
    assert tensorsh("--max-output", "4", "-c", "print('abc')").stdout == "abc\n"
    silent = "class S(str):\n    def __len__(self): return 0\n    def encode(self, *how): return b''\n"
    for program in ("print(S('é' * 999))", "import sys\nsys.stdout.writelines([S('x' * 999)])"):
        done = tensorsh("--max-output", "99", "-c", silent + program)
        assert len(done.stdout.encode()) == 98 + ("x" in program) and "OutputLimit:" in done.stderr


@pytest.mark.skipif(not LINUX, reason="RLIMIT_AS")
def test_max_memory() -> None:
    done = start("--max-memory", "300M", "-c", "x = [0] * 10 ** 9")
    assert done.returncode == 1 and done.stderr.startswith("MemoryError") and "Traceback" not in done.stderr
    assert start("--max-memory", "300M", "-c", "len([0] * 10 ** 6)").stdout == "1000000\n"


def test_recursion_is_one_clear_error() -> None:
    done = tensorsh("-c", "def f(n):\n    return f(n + 1)\nf(0)")
    assert done.returncode == 1 and done.stderr.startswith("RecursionError: maximum recursion depth exceeded\n")
    assert done.stderr.count("\n") <= 4


def test_files_are_denied_by_default(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("hello")
    code = "print(open('data.txt').read())"
    denied = tensorsh("-c", code, cwd=tmp_path)
    assert denied.returncode == 1 and "--allow-read" in denied.stderr
    for flag in ("--allow-read", "--allow-read=.", "--allow-all", "-A"):
        assert tensorsh(flag, "-c", code, cwd=tmp_path).stdout == "hello\n"
    assert tensorsh("--allow-write", "-c", code, cwd=tmp_path).returncode == 1


def test_modules_beside_a_script_are_not_run(tmp_path: Path) -> None:
    for name in ("numpy", "scipy", "re", "difflib"):
        (tmp_path / f"{name}.py").write_text("print('planted')")
    done = start("-c", "ones(1); onez(1)", cwd=tmp_path)
    assert done.stdout == "" and "did you mean `ones`" in done.stderr


def test_odd_homes(tmp_path: Path) -> None:
    for changes in (
        {"HOME": None, "XDG_CACHE_HOME": None},
        {"HOME": "/nonexistent"},
        {"XDG_CACHE_HOME": "/dev/null/x"},
    ):
        done = start("-c", "1", env=environment(**changes))
        assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


FORBIDDEN = """
lark rich prompt_toolkit scipy argparse asyncio pygments cupy ml_dtypes safetensors platformdirs difflib logging
multiprocessing concurrent subprocess email urllib.request http socket tensorsh.golden tensorsh.shell tensorsh.display
tensorsh.language.diagnostics tensorsh.assist tensorsh.sandbox.limits tensorsh.language.lowering
""".split()


def modules_of(code: str, cache: Path) -> set[str]:
    """The modules that a run of `tensorsh -c code` loads, the cache being warm."""
    env = environment(XDG_CACHE_HOME=str(cache))
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "tensorsh", "-c", code], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    return {line.rpartition("|")[2].strip() for line in done.stderr.split("\n") if line.startswith("import time:")}


def test_a_short_program_imports_only_what_it_needs(tmp_path: Path) -> None:
    loaded = modules_of("print(1)", tmp_path)
    for name in [*FORBIDDEN, "numpy", "inspect", "dataclasses", "ast"]:
        assert not [found for found in loaded if found == name or found.startswith(name + ".")], name


def test_a_tensor_program_imports_only_what_it_needs(tmp_path: Path) -> None:
    loaded = modules_of("print(ones(2, 2) + 1)", tmp_path)
    for name in FORBIDDEN:
        assert not [found for found in loaded if found == name or found.startswith(name + ".")], name


def test_what_a_program_left_ends_with_it(tmp_path: Path) -> None:
    code = """
f = open("left.txt", "w")
f.write("hello")
class Loop: pass
loop = Loop(); loop.me = loop; loop.file = f
del loop, f
def steps():
    try:
        yield 1
    finally:
        print("ended")
running = steps(); next(running)
import logging
logging.warning("seen")
"""
    done = start("--allow-write", script(tmp_path, code), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "ended\n")
    assert "seen" in done.stderr
    assert (tmp_path / "left.txt").read_text() == "hello"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tst"], "cannot read tst: no such file; did you mean test?"),
        (["help"], "cannot read help: no such file; did you mean --help?"),
        (["--verson"], "unknown option --verson; did you mean --version?"),
        (["--alow-write", "a.tsr"], "unknown option --alow-write; did you mean --allow-write?"),
        (["--zzz"], "unknown option --zzz\n"),
    ],
)
def test_a_misspelt_command_or_option_is_known(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("code", ["for i in [1] print(i)", "while 1 print(1)", "if 1 print(1)"])
def test_a_colon_is_missed(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", code]) == 1
    said = capsys.readouterr().err
    assert "Put a colon in front of 'print'." in said
