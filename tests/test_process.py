"""Importing the library changes nothing of its process; the command line, whose process it is, may."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys

import pytest

from tensorsh.engine.kernels import compiled

LOOK = """
import gc, json, locale, os, signal, sys, threading, warnings
import numpy as np

def look():
    return {
        "collector": [gc.isenabled(), list(gc.get_threshold()), len(gc.callbacks), gc.get_freeze_count()],
        "recursion": sys.getrecursionlimit(),
        "switching": sys.getswitchinterval(),
        "digits of integers": sys.get_int_max_str_digits(),
        "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
        "masked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))) if hasattr(signal, "pthread_sigmask") else [],
        "hooks": [id(getattr(sys, name)) for name in ("unraisablehook", "excepthook", "displayhook", "breakpointhook")],
        "threads' hook": id(threading.excepthook),
        "watches": [sys.gettrace() is None, sys.getprofile() is None],
        "finders": [str(each) for each in sys.meta_path],
        "streams": [id(sys.stdin), id(sys.stdout), id(sys.stderr)],
        "path": sys.path,
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "warnings": [str(each) for each in warnings.filters] + [id(warnings.showwarning)],
        "stacks": threading.stack_size(),
        "threads": threading.active_count(),
        "language": locale.setlocale(locale.LC_ALL),
        "errors of numpy": np.geterr(),
        "text of arrays": {name: str(value) for name, value in np.get_printoptions().items()},
    }

"""


def answer(code: str, **more: str) -> dict:
    run = subprocess.run(
        [sys.executable, "-c", LOOK + code], capture_output=True, text=True, timeout=120, env=os.environ | more
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


QUIET = {"errors of numpy": dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")}
"""The one setting that is left, of the thread that imports: PyTorch never warns of a division by zero, and to change it for each
call would take as long as a small operator does."""

USES = {
    "imported": "",
    "computed": "x = torch.rand(300, 300, requires_grad=True); (x @ x).relu().sum().backward(); torch.linalg.svd(x)",
    "trained": (
        "m = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1)); "
        "o = torch.optim.AdamW(m.parameters()); m(torch.ones(2, 4)).sum().backward(); o.step()"
    ),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_the_library_changes_nothing_of_its_process(use):
    code = (
        "before = look()\nfrom tensorsh import torch\nimport tensorsh.torch.nn, tensorsh.torch.optim, tensorsh.session\n"
        f"{use}\nfrom tensorsh.engine import kernels\n"
        "print(json.dumps([before, look(), kernels.kept]))"
    )
    before, after, kept = answer(code)
    assert {name: after[name] for name in after if after[name] != before[name]} == QUIET
    assert kept == 0


@pytest.mark.parametrize(("owned", "kept"), [(True, 1 << 27), (False, 0)])
def test_the_command_line_keeps_freed_memory(owned, kept):
    """`main()` reads the arguments of its own process; `main([...])` is called by somebody else's program."""
    pytest.importorskip("tensorsh.engine.kernels.compiled")
    words = ["-c", "torch.ones(3).sum()"]
    call = f"sys.argv[1:] = {words}; main()" if owned else f"main({words})"
    code = (
        "import os\nfrom tensorsh.cli import main\nimport tensorsh.cli as cli\nended = []\n"
        "cli._end = ended.append\n"
        f"{call}\nfrom tensorsh.engine import kernels\nprint(json.dumps({{'kept': kernels.kept}}))"
    )
    assert answer(code)["kept"] == kept


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or compiled is None, reason="that is of glibc, and done by the kernels"
)
def test_large_results_take_the_memory_of_those_before() -> None:
    """A page that the system clears anew takes as long as the multiplication of its elements."""
    code = """
from tensorsh import torch
import resource
x, y = (torch.rand(1000, 1000, requires_grad=True) for _ in range(2))
def step(): torch.autograd.grad(x * y, (x, y), torch.ones_like(x))
step(), step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5): step()
print(json.dumps({"faults": resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before}))
"""
    assert answer(code)["faults"] < 1000  # of pages: each result has as many


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or compiled is None, reason="that is of glibc, and done by the kernels"
)
def test_large_arrays_of_an_own_process_begin_at_a_line_of_the_cache() -> None:
    """A vector of 64 bytes that lies in two lines takes twice as long to read, and to write."""
    code = """
from tensorsh.sandbox import process
process.owned = True
from tensorsh import torch
kept = [torch.rand(3000 * k) + 1 for k in range(2, 20)]
print(json.dumps({"past": [x.data_ptr() % 64 for x in kept]}))
"""
    assert answer(code)["past"] == [0] * 18
