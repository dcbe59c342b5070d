"""Workers of a DataLoader that are killed, leave or hang; programs that end while they run; their bounds."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .running import command, left, run

HEAD = """\
import time, sys
from torch.utils.data import DataLoader, Dataset
class Items(Dataset):
    def __len__(self): return 8
    def __getitem__(self, i):
        {body}
        return i
"""

ENDS = {
    "raises": (
        "if i == 3: raise ValueError('three')",
        1,
        "ValueError: Caught ValueError in DataLoader worker process 1.",
    ),
    "exits": ("if i == 3: sys.exit(3)", 1, "exited unexpectedly with exit code 3"),
    "exits well": ("if i == 3: sys.exit()", 1, "exited unexpectedly"),
    "hangs": ("if i == 3: time.sleep(60)", 1, "RuntimeError: DataLoader timed out after 1 seconds"),
    "no batch": ("if i == 3: return lambda: 1", 1, "Caught TypeError in DataLoader worker process 1."),
}


@pytest.mark.parametrize(("body", "code", "said"), ENDS.values(), ids=ENDS)
def test_a_worker_that_does_not_answer_is_told_of(body: str, code: int, said: str, tmp_path: Path) -> None:
    source = HEAD.format(body=body) + "for x in DataLoader(Items(), num_workers=2, timeout=1): pass\n"
    done = run(tmp_path, source)
    assert done.returncode == code and said in done.stderr
    assert not left(tmp_path)


def test_the_place_in_the_dataset_is_shown(tmp_path: Path) -> None:
    done = run(tmp_path, HEAD.format(body="x = 1 // (i - 3)") + "list(DataLoader(Items(), num_workers=2))\n")
    assert "program.tsr:6:13 in Items.__getitem__" in done.stderr and "6 |         x = 1 // (i - 3)" in done.stderr


def begin(folder: Path, source: str, *options: str) -> subprocess.Popen[str]:
    words, env = command(folder, source, *options)
    made = subprocess.Popen(
        words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "begun\n"
    return made


SLEEPS = HEAD.format(body="time.sleep(60)") + (
    "it = iter(DataLoader(Items(), num_workers=2)); print('begun', flush=True); next(it)\n"
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_program(number: int, tmp_path: Path) -> None:
    program = begin(tmp_path, SLEEPS)
    assert len(left(tmp_path)) == 4  # the one that watches, the program, its workers
    if number == signal.SIGINT:
        os.killpg(program.pid, number)  # as the terminal does
    else:
        program.send_signal(number)
    _, said = program.communicate(timeout=60)
    assert program.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(number, -9)
    assert "Traceback" not in said
    until = time.monotonic() + 30
    while left(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left(tmp_path)


def test_a_killed_worker_is_told_of(tmp_path: Path) -> None:
    program = begin(tmp_path, SLEEPS)
    os.kill(max(left(tmp_path)), signal.SIGKILL)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 1 and "is killed by signal: Killed." in said and "exited unexpectedly" in said


def test_the_time_of_a_program_is_its_workers(tmp_path: Path) -> None:
    begin_ = time.monotonic()
    done = run(tmp_path, SLEEPS, "--timeout", "1")
    assert done.returncode == 124 and time.monotonic() - begin_ < 8
    assert not left(tmp_path)


def test_workers_have_the_programs_permissions(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    done = run(
        tmp_path, HEAD.format(body="return open('secret').read()") + "list(DataLoader(Items(), num_workers=1))\n"
    )
    assert done.returncode == 1 and "Caught PermissionError in DataLoader worker process 0." in done.stderr


def test_without_processes_there_is_a_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, HEAD.format(body="pass") + "list(DataLoader(Items(), num_workers=1))\n", "--isolate")
    if done.returncode == 2:
        assert "not possible here" in done.stderr
    else:
        assert done.returncode == 1 and "RuntimeError: --isolate lets a program start no processes" in done.stderr


def test_processes_are_bounded(tmp_path: Path) -> None:
    source = HEAD.format(body="pass") + (
        "import torch.multiprocessing as mp\n"
        "def f(): time.sleep(20)\n"
        "ps = []\n"
        "try:\n"
        "    for i in range(1000): ps.append(mp.Process(target=f)); ps[-1].start()\n"
        "except RuntimeError as e: print(len(ps), e)\n"
        "for p in ps[:-1]: p.kill()\n"
    )
    done = run(tmp_path, source)
    assert done.stdout == "129 a program can have 128 processes at a time, and has them all\n"
    assert not left(tmp_path)
