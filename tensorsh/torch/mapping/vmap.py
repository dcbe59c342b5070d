"""``torch.vmap``: a function applied to each slice of its arguments.

It runs once, with slices that stand for all (slices.py); each call in it is made for all at once (levels.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from ...engine.arrays.errors import wrap_dim
from ...engine.arrays.state import here
from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from ...sandbox import process
from ...sandbox.sealed import Sealed
from ...sandbox.wrapping import wraps
from ..root import torch as T  # noqa: N812
from ..settings import drawing
from ..transform_checks import under_way
from ..trees import flatten, rebuild, spread
from .levels import Level, levels
from .randomness import ERROR


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
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    return over_slices(func, in_dims, out_dims, randomness, lambda count: chunk_size or count)


def chunk_vmap(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable:
    """`vmap` in a number of chunks; of old, `chunk_size` stands for it."""
    return over_slices(func, in_dims, out_dims, randomness, lambda count: -(-count // chunks))


def over_slices(func: Callable, in_dims: Any, out_dims: Any, randomness: str, size: Callable) -> Callable:
    """A function mapped in chunks, whose `size` comes of the number of slices."""
    known_randomness(randomness)

    @wraps(func)
    def over(*args: Any, **kwargs: Any) -> Any:
        name = called(func)
        known_places(name, out_dims)
        steps = replaced()
        if steps is not None:
            count, dims, leaves, form = steps._process_batched_inputs(in_dims, args, func)
            given = partial(steps._create_batched_inputs, dims, leaves, args_spec=form)
            whole = partial(steps._unwrap_batched, out_dims=out_dims, batch_size=count, func=func)
            return called_for_all(
                func, kwargs, count, randomness, given, lambda level, found: whole(found, vmap_level=level)
            )
        leaves, dims, count = sliced(name, in_dims, args)
        if any(isinstance(leaf, Tensor) and leaf.is_nested for leaf in leaves):
            return over_parts(func, name, args, kwargs, leaves, dims, out_dims, count)
        chunk_size = size(count)
        if chunk_size >= count:
            return mapped(func, name, args, kwargs, leaves, dims, out_dims, randomness, count)
        start = drawing().get_state() if randomness == "same" else None
        parts = []
        for at in range(0, count, chunk_size):
            if start is not None:
                drawing().set_state(start)
            n = min(chunk_size, count - at)
            some = [leaf if dim is None else leaf.narrow(dim, at, n) for leaf, dim in zip(leaves, dims, strict=True)]
            parts.append(mapped(func, name, args, kwargs, some, dims, out_dims, randomness, n))
        places = spread(out_dims, parts[0], f"vmap({name}, ..., out_dims={out_dims})", "out_dims", "outputs")
        columns = zip(*map(flatten, parts), strict=True)
        cat = find_function("cat")
        whole = [
            column[0] if dim is None else cat(list(column), dim) for column, dim in zip(columns, places, strict=True)
        ]
        return rebuild(parts[0], whole)

    return over


def called(func: Any) -> str:
    """How an error calls a function."""
    if hasattr(func, "__name__"):
        return func.__name__
    return f"functools.partial({called(func.func)}, ...)" if isinstance(func, partial) else repr(func)


def known_places(name: str, out_dims: Any) -> None:
    for each in flatten(out_dims):
        if not (each is None or isinstance(each, int)):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
                "representing where in the outputs the vmapped dimension should appear."
            )


def sliced(name: str, in_dims: Any, args: tuple) -> tuple[list, list, int]:
    """The leaves of the arguments, the dimension of the slices of each, and their number."""
    call = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
            "with no inputs. The latter is unsupported."
        )
    leaves = flatten(args)
    dims = spread(in_dims, args, call.removesuffix("(<inputs>)"), "in_dims", "inputs")
    sizes = []
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -leaf.ndim <= dim < leaf.ndim:
            raise ValueError(
                f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.ndim} so "
                f"expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
            )
        if dim and leaf.is_nested:
            raise RuntimeError(f"Nested tensors can only be vmapped over dim=0, but got dim={dim}")
        sizes.append(leaf.size(dim))
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return leaves, dims, sizes[0]


def over_parts(
    func: Callable, name: str, args: tuple, kwargs: dict, leaves: list, dims: list, out_dims: Any, count: int
) -> Any:  # fmt: skip
    """The results for the parts of nested tensors, which need not be of one size: nested tensors, too."""
    if any(dims):
        raise RuntimeError("Fallback not supported for mixed nested / non-nested arguments without bdim=0")
    columns = [[leaf] * count if dim is None else leaf.unbind() for leaf, dim in zip(leaves, dims, strict=True)]
    results = [func(*rebuild(args, list(parts)), **kwargs) for parts in zip(*columns, strict=True)]
    places = spread(out_dims, results[0], f"vmap({name}, ..., out_dims={out_dims})", "out_dims", "outputs")
    if any(places):
        raise RuntimeError(f"Nested tensors can only be vmapped over dim=0, but got dim={max(filter(None, places))}")
    join = T.nested.as_nested_tensor
    made = [
        many[0] if dim is None else join(list(many))
        for many, dim in zip(zip(*map(flatten, results), strict=True), places, strict=True)
    ]
    return rebuild(results[0], made)


def mapped(
    func: Callable, name: str, args: tuple, kwargs: dict, leaves: list, dims: list, out_dims: Any, randomness: str, count: int
) -> Any:  # fmt: skip
    """The results for `count` slices of the leaves of the arguments."""

    def given(level: Level) -> Any:
        pairs = zip(leaves, dims, strict=True)
        return rebuild(args, [x if dim is None else level.slice_of(x, dim % x.ndim) for x, dim in pairs])

    def whole(level: Level, result: Any) -> Any:
        places = spread(out_dims, result, f"vmap({name}, ..., out_dims={out_dims})", "out_dims", "outputs")
        return rebuild(result, [placed(level, x, dim, name) for x, dim in zip(flatten(result), places, strict=True)])

    return called_for_all(func, kwargs, count, randomness, given, whole)


def called_for_all(func: Callable, kwargs: dict, count: int, randomness: str, given: Callable, whole: Callable) -> Any:
    """The results of one call: `given` makes the arguments of a level, `whole` what is told of what comes back."""
    level = Level(count, randomness, drawing())
    with no_numbers(randomness), level, under_way():
        result = func(*given(level), **kwargs)
    made = whole(level, result)
    del result
    level.end()
    return made


_own_names = ModuleType.__dict__["__dict__"]
"""A module's names as they stand in it, without those that are made when they are asked for."""


def replaced() -> Any:
    """PyTorch's module of the steps of a mapped call, where plain Python has put its own there: libraries whose classes hold tensors."""
    steps = sys.modules.get("torch._functorch.vmap") if process.plain else None
    own = _own_names.__get__(steps) if steps else ()
    return steps if "_process_batched_inputs" in own else None


@contextmanager
def no_numbers(randomness: str) -> Iterator[None]:
    """A context in which no random numbers are drawn, if `randomness` is "error"."""
    before = here.generator
    if randomness == "error":
        here.generator = _Refusing()
    try:
        yield
    finally:
        here.generator = before


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
        given, at = found.as_given()  # type: ignore[attr-defined]
        return given if at == dim else found._whole.movedim(0, dim) if dim else found._whole  # type: ignore[attr-defined]
    at = wrap_dim(dim, found.ndim + 1)
    whole = found.expand(level.count, *found.shape)
    return whole.movedim(0, at) if at else whole


class _Refusing(metaclass=Sealed):
    """Stands for the generator where a function may draw no random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(ERROR)


def at_once(function: Callable, given: Tensor, together: bool = True) -> Any:
    """The tensors that a function of one slice gives, for all of them: at once where that can be, one by one where it cannot or is
    not to be `together`."""
    if together and len(given) > 1 and len(levels()) < 2:
        try:
            return vmap(function)(given)
        except Exception:  # noqa: S110 - what is wrong is said of one slice, if anything is
            pass
    return [find_function("stack")(column) for column in zip(*[function(each) for each in given.unbind()], strict=True)]


def units(x: Tensor) -> Tensor:
    """A tensor of the shape and dtype of another for each of its elements, which is one there and zero elsewhere."""
    return find_function("eye")(x.numel(), dtype=x.dtype, device=x.device).reshape((x.numel(), *x.shape))
