"""``torch.func.rearrange``: dimensions moved, split and joined as a pattern of their names says."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor

__all__ = ["rearrange"]

_REST = ["..."]
"""All the dimensions that the pattern does not name, each on its own."""
_WORD = re.compile(r"\.\.\.|[()]|[^\s().]+|\.")


class DimBindError(RuntimeError):
    """A size that no split of a dimension has."""

    __module__ = "functorch.dim"


DimBindError.__name__ = DimBindError.__qualname__ = "DimensionBindError"


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Tensor:
    """A tensor with its dimensions in another order, split or joined: ``rearrange(x, "b (h w) c -> b c h w", h=4)``.

    ``...`` stands for the dimensions not named, 1 or () for a new one of size 1.
    """
    x = tensor if isinstance(tensor, Tensor) else find_function("stack")(list(tensor))
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (_groups(side) for side in pattern.split("->"))
    before, after = _names(left), _names(right)
    if before ^ after:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {before ^ after}")
    unknown = set(axes_lengths) - before
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    spread = x.ndim - sum(group is not _REST for group in left)
    if not any(group is _REST for group in left) and spread or spread < 0:
        raise ValueError(f"Number of dimensions in pattern ({len(left)}) and tensor ({x.ndim}) must be equal")
    more = [f"...{i}" for i in range(spread)]
    sizes: dict[str, int] = {}
    at = 0
    for group in left:
        for name in more if group is _REST else [None]:
            parts = group if name is None else [name]
            sizes.update(_split(parts, int(x.shape[at]), axes_lengths))
            at += 1
    flat = [name for group in left for name in (more if group is _REST else group)]
    order = [name for group in right for part in group for name in (more if part == "..." else [part])]
    shape = []
    for group in right:
        if group is _REST:
            shape += [sizes[name] for name in more]
        else:
            shape.append(prod(sizes[name] for part in group for name in (more if part == "..." else [part])))
    apart = x.reshape([sizes[name] for name in flat])
    moved = apart.permute([flat.index(name) for name in order]) if order != flat else apart
    return moved.reshape(shape)


def _groups(side: str) -> list[list[str]]:
    """The dimensions of one side, each a list of the names that it is made of."""
    groups: list[list[str]] = []
    inside = False
    for word in _WORD.findall(side):
        if word in "()":
            if inside == (word == "("):
                raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
            inside = word == "("
            if inside:
                groups.append([])
        elif word != "..." and word != "1" and not word.isidentifier():
            raise ValueError(f"Invalid identifier '{word}' in expression: '{side}'")
        elif inside:
            groups[-1] += [] if word == "1" else [word]
        else:
            groups.append(_REST if word == "..." else [word] if word != "1" else [])
    if inside:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    names = [name for group in groups for name in group]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    return groups


def _names(groups: list[list[str]]) -> set[str]:
    return {name for group in groups for name in group}


def _split(parts: list[str], size: int, given: dict[str, int]) -> dict[str, int]:
    """The sizes of the parts of one dimension, of which one may be left to find."""
    open_ = [name for name in parts if name not in given]
    if len(open_) > 1:
        raise DimBindError(f"cannot infer the sizes of two dimensions at once {open_[0]} and {open_[1]}")
    known = prod(given[name] for name in parts if name in given)
    if size % known if open_ else known != size:
        shown = tuple(given.get(name, "?") for name in parts)
        raise DimBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
    return {name: given.get(name, size // known) for name in parts}
