"""Windows, as far as it can be tried elsewhere: what only POSIX systems have is hidden (tests/support/without_posix.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.without_posix", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=200, input=stdin, env={**os.environ, **variables},
    )  # fmt: skip


def test_every_module_can_be_imported() -> None:
    done = run("import")
    assert done.returncode == 0, done.stderr


def test_tests_that_need_no_posix_pass() -> None:
    files = ["tests/shell/test_again.py", "tests/test_diagnostics.py", "tests/test_hints.py"]
    done = run("pytest", *files)
    assert done.returncode == 0, done.stdout


ENDLESS = "while True:\n    try:\n        while True: pass\n    except: pass"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("-c", "print(ones(2))"), 0, "tensor([1., 1.])"),
        (("-c", "1 / 0"), 1, "ZeroDivisionError"),
        (("test", "scripts/01_creation.tsr"), 0, "1 passed"),
        (("--timeout=20", "-c", "print(3)"), 0, "3"),
        (("--isolate", "-c", "1"), 2, "--isolate is not possible here, the program was not run"),
        (("lsp",), 2, "tensorsh: lsp needs a system that can go on as two processes (Linux, macOS)"),
    ],
)
def test_commands(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = run("run", *arguments)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_that_catches_everything_ends_at_its_time() -> None:
    done = run("run", "--timeout=1", "-c", ENDLESS, TENSORSH_WATCHED="1")  # as in the process that is watched
    assert done.returncode == 124 and "Timeout: the program ran longer than 1 s (--timeout)" in done.stderr
