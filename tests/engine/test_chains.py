"""Chains: several elementwise steps in one pass over arrays, to the bit of the steps one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.engine.kernels import kernel

Chain = kernel("Chain")
pytestmark = pytest.mark.skipif(Chain is None, reason="without compiled kernels there are no chains")


def loop(ufunc, inputs=2):
    return Chain and kernel("Loop")(inputs, ufunc, ufunc, None, False)


ADD, MUL, NEG = loop(np.add), loop(np.multiply), loop(np.negative, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 2047, 2048, 2049, 10_000])
def test_steps_in_their_order(n, dtype):
    a, b, k = np.linspace(-2, 3, n).astype(dtype), np.linspace(5, 1, n).astype(dtype), np.array(0.3, dtype)
    # places: a, b, k; two outputs; one slot; the constant 2
    steps = ((MUL, 0, 2, 5), (ADD, 5, 1, 3), (MUL, 3, 6, 5), (NEG, 5, 4))
    chain = Chain(bytes([1, 1, 0]), 2, 1, (2.0,), steps, dtype is np.float64)
    first, second = chain(a, b, k)
    assert np.array_equal(first, a * k + b) and np.array_equal(second, -((a * k + b) * dtype(2)))
    given = [np.empty_like(a), np.empty_like(a)]
    assert chain(a, b, k, *given)[0] is given[0] and np.array_equal(given[1], second)


def test_an_input_is_written_over():
    """Places: a, which steps write over, b, a number."""
    fused = loop(kernel("multiply_add"), 3)
    chain = Chain(bytes([2, 1, 0]), 0, 0, (), ((fused, 1, 2, 0, 0), (MUL, 0, 1, 0)), False)
    for n in (1, 7, 5000):
        a, b = np.linspace(-2, 3, n).astype(np.float32), np.linspace(5, 1, n).astype(np.float32)
        expected = (b * np.float64(np.float32(0.1)) + a).astype(np.float32) * b
        assert chain(a, b, 0.1) == [] and np.array_equal(a, expected)
    a.flags.writeable = False
    assert chain(a, b, 0.1) is None and np.array_equal(a, expected)


def test_what_is_not_usual_is_left_alone():
    chain = Chain(bytes([1, 0]), 1, 0, (), ((ADD, 0, 1, 2),), False)
    a, k = np.ones(4, np.float32), np.float32([2])
    assert chain(a, k)[0].tolist() == chain(a, 2.0)[0].tolist() == chain(a, 2)[0].tolist() == [3, 3, 3, 3]
    fixed = np.ones(4, np.float32)
    fixed.flags.writeable = False
    for args in [
        (), (a,), (a, a), (a.astype(np.float64), k), (np.ones(8, np.float32)[::2], k), (a[:0], k), ([1.0], k), (a, 1 << 2000), (2.0, k),
        (a, k, np.ones(3, np.float32)), (a, k, fixed), (a, k, a, a), (k[0], k), (a.astype(">f4"), k),
    ]:  # fmt: skip
        assert chain(*args) is None


@pytest.mark.parametrize(
    "arguments",
    [
        (b"\1", 1, 0, (), ((ADD, 0, 2, 1),), False),
        (b"\1", 1, 0, (), ((ADD, 0, -1, 1),), False),
        (b"\1", 1, 0, (), ((ADD, 0, 0, 0),), False),
        (b"\1", 1, 1, (), ((ADD, 0, 0, 3),), False),
        (b"\1", 1, 0, (1.0,), ((ADD, 0, 0, 2),), False),
        (b"\1", 0, 0, (), ((ADD, 0, 0, 1),), False),
        (b"\1", 1, 0, (), ((NEG, 0, 0, 1),), False),
        (b"\1", 1, 0, (), ((ADD, 0, 1),), False),
        (b"\1", 1, 0, (), ((ADD, 0, 0.0, 1),), False),
        (b"\1", 1, -1, (), ((ADD, 0, 0, 1),), False),
        (b"\1" * 4096, 1, 0, (), ((ADD, 0, 0, 1),), False),
        (b"\1", 1, 0, ("a",), ((ADD, 0, 0, 1),), False),
        (b"\1", 1, 0, (), ((np.add, 0, 0, 1),), False),
        (b"\1", 1, 0, (), ((0, 0, 1),), False),
        (b"\1", 1, 0, (), (ADD,), False),
    ],
)
def test_no_chain_of_places_that_are_not_there(arguments):
    with pytest.raises((TypeError, ValueError)):
        Chain(*arguments)
