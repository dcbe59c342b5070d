"""``torch.distributed.algorithms.ddp_comm_hooks``: ways in which buckets of gradients are reduced."""
