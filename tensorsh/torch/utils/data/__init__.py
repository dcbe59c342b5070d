"""``torch.utils.data``: datasets, samplers and the loader of batches."""

from __future__ import annotations

from ....sandbox.namespace import lazily

_PLACES = {
    "dataset": "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split",
    "sampler": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler",
    "dataloader": "DataLoader get_worker_info",
    "collate": "default_collate default_convert",
    "distributed": "DistributedSampler",
}

_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
