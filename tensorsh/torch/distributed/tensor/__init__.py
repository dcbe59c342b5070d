"""``torch.distributed.tensor``: tensors in parts that lie in several processes."""

from __future__ import annotations

from ....sandbox.namespace import lazily
from ..device_mesh import DeviceMesh, init_device_mesh

_PLACES = {
    "placement_types": "Partial Placement Replicate Shard",
    "dtensor": "DTensor distribute_module distribute_tensor",
    "making": "empty full ones rand randn zeros",
}
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = [*_found, "DeviceMesh", "init_device_mesh"]
