"""Long lines resized: no matrix of all inputs by all outputs is made; sums and gradients are those of the taps."""

import numpy as np
import pytest

from tensorsh import torch

F = torch.nn.functional


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_line_is_resized_as_numpy_interpolates(dtype):
    line = np.sin(np.arange(3000) / 7)
    x = torch.tensor(line, dtype=dtype, requires_grad=True)
    y = F.interpolate(x[None, None], size=7001, mode="linear", align_corners=True)
    expected = np.interp(np.linspace(0, 2999, 7001), np.arange(3000), line)
    np.testing.assert_allclose(y.detach().numpy()[0, 0], expected, atol=2e-3 if dtype is torch.float32 else 1e-12)

    # the gradient of <g, Wx> is W'g, and <W'g, z> = <g, Wz> for each z
    g, z = (torch.tensor(np.cos(np.arange(n) ** 1.5), dtype=dtype) for n in (7001, 3000))
    (y[0, 0] * g).sum().backward()
    moved = F.interpolate(z[None, None], size=7001, mode="linear", align_corners=True)[0, 0]
    assert float((x.grad * z).sum()) == pytest.approx(float((g * moved).sum()), rel=2e-3)


def test_sides_of_an_image_are_resized_one_by_one():
    image = torch.linspace(0, 1, 300).double().reshape(1, 1, 300, 1).expand(1, 1, 300, 200).clone().requires_grad_()
    y = F.interpolate(image, size=(900, 400), mode="bilinear")
    y.sum().backward()
    assert float(image.grad.sum()) == pytest.approx(900 * 400)  # the weights of an output come to one
    y = y.detach()
    assert float(y[0, 0, 450, 100]) == pytest.approx(float(y[0, 0, 450, 300]))


def test_long_line_needs_little_memory():
    import tracemalloc

    x = torch.ones(1, 1, 20000, requires_grad=True)
    tracemalloc.start()
    F.interpolate(x, scale_factor=2.0, mode="linear").sum().backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # a matrix of all by all has 3.2e9 bytes
    assert x.grad[0, 0, 1:-1].sub(2).abs().max() < 1e-3
