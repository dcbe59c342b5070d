"""Names the first operator of a program whose bits differ: the program runs under PyTorch and under tensorsh, both watched.

    python -m tests.recording.trace --python /path/to/python/with/torch program.py [--keep FOLDER]

Not a test by itself. Each call of a function or method, each node of a backward pass and each step of an optimizer is an event
with the digests of the tensors that go in and come out. Of the first event that differs its place in the program is told,
whether the same went in, and the elements that came out; `--keep` leaves them in FOLDER as ``torch.npz`` and ``tensorsh.npz``.
What only one side has (PyTorch's optimizers call functions that may be watched) is passed over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
QUIET = ("__get__", "__set__", "__repr__", "__format__", "detach", "zeros_like", "empty")
"""Calls that compute nothing, or whose results are not yet filled."""
AHEAD = 60
"""So many events of one side may be passed over to find the other's next."""


def drive(program: str, kept: int | None, folder: str) -> None:
    """In the interpreter that has a ``torch``: runs a program, and writes its events; of the one to keep also its arrays."""
    import numpy as np
    import torch

    theirs = "tensorsh" not in torch.__version__
    from torch.overrides import TorchFunctionMode

    events: list[dict[str, Any]] = []
    hooked = set()

    def tensors(x: Any) -> list:
        if isinstance(x, torch.Tensor):
            return [x]
        if isinstance(x, dict):
            x = list(x.values())
        return [t for each in x for t in tensors(each)] if isinstance(x, (tuple, list)) else []

    def arrays(x: Any) -> list:
        return [np.ascontiguousarray(t.detach().resolve_conj().numpy()) for t in tensors(x)]

    def line() -> int:
        frame = sys._getframe()
        found = 0
        while frame := frame.f_back:  # type: ignore[assignment]
            if frame.f_code.co_filename == program:
                found = found or frame.f_lineno
            elif f"{os.sep}optim{os.sep}" in frame.f_code.co_filename or frame.f_code.co_filename.endswith("init.py"):
                return -1
        return found

    def seen(name: str, given: list, made: list) -> None:
        if kept == len(events):
            named = {f"in{k}": a for k, a in enumerate(given)} | {f"out{k}": a for k, a in enumerate(made)}
            np.savez(Path(folder) / ("torch.npz" if theirs else "tensorsh.npz"), **named)
        digests = [[hashlib.sha1(a.tobytes()).hexdigest() for a in part] for part in (given, made)]
        events.append(
            {"name": name, "line": line(), "shapes": [a.shape for a in made], "in": digests[0], "out": digests[1]}
        )

    def watch(result: Any) -> None:
        for t in tensors(result):
            node = t.grad_fn
            if node is None or node in hooked:
                continue
            hooked.add(node)
            name = type(node).__name__ if theirs else node.name()
            node.register_hook(lambda made, given, name=name: seen(name, arrays(given), arrays(made)))

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(function, "__name__", str(function))
            if name in QUIET or line() < 0:
                return function(*args, **(kwargs or {}))
            given = arrays((args, kwargs or {}))
            result = function(*args, **(kwargs or {}))
            watch(result)
            if tensors(result):
                seen(name, given, arrays(result))
            return result

    def watched(optimizer: Any, *args: Any, **kwargs: Any) -> None:
        made(optimizer, *args, **kwargs)
        optimizer.register_step_post_hook(stepped)

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        seen(
            type(optimizer).__name__ + ".step",
            arrays([p.grad for p in parameters if p.grad is not None]),
            arrays(parameters),
        )

    made = torch.optim.Optimizer.__init__
    torch.optim.Optimizer.__init__ = watched
    code = compile(Path(program).read_text(encoding="utf-8"), program, "exec")
    printed, sys.stdout = sys.stdout, open(os.devnull, "w")
    with Watch():
        exec(code, {"__name__": "__main__"})
    sys.stdout = printed
    print(json.dumps(events))


def run(python: str, program: str, before: str, kept: int | None, folder: str) -> list[dict[str, Any]]:
    """The events of a program under one of the two."""
    start = f"{before}; import runpy, sys; sys.argv = {['trace', '--drive', program, str(kept), folder]}; runpy.run_path({__file__!r}, run_name='__main__')"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([python, "-c", start], capture_output=True, encoding="utf-8", env=env)
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr.strip()}")
    return json.loads(done.stdout.rsplit("\n", 2)[-2])


def parted(theirs: list, ours: list) -> tuple[int, int, int] | None:
    """The places of the first two events that differ, and how many before them are the same; None where none differs."""

    def same(i: int, j: int) -> bool:
        return (theirs[i]["name"], theirs[i]["shapes"]) == (ours[j]["name"], ours[j]["shapes"])

    i = j = count = 0
    while i < len(theirs) and j < len(ours):
        if not same(i, j):
            skip = [(a, b) for n in range(AHEAD) for a in range(n + 1) for b in (n - a,)]
            i, j = next(
                ((i + a, j + b) for a, b in skip if i + a < len(theirs) and j + b < len(ours) and same(i + a, j + b)),
                (i, j),
            )
            if not same(i, j):
                break
        if theirs[i]["out"] != ours[j]["out"]:
            return i, j, count
        i, j, count = i + 1, j + 1, count + 1
    print(f"{count} events are the same to the bit; {len(theirs) - i} and {len(ours) - j} more were not compared")
    return None


def told(folder: str) -> str:
    """The elements in which the arrays that were kept differ."""
    import numpy as np

    lines = []
    a, b = np.load(Path(folder) / "torch.npz"), np.load(Path(folder) / "tensorsh.npz")
    for name in a.files:
        x, y = a[name], b[name] if name in b.files else None
        if y is None or x.shape != y.shape or x.dtype != y.dtype:
            lines.append(f"  {name}: {x.dtype}{x.shape} and {y if y is None else f'{y.dtype}{y.shape}'}")
        elif x.tobytes() != y.tobytes():
            x, y = x.ravel(), y.ravel()
            places = np.flatnonzero((x != y) | (np.signbit(x.real) != np.signbit(y.real)))
            first = "; ".join(f"[{k}] {x[k]!r} {y[k]!r}" for k in places[:4])
            lines.append(f"  {name}: {len(places)} of {x.size} elements, torch and tensorsh: {first}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", default=os.environ.get("TENSORSH_TORCH_PYTHON", sys.executable))
    parser.add_argument("--keep", help="a folder for the arrays that differ")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    sides = ((options.python, "import torch"), (sys.executable, "import tensorsh.as_torch"))
    theirs, ours = (run(python, program, before, None, "") for python, before in sides)
    found = parted(theirs, ours)
    if found is None:
        return 0
    with tempfile.TemporaryDirectory() as passing:
        folder = options.keep or passing
        for (python, before), place in zip(sides, found[:2], strict=True):
            run(python, program, before, place, folder)
        event, other = theirs[found[0]], ours[found[1]]
        went = "the same went in" if event["in"] == other["in"] else "what went in differs, too"
        print(f"{event['name']} of line {event['line']} after {found[2]} events that are the same; {went}")
        print(told(folder))
    return 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--drive"]:
        drive(sys.argv[2], None if sys.argv[3] == "None" else int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main())
