"""Compiled functions of rows: layer norm, attention, running sums, steps of recurrent layers, against numpy in double."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels
from tensorsh.engine.numerics import cumulative
from tensorsh.engine.ops.nn import attention, normalization, recurrent

from .thread_counts import threads

pytestmark = pytest.mark.skipif(kernels.compiled is None, reason="no compiled kernels")
F = torch.nn.functional


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def close(a, b, tolerance=2e-5):
    assert np.allclose(
        a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(np.nan_to_num(b)).max(initial=0)), equal_nan=True
    )


def both(monkeypatch, compute, *modules):
    """What a program gives with the kernels, and without."""
    fast = compute()
    for module in modules:
        monkeypatch.setattr(module.kernels, "suits", lambda *arrays: False)
    return zip(fast, compute(), strict=True)


def gradients(f, *arrays, needed=None):
    tensors = [torch.tensor(a).requires_grad_() for a in arrays]
    out = f(*tensors)
    out.backward(torch.tensor(random(*out.shape, seed=9)))
    return [out.detach().numpy(), *[t.grad.numpy() for t in tensors]]


def test_layer_norm_has_pytorchs_bits():
    # Recorded from PyTorch 2.13 with one thread: the sums of bits of results and gradients.
    x = (np.arange(3 * 300, dtype=np.float32).reshape(3, 300) * 7919 % 1013) / 64
    w, b = (np.arange(300, dtype=np.float32) % 17) / 16, (np.arange(300, dtype=np.float32) % 5) / 4
    t = [torch.tensor(a).requires_grad_() for a in (x, w, b)]
    y = F.layer_norm(t[0], (300,), t[1], t[2])
    y.backward(torch.tensor(x[::-1].copy()))
    sums = [
        int(a.view(np.int32).astype(np.int64).sum()) for a in (y.detach().numpy(), *[each.grad.numpy() for each in t])
    ]
    assert sums == LAYER_NORM


LAYER_NORM = [518842138668, -105275935196, -26122490940, 330809331712]


@pytest.mark.parametrize("rows, n", [(1, 1), (5, 3), (4, 8), (7, 100), (9, 257), (2, 4500)])
def test_layer_norm(monkeypatch, rows, n):
    x, w, b = random(rows, n) * 3 + 1, random(n), random(n, seed=1)
    for given in ((x,), (x, w, b)):
        compute = lambda given=given: gradients(lambda x, *rest: F.layer_norm(x, (n,), *rest), *given)
        for fast, slow in both(monkeypatch, compute, normalization):
            close(fast, slow, 1e-4)
        monkeypatch.undo()


def test_layer_norm_by_threads():
    compute = lambda: gradients(
        lambda x, w, b: F.layer_norm(x, (330,), w, b), random(700, 330), random(330), random(330)
    )
    alone = compute()
    with threads(3):
        assert [a.tobytes() for a in compute()] == [a.tobytes() for a in alone]


def test_layer_norm_of_special_numbers():
    x = torch.tensor([[1.0, float("inf"), 0.0], [float("nan"), 1.0, 2.0], [5.0, 5.0, 5.0], [1.0, 2.0, 3.0]])
    y = F.layer_norm(x, (3,)).numpy()
    assert np.isnan(y[:2]).all() and (y[2] == 0).all() and np.isfinite(y[3]).all()


@pytest.mark.parametrize("rows, columns, masked", [(3, 1, False), (5, 70, False), (130, 129, True), (4, 4, True)])
def test_attention(monkeypatch, rows, columns, masked):
    q, k, v = random(2, 3, rows, 8), random(2, 3, columns, 8, seed=1), random(2, 3, columns, 8, seed=2)
    mask = None
    if masked:
        mask = torch.tensor(np.random.default_rng(3).random((rows, columns)) < 0.7)
        mask[1] = False
    compute = lambda: gradients(lambda *t: F.scaled_dot_product_attention(*t, attn_mask=mask), 9 * q, k, v)
    for fast, slow in both(monkeypatch, compute, attention):
        close(fast, slow)


@pytest.mark.parametrize("layer", ["LSTM", "GRU"])
def test_recurrent_layers(monkeypatch, layer):
    torch.manual_seed(0)
    made = getattr(torch.nn, layer)(3, 19, num_layers=2, bidirectional=True)
    x = torch.tensor(20 * random(6, 5, 3)).requires_grad_()

    def compute():
        made.zero_grad()
        x.grad = None
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([6, 4, 4, 2, 1]))
        (made(x)[0].sum() + made(packed)[0].data.pow(2).sum()).backward()
        return [x.grad.numpy(), *[p.grad.numpy() for p in made.parameters()]]

    for fast, slow in both(monkeypatch, compute, recurrent):
        close(fast, slow, 1e-4)


def test_products_and_extremes_in_steps() -> None:
    """Each product one number after the other, also where rows are cut; and counts, and the extremes of all."""
    whole = np.random.default_rng(0).uniform(0.9, 1.1, (70, 90, 2)).astype("f4")
    whole[3, 4] = np.nan
    steps, cut = torch.tensor(whole)[..., 0], torch.tensor(whole[..., 0].copy())[:, 5:77]
    for dim in (0, 1):
        expected = np.multiply.accumulate(whole[..., 0], dim).take(-1, dim)
        assert np.array_equal(steps.prod(dim).numpy(), expected, equal_nan=True)
        assert torch.equal(cut.prod(dim).nan_to_num(), cut.contiguous().prod(dim).nan_to_num())
    assert [x.isnan().item() for x in steps.aminmax()] == [True, True]
    for x in (steps.nan_to_num(1), steps.t().nan_to_num(1)):
        assert [n.item() for n in x.aminmax()] == [x.min().item(), x.max().item()]
        assert torch.equal(x.histc(7), x.contiguous().histc(7)) and x.histc(7).sum() == x.numel()
        inside = (x >= 0.95) & (x <= 1)
        assert x.histc(3, 0.95, 1).sum() == inside.sum()


@pytest.mark.parametrize("shape", [(1,), (7,), (5, 33), (2, 3, 9), (4, 600), (3, 5, 300), (0, 4), (3, 0)])
def test_running_sums_and_products(shape):
    x = random(*shape)
    assert (cumulative.cumsum(x, -1) == np.cumsum(x, -1, dtype=np.float64).astype(np.float32)).all()
    assert (cumulative.cumprod(x, -1) == np.cumprod(x, -1, dtype=np.float64).astype(np.float32)).all()
    for axis in range(-x.ndim, x.ndim):
        wide = x.astype(np.float64)
        assert (cumulative.cumsum(x, axis) == np.cumsum(wide, axis).astype(np.float32)).all()
        assert (cumulative.cumprod(x, axis) == np.cumprod(wide, axis).astype(np.float32)).all()
        for name, function in (("running_sums", np.cumsum), ("running_products", np.cumprod)):
            found = kernels.kernel(name, kernels.unsuited)(x, axis, True)
            if found is not None:
                assert (found == np.flip(function(np.flip(wide, axis), axis), axis).astype(np.float32)).all()
    assert (cumulative.cumsum(x.T, -1) == np.cumsum(x.T, -1, dtype=np.float64).astype(np.float32)).all()


@pytest.mark.parametrize("shape", [(1,), (9,), (5, 33), (3, 4, 30), (40, 1), (70, 300)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_running_extremes_and_products(shape, dtype, monkeypatch):
    x = np.round(random(*shape) * 3).astype(dtype)  # with equal elements
    if dtype != "int64":
        x[random(*shape, seed=1) > 2] = np.nan
    t = torch.from_numpy(x)
    for axis in range(-x.ndim, x.ndim):
        for name, ufunc in (("maxima", np.maximum), ("minima", np.minimum)):
            found = kernels.kernel("running_" + name)
            values, places = getattr(t, "cum" + name[:3])(axis) if found is None else found(x, axis)
            values, places = np.asarray(values), np.asarray(places)
            assert np.array_equal(values, ufunc.accumulate(x, axis), equal_nan=dtype != "int64")
            chosen = np.take_along_axis(x, places, axis)
            assert np.array_equal(chosen, values, equal_nan=dtype != "int64") and places.dtype == np.int64
            last = np.maximum.accumulate(np.where((x == values) | (x != x), counted(x, axis), 0), axis)
            assert np.array_equal(places, last)
    y = (1 + random(*shape) / 9).astype(dtype if dtype != "int64" else "float32")
    axes = [None, *range(y.ndim)]
    fast = [cumulative.prod(y, axis, True) for axis in axes]
    monkeypatch.setattr(cumulative, "product_along", kernels.unsuited)
    for axis, found in zip(axes, fast, strict=True):
        wanted = cumulative.prod(y, axis, True)
        assert found.shape == wanted.shape and found.tobytes() == wanted.tobytes()


def counted(x, axis):
    return np.indices(x.shape)[axis]


def test_running_sums_of_special_numbers():
    x = torch.tensor([-0.0, -0.0, 1e38, 1e38, float("inf"), -float("inf"), 1.0])
    assert str(x[:2].cumsum(0)) == "tensor([0., 0.])"
    assert np.isnan(x.cumsum(0).numpy()[-2:]).all() and np.isinf(x.cumsum(0)[4].item())


def test_what_does_not_suit_is_left_to_the_formula():
    c = kernels.compiled
    s, v = random(4, 6), random(4, 1)
    gates, states = random(2, 12), random(2, 3)
    assert c.attention_weights(s.T, v, True, 0) is None and c.attention_weights(s, v[:2].copy(), True, 0) is None
    assert (
        c.attention_weights(s, v, True, -1) is None and c.attention_scores_backward(s, s.copy(), v, v, True, 99) is None
    )
    assert c.attention_scores_backward(s, s[:2].copy(), v, v, True, 0) is None
    assert c.layer_norm(s, v, None, 1e-5, s.copy(), v, v) is None
    assert c.layer_norm(s, None, None, 1e-5, s.copy(), v, None) is None
    assert c.layer_norm_backward(s, s, None, v, v, s.T, None, None) is None
    assert c.layer_norm_backward(s[0], s, None, v, v, None, None, None) is None
    assert (
        c.running_sums(s.T) is None and c.running_sums(s.astype(np.float16)) is None and c.running_products(1) is None
    )
    assert c.lstm_step(gates, gates, states, states, states, states[:1]) is None
    assert c.lstm_step(random(2, 11), random(2, 11), *[random(2, 2)] * 4) is None
    assert c.lstm_step_backward(gates, states, states, None, states, states, gates[:, :11]) is None
    assert c.gru_step(gates, gates, states, states, states) is None
    for name in ("attention_weights", "layer_norm", "layer_norm_backward", "running_sums", "lstm_step", "gru_step"):
        assert getattr(c, name)() is None


@pytest.mark.parametrize("shape, axis", [((7,), 0), ((9, 300), 1), ((5, 33, 4), 1), ((300, 700), 0)])
def test_running_sums_and_products_of_doubles_and_longs_are_in_order(shape, axis):
    rng = np.random.default_rng(0)
    for x in (rng.standard_normal(shape), rng.integers(-(2**62), 2**62, shape)):
        for name, ufunc in (("running_sums", np.add), ("running_products", np.multiply)):
            function = getattr(kernels.compiled, name)
            with np.errstate(over="ignore"):
                assert np.array_equal(function(x, axis), ufunc.accumulate(x, axis))
                backwards = np.flip(ufunc.accumulate(np.flip(x, axis), axis), axis)
            assert np.array_equal(function(x, axis, True), backwards)
    assert str(kernels.compiled.running_sums(np.array([-0.0]))) == "[0.]"


NORMS_OF_DOUBLES = [
    1245365580355079433,
    2278646068821212295,
    996768282029532371,
    987946733293947620,
    2228301632850859551,
]


def test_norms_of_doubles_have_pytorchs_bits():
    # Recorded from PyTorch 2.13 with one thread: the sums of the results' bits.
    x = torch.tensor((np.arange(6 * 300, dtype=np.float64).reshape(6, 300) * 7919 % 1013) / 64)
    w = torch.tensor((np.arange(300, dtype=np.float64) % 17) / 16)
    b = torch.tensor((np.arange(300, dtype=np.float64) % 5) / 4)
    images = x.reshape(2, 6, 15, 10)
    found = [
        F.layer_norm(x, (300,), w, b),
        F.layer_norm(x, (300,)),
        F.group_norm(images, 3, w[:6], b[:6]),
        F.batch_norm(images, None, None, w[:6], b[:6], True),
        F.instance_norm(images),
    ]
    assert [sum(y.numpy().reshape(-1).view(np.int64).tolist()) % (1 << 61) for y in found] == NORMS_OF_DOUBLES


@pytest.mark.parametrize("shape", [(7, 5), (60, 101), (3, 2500), (2, 70, 9)], ids=str)
def test_softmax_of_doubles(shape):
    x, g = (np.random.default_rng(seed).standard_normal(shape) * 5 for seed in (1, 2))
    for axis in range(len(shape)):
        t = torch.tensor(x).requires_grad_()
        e = np.exp(x - x.max(axis, keepdims=True))
        p = e / e.sum(axis, keepdims=True)
        y, logs = t.softmax(axis), t.log_softmax(axis)
        close(y.detach().numpy(), p, 1e-14)
        close(logs.detach().numpy(), np.log(p), 1e-13)
        (found,) = torch.autograd.grad(y, t, torch.tensor(g))
        close(found.numpy(), p * (g - (g * p).sum(axis, keepdims=True)), 1e-14)
        (found,) = torch.autograd.grad(logs, t, torch.tensor(g))
        close(found.numpy(), g - p * g.sum(axis, keepdims=True), 1e-13)
