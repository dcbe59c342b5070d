"""Bombs: each ends in one clear line and the right exit code, within two seconds of its limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tensorsh import Session

from .support.started import tensorsh

if sys.platform == "win32":
    pytest.skip("limits are the kernel's", allow_module_level=True)

SECONDS = 0.2
BOMBS = {  # source, exit code, beginning of the first line
    "power": ("10**10**8", 124, "Timeout:"),
    "string": ("'a'*10**10", 1, "MemoryError"),
    "list": ("list(range(10**10))", 1, "MemoryError"),
    "repeated": ("[0]*10**10", 1, "MemoryError"),
    "shift": ("1<<10**11", 1, "MemoryError"),
    "width": ("f'{1:>10000000000}'", 1, "MemoryError"),
    "tensor": ("ones(10**10)", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "square": ("ones(10**5, 10**5)", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "expanded": ("ones(1).expand(10**5, 10**5) + 1", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "random": ("randn(10**10)", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "joined": ("x = ones(3*10**7)\nwhile True: x = torch.cat([x, x])", 1, "RuntimeError: [enforce fail"),
    "array": ("np.ones(10**11)", 1, "MemoryError: Unable to allocate"),
    "endless": ("while True: pass", 124, "Timeout:"),
    "caught": ("while True:\n  try:\n    while True: pass\n  except: pass", 124, "Timeout:"),
    "kinds": ("def kinds():\n  while True: pass\ntry:\n  while True: pass\nexcept kinds(): pass", 124, "Timeout:"),
    "finally": ("try:\n  while True: pass\nfinally:\n  while True: pass", 124, "Timeout:"),
    "in C": ("sum(range(10**12))", 124, "Timeout:"),
    "sleep": ("import time\ntime.sleep(100)", 124, "Timeout:"),
    "pattern": ("import re\nre.match('(a+)+$', 'a'*40+'b')", 124, "Timeout:"),
    "printed": ("while True: print('x'*1000)", 1, "OutputLimit:"),
    "recursion": ("def f(n): return f(n+1)\nf(0)", 1, "RecursionError:"),
    "repr": ("class A:\n  def __repr__(s): return repr(s)\nprint(A())", 1, "RecursionError:"),
    "nested list": ("x = []\nfor i in range(10**5): x = [x]\nrepr(x)", 1, "RecursionError:"),
    "generators": ("def g(): yield from g()\nlist(g())", 1, "RecursionError:"),
    "copy": ("import copy\nx = []\nfor i in range(10**5): x = [x]\ncopy.deepcopy(x)", 1, "RecursionError:"),
    "json": ("import json\njson.loads('['*100000)", 1, "RecursionError:"),
    "brackets": ("x = " + "[" * 10000 + "]" * 10000, 1, "SyntaxError:"),
    "parentheses": ("(" * 10000 + "1" + ")" * 10000, 1, "SyntaxError:"),
    "minus": ("-" * 100000 + "1", 1, "SyntaxError:"),
    "not": ("not " * 10000 + "True", 1, "SyntaxError:"),
    "lambdas": ("lambda:" * 5000 + "1", 1, "SyntaxError:"),
    "attributes": ("x" + ".a" * 50000, 1, "SyntaxError:"),
    "blocks": ("".join(" " * i + "if 1:\n" for i in range(300)) + " " * 300 + "pass", 1, "IndentationError:"),
    "contiguous": ("ones(1).expand(10**5, 10**5).contiguous()", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "product": ("ones(10**6, 1) @ ones(1, 10**6)", 1, "RuntimeError: [enforce fail at alloc_cpu.cpp"),
    "many": ("kept = []\nwhile True: kept.append(ones(1000))", 1, ("RuntimeError: [enforce fail", "MemoryError")),
    "doubling": ("s = 'x'\nwhile True: s += s", 1, "MemoryError"),
    "generator": ("import itertools\nlist(itertools.count())", 1, "MemoryError"),
    "sorted": ("sorted(range(10**10))", 1, "MemoryError"),
    "join": ("','.join('a' * 10**5 for i in range(10**6))", 1, "MemoryError"),
    "errors": ("import sys\nwhile True: sys.stderr.write('x' * 1000)", 1, None),
    "array in C": ("a = np.arange(10**6)\nwhile True: np.sort(np.sin(a))", 124, "Timeout:"),
    "product in C": ("a = ones(4000, 4000)\nfor i in range(1000): a @ a", 124, "Timeout:"),
    "tensor of itself": ("x = []\nx.append(x)\ntorch.tensor(x)", 1, "ValueError: too many dimensions"),
    "nested tensor": ("x = []\nfor i in range(10**5): x = [x]\ntorch.tensor(x)", 1, "ValueError: too many dimensions"),
    "nested iterators": (
        "x = iter([1])\nfor i in range(3 * 10**5): x = map(abs, x)\nnext(x)",
        1,
        ("Crash:", "MemoryError"),
    ),
    "saved": ("import io\nx = []\nfor i in range(10**5): x = [x]\ntorch.save(x, io.BytesIO())", 1, "RecursionError:"),
    "modules": ("m = nn.ReLU()\nfor i in range(3000): m = nn.Sequential(m)\nm(ones(1))", 1, "RecursionError:"),
    "itself": ("m = nn.Sequential()\nm.append(m)\nprint(m)", 1, "RecursionError:"),
    "print": ("print(10**5000)", 1, "ValueError:"),
    "long sum": ("+".join(["1"] * 100_000), 1, "SyntaxError: the program is nested too deeply"),
    "printed at the end": (
        "def g():\n  try: yield\n  finally:\n    while True: print('x'*1000)\nx = g(); next(x)",
        1,
        "OutputLimit:",
    ),
    "endless at the end": (
        "def g():\n  try: yield\n  finally:\n    while True: pass\nx = g(); next(x)",
        124,
        "Timeout:",
    ),
    "printed after an error": (
        "def g():\n  try: yield\n  finally:\n    while True: print('x'*1000)\nx = g(); next(x)\n1/0",
        1,
        "ZeroDivisionError:",
    ),
    "printed by a cycle": (
        "def g(l):\n  try: yield\n  finally:\n    for i in range(10**5): print('x'*1000)\n"
        "l = []; l.append(g(l)); next(l[0]); del l\n1/0",
        1,
        "ZeroDivisionError:",
    ),
    "a chain": (
        "e = ValueError()\nfor i in range(10**4):\n  try: raise ValueError(i) from e\n  except ValueError as x: e = x\nraise e",
        1,
        "ValueError: 9992",
    ),
    "digits": ("int('9'*10**6)", 1, "ValueError:"),
    "factorial": ("import math\nmath.factorial(10**7)", 1, "OverflowError:"),
}


def run(source: str, folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], float]:
    (folder / "bomb.tsr").write_text(source + "\n")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "XDG_CACHE_HOME": str(folder / "cache")}
    begin = time.monotonic()
    done = tensorsh(*options, "bomb.tsr", cwd=folder, env=env)
    return done, time.monotonic() - begin


@pytest.mark.parametrize(("source", "code", "line"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_ends_in_one_line(source: str, code: int, line: Any, tmp_path: Path) -> None:
    limit = SECONDS if code == 124 else 20
    done, seconds = run(source, tmp_path, f"--timeout={limit}", "--max-memory=400M", "--max-output=1M")
    assert done.returncode == code, done.stderr
    assert line is None or done.stderr.startswith(line), done.stderr[:300]
    assert "Traceback" not in done.stderr and "tensorsh/" not in done.stderr
    said = done.stderr.lstrip("x") if line is None else done.stderr
    assert len(said) < 2000 and len(done.stdout) + len(done.stderr) - len(said) <= 1 << 20
    assert line is not None or said.startswith("OutputLimit:")
    assert seconds < limit + 15  # two, and the start on a busy machine
    assert code == 1 or done.stderr.count("\n") == 1


@pytest.mark.skipif(not hasattr(signal, "sigtimedwait"), reason="nothing can watch a process here")
@pytest.mark.parametrize(
    "source",
    [
        "x = iter([1])\nfor i in range(3 * 10**5): x = map(abs, x)\nnext(x)",
        "x = iter([1])\nfor i in range(3 * 10**5): x = (v for v in x)\nnext(x)",
        "x = int\nfor i in range(3 * 10**5): x = list[x]\nhash(x)",
        "from collections import defaultdict\nx = 1\nfor i in range(3 * 10**5): x = defaultdict(int, {1: x})\ndel x",
    ],
    ids=["iterators", "generators", "hash", "freed"],
)
def test_a_crash_without_any_limit_is_said_in_one_line(source: str, tmp_path: Path) -> None:
    done, _ = run(source, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(("Crash: ", "RecursionError: ")) and "Fatal" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the end of a parent is told by Linux only")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_program_ends_with_the_process_that_was_started(number: int, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-m", "tensorsh", "-c", "print(1, flush=True)\nwhile True: pass"]
    started = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # it may be ignored where the tests run
    )  # fmt: skip
    assert started.stdout is not None and started.stdout.readline() == b"1\n"
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
    assert len(children) == 1
    started.send_signal(number)
    try:
        assert started.wait(20) == (-9 if number == signal.SIGKILL else 128 + number)
    finally:
        started.kill()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{children[0]}/stat").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{children[0]}/stat").read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        assert time.monotonic() < deadline
    started.stdout.close()
    assert started.stderr is not None
    assert b"Traceback" not in started.stderr.read()
    started.stderr.close()


def test_long_lines_and_programs_are_no_bombs(tmp_path: Path) -> None:
    done, _ = run("x = '" + "a" * 1_000_000 + "'\nprint(len(x))", tmp_path)
    assert (done.returncode, done.stdout) == (0, "1000000\n")
    done, _ = run("total = 0\n" + "total += 1\n" * 100_000 + "print(total)", tmp_path)
    assert (done.returncode, done.stdout) == (0, "100000\n")


REFUSED = [
    "ones(10**9)", "kept = [ones(4000, 4000) for _ in range(8)]",
    "ones(1).expand(10**5, 10**4).clone()", "np.zeros(10**9)", "'a' * 10**10", "kept = [0] * 10**10",
    "kept = []\nwhile True: kept.append(ones(1000))", "kept = []\nwhile True: kept.append('a' * len(kept))",
    "x = ones(100, requires_grad=True)\ny = x\nwhile True: y = torch.cat([y, y])",
]  # fmt: skip


@pytest.mark.parametrize("source", REFUSED)
def test_the_memory_of_a_session_is_bounded(source: str) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    session = Session(max_memory="200M")
    with pytest.raises((RuntimeError, MemoryError), match="limit is 209715200 bytes") as caught:
        session.run(source)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert "limit is 209715200" in session.diagnose(caught.value).split("\n")[0]
    for name in session:
        del session[name]
    del caught
    assert session.run("ones(1000, 1000).sum().item()") == 1e6


def test_sessions_do_not_pay_for_one_another() -> None:
    pytest.importorskip("tensorsh.engine.kernels.compiled")
    first, second = Session(max_memory=100 << 20), Session(max_memory=100 << 20)
    first.run("x = ones(20, 1000, 1000)")
    second.run("x = ones(20, 1000, 1000)")
    for session in (first, second):
        with pytest.raises(RuntimeError, match="tried to allocate 80000000 bytes"):
            session.run("y = ones(20, 1000, 1000)")
        session.run("del x\ny = ones(20, 1000, 1000)")


def test_what_is_freed_elsewhere_is_given_back() -> None:
    pytest.importorskip("tensorsh.engine.kernels.compiled")
    session = Session(max_memory=100 << 20)
    for _ in range(10):
        kept = None
        kept = session.run("ones(20, 1000, 1000)")
    with pytest.raises(RuntimeError, match="tried to allocate 80000000 bytes"):
        session.run("ones(20, 1000, 1000)")
    del kept
    session.run("ones(20, 1000, 1000)")


def test_little_memory_is_enough_for_libraries(tmp_path: Path) -> None:
    pytest.importorskip("tensorsh.engine.kernels.compiled")
    source = "print(torch.linalg.svd(rand(300, 300))[1].shape, torch.special.bessel_j0(rand(100)).shape)"
    done, _ = run(source, tmp_path, "--max-memory=10M")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError('x' * 10**8)",
        "exit('x' * 10**8)",
        "class E(Exception):\n  def __str__(s): return 'x' * 10**8\nraise E",
    ],
)
def test_errors_are_output_too(source: str, tmp_path: Path) -> None:
    done, _ = run(source, tmp_path, "--max-output=10K", "--max-memory=400M")
    assert done.returncode == 1 and len(done.stderr) < 11_000


@pytest.mark.parametrize("kind", ["RuntimeError", "MemoryError"])
def test_a_program_may_catch_what_a_tensor_did_not_get(kind: str, tmp_path: Path) -> None:
    source = f"try:\n  ones(10**10)\nexcept {kind} as e:\n  print(str(e)[:15])\nprint(ones(2).sum())"
    done, _ = run(source, tmp_path, "--max-memory=400M")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[enforce fail a\ntensor(2.)\n", "")


def test_a_program_may_catch_what_a_list_did_not_get(tmp_path: Path) -> None:
    done, _ = run("try:\n  x = [0] * 10**10\nexcept MemoryError:\n  print('caught')", tmp_path, "--max-memory=400M")
    assert (done.returncode, done.stdout) == (0, "caught\n")
