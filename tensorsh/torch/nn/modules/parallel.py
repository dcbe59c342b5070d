"""DataParallel, for programs that ask for it: one device does all the work."""

from __future__ import annotations

from typing import Any

from .module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module that passes everything to the module within."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.dim = dim
        self.device_ids = list(device_ids or [])
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


DataParallel.__module__ = "torch.nn.parallel.data_parallel"
