"""``torch.fx._pytree``: trees taken apart as a form says, which a graph of trees does with its arguments."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from ..utils._pytree import tree_flatten

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

SUPPORTED_NODES: dict[Any, Callable] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[Any, Callable | None] = {}


def register_pytree_flatten_spec(
    cls: Any, flatten_fn_spec: Callable, flatten_fn_exact_match_spec: Callable | None = None
) -> None:
    """Say which children of an object of a class stand for a form. flatten_fn_spec: a function of (object, form)."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(pytree: Any, spec: Any) -> list:
    """The leaves of a tree that has a form."""
    if spec.is_leaf():
        return [pytree]
    if spec.type in SUPPORTED_NODES:
        children = zip(SUPPORTED_NODES[spec.type](pytree, spec), spec.children(), strict=False)
        return [leaf for child, form in children for leaf in tree_flatten_spec(child, form)]
    leaves, found = tree_flatten(pytree)
    if spec != found:
        raise RuntimeError(f"Real spec {found} of object {pytree} is different from expected spec {spec}. ")
    return leaves


register_pytree_flatten_spec(
    dict, lambda d, spec: [d[k] for k in spec.context], lambda d, spec: len(d) == spec.num_children
)
for _kind in (list, tuple, namedtuple):
    register_pytree_flatten_spec(
        _kind, lambda d, spec: [d[i] for i in range(spec.num_children)], lambda d, spec: len(d) == spec.num_children
    )
