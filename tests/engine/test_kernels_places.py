"""The kernels that take, write and add elements at places do what numpy does one element after the other."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(11)
CASES = [
    # the array's shape, the axis, the index's shape
    ((7,), 0, (20,)),
    ((5, 6), 0, (9, 6)),
    ((5, 6), 1, (5, 13)),
    ((5, 6), 1, (3, 2)),
    ((3, 4, 5), 0, (6, 2, 4)),
    ((3, 4, 5), 1, (3, 9, 5)),
    ((3, 4, 5), 2, (2, 4, 1)),
    ((2, 3, 4, 5), 2, (2, 1, 8, 3)),
    ((300, 90), 0, (300, 90)),
    ((4, 5), 0, (0, 5)),
]
DTYPES = ["f4", "f8", "i8", "c8", "c16", "f2", "i4", "u1", "?"]


def some(shape: tuple, dtype: str) -> np.ndarray:
    return np.asarray(RNG.exponential(20, shape)).astype(dtype)


def places(axis: int, index: np.ndarray) -> tuple:
    grid = list(np.indices(index.shape))
    grid[axis] = index
    return tuple(grid)


@pytest.mark.parametrize("shape, axis, wanted", CASES, ids=str)
def test_elements_along_a_dimension(shape: tuple, axis: int, wanted: tuple) -> None:
    index = RNG.integers(0, shape[axis], wanted)
    where = places(axis, index)
    for dtype in DTYPES:
        x, values, one = some(shape, dtype), some(wanted, dtype), some((), dtype)
        taken = kernels.compiled.taken_along(x, axis, index)
        assert taken.dtype == x.dtype and taken.shape == wanted and taken.tobytes() == x[where].tobytes()
        steps = np.stack([values, values], -1)[..., 0]
        for v in (values, one, np.broadcast_to(one, wanted), steps, np.flip(values)):
            one_by_one = x.copy()
            for at, value in zip(np.ndindex(wanted), np.broadcast_to(v, wanted).reshape(-1), strict=True):
                one_by_one[tuple(w[at] for w in where)] = value
            target = x.copy()
            assert kernels.compiled.put_along(target, axis, index, v) is True
            assert target.tobytes() == one_by_one.tobytes()
            if dtype in ("f4", "f8", "i8"):
                target, wanted_sum = x.copy(), x.copy()
                np.add.at(wanted_sum, where, v)
                assert kernels.compiled.added_along(target, axis, index, v) is True
                assert target.tobytes() == wanted_sum.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("shape", [(9,), (9, 1), (9, 40), (4, 3, 5), (6, 0)], ids=str)
def test_rows_are_added_in_their_order(shape: tuple, dtype: str) -> None:
    index = RNG.integers(0, shape[0], 300)
    x, values = some(shape, dtype), some((300, *shape[1:]), dtype)
    for v in (values, np.broadcast_to(some((), dtype), values.shape)):
        target, wanted = x.copy(), x.copy()
        np.add.at(wanted, index, v)
        assert kernels.compiled.added_rows(target, index, v) is True and target.tobytes() == wanted.tobytes()


def test_what_is_not_for_the_kernels_is_left_as_it_was() -> None:
    x = np.arange(12.0).reshape(3, 4)
    index = np.zeros((3, 4), int)
    take, put, add, rows = (
        getattr(kernels.compiled, name) for name in ("taken_along", "put_along", "added_along", "added_rows")
    )
    for out in (-1, 3, 1 << 40, -(1 << 62)):
        wrong = index.copy()
        wrong[1, 2] = out
        assert take(x, 0, wrong) is put(x, 0, wrong, x) is add(x, 0, wrong, x) is rows(x, wrong[1], index + 1.0) is None
    assert take(x, 2, index) is take(x, -1, index) is take(x, 0, index[0]) is take(x.T, 0, index) is None
    assert take(x, 1, np.zeros((4, 4), int)) is take(x, 0, index.astype("i4")) is take(x, 0, index[:, ::2]) is None
    assert put(x, 0, index, x.astype("f4")) is put(x, 0, index, x.T.copy()) is put(x, 0, index, 1.0) is None
    assert add(x, 0, index, x[:, :1]) is rows(x, index[:, 0], x[0]) is rows(x, index, x) is None
    fixed = x.copy()
    fixed.setflags(write=False)
    assert put(fixed, 0, index, x) is add(fixed, 0, index, x) is rows(fixed, index[:, 0], x) is None
    strings = np.array([[object()] * 4] * 3)
    assert take(strings, 0, index) is None
    assert (x == np.arange(12.0).reshape(3, 4)).all()


def test_operators_raise_as_without_kernels() -> None:
    x = torch.ones(3, 4)
    with pytest.raises(RuntimeError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x.gather(0, torch.full((3, 4), 3))
    with pytest.raises(RuntimeError, match="index -1 is out of bounds for dimension 1 with size 4"):
        x.scatter_add_(1, torch.full((3, 4), -1), x)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.gather(2, torch.zeros(3, 4, dtype=torch.int64))
    assert torch.equal(x.gather(-1, torch.zeros(2, 1, dtype=torch.int64)), torch.ones(2, 1))


def test_gradients_are_added_in_order() -> None:
    """0.1 added ten times to 1e8 stays 1e8 in float32, added to one another first it would not."""
    table = torch.zeros(2, 3, requires_grad=True)
    scale = torch.tensor([1e8] + [3.0] * 10).reshape(-1, 1)
    (table[torch.tensor([1] * 11)] * scale).sum().backward()
    assert table.grad.tolist() == [[0.0] * 3, [1e8] * 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("how, fold", [(0, np.multiply), (1, np.maximum), (-1, np.minimum)])
def test_reductions_into_places_are_the_ufuncs(how, fold, dtype):
    rng = np.random.default_rng(0)
    x, values = (rng.integers(-4, 5, (6, 5, 7)).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind == "f":
        values[1, 2, 3] = x[2, 2, 2] = np.nan
    for axis in range(3):
        index = rng.integers(0, x.shape[axis], values.shape)
        expected, found = x.copy(), x.copy()
        at = list(np.indices(values.shape))
        at[axis] = index
        fold.at(expected, tuple(at), values)
        assert kernels.compiled.reduced_along(found, axis, index, values, how)
        assert np.array_equal(found, expected, equal_nan=dtype != np.int64)
    assert kernels.compiled.reduced_along(x, 0, np.full((1, 1, 1), 6), values[:1, :1, :1].copy(), how) is None
    zeros = np.array([-0.0], dtype)
    assert kernels.compiled.reduced_along(zeros, 0, np.array([0]), np.array([0.0], dtype), abs(how)) and not zeros[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", ["amax", "amin", "prod"])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_rows_are_reduced_as_their_elements(how: str, dtype: type) -> None:
    rng = np.random.default_rng(1)
    x, y = (torch.tensor(rng.integers(-2, 3, (5, 37)).astype(dtype)) for _ in range(2))
    x[1, 3], y[2, 5], y[0, 7], x[4, 8], y[:, 9], x[:, 9] = np.nan, np.nan, -np.inf, np.inf, 0.0, -0.0
    k = torch.tensor([4, 1, 1, 0, 4])
    for values in (y, y[:1].expand(5, 37)):
        found = x.index_reduce(0, k, values, how).numpy()
        wanted = x.scatter_reduce(0, k[:, None].expand(5, 37), values.contiguous(), how).numpy()
        np.testing.assert_array_equal(found, wanted)
        assert (np.signbit(found) == np.signbit(wanted))[found == 0].all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [3, 64, 255, 256, 300, 2500])
def test_rows_of_bags_are_added_in_turn(width: int, dtype: type) -> None:
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((9, width)).astype(dtype)
    places, bags = rng.integers(0, 9, 41), np.repeat(np.arange(5), [4, 1, 0, 13, 23])
    wanted = np.zeros((5, width), dtype)
    for place, bag in zip(places, bags, strict=True):
        wanted[bag] += rows[place]
    assert kernels.compiled.bag_rows(rows, places, bags, out := np.zeros((5, width), dtype)) is out
    assert out.tobytes() == wanted.tobytes()
    places[17] = 9
    assert kernels.compiled.bag_rows(rows, places, bags, out) is None


def test_the_gradient_of_wide_bags_adds_in_the_order_of_the_indices() -> None:
    rng = np.random.default_rng(3)
    table = torch.tensor(rng.standard_normal((6, 257)).astype(np.float32)).requires_grad_()
    index, g = rng.integers(0, 6, (30, 7)), rng.standard_normal((30, 257)).astype(np.float32)
    made = torch.nn.functional.embedding_bag(torch.tensor(index), table, mode="sum")
    wanted = np.zeros((6, 257), np.float32)
    for places, row in zip(index, g, strict=True):
        for place in places:
            wanted[place] += row
    assert torch.autograd.grad(made, table, torch.tensor(g))[0].numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("item", ["u1", "f2", "f4", "f8", "c16", "V3"])
def test_arrays_laid_otherwise(item: str) -> None:
    laid = kernels.compiled.laid
    x = RNG.integers(0, 256, (3, 9, 17, 33 * np.dtype(item).itemsize), np.uint8).view(item)
    for order in ((0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 3, 2)):
        for part in (
            (),
            (..., slice(None, None, 2)),
            (slice(None), slice(None, None, -1), slice(2, 11)),
            (slice(0, 1), ..., 2),
        ):
            source = x.transpose(order)[part]
            for target in (np.zeros(source.shape, item), np.zeros(source.shape[::-1], item).T, np.zeros_like(source)):
                if item == "V3":
                    assert laid(source, target) is None
                    continue
                assert laid(source, target) is target and target.tobytes() == source.tobytes()
    same = np.broadcast_to(x[:1], x.shape)
    if item != "V3":
        assert laid(same, out := np.zeros(x.shape, item)) is out and out.tobytes() == same.tobytes()
        assert laid(x, x) is laid(x[1:], x[:-1]) is None  # these share memory
        assert laid(x[0], x[1], True) is not None and x[0].tobytes() == x[1].tobytes()
    assert laid(x, np.zeros(x.shape[1:], item)) is laid(x, np.zeros(x.shape, "i2")) is laid(x[:0], x[:0].copy()) is None


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_maxima_of_bags(dtype: str) -> None:
    rows = RNG.integers(-3, 3, (9, 70)).astype(dtype)
    rows[4, 5] = np.nan
    places, bags = RNG.integers(0, 9, 40), np.sort(RNG.integers(0, 6, 40))
    out, where = np.zeros((7, 70), dtype), np.full((7, 70), -1)
    assert kernels.compiled.bag_maxima(rows, places, bags, out, where) is out
    for bag in range(7):
        mine = places[bags == bag]
        for column in range(70):
            best = mine[0] if mine.size else -1
            for place in mine[1:]:
                best = place if rows[place, column] > rows[best, column] else best
            assert where[bag, column] == best
            assert np.array_equal(out[bag, column], rows[best, column] if mine.size else 0, equal_nan=True)
    for wrong in (9, -1):
        assert kernels.compiled.bag_maxima(rows, np.array([wrong]), np.array([0]), out, where) is None
        assert kernels.compiled.bag_maxima(rows, np.array([0]), np.array([wrong]), out, where) is None


@pytest.mark.parametrize("dtype", ["f2", torch.bfloat16])
def test_rows_of_half_types(dtype: str) -> None:
    kind = np.dtype(dtype) if type(dtype) is str else torch.zeros(1, dtype=dtype)._array.dtype
    x, values = (RNG.normal(size=(n, 1500)).astype(kind) for n in (7, 4))
    places = np.array([6, 0, 3, 2])
    wanted = x.copy()
    wanted[places] += values
    assert kernels.compiled.added_rows(x.copy(), np.array([6, 0, 3, 6]), values, 0, 1) is None
    twice = x.copy()
    assert kernels.compiled.added_rows(twice, np.array([6, 0, 3, 6]), values) is not None
    assert twice[6].tobytes() == (x[6] + values[0] + values[3]).tobytes()  # each sum is rounded
    assert kernels.compiled.added_rows(x, places, values) is not None and x.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", [*DTYPES, "?", "i2", "c16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_rows_along_an_axis_are_those_of_numpy(dtype: str, axis: int) -> None:
    x = (RNG.normal(size=(5, 6, 3)) * 20).astype(dtype)
    places = np.array([2, 0, 2, 1])
    where = (slice(None),) * (axis % 3) + (places,)
    values = (RNG.normal(size=x[where].shape) * 20).astype(dtype)
    for given in (values, values.reshape(-1)[:1].reshape(())):
        put, added = x.copy(), x.copy()
        put[where] = given
        np.add.at(added, where, given)
        target = x.copy()
        assert kernels.compiled.put_rows(target, places, given, axis) is True and target.tobytes() == put.tobytes()
        target = x.copy()
        if kernels.compiled.added_rows(target, places, given, axis):
            assert target.tobytes() == added.tobytes()
        else:
            assert dtype in ("?", "i2", "c16") or target.tobytes() == x.tobytes()
    for wrong in (np.array([2, 0, 2, 6]), np.array([-1, 0, 2, 1]), places[:3]):
        target = x.copy()
        assert not kernels.compiled.put_rows(target, wrong, values, axis) and target.tobytes() == x.tobytes()
    empty = np.empty((0, 6, 0), dtype)
    assert kernels.compiled.put_rows(empty, places, np.empty((0, 4, 0), dtype), 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_in_steps_are_taken_and_written_as_those_side_by_side(dtype: str) -> None:
    x, index = some((40, 50), dtype), RNG.integers(-40, 40, 70)
    for laid in (np.stack([x, x], -1)[..., 0], np.concatenate([x, x], 1)[:, :50], np.asfortranarray(x)):
        tensor, wanted = torch.from_numpy(laid), x[index]
        for found in (tensor[torch.tensor(index)], tensor.index_select(0, torch.tensor(index % 40))):
            assert found.is_contiguous() and found.numpy().tobytes() == wanted.tobytes()
        written, numbers = x.copy(), RNG.integers(-2000, 2000, (40, 50))
        written.reshape(-1)[numbers] = laid
        assert torch.from_numpy(x).put(torch.tensor(numbers), tensor).numpy().tobytes() == written.tobytes()
