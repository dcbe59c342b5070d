"""Ways to start ranks: the launcher, mpiexec, by hand, one process; labels, arguments, what a script sees of all that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ..support.ranks import LONGEST, by_rank, gone_from_shared_memory, tensorsh

HELLO = """\
import os, sys
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(2) * (dist.get_rank() + 1)
dist.all_reduce(x)
print(dist.get_rank(), dist.get_world_size(), x, sys.argv[1:], os.environ["LOCAL_RANK"])
dist.destroy_process_group()
"""
SAID = [f"{rank} 2 tensor([3., 3.]) ['a', '-n'] {rank}" for rank in range(2)]


def program(folder: Path, suffix: str, text: str = HELLO) -> str:
    path = folder / f"hello{suffix}"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("suffix", [".tsr", ".py"])
def test_the_launcher_labels_lines(suffix: str, tmp_path: Path) -> None:
    path = program(tmp_path, suffix)
    done = tensorsh("run", "-n", "2", path, "a", "-n")
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, [f"[{i}] {line}" for i, line in enumerate(SAID)])
    done = tensorsh("-n", "2", "--no-labels", path, "a", "-n")
    assert (done.returncode, sorted(done.stdout.splitlines()), done.stderr) == (0, SAID, "")


def test_modules_in_the_folder_are_not_the_ranks(tmp_path: Path) -> None:
    for name in ("json", "socket", "numpy", "tensorsh"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the folder')\n")
    words = [sys.executable, "-P", "-m", "tensorsh", "run", "-n", "2", "-c", "print(ones(2))"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert sorted(done.stdout.splitlines()) == [f"[{i}] tensor([1., 1.])" for i in range(2)], done.stderr


def test_torchrun(tmp_path: Path) -> None:
    """``python -m torch.distributed.run`` takes torchrun's options in both spellings, and fails where a rank fails."""
    marked = "from torch.distributed.elastic.multiprocessing.errors import record\n"
    path = program(tmp_path, ".py", marked + HELLO + "@record\ndef main():\n    sys.exit('no' in sys.argv)\nmain()\n")
    start = "python", "-m", "torch.distributed.run", "--standalone", "--nnodes=1"
    done = tensorsh(*start, "--nproc_per_node=2", path, "a", "-n")
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, SAID)
    assert tensorsh(*start, "--nproc-per-node", "2", "--master_port", "1", path, "no").returncode == 1
    done = tensorsh(*start[:-1], "--nnodes=2", path)
    assert "on this machine alone: --nnodes must be 1" in done.stderr
    for module, options in (("run", ["--no-python", sys.executable, "-c"]), ("launch", ["--nproc-per-node=x"])):
        done = tensorsh("python", "-m", f"torch.distributed.{module}", *options, "print(3)")
        assert done.stdout == "3\n" or "Unsupported nproc_per_node value: x" in done.stderr


def test_code_and_modules(tmp_path: Path) -> None:
    code = "import torch.distributed as d; d.init_process_group('gloo'); print(d.get_world_size())"
    assert tensorsh("run", "-n", "3", "-c", code).stdout.count("] 3\n") == 3
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = tensorsh("run", "-n", "2", "-m", "hello", "a", "-n", PYTHONPATH=path)
    assert done.returncode == 1 and "No module named hello" in done.stderr
    program(tmp_path, ".py")
    assert tensorsh("run", "-n", "2", "-m", "hello", "a", "-n", PYTHONPATH=path).returncode == 0


def test_long_lines_and_the_last_line_are_whole() -> None:
    done = tensorsh("run", "-n", "2", "-c", "print('x' * 50000); print('a', 'b'); print('end', end='')")
    assert by_rank(done.stdout, 2) == [["x" * 50000, "a b", "end"]] * 2


def test_permissions_and_limits_are_those_of_each_rank(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("there")
    code = f"print(open({str(tmp_path / 'there')!r}).read())"
    done = tensorsh("run", f"--allow-read={tmp_path}", "-n", "2", "-c", code)
    assert sorted(done.stdout.splitlines()) == ["[0] there", "[1] there"]
    assert tensorsh("run", "-n", "2", "-c", code).stderr.count("PermissionError") == 2
    done = tensorsh("run", "--timeout=1", "-n", "2", "-c", "while True: pass")
    assert done.returncode == 124 and "Timeout: the program ran longer than 1 s" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "-n", "0", "x.tsr"), "-n takes a number of processes, not '0'"),
        (("run", "-n", "2"), "-n needs a program to run"),
        (("run", "-n", "2", "-i", "x.tsr"), "-n is for running a program as several processes"),
        (("export", "-n", "2", "x.tsr"), "-n is for running a program as several processes"),
        (("run", "--no-labels", "x.tsr"), "belong to `tensorsh run -n N`"),
        (("run", "-n", "2", "--allow-all", "x.py"), "--allow-all bounds scripts; x.py is plain Python"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], said: str) -> None:
    done = tensorsh(*words)
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("name", ["nofile.tsr", "nofile.py"])
def test_a_file_that_is_not_there_is_told_once(name: str) -> None:
    done = tensorsh("run", "-n", "2", name)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr == f"tensorsh: cannot read {name}: No such file or directory\n"


def test_mpiexec(tmp_path: Path) -> None:
    mpiexec = os.path.join(sys.prefix, "bin", "mpiexec")
    for words in ([program(tmp_path, ".tsr")], ["python", program(tmp_path, ".py")]):
        command = [mpiexec, "-n", "2", sys.executable, "-m", "tensorsh", *words, "a", "-n"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
        assert done.stdout.count("tensor([3., 3.])") == 2 and done.stdout.count("['a', '-n']") == 2, done
        assert done.returncode == 0
    (tmp_path / "hosts").write_text("localhost\n")
    done = tensorsh("run", "-n", "2", "--hostfile", str(tmp_path / "hosts"), program(tmp_path, ".tsr"), "a", "-n")
    assert done.returncode == 0 and "[1] " in done.stdout


def test_mpiexec_ends_when_a_rank_raises(tmp_path: Path) -> None:
    text = HELLO.replace("print(", "1 / dist.get_rank()\nprint(").replace(
        "dist.destroy", "dist.barrier()\ndist.destroy"
    )
    command = [os.path.join(sys.prefix, "bin", "mpiexec"), "-n", "2", sys.executable, "-m", "tensorsh"]
    for words in ([program(tmp_path, ".tsr", text)], ["python", program(tmp_path, ".py", text)]):
        done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=LONGEST)
        told = "[rank0]: ZeroDivisionError" if words[0] == "python" else "ZeroDivisionError"
        assert done.returncode == 1 and told in done.stderr and "BAD TERMINATION" not in done.stdout
    assert gone_from_shared_memory(set())


def names(kind: str, rank: int) -> dict[str, str]:
    """The environment that torchrun, or srun without MPI, gives a rank of two."""
    if kind == "torchrun":
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29713"}
        return {"WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank), **place}
    step = {"SLURM_JOB_ID": str(os.getpid()), "SLURM_STEP_ID": "0", "SLURM_NNODES": "1", "SLURM_STEP_NODELIST": "node"}
    return {"SLURM_NTASKS": "2", "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), **step}


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("torchrun", ".tsr"),
        ("srun", ".py"),
        pytest.param("torchrun", ".py", marks=pytest.mark.nightly),
        pytest.param("srun", ".tsr", marks=pytest.mark.nightly),
    ],
)
def test_ranks_by_the_names_of_others(kind: str, suffix: str, tmp_path: Path) -> None:
    """Whoever starts the ranks says where they meet, not the script. Each writes whole lines."""
    words = (["python"] if suffix == ".py" else []) + [program(tmp_path, suffix), "a", "-n"]
    with ThreadPoolExecutor() as pool:
        ranks = [pool.submit(tensorsh, *words, PYTHONUNBUFFERED="1", **names(kind, rank)) for rank in range(2)]
    for rank, line in zip(ranks, SAID, strict=True):
        done = rank.result()
        assert (done.returncode, done.stdout) == (0, line + "\n"), done.stderr


def test_where_the_ranks_of_slurm_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.ranks import world

    for name in [name for name in os.environ if name.startswith(("SLURM", "PMI", "RANK"))]:
        monkeypatch.delenv(name)
    several = {"SLURM_STEP_NODELIST": "node[03-05,9],other", "SLURM_STEP_NUM_NODES": "5", "SLURM_NODEID": "3"}
    for name, value in {**names("srun", 1), **several, "SLURM_STEP_TASKS_PER_NODE": "2(x3),1(x2)"}.items():
        monkeypatch.setenv(name, value)
    said = world.said()
    assert (said["RANK"], said["MASTER_ADDR"], said["LOCAL_WORLD_SIZE"], world.managed()) == ("1", "node03", "1", False)
    monkeypatch.setenv("PMI_FD", "3")  # as srun --mpi=pmi2 says
    assert world.managed()


SPAWNS = """\
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, size, how):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "29714"
    dist.init_process_group("gloo", rank=rank, world_size=size, init_method=how)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    model(torch.ones(1, 2) * (rank + 1)).sum().backward()
    print(f"<{rank} {model.module.weight.grad}>", end="", flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    for how in (None, "tcp://198.51.100.1:29715"):
        mp.spawn(work, args=(2, how), nprocs=2, join=True)
"""


def test_ranks_that_a_program_starts_itself(tmp_path: Path) -> None:
    """As in PyTorch's DDP tutorial; those of a script meet by a secret of their own, whatever address it names."""
    for name, text in (("spawns.tsr", SPAWNS), ("spawns.py", SPAWNS.replace(', "tcp://198.51.100.1:29715"', ","))):
        (tmp_path / name).write_text(text)
        done = tensorsh(*(["python"] if name.endswith("py") else []), str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        for rank in range(2):
            assert done.stdout.count(f"<{rank} tensor([[1.5000, 1.5000]])>") == (2 if name.endswith("tsr") else 1)


BY_HAND = """\
import sys
import tensorsh.as_torch
import torch, torch.distributed as dist
from datetime import timedelta
how, rank = sys.argv[1], int(sys.argv[2])
limit = timedelta(seconds=20)
if how == "store":
    store = dist.TCPStore("localhost", 29711, 2, rank == 0, limit)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=limit)
elif how == "env://":
    dist.init_process_group("gloo", timeout=limit)
else:
    dist.init_process_group("gloo", init_method=how, rank=rank, world_size=2, timeout=limit)
x = torch.ones(2)
dist.all_reduce(x)
dist.destroy_process_group()
print(x)
"""


@pytest.mark.parametrize(
    "how", ["env://", "file", pytest.param("tcp://127.0.0.1:29701", marks=pytest.mark.nightly), "store"]
)
def test_by_hand(how: str, tmp_path: Path) -> None:
    """No launcher: the ranks meet at an address, on one machine without a port that a network reaches."""
    path = program(tmp_path, ".py", BY_HAND)
    how = f"file://{tmp_path}/meeting" if how == "file" else how
    port = str(20000 + os.getpid() % 20000)  # another suite may run beside this one
    ranks = [
        subprocess.Popen(
            [sys.executable, path, how, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": port},
        )
        for rank in range(2)
    ]  # fmt: skip
    for rank in ranks:
        out, errors = rank.communicate(timeout=LONGEST)
        assert (rank.returncode, out) == (0, "tensor([2., 2.])\n"), errors


def test_who_did_not_arrive_is_named(tmp_path: Path) -> None:
    code = BY_HAND.replace("world_size=2", "world_size=3").replace("seconds=20", "seconds=1")
    done = subprocess.run(
        [sys.executable, program(tmp_path, ".py", code), "tcp://127.0.0.1:29731", "0"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.search(r"DistNetworkError: .*ranks 1, 2 did not arrive at 127.0.0.1:29731 within 1 s", done.stderr)


def test_one_process_needs_no_launcher() -> None:
    code = """\
import torch.distributed as dist
dist.init_process_group("gloo", rank=0, world_size=1)
x = ones(2); dist.all_reduce(x); print(x, dist.get_world_size())
"""
    done = tensorsh("-c", code)
    assert (done.returncode, done.stdout) == (0, "tensor([1., 1.]) 1\n"), done.stderr


def test_no_launcher_no_world() -> None:
    said = (
        "Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set"
    )
    assert said in tensorsh("-c", "torch.distributed.init_process_group('gloo')").stderr
    done = tensorsh("-c", "torch.distributed.init_process_group('gloo', rank=0, world_size=2)")
    assert "start it with `tensorsh run -n 2 FILE`" in done.stderr


def test_a_script_sees_the_names_of_torchrun_and_no_others() -> None:
    done = tensorsh(
        "run", "-n", "2", "-c", "import os; print(sorted(os.environ)); print(os.getenv('PMI_FD'))", SECRET="x"
    )
    for lines in by_rank(done.stdout, 2):
        assert "'LOCAL_WORLD_SIZE'" in lines[0] and "SECRET" not in lines[0] and "TENSORSH" not in lines[0]
        assert "PMI" not in lines[0] and "PATH" not in lines[0] and lines[1] == "None"


def test_nothing_listens() -> None:
    """Neither the launcher nor a rank has a listening socket."""
    code = """\
import os, sys, tensorsh.as_torch, torch.distributed as dist
dist.init_process_group("gloo")
mine = {os.readlink(f"/proc/{p}/fd/{n}") for p in (os.getpid(), os.getppid()) for n in os.listdir(f"/proc/{p}/fd")
        if os.path.exists(f"/proc/{p}/fd/{n}")}
for kind in ("tcp", "tcp6", "udp", "udp6"):
    for line in list(open(f"/proc/net/{kind}"))[1:]:
        words = line.split()
        if f"socket:[{words[9]}]" in mine:
            print("open", kind, words[1], words[3])
print("looked")
dist.barrier()
"""
    done = tensorsh("run", "-n", "2", "-m", "timeit", "-n1", "-r1", "-s", code, "pass")
    assert done.stdout.count("looked") == 2 and "open" not in done.stdout, done.stdout + done.stderr


def test_start_up_loads_none_of_it() -> None:
    code = "import sys; from tensorsh.cli import main; main(['-c', '1 + 1']); print([m for m in sys.modules if 'mpi4py' in m or 'tensorsh.torch.distributed' in m or 'tensorsh.ranks.l' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"
