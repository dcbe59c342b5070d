"""``torch.distributed.algorithms.model_averaging``: models that are trained apart and averaged now and then."""
