"""The meta device: tensors that have a shape, a dtype and strides, and no elements.

An operator runs on it as on any other module of arrays: its formula calls the functions of `module` and the methods of
`MetaArray`, which tell shapes. So every operator has the shapes, dtypes and strides there that it has on the CPU, its
gradients too. Nothing here is imported before a program names the device."""

from __future__ import annotations

from .array import MetaArray, no_data
from .module import module
from .placing import check_mixing, kernel_of, placed
from .refusals import check, refusal
from .sampling import generator

__all__ = ["check", "check_mixing", "generator", "kernel_of", "module", "MetaArray", "no_data", "placed", "refusal"]
"""What the rooms below ask for, of `nowhere()`."""
