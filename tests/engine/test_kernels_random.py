"""The compiled twister and the compiled normal numbers against numpy's generator and the formulas in numpy."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.random import normal, rejection, uniform_words
from tensorsh.engine.random.generator import BLOCK, CompiledTwister, Generator, NumpyTwister

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1])
def test_words_are_numpys(seed):
    twisters = [CompiledTwister(), NumpyTwister()]
    drawn = []
    for twister in twisters:
        twister.seed(seed)
        key = twister.key().copy()
        words = [twister.words(n * BLOCK) for n in (1, 8, 0, 3)]
        twister.set_key(key)
        drawn.append(np.concatenate([key, *words, twister.words(BLOCK)]))
    assert (drawn[0] == drawn[1]).all()


@pytest.mark.parametrize("mean, std", [(0.0, 1.0), (3.5, 0.7), (-1e30, 0.0), (0.0, float("inf")), (float("nan"), 1.0)])
def test_normals_have_the_formulas_bits(monkeypatch, mean, std):
    for n in (16, 48, 1248, 1264, 40_000):
        fast = normal.normal32(Generator(), n, mean, std)
        monkeypatch.setattr(normal, "_compiled", None)
        with np.errstate(invalid="ignore"):
            assert fast.tobytes() == normal.normal32(Generator(), n, mean, std).tobytes()
        monkeypatch.undo()


@pytest.mark.parametrize("low, high", [(0, 2), (-3, 7), (0, 1 << 28), (0, (1 << 53) + 5), (-(1 << 62), 1 << 62)])
def test_whole_numbers_are_remainders_of_words(low, high):
    for n in (5, 5000, 70_001):
        words = Generator().words64(n) if high - low >= 1 << 28 else Generator().words32(n)
        expected = (words % words.dtype.type(high - low)).astype(np.int64) + low
        for dtype in (np.int64, np.float32, np.float64, np.int32):
            found = uniform_words.randint(Generator(), low, high, n, np.dtype(dtype))
            assert found.dtype == dtype and np.array_equal(found, expected.astype(dtype))


def test_what_does_not_suit_is_left_to_the_formula():
    c = kernels.compiled
    words, out = np.zeros(32, np.uint32), np.zeros(32, np.float32)
    assert c.normals(words, out[:16], 0.0, 1.0) is None
    assert c.normals(words[::2], out[::2], 0.0, 1.0) is None
    assert c.normals(words[:17], out[:17], 0.0, 1.0) is None
    assert c.normals(words, [0.0] * 32, 0.0, 1.0) is None
    assert c.twister_words(words, BLOCK) is None
    assert c.twister_words(np.zeros(BLOCK, np.uint32), 7) is None
    assert c.twister_words(np.zeros(BLOCK, np.uint32), -BLOCK) is None
    assert c.normals() is None and c.twister_words() is None and c.twister_key() is None
    assert c.normals(words, out, "0", 1.0) is None


def test_poisson_takes_the_words_that_the_formula_takes(monkeypatch):
    rates = np.random.default_rng(2).choice([0.0, 0.01, 0.7, 9.99, 10.0, 33.3, 4000.0], 3000)
    fast, slow = Generator(), Generator()
    for generator in (fast, slow):
        generator.manual_seed(11)
        generator.words32(617)
    drawn = [rejection.poisson(fast, rates), fast.words32(3).tolist(), rejection.poisson(fast, rates[:0])]
    monkeypatch.setattr(rejection, "compiled_poisson", None)
    assert drawn[0].tobytes() == rejection.poisson(slow, rates).tobytes()
    assert drawn[1] == slow.words32(3).tolist() and fast.get_state().tobytes() == slow.get_state().tobytes()


def test_gamma_takes_the_words_and_the_normals_that_the_formula_takes(monkeypatch):
    alphas = np.random.default_rng(3).choice([0.0, 1e-3, 0.3, 1.0, 2.5, 40.0, 1e6, np.inf], 3001)
    fast, slow = Generator(), Generator()
    for generator in (fast, slow):
        generator.manual_seed(12)
        generator.normals(3)
    drawn = [rejection.standard_gamma(fast, alphas), fast.normals(2), rejection.standard_gamma(fast, alphas[:0])]
    drawn += [
        rejection.standard_gamma(fast, alphas[:2000].astype(np.float32)),
        rejection.dirichlet(fast, alphas[1:2].repeat(8)),
    ]
    monkeypatch.setattr(rejection, "compiled_gamma", None)
    assert drawn[0].tobytes() == rejection.standard_gamma(slow, alphas).tobytes() and drawn[1] == slow.normals(2)
    assert drawn[3].tobytes() == rejection.standard_gamma(slow, alphas[:2000].astype(np.float32)).tobytes()
    assert drawn[4].tobytes() == rejection.dirichlet(slow, alphas[1:2].repeat(8)).tobytes()
    assert fast.get_state().tobytes() == slow.get_state().tobytes()


@pytest.mark.parametrize("dtype, name", [(torch.bool, "Bool"), (torch.float16, "Half"), (torch.int8, "Char")])
@pytest.mark.parametrize("call, kernel", [("_standard_gamma", "gamma_cpu"), ("_sample_dirichlet", "dirichlet")])
def test_variates_of_other_dtypes_are_refused(call, kernel, dtype, name):
    with pytest.raises(NotImplementedError, match=f"^\"{kernel}\" not implemented for '{name}'$"):
        getattr(torch, call)(torch.ones(3, dtype=dtype))
