"""``torch.distributed.fsdp``: modules whose parameters lie in parts, and are whole while they are used."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_PLACES = {
    "policies": "CPUOffloadPolicy MixedPrecisionPolicy OffloadPolicy",
    "module": "FSDPModule UnshardHandle fully_shard register_fsdp_forward_method",
    "fully_sharded_data_parallel": "FullyShardedDataParallel",
    "api": "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig LocalStateDictConfig "
    "MixedPrecision OptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictConfig "
    "StateDictSettings StateDictType",
}
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
