"""`--isolate`: what the kernel refuses, also to code that got past the language's gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyseccomp")

ATTEMPTS = {
    "read": "open('/etc/passwd').read()",
    "write": "open('stolen', 'w')",
    "list": "os.listdir('/')",
    "remove": "os.remove('kept')",
    "network": "socket.socket()",
    "program": "subprocess.run(['true'])",
    "process": "os.fork()",
    "signal": "os.kill(os.getppid(), 0)",
    "memory": "ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0) == 0 or (_ for _ in ()).throw(OSError())",
    "link": "os.symlink('/etc/passwd', 'link')",
    "mode": "os.chmod('kept', 0o777)",
    "owner": "os.chown('kept', 0, 0)",
    "times": "os.utime('kept', (1, 1))",
    "attribute": "os.setxattr('kept', 'user.x', b'1')",
    "other's limits": "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))",
    "other's priority": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
    "other's cores": "os.sched_setaffinity(os.getppid(), {0})",
    "other's thread": "ctypes.CDLL(None, use_errno=True).tgkill(os.getppid(), os.getppid(), 0) == 0 or (_ for _ in ()).throw(OSError())",
    "pipe in a folder": "os.mkfifo('pipe')",
    "own variables": "open('/proc/self/environ')",
    "environment": "open(f'/proc/{os.getppid()}/environ')",
}
CODE = """
import os, socket, subprocess, ctypes, numpy
from tensorsh.sandbox.isolation import Unavailable, isolate
try:
    print(isolate([], []))
except Unavailable as error:
    print("unavailable", error)
    raise SystemExit
for name, attempt in {attempts!r}.items():
    try:
        exec(attempt)
    except OSError:
        continue
    print("possible:", name)
import threading
thread = threading.Thread(target=lambda: print("thread"))
thread.start()
thread.join()
"""


def run(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, env=env, **options)  # type: ignore[call-overload]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kept").write_text("x")
    found = run("-c", CODE.format(attempts={}), cwd=tmp_path)
    if "unavailable" in found.stdout:
        pytest.skip(found.stdout)
    return tmp_path


@pytest.mark.parametrize(
    "allowed", ["--allow-read=/etc/passwd", "--allow-read=/etc", "--allow-read=/", "--allow-write=/etc/x"]
)
def test_what_is_tried_may_be_allowed(allowed: str, folder: Path) -> None:
    source = (
        f"try: print(open('/etc/passwd').read()[:0] + 'read')\nexcept PermissionError: print('not {allowed[8:13]}')"
    )
    found = run("-m", "tensorsh", "--isolate", allowed, "-c", source, cwd=folder)
    assert found.stdout == ("read\n" if "read" in allowed else "not write\n") and found.returncode == 0, found.stderr


def test_the_kernel_refuses(folder: Path) -> None:
    found = run("-c", CODE.format(attempts=ATTEMPTS), cwd=folder)
    assert found.stderr == ""
    assert "possible" not in found.stdout and found.stdout.startswith("isolated: files by landlock")
    assert found.stdout.endswith("thread\n")
    assert sorted(p.name for p in folder.iterdir()) == ["kept"]


def test_programs_run_and_say_what_is_in_force(folder: Path) -> None:
    code = "x = randn(64, 64); (x @ x).shape, torch.linalg.svd(x)[1].shape, torch.special.erf(x).shape"
    found = run("-m", "tensorsh", "run", "--isolate", "-c", code, cwd=folder)
    assert found.returncode == 0, found.stderr
    assert "isolated" in found.stderr and "64, 64" in found.stdout


def test_permissions_hold_in_the_kernel_too(folder: Path) -> None:
    code = "open('kept').read(), np.save('made.npy', np.ones(2)), np.load('made.npy').sum()"
    found = run("-m", "tensorsh", "--isolate", "--allow-read=.", "--allow-write=.", "-c", code, cwd=folder)
    assert found.returncode == 0 and "2.0" in found.stdout, found.stderr
    found = run("-m", "tensorsh", "--isolate", "-c", "open('kept').read()", cwd=folder)
    assert found.returncode == 1 and "--allow-read" in found.stderr


def test_it_is_refused_where_it_makes_no_sense(folder: Path) -> None:
    for words in (["--isolate", "-i", "x.tsr"], ["test", "--isolate", "."], ["--isolate"]):
        assert run("-m", "tensorsh", *words, cwd=folder, stdin=subprocess.DEVNULL).returncode == 2


def test_without_the_packages_nothing_is_run(folder: Path) -> None:
    hide = "import sys; sys.modules['pyseccomp'] = None; from tensorsh.cli import main; sys.exit(main(['--isolate', '-c', 'print(1)']))"
    found = run("-c", hide, cwd=folder)
    assert found.returncode == 2 and found.stdout == "" and "was not run" in found.stderr
