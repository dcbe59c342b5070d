"""Random numbers of CUDA devices are those of PyTorch's CUDA kernels.

Expected are numbers that PyTorch printed on GPUs, in public documents, and what cuRAND's own headers give, compiled for the
CPU, in the loops of PyTorch's kernels over 8192 threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tensorsh import torch

from ..support import tables
from ..support.near import near
from . import c, draws, standin

PRINTED_RAND = [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096]
"""torch.manual_seed(0); torch.rand(10, device="cuda")"""
PRINTED_NEXT = [0.9722, 0.7910, 0.4690, 0.3300]
"""... torch.rand(4, device="cuda"); torch.rand(4, device="cuda")"""
PRINTED_RANDN = [
    -0.9247,
    -0.4253,
    -2.6438,
    0.1452,
    -0.1209,
    -0.5797,
    -0.6229,
    -0.3284,
    -1.0745,
    -0.3631,
    -1.6711,
    2.2655,
]
"""torch.manual_seed(0); torch.randn(8, 8, device="cuda"), its first twelve"""
PLACES = [0, 1, 8191, 8192, 24577, 40000, 99999, 100002]
FROM_CURAND = {
    "rand": [0.863860965, 0.360693485, 0.642790556, 0.697882831, 0.349689931, 0.760278821, 0.472430319, 0.161427990],
    "randn": [-0.512257397, -0.102932096, -0.327535838, -0.174009353, -1.131020665, 0.647588372, 1.177266359, 1.562427998],
    "rand, double": [0.697883, 0.988518575, 0.556635809, 0.322780092, 0.821651284, 0.640025312, 0.323942018, 0.436160508],
    "randn, double": [
        0.761030266, 0.123122299, -0.688570575, -0.37448706, 0.537770082, -0.231155403, 1.274545391, 0.415325678,
    ],
}  # fmt: skip
WORDS = [3710254596, 1549166678, 2760764540, 2997383999, 1501906765, 3265372787, 2029072700, 693327920]
KEPT = {
    "float32": (100004, "011110111001011111111111111111101011111011101001", 70074),
    "float16": (100008, "011111111011111010111111011111111111111011101110", 70129),
}
"""Which elements dropout of 0.3 keeps: the first 16, 16 from 32760, 16 from 65530, and how many in all."""


@pytest.fixture(autouse=True)
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


def generator() -> torch.Generator:
    return torch.Generator("cuda").manual_seed(1234567890123).set_offset(40)


def test_what_pytorch_prints() -> None:
    torch.manual_seed(0)
    assert torch.rand(10, device="cuda").tolist() == pytest.approx(PRINTED_RAND, abs=5e-5)
    torch.cuda.manual_seed(0)
    torch.rand(4, device="cuda")
    assert torch.rand(4, device="cuda").tolist() == pytest.approx(PRINTED_NEXT, abs=5e-5)
    torch.manual_seed(0)
    drawn = torch.randn(8, 8, device="cuda")
    assert drawn.view(-1)[:12].tolist() == pytest.approx(PRINTED_RANDN, abs=5e-5)
    torch.manual_seed(0)
    assert torch.empty(8, 8, device="cuda").normal_().equal(drawn)


def test_more_elements_than_threads() -> None:
    n = 100003
    for name, expected in FROM_CURAND.items():
        draw, _, double = name.partition(", ")
        dtype = torch.float64 if double else torch.float32
        drawn = getattr(torch, draw)(n, device="cuda", dtype=dtype, generator=generator())
        assert drawn[PLACES].tolist() == pytest.approx(expected, rel=2e-6, abs=2e-7)
    g = generator()
    assert torch.randint(1000, (n,), device="cuda", generator=g)[PLACES].tolist() == [w % 1000 for w in WORDS]
    assert g.get_offset() == 40 + 16


@pytest.mark.parametrize("dtype", KEPT)
def test_dropout(dtype: str) -> None:
    n, expected, total = KEPT[dtype]
    state = generator().get_state()
    torch.cuda.set_rng_state(state)
    x = torch.ones(n, dtype=getattr(torch, dtype), device="cuda")
    y = torch.nn.functional.dropout(x, 0.3)
    kept = y != 0
    told = torch.cat([kept[a : a + 16] for a in (0, 32760, 65530)])
    assert "".join(str(int(b)) for b in told.tolist()) == expected and kept.sum().item() == total
    assert y.max().item() == pytest.approx(1 / 0.7, rel=1e-3)


VECTORS = [
    (0, 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (0x299F31D0A4093822, 0x0370734413198A2E, 0x85A308D3243F6A88, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]
"""Key and counter (upper and lower half) of Random123's known answers."""


@pytest.mark.parametrize(("seed", "thread", "count", "words"), VECTORS)
def test_known_answers_of_philox(seed: int, thread: int, count: int, words: tuple) -> None:
    from tensorsh.engine.cuda.philox import PREAMBLE

    machine = c.Machine(c.Parser(PREAMBLE, c.TYPES).program(), 1)
    names = {
        "s": np.uint64(seed),
        "t": np.uint64(thread),
        "n": np.uint64(count),
        "low": np.uint64(0),
        "high": np.uint64(0),
    }
    machine.run(c.Parser("{low = philox(s, t, n, 0); high = philox(s, t, n, 1);}", c.TYPES).statement(), names)
    low, high = int(names["low"][0]), int(names["high"][0])
    assert (low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32) == words


def test_distributions() -> None:
    n = 20000
    torch.manual_seed(1)
    x = torch.empty(n, device="cuda")
    assert x.uniform_(2, 4).mean().item() == pytest.approx(3, abs=0.02) and 2 <= x.min().item() and x.max().item() < 4
    assert x.exponential_(2.0).mean().item() == pytest.approx(0.5, abs=0.02) and x.min().item() > 0
    assert x.geometric_(0.25).mean().item() == pytest.approx(4, abs=0.1) and x.min().item() == 1
    assert x.cauchy_(1.0, 2.0).median().item() == pytest.approx(1, abs=0.1)
    assert x.log_normal_(0.0, 0.5).log().std().item() == pytest.approx(0.5, abs=0.02)
    assert x.bernoulli_(0.25).mean().item() == pytest.approx(0.25, abs=0.02)
    p = torch.linspace(0, 1, n, device="cuda")
    assert torch.bernoulli(p).mean().item() == pytest.approx(0.5, abs=0.02) and torch.bernoulli(p)[0].item() == 0
    assert x.random_(7).unique().tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert torch.randperm(n, device="cuda").sort()[0].equal(torch.arange(n, device="cuda"))
    assert torch.rand(n, device="cuda", dtype=torch.bfloat16).float().mean().item() == pytest.approx(0.5, abs=0.02)
    assert torch.randn(n, device="cuda", dtype=torch.complex64).abs().square().mean().item() == pytest.approx(
        1, abs=0.05
    )
    weights = torch.tensor([[0.0, 1.0, 3.0]], device="cuda").expand(n, 3)
    assert weights.multinomial(1).double().mean().item() == pytest.approx(1.75, abs=0.02)
    assert weights.multinomial(2).sort(1)[0][0].tolist() == [1, 2]
    mean, std = torch.full((n,), 5.0, device="cuda"), torch.full((n,), 2.0, device="cuda")
    assert torch.normal(mean, std).std().item() == pytest.approx(2, abs=0.05)


def test_state() -> None:
    torch.cuda.manual_seed_all(5)
    assert torch.cuda.initial_seed() == 5 and [s.shape for s in torch.cuda.get_rng_state_all()] == [(16,)] * 2
    before = torch.cuda.get_rng_state("cuda:1")
    x = torch.rand(3, device="cuda:1")
    assert torch.rand(3, device="cuda:0").equal(x.to("cuda:0"))  # the same seed on every device
    torch.cuda.set_rng_state(before, 1)
    assert torch.rand(3, device="cuda:1").equal(x)
    with torch.random.fork_rng():
        torch.rand(3, device="cuda:1")
    y = torch.rand(3, device="cuda:1")
    torch.cuda.set_rng_state_all([before, before])
    torch.rand(3, device="cuda:1")
    assert torch.rand(3, device="cuda:1").equal(y)
    g = torch.Generator("cuda:1")
    assert g.device == torch.device("cuda:1") and g.clone_state().get_state().equal(g.get_state())
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"):
        torch.rand(2, generator=g)
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.rand(2, device="cuda", generator=torch.Generator())


def test_nothing_waits_for_the_device() -> None:
    x = torch.ones(4, 3, device="cuda")
    torch.nn.functional.dropout(x)
    x.multinomial(1)
    torch.nn.functional.dropout2d(x[None, :, :, None])
    torch.nn.functional.alpha_dropout(x, training=True)
    x.normal_().uniform_().bernoulli_()


def numbers(values: list) -> list:
    return [float.fromhex(x) if isinstance(x, str) else x for x in values]


RECORDED = {(name, n): rest for name, n, *rest in tables.rows("draws")}
FEWER = [case for case in RECORDED if case[1] <= 1000]
"""Draws of no more elements than any device has threads."""


@pytest.mark.parametrize(("name", "n"), FEWER)
def test_what_a_gpu_drew(name: str, n: int) -> None:
    """The numbers that PyTorch drew on a GPU; quick logarithms and sines are the device's own, so the last bits are its."""
    ((_, _, *where, values),) = draws.drawn(torch, (n,), {name: draws.DRAWS[name]})
    *their_where, theirs = RECORDED[name, n]
    assert where == their_where
    assert near(numbers(values), numbers(theirs), rel=1e-4, abs=2e-5)


def test_draws_with_replacement() -> None:
    with standin.installed():
        torch.manual_seed(7)
        uniform = torch.rand(300, device="cuda")
        torch.manual_seed(7)
        found = torch.multinomial(torch.tensor([1.0, 0.0, 2.0, 1.0], device="cuda"), 300, replacement=True)
        expected = torch.where(uniform <= 0.25, 0, torch.where(uniform <= 0.75, 2, 3))
        assert found.is_cuda and found.dtype is torch.int64 and torch.equal(found, expected)
        assert torch.cuda.get_rng_state()[8:].tolist() == [4, 0, 0, 0, 0, 0, 0, 0]
        rows = torch.multinomial(torch.tensor([[0.0, 3.0], [5.0, 0.0]], device="cuda"), 9, replacement=True)
        assert rows.tolist() == [[1] * 9, [0] * 9]
        with pytest.raises(RuntimeError, match="device-side assert"):
            torch.multinomial(torch.tensor([-1.0, 2.0], device="cuda"), 3, replacement=True).tolist()
