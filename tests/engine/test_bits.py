"""Results and gradients to the last bit, against digests recorded from PyTorch 2.13 with one thread."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.ops.nn import normalization

from ..recording import bits as cases
from ..support.tables import pairs
from .thread_counts import threads

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
RECORDED = pairs("bits")
F = torch.nn.functional


@pytest.mark.parametrize("expression", [case[0] for case in cases.CASES])
def test_bits_are_pytorchs(expression: str) -> None:
    for key, formula, shape, kind in cases.keys():
        if formula == expression:
            assert cases.digest(torch, formula, shape, kind) == RECORDED[key], key


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


NORMS = {
    "batch": lambda x, w, b: F.batch_norm(x, torch.zeros(6), torch.ones(6), w, b, True),
    "last": lambda x, w, b: F.batch_norm(x.contiguous(memory_format=torch.channels_last), None, None, w, b, True),
    "evaluation": lambda x, w, b: F.batch_norm(x, torch.zeros(6), torch.ones(6), w, b),
    "group": lambda x, w, b: F.group_norm(x, 2, w, b),
}


def gradients(f, *arrays: np.ndarray) -> list[np.ndarray]:
    tensors = [torch.tensor(a).requires_grad_() for a in arrays]
    out = f(*tensors)
    out.backward(torch.tensor(random(*out.shape, seed=9)))
    return [out.detach().numpy(), *[t.grad.numpy() for t in tensors]]


@pytest.mark.parametrize("name", NORMS)
def test_norms_are_those_of_the_formula(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = lambda: gradients(NORMS[name], random(5, 6, 7, 9) * 3 + 1, random(6), random(6, seed=1))
    fast = compute()
    monkeypatch.setattr(normalization.kernels, "suits", lambda *arrays: False)
    for a, b in zip(fast, compute(), strict=True):
        assert np.allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


@pytest.mark.parametrize("name", NORMS)
def test_norms_by_threads(name: str) -> None:
    compute = lambda: gradients(NORMS[name], random(5, 6, 7, 9), random(6), random(6, seed=1))
    alone = compute()
    with threads(3, least=1):
        assert [a.tobytes() for a in compute()] == [a.tobytes() for a in alone]


def test_what_does_not_suit_is_left_to_the_formula() -> None:
    c, x, v, s = kernels.compiled, random(2, 3, 4), random(3), random(2, 3, 1)
    rest = (0.1, None, None)
    assert c.batch_norm(x.astype(float), None, None, 1e-5, x, v, v, None, None, *rest) is None
    assert c.batch_norm(x, v[:2], None, 1e-5, x.copy(), v, v, None, None, *rest) is None
    assert c.batch_norm(x, None, None, 1e-5, x.copy(), None, None, None, None, *rest) is None
    assert c.batch_norm(x, None, None, 1e-5, x.copy(), v[:2], v, None, None, *rest) is None
    assert c.batch_norm(x.astype(np.float16), None, None, 1e-5, x.copy(), v, v, None, None, *rest) is None
    assert c.batch_norm_backward(x, x, v, v, None, True, None, None, None) is None
    assert c.group_norm(x, v[:2], None, 1e-5, x.copy(), v[:2].copy(), v[:2].copy(), 1) is None
    assert c.group_norm_backward(x, x, None, v, v, s, s, None, 1) is None
    assert c.group_norm_weights(s, s, v, v, None, None, 1) is None
    for name in ("batch_norm", "batch_norm_backward", "group_norm", "group_norm_backward", "group_norm_weights"):
        assert getattr(c, name)() is None
    empty = F.group_norm(torch.zeros(0, 4, 3), 2)
    assert empty.shape == (0, 4, 3)


@pytest.mark.parametrize(
    "expression", ["x * k", "x / k", "k / x", "x**k", "x.sum() / k.sum()", "x * k.double()", "torch.atan2(x, k)"]
)
def test_gradients_have_the_dtype_of_their_tensor(expression: str) -> None:
    x, k = torch.tensor([1.5, 2.5]).requires_grad_(), torch.tensor([3, 5])
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(g.dtype))
    eval(expression, {"x": y, "k": k, "torch": torch}).sum().backward()
    assert seen == [torch.float32] and x.grad.dtype is torch.float32
