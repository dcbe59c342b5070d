"""Nested tuples, lists, dicts and registered classes of arguments and results: their leaves, and a dimension for each."""

from __future__ import annotations

from typing import Any

from ..engine.tensors.tensor import Tensor
from .utils._pytree import _broadcast_to_and_flatten, tree_leaves, tree_structure


def flatten(tree: Any) -> list:
    """The leaves of a tree, in order."""
    return tree_leaves(tree)


def rebuild(tree: Any, leaves: Any) -> Any:
    """A tree of the same form with other leaves."""
    return tree_structure(tree).unflatten(leaves)


def spread(dims: Any, tree: Any, call: str, what: str, whose: str) -> list:
    """A dimension for each leaf of a tree, from one that stands for a whole branch, or from a tree of them; ValueError where
    the two have different forms, which names the `call`."""
    form = tree_structure(tree)
    single = whose == "outputs" and isinstance(tree, Tensor) and isinstance(dims, tuple) and len(dims) == 1
    found = list(dims) if single else _broadcast_to_and_flatten(dims, form)
    if found is None:
        forms = f"{what} has structure {tree_structure(dims)} but {whose} has structure {form}"
        raise ValueError(f"{call}(<inputs>): {what} is not compatible with the structure of `{whose}`. {forms}.")
    return found
