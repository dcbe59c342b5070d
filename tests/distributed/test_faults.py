"""Ranks that are killed, end, never come or call something else: every living rank says so in time, and nothing is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..support.ranks import by_rank, gone_from_shared_memory, shared, tensorsh
from ..support.started import left

FAULTS = Path(__file__).parent / "faults"
SECONDS = 20
"""In which each of these must have ended: 2 of timeout, 5 to end the others, the rest for a busy machine."""


@pytest.fixture(autouse=True)
def nothing_left():
    """No file in shared memory, no process."""
    before = shared()
    yield
    end = time.monotonic() + 5
    while (still := left() + running()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not still and gone_from_shared_memory(before)


def running() -> list[str]:
    """Processes that these tests started and that still run: of this worker's, where several run tests beside each other."""
    found = []
    own = f"PYTEST_XDIST_WORKER={os.environ.get('PYTEST_XDIST_WORKER', '')}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes() + b"\0"
        except OSError:
            continue
        if "PYTEST_XDIST_WORKER" in os.environ and own not in environment:
            continue
        if any(b"/lasting.tsr" in word for word in words):
            found.append(f"{folder.name}: {b' '.join(words).decode()}")
    return found


def test_mismatches() -> None:
    done = tensorsh("run", "-n", "3", str(FAULTS / "mismatches.py"))
    assert done.returncode == 0, done.stderr
    for lines in by_rank(done.stdout, 3):
        assert len(lines) == 22 and lines[-1] == "and on tensor([3.])"
        told = {
            line[: line.index(kind)].strip(): line
            for line in lines[:-1]
            for kind in re.findall(r"\w+Error|nothing", line)[:1]
        }
        assert len(told) == 21
        for name in told.keys() - {"message", "all_to_all"}:
            assert "DistBackendError Detected mismatch between collectives on ranks." in told[name]
        assert "all_to_all: rank 2 sends 1 elements to rank 1, which expects" in told["all_to_all"]
    assert "message DistBackendError recv on rank 0 from rank 1: a message of 20 bytes" in done.stdout


ENDED = {
    "SIGKILL": "was ended by SIGKILL", "SIGTERM": "was ended by SIGTERM", "crash": "was ended by SIGSEGV",
    "sys.exit": "ended with exit code 7", "os._exit": "ended with exit code 9", "returns": "has ended",
    "raises": "ended with exit code 1", "SIGKILL, recv": "was ended by SIGKILL", "raises, async": "ended with exit code 1",
    "kill during": "was ended by SIGKILL", "before the start": "ended with exit code 3",
}  # fmt: skip


NIGHTLY = {"SIGTERM", "crash", "sys.exit", "os._exit", "SIGKILL, recv", "raises, async", "never, recv", "never, async"}
"""Cases beside which another one goes nearly the same way."""


def cases(table: dict[str, str]) -> list:
    return [pytest.param(case, marks=[pytest.mark.nightly] * (case in NIGHTLY)) for case in table]


@pytest.mark.parametrize("case", cases(ENDED))
def test_a_rank_that_ends(case: str) -> None:
    began = time.monotonic()
    done = tensorsh("run", "-n", "2", str(FAULTS / "ends.py"), case)
    assert done.returncode == 1 and time.monotonic() - began < SECONDS
    assert re.search(rf"\[0\] .*Error: .*rank 1 {ENDED[case]}", done.stderr), done.stderr
    if "raises" in case:
        assert "[1] [rank1]: ZeroDivisionError: division by zero" in done.stderr


LATE = {
    "never": "all_reduce on rank 0: rank 1 did not arrive", "never, recv": "recv on rank 0: rank 1 did not arrive",
    "never, async": "all_reduce on rank 0: rank 1 did not arrive", "SIGSTOP": "all_reduce on rank 0: rank 1 did not arrive",
    "never, monitored": r"^\[0\] \[rank0\]: RuntimeError: \[Rank 0\]: Rank 1 failed to pass monitoredBarrier in 1000 ms$",
    "stop during": "all_reduce on rank 0: (not every rank finished it|rank 1 did not arrive)",  # between two calls
}  # fmt: skip


@pytest.mark.parametrize("case", cases(LATE))
def test_a_rank_that_does_not_come(case: str) -> None:
    began = time.monotonic()
    done = tensorsh("run", "-n", "2", str(FAULTS / "ends.py"), case)
    assert done.returncode == 1 and time.monotonic() - began < SECONDS
    said = LATE[case] if LATE[case][0] == "^" else rf"\[0\] .*Error: .*Timed out after \d s in {LATE[case]}"
    assert re.search(said, done.stderr, re.MULTILINE), done.stderr


def test_a_rank_that_only_computes_is_ended() -> None:
    began = time.monotonic()
    done = tensorsh("run", "-n", "2", str(FAULTS / "ends.py"), "raises, computes")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and time.monotonic() - began < SECONDS


LASTING = """\
import time
import torch.distributed as dist
dist.init_process_group("gloo")
dist.barrier()
print("there", flush=True)
time.sleep(60) if dist.get_rank() else dist.barrier()
"""


def started(folder: Path, *before: str) -> subprocess.Popen[str]:
    path = folder / "lasting.tsr"
    path.write_text(LASTING)
    process = subprocess.Popen(
        [sys.executable, "-m", "tensorsh", "run", "-n", "2", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    assert {process.stdout.readline() for _ in range(2)} == {"[0] there\n", "[1] there\n"}  # type: ignore[union-attr]
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_to_the_launcher_ends_all(number: int, code: int, tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    process.communicate(timeout=SECONDS)
    assert process.returncode == code


def children(process: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.parametrize("which", ["the watching process", "the program"])
def test_a_script_that_is_killed_from_outside(which: str, tmp_path: Path) -> None:
    process = started(tmp_path)
    rank = next(n for n in children(process.pid) if b"RANK=1\0" in Path(f"/proc/{n}/environ").read_bytes())
    os.kill(rank if which == "the watching process" else children(rank)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert re.search(r"\[0\] .*DistBackendError: barrier cannot end: rank 1 (was ended by SIGKILL|ended with)", errors)


def test_shared_memory_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """MPI would be ended by the system (SIGBUS)."""
    from tensorsh.torch.distributed import transport

    monkeypatch.setattr(transport, "EACH", 1 << 60)
    with pytest.raises(
        RuntimeError, match=r"^shared memory is full: 2 ranks need \d+ MB in /dev/shm, and \d+ MB are free"
    ):
        transport.check_shared_memory(2)


def test_parts_of_two_meshes_are_not_sharded() -> None:
    code = """\
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
torch.distributed.init_process_group("gloo", rank=0, world_size=1)
mesh = torch.distributed.init_device_mesh
part = parallelize_module(nn.Linear(2, 2), mesh("cpu", (1,)), ColwiseParallel())
fully_shard(part, mesh=mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))["dp"])
"""
    assert "make one mesh by init_device_mesh with mesh_dim_names" in tensorsh("-c", code).stderr


def test_what_is_no_module_is_not_sharded() -> None:
    from tensorsh.torch.distributed.fsdp.module import fully_shard

    with pytest.raises(TypeError, match="^'int' object is not iterable$"):
        fully_shard(5)
