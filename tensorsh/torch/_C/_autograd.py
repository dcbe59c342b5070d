"""``torch._C._autograd``: what libraries ask of the engine. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from ...engine.arrays.state import state
from ...engine.graph.raw_saved import SavedTensor  # noqa: F401 - a name of this module


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks for saved tensors may be set."""
    return state.packing_refused is None


def _saved_tensors_hooks_get_disabled_error_message() -> str | None:
    """Why they may not."""
    return state.packing_refused


def _saved_tensors_hooks_disable(message: str, fail_if_non_empty: bool = True) -> None:
    """Refuse them, with a message."""
    state.packing_refused = message


def _saved_tensors_hooks_enable() -> None:
    """Allow them again."""
    state.packing_refused = None


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the backward pass under way keeps the graph."""
    return bool(state.walk is not None and state.retain_graph)
