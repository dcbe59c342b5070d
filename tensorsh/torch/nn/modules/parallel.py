"""DataParallel, for programs that ask for it: one device does all the work."""

from __future__ import annotations

from typing import Any

from .module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """The module within, called with what it is called with: one device does all the work, on which parameters and
    inputs stay.
    PyTorch's divides a batch among several GPUs. Names in the state dict begin with "module.", as there.
    module: the module to call. device_ids, output_device, dim: accepted and kept, with no effect here (None, None and
    0).
    Inputs, keyword arguments and errors are those of the module.
    >>> nn.DataParallel(nn.Linear(2, 1))(torch.zeros(3, 2)).shape
    torch.Size([3, 1])"""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.dim = dim
        self.device_ids = list(device_ids or [])
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


DataParallel.__module__ = "torch.nn.parallel.data_parallel"
