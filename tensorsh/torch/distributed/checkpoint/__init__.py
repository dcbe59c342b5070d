"""``torch.distributed.checkpoint``: state dicts of many processes in one folder, read again by any number of them."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_PLACES = {
    "saving": "async_save save save_state_dict", "loading": "load load_state_dict", "api": "CheckpointException",
    "filesystem": "FileSystemReader FileSystemWriter", "storage": "StorageReader StorageWriter",
    "default_planner": "DefaultLoadPlanner DefaultSavePlanner",
    "planner": "LoadPlan LoadPlanner ReadItem SavePlan SavePlanner WriteItem",
    "metadata": "BytesStorageMetadata ChunkStorageMetadata Metadata TensorStorageMetadata",
}  # fmt: skip
_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
