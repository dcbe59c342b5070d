"""Extents: the bytes that arrays reach, in the compiled form and in the source as it stands, against every byte counted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tensorsh.engine.arrays import extents

SOURCE = Path(extents.__file__).parent / "extents.py"


def interpreted() -> ModuleType:
    spec = spec_from_file_location("tensorsh.engine.arrays.extents_as_written", SOURCE)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BOTH = [pytest.param(extents, id="compiled"), pytest.param(interpreted(), id="interpreted")]


def places(array: Any) -> set[int]:
    """The address of every byte of an array."""
    start = array.__array_interface__["data"][0]
    return {
        start + sum(i * s for i, s in zip(index, array.strides, strict=True)) + byte
        for index in product(*map(range, array.shape))
        for byte in range(array.itemsize)
    }


def parts(seed: int) -> Iterator[Any]:
    """Views of one memory of 24 elements: slices with steps, reversed, transposed, expanded, empty, other dtypes."""
    draw = random.Random(seed)
    whole = np.arange(24, dtype=np.float32)
    while True:
        x = whole if draw.random() < 0.5 else whole.reshape(draw.choice([(4, 6), (2, 3, 4), (24, 1)]))
        cuts = [slice(draw.randrange(n // 2 + 1), draw.randrange(n // 2, n + 1), draw.choice([1, 2])) for n in x.shape]
        x = x[tuple(cuts)].transpose(draw.sample(range(x.ndim), x.ndim))
        if draw.random() < 0.2:
            x = x[::-1]
        if draw.random() < 0.2:
            x = np.broadcast_to(x, (2, *x.shape))
        if draw.random() < 0.2:
            x = x.view(np.int32)
        yield x


@pytest.mark.parametrize("module", BOTH)
def test_an_array_reaches_from_its_first_byte_to_its_last(module: ModuleType) -> None:
    for x, _ in zip(parts(0), range(300), strict=False):
        touched = places(x)
        first, end = module.extent(x)
        assert (first, end) == (min(touched), max(touched) + 1) if touched else first == end
        assert module.address(x) == x.__array_interface__["data"][0]


@pytest.mark.parametrize("module", BOTH)
def test_arrays_that_share_a_byte_meet(module: ModuleType) -> None:
    met = 0
    for x, y, _ in zip(parts(1), parts(1), range(300), strict=False):
        assert not module.meets(x, y)  # of two memories
    view = parts(2)
    for _ in range(500):
        x, y = next(view), next(view)
        a, b = places(x), places(y)
        between = bool(a and b) and min(a) <= max(b) and min(b) <= max(a)
        assert module.meets(x, y) is module.meets(y, x) is between
        met += between
    assert 100 < met < 450


@pytest.mark.parametrize("module", BOTH)
def test_strided_takes_what_strides_say_and_no_byte_more(module: ModuleType) -> None:
    draw = random.Random(3)
    made = refused = 0
    for x, _ in zip(parts(4), range(800), strict=False):
        owner = module.owner(x)
        low, high = module.extent(owner)
        shape = tuple(draw.choice([0, 1, 2, 3, 5]) for _ in range(draw.randrange(4)))
        strides = tuple(4 * draw.randrange(-3, 8) for _ in shape)
        offset = 4 * draw.randrange(-8, 16)
        start = x.__array_interface__["data"][0] + offset
        touched = [
            start + sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, shape))
        ]
        if touched and (min(touched) < low or max(touched) + 4 > high):
            with pytest.raises(RuntimeError, match="beyond the storage"):
                module.strided(x, shape, strides, offset)
            refused += 1
            continue
        y = module.strided(x, shape, strides, offset)
        assert y.shape == shape and y.dtype == x.dtype
        assert y.reshape(-1).tolist() == [owner.view(x.dtype)[(at - low) // 4] for at in touched]
        if touched:
            assert y.strides == strides and y.base is owner and y.flags.writeable == x.flags.writeable
            made += 1
    assert made > 100 < refused


@pytest.mark.parametrize("module", BOTH)
@pytest.mark.parametrize(
    ("shape", "strides", "offset"),
    [
        ((2,), (1 << 62,), 0),
        ((3,), (1 << 62,), 8),
        ((2, 2), (1 << 62, 1 << 62), 0),
        ((2, 2, 2), ((1 << 63) - 4, 4, 4), 4),
        ((2,), (-(1 << 63),), 0),
        ((2,), (1 << 80,), 0),
        ((2,), (4,), 1 << 62),
        ((2,), (4,), -(1 << 70)),
        ((1 << 62,), (4,), 0),
        ((1 << 70,), (0,), 0),
        ((1 << 40, 1 << 40), (0, 0), 0),
    ],
)
def test_sums_beyond_64_bits_reach_nothing(module: ModuleType, shape: tuple, strides: tuple, offset: int) -> None:
    with pytest.raises((RuntimeError, ValueError, OverflowError)):
        module.strided(np.zeros(6, np.float32), shape, strides, offset)


@pytest.mark.parametrize("module", BOTH)
def test_the_stride_of_one_element_may_be_any(module: ModuleType) -> None:
    x = np.arange(6, dtype=np.float32)
    assert module.strided(x, (1, 2), (1 << 80, 8), 4).tolist() == [[1, 3]]


@pytest.mark.parametrize("module", BOTH)
def test_no_memory_of_objects_is_shown_as_numbers(module: ModuleType) -> None:
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        module.strided(np.array([None, []], object), (2,), (8,), 0, np.dtype(np.int64))
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        module.strided(np.zeros(2, np.int64), (2,), (8,), 0, np.dtype(object))
