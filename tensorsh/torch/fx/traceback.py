"""``torch.fx.traceback``: what is known of a node goes to those that are made of it."""

from __future__ import annotations

import copy
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...sandbox.wrapping import wraps

__all__ = [
    "annotate", "annotate_fn", "format_stack", "get_current_meta", "has_preserved_node_meta", "preserve_node_meta",
    "set_current_meta", "set_stack_trace",
]  # fmt: skip

COPIED = "nn_module_stack torch_fn source_fn_stack original_aten recompute ac_graph_id quantization_tag custom partitioner_tag".split()
"""What a new node takes over, besides where it comes from in the source."""
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class _Kept:
    """What the node knows that is being run, and whether new ones take it over."""

    meta: dict[str, Any] = {}
    kept = False


@contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Let new nodes know what the node knows that is being run. enable: False for no longer."""
    kept, meta = _Kept.kept, _Kept.meta.copy()
    _Kept.kept = enable
    try:
        yield
    finally:
        _Kept.kept, _Kept.meta = kept, meta


def has_preserved_node_meta() -> bool:
    """Whether new nodes take over what is known."""
    return _Kept.kept


def get_current_meta() -> dict[str, Any]:
    """What is known of the node that is being run."""
    return _Kept.meta


@contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Let a node be the one that is being run. pass_name: who runs it."""
    if not _Kept.kept or not node.meta:
        yield
        return
    before = _Kept.meta
    _Kept.meta = node.meta.copy()
    try:
        yield
    finally:
        _Kept.meta = before


def set_stack_trace(stack: list[str]) -> None:
    """Let new nodes come from these lines. stack: as `format_stack` gives them."""
    if _Kept.kept and stack:
        _Kept.meta["stack_trace"] = "".join(stack)
    elif _Kept.kept:
        _Kept.meta.pop("stack_trace", None)


def format_stack() -> list[str]:
    """Where the program stands, or where the node comes from that is being run."""
    if _Kept.kept:
        return [_Kept.meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Write entries into `meta["custom"]` of the nodes that are made. annotation_dict: the entries."""
    had, before = "custom" in _Kept.meta, dict(_Kept.meta.get("custom", {}))
    _Kept.meta.setdefault("custom", {}).update(annotation_dict)
    try:
        yield
    finally:
        if had:
            _Kept.meta["custom"] = before
        else:
            del _Kept.meta["custom"]


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable:
    """As `annotate`, for all calls of a function: a decorator. annotation_dict: the entries."""

    def decorated(function: Callable) -> Callable:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return call

    return decorated


def taken_over(node: Any) -> None:
    """Gives a new node what is known of the one that is being run."""
    if _Kept.meta.get("stack_trace"):
        node.stack_trace = _Kept.meta["stack_trace"]
    for name in COPIED:
        if name in _Kept.meta:
            node.meta[name] = copy.copy(_Kept.meta[name])


def of_forward() -> str | None:
    """The lines of the program from `forward` on, as a traceback shows them; None outside of any."""
    frames = list(traceback.extract_stack())
    first = next((i for i, frame in enumerate(frames) if frame.name == "forward" and not is_own(frame)), None)
    if first is None:
        return None
    shown = traceback.StackSummary.from_list([frame for frame in frames[first:] if not is_own(frame)])
    return "".join(shown.format()).strip()


def is_own(frame: traceback.FrameSummary) -> bool:
    """Whether a line is tensorsh's own."""
    return frame.filename.startswith((HOME + os.sep, "tensorsh/"))
