"""The kernels that choose elements by a mask, and write classes as vectors, do what numpy does."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.engine import kernels

compiled = kernels.compiled
pytestmark = pytest.mark.skipif(compiled is None, reason="there are no compiled kernels")

RNG = np.random.default_rng(12)
DTYPES = ["f4", "f8", "i8", "c8", "f2", "i4", "u1", "?"]
SHAPES = [(), (1,), (7,), (4, 5), (2, 3, 4), (0, 3), (129, 133)]


def some(shape: tuple, dtype: str) -> np.ndarray:
    return np.asarray(RNG.exponential(20, shape)).astype(dtype)


def mask(shape: tuple) -> np.ndarray:
    return np.asarray(RNG.random(shape) < 0.4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mask_chooses_from_two(dtype: str) -> None:
    for shape in SHAPES:
        which = mask(shape)
        for x, y in [(shape, shape), (shape, ()), ((), shape), ((), ())]:
            x, y = some(x, dtype), some(y, dtype)
            found = compiled.choose(which, x, y)
            expected = np.where(which, x, y)
            assert found.dtype == x.dtype and found.shape == shape and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", [*DTYPES, "c16"])
def test_a_mask_chooses_elements_and_rows(dtype: str) -> None:
    for shape in SHAPES[1:-1]:
        x = some(shape, dtype)
        for ndim in range(1, len(shape) + 1):
            for which in (mask(shape[:ndim]), np.zeros(shape[:ndim], bool), np.ones(shape[:ndim], bool)):
                found, expected = compiled.masked(x, which), x[which]
                assert found.dtype == x.dtype and found.shape == expected.shape
                assert found.tobytes() == expected.tobytes()


def test_classes_are_vectors() -> None:
    for shape in [(), (1,), (5,), (3, 4), (2, 3, 2)]:
        x = np.asarray(RNG.integers(0, 6, shape))
        most = int(x.max())
        for classes in (-1, most + 1, 9):
            found = compiled.one_hot(x, classes)
            assert found.tobytes() == np.eye(most + 1 if classes < 0 else classes, dtype=np.int64)[x].tobytes()
            assert found.shape == (*shape, most + 1 if classes < 0 else classes)


def test_what_is_not_for_them_gives_none() -> None:
    x, which = some((4, 5), "f4"), mask((4, 5))
    assert compiled.choose(which, x, some((4, 5), "f8")) is None
    assert compiled.choose(which, x, some((5,), "f4")) is None
    assert compiled.choose(which[:, ::2], x[:, ::2], x[:, ::2]) is None
    assert compiled.choose(some((4, 5), "i8"), x, x) is None
    assert compiled.choose(which, some((4, 5), "c16"), some((4, 5), "c16")) is None
    assert compiled.choose(which, np.array([None]), np.array([None])) is None
    assert compiled.masked(x, mask((5,))) is None
    assert compiled.masked(x, mask((4, 5, 1))) is None
    assert compiled.masked(x, np.asarray(True)) is None
    assert compiled.masked(x.T, mask((5, 4))) is None
    assert compiled.masked(np.broadcast_to(x[0, 0], (1 << 20,)), np.broadcast_to(True, (1 << 20,))) is None
    for names, classes in [([-1], -1), ([3], 3), ([3], -2), ([1 << 40], -1), ([1], 1 << 40), ([], 5), ([1], None)]:
        assert compiled.one_hot(np.array(names, np.int64), classes) is None
    assert compiled.one_hot(np.zeros((1,) * 64, np.int64), 3) is None
    assert compiled.one_hot(np.array([1], np.int32), 3) is None
