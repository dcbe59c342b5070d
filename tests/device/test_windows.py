"""Convolution and pooling on the stand-in: the kernels of ``engine/cuda/windows.py`` give what the CPU gives."""

from __future__ import annotations

import pytest

from tensorsh import torch

from . import standin

F = torch.nn.functional
CASES = {
    "conv1d": ((2, 3, 9), (4, 3, 3), lambda x, w: F.conv1d(x, w, stride=2, padding=1, dilation=2)),
    "conv2d": ((2, 3, 7, 6), (4, 3, 3, 2), lambda x, w: F.conv2d(x, w, w.flatten()[:4], stride=(2, 1), padding=1)),
    "conv2d in groups": ((2, 4, 5, 5), (6, 2, 3, 3), lambda x, w: F.conv2d(x, w, groups=2, padding=2, dilation=2)),
    "conv2d of points": ((2, 3, 4, 4), (5, 3, 1, 1), F.conv2d),
    "conv3d": ((1, 2, 4, 5, 3), (3, 2, 2, 3, 2), lambda x, w: F.conv3d(x, w, stride=(1, 2, 1), padding=(1, 0, 1))),
    "conv_transpose2d": (
        (2, 4, 3, 4), (4, 2, 3, 3), lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=2),
    ),
    "max_pool2d": ((2, 3, 7, 6), (1,), lambda x, w: F.max_pool2d(x * w, 3, 2, 1)),
    "max_pool2d, dilated": ((1, 2, 9, 8), (1,), lambda x, w: F.max_pool2d(x * w, (2, 3), 1, 0, 2, ceil_mode=True)),
    "max_pool1d": ((2, 3, 9), (1,), lambda x, w: F.max_pool1d(x * w, 2)),
    "max_pool3d": ((1, 2, 4, 5, 6), (1,), lambda x, w: F.max_pool3d(x * w, 2, padding=1)),
    "avg_pool2d": ((2, 3, 7, 6), (1,), lambda x, w: F.avg_pool2d(x * w, 3, 2, 1, ceil_mode=True)),
    "avg_pool2d without padding": (
        (2, 3, 7, 6), (1,), lambda x, w: F.avg_pool2d(x * w, (3, 2), (2, 1), (1, 0), count_include_pad=False),
    ),
    "avg_pool3d": ((1, 2, 4, 4, 4), (1,), lambda x, w: F.avg_pool3d(x * w, 2, divisor_override=3)),
}  # fmt: skip


def outcome(case: str, device: str, dtype: torch.dtype) -> list:
    torch.manual_seed(0)
    shape, weights, function = CASES[case]
    x, w = (torch.randn(s, dtype=torch.float64).to(device, dtype).requires_grad_() for s in (shape, weights))
    y = function(x, w)
    (y * y.detach().cos()).sum().backward()
    return [t.detach().cpu().double() for t in (y, x.grad, w.grad)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("dtype", "error"), [(torch.float64, 1e-12), (torch.float32, 1e-4)])
def test_as_on_the_cpu(case: str, dtype: torch.dtype, error: float) -> None:
    expected = outcome(case, "cpu", dtype)
    with standin.installed():
        standin.launched.clear()
        found = outcome(case, "cuda", dtype)
        assert any(name.startswith("tensorsh_") for name in standin.launched)
    for a, e in zip(found, expected, strict=True):
        assert torch.allclose(a, e, rtol=error, atol=error)


def test_ties_and_nan_of_max_pool() -> None:
    def told(device: str) -> list:
        x = torch.tensor([[[[1.0, 1.0, float("nan"), 3.0], [1.0, 0.0, 2.0, float("nan")]]]], device=device)
        y, i = F.max_pool2d(x, 2, return_indices=True)
        return [str(y.tolist()), i.tolist()]

    with standin.installed():
        assert told("cuda") == told("cpu") == ["[[[[1.0, nan]]]]", [[[[0, 7]]]]]


def test_second_order() -> None:
    def second(device: str) -> list:
        x = torch.arange(16.0, dtype=torch.float64, device=device).view(1, 1, 4, 4).sin().requires_grad_()
        w = torch.arange(4.0, dtype=torch.float64, device=device).view(1, 1, 2, 2).cos().requires_grad_()
        y = F.max_pool2d(F.conv2d(x, w).tanh(), 2, 1)
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return [t.flatten().tolist() for t in torch.autograd.grad((g * g).sum(), (x, w))]

    expected = second("cpu")
    with standin.installed():
        for found, e in zip(second("cuda"), expected, strict=True):
            assert found == pytest.approx(e, rel=1e-9)


def test_products_of_convolutions_round_to_tf32_as_pytorchs_do() -> None:
    with standin.installed():
        x, w = torch.ones(1, 1, 3, 3, device="cuda"), torch.ones(1, 1, 2, 2, device="cuda")
        standin.told.clear()
        F.conv2d(x, w)
        assert standin.told == [("float32", "tf32"), ("float32", "default")]
        try:
            torch.backends.cudnn.allow_tf32 = False
            F.conv2d(x, w)
        finally:
            torch.backends.cudnn.allow_tf32 = True
        assert len(standin.told) == 2
