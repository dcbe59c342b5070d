"""The modules of packages of torch.distributed have the names that the packages have from them, and others by themselves."""

import importlib

import torch.distributed as dist

for module, names in {
    "checkpoint.state_dict_loader": "load load_state_dict",
    "checkpoint.state_dict_saver": "save async_save",
    "fsdp.fully_sharded_data_parallel": "CPUOffload MixedPrecision FullStateDictConfig",
    "optim.zero_redundancy_optimizer": "ZeroRedundancyOptimizer",
    "tensor.parallel.api": "parallelize_module",
    "tensor.parallel.loss": "loss_parallel",
    "tensor.parallel.style": "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleOutput RowwiseParallel",
}.items():
    found = importlib.import_module("torch.distributed." + module)
    package = importlib.import_module("torch.distributed." + module.rpartition(".")[0])
    print(module, [getattr(found, name) is getattr(package, name) for name in names.split()])
print(importlib.import_module("torch.distributed.collective_utils").broadcast is dist.broadcast)
