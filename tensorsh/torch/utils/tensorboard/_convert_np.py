"""``torch.utils.tensorboard._convert_np``: what is to be shown as an array."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["make_np"]


def make_np(x: Any) -> np.ndarray:
    """A tensor, a number or a list as an array."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if hasattr(x, "detach"):
        x = x.half() if str(x.dtype) == "torch.bfloat16" else x
        return np.random.randn(1) if x.is_meta else x.detach().cpu().resolve_conj().numpy()
    if isinstance(x, (list, tuple)):
        return np.array(x)
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")
