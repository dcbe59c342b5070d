"""``torch.distributed.fsdp``: modules whose parameters lie in parts, and are whole while they are used."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_PLACES = {
    "policies": "CPUOffloadPolicy MixedPrecisionPolicy OffloadPolicy",
    "module": "FSDPModule UnshardHandle fully_shard register_fsdp_forward_method",
}
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
