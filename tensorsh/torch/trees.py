"""Nested tuples, lists and dicts of arguments and results: their leaves, and a dimension for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .utils._pytree import tree_structure


def flatten(tree: Any) -> list:
    """The leaves of nested tuples, lists and dicts, in order."""
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in flatten(value)]
    if isinstance(tree, (tuple, list)):
        return [leaf for value in tree for leaf in flatten(value)]
    return [tree]


def rebuild(tree: Any, leaves: Any) -> Any:
    """A tree of the same form with other leaves (an iterator)."""
    if isinstance(tree, dict):
        return type(tree)((key, rebuild(value, leaves)) for key, value in tree.items())
    if isinstance(tree, (tuple, list)):
        made = [rebuild(value, leaves) for value in tree]
        return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
    return next(leaves)


def spread(dims: Any, tree: Any, call: str = "vmap", what: str = "in_dims", whose: str = "inputs") -> list:
    """A dimension for each leaf of a tree, from one that stands for a whole branch, or from a tree of them; ValueError where
    the two have different forms, which names the `call`."""
    found = list(_spread(dims, tree))
    if any(each is UNLIKE for each in found):
        forms = f"{what} has structure {tree_structure(dims)} but {whose} has structure {tree_structure(tree)}"
        raise ValueError(f"{call}(<inputs>): {what} is not compatible with the structure of `{whose}`. {forms}.")
    return found


UNLIKE: Any = object()


def _spread(dims: Any, tree: Any) -> Iterator:
    if isinstance(tree, dict):
        if isinstance(dims, dict) and dims.keys() != tree.keys():
            yield UNLIKE
            return
        for key, each in tree.items():
            yield from _spread(dims[key] if isinstance(dims, dict) else dims, each)
    elif isinstance(tree, (tuple, list)):
        if not isinstance(dims, (tuple, list)):
            for each in tree:
                yield from _spread(dims, each)
        elif len(dims) != len(tree):
            yield UNLIKE
        else:
            for each, own in zip(tree, dims, strict=True):
                yield from _spread(own, each)
    else:
        yield dims
