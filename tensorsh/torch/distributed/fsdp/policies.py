"""Policies of `fully_shard`: in which dtype parameters are used and gradients are summed."""

from __future__ import annotations

from typing import Any

from ....sandbox.sealed import all_housed
from ..settings import record


@record(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of a sharded module.
    param_dtype: of parameters while they are used (None: their own). reduce_dtype: in which gradients are summed (None: that of
    the parameters in use). output_dtype: to which outputs are cast (None: they stay). cast_forward_inputs: cast inputs to
    param_dtype (True)."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@record()
class OffloadPolicy:
    """Where parts of parameters are kept: where they are."""


@record()
class CPUOffloadPolicy(OffloadPolicy):
    """Parts of parameters are kept on the CPU, where they are here.
    pin_memory: accepted (True)."""

    pin_memory: bool = True


all_housed(globals(), "torch.distributed.fsdp")
