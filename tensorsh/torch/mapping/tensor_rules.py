"""The rules of `vmap` for functions of tensors: operands, reductions, products, shapes, indices (rules.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.loading.table import find_function
from ...engine.tensors.tensor import Tensor
from .slices import Own, whole, wholes

FLAT = frozenset("max min argmax argmin prod median".split())
"""Those that take one dimension at a time."""
DIM_AT = {
    "select": 1, "narrow": 1, "topk": 2, "split": 2, "tensor_split": 2, "chunk": 2, "flip": 1, "roll": 2, "diff": 2,
    "normalize": 2,
}  # fmt: skip
"""The place of the dimension among the arguments; 1 for the others."""


class Loop(Exception):
    """This is to be computed slice by slice."""


class Refused(BaseException):
    """What no slice can be given."""


def plain(*values: Any) -> None:
    """Leave to the loop what is of all slices where no rule expects it."""
    for each in values:
        if isinstance(each, Own) or type(each) in (tuple, list) and any(isinstance(x, Own) for x in each):
            raise Loop


def dims_of(x: Any) -> int:
    return x.dims if isinstance(x, Own) else x.dim()


def aligned(x: Any, dims: int) -> Any:
    """All slices with as many dimensions as the largest operand: elementwise, dimensions are aligned from behind."""
    if not isinstance(x, Own):
        plain(x)
        return x
    missing = dims - x.dims
    shape = x._whole.shape
    return x._whole.reshape(shape[0], *[1] * missing, *shape[1:]) if missing else x._whole


def pointwise(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise."""
    every = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
    dims = max(map(dims_of, every))
    if len({x.dtype for x in every}) > 1 and any(not dims_of(x) for x in every):
        raise Loop  # a number's dtype counts less than a tensor's, and a slice that is a number stands in a tensor
    return func(*[aligned(x, dims) for x in args], **{k: aligned(v, dims) for k, v in kwargs.items()})


def drawn_rows(func: Callable, input: Any, num_samples: int, replacement: bool = False, **kwargs: Any) -> Any:
    """Numbers drawn by the weights of each row: of all slices' rows, one after the other."""
    plain(num_samples)
    *rows, weights = input._whole.shape
    return func(input._whole.reshape(-1, weights), num_samples, replacement, **kwargs).reshape(*rows, num_samples)


def written(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise, into the first operand, which has the most dimensions."""
    target, *rest = args
    if any(dims_of(x) > target.dims for x in rest if isinstance(x, Tensor)):
        raise Loop
    return func(
        target._whole,
        *[aligned(x, target.dims) for x in rest],
        **{k: aligned(v, target.dims) for k, v in kwargs.items()},
    )


def assigned(func: Callable, input: Any, index: Any, value: Any) -> Any:
    """A part of each slice written: by numbers, ranges and new dimensions."""
    where = _places(input, index)
    if isinstance(value, Tensor):
        dims = input._whole[where].dim() - 1
        if dims_of(value) > dims:
            raise Loop
        value = aligned(value, dims)
    input._whole[where] = value


def _dim(dim: int, dims: int) -> int:
    if not -max(dims, 1) <= dim < max(dims, 1):
        raise Loop
    return dim % max(dims, 1) + 1


def reduced(name: str, func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A reduction of each slice."""
    plain(*args, *kwargs.values())
    if not isinstance(input, Own):
        raise Loop
    x, at = input._whole, 1 if name == "norm" else 0
    dim = args[at] if len(args) > at else kwargs.pop("dim", None)
    if input.dims == 0:
        x = x.reshape(-1, 1)
        if len(args) > at + 1 or kwargs.get("keepdim"):  # a number keeps no dimension
            raise Loop
    if isinstance(dim, (bool, Tensor)):
        raise Loop
    if dim is None or dim in ((), []):
        if name in FLAT:
            found = func(x.flatten(1), *args, dim=1, **kwargs)
            return found[0] if isinstance(found, tuple) else found
        dim = list(range(1, x.dim()))
    else:
        dim = [_dim(d, input.dims) for d in dim] if isinstance(dim, (tuple, list)) else _dim(dim, input.dims)
    rest = args[at + 1 :]
    return func(x, *args[:at], dim, *rest, **kwargs) if args[:at] or name != "norm" else func(x, dim=dim, **kwargs)


def along(name: str, func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done along one dimension of each slice."""
    plain(*args, *kwargs.values())
    if not isinstance(input, Own) or input.dims == 0 and name != "unsqueeze":
        raise Loop
    at = DIM_AT.get(name, 1) - 1
    default = {
        "sort": -1, "argsort": -1, "topk": -1, "diff": -1, "normalize": 1, "unbind": 0, "chunk": 0, "split": 0,
        "tensor_split": 0,
    }.get(name)  # fmt: skip
    given = list(args)
    dim = given[at] if len(given) > at else kwargs.pop("dim", default)
    if dim is None:
        raise Loop
    dims = input.dims + (name == "unsqueeze")
    shifted = [_dim(d, dims) for d in dim] if isinstance(dim, (tuple, list)) else _dim(dim, dims)
    if len(given) > at:
        given[at] = shifted
        return func(input._whole, *given, **kwargs)
    return func(input._whole, *given, dim=shifted, **kwargs)


RANKS = {"mv": (2, 1), "mm": (2, 2), "bmm": (3, 3), "dot": (1, 1)}
"""The dimensions of the factors of products that are for no others."""


def check_ranks(name: str, input: Any, other: Any) -> None:
    """Refuse factors of other dimensions than a product is for."""
    first, second = RANKS.get(name, (None, None))
    if first is None or (dims_of(input), dims_of(other)) == (first, second):
        return
    if name == "dot":
        raise Refused("Got wrong shapes for dot")
    raise Refused(
        f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {dims_of(input)}and b has dim {dims_of(other)}but expected "
        f"them to have dim {first} and dim {second}"
    )


def matmul(func: Callable, input: Any, other: Any) -> Any:
    """A product of each slice's vectors and matrices."""
    check_ranks(func.__name__, input, other)
    product = find_function("matmul")
    if not isinstance(other, Own):
        if other.dim() > 2:
            raise Loop
        return product(input._whole, other)
    if not isinstance(input, Own):
        if other.dims == 1 and input.dim() < 3:
            return product(other._whole, input.mT if input.dim() == 2 else input)
        if other.dims == 1 or input.dim() > 2:
            raise Loop
        return product(input, other._whole)
    left = input._whole.unsqueeze(1) if input.dims == 1 else input._whole
    right = other._whole.unsqueeze(2) if other.dims == 1 else other._whole
    if left.dim() != right.dim():
        if 1 in (input.dims, other.dims):
            raise Loop
        dims = max(input.dims, other.dims)
        left, right = aligned(input, dims), aligned(other, dims)
    found = product(left, right)
    found = found.squeeze(2) if other.dims == 1 else found
    return found.squeeze(1) if input.dims == 1 else found


def on_matrix(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What works on the last two dimensions of any tensor."""
    plain(*args, *kwargs.values())
    if input.dims < 2:
        raise Loop
    return func(input._whole, *args, **kwargs)


def unbound(input: Any) -> list:
    """The rows of each slice, one after the other."""
    if not input.dims:
        raise TypeError("iteration over a 0-d tensor")
    return [input._level.slice_of(each) for each in input._whole.unbind(1)]


def shaped(func: Callable, input: Any, *size: Any, **kwargs: Any) -> Any:
    """Another shape of each slice."""
    plain(*size)
    if kwargs:
        raise Loop
    wanted = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    if wanted and not all(isinstance(n, int) for n in wanted):
        raise Loop
    full = (input._whole.shape[0], *wanted)
    return input._whole.view(full) if func.__name__ == "view" else input._whole.reshape(full)


def expanded(func: Callable, input: Any, *size: Any) -> Any:
    """Each slice expanded."""
    plain(*size)
    wanted = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
    x = input._whole
    return x.reshape(x.shape[0], *[1] * (len(wanted) - input.dims), *x.shape[1:]).expand(x.shape[0], *wanted)


def permuted(func: Callable, input: Any, *dims: Any) -> Any:
    """The dimensions of each slice in another order."""
    order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return input._whole.permute(0, *[_dim(d, input.dims) for d in order])


def moved_dim(func: Callable, input: Any, source: Any, destination: Any) -> Any:
    """Dimensions of each slice at other places."""
    at = [
        _dim(each, input.dims) if isinstance(each, int) else [_dim(d, input.dims) for d in each]
        for each in (source, destination)
    ]
    return func(input._whole, *at)


def as_it_is(input: Any) -> Any:
    """A view of numbers, whose dimensions nothing can be done with."""
    return input._whole.unsqueeze(-1).squeeze(-1)


def transposed(func: Callable, input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions of each slice exchanged."""
    if not input.dims and {dim0, dim1} <= {0, -1}:
        return as_it_is(input)
    return input._whole.transpose(_dim(dim0, input.dims), _dim(dim1, input.dims))


def turned(func: Callable, input: Any, *_: Any) -> Any:
    """The transpose of each slice."""
    return input._whole.permute(0, *range(input.dims, 0, -1))


def flattened(func: Callable, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions of each slice joined."""
    if input.dims == 0:
        return input._whole.reshape(-1, 1)
    return input._whole.flatten(_dim(start_dim, input.dims), _dim(end_dim, input.dims))


def squeezed(func: Callable, input: Any, dim: Any = None) -> Any:
    """Each slice without dimensions of size 1."""
    x = input._whole
    if not input.dims and dim in (None, 0, -1):
        return as_it_is(input)
    if dim is None:
        return x.squeeze([i + 1 for i, n in enumerate(x.shape[1:]) if n == 1])
    return x.squeeze(_dim(dim, input.dims)) if isinstance(dim, int) else x.squeeze([_dim(d, input.dims) for d in dim])


def joined(func: Callable, tensors: Any, dim: int = 0, **kwargs: Any) -> Any:
    """Slices joined or stacked."""
    many = wholes(tensors)
    if many is None or kwargs:
        raise Loop
    dims = many[0].dim() - 1 + (func.__name__ == "stack")
    return func(many, _dim(dim, dims))


def _places(input: Any, index: Any) -> tuple:
    """An index of each slice, as one of all of them."""
    each = index if type(index) is tuple else (index,)
    if not isinstance(input, Own) or any(isinstance(i, (Tensor, list, bool, np.ndarray)) for i in each):
        raise Loop
    return (slice(None), *each)


def indexed(func: Callable, input: Any, index: Any) -> Any:
    """A part of each slice: by numbers, ranges and new dimensions; or rows at places that each slice has."""
    if isinstance(index, Own) and index.dtype.short != "Bool" and not isinstance(input, Own):
        return input[index._whole]
    if isinstance(index, Own) and index.dtype.short != "Bool":
        return input._whole[counted(index), index._whole]
    return input._whole[_places(input, index)]


def counted(index: Any) -> Tensor:
    """The number of each slice, in the shape of an index into all of them."""
    count = len(index._whole)
    return find_function("arange")(count, device=index._whole.device).reshape(count, *[1] * index.dims)


def unflattened(func: Callable, input: Any, dim: int, sizes: Any) -> Any:
    """A dimension of each slice taken apart."""
    try:
        return func(input._whole, _dim(dim, input.dims), sizes)
    except RuntimeError:
        raise Loop from None  # which counts the dimensions of one


def diagonal(func: Callable, input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A diagonal of each slice."""
    return func(input._whole, offset, _dim(dim1, input.dims), _dim(dim2, input.dims))


def unfolded(func: Callable, input: Any, dimension: int, size: int, step: int) -> Any:
    """The windows along a dimension of each slice."""
    return func(input._whole, _dim(dimension, input.dims), size, step)


def strided(func: Callable, input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """A view of each slice's memory."""
    if len(size) != len(stride):
        raise Refused(
            f"Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size {list(size)} and stride "
            f"{list(stride)}"
        )
    x = input._whole
    own = x.storage_offset()
    start = own if storage_offset is None else storage_offset
    end, allowed = (
        begun + 1 + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))
        for begun, sizes, steps in ((start, size, stride), (own, x.shape[1:], x.stride()[1:]))
    )
    if not own <= start <= end <= allowed and 0 not in size:
        raise Refused(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access memory outside of `tensor`. `result` can "
            f"access some memory in range [{start}, {end}], but `tensor` can only access some memory in range [{own}, {allowed}]. "
            "This is not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence of PyTorch view "
            "operations"
        )
    return func(x, (x.shape[0], *size), (x.stride(0), *stride), storage_offset)


def cut(dim: int) -> Callable:
    """A slice cut into parts along a dimension; along the only one where it has one and the second is asked for."""

    def of(func: Callable, input: Any, sections: Any) -> Any:
        plain(sections)
        at = 0 if dim == 1 and input.dims == 1 else dim
        return find_function("tensor_split")(input._whole, sections, _dim(at, input.dims))

    return of


def summed(func: Callable, equation: Any, *operands: Any) -> Any:
    """A sum of products by the letters of the dimensions, with one more letter for the slices."""
    if not isinstance(equation, str) or "." in equation:
        raise Loop
    operands = tuple(operands[0]) if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    own = next(c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation)
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = left.replace(",", "")
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    terms = [own * isinstance(x, Own) + t for t, x in zip(left.split(","), operands, strict=True)]
    return func(",".join(terms) + "->" + own + right, *map(whole, operands))


def at_places(level: Any, func: Callable, input: Any, dim: int, index: Any, *source: Any, **kwargs: Any) -> Any:
    """Elements taken from, or put at, places along a dimension; what is put is of all slices, too."""
    dims = max(dims_of(input), 1)
    if not dims_of(input) or not dims_of(index):
        raise Loop
    rest = [level.lifted(x) if isinstance(x, Tensor) else x for x in source]
    return func(level.lifted(input), _dim(dim, dims), level.lifted(index), *rest, **kwargs)


def chosen(level: Any, func: Callable, input: Any, dim: int, index: Any) -> Any:
    """Rows at places: the same of each slice, or those of no slice at the places that each has."""
    if isinstance(input, Own) and not isinstance(index, Own):
        return func(input._whole, _dim(dim, input.dims), index)
    if isinstance(input, Own) or input.dim() == 0:
        raise Loop
    at = dim % input.dim()
    found = func(input, at, index._whole.flatten())
    shape = input.shape
    return found.reshape(*shape[:at], *index._whole.reshape(level.count, -1).shape, *shape[at + 1 :]).movedim(at, 0)


def padded(func: Callable, input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """The last dimensions padded."""
    if mode != "constant" or len(pad) > 2 * input.dims:
        raise Loop
    return func(input._whole, pad, mode, value)


def repeated(func: Callable, input: Any, *sizes: Any) -> Any:
    """Each slice repeated."""
    wanted = list(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else list(sizes)
    return aligned(input, len(wanted)).repeat(1, *wanted)


def fresh(func: Callable, input: Any, *size: Any, **kwargs: Any) -> Any:
    """A new tensor for each slice, of a size that is given."""
    given = kwargs.pop("size", None) or (size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    return func(input._whole, (input._whole.shape[0], *given), **kwargs)


def filled(func: Callable, input: Any, size: Any, fill_value: Any, **kwargs: Any) -> Any:
    """A new tensor of one value for each slice."""
    plain(fill_value)
    return func(input._whole, (input._whole.shape[0], *size), fill_value, **kwargs)


def on_whole(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done with a tensor as it is."""
    plain(*args)
    return func(input._whole, *args, **kwargs)


def like(func: Callable, input: Any, other: Any) -> Any:
    """The shape of another slice."""
    if not isinstance(input, Own):  # what is the same for all
        return func(input, input.new_empty(other.shape)).expand(other._whole.shape[0], *other.shape)
    view = input._whole.view if func.__name__ == "view_as" else input._whole.reshape
    return view(input._whole.shape[0], *other.shape)


def expanded_as(func: Callable, input: Any, other: Any) -> Any:
    """Each slice expanded to the shape of another."""
    if not isinstance(input, Own):
        return input.expand(other._whole.shape[0], *other.shape)
    return expanded(func, input, *other.shape)


def pairs(name: str) -> Callable:
    """The larger or smaller of two, where there is another tensor; else a reduction."""

    def of(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
        if (args and isinstance(args[0], Tensor)) or isinstance(kwargs.get("other"), Tensor):
            return pointwise(func, (input, *args), kwargs)
        return reduced(name, func, input, *args, **kwargs)

    return of
