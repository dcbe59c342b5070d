"""``torch.distributed._tensor.placement_types``: the name that `torch.distributed.tensor.placement_types` had before."""

from ..tensor.placement_types import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
_Partial = Partial
