"""``torch._functorch.vmap``: `vmap` itself, and names of its levels, which are not there: functions are mapped by rules."""

from __future__ import annotations

from ...engine.tensors.tensor import Tensor  # noqa: F401 - a name of this module
from .._C._functorch import _add_batch_dim, _remove_batch_dim, _vmap_decrement_nesting, _vmap_increment_nesting  # noqa: F401
from ..mapping.vmap import called as _get_name  # noqa: F401
from ..root import torch
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten  # noqa: F401

vmap = torch.func.vmap
_maybe_remove_batch_dim = _remove_batch_dim
