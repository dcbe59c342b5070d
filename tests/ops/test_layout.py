"""How results lie in memory, where PyTorch's libraries leave them in another order than rows."""

from __future__ import annotations

import pytest

from tensorsh import torch

STRIDES = {
    "torch.inverse(a)": (1, 3),
    "torch.linalg.solve(a, a)": (1, 3),
    "torch.linalg.qr(a).Q": (1, 3),
    "torch.linalg.svd(a).U": (1, 3),
    "torch.linalg.eigh(a + a.T).eigenvectors": (1, 3),
    "torch.linalg.lu_factor(a).LU": (1, 3),
    "torch.linalg.cholesky(a @ a.T)": (1, 3),
    "torch.linalg.pinv(a)": (3, 1),
    "torch.fft.fft(x, dim=1)": (12, 1, 3),
    "torch.fft.fft2(x, dim=(0, -1))": (4, 8, 1),
    "torch.fft.rfft(x)": (9, 3, 1),
    "torch.fft.irfft(x + 0j, dim=1)": (16, 1, 4),
    "torch.fft.hfft2(x)": (18, 6, 1),
}


@pytest.mark.parametrize("expression", STRIDES)
def test_strides(expression: str) -> None:
    a = torch.tensor([[2.0, 1.0, 0.5], [0.0, 3.0, 1.0], [1.0, 0.0, 2.0]])
    x = torch.arange(24.0).reshape(2, 3, 4)
    assert eval(expression, {"torch": torch, "a": a, "x": x}).stride() == STRIDES[expression]


def test_joined_arrays_lie_in_row_order_unless_all_have_the_channels_last():
    x = torch.arange(120.0).reshape(2, 3, 4, 5)
    last = x.contiguous(memory_format=torch.channels_last)
    for dim in range(-4, 4):
        for parts, strides in (
            ([last, last], torch.cat([x, x], dim).contiguous(memory_format=torch.channels_last).stride()),
            ([last, x], None),
            ([x[:, :1].expand(2, 3, 4, 5)] * 2, None),
            ([x.transpose(2, 3)] * 3, None),
            ([x[..., ::2]] * 2, None),
        ):
            plain = torch.cat([part.contiguous() for part in parts], dim)
            found = torch.cat(parts, dim)
            assert torch.equal(found, plain) and found.stride() == (strides or plain.stride())
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.cat([last, last], 4)
