"""The two modes of a selective checkpoint, which hear the operators of its first run and of its second (selective.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _pytree
from ._python_dispatch import TorchDispatchMode
from .selective import KEPT, CheckpointPolicy, Kept, SelectiveCheckpointContext

SILENT = frozenset(("aten.detach.default", "prim.device.default"))
"""What the engine does by itself."""


class Selecting(TorchDispatchMode):
    """A mode that asks a policy."""

    def __init__(self, policy: Callable, kept: dict[Any, list]) -> None:
        super().__init__()
        self.policy, self.kept = policy, kept

    def wanted(self, again: bool, operator: Any, args: tuple, kwargs: dict) -> bool:
        """Whether an operator's result is one of those that are kept."""
        said = self.policy(SelectiveCheckpointContext(is_recompute=again), operator, *args, **kwargs)
        if isinstance(said, bool):
            said = CheckpointPolicy.MUST_SAVE if said else CheckpointPolicy.PREFER_RECOMPUTE
        return said in KEPT


class Keeping(Selecting):
    """Keeps results of the first run."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if str(func) in SILENT:
            return func(*args, **kwargs)
        wanted = self.wanted(False, func, args, kwargs)
        found = func(*args, **kwargs)
        if wanted:
            self.kept[func].append(_pytree.tree_map(lambda x: Kept(x, True), found))
        return found


class Reusing(Selecting):
    """Gives kept results in the second run."""

    def __init__(self, policy: Callable, kept: dict[Any, list], mutable: bool) -> None:
        super().__init__(policy, kept)
        self.mutable = mutable

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if str(func) in SILENT or not self.wanted(True, func, args, kwargs):
            return func(*args, **kwargs)
        kept = self.kept.get(func)
        if kept is None:
            raise RuntimeError(f"{func} encountered during backward, but not found in storage")
        if not kept:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        return _pytree.tree_map(lambda x: x(self.mutable), kept.pop(0))
