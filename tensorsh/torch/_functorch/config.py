"""``torch._functorch.config``: settings of PyTorch's compiler, which may be set and do nothing."""

from __future__ import annotations

from .._dynamo.config import patch as patch

fake_tensor_propagate_real_tensors = fake_tensor_crossref = view_replay_for_aliased_outputs = False
