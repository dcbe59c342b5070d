"""Compiled functions beside the same functions as they stand: ``python -m benchmarks.replay --torch PYTHON --jax PYTHON``.

Each engine runs in a process of its own, in turns; a row's least time counts. With PyTorch's interpreter its own ``torch.compile``
(inductor, where it finds a C++ compiler) is measured beside, with JAX's its ``jit``. The compiled results are compared with the others
to the bit here. A second table has the memory that the peak of the fourth step lies above
what was held before the first, each in a new process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve()
NETWORK = """
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.n1 = nn.LayerNorm(width); self.qkv = nn.Linear(width, 3 * width); self.proj = nn.Linear(width, width)
        self.n2 = nn.LayerNorm(width); self.up = nn.Linear(width, 4 * width); self.down = nn.Linear(4 * width, width); self.heads = heads
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        q, k, v = [z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in (q, k, v)]
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.n2(x))))
"""
STEP = """
def f(x, y):
    optimizer.zero_grad()
    loss = {loss}
    loss.backward()
    optimizer.step()
    return loss
"""
BACKWARD = "def use(f): f(*args).sum().backward()"
ROWS = {
    "chain of 1,000 scalar nodes, backward": (
        "def f(z, a):\n    for _ in range(500):\n        z = z * a + 0.5\n    return z\nargs = [torch.rand(()).requires_grad_() for _ in range(2)]\n" + BACKWARD,
        "def f(z, a):\n    for _ in range(500):\n        z = z * a + 0.5\n    return z\nargs = [jnp.float32(0.3), jnp.float32(0.7)]\nf = grad(f, (0, 1))",
    ),
    "RNN of 50 steps, backward": (
        "U, W = torch.randn(16, 16).requires_grad_(), torch.randn(8, 16).requires_grad_()\nargs = [torch.randn(50, 4, 8), torch.zeros(4, 16)]\n"
        "def f(X, h):\n    for x in X:\n        h = torch.tanh(x @ W + h @ U)\n    return h\n" + BACKWARD,
        "args = [random(16, 16), random(8, 16), random(50, 4, 8), jnp.zeros((4, 16))]\n"
        "def f(U, W, X, h):\n    for x in X:\n        h = jnp.tanh(x @ W + h @ U)\n    return h.sum()\nf = grad(f, (0, 1))",
    ),
    "MLP 8-16-1, 32 rows, step of Adam": (
        "model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)); optimizer = torch.optim.Adam(model.parameters())\n"
        "args = [torch.randn(32, 8), torch.randn(32, 1)]" + STEP.format(loss="((model(x) - y) ** 2).mean()"),
        None,
    ),
    "GPT block 64, 2x16, step of AdamW": (
        NETWORK + "model = Block(64, 4); optimizer = torch.optim.AdamW(model.parameters())\nargs = [torch.randn(2, 16, 64), None]"
        + STEP.format(loss="model(x).pow(2).mean()"),
        None,
    ),
    "GPT block 128, 8x64, step of AdamW": (
        NETWORK + "model = Block(128, 4); optimizer = torch.optim.AdamW(model.parameters())\nargs = [torch.randn(8, 64, 128), None]"
        + STEP.format(loss="model(x).pow(2).mean()"),
        None,
    ),
    "20 layers of 64, 32 rows, step of SGD": (
        "model = nn.Sequential(*[m for _ in range(20) for m in (nn.Linear(64, 64), nn.Tanh())]); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n"
        "args = [torch.randn(32, 64), torch.randn(32, 64)]" + STEP.format(loss="((model(x) - y) ** 2).mean()"),
        None,
    ),
    "tanh(x*y).sum(), 1e7": (
        "args = [torch.rand(10_000_000), torch.rand(10_000_000)]\ndef f(x, y): return torch.tanh(x * y).sum()",
        "args = [random(10_000_000), random(10_000_000)]\ndef f(x, y): return jnp.tanh(x * y).sum()",
    ),
    "gelu by hand, 1e6": (
        "args = [torch.randn(1_000_000)]\ndef f(x): return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))",
        "args = [random(1_000_000)]\ndef f(x): return 0.5 * x * (1 + jnp.tanh(0.79788456 * (x + 0.044715 * x * x * x)))",
    ),
}  # fmt: skip
"""The source of each row for PyTorch's names, and for JAX's."""
MEMORY = {
    "20 layers of 256, 8,192 rows, step of SGD": (
        "model = nn.Sequential(*[m for _ in range(20) for m in (nn.Linear(256, 256), nn.Tanh())]); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n"
        "args = [torch.randn(8192, 256), torch.randn(8192, 256)]" + STEP.format(loss="((model(x) - y) ** 2).mean()"),
        None,
    ),
    "20 elementwise layers of 1e6, backward": (
        "args = [torch.rand(1_000_000).requires_grad_()]\ndef f(x):\n    for _ in range(20):\n        x = torch.tanh(x * 1.5 + 0.5)\n    return x\n" + BACKWARD,
        None,
    ),
}  # fmt: skip
"""Rows whose peak is measured."""


def least(call, budget: float) -> float:
    """The least seconds of a call, of turns that take so long together."""
    call()
    start = perf_counter()
    call()
    times = max(1, int(0.01 / max(perf_counter() - start, 1e-7)))
    found, end = 1e9, perf_counter() + budget
    while perf_counter() < end:
        start = perf_counter()
        for _ in range(times):
            call()
        found = min(found, (perf_counter() - start) / times)
    return found


def growth(call) -> float | str:
    """The megabytes by which the peak of the fourth call lies above what the process held before the first."""

    def told(name: str) -> int:
        return int(
            next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)).split()[
                1
            ]
        )

    try:
        before = told("VmRSS")
        call(), call(), call()
        Path("/proc/self/clear_refs").write_text("5")
        call()
        return (told("VmHWM") - before) / 1024
    except OSError:
        return "-"


def same_bits(torch, names: dict) -> bool:
    """Whether a compiled function without a state gives the bits of the function."""
    if "optimizer" in names:
        return True
    plain, replayed = names["f"](*names["args"]), names["compiled"](*names["args"])
    return torch.equal(plain, replayed)


def worker(engine: str) -> None:
    """Answer orders, a row and whether it is to be compiled, with seconds."""
    prepared: dict = {}
    if engine == "jax":
        import jax
        import numpy
    elif engine == "torch":
        import torch
    else:
        import tensorsh.torch as torch
    if engine != "jax":
        torch.set_num_threads(1)
    for line in sys.stdin:
        row, compiled, budget = json.loads(line)
        source = (ROWS | MEMORY)[row][engine == "jax"]
        names = prepared.get((row, compiled))
        try:
            if names is None and engine == "jax":
                draws = numpy.random.default_rng(0).normal
                names = {
                    "jnp": jax.numpy,
                    "grad": jax.grad,
                    "random": lambda *s, draws=draws: jax.numpy.asarray(draws(size=s).astype("f4")),
                }
                exec(source, names)  # noqa: S102
                made = jax.jit(names["f"])
                names["run"] = lambda names=names, made=made: jax.block_until_ready(made(*names["args"]))
            elif names is None:
                torch.manual_seed(0)
                names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
                exec(source, names)  # noqa: S102
                names["compiled"] = made = torch.compile(names["f"]) if compiled else names["f"]
                if compiled and engine != "torch" and not same_bits(torch, names):
                    raise ValueError("other bits")
                use = names.get("use")
                names["run"] = (
                    (lambda use=use, made=made: use(made))
                    if use
                    else lambda names=names, made=made: made(*names["args"])
                )
            prepared[row, compiled] = names
            print(json.dumps(least(names["run"], budget) if budget else growth(names["run"])), flush=True)
        except Exception as error:
            print(json.dumps(type(error).__name__), flush=True)


class Process:
    """An engine in a process of its own."""

    def __init__(self, engine: str, python: str, compiled: bool) -> None:
        self.engine, self.python, self.compiled = engine, python, compiled
        env = os.environ | {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        env["PYTHONPATH"] = str(HERE.parent.parent)
        command = [python, str(HERE), "--worker", engine]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
            cwd=HERE.parent,
        )

    def ask(self, row: str, budget: float) -> float | str:
        if self.engine == "jax" and (ROWS | MEMORY)[row][1] is None:
            return "-"
        self.process.stdin.write(json.dumps([row, self.compiled, budget]) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        return json.loads(self.process.stdout.readline() or '"ended"')  # type: ignore[union-attr]

    def end(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--torch")
    parser.add_argument("--jax")
    parser.add_argument("--worker")
    parser.add_argument("--only", default="")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    if given.worker:
        return worker(given.worker)
    engines = {
        "eager": Process("tensorsh", sys.executable, False),
        "compiled": Process("tensorsh", sys.executable, True),
    }
    if given.torch:
        engines |= {"PyTorch": Process("torch", given.torch, False), "inductor": Process("torch", given.torch, True)}
    if given.jax:
        engines["JAX jit"] = Process("jax", given.jax, True)
    print("| us | " + " | ".join(engines) + " | eager / compiled |\n|---" * 1 + "|---" * (len(engines) + 1) + "|")
    for row in ROWS:
        if given.only not in row:
            continue
        found: dict = {}
        for _ in range(given.turns):
            for name, process in engines.items():
                seconds = process.ask(row, 0.3)
                found[name] = min(found.get(name, 1e9), seconds) if isinstance(seconds, float) else seconds
        cells = [f"{found[name] * 1e6:.1f}" if isinstance(found[name], float) else found[name] for name in engines]
        good = isinstance(found["compiled"], float) and isinstance(found["eager"], float)
        print(
            f"| {row} | "
            + " | ".join(cells)
            + (f" | {found['eager'] / found['compiled']:.2f} |" if good else " | - |"),
            flush=True,
        )
    print("\n| MB above what was held | " + " | ".join(engines) + " |\n|---" + "|---" * len(engines) + "|")
    for row in MEMORY:
        if given.only not in row:
            continue
        cells = []
        for process in engines.values():
            alone = Process(process.engine, process.python, process.compiled)
            found = alone.ask(row, 0)
            cells.append(f"{found:.1f}" if isinstance(found, float) else str(found))
            alone.end()
        print(f"| {row} | " + " | ".join(cells) + " |", flush=True)
    for process in engines.values():
        process.end()


if __name__ == "__main__":
    main()
