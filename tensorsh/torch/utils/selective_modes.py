"""The two modes of a selective checkpoint, which hear the operators of its first run and of its second (selective.py)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from . import _pytree
from ._python_dispatch import TorchDispatchMode
from .selective import KEPT, CheckpointPolicy, Kept, SelectiveCheckpointContext

SILENT = frozenset(("aten.detach.default", "prim.device.default"))
"""What the engine does by itself."""
AGAIN, GIVEN = object(), object()
"""Stand for a result that is computed again, and for one that the second run was given."""
MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that changed "
    "between forward and backward."
)


class Keeping(TorchDispatchMode):
    """Asks the policy in the first run, and keeps results, by their operator and its how-manieth call."""

    def __init__(self, policy: Callable, kept: dict[Any, dict]) -> None:
        super().__init__()
        self.policy, self.kept = policy, kept
        self.counts: dict[Any, int] = defaultdict(int)

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        found = func(*args, **kwargs)
        if str(func) in SILENT:
            return found
        number = self.counts[func]
        self.counts[func] += 1
        said = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=found), func, *args, **kwargs)
        if isinstance(said, bool):
            said = CheckpointPolicy.MUST_SAVE if said else CheckpointPolicy.PREFER_RECOMPUTE
        self.kept[func][number] = _pytree.tree_map(Kept, found) if said in KEPT else AGAIN
        return found


class Reusing(TorchDispatchMode):
    """Gives kept results in the second run."""

    def __init__(self, policy: Callable, kept: dict[Any, dict], mutable: bool) -> None:
        super().__init__()
        self.kept, self.mutable = kept, mutable
        self.counts: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.counts.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if str(func) in SILENT:
            return func(*args, **kwargs)
        number = self.counts[func]
        self.counts[func] += 1
        known = self.kept.get(func)
        if known is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {MISMATCH}")
        entry = known.get(number)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {number} encountered during backward but not found in storage. {MISMATCH}"
            )
        if entry is GIVEN:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        if entry is AGAIN:
            return func(*args, **kwargs)
        known[number] = GIVEN
        return _pytree.tree_map(lambda x: x(self.mutable), entry)
