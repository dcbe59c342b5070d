"""``torch._dynamo``: PyTorch's compiler of programs. Programs run as they are here: what marks a function gives it back, what asks
is told that nothing is compiled. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, reset
from ..settings import compile
from . import config, eval_frame
from .eval_frame import OptimizedModule

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "eval_frame", "forbid_in_graph",
    "graph_break", "is_compiling", "is_dynamo_supported", "list_backends", "mark_dynamic", "mark_static", "mark_static_address",
    "maybe_mark_dynamic", "nonstrict_trace", "optimize", "optimize_assert", "reset", "run", "skip",
]  # fmt: skip

optimize = optimize_assert = compile
is_dynamo_supported = eval_frame.is_dynamo_supported


def forbid_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


run = skip = nonstrict_trace = forbid_in_graph


def graph_break(msg: str = "") -> None:
    """Nothing is broken."""


def mark_dynamic(t: Any, index: Any = None, **options: Any) -> None:
    """Every size may change."""


maybe_mark_dynamic = mark_static = mark_static_address = mark_unbacked = mark_dynamic


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The compilers there are: none."""
    return []
