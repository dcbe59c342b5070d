"""``torch._functorch.vmap``: `vmap` itself, and names of its steps, which libraries take, and put their own in place of."""

from __future__ import annotations

from typing import Any

from ...engine.tensors.tensor import Tensor  # noqa: F401 - a name of this module
from .._C._functorch import _add_batch_dim, _remove_batch_dim, _vmap_decrement_nesting, _vmap_increment_nesting  # noqa: F401
from ..mapping.vmap import called as _get_name  # noqa: F401
from ..mapping.vmap import placed
from ..root import torch
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten  # noqa: F401

vmap = torch.func.vmap


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: Any, batch_size: int, out_dim: int | None
) -> Any:
    return placed(vmap_level, batched_output, out_dim, name)
