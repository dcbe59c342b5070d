"""Compiled functions against the same functions as they stand: ``python -m benchmarks.replay``.

Each row is measured in turns, eager and compiled, and its least time counts. Results are compared to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import tensorsh.torch as torch

TURNS = 7


def scalar_chain(z, a):
    for _ in range(500):
        z = z * a + 0.5
    return z


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def summed(x, y):
    return torch.tanh(x * y).sum()


def recurrent(h, x, w, u):
    for step in x:
        h = torch.tanh(step @ w + h @ u)
    return h


def perceptron(x, w, v, b, c):
    return torch.relu(x @ w + b) @ v + c


def stepped(function: Callable) -> Callable:
    """A function, its backward pass, and its gradients let go."""

    def step(*args):
        function(*args).sum().backward()
        for each in args:
            if isinstance(each, torch.Tensor):
                each.grad = None

    return step


def wanting(*tensors):
    return tuple([t.requires_grad_() for t in tensors])


BACKWARD: dict[str, tuple[Callable, Callable]] = {
    "chain of 1,000 scalar nodes": (scalar_chain, lambda: wanting(torch.rand(()), torch.rand(()))),
    "gelu by hand, 1e4": (gelu, lambda: wanting(torch.randn(10_000))),
    "gelu by hand, 1e6": (gelu, lambda: wanting(torch.randn(1_000_000))),
    "RNN of 50 steps": (
        recurrent,
        lambda: (
            torch.zeros(16, 32),
            [torch.randn(16, 16) for _ in range(50)],
            *wanting(torch.randn(16, 32), torch.randn(32, 32)),
        ),
    ),
}
ROWS: dict[str, tuple[Callable, Callable]] = {
    "chain of 1,000 scalar nodes": (scalar_chain, lambda: (torch.rand(()), torch.rand(()))),
    "gelu by hand, 10": (gelu, lambda: (torch.randn(10),)),
    "gelu by hand, 1e4": (gelu, lambda: (torch.randn(10_000),)),
    "gelu by hand, 1e6": (gelu, lambda: (torch.randn(1_000_000),)),
    "gelu by hand, 1e7": (gelu, lambda: (torch.randn(10_000_000),)),
    "tanh(x*y).sum(), 1e7": (summed, lambda: (torch.rand(10_000_000), torch.rand(10_000_000))),
    "RNN of 50 steps, forward": (
        recurrent,
        lambda: (
            torch.zeros(16, 32),
            [torch.randn(16, 16) for _ in range(50)],
            torch.randn(16, 32),
            torch.randn(32, 32),
        ),
    ),
    "MLP, forward": (
        perceptron,
        lambda: (torch.randn(32, 64), torch.randn(64, 64), torch.randn(64, 10), torch.randn(64), torch.randn(10)),
    ),
}


def least(call: Callable, times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        call()
    return (perf_counter() - start) / times


def measured(function: Callable, args: tuple, use: Callable) -> tuple[float, float]:
    """Seconds of a use of a function as it stands and compiled."""
    compiled = torch.compile(function)
    for _ in range(3):
        assert torch.equal(compiled(*args), function(*args))
    plain, replayed = use(function), use(compiled)
    times = max(1, int(0.02 / least(lambda: plain(*args), 1)))
    found = [(least(lambda: plain(*args), times), least(lambda: replayed(*args), times)) for _ in range(TURNS)]
    return min([each[0] for each in found]), min([each[1] for each in found])


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':40}{'eager us':>12}{'compiled us':>13}{'times':>7}")
    for title, rows, use in (("", ROWS, lambda function: function), (", backward", BACKWARD, stepped)):
        for name, (function, made) in rows.items():
            plain, replayed = measured(function, made(), use)
            print(f"{name + title:40}{plain * 1e6:12.1f}{replayed * 1e6:13.1f}{plain / replayed:7.2f}", flush=True)


if __name__ == "__main__":
    main()
