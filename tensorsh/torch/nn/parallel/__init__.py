"""``torch.nn.parallel``: the name that programs import DataParallel from."""

from ..modules.parallel import DataParallel

__all__ = ["DataParallel"]
