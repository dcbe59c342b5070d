"""Attention in tiles on the stand-in: what the kernels of ``engine/cuda/flash.py`` give, against the CPU in double precision."""

from __future__ import annotations

import math

import pytest

from tensorsh import torch

from . import standin

F = torch.nn.functional
SHAPES = {
    "one row": ((1, 2, 1, 70, 8), {}),
    "rests of tiles": ((1, 1, 65, 70, 40), {}),
    "more rows than keys": ((2, 1, 66, 5, 64), {"is_causal": True}),
    "causal": ((1, 1, 65, 129, 16), {"is_causal": True}),
    "wide rows": ((1, 1, 33, 40, 100), {"is_causal": True, "scale": 0.2}),
    "as wide as tiles": ((1, 2, 17, 50, 128), {"is_causal": True}),
    "too wide for tiles": ((1, 1, 3, 4, 132), {"is_causal": True}),
}


def made(shape: tuple, device: str, kind: torch.dtype) -> list:
    """The query, the key and the value, as heads of one tensor of each."""
    batch, heads, rows, columns, width = shape
    torch.manual_seed(1)
    found = [torch.randn(batch, n, heads, width).to(torch.bfloat16) for n in (rows, columns, columns)]
    return [x.to(device, kind).transpose(1, 2) for x in found]


@pytest.mark.parametrize("case", SHAPES)
@pytest.mark.parametrize(("kind", "error"), [("float32", 2e-6), ("float16", 2e-3), ("bfloat16", 1e-2)])
def test_as_on_the_cpu(case: str, kind: str, error: float) -> None:
    shape, options = SHAPES[case]
    expected = F.scaled_dot_product_attention(*made(shape, "cpu", torch.float64), **options)
    with standin.installed():
        given = made(shape, "cuda", getattr(torch, kind))
        standin.launched.clear()
        found = F.scaled_dot_product_attention(*given, **options)
        if shape[4] <= 128:
            assert len(standin.launched) == 1, standin.launched
            assert found.transpose(1, 2).is_contiguous()  # as PyTorch's kernels leave it
        assert torch.allclose(found.double().cpu(), expected, rtol=error, atol=error)


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_masks(kind: str) -> None:
    shape = (2, 2, 5, 67, 8)
    torch.manual_seed(2)
    mask = torch.randn(2, 1, 5, 67).double()
    mask[0, 0, 2] = -math.inf
    mask = mask > 0 if kind == "bool" else mask
    expected = F.scaled_dot_product_attention(*made(shape, "cpu", torch.float64), mask)
    with standin.installed():
        there = mask.cuda() if kind == "bool" else mask.float().cuda()
        found = F.scaled_dot_product_attention(*made(shape, "cuda", torch.float32), there)
        assert torch.allclose(found.double().cpu(), expected, rtol=1e-5, atol=1e-5)
        assert not found[0, :, 2].any().item()
