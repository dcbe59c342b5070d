"""Normalisations of half inputs with parameters in float32: the gradients are those of float32, rounded at the end."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tensorsh import torch

nn = torch.nn
LAYERS = [lambda: nn.GroupNorm(2, 8), lambda: nn.BatchNorm2d(8), lambda: nn.InstanceNorm2d(8, affine=True)]


@pytest.mark.parametrize("make", LAYERS, ids=["group", "batch", "instance"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_mixed_precision(make: Any, dtype: Any) -> None:
    torch.manual_seed(0)
    x, g = (torch.randn(4, 8, 10, 10).to(dtype) for _ in range(2))
    layer = make()
    nn.init.uniform_(layer.weight)
    exact = deepcopy(layer)
    half, single = x.clone().requires_grad_(), x.float().requires_grad_()
    layer(half).backward(g)
    exact(single).backward(g.float())
    for found, wanted in ((layer.weight.grad, exact.weight.grad), (layer.bias.grad, exact.bias.grad)):
        assert found.dtype is torch.float32
        assert (found - wanted).abs().max() <= 1e-6 * wanted.abs().max()
    assert half.grad.dtype is dtype
    assert torch.equal(half.grad, single.grad.to(dtype))
