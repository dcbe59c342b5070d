"""``torch.distributed.algorithms``: training with uneven inputs, hooks of the communication."""
