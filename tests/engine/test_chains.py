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
    expected = -((a * k + b) * dtype(2))
    # places: a, b, which steps write over, k; one slot; the constant 2
    steps = ((MUL, 0, 2, 3), (ADD, 3, 1, 0), (MUL, 0, 4, 3), (NEG, 3, 1))
    chain = Chain(bytes([2, 2, 0]), 1, (2.0,), steps, dtype is np.float64)
    first = a * k + b
    assert chain(a, b, k) is True
    assert np.array_equal(a, first) and np.array_equal(b, expected)


def test_an_input_is_written_over():
    """Places: a, which steps write over, b, a number."""
    fused = loop(kernel("multiply_add"), 3)
    chain = Chain(bytes([2, 1, 0]), 0, (), ((fused, 1, 2, 0, 0), (MUL, 0, 1, 0)), False)
    for n in (1, 7, 5000):
        a, b = np.linspace(-2, 3, n).astype(np.float32), np.linspace(5, 1, n).astype(np.float32)
        expected = (b * np.float64(np.float32(0.1)) + a).astype(np.float32) * b
        assert chain(a, b, 0.1) is True and np.array_equal(a, expected)
    a.flags.writeable = False
    assert chain(a, b, 0.1) is None and np.array_equal(a, expected)


def test_what_is_not_usual_is_left_alone():
    chain = Chain(bytes([2, 1, 0]), 0, (), ((ADD, 1, 2, 0),), False)
    out, a, k = np.zeros(4, np.float32), np.ones(4, np.float32), np.float32([2])
    for number in (k, 2.0, 2):
        out[:] = 0
        assert chain(out, a, number) and out.tolist() == [3, 3, 3, 3]
    fixed = np.ones(4, np.float32)
    fixed.flags.writeable = False
    for args in [
        (), (out,), (out, a), (out, a, a), (out, a.astype(np.float64), k), (out, np.ones(8, np.float32)[::2], k), (out[:0], a[:0], k),
        (out, [1.0], k), (out, a, 1 << 2000), (out, 2.0, k), (np.ones(3, np.float32), a, k), (fixed, a, k), (out, a, k, a),
        (out, k[0], k), (out, a.astype(">f4"), k),
    ]:  # fmt: skip
        assert chain(*args) is None


@pytest.mark.parametrize(
    "arguments",
    [
        (b"\2", 0, (), ((ADD, 0, 2, 0),), False),
        (b"\2", 0, (), ((ADD, 0, -1, 0),), False),
        (b"\1", 0, (), ((ADD, 0, 0, 0),), False),
        (b"\2", 1, (), ((ADD, 0, 0, 2),), False),
        (b"\2", 0, (1.0,), ((ADD, 0, 0, 1),), False),
        (b"\2", 0, (), ((ADD, 0, 0, 1),), False),
        (b"\2", 0, (), ((NEG, 0, 0, 0),), False),
        (b"\2", 0, (), ((ADD, 0, 0),), False),
        (b"\2", 0, (), ((ADD, 0, 0.0, 0),), False),
        (b"\2", -1, (), ((ADD, 0, 0, 0),), False),
        (b"\2" * 65, 0, (), ((ADD, 0, 0, 0),), False),
        (b"\2", 0, ("a",), ((ADD, 0, 0, 0),), False),
        (b"\2", 0, (), ((np.add, 0, 0, 0),), False),
        (b"\2", 0, (), ((0, 0, 0),), False),
        (b"\2", 0, (), (ADD,), False),
    ],
)
def test_no_chain_of_places_that_are_not_there(arguments):
    with pytest.raises((TypeError, ValueError)):
        Chain(*arguments)
