"""``torch.vmap``: a function applied to each slice of its arguments.

It runs once, with slices that stand for all (slices.py); each call in it is made for all at once (levels.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.state import state
from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from ...sandbox.sealed import Sealed
from ...sandbox.wrapping import wraps
from ..settings import drawing
from ..trees import flatten, rebuild, spread
from .levels import Level


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
        dims = spread(
            in_dims if isinstance(in_dims, int) else tuple(in_dims),
            args,
            f"vmap({name}, in_dims={in_dims}, ...)",
            "in_dims",
            "inputs",
        )
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
        if chunk_size is None or chunk_size >= sizes[0]:
            return mapped(func, name, args, kwargs, leaves, dims, out_dims, randomness, sizes[0])
        start = drawing().get_state() if randomness == "same" else None
        parts = []
        for at in range(0, sizes[0], chunk_size):
            if start is not None:
                drawing().set_state(start)
            n = min(chunk_size, sizes[0] - at)
            some = [leaf if dim is None else leaf.narrow(dim, at, n) for leaf, dim in zip(leaves, dims, strict=True)]
            parts.append(mapped(func, name, args, kwargs, some, dims, out_dims, randomness, n))
        places = spread(out_dims, parts[0])
        columns = zip(*map(flatten, parts), strict=True)
        cat = find_function("cat")
        whole = [
            column[0] if dim is None else cat(list(column), dim) for column, dim in zip(columns, places, strict=True)
        ]
        return rebuild(parts[0], iter(whole))

    return over


def mapped(
    func: Callable, name: str, args: tuple, kwargs: dict, leaves: list, dims: list, out_dims: Any, randomness: str, count: int
) -> Any:  # fmt: skip
    """The results for `count` slices of the leaves of the arguments."""
    before, generator = state.generator, drawing()
    level = Level(count, randomness, generator.get_state() if randomness == "same" else None, generator)
    slices = [
        leaf if dim is None else level.slice_of(leaf.movedim(dim, 0) if dim else leaf)
        for leaf, dim in zip(leaves, dims, strict=True)
    ]
    try:
        if randomness == "error":
            state.generator = _Refusing()
        with level:
            result = func(*rebuild(args, iter(slices)), **kwargs)
    finally:
        state.generator = before
    places = spread(out_dims, result, f"vmap({name}, ..., out_dims={out_dims})", "out_dims", "outputs")
    found = [placed(level, leaf, dim, name) for leaf, dim in zip(flatten(result), places, strict=True)]
    return rebuild(result, iter(found))


def placed(level: Level, found: Any, dim: int | None, name: str) -> Any:
    """A result of all slices, which lie along a dimension of it; what no slice took part in is repeated."""
    if dim is None:
        if level.has(found):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return found
    if not isinstance(found, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(found)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    if level.has(found):
        return found._whole.movedim(0, dim) if dim else found._whole  # type: ignore[attr-defined]
    if not -found.ndim - 1 <= dim <= found.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-found.ndim - 1}, {found.ndim}], but got {dim})"
        )
    shape = list(found.shape)
    at = dim % (found.ndim + 1)
    whole = found.expand(level.count, *shape)
    return whole.movedim(0, at) if at else whole


class _Refusing(metaclass=Sealed):
    """Stands for the generator where a function may draw no random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
            "randomness flags on vmap or perform the randomness operation out of vmap"
        )
