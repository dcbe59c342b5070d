"""The inner loops of elementwise operators give what their ufuncs give, or None; nodes are those of the general way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.loading import table

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

SHAPES = [(), (0,), (1,), (5,), (4, 4), (3, 0, 2), (2, 3, 4), (1, 7), (33, 31)]
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 1e30, -1e-40]


def values(shape: tuple, dtype: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape) * 3
    if dtype == "int64":
        return np.asarray(a * 5).astype(dtype)
    mixed = np.where(rng.random(shape) < 0.3, rng.choice(SPECIAL, shape), a)
    return np.asarray(mixed).astype(dtype)


def same(got: np.ndarray, wanted: np.ndarray) -> bool:
    wanted = np.asarray(wanted)
    if got.dtype != wanted.dtype or got.shape != wanted.shape or type(got) is not np.ndarray:
        return False
    nan = np.isnan(wanted) if wanted.dtype.kind == "f" else np.zeros(wanted.shape, bool)
    return bool(np.all(np.where(nan, np.isnan(got), got == wanted))) and same_signs(got, wanted, nan)


def same_signs(got: np.ndarray, wanted: np.ndarray, nan: np.ndarray) -> bool:
    return got.dtype.kind != "f" or bool(np.all(nan | (np.signbit(got) == np.signbit(wanted))))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, np.less, np.true_divide])
def test_pairs_are_the_ufunc(ufunc: np.ufunc, dtype: str) -> None:
    loop = kernels.compiled.Loop(2, ufunc, ufunc, ufunc, True)
    taken = 0
    for (i, s), other in itertools.product(enumerate(SHAPES), [(), (4,), (3, 4), (31,), 2, -3, 0, 1.5, "same"]):
        a = values(s, dtype, i)
        b = values(s if other == "same" else other, dtype, 99) if isinstance(other, (tuple, str)) else other
        found = loop(a, b)
        if found is not None:
            taken += 1
            assert same(found, ufunc(a, b if isinstance(b, np.ndarray) else a.dtype.type(b))), (s, other)
            assert not np.shares_memory(found, a)
    assert taken > 20 or (ufunc, dtype) == (np.true_divide, "int64")  # which numpy divides as floats


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ufunc", [np.negative, np.sqrt, np.isnan, np.floor])
def test_singles_are_the_ufunc(ufunc: np.ufunc, dtype: str) -> None:
    loop = kernels.compiled.Loop(1, ufunc, ufunc, None, False)
    for i, s in enumerate(SHAPES):
        a = values(s, dtype, i)
        assert same(loop(a), ufunc(a)), s


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("ufunc", [np.add, np.logical_or, np.less])
def test_arrays_in_steps(ufunc: np.ufunc, dtype: str) -> None:
    loop = kernels.compiled.Loop(2, ufunc, ufunc, ufunc, True)
    for n, step in ((1, 2), (3, 3), (4097, 2), (2048, 2), (5000, 3)):
        a, b = (values((n, step), dtype, i)[:, 0] for i in range(2))
        for x, y in ((a, b), (a, b.copy()), (a.copy(), b), (a[:, None], b[:, None])):
            assert same(loop(x, y), ufunc(x, y))
        assert same(loop(a, 2), ufunc(a, a.dtype.type(2)))
    assert same(loop(a, b[:1]), ufunc(a, b[:1])) and same(loop(b[:1], a), ufunc(b[:1], a))
    assert loop(a[::-1], b) is loop(a, b[::-1]) is loop(a, b[:7]) is None
    single = kernels.compiled.Loop(1, np.negative, np.negative, np.negative, False)
    assert same(single(a), -a)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("ufunc", [np.subtract, np.logical_or, np.less])
@pytest.mark.parametrize("rows", [3, 300])
def test_arrays_as_lines(ufunc: np.ufunc, dtype: str, rows: int) -> None:
    """Parts of arrays, arrays that repeat, and what meets from two sides, line by line; large ones without the lock."""
    loop = kernels.compiled.Loop(2, ufunc, ufunc, ufunc, True)
    single = kernels.compiled.Loop(1, np.negative, np.negative, np.negative, False)
    a, b = (values((rows, 5, 40), dtype, i) for i in range(2))
    column, row = a[:, :1, :1], b[:1, 0, :]
    parts = [
        (a[:, :, 1:], b[:, :, :-1]),
        (a[:, 1:4], b[:, :3]),
        (a[:, :, ::3], b[:, :, ::3]),
        (a[:, ::2, 3], b[:, ::2, 7]),
    ]
    parts += [
        (column, row),
        (row, column),
        (a[:, :, 1:], row[:, 1:]),
        (row[0, 1:], a[:, :, 1:]),
        (a[:, :, :0:-1][..., ::-1], b[:, :1, 1:]),
    ]
    parts += [(np.broadcast_to(a[:, :1], a.shape), b[:1]), (column[:, 0, 0], b[0, :, 1:2])]
    taken = 0
    for x, y in parts:
        found, wanted = loop(x, y), ufunc(x, y)
        if found is not None:
            taken += 1
            assert same(found, wanted) and found.strides == wanted.strides, (x.strides, y.strides)
        if (found := single(x)) is not None:
            assert same(found, -x) and found.strides == (-x).strides
    assert taken >= 9
    assert same(loop(a[:, :, 1:], 2), ufunc(a[:, :, 1:], a.dtype.type(2)))
    assert loop(a.T, b.T) is loop(a.T, row[0, 0:1]) is loop(a[:, :3], b) is None
    assert loop(a[:, :, ::-1], b) is loop(a[:, :, :4], b[:, :, :4]) is None  # numpy's
    bytes_ = np.zeros(a.nbytes + 1, np.uint8)[1:].view(dtype).reshape(a.shape)[:, :, 1:]
    assert loop(bytes_, b[:, :, 1:]) is loop(b[:, :, 1:], bytes_) is single(bytes_) is None  # not aligned


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.less])
def test_rows_and_columns_of_large_arrays(ufunc: np.ufunc, dtype: str) -> None:
    loop = kernels.compiled.Loop(2, ufunc, ufunc, ufunc, True)
    a = values((30, 20, 50), dtype, 0)
    for shape in (50,), (20, 50), (30, 20, 1), (30, 1, 1):
        b = values(shape, dtype, 1)
        assert same(loop(a, b), ufunc(a, b)), shape
    apart = values((30, 20, 3), dtype, 2)[..., 1:2]
    assert same(loop(a, apart), ufunc(a, apart))
    assert same(loop(a, a[:1]), ufunc(a, a[:1])) and same(loop(a[0, 0], a), ufunc(a[0, 0], a))
    assert loop(a, a) is loop(a, 2) is loop(a, a[0, 0, 0]) is None  # numpy's


def test_what_is_not_usual_is_answered_by_none() -> None:
    loop = kernels.compiled.Loop(2, np.add, np.add, None, False)
    p = np.ones((4, 4), np.float32)
    others = [p.astype(float), p.T[:, :2], p[::2], p[:, :1], p[0, :3], p.astype(np.float16), p.astype(np.int32), 1, 1.0]
    others += [None, "x", torch.ones(4, 4), np.ones((200, 200), np.float32)]
    assert all(loop(p, other) is None for other in others)
    assert loop(p) is loop(p, p, p) is loop(None, p) is loop(p.T, p) is loop(p.T[::-1], p) is None
    assert loop(np.arange(3), np.arange(3)) is None
    with pytest.raises(TypeError):
        kernels.compiled.Loop(1, np.add, None, None, False)
    with pytest.raises(TypeError):
        kernels.compiled.Loop(2, len, None, None, False)


torch.nn.functional.silu(torch.ones(1))
FORMS = [
    "add",
    "sub",
    "mul",
    "true_divide",
    "maximum",
    "exp",
    "neg",
    "relu",
    "sqrt",
    "tanh",
    "sigmoid",
    "_silu",
    "lt",
    "abs",
]


@pytest.mark.parametrize("name", FORMS)
def test_nodes_are_those_of_the_general_way(name: str) -> None:
    table.find_function(name)
    op = table.OPERATORS[name]
    x = torch.tensor([[0.5, 1.5], [2.5, 3.0]], requires_grad=True)
    seconds = [x.detach() + 1, torch.ones(2), torch.tensor(3.0, requires_grad=True), torch.ones(2, requires_grad=True)]
    seconds += [2.0, 3] if op.scalars else []
    for other in seconds if len(op.tensors) == 2 else [None]:
        given = [x] if other is None else [x, other]
        for order in (given, given[::-1]) if hasattr(other, "dtype") else (given,):
            op.function(*order)  # the first call tells the short way what nodes keep
            quick, general = op.function(*order), op.run([*order, *op.defaults[len(order) :]])
            assert np.array_equal(quick._array, general._array)
            a, b = quick._node, general._node
            assert type(a) is type(b)
            if a is None:
                continue
            assert a._edges == b._edges and a._sequence < b._sequence
            assert [type(s) for s in a._saved] == [type(s) for s in b._saved]
            with torch.no_grad():
                assert op.function(*order)._node is None
            quick.sum().backward()
            found, x.grad = x.grad, None
            general.sum().backward()
            assert torch.equal(found, x.grad) if found is not None else x.grad is None
            x.grad = None


def test_inference_tensors_stay_apart() -> None:
    p = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        inner = torch.ones(2) + torch.ones(2)
    assert inner.is_inference() and not (inner + 1).is_inference()
    _ = p * 2
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        p * inner


def test_a_long_chain_is_freed_without_recursion() -> None:
    t = torch.tensor(1.0, requires_grad=True)
    for _ in range(200_000):
        t = t * 1.0
    del t


EXTREMES = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 5e-324, 1e308, 2.0**53, 3, 0.1, -7, 2.3e-308])


@pytest.mark.filterwarnings("ignore")
def test_loops_of_doubles_have_the_bits_of_their_formulas() -> None:
    c, rng = kernels.compiled, np.random.default_rng(0)
    drawn = [
        (rng.standard_normal(999) * 10.0**e, rng.standard_normal(999) * 10.0**f)
        for e, f in ((0, 0), (10, -10), (16, 0), (-310, -312))
    ]
    for x, y in [(np.repeat(EXTREMES, len(EXTREMES)), np.tile(EXTREMES, len(EXTREMES))), *drawn]:
        rest, d = np.fmod(x, y), abs(x - y)
        for found, wanted in (
            (c.fmod(x, y), rest),
            (c.remainder(x, y), np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)),
            (c.floor_divide(x, y), np.where(y == 0, x / y, np.floor_divide(x, y))),
            (c.sign(x), np.subtract(x > 0, x < 0, dtype=float)),
            (c.relu(x), np.maximum(0.0, x)),
            (c.leaky_relu(x, np.float64(0.01)), np.where(x > 0, x, x * 0.01)),
            (c.hardswish(x), x * np.minimum(np.maximum(x + 3, 0.0), 6.0) / 6.0),
            (c.smooth_l1(x, y, np.float64(0.5)), np.where(d < 0.5, 0.5 * d * d / 0.5, d - 0.25)),
            (c.huber(x, y, np.float64(0.5)), np.where(d <= 0.5, 0.5 * d * d, 0.5 * (d - 0.25))),
        ):
            known = ~np.isnan(wanted)
            assert (np.isnan(found) == ~known).all() and (found.view("i8") == wanted.view("i8"))[known].all()
