"""The namespace scripts see as ``torch``: ``import tensorsh.torch`` gives the table itself, not a module."""

import sys

from .root import torch

torch.__dict__["__path__"] = __path__
torch.__dict__["__spec__"] = __spec__
sys.modules[__name__] = torch  # type: ignore[assignment]
