"""``torch._functorch.config``: settings of PyTorch's compiler, which may be set and do nothing."""

from __future__ import annotations

from .._dynamo.config import patch as patch

functionalize_rng_ops = fake_tensor_allow_meta = debug_assert = False
fake_tensor_propagate_real_tensors = fake_tensor_crossref = view_replay_for_aliased_outputs = False
use_fake_tensor = cse = treat_parameters_as_free_to_save = True
activation_memory_budget = 1.0
