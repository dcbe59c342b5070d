"""The shortest way of elementwise operators gives what the operator's own way gives, or leaves the call to it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels, table

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
    quick = kernels.compiled.Quick(2, ufunc, ufunc, ufunc, True)
    taken = 0
    for (i, s), other in itertools.product(enumerate(SHAPES), [(), (4,), (3, 4), (31,), 2, -3, 0, 1.5, "same"]):
        a = values(s, dtype, i)
        b = values(s if other == "same" else other, dtype, 99) if isinstance(other, (tuple, str)) else other
        x = torch.tensor(0)
        x._array = a
        y = b
        if isinstance(b, np.ndarray):
            y = torch.tensor(0)
            y._array = b
        found = quick(x, y)
        if found is not None:
            taken += 1
            assert same(found._array, ufunc(a, b if isinstance(b, np.ndarray) else a.dtype.type(b))), (s, other)
            assert not np.shares_memory(found._array, a)
    assert taken > 20 or (ufunc, dtype) == (np.true_divide, "int64")  # which numpy divides as floats


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ufunc", [np.negative, np.sqrt, np.isnan, np.floor])
def test_singles_are_the_ufunc(ufunc: np.ufunc, dtype: str) -> None:
    quick = kernels.compiled.Quick(1, ufunc, ufunc, None, False)
    for i, s in enumerate(SHAPES):
        x = torch.tensor(0)
        x._array = values(s, dtype, i)
        assert same(quick(x)._array, ufunc(x._array)), s


def test_what_is_not_usual_is_left_to_python() -> None:
    quick = kernels.compiled.Quick(2, np.add, np.add, None, False)
    p = torch.ones(4, 4)
    others = [
        p.double(),
        p.t()[:, :2],
        p[::2],
        torch.ones(4, 1),
        torch.ones(5),
        p.half(),
        p.int(),
        1,
        1.0,
        None,
        "x",
        p._array,
    ]
    others += [torch.ones(1, 4, 4), torch.ones(200, 200)]
    assert all(quick(p, other) is None for other in others)
    assert quick(p) is quick(p, p, p) is quick(None, p) is quick(p.t(), p) is quick(p[:, 1], p[:, 1]) is None
    assert quick(torch.arange(3), torch.arange(3)) is None
    with pytest.raises(TypeError):
        kernels.compiled.Quick(1, np.add, None, None, False)
    with pytest.raises(TypeError):
        kernels.compiled.Quick(2, len, None, None, False)
    for record in [(), (int, ""), (type(p), None, None, None), 3, (type(p + 0),)]:
        with pytest.raises(TypeError):
            quick.record = record


def test_damaged_tensors_do_no_harm() -> None:
    p, q = torch.ones(2), torch.ones(2)
    del p._node, q._array, q._node, q._inference
    quick = kernels.compiled.Quick(2, np.add, np.add, None, False)
    assert quick(p, q) is None is quick(q, p)
    assert quick(p, p)._array.tolist() == [2.0, 2.0]


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
