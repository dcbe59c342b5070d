"""Policies of `fully_shard`: in which dtype parameters are used and gradients are summed."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import all_housed
from ..settings import Settings


class MixedPrecisionPolicy(Settings):
    """The dtypes of a sharded module.
    param_dtype: of parameters while they are used (None: their own). reduce_dtype: in which gradients are summed (None: that of
    the parameters in use). output_dtype: to which outputs are cast (None: they stay). cast_forward_inputs: cast inputs to
    param_dtype (True)."""

    def __init__(
        self, param_dtype: Any = None, reduce_dtype: Any = None, output_dtype: Any = None,
        cast_forward_inputs: bool = True,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))


class OffloadPolicy(Settings):
    """Where parts of parameters are kept: where they are."""


class CPUOffloadPolicy(OffloadPolicy):
    """Parts of parameters are kept on the CPU, where they are here.
    pin_memory: accepted (True)."""

    def __init__(self, pin_memory: bool = True) -> None:
        self._keep(locals())


all_housed(globals(), "torch.distributed.fsdp")
