"""torch.multiprocessing as programs see it, compared with what PyTorch says, and the ways out that it must not open."""

from __future__ import annotations

import re
import resource
from pathlib import Path

import pytest

from .running import left, run

TALK = """\
import torch
import torch.multiprocessing as mp
def work(q, t, v):
    t += 1
    with v.get_lock(): v.value += 5
    q.put(("sum", t.sum(), mp.current_process().name))
q, t, v = mp.Queue(), torch.zeros(3).share_memory_(), mp.Value("i", 1)
p = mp.Process(target=work, args=(q, t, v))
p.start(); print(q.get()); p.join(); print(p.exitcode, t, v.value, p.is_alive())
def fill(i, t, bad):
    if i == bad: raise ValueError("no")
    t[i] = i + 10
t = torch.zeros(3)
mp.spawn(fill, args=(t, 7), nprocs=3); print(t)
def put(i, q): q.put(i)
mp.spawn(put, args=(q,), nprocs=2); print(q.get() + q.get())
try: mp.spawn(fill, args=(t, 1), nprocs=2)
except mp.ProcessRaisedException as e: print(type(e).__name__, str(e).splitlines()[2], e.error_index)
def leave(i): raise SystemExit(3)
try: mp.spawn(leave, nprocs=1)
except mp.ProcessExitedException as e: print(e, e.exit_code)
a, b = mp.Pipe()
def double(c): c.send(c.recv() * 2)
p = mp.Process(target=double, args=(b,)); p.start(); a.send(torch.ones(2)); print(a.recv()); p.join()
def many(q):
    for i in range(2000): q.put(i)
p = mp.Process(target=many, args=(q,)); p.start(); print(sum(q.get() for i in range(2000))); p.join()
m = torch.nn.Linear(2, 1).share_memory()
def train(m):
    with torch.no_grad(): m.weight.fill_(3.)
ps = [mp.Process(target=train, args=(m,)) for _ in range(2)]
for p in ps: p.start()
for p in ps: p.join()
print(m.weight.tolist(), m.weight.is_shared(), torch.ones(1).is_shared())
try: q.put(torch.ones(1, requires_grad=True) * 2)
except RuntimeError as e: print(str(e)[:60])
class Box:
    def __init__(self, x): self.x = x
q.put({"box": Box(torch.arange(2)), "f": fill, "kind": Box, "error": ValueError("a", 1)})
got = q.get(); print(got["box"].x, got["f"] is fill, got["kind"] is Box, repr(got["error"]))
try: q.get(timeout=0.1)
except Exception as e: print(type(e).__name__)
"""
SAID = """\
('sum', tensor(3.), 'Process-1')
0 tensor([1., 1., 1.]) 6 False
tensor([10., 11., 12.])
1
ProcessRaisedException -- Process 1 terminated with the following error: 1
process 0 terminated with exit code 3 3
tensor([2., 2.])
1999000
[[3.0, 3.0]] True False
Cowardly refusing to serialize non-leaf tensor which require
tensor([0, 1]) True True ValueError('a', 1)
Empty
"""


def test_processes_talk(tmp_path: Path) -> None:
    done = run(tmp_path, TALK)
    told = re.sub(
        r"Terminating process \d+ via signal SIGTERM\n", "", done.stderr
    )  # as PyTorch says of one that is not done yet
    assert (done.stdout, told, done.returncode) == (SAID, "", 0)
    assert not left(tmp_path)


HOSTILE = {
    "a function of the library": "mp.Queue().put(print.__self__)",
    "state of a class": (
        "class A:\n    __slots__ = ()\n    def __getstate__(self): return {'__class__': torch.Tensor}\nq = mp.Queue(); q.put(A()); q.get()"
    ),
    "reduce": "class A:\n    def __reduce__(self): return (print, ('out',))\nq = mp.Queue(); q.put(A()); print(type(q.get()).__name__)",
    "a namespace": "mp.Queue().put(torch)",
    "a frame": "mp.Queue().put((x for x in [1]))",
    "hidden": "print(mp.Queue()._near)",
    "the lock's own": "print(mp.Lock()._lock)",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_nothing_else_is_sent(source: str, tmp_path: Path) -> None:
    done = run(tmp_path, "import torch\nimport torch.multiprocessing as mp\n" + source + "\n")
    assert done.returncode == 1 and "Error" in done.stderr and "Traceback" not in done.stderr


POOL = """\
import multiprocessing as mp
from queue import Empty
import torch
def square(x): return x * x
def bad(x): raise ValueError(f"bad {x}")
def add(a, b): return a + b
with mp.Pool(2) as pool:
    print(pool.map(square, range(10)), pool.apply(square, (3,)), pool.starmap(add, [(1, 2), (3, 4)]))
    print(list(pool.imap(square, [1, 2])), sorted(pool.imap_unordered(square, [1, 2, 3])))
    print(pool.map(square, [torch.ones(2), torch.arange(3)]), pool.apply_async(square, (7,)).get(timeout=9))
    try: pool.map(bad, [1])
    except ValueError as e: print(e)
try: mp.Queue().get(timeout=0.1)
except Empty: print("empty")
"""


def test_a_pool_calls_functions(tmp_path: Path) -> None:
    done = run(tmp_path, POOL)
    assert done.stdout.splitlines() == [
        "[0, 1, 4, 9, 16, 25, 36, 49, 64, 81] 9 [3, 7]", "[1, 4] [1, 4, 9]", "[tensor([1., 1.]), tensor([0, 1, 4])] 49", "bad 1", "empty",
    ]  # fmt: skip
    assert not left(tmp_path)


MEMORY = """\
import torch, time
import torch.multiprocessing as mp
def f(q, go):
    try:
        t = torch.ones(25_000_000); q.put("fits"); go.wait()
    except RuntimeError as e: q.put(str(e)[-88:])
go, q = mp.Event(), mp.Queue()
ps = [mp.Process(target=f, args=(q, go)) for i in range(4)]
for p in ps: p.start()
print(sorted(q.get() for p in ps)); go.set()
for p in ps: p.join()
t = torch.ones(60_000_000); print("given back"); del t
def g(q):
    t = torch.ones(50_000_000); q.put(1); time.sleep(100)
p = mp.Process(target=g, args=(q,)); p.start(); q.get(); p.kill(); p.join()
t = torch.ones(60_000_000); print("given back by one that was killed")
def h(): del globals()["t"]
p = mp.Process(target=h); p.start(); p.join()
try: u = torch.ones(60_000_000)
except RuntimeError: print("a child frees nothing of its parent's")
del t
for i in range(20): q.put(torch.ones(10_000_000)); q.get()
try:
    for i in range(20): q.put(torch.ones(10_000_000))
except RuntimeError: print("on its way counts", i < 8)
"""


def test_the_memory_of_all_processes_is_bounded_together(tmp_path: Path) -> None:
    done = run(tmp_path, MEMORY, "--max-memory", "300M")
    assert done.stdout.splitlines()[1:] == [
        "given back", "given back by one that was killed", "a child frees nothing of its parent's", "on its way counts True",
    ]  # fmt: skip
    assert done.stdout.count("fits") == 3 and "tried to allocate 100000000 bytes" in done.stdout


def test_the_time_ends_a_program_that_waits_for_its_processes(tmp_path: Path) -> None:
    source = "import torch.multiprocessing as mp\ndef f():\n    while True: pass\nmp.Process(target=f).start()\nprint('begun')\n"
    done = run(tmp_path, source, "--timeout", "1")
    assert done.returncode == 124 and done.stdout == "begun\n"
    assert done.stderr == "Timeout: the program ran longer than 1 s (--timeout)\n"
    assert not left(tmp_path)


@pytest.mark.parametrize("made", ["torch.zeros(2000).share_memory_()", "torch.multiprocessing.Pipe()"])
def test_what_opens_all_that_it_may_is_told_of_without_frames_of_ours(made: str, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        done = run(tmp_path, f"kept = [torch.multiprocessing.Pipe()]\nwhile True: kept.append({made})\n")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert done.returncode == 1 and done.stderr.startswith("RuntimeError: Too many open files. Communication with")
    assert "Traceback" not in done.stderr and "program.tsr:2:" in done.stderr
