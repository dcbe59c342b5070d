"""``torch.optim``: optimizers, and the learning rate schedules of `lr_scheduler`."""

from __future__ import annotations

from ...sandbox.namespace import lazily

_PLACES = {
    "optimizer": "Optimizer", "sgd": "SGD", "adam": "Adam AdamW", "sparse_adam": "SparseAdam", "rmsprop": "RMSprop",
    "adagrad": "Adagrad", "adadelta": "Adadelta", "adamax": "Adamax", "nadam": "NAdam", "radam": "RAdam",
    "asgd": "ASGD", "lbfgs": "LBFGS", "rprop": "Rprop", "muon": "Muon", "adafactor": "Adafactor",
}  # fmt: skip

_found = lazily(__name__, _PLACES)
globals().update(_found)
__all__ = list(_found)
