"""The sums of optimizer steps are rounded once, with and without a BLAS that does so."""

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.kernels import kernel
from tensorsh.torch.optim import formula
from tensorsh.torch.optim.sgd import sgd


@pytest.mark.parametrize("with_kernels", [True, False])
@pytest.mark.parametrize("size", [7, 5000, 100_003])
def test_sums_are_rounded_once(monkeypatch, with_kernels, size) -> None:
    if not with_kernels:
        monkeypatch.setattr(formula.Step, "taken", lambda *_: None)
        monkeypatch.setattr(formula, "fused", None)
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, size)).astype(np.float32)
    expected = (x.astype(np.float64) * float(np.float32(-0.0123)) + y).astype(np.float32)
    sgd(decays=False, maximize=False).take([y, x], 0.0, -0.0123)
    assert np.array_equal(y, expected)


@pytest.mark.skipif(kernel("Chain") is None, reason="numpy rounds twice")
def test_sums_of_doubles_are_rounded_once() -> None:
    """Numbers from PyTorch 2.13."""
    p = torch.tensor([0.1, -2.3, 1e-3], dtype=torch.float64, requires_grad=True)
    p.grad = torch.tensor([0.7, 0.3, -1.1], dtype=torch.float64)
    torch.optim.SGD([p], lr=0.3).step()
    assert p.tolist() == [-0.10999999999999997, -2.3899999999999997, 0.331]


@pytest.mark.skipif(kernel("Chain") is None, reason="without compiled kernels there are no chains")
def test_what_is_written_over_is_not_read_again() -> None:
    @formula.in_one_pass
    def wrong(x, g, *, late):
        return (x + g if late else x), (g + x + 1.0 if late else g)

    with pytest.raises(ValueError):
        wrong(late=True)


def test_rprop_takes_no_step_for_nan() -> None:
    """The sign of NaN is 0, as PyTorch's: numbers from PyTorch 2.13."""
    p = torch.nn.Parameter(torch.tensor([0.1, 2.2, -1.8]))
    optimizer = torch.optim.Rprop([p], lr=0.02)
    for gradient in ([1.0, -1.0, 0.0], [-1.0, -1.0, torch.nan], [torch.nan] * 3, [1.0, 1.0, 1.0]):
        p.grad = torch.tensor(gradient)
        optimizer.step()
    expected = [0.07000000029802322, 2.2200000286102295, -1.8199999332427979]
    assert p.tolist() == expected


@pytest.mark.parametrize("kind", ["Adafactor", "Adam", "NAdam", "RMSprop"])
def test_a_state_counts_steps_by_a_number(kind: str) -> None:
    """States of older versions do; the next step is that of a state that counts by a tensor."""
    after = []
    for number in (False, True):
        p = torch.nn.Parameter(torch.tensor([[1.0, -2.0]]))
        optimizer = getattr(torch.optim, kind)([p], lr=0.1)
        p.grad = torch.tensor([[0.5, 3.0]])
        optimizer.step()
        state = optimizer.state_dict()
        if number:
            state["state"][0]["step"] = 1.0
        optimizer.load_state_dict(state)
        optimizer.step()
        after.append(p.tolist())
    assert after[0] == after[1]
