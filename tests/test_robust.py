"""Odd surroundings: signals, damaged caches, two runs at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX signals and modes", allow_module_level=True)


def start(source: str, cache: Path, *options: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "XDG_CACHE_HOME": str(cache)}
    return subprocess.Popen(
        [sys.executable, "-m", "tensorsh", *options, "-c", source],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--timeout=30",)], ids=["alone", "watched"])
def test_sigterm_ends_a_program_without_a_traceback(options: tuple[str, ...], tmp_path: Path) -> None:
    running = start("print('ready', flush=True)\nwhile True: pass", tmp_path, *options)
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=20)
    assert running.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM) and said == ""


def test_damaged_caches_are_passed_over(tmp_path: Path) -> None:
    for _ in range(2):
        done = start("print(ones(2).sum())", tmp_path)
        assert done.communicate(timeout=60) == ("tensor(2.)\n", "")
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert files
    for damage in (b"", b"garbage", b"tensorsh program 1\n" + b"\0" * 100):
        for path in files:
            path.write_bytes(damage)
        assert start("print(ones(2).sum())", tmp_path).communicate(timeout=60) == ("tensor(2.)\n", "")


def test_a_cache_of_others_is_not_trusted(tmp_path: Path) -> None:
    assert start("print(1)", tmp_path).communicate(timeout=60)[0] == "1\n"
    for path in tmp_path.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    assert start("print(1)", tmp_path).communicate(timeout=60) == ("1\n", "")
    assert all(p.stat().st_mode & 0o066 for p in tmp_path.rglob("*.tsc"))  # neither used nor written again


def test_two_runs_share_a_cache(tmp_path: Path) -> None:
    both = [start("print(ones(3).sum())", tmp_path) for _ in range(2)]
    assert [one.communicate(timeout=60) for one in both] == [("tensor(3.)\n", "")] * 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_every_command_says_that_a_disk_is_full_and_is_silent_where_nobody_listens(tmp_path: Path) -> None:
    one = str(tmp_path / "one.tsr")
    Path(one).write_text("print(1)\n#> 1\n")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    env.pop("PYTHONUNBUFFERED", None)
    for words in (["--help"], ["test", "-v", one], ["export", one], ["run", "-n", "2", one], ["completion", "bash"]):
        command = [sys.executable, "-m", "tensorsh", *words]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=env)
        assert done.returncode == 1 and done.stderr == "tensorsh: cannot write output: No space left on device\n", words
        done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, env=env)
        assert done.returncode in (0, 1) and done.stderr == "", words
