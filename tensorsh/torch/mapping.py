"""``torch.vmap``: a function applied to each slice of its arguments.

It runs for two slices and then computes all at once as these went (batching.py), or else once for each slice, and stacks the
results.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ..engine.arrays.state import state
from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import wraps
from .batched import Following
from .batching import at_once
from .settings import drawing


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


def known_randomness(randomness: str) -> None:
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def vmap(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable:
    """A function that applies `func` to each slice of its arguments along `in_dims` and stacks what it gives.
    in_dims: the dimension of the slices, one number for all arguments or one for each (None: that argument is given
    whole). out_dims: where the results are stacked. randomness: 'error', 'different' or 'same' numbers for each
    slice. chunk_size: how many slices at a time. RuntimeError: a branch on values, or `.item()`, in `func`.
    ValueError: slices of different numbers.
    >>> torch.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    name = getattr(func, "__name__", repr(func))
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func)
    def over(*args: Any, **kwargs: Any) -> Any:
        if not isinstance(in_dims, (int, tuple, list, dict)):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
                f"tuple matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
                "with no inputs. The latter is unsupported."
            )
        leaves = flatten(args)
        dims = spread(in_dims if isinstance(in_dims, int) else tuple(in_dims), args)
        sizes = []
        for leaf, dim in zip(leaves, dims, strict=True):
            if dim is None:
                continue
            if not isinstance(leaf, Tensor):
                raise ValueError(
                    f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input but the input is of type "
                    f"{type(leaf)}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
                )
            if not -leaf.ndim <= dim < leaf.ndim:
                raise ValueError(
                    f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for some input, but that input is a "
                    f"Tensor of dimensionality {leaf.ndim} so expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
                )
            sizes.append(leaf.shape[dim])
        if not sizes:
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims has no non-None values, so there is nothing to map"
            )
        if any(n != sizes[0] for n in sizes):
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        known_randomness(randomness)
        # Slices without elements are all alike: one is computed, and stands for 2**40 of them.
        alike = randomness != "different" and not any(
            x.numel() for x, dim in zip(leaves, dims, strict=True) if dim is not None
        )
        count = min(sizes[0], 1) if alike else sizes[0]
        results = []
        before, generator = state.retain_graph, drawing()
        start = generator.get_state() if randomness == "same" else None
        try:
            if randomness == "error":
                state.generator = _Refusing()
            traces: list[Following] = []
            for at in range(count):
                if at == 2 and start is None and count >= FEW and randomness == "error":
                    whole = together(traces, results, leaves, dims, out_dims)
                    if whole is not None:
                        return whole
                if start is not None:
                    generator.set_state(start)
                # One graph may be walked for every slice; only the last frees it.
                state.retain_graph = before or at + 1 < count
                slices = [leaf if dim is None else leaf.select(dim, at) for leaf, dim in zip(leaves, dims, strict=True)]
                mapped_over = [each for each, leaf in zip(slices, leaves, strict=True) if each is not leaf]
                following = Following(mapped_over, sizes[0]) if at < 1 + (count >= FEW) else None
                with following or nullcontext():  # all slices go the way of the first
                    results.append(func(*rebuild(args, iter(slices)), **kwargs))
                if following is not None:
                    traces.append(following)
        finally:
            state.retain_graph, state.generator = before, generator
        return stacked(results, out_dims, name, sizes[0])

    return over


FEW = 8
"""From so many slices on it is tried to compute all at once."""


def together(traces: list[Following], results: list, leaves: list, dims: list, out_dims: Any) -> Any:
    """The results of all slices, computed at once as the first two went; None where they are to be computed one by one."""
    columns = [flatten(each) for each in results]
    places = spread(out_dims, results[0])
    if any(d is None or not isinstance(x, Tensor) for d, x in zip(places, columns[0], strict=True)):
        return None
    moved = [leaf.movedim(dim, 0) if dim else leaf for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    found = at_once(traces, moved, columns)
    if found is None:
        return None
    return rebuild(results[0], iter([x.movedim(0, d) if d else x for x, d in zip(found, places, strict=True)]))


class _Refusing(metaclass=Sealed):
    """Stands for the generator where a function may draw no random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )


def spread(dims: Any, tree: Any) -> list:
    """A dimension for each leaf of a tree, from one that stands for a whole branch, or from a tree of them."""
    if isinstance(tree, dict):
        return [d for key, each in tree.items() for d in spread(dims[key] if isinstance(dims, dict) else dims, each)]
    if isinstance(tree, (tuple, list)):
        if isinstance(dims, (tuple, list)):
            if len(dims) != len(tree):
                raise ValueError(
                    f"vmap: in_dims is not compatible with the structure of inputs: {len(dims)} for {len(tree)} inputs"
                )
            return [d for each, own in zip(tree, dims, strict=True) for d in spread(own, each)]
        return [d for each in tree for d in spread(dims, each)]
    return [dims]


def stacked(results: list, out_dims: Any, name: str, count: int) -> Any:
    """The results of all slices as one, each leaf stacked along its dimension (None: the same for all); where there is one
    result only, it is that of each of the `count` slices."""
    if not results:
        raise RuntimeError("vmap: a mapped dimension of size 0 is not supported")
    stack = find_function("stack")
    columns = list(zip(*map(flatten, results), strict=True))
    made = []
    for column, dim in zip(columns, spread(out_dims, results[0]), strict=True):
        if dim is None:
            made.append(column[0])
            continue
        if not isinstance(column[0], Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(column[0])}. Did you mean to set "
                "out_dims= to None for output?"
            )
        found = stack(column, dim)
        if len(column) < count:
            found = found.expand([count if i == dim % found.ndim else n for i, n in enumerate(found.shape)]).clone()
        made.append(found)
    return rebuild(results[0], iter(made))
