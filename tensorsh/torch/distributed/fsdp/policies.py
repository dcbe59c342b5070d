"""Policies of `fully_shard`: in which dtype parameters are used and gradients are summed."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import OpenSealed


class MixedPrecisionPolicy(metaclass=OpenSealed):
    """The dtypes of a sharded module.
    param_dtype: of parameters while they are used (None: their own). reduce_dtype: in which gradients are summed (None: that of
    the parameters in use). output_dtype: to which outputs are cast (None: they stay). cast_forward_inputs: cast inputs to
    param_dtype (True)."""

    __module__ = "torch.distributed.fsdp"

    def __init__(
        self,
        param_dtype: Any = None,
        reduce_dtype: Any = None,
        output_dtype: Any = None,
        cast_forward_inputs: bool = True,
    ) -> None:
        self.param_dtype, self.reduce_dtype, self.output_dtype = param_dtype, reduce_dtype, output_dtype
        self.cast_forward_inputs = cast_forward_inputs

    def __repr__(self) -> str:
        return (
            f"MixedPrecisionPolicy(param_dtype={self.param_dtype}, reduce_dtype={self.reduce_dtype}, "
            f"output_dtype={self.output_dtype}, cast_forward_inputs={self.cast_forward_inputs})"
        )


class OffloadPolicy(metaclass=OpenSealed):
    """Where parts of parameters are kept: where they are."""

    __module__ = "torch.distributed.fsdp"


class CPUOffloadPolicy(OffloadPolicy):
    """Parts of parameters are kept on the CPU, where they are here.
    pin_memory: accepted (True)."""

    __module__ = "torch.distributed.fsdp"

    def __init__(self, pin_memory: bool = True) -> None:
        self.pin_memory = pin_memory
