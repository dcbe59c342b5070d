"""Convolutions of small images with many channels, which are one product of matrices, beside the sum that defines them."""

from __future__ import annotations

import numpy as np
import pytest

import tensorsh.torch as torch


def defined(x: np.ndarray, w: np.ndarray, stride: int, padding: int, dilation: int, groups: int) -> np.ndarray:
    """The convolution, one place after the other."""
    n, c, h, width = x.shape
    o, each, k, _ = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    out = [(m + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for m in (h, width)]
    y = np.zeros((n, o, *out))
    for i, j in np.ndindex(*out):
        reach = dilation * (k - 1) + 1
        part = x[:, :, i * stride : i * stride + reach : dilation, j * stride : j * stride + reach : dilation]
        part = part.reshape(n, groups, each, k, k)
        y[:, :, i, j] = np.einsum("ngckl,gockl->ngo", part, w.reshape(groups, o // groups, each, k, k)).reshape(n, o)
    return y


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("shape", "weight", "stride", "padding", "dilation", "groups"),
    [
        ((4, 64, 1, 1), (32, 64, 3, 3), 1, 1, 1, 1),
        ((2, 64, 4, 3), (64, 32, 3, 3), 2, 1, 1, 2),
        ((1, 128, 5, 5), (64, 128, 3, 3), 1, 2, 2, 1),
        ((1, 32, 2, 2), (64, 32, 3, 3), 1, 9, 1, 1),  # many places for a small image
        ((0, 64, 3, 3), (64, 64, 3, 3), 1, 1, 1, 1),
    ],
)
def test_few_places_are_convolved(shape, weight, stride, padding, dilation, groups, dtype) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(shape, dtype=dtype), torch.randn(weight, dtype=dtype)
    bias = torch.randn(weight[0], dtype=dtype)
    found = torch.nn.functional.conv2d(x, w, bias, stride, padding, dilation, groups)
    wanted = defined(*(a.numpy().astype(np.float64) for a in (x, w)), stride, padding, dilation, groups)
    np.testing.assert_allclose(found.numpy(), wanted + bias.numpy()[:, None, None], rtol=1e-4, atol=1e-3)
    assert found.is_contiguous()
