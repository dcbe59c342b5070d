"""The random streams are PyTorch's: recorded hashes of results and generator states, and the errors."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.engine.random import rejection, uniform_words
from tensorsh.engine.random.generator import DEFAULT_SEED, STATE_BYTES, Generator, nondeterministic

from ..support.tables import section
from .number_cases import INTERLEAVED, SAMPLERS, SIZES, VARIATE_INPUTS, VARIATES, digest, label, seeds


def dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def sample(name: str, g: Generator, n: int, kind: str, args: tuple) -> np.ndarray:
    function, d = getattr(uniform_words, name), dtype(kind)
    if name == "randint":
        return function(g, *args, n, d)
    if name == "randperm":
        return function(g, n, d)
    if name == "bernoulli":
        return function(g, (np.arange(n) / max(n, 1)).astype(np.float64).astype(d))
    if name == "bernoulli_mask":
        return function(g, n, *args).astype(d)
    return function(g, n, d, *args)


def rows() -> list:
    recorded = section("numbers", "samplers")
    return [(name, args, kind, recorded[label(name, args, kind)]) for name, args, kinds in SAMPLERS for kind in kinds]


@pytest.mark.parametrize("name, args, kind, found", rows())
def test_sampler_equals_pytorch(name: str, args: tuple, kind: str, found: str) -> None:
    wrong, at = [], 0
    for n in SIZES:
        for seed in seeds(n):
            g = Generator().manual_seed(seed)
            parts = [sample(name, g, n, kind, args).tobytes() for _ in range(3)]
            if digest(*parts, g.get_state().tobytes()) != found[at : at + 8]:
                wrong.append((n, seed))
            at += 8
    assert not wrong


@pytest.mark.parametrize("line", INTERLEAVED)
def test_calls_in_a_row_share_words_and_the_kept_normal(line: str) -> None:
    defaults = {name: args for name, args, _ in reversed(SAMPLERS)}
    g = Generator().manual_seed(11)
    parts = []
    for call in line.split(", "):
        name, n, kind = call.split()
        parts += [sample(name, g, int(n), kind, defaults[name]).tobytes(), g.get_state().tobytes()]
    assert digest(*parts) == section("numbers", "interleaved")[line]


@pytest.mark.parametrize(("name", "args", "inputs"), VARIATES)
def test_rejection_samplers_equal_pytorch(name: str, args: tuple, inputs: tuple) -> None:
    got = ""
    for kind in ("float32", "float64"):
        arrays = [np.array(VARIATE_INPUTS[k], np.float64).astype(kind) for k in inputs]
        for seed in (0, 1, 42):
            g = Generator().manual_seed(seed)
            parts = [getattr(rejection, name)(g, *arrays, *args).tobytes() for _ in range(2)]
            got += digest(*parts, g.get_state().tobytes())
    assert got == section("numbers", "variates")[label(name, args, *inputs)]


def test_readable_values() -> None:
    g = Generator().manual_seed(0)
    want = section("numbers", "readable")
    assert uniform_words.uniform(g, 3).tolist() == want["rand"]
    assert uniform_words.normal(g, (3,)).tolist() == want["randn"]
    assert uniform_words.normal(g, (4, 4)).ravel()[-2:].tolist() == want["randn16"]
    assert uniform_words.randperm(g, 8).tolist() == want["randperm"]
    assert uniform_words.randint(g, 0, 100, (5,)).tolist() == want["randint"]


def test_state_round_trips_at_every_position() -> None:
    g = Generator().manual_seed(9)
    for step in (0, 1, 622, 1, 1, 623, 5000, 7, 12345, 40000):
        g.words32(step)
        state = g.get_state()
        assert state.shape == (STATE_BYTES,) and state.dtype == np.uint8
        twin = Generator().set_state(state)
        assert np.array_equal(twin.get_state(), state)
        other = g.clone_state()
        ahead = twin.words32(2000).copy()
        assert np.array_equal(other.words32(2000), ahead)
        assert np.array_equal(g.words32(2000), ahead)
        assert twin.initial_seed() == 9


def test_copies_and_pickles_continue_alike() -> None:
    import copy
    import pickle

    g = Generator().manual_seed(4)
    uniform_words.normal(g, 7)
    others = [copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g))]
    ahead = uniform_words.normal(g, 701)
    for other in others:
        assert np.array_equal(uniform_words.normal(other, 701), ahead)


@pytest.mark.parametrize("name", ["normal", "uniform", "exponential"])
def test_numbers_do_not_depend_on_how_they_are_asked_for(name: str) -> None:
    """Large draws are made in pieces, small ones from tables: the stream of words is the same."""
    draw = getattr(uniform_words, name)
    whole = draw(Generator().manual_seed(3), 160000)
    g = Generator().manual_seed(3)
    pieces = [draw(g, n) for n in (16, 1600, 160, 80000, 1248, 32, 16 * 4809)]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_the_kept_normal_is_part_of_the_state() -> None:
    g = Generator().manual_seed(1)
    uniform_words.normal(g, 1)
    twin = g.clone_state()
    uniform_words.uniform(g, 5)
    uniform_words.uniform(twin, 5)
    assert uniform_words.normal(g, 1) == uniform_words.normal(twin, 1)
    g.manual_seed(1)
    twin.manual_seed(1)
    uniform_words.normal(twin, 1)
    twin.manual_seed(1)
    assert np.array_equal(uniform_words.normal(g, 3), uniform_words.normal(twin, 3))


def test_seeds() -> None:
    assert Generator().initial_seed() == DEFAULT_SEED
    assert Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    assert Generator().manual_seed(2**63).initial_seed() == 2**63
    a, b = nondeterministic(), nondeterministic()
    assert a.initial_seed() != b.initial_seed()
    g = Generator()
    assert g.seed() == g.initial_seed()
    for seed in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match="^Overflow when unpacking long long$"):
            g.manual_seed(seed)
    for value, name in ((1.5, "float"), ("a", "str"), (True, "bool"), (None, "NoneType")):
        with pytest.raises(RuntimeError, match=f"^manual_seed expected a long, but got {name}$"):
            g.manual_seed(value)  # type: ignore[arg-type]


def test_refused_states() -> None:
    g = Generator()
    with pytest.raises(TypeError, match="^RNG state must be a torch.ByteTensor$"):
        g.set_state(np.zeros(5, np.float32))
    with pytest.raises(TypeError, match="^expected a torch.ByteTensor, but got int$"):
        g.set_state(3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="size 5056 but found the input RNG state size to be 5$"):
        g.set_state(np.zeros(5, np.uint8))
    with pytest.raises(RuntimeError, match="^Invalid mt19937 state$"):
        g.set_state(np.zeros(STATE_BYTES, np.uint8))


def test_memory_order() -> None:
    """Permuted tensors are filled in the order of memory, slices in logical order."""
    a = np.zeros((2, 3, 4), np.float32).transpose(2, 0, 1)
    view = uniform_words.in_memory_order(a)
    assert view.flags.c_contiguous and np.shares_memory(view, a)
    b = np.zeros((4, 6), np.float32)[:, ::2]
    assert uniform_words.in_memory_order(b).strides == b.strides


def test_what_samplers_refuse() -> None:
    g = Generator()
    with pytest.raises(RuntimeError, match=r"bernoulli_ expects p to be in \[0, 1\], but got p=2"):
        uniform_words.bernoulli_mask(g, 3, 2.0)
    with pytest.raises(RuntimeError, match="cannot sample n_sample > prob_dist.size"):
        rejection.multinomial(g, np.ones(2, np.float32), 3)
    with pytest.raises(RuntimeError, match="sum of probabilities <= 0"):
        rejection.multinomial(g, np.zeros(2, np.float32), 1)


def test_dropout_noise_is_zero_or_the_inverse() -> None:
    noise = uniform_words.dropout_noise(Generator().manual_seed(0), (50, 50), np.dtype(np.float32), 0.3)
    assert set(np.unique(noise)) == {np.float32(0), np.float32(1) / np.float32(0.7)}
    assert 0.6 < np.count_nonzero(noise) / noise.size < 0.8
    assert not uniform_words.dropout_noise(Generator(), (4,), np.dtype(np.float32), 1.0).any()
