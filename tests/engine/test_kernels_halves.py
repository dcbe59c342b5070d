"""The kernels of half types round as numpy and ml_dtypes do, and add in the order of the plans in numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import halves, norms, sums

from .thread_counts import threads

functional = torch.nn.functional

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(7)
HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
halves_of = pytest.mark.parametrize("dtype", HALVES, ids=str)


@halves_of
def test_every_number_is_widened_exactly(dtype: np.dtype) -> None:
    numbers = np.arange(1 << 16).astype(np.uint16).view(dtype)
    wanted = numbers.astype("f4").view("u4")
    if dtype == np.float16:
        wanted[np.isnan(numbers)] |= 0x400000  # no NaN signals, as with a processor's own instructions
    assert kernels.compiled.half_widened(numbers).tobytes() == wanted.tobytes()
    few = np.concatenate([kernels.compiled.half_widened(some.copy()) for some in np.array_split(numbers[:35000], 5000)])
    assert few.tobytes() == wanted[:35000].tobytes()


@halves_of
def test_numbers_are_rounded_to_the_nearest_and_ties_to_even(dtype: np.dtype) -> None:
    exact = np.arange(1 << 16).astype(np.uint16).view(dtype).astype("f4")
    exact = exact[np.isfinite(exact)]
    steps = np.unique(exact)
    middles = ((steps[1:].astype("f8") + steps[:-1]) / 2).astype("f4")
    with np.errstate(over="ignore"):
        near = [np.nextafter(x, np.float32(s * np.inf)) for x in (exact, middles) for s in (1, -1)]
        some = RNG.integers(0, 1 << 32, 1 << 18, dtype=np.uint32).view("f4")
        numbers = np.concatenate([exact, middles, *near, some, [np.inf, -np.inf, 0.0, -0.0]]).astype("f4")
        numbers = numbers[~np.isnan(numbers)]
        wanted = numbers.astype(dtype)
    assert kernels.compiled.half_narrowed(numbers, dtype).tobytes() == wanted.tobytes()
    for nan in (np.uint32(0x7F800001), np.uint32(0xFFC00001)):
        made = kernels.compiled.half_narrowed(np.full(40, nan).view("f4"), dtype)
        assert np.isnan(made.astype("f4")).all()


@halves_of
def test_functions_are_computed_in_float32_and_rounded(dtype: np.dtype) -> None:
    x, y = RNG.normal(size=(2, 60, 101)).astype(dtype)
    one = np.array(0.3, dtype)
    for ufunc in (np.add, np.subtract, np.multiply, np.true_divide, np.maximum, np.less, np.equal):
        for other in (y, one):
            found = halves.computed(ufunc, x, other)
            wanted = ufunc(x.astype("f4"), other.astype("f4"))
            wanted = wanted if wanted.dtype == bool else wanted.astype(dtype)
            assert found.dtype == wanted.dtype and found.shape == x.shape and found.tobytes() == wanted.tobytes(), ufunc
    assert halves.computed(np.negative, x).tobytes() == (-x).tobytes()
    exact = halves.computed(np.multiply, x, np.array(0.3, "f4"))  # a number of float32 is not rounded
    assert exact.tobytes() == (x.astype("f4") * np.float32(0.3)).astype(dtype).tobytes()


@halves_of
def test_numbers_among_operands(dtype: np.dtype) -> None:
    """A factor stays as exact as the computation, what is added or compared is rounded first."""
    x = RNG.normal(size=(60, 101)).astype(dtype)
    t = torch.from_numpy(x.astype("f4")).to(torch.float16 if dtype == np.float16 else torch.bfloat16)
    wide, number, rounded = x.astype("f4"), np.float32(0.3), np.asarray(0.3).astype(dtype).astype("f4")
    for found, wanted in [
        (t * 0.3, (wide * number).astype(dtype)),
        (t + 0.3, (wide + rounded).astype(dtype)),
        (t > 0.3, wide > rounded),
        (t - 7, (wide - np.float32(7)).astype(dtype)),
        (t[:2] * 0.3, (wide[:2] * number).astype(dtype)),
    ]:
        assert found._array.dtype == wanted.dtype and found._array.tobytes() == wanted.tobytes()
    w = t.clone().requires_grad_()
    (w * 0.3).sum().backward()
    assert w.grad.dtype == t.dtype and (w.grad == np.asarray(0.3).astype(dtype).item()).all().item()


@halves_of
@pytest.mark.parametrize("shape", [(300, 1), (300, 3), (40, 16), (41, 37), (3, 1000), (2, 3000), (2, 5, 90)], ids=str)
def test_rows_of_log_softmax_are_those_of_the_formula(dtype: np.dtype, shape: tuple) -> None:
    x = (3 * RNG.normal(size=shape)).astype(dtype)
    found = kernels.compiled.log_softmax_halves(x)
    away = x.astype("f4") - x.astype("f4").max(-1, keepdims=True)
    rounded = lambda a: a.astype(dtype).astype("f4")  # PyTorch keeps the sums in the half type, and their logarithms
    wanted = (away - rounded(np.log(rounded(np.exp(away).sum(-1, keepdims=True))))).astype(dtype)
    assert found.dtype == dtype and found.shape == shape
    # An exponential that is one unit off is seen where the sum lies next to the middle of two halves.
    assert np.mean(found == wanted) > 0.99
    assert np.allclose(found.astype("f4"), wanted.astype("f4"), rtol=2 ** (-10 if dtype == np.float16 else -7))
    assert kernels.compiled.log_softmax_halves(x[:0]) is None
    assert kernels.compiled.log_softmax_halves(x.astype("f4")) is None


@halves_of
def test_other_arrays_are_left_to_numpy(dtype: np.dtype) -> None:
    x = RNG.normal(size=(60, 100)).astype(dtype)
    compiled = kernels.compiled
    other = HALVES[HALVES[0] == dtype]
    assert compiled.half_widened(x.T) is None and compiled.half_widened(x.astype("f4")) is None
    assert compiled.half_narrowed(x, dtype) is None and compiled.half_narrowed(x.astype("f4"), np.dtype("i2")) is None
    assert (
        compiled.half_computed(np.add, x, x[0]) is None and compiled.half_computed(np.add, x, x.astype(other)) is None
    )
    assert compiled.half_computed(np.bitwise_and, x, x) is None and compiled.half_computed(len, x) is None
    wide = x[0].astype("f4")
    assert halves.computed(np.add, x[0], x[0]).tobytes() == (wide + wide).astype(dtype).tobytes()  # a small one


@halves_of
def test_sums_are_those_of_the_plans(dtype: np.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernels.compiled.sum
    monkeypatch.setattr(sums, "kernel_sum", lambda *arguments: None)
    shapes = [(n,) for n in (*range(1, 70), 255, 1023, 1025, 4097, 65537, 300_001)]
    shapes += [
        (4, 4),
        (3, 1, 5),
        (5, 7, 11),
        (2, 3, 40),
        (70, 66),
        (300, 33),
        (17, 129),
        (5000, 2),
        (3, 2000, 8),
        (9, 1030),
    ]
    for shape in shapes:
        a = RNG.normal(size=shape).astype(dtype)
        assert kernel(a).tobytes() == sums.sum(a).tobytes(), shape
        for axis in range(a.ndim):
            found, wanted = kernel(a, axis, True), sums.sum(a, (axis,), True)
            assert found.shape == wanted.shape and found.tobytes() == wanted.tobytes(), (shape, axis)


def test_large_tensors_of_half_types() -> None:
    """Recorded from PyTorch."""
    x = torch.linspace(-3, 3, 5001).bfloat16()
    y = torch.linspace(-3, 3, 5001).half()
    assert (x + x).sum().item() == 0.0 and (x * x).sum().item() == 15040.0
    assert x.exp().sum().item() == 16768.0 and torch.relu(x).sum().item() == 3744.0
    assert (y * y).sum().item() == 15008.0 and y.exp().sum().item() == 16704.0
    w = y.clone().requires_grad_()
    torch.relu(w).sum().backward()
    assert w.grad.dtype == torch.float16 and w.grad.sum().item() == 2500.0


@halves_of
def test_operands_that_repeat(dtype: np.dtype) -> None:
    """A row meets each row, each number of a column a row; also where the column lies in steps."""
    for shape in ((3, 700), (60, 101), (2, 3, 4, 40), (1, 9)):
        x, y = RNG.normal(size=(2, *shape)).astype(dtype)
        a, b = (
            torch.from_numpy(each.astype("f4")).to(torch.float16 if dtype == np.float16 else torch.bfloat16)
            for each in (x, y)
        )
        for at in ((0,), (..., slice(0, 1)), (..., slice(0, 1), slice(0, 1))):
            for some in (b[at], b[at].contiguous()):
                for found, ufunc in (
                    (a * some, np.multiply),
                    (a - some, np.subtract),
                    (torch.maximum(a, some), np.maximum),
                ):
                    wanted = ufunc(x.astype("f4"), y[at].astype("f4")).astype(dtype)
                    assert found._array.tobytes() == wanted.tobytes(), (shape, at, ufunc)


@halves_of
@pytest.mark.parametrize("rows", [7, 500])
def test_operands_as_lines(dtype: np.dtype, rows: int) -> None:
    """Parts of arrays, elements in steps, a column that meets a row, numbers: few and many."""
    pair = kernels.compiled.Loop(2, np.subtract, np.subtract, None, True, 2)
    least = kernels.compiled.Loop(2, np.less, np.less, None, True, 2)
    singles = [kernels.compiled.Loop(1, f, f, None, False, 1) for f in (np.sqrt, np.negative, np.absolute, np.floor)]
    x, y = RNG.normal(size=(2, rows, 3, 90)).astype(dtype)
    x[0, 0, :4] = np.nan, -np.inf, 0, np.float32(-0.0)
    column, row = x[:, :1, :1], y[:1, 0, :]
    parts = [
        (x, y),
        (x[:, :, 1:], y[:, :, :-1]),
        (x[:, :, ::3], y[:, :, ::3]),
        (x[:, 0, ::2], y[:, 2, 1::2]),
        (column, row),
    ]
    parts += [
        (row, column),
        (x[:, :, 1:], row[:, 1:]),
        (np.broadcast_to(x[:, :, :1], x.shape), y),
        (x, 1.5),
        (x[:, :, ::2], 3),
    ]
    for a, b in parts:
        wide = [a.astype("f4"), b.astype("f4") if isinstance(b, np.ndarray) else np.float32(b)]
        for loop, ufunc in ((pair, np.subtract), (least, np.less)):
            found, wanted = loop(a, b), ufunc(*wide)
            wanted = wanted if wanted.dtype == bool else wanted.astype(dtype)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert np.array_equal(found.astype("f4"), wanted.astype("f4"), equal_nan=True)
        with np.errstate(invalid="ignore"):
            for loop, ufunc in zip(singles, (np.sqrt, np.negative, np.absolute, np.floor), strict=True):
                found, wanted = loop(a), ufunc(wide[0])
                if found is None:  # more than there are numbers, which may be looked up
                    assert a.size > 1 << 16 and a.flags.c_contiguous
                    continue
                assert found.dtype == dtype and np.array_equal(
                    found.astype("f4"), wanted.astype(dtype).astype("f4"), equal_nan=True
                )
                assert np.array_equal(np.signbit(found.astype("f4")), np.signbit(wanted)) or ufunc is np.sqrt
    assert (
        pair(x, y.astype("f4")) is pair(x.T, y.T) is pair(x[:, :, ::-1], y) is pair(x, "1") is singles[0](x.T) is None
    )


@halves_of
def test_products_of_vectors(dtype: np.dtype) -> None:
    """The sum of products of halves, in float32: as near to the exact sum as that is, for any length and steps."""
    for n in (1, 15, 16, 17, 511, 512, 513, 40_000):
        x, y = RNG.normal(size=(2, n)).astype(dtype)
        exact = np.dot(x.astype(float), y.astype(float))
        found = kernels.compiled.half_dot(x, y)
        assert found.dtype == np.float32 and found.shape == ()
        assert abs(found - exact) <= 4e-6 * np.dot(abs(x.astype(float)), abs(y.astype(float))), n
        assert found == kernels.compiled.half_dot(np.repeat(x, 2)[::2], y)
    assert kernels.compiled.half_dot(x[:0], y[:0]) == 0
    assert kernels.compiled.half_dot(x, y[1:]) is kernels.compiled.half_dot(x, y.astype("f4")) is None
    assert (
        kernels.compiled.half_dot(x[None], y[None]) is kernels.compiled.half_dot(x.astype("f4"), y.astype("f4")) is None
    )
    a = torch.linspace(-1, 1, 1001).to(torch.float16 if dtype == np.float16 else torch.bfloat16)
    assert a.dot(a).item() == (334.25 if dtype == np.float16 else 334.0)  # recorded from PyTorch


PRODUCTS = {
    torch.float16: (
        [0.334228515625, 0.494873046875, 0.359619140625, 0.53076171875, 0.383544921875, 0.56201171875, 0.405517578125],
        [0.331787109375, 0.492431640625, 0.358642578125, 0.525390625, 0.3818359375, 0.55517578125, 0.402587890625],
        0.0026721954345703125,
        [149.75, 150.125, 149.75, 150.125, 149.875, 150.25, 149.875],
        145.88232421875,
        5611.140625,
        (-1.0048828125, -7.03125),
    ),
    torch.bfloat16: (
        [0.330078125, 0.48828125, 0.3515625, 0.5234375, 0.380859375, 0.5625, 0.396484375],
        [0.33203125, 0.478515625, 0.359375, 0.515625, 0.384765625, 0.55078125, 0.4140625],
        0.0023193359375,
        [150.0] * 7,
        145.99609375,
        5607.65625,
        (-1.0, -7.0),
    ),
}
"""Recorded from PyTorch."""


@pytest.mark.parametrize("dtype", PRODUCTS, ids=str)
def test_products_sums_of_windows_and_losses_round_at_each_step(dtype: torch.dtype) -> None:
    p = (1 + (torch.arange(7 * 150).reshape(7, 150) * 31 % 23 - 11) / 64).to(dtype)
    rows, columns, whole, sums, products, folded, losses = PRODUCTS[dtype]
    assert p.prod(1).tolist() == rows and p.t().contiguous().prod(0).tolist() == columns and p.prod().item() == whole
    assert p.cumsum(1)[:, -1].tolist() == sums and p.cumprod(0)[-1].float().sum().item() == products
    images = torch.nn.functional.unfold(p[:6].reshape(1, 6, 15, 10), 3)
    assert torch.nn.functional.fold(images, (15, 10), 3).float().sum().item() == folded
    classes = torch.arange(7) * 19 % 150
    found = [torch.nn.functional.nll_loss(p, classes, reduction=how).item() for how in ("mean", "sum")]
    assert tuple(found) == losses


@halves_of
def test_what_a_table_has_for_each_number(dtype: np.dtype) -> None:
    x = RNG.integers(0, 1 << 16, (50, 41), dtype=np.uint16)
    numbers = RNG.permutation(1 << 16).astype(np.uint16).view(dtype)
    mapped = kernels.compiled.half_mapped
    for table in (numbers, numbers.view(np.uint16) % 3 == 0):
        found = mapped(x.view(dtype), table)
        assert found.dtype == table.dtype and found.tobytes() == table[x].tobytes()
    assert mapped(x, numbers) is None and mapped(x.view(dtype).T, numbers) is None
    assert mapped(x.view(dtype), numbers[:-1]) is None and mapped(x.view(dtype), numbers.astype("f4")) is None


LOOKED_UP = {
    "exp": lambda x: x.exp(),
    "lgamma": lambda x: x.lgamma(),
    "erf": lambda x: x.erf(),
    "i0": lambda x: x.i0(),
    "logit": lambda x: x.logit(),
    "logit of a range": lambda x: x.logit(0.25),
    "gelu": torch.nn.functional.gelu,
    "gelu by tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
    "logsigmoid": torch.nn.functional.logsigmoid,
    "elu": torch.nn.functional.elu,
    "selu": torch.nn.functional.selu,
    "softplus": lambda x: torch.nn.functional.softplus(x, 2, 5),
}


@halves_of
def test_large_arrays_have_the_numbers_of_small_ones(dtype: np.dtype) -> None:
    kind = torch.float16 if dtype == np.float16 else torch.bfloat16
    x = torch.from_numpy((3 * RNG.normal(size=(9, 10000))).astype("f4")).to(kind)
    for name, function in LOOKED_UP.items():
        found = function(x)
        assert found.dtype == kind
        for row, part in zip(found, x, strict=True):
            assert row._array.tobytes() == function(part)._array.tobytes(), name
    zeros = torch.zeros(70000, dtype=kind)
    for number in (0.0, -0.0):  # which are equal, and no keys of one table
        below = torch.nn.functional.elu(zeros - 1, number)
        assert (np.signbit(below._array.astype("f4")) == (number == 0 and str(number) == "0.0")).all()


@halves_of
def test_slopes_are_computed_in_float32_and_rounded(dtype: np.dtype) -> None:
    kind = torch.float16 if dtype == np.float16 else torch.bfloat16
    x = torch.from_numpy(RNG.normal(size=(30, 41)).astype("f4")).to(kind)
    for function in (torch.nn.functional.elu, torch.nn.functional.selu, torch.nn.functional.logsigmoid):
        for g in (torch.ones(30, 41), torch.full((1, 1), 0.3).to(kind).float().expand(30, 41)):
            single, half = x.float().requires_grad_(), x.clone().requires_grad_()
            function(single).backward(g)
            function(half).backward(g.to(kind).expand(30, 41))
            assert half.grad._array.tobytes() == single.grad.to(kind)._array.tobytes()


@halves_of
@pytest.mark.parametrize("weighed", [np.dtype("f4"), None], ids=str)
def test_norms_of_halves_are_those_of_their_floats(dtype: np.dtype, weighed: np.dtype | None) -> None:
    weighed = weighed or dtype
    x = RNG.normal(size=(3, 20, 40, 41)).astype(dtype)
    w, b, mean = RNG.normal(size=(3, 20)).astype(weighed)
    var = np.abs(w) + weighed.type(1)
    wide = [v.astype("f4") for v in (x, w, b, mean, var)]
    with threads(1):
        for given in (False, True):
            running = (None, None, 0.0) if given else (mean.copy(), var.copy(), 0.1)
            exact = (None, None, 0.0) if given else (wide[3].copy(), wide[4].copy(), 0.1)
            found = norms.batch_of_halves(x, w, b, *((mean, var) if given else (None, None)), 1e-5, running)
            wanted = norms.batch(*wide[:3], tuple(wide[3:]) if given else (None, None), 1e-5, exact)
            assert found[0].tobytes() == wanted[0].astype(dtype).tobytes()
            assert all(a.tobytes() == c.tobytes() for a, c in zip(found[1:], wanted[1:], strict=True))
            for a, c in () if given else zip(running[:2], exact[:2], strict=True):
                assert a.tobytes() == c.astype(weighed).tobytes()
        found = norms.group_of_halves(x, w, b, 5, 1e-5)
        wanted = norms.group(*wide[:3], 5, 1e-5)
        assert found[0].tobytes() == wanted[0].astype(dtype).tobytes()
        assert all(a.tobytes() == c.tobytes() for a, c in zip(found[1:], wanted[1:], strict=True))
        rows, wide_rows = x.reshape(-1, 41), wide[0].reshape(-1, 41)
        w, b = RNG.normal(size=(2, 41)).astype(weighed)
        found = norms.layer_of_halves(rows, (41,), w, b, 1e-5)
        wanted = norms.layer(wide_rows, 1, w.astype("f4"), b.astype("f4"), 1e-5)
        assert found[0].tobytes() == wanted[0].astype(dtype).tobytes()
        assert all(a.tobytes() == c.tobytes() for a, c in zip(found[1:], wanted[1:], strict=True))
        assert norms.layer_of_halves(rows[:9], (41,), w, b, 1e-5) is None
        assert norms.layer_of_halves(wide_rows, (41,), w, b, 1e-5) is None


@halves_of
def test_norms_of_many_halves_do_not_depend_on_the_number_of_threads(dtype: np.dtype) -> None:
    x = RNG.normal(size=(1024, 1024)).astype(dtype)
    found = []
    for count in (1, 2):
        with threads(count):
            images = torch.from_numpy(x.reshape(16, 64, 32, 32).astype("f4")).to(getattr(torch, dtype.name))
            rows = images.reshape(1024, 1024)
            made = (
                functional.layer_norm(rows, (1024,)),
                functional.batch_norm(images, None, None, training=True),
                functional.group_norm(images, 8),
            )
            found.append([t.float().numpy().tobytes() for t in made])
    assert found[0] == found[1]


@halves_of
def test_slopes_that_are_learned(dtype: np.dtype) -> None:
    kind = torch.float16 if dtype == np.float16 else torch.bfloat16
    x, w = (torch.from_numpy(RNG.normal(size=s).astype("f4")).to(kind) for s in ((4, 6, 50, 60), 6))
    for weight in (w, w[:1]):
        found = torch.nn.functional.prelu(x, weight)
        wanted = torch.where(x > 0, x.float(), x.float() * weight.float().view(-1, 1, 1)).to(kind)
        assert found._array.tobytes() == wanted._array.tobytes()


@halves_of
def test_gradients_of_adaptive_maxima_are_added_in_float32(dtype: np.dtype) -> None:
    kind = torch.float16 if dtype == np.float16 else torch.bfloat16
    x = torch.from_numpy(RNG.normal(size=(2, 3, 101)).astype("f4")).to(kind)
    single, half = x.float().requires_grad_(), x.clone().requires_grad_()
    g = torch.from_numpy(RNG.normal(size=(2, 3, 7)).astype("f4")).to(kind)
    torch.nn.functional.adaptive_max_pool1d(single, 7).backward(g.float())
    torch.nn.functional.adaptive_max_pool1d(half, 7).backward(g)
    assert half.grad._array.tobytes() == single.grad.to(kind)._array.tobytes()
