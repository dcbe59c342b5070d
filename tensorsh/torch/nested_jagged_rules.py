"""What functions do with nested tensors of the jagged layout: on all rows at once where that is the same, else on the parts."""

from __future__ import annotations

from collections.abc import Callable
from operator import call
from typing import Any

from ..engine.arrays.errors import wrap_dim
from ..engine.loading.table import find_function
from ..engine.tensors.shape import shaped
from ..engine.tensors.tensor import Size, Tensor
from .nested_jagged import RULES, NestedTensor, _rebuild_njt, jagged, lengths, like, nest, padded, parts, sizes  # noqa: F401
from .nested_strided import TOLD
from .root import torch as T  # noqa: N812

__all__: list[str] = []


def pointwise(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise, with nested tensors of the same parts, numbers, and tensors that are the same for each row or part."""
    first = next(x for x in (*args, *kwargs.values()) if isinstance(x, NestedTensor))

    def fitting(x: Any) -> Any:
        if isinstance(x, NestedTensor):
            if x._nested.symbol != first._nested.symbol:
                shown = [", ".join(map(str, sizes(each))) for each in (first, x)]
                raise RuntimeError(
                    f"cannot call binary pointwise function {func.__name__}.Tensor with inputs of shapes ({shown[0]}) and ({shown[1]})"
                )
            return x
        return beside(func, x, first, args) if isinstance(x, Tensor) and x.ndim else x

    found = func(*map(fitting, args), **{k: fitting(v) for k, v in kwargs.items()})
    return found if found is NotImplemented or isinstance(found, NestedTensor) else like(found, first)


def beside(func: Callable, x: Tensor, nested: Any, args: tuple) -> Tensor:
    """A tensor as it lies beside the values of a nested one: the same for each row, or, of as many dimensions, with a slice for each
    part, which is one row of it or has a row for each."""
    ragged, dims = nested._nested.ragged, nested._array.ndim + 1
    if x.ndim > dims:
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    alike = x
    while alike.ndim and alike.shape[0] == 1:
        alike = alike[0]
    if alike.ndim + 2 <= dims:
        return alike
    whole, own = sizes(nested), lengths(nested)

    def apart(beside: Any, text: str) -> RuntimeError:
        shown = [text.format(", ".join(map(str, whole if each is nested else beside))) for each in args[:2]]
        return RuntimeError(
            f"cannot call binary pointwise function {func.__name__}.Tensor with inputs of shapes {shown[0]} and {shown[1]}"
        )

    if x.ndim < dims or x.shape[0] != whole[0]:
        raise apart(x.shape, "torch.Size([{}])")
    x = x.expand([max(own) if i == ragged else n for i, n in enumerate(x.shape)])
    if list(x.shape[1:ragged]) != list(whole[1:ragged]):
        raise apart((*x.shape[:ragged], whole[ragged], *x.shape[ragged + 1 :]), "({})")
    rows = [part.narrow(ragged - 1, 0, n) for part, n in zip(x.unbind(), own, strict=True)]
    return find_function("cat")(rows, ragged - 1)


def inner(x: Any, dim: int, what: str) -> int:
    """A dimension of a nested tensor as one of its values; that of the parts and the ragged one are refused."""
    at = wrap_dim(dim, x._array.ndim + 1)
    if at in (0, x._nested.ragged):
        raise RuntimeError(f"{what}(): not supported for NestedTensor on {'ragged dim' if at else 'dim=0'}")
    return at - 1


def reduction(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Over all elements, within rows, over the rows of each part, or over all rows."""
    if dim is None:
        return func(input, *args, **kwargs)
    every = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    dims = input._array.ndim + 1
    ragged = input._nested.ragged
    places = {d % dims for d in every}
    if ragged in places and input._nested.lengths is not None:
        raise RuntimeError(
            f"{func.__name__}(): reducing across the ragged dimension is not supported for non-contiguous nested tensors with holes"
        )
    if {0, ragged} <= places:
        found = func(input, [d % dims - 1 for d in every if d % dims], *args, **kwargs)
        return found.unsqueeze(0) if True in args or kwargs.get("keepdim") else found
    if 0 in places or ragged in places and len(places) > 1:
        which = (
            "the batch dimension but not the ragged dimension" if 0 in places else "a ragged and non-batch dimension"
        )
        raise RuntimeError(f"{func.__name__}(): reducing along {which} is not supported for nested tensors")
    if places == {ragged}:
        found = [func(part, ragged - 1, *args, **kwargs) for part in parts(input)]
        if isinstance(found[0], tuple):
            return type(found[0])([find_function("stack")([each[i] for each in found]) for i in range(len(found[0]))])
        return find_function("stack")(found)
    within = [inner(input, d, func.__name__) for d in every]
    found = func(input, within if isinstance(dim, (tuple, list)) else within[0], *args, **kwargs)
    wrap = lambda v: like(v, input, None)  # noqa: E731
    return type(found)([wrap(v) for v in found]) if isinstance(found, tuple) else wrap(found)


def along(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A function of one dimension: within rows, or over the rows of each part."""
    dims = input._array.ndim + 1
    if dim is None or not isinstance(dim, int):
        raise RuntimeError(f"{func.__name__}(): a nested tensor needs dim")
    if dim % dims == input._nested.ragged:
        if input._nested.lengths is not None:
            raise RuntimeError(
                f"{func.__name__}(): not supported where lengths is not None if reducing across the ragged dimension for NestedTensor"
            )
        at = input._nested.ragged - 1
        if at and func.__name__ == "softmax":
            raise RuntimeError(
                "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor"
            )
        return like(find_function("cat")([func(part, at, *args, **kwargs) for part in parts(input)], at), input)
    if dim % dims == 0:
        raise RuntimeError(
            f"{func.__name__}(): not supported when reducing across the batch dimension for NestedTensor"
        )
    return like(func(input, inner(input, dim, func.__name__), *args, **kwargs), input)


def on_rows(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of the last dimensions."""
    return like(func(input, *args, **kwargs), input)


def matmul(func: Callable, input: Any, other: Any) -> Any:
    if isinstance(input, NestedTensor) and not isinstance(other, NestedTensor) and other.ndim == 2:
        return like(func(input, other), input)
    if not isinstance(input, NestedTensor):
        raise RuntimeError("matmul(): the first operand must be the nested tensor, or both")
    pairs = zip(parts(input), parts(other) if isinstance(other, NestedTensor) else other, strict=True)
    return like(find_function("cat")([a @ b for a, b in pairs], input._nested.ragged - 1), input)


def attention(
    func: Callable, query: Any, key: Any, value: Any, attn_mask: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """Attention of each part."""
    if attn_mask is not None:
        raise RuntimeError("attn_mask is not supported for nested tensors: the parts are told apart by themselves")
    at = query._nested.ragged - 1
    found = [func(*each, None, *args, **kwargs) for each in zip(*map(parts, (query, key, value)), strict=True)]
    return like(find_function("cat")(found, at), query)


def layer_norm(func: Callable, input: Any, normalized_shape: Any, *args: Any, **kwargs: Any) -> Any:
    shape, have = tuple(normalized_shape), sizes(input)
    what = "layer_norm(): not supported"
    if len(have) <= 2:
        raise RuntimeError(f"{what} for NestedTensor objects with 2 or fewer dimensions")
    if len(shape) == len(have):
        raise RuntimeError(f"{what} when normalizing over the batch dimension for NestedTensor")
    if input._nested.symbol not in shape:
        return like(func(input, shape, *args, **kwargs), input)
    if input._nested.lengths is not None:
        raise RuntimeError(f"{what} where lengths is not None if operating on the ragged dimension for NestedTensor")
    made = [func(each, each.shape[-len(shape) :], *args, **kwargs) for each in parts(input)]
    return like(find_function("cat")(made, input._nested.ragged - 1), input)


def transpose(func: Callable, input: Any, dim0: int, dim1: int) -> Any:
    dims = input._array.ndim + 1
    a, b = dim0 % dims, dim1 % dims
    if a == b:
        return input
    if 0 in (a, b):
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    ragged = {a: b, b: a}.get(input._nested.ragged, input._nested.ragged)
    return like(Tensor.transpose(input, a - 1, b - 1), input, ragged)


def permute(func: Callable, input: Any, *dims: Any) -> Any:
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    count = input._array.ndim + 1
    if len(given) != count:
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({count}) does not match the length of the desired ordering of "
            f"dimensions ({len(given)})."
        )
    order = [dim % count for dim in given]
    if len(set(order)) < count:
        raise ValueError("permute(): duplicate dims are not allowed.")
    if input._nested.lengths is not None:
        raise ValueError("permute(): not supported on jagged layout nested tensor with holes")
    if order[0]:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    return like(Tensor.permute(input, [dim - 1 for dim in order[1:]]), input, order.index(input._nested.ragged))


def view(func: Callable, input: Any, *size: Any) -> Any:
    wanted = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
    have, ragged = sizes(input), input._nested.ragged
    shown = ", ".join(map(str, have))
    fits = len(wanted) > max(ragged, 2) and wanted[0] in (-1, have[0]) and wanted[ragged] in (-1, have[ragged])
    if ragged != 1 and wanted != have:
        raise RuntimeError(
            f"view(): does not support ragged_idx != 1 except when inp._size == size. inp._size is (({shown})) and size is ({wanted})."
        )
    if not fits:
        raise RuntimeError(f"view(): cannot view shape ({shown}) as {wanted}")
    rows = input._array.shape[ragged - 1]
    return like(func(input, [rows if i == ragged else n for i, n in enumerate(wanted) if i]), input)


def expand(func: Callable, input: Any, *size: Any) -> Any:
    wanted = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
    have, ragged = sizes(input), input._nested.ragged
    if len(wanted) != len(have) or wanted[0] not in (-1, have[0]) or wanted[ragged] not in (-1, have[ragged]):
        raise RuntimeError(f"expand(): cannot expand shape ({', '.join(map(str, have))}) -> {tuple(wanted)}")
    return like(func(input, [-1 if i == ragged else n for i, n in enumerate(wanted) if i]), input)


def unflatten(func: Callable, input: Any, dim: int, sizes: Any) -> Any:
    return like(func(input, inner(input, dim, "unflatten"), sizes), input)


def flatten(func: Callable, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    return like(func(input, inner(input, start_dim, "flatten"), inner(input, end_dim, "flatten")), input)


def split(func: Callable, input: Any, size: Any, dim: int = 0) -> Any:
    if input._nested.lengths is not None:
        raise ValueError(
            f"NestedTensor {func.__name__}_default(self: jt, {func.__name__}s: any, dim: any?): expected self to be a contiguous "
            "jagged layout NestedTensor"
        )
    return tuple(like(each, input) for each in func(input, size, inner(input, dim, func.__name__)))


def cat(func: Callable, tensors: Any, dim: int = 0) -> Any:
    first = next(x for x in tensors if isinstance(x, NestedTensor))
    return like(func(list(tensors), inner(first, dim, "cat")), first)


def getitem(func: Callable, input: Any, index: Any) -> Any:
    """A part, or what an index takes of it."""
    given = index if isinstance(index, tuple) else (index,)
    if given and isinstance(given[0], int) and not isinstance(given[0], bool):
        found = parts(input)
        if not -len(found) <= given[0] < len(found):
            raise IndexError(f"index {given[0]} is out of bounds for dimension 0 with size {len(found)}")
        return found[given[0]][given[1:]] if len(given) > 1 else found[given[0]]
    if not given or given == (Ellipsis,):
        return like(Tensor.view_as(input, input), input)
    raise RuntimeError("slice(): not supported for NestedTensor on dim=0")


def select(func: Callable, input: Any, dim: int, index: int) -> Any:
    dims, ragged = input._array.ndim + 1, input._nested.ragged
    if not dim % dims:
        return getitem(func, input, index)
    if dim % dims != ragged and input._nested.lengths is not None:
        raise ValueError("select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes")
    at = inner(input, dim, "select")
    return like(func(input, at, index), input, ragged - (at < ragged - 1))


def is_contiguous(func: Callable, input: Any, *args: Any, **kwargs: Any) -> bool:
    return input._nested.lengths is None and func(input, *args, **kwargs)


def clone(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    if input._nested.lengths is not None and T.contiguous_format in (*args, kwargs.get("memory_format")):
        made = find_function("cat")(parts(input), input._nested.ragged - 1)
        counts = input._nested.lengths
        ends = find_function("cat")([counts.new_zeros(1), counts.cumsum(0)])
        return nest(made, jagged(ends, input._nested.ragged, None, input._nested.known))
    return like(func(input, *args, **kwargs), input)


def contiguous(func: Callable, input: Any, **kwargs: Any) -> Any:
    return (
        input
        if is_contiguous(Tensor.is_contiguous, input)
        else clone(Tensor.clone, input, memory_format=T.contiguous_format)
    )


def reshape(func: Callable, input: Any, *size: Any) -> Any:
    return view(Tensor.view, contiguous(func, input), *size)


def unbind(func: Callable, input: Any, dim: int = 0) -> tuple:
    if dim % (input._array.ndim + 1):
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    return tuple(parts(input))


def stride(func: Callable, input: Any, dim: Any = None) -> Any:
    have = Tensor.stride(input)
    found = (input._nested.symbol * have[input._nested.ragged - 1], *have)
    return found if dim is None else found[dim]


def numel(func: Callable, input: Any) -> int:
    if input._nested.lengths is None:
        return func(input)
    rows = input._array.shape[input._nested.ragged - 1]
    return func(input) // max(rows, 1) * sum(lengths(input))


def size(func: Callable, input: Any, dim: Any = None) -> Any:
    if dim is None:
        return shaped(Size, sizes(input))
    return sizes(input)[dim]


RULES.update({
    "elementwise": pointwise,
    **dict.fromkeys("sum mean amax amin prod any all var std logsumexp max min norm argmax argmin".split(), reduction),
    **dict.fromkeys("softmax log_softmax cumsum flip".split(), along),
    **dict.fromkeys("linear rms_norm embedding".split(), on_rows), "layer_norm": layer_norm,
    **dict.fromkeys(("matmul", "__matmul__"), matmul), "scaled_dot_product_attention": attention, "transpose": transpose, "permute": permute,
    "view": view, "reshape": reshape, "expand": expand, "select": select, "clone": clone, "contiguous": contiguous, "unflatten": unflatten, "flatten": flatten,
    **dict.fromkeys(("chunk", "split", "split_with_sizes"), split), **dict.fromkeys(("cat", "concat"), cat), "__getitem__": getitem,
    "shape": size, "size": size, "dim": lambda func, x: x._array.ndim + 1, "ndim": lambda func, x: x._array.ndim + 1,
    "unbind": unbind, "stride": stride, "numel": numel, "is_contiguous": is_contiguous, "__iter__": lambda func, x: iter(parts(x)),
    "__len__": lambda func, x: sizes(x)[0],
    "requires_grad_": lambda func, x, on=True: (func(x, on), x)[1], "backward": call, "to_dense": lambda func, x: padded(x, 0),
    "to_padded_tensor": lambda func, *args, **given: padded(*args, **given),
    "__deepcopy__": lambda func, x, memo: nest(Tensor.detach(x).clone().requires_grad_(x.requires_grad), x._nested),
    "is_same_size": lambda func, x, other: isinstance(other, NestedTensor) and sizes(x) == sizes(other),
    "data": lambda func, x: nest(Tensor.detach(x), x._nested),
    "unsqueeze": lambda func, x, dim: like(func(x, (dim if dim >= 0 else dim + x._array.ndim + 2) - 1), x),
    "squeeze": lambda func, x, dim: like(func(x, inner(x, dim, "squeeze")), x),
    **dict.fromkeys(TOLD - {"layout"}, call), "storage_offset": call, "apply_": lambda func, x, f: (func(x, f), x)[1],
})  # fmt: skip
