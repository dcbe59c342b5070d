"""Draws of a CUDA device's generator, one source for PyTorch, which records them, and for tensorsh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SIZES = 10, 1000, 100_003
DRAWS = {
    "rand": "torch.rand(n, device=d)",
    "rand, double": "torch.rand(n, device=d, dtype=torch.float64)",
    "rand, half": "torch.rand(n, device=d, dtype=torch.float16)",
    "rand, bfloat16": "torch.rand(n, device=d, dtype=torch.bfloat16).float()",
    "randn": "torch.randn(n, device=d)",
    "randn, double": "torch.randn(n, device=d, dtype=torch.float64)",
    "randn, complex": "torch.view_as_real(torch.randn(n, device=d, dtype=torch.complex64))[:, 1]",
    "randint": "torch.randint(0, 100, (n,), device=d)",
    "randint of a wide range": "torch.randint(-2**40, 2**40, (n,), device=d)",
    "randperm": "torch.randperm(n, device=d)",
    "random_": "torch.empty(n, device=d, dtype=torch.int64).random_()",
    "uniform_": "torch.empty(n, device=d).uniform_(-3, 5)",
    "normal_ in steps": "torch.empty(n, 2, device=d)[:, 0].normal_()",
    "normal of tensors": "torch.normal(torch.zeros(n, device=d), torch.ones(n, device=d))",
    "bernoulli_": "torch.empty(n, device=d).bernoulli_(0.3)",
    "bernoulli": "torch.bernoulli(torch.full((n,), 0.4, device=d))",
    "dropout": "torch.nn.functional.dropout(torch.ones(n, device=d), 0.3)",
    "exponential_": "torch.empty(n, device=d).exponential_(2.0)",
    "cauchy_": "torch.empty(n, device=d).cauchy_()",
    "geometric_": "torch.empty(n, device=d).geometric_(0.3)",
    "log_normal_": "torch.empty(n, device=d).log_normal_()",
    "multinomial": "torch.multinomial(torch.rand(min(n, 1000), device=d), 5)",
}


def drawn(
    torch: Any, sizes: tuple[int, ...] = SIZES, draws: dict[str, str] = DRAWS
) -> Iterator[tuple[str, int, int, list[int], list[Any]]]:
    """Of each draw after three numbers of seed 42: its name and size, where the generator stands, some places, what lies there."""
    for n in sizes:
        for name, code in draws.items():
            torch.manual_seed(42)
            torch.rand(3, device="cuda")
            values = eval(code, {"torch": torch, "n": n, "d": "cuda"})
            offset = int(torch.cuda.get_rng_state().view(torch.int64)[1])
            count = values.shape[0]
            places = sorted({i for i in (0, 1, 2, 3, count // 2, count - 2, count - 1) if 0 <= i < count})
            yield name, n, offset, places, [number(x) for x in values[places].tolist()]


def number(x: Any) -> Any:
    """A number as text holds it, to the bit."""
    return float(x).hex() if isinstance(x, float) else x
