"""Compiled extremes and logarithms of sums along axes of arrays in any order and steps, against numpy and the formulas."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.graph.fields import wrap
from tensorsh.engine.numerics import sums
from tensorsh.engine.ops.reductions.sums import log_of_sums

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")

SHAPES = [(1, 1), (5, 3), (3, 70), (2, 3, 4), (4, 65, 130), (2, 3, 16, 17), (33, 1, 40), (2, 300, 3)]
LAID = {
    "rows": lambda a: a,
    "columns": lambda a: np.asfortranarray(a),
    "moved": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1),
    "narrowed": lambda a: np.concatenate([a, a], -1)[..., : a.shape[-1]],
    "every second": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "expanded": lambda a: np.broadcast_to(a[:1], a.shape),
}
KINDS = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"]


def numbers(shape, kind, seed=0):
    a = np.random.default_rng(seed).integers(0 if kind == "uint8" else -9, 9, shape)
    return torch.tensor(a.tolist(), dtype=getattr(torch, kind))._array


def expected(a, axis, least):
    """The extremes in double, where they stand first, and NaN before all."""
    wide = a.astype(np.float64)
    return ((np.min if least else np.max)(wide, axis), (np.argmin if least else np.argmax)(wide, axis))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("laid", LAID)
def test_extremes_are_numpys(kind, laid):
    for shape in SHAPES:
        a = LAID[laid](numbers(shape, kind))
        x = wrap(a)
        for axis in range(a.ndim):
            for least in (False, True):
                values, places = expected(a, axis, least)
                name = "min" if least else "max"
                assert np.array_equal(getattr(x, "a" + name)(axis).double().numpy(), values), (shape, axis, name)
                both = getattr(x, name)(axis, keepdim=True)
                assert np.array_equal(both[0].double().numpy(), np.expand_dims(values, axis))
                assert np.array_equal(both[1].numpy(), np.expand_dims(places, axis))
                assert np.array_equal(getattr(x, "arg" + name)(axis).numpy(), places)
        assert np.array_equal(x.amax((0, 1)).double().numpy(), a.astype(np.float64).max((0, 1)))


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16"])
def test_a_nan_is_larger_and_smaller_than_all(kind):
    a = np.random.default_rng(1).integers(-9, 9, (6, 70, 5)).astype(np.float64)
    a[0, 3, 1] = a[0, 50, 1] = a[2, 0, 0] = a[3, 69, 4] = np.nan
    a[1, :, 2] = np.inf
    x = torch.tensor(a).to(getattr(torch, kind))
    for axis in range(3):
        assert np.array_equal(x.amax(axis).double().numpy(), a.max(axis), equal_nan=True)
        assert np.array_equal(x.amin(axis).double().numpy(), a.min(axis), equal_nan=True)
        for found, places in ((x.max(axis), a.argmax(axis)), (x.min(axis), a.argmin(axis))):
            assert np.array_equal(found[1].numpy(), places)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_nan_in_any_place_of_a_long_row(kind):
    a = np.random.default_rng(4).standard_normal((41, 41)).astype(kind)
    a[np.diag_indices(41)] = np.nan
    a[0, 20], a[1, 20] = np.inf, -np.inf
    for name in ("amax", "amin"):
        assert np.isnan(getattr(torch.tensor(a), name)(1).numpy()).all()
        assert np.isnan(getattr(torch.tensor(a), name)(0).numpy()).all()
    for turned in (torch.tensor(a).softmax(1), torch.tensor(a).log_softmax(1), torch.tensor(a).logsumexp(1)):
        assert np.isnan(turned.numpy()).all()


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("laid", LAID)
def test_logarithms_of_sums_of_exponentials(kind, laid):
    for shape in SHAPES:
        a = LAID[laid]((np.random.default_rng(2).standard_normal(shape) * 4).astype(kind))
        a = a.copy("K") if laid != "expanded" else a
        for axis in range(a.ndim):
            found = log_of_sums(a, (axis,))
            true = np.log(np.exp(a.astype(np.float64)).sum(axis))
            assert found.shape == true.shape
            assert np.abs(found - true).max() <= 3 * np.finfo(kind).eps * np.maximum(1, np.abs(true)).max()
            assert np.array_equal(log_of_sums(a, (axis,), True), np.expand_dims(found, axis))


def test_logarithms_of_sums_of_infinite_columns():
    a = np.array([[np.inf, -np.inf, 0.0, np.nan], [1.0, -np.inf, -np.inf, 1.0]], np.float32)
    assert np.array_equal(log_of_sums(a, (0,)), np.array([np.inf, -np.inf, 0.0, np.nan], np.float32), equal_nan=True)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("laid", LAID)
def test_sums_of_arrays_in_steps_have_the_bits_of_the_formula(kind, laid, monkeypatch):
    shapes = [*SHAPES, (2, 4801), (19, 27), (3, 9, 70)]  # long lines; squares of vectors, and what is left over
    arrays = [LAID[laid](np.random.default_rng(3).standard_normal(shape).astype(kind)) for shape in shapes]
    cases = [(a, axes) for a in arrays for axes in [*((k,) for k in range(a.ndim)), None, (0, a.ndim - 1)]]
    found = [sums.sum(a, axes) for a, axes in cases]
    for name in ("strided_sums", "kernel_sum"):
        monkeypatch.setattr(sums, name, lambda *given: None)
    monkeypatch.setattr(sums, "_plans", {})
    for (a, axes), total in zip(cases, found, strict=True):
        assert np.array_equal(sums.sum(a, axes), total), (a.shape, axes)


@pytest.mark.parametrize("kind", ["int64", "int32", "int16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("laid", LAID)
def test_sums_of_whole_numbers_are_numpys(kind, laid):
    for shape in SHAPES:
        a = LAID[laid](np.random.default_rng(4).integers(0, 256, shape).astype(kind))
        for axis in range(a.ndim):
            for keepdim in (False, True):
                found = wrap(a).sum(axis, keepdim)
                assert found.dtype is torch.int64
                assert np.array_equal(found.numpy(), a.sum(axis, np.int64, keepdims=keepdim)), (shape, axis)
    top = torch.tensor([[2**63 - 1, 1], [1, 1]])
    assert top.sum(1).tolist() == top.sum(0).tolist() == [-(2**63), 2]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [1, 3, 16, 37])
def test_differing_elements_are_counted(kind, columns):
    a, b = (np.random.default_rng(seed).integers(0, 3, (7, columns)).astype(float) for seed in (5, 6))
    b[0, 0] = np.nan
    x, y = torch.tensor(a, dtype=kind), torch.tensor(b, dtype=kind)
    assert np.array_equal(torch.cdist(x, y, 0.0).numpy(), (a[:, None] != b).sum(-1))
    pairs = np.triu_indices(7, 1)
    assert np.array_equal(torch.nn.functional.pdist(y, 0.0).numpy(), (b[pairs[0]] != b[pairs[1]]).sum(-1))
