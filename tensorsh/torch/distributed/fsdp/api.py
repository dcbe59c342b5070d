"""The settings of `FullyShardedDataParallel`: how parameters are kept, in which dtypes they are used, what a state is."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from ....sandbox.sealed import all_housed
from ...nn.attention import SealedEnum
from ...nn.modules.batchnorm import _BatchNorm
from ..settings import record

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig", "LocalOptimStateDictConfig",
    "LocalStateDictConfig", "MixedPrecision", "OptimStateDictConfig", "ShardedOptimStateDictConfig", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
]  # fmt: skip


class ShardingStrategy(Enum, metaclass=SealedEnum):
    """What of a model each process keeps a part of alone.
    FULL_SHARD: parameters, gradients and states of optimizers; parameters are gathered for forward and for backward.
    SHARD_GRAD_OP: the same, but parameters stay whole between the two. NO_SHARD: nothing. HYBRID_SHARD: parts among some
    processes, copies among the others."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum, metaclass=SealedEnum):
    """When the next parameters are gathered in backward; accepted, for they are gathered when they are needed."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum, metaclass=SealedEnum):
    """What `state_dict()` gives: whole tensors, the flat part of this process, or tensors in parts."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@record()
class MixedPrecision:
    """The dtypes of a wrapped module.
    param_dtype: of parameters while they are used (None: their own). reduce_dtype: in which gradients are summed (None: that
    of the parameters in use). buffer_dtype: of buffers (None: their own). keep_low_precision_grads: accepted (False).
    cast_forward_inputs: cast inputs to param_dtype (False). cast_root_forward_inputs: those of the outermost (True).
    _module_classes_to_ignore: accepted."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Any = (_BatchNorm,)


@record()
class CPUOffload:
    """Where parts of parameters are kept; here they are in the processor's memory.
    offload_params: accepted (False)."""

    offload_params: bool = False


@record()
class StateDictConfig:
    """How states are given.
    offload_to_cpu: accepted, for they are on the processor (False)."""

    offload_to_cpu: bool = False


@record()
class FullStateDictConfig(StateDictConfig):
    """How whole states are given.
    offload_to_cpu: accepted, for they are on the processor (False). rank0_only: to the first process
    alone, others get none (False)."""

    rank0_only: bool = False


@record()
class LocalStateDictConfig(StateDictConfig):
    """How the parts of this process are given.
    offload_to_cpu: accepted, for they are on the processor (False)."""


@record()
class ShardedStateDictConfig(StateDictConfig):
    """How states in parts are given: as DTensors.
    offload_to_cpu: accepted, for they are on the processor (False). _use_dtensor: accepted (False)."""

    _use_dtensor: bool = False


@record()
class OptimStateDictConfig:
    """How states of optimizers are given.
    offload_to_cpu: accepted, for they are on the processor (True)."""

    offload_to_cpu: bool = True


@record()
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How whole states of optimizers are given.
    offload_to_cpu: accepted, for they are on the processor (True). rank0_only: to the first process
    alone (False)."""

    rank0_only: bool = False


@record()
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How the parts of this process are given.
    offload_to_cpu: accepted, for they are on the processor (False)."""

    offload_to_cpu: bool = False


@record()
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How states of optimizers in parts are given.
    offload_to_cpu: accepted, for they are on the processor (True). _use_dtensor: accepted (False)."""

    _use_dtensor: bool = False


@record()
class StateDictSettings:
    """What a model's state is.
    state_dict_type: its type. state_dict_config: how it is given. optim_state_dict_config: how its optimizer's is given."""

    state_dict_type: Any
    state_dict_config: Any
    optim_state_dict_config: Any


all_housed(globals())


CONFIGS = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}
