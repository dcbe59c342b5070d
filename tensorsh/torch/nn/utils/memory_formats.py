"""Weights of convolutions, laid out with their channels last."""

from __future__ import annotations

from typing import Any

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def laid_out(module: Module, kinds: tuple, memory_format: Any) -> Module:
    if isinstance(module, kinds):
        module.weight.data = module.weight.detach().clone(memory_format=memory_format)
    for each in module.children():
        laid_out(each, kinds, memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """The module itself, the weights of its convolutions over images laid out anew.

    memory_format: `torch.channels_last` or `torch.contiguous_format`."""
    return laid_out(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """The module itself, the weights of its convolutions over volumes laid out anew.

    memory_format: `torch.channels_last_3d` or `torch.contiguous_format`."""
    return laid_out(module, (Conv3d, ConvTranspose3d), memory_format)
