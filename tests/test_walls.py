"""The kernel's walls around every program of the command line: what who got past the language's gate finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tensorsh.sandbox.isolation import Unavailable, give_up_files

ROOT = Path(__file__).parent.parent
PAST_THE_GATE = """
import os, socket, subprocess, sys
from tensorsh import session
from tensorsh.cli import main
ATTEMPTS = {attempts!r}

def attempt(*_):
    for name, code in ATTEMPTS.items():
        try:
            exec(code)
        except OSError as error:
            print(name, type(error).__name__)
        else:
            print(name, "possible")

session.Session._at_once = attempt
sys.argv[1:] = {words!r}
sys.exit(main())
"""


def run(folder: Path, *words: str, **options: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", **options}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, env=env, cwd=folder)


def possible(folder: Path, words: list[str], attempts: dict[str, str], **options: str) -> set[str]:
    """Which attempts of a program that is past the gate do what they would."""
    found = run(folder, "-c", PAST_THE_GATE.format(attempts=attempts, words=words), **options)
    assert found.returncode == 0, found.stderr
    told = dict(line.split() for line in found.stdout.splitlines())
    assert told.keys() == attempts.keys() and set(told.values()) <= {"possible", "PermissionError"}, told
    return {name for name, outcome in told.items() if outcome == "possible"}


@pytest.fixture(autouse=True)
def walls() -> None:
    code = "import sys; from tensorsh.sandbox.isolation import *\ntry: give_up_files([], [], None)\nexcept (Unavailable, OSError): sys.exit(3)"
    if run(ROOT, "-c", code).returncode == 3 or os.path.exists("/dev/nvidiactl"):
        pytest.skip("this kernel has no landlock, or the walls are left out beside a GPU")


def place(tmp_path: Path) -> tuple[Path, Path]:
    """The folder of a program, and one beside it."""
    here, beside = tmp_path / "here", tmp_path / "beside"
    for folder in (here, beside):
        folder.mkdir()
        (folder / "kept").write_text("x")
    (here / "program.tsr").write_text("1\n")
    return here, beside


def test_what_a_program_needs_not_is_not_there(tmp_path: Path) -> None:
    here, beside = place(tmp_path)
    attempts = {
        "read": f"open({str(beside / 'kept')!r})",
        "system": "open('/etc/passwd')",
        "list": f"os.listdir({str(beside)!r})",
        "write": "open('made', 'w')",
        "over": "open('program.tsr', 'w')",
        "elsewhere": f"open({str(beside / 'made')!r}, 'w')",
        "remove": "os.remove('kept')",
        "link": "os.symlink('/etc/passwd', 'link')",
        "program": "subprocess.run([sys.executable, '-c', '1'])",
        "network": "socket.socket().connect(('127.0.0.1', 9))",
        "listen": "socket.socket().bind(('127.0.0.1', 0))",
        "own": "open('kept').read()",
        "library": "import scipy.linalg, decimal",
        "nothing": "open(os.devnull, 'w')",
        "fork": "os.fork() or os._exit(0)",
    }
    wanted = {"own", "library", "nothing", "fork"}
    assert possible(here, ["program.tsr"], attempts) - {"network", "listen"} == wanted  # TCP is refused since Linux 6.7
    assert possible(here, ["-c", "1"], attempts) - {"network", "listen"} == wanted
    assert sorted(path.name for path in here.iterdir()) == ["kept", "program.tsr"]
    assert [path.name for path in beside.iterdir()] == ["kept"]


def test_permissions_open_doors(tmp_path: Path) -> None:
    here, beside = place(tmp_path)
    there, made = str(beside / "kept"), str(beside / "made")
    attempts = {"read": f"open({there!r})", "write": f"open({made!r}, 'w')", "system": "open('/etc/passwd')"}
    assert possible(here, [f"--allow-read={beside}", "program.tsr"], attempts) == {"read"}
    assert possible(here, [f"--allow-write={made}", "program.tsr"], attempts) == {"read", "write"}
    assert possible(here, ["--allow-read", "program.tsr"], attempts) == {"read", "system"}
    assert possible(here, ["--allow-all", "program.tsr"], attempts) == {"read", "write", "system"}
    assert possible(here, ["program.tsr"], attempts, TENSORSH_WALLS="off") == {"read", "write", "system"}
    assert possible(here, ["--allow-import=einops", "program.tsr"], attempts) == {"read", "write", "system"}


def test_a_program_is_kept_for_its_next_start(tmp_path: Path) -> None:
    here, _ = place(tmp_path)
    for _ in range(2):
        found = run(here, "-m", "tensorsh", "program.tsr", XDG_CACHE_HOME=str(tmp_path / "cache"))
        assert (found.returncode, found.stderr) == (0, "")
    assert len(list((tmp_path / "cache").rglob("*.tsc"))) == 1


def test_a_process_that_calls_the_command_line_stays_free(tmp_path: Path) -> None:
    here, _ = place(tmp_path)
    (here / "cells.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    code = "from tensorsh.cli import main\nfor name in 'program.tsr', 'cells.ipynb': main([name])\nopen('made', 'w')"
    assert run(here, "-c", code).returncode == 0 and (here / "made").exists()


def test_without_the_compiled_part_or_landlock_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Walls:
        version = staticmethod(lambda: 0)

    monkeypatch.setattr("tensorsh.sandbox.walls", Walls, raising=False)
    with pytest.raises(Unavailable, match="this kernel has no landlock"):
        give_up_files([], [], None)
    monkeypatch.setitem(sys.modules, "tensorsh.sandbox.walls", None)
    monkeypatch.delattr("tensorsh.sandbox.walls", raising=False)
    with pytest.raises(Unavailable, match="not compiled"):
        give_up_files([], [], None)
