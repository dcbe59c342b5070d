"""What functions do with nested tensors of the strided layout: products, reductions, joining, copies, what they tell of themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import call
from typing import Any

from ..engine.tensors.tensor import Tensor
from .nested_strided import (
    RULES,
    TOLD,
    StridedNestedTensor,
    _rebuild_nested_tensor,  # noqa: F401
    chunk,
    column,
    contiguous,
    dims,
    getitem,
    in_line,
    joined,
    narrow,
    nest,
    padded,
    parts,
    pointwise,
    reshape_as,
    same_last,
    select,
    size_at,
    split_with_sizes,
    squeeze,
    table,
    transpose,
    unsqueeze,
    view,
    whole,
    wrapped,
)

__all__: list[str] = []


def no_sizes(what: str) -> RuntimeError:
    return RuntimeError(f"Internal error: NestedTensorImpl doesn't support {what}. Please file an issue.")


def size(func: Callable, input: Any, dim: Any = None) -> int:
    if dim is None:
        raise no_sizes("sizes")
    found = size_at(input, wrapped(input, dim))
    if found is None:
        raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
    return found


def stride(func: Callable, input: Any, dim: Any = None) -> Any:
    raise no_sizes("strides")


def unbind(func: Callable, input: Any, dim: int = 0) -> tuple:
    if wrapped(input, dim):
        raise RuntimeError(
            f"NestedTensor can only be unbound along dimension 0 got dimension {wrapped(input, dim)} instead."
        )
    return parts(input)


def matrices(x: Any) -> Any:
    return parts(x) if isinstance(x, StridedNestedTensor) else x.unbind()


def bmm(func: Callable, input: Any, mat2: Any) -> Any:
    for name, x in (("batch1", input), ("batch2", mat2)):
        if (dims(x) if isinstance(x, StridedNestedTensor) else x.ndim) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    many, others = matrices(input), matrices(mat2)
    if len(many) != len(others):
        raise RuntimeError(
            f"Expected size for the 1st dimension of batch2 tensor to be: {len(many)} but got: {len(others)}."
        )
    for i, (a, b) in enumerate(zip(many, others, strict=True)):
        if a.shape[1] != b.shape[0]:
            shown = " and ".join("x".join(map(str, m.shape)) for m in (a, b))
            raise RuntimeError(f"{i}-th nested matrices in batch cannot be multiplied ({shown})")
    return joined([a @ b for a, b in zip(many, others, strict=True)])


def matmul(func: Callable, input: Any, other: Any) -> Any:
    nested = [isinstance(x, StridedNestedTensor) for x in (input, other)]
    if nested == [True, False] and other.ndim == 2:
        return joined([each @ other for each in parts(input)])
    if not all(nested):
        kinds = "a nested self and non-nested other" if nested[0] else "a non-nested self and nested other"
        raise RuntimeError(f"Expected both to be nested, but got {kinds}")
    for place, x in (("1st", input), ("2nd", other)):
        if dims(x) < 3:
            raise RuntimeError(
                f"matmul: For nested tensors, only inputs with >= 3 dims are currently supported. {place} input has rank: {dims(x)}"
            )
    if dims(input) != dims(other):
        raise RuntimeError("matmul: both inputs must have the same rank")
    ours, theirs = input._nested.sizes, other._nested.sizes
    if len(ours) != len(theirs):
        raise RuntimeError(
            f"matmul: Expected size for the 1st dimension of 2nd input tensor to be: {len(ours)} but got: {len(theirs)}."
        )
    if any(a[:-2] != b[:-2] for a, b in zip(ours, theirs, strict=True)):
        batches = [table(tuple(row[:-2] for row in rows)) for rows in (ours, theirs)]
        raise RuntimeError(
            "matmul: For nested tensors, batch dimensions must have the same sizes, no broadcasting is currently performed. Got batch "
            f"shapes for self {batches[0]} and batch shapes for mat2 {batches[1]}"
        )
    if any(a[-1] != b[-2] for a, b in zip(ours, theirs, strict=True)):
        inner = [column([row[at] for row in rows]) for rows, at in ((ours, -1), (theirs, -2))]
        raise RuntimeError(
            f"matmul: Nested tensors cannot be matrix multiplied, last dimension of self has sizes{inner[0]}"
            f"second last dimension of mat2 has sizes{inner[1]}"
        )
    return joined([a @ b for a, b in zip(parts(input), parts(other), strict=True)])


def linear(func: Callable, input: Any, weight: Any, bias: Any = None) -> Any:
    if isinstance(weight, StridedNestedTensor):
        raise RuntimeError("Linear does not support nested weight when input is a nested tensor.")
    if not isinstance(input, StridedNestedTensor):
        raise RuntimeError("Linear: the input must be the nested tensor")
    if dims(input) != 3 or weight.ndim != 2:
        raise RuntimeError(
            "Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. "
            f"Nested tensor dim: {dims(input)}. Dense tensor dim: {weight.ndim}"
        )
    if not whole(input):
        raise RuntimeError("for now linear only supports contiguous nested tensor")
    last = same_last(input)
    if last != weight.shape[1]:
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to equal 'weight.size(1), "
            f"but got: last_dim = {last}, and weight.size(1) = {weight.shape[1]}"
        )
    made = func(Tensor.view(input, -1, last), weight, bias)
    return nest(made.reshape(-1), in_line([(*each[:-1], weight.shape[0]) for each in input._nested.sizes]))


def layer_norm(
    func: Callable, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, *args: Any, **kwargs: Any
) -> Any:
    shape = list(normalized_shape)
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    if dims(input) < 3:
        raise RuntimeError(f"NestedTensor must have at least 3 dimensions for layer_norm, got dimension: {dims(input)}")
    for i, wanted in enumerate(reversed(shape)):
        found = size_at(input, dims(input) - 1 - i) if i < dims(input) - 1 else None
        if found is None:
            raise RuntimeError("normalized_shape extends into irregular dimensions for the nested tensor")
        if found != wanted:
            raise RuntimeError(
                f"The shape at dimension {len(shape) - 1 - i}of normalized_shape doesn't match the input"
            )
    count = math.prod(shape)
    made = func(Tensor.view(contiguous(input), -1, *shape), shape, weight, bias, *args, **kwargs)
    return nest(made.reshape(-1) if count else made.reshape(0), in_line(input._nested.sizes))


def softmax(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    if not input._nested.sizes:
        return pointwise(Tensor.clone, (input,), {})
    at = wrapped(input, dim)
    if not at:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return joined([func(each, at - 1, *args, **kwargs) for each in parts(input)])


def total(func: Callable, input: Any, dim: Any = ..., keepdim: bool = False, **kwargs: Any) -> Any:
    if dim is ...:
        raise NotImplementedError(input._refusal.format(name="sum"))
    if dim is None:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    every = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if len(every) != 1:
        raise RuntimeError(
            f"NestedTensor only allows reduction of a single dimension for now. Got {len(every)} dimensions."
        )
    at = wrapped(input, every[0])
    if at != dims(input) - 1:
        raise RuntimeError(
            f"NestedTensor can only be reduced across the last dimension for now got dimension {at} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    if not whole(input):
        raise RuntimeError("NestedTensor does not support reductions when the input is noncontiguous for now.")
    return joined([func(each, -1, True, **kwargs) for each in parts(input)]) if input._nested.sizes else input


def each_all(func: Callable, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is None:
        return func(Tensor.view_as(input, input))
    at = wrapped(input, dim)
    if not at:
        raise RuntimeError("Cannot apply all across nested dimension 0")
    return joined([func(each, at - 1, keepdim) for each in parts(input)])


def attention(
    func: Callable, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """Attention of each part."""
    what = "scaled_dot_product_attention: Nested tensors for query / key / value are not supported when"
    if attn_mask is not None:
        raise RuntimeError(f"{what} an explicit attn_mask is set")
    if is_causal:
        raise RuntimeError(f"{what} is_causal=True")
    many = zip(*map(parts, (query, key, value)), strict=True)
    return joined([func(*[x.unsqueeze(0) for x in each], None, dropout_p, *args, **kwargs).squeeze(0) for each in many])


def embedding(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    made = func(Tensor.view_as(contiguous(input), contiguous(input)), weight, *args, **kwargs)
    return nest(made.reshape(-1), in_line([(*each, weight.shape[1]) for each in input._nested.sizes]))


def cat(func: Callable, tensors: Any, dim: int = 0) -> Any:
    first = next(x for x in tensors if isinstance(x, StridedNestedTensor))
    at = wrapped(first, dim)
    for x in tensors:
        if not isinstance(x, StridedNestedTensor):
            raise RuntimeError(
                "cat(): expected each tensor in given list to be nested"
                if at
                else "Expected each tensor in given list to be nested."
            )
        if not whole(x):
            raise RuntimeError(
                "cat(): only contiguous nested tensors are supported"
                if at
                else "Expected each tensor in given list to be contiguous."
            )
        if at:
            fits_beside(x, first, at)
    if not at:
        sizes = [each for x in tensors for each in x._nested.sizes]
        return nest(func([Tensor.view(x, -1) for x in tensors]), in_line(sizes))
    return joined([func(list(each), at - 1) for each in zip(*map(parts, tensors), strict=True)])


def fits_beside(x: Any, first: Any, at: int) -> None:
    """RuntimeError where nested tensors are not of the same sizes but along a dimension, and where several dimensions are ragged."""
    others = [[[*row[: at - 1], *row[at:]] for row in each._nested.sizes] for each in (x, first)]
    if others[0] != others[1] or dims(x) != dims(first):
        raise RuntimeError(
            "cat(): expected all nested tensors to have matching ragged structures outside of the concatenated dim"
        )
    if any(size_at(x, i) is None for i in range(2, dims(x))):
        raise RuntimeError("cat(): only nested tensors with a single ragged dim next to the batch dim are supported")


def copy_(func: Callable, input: Any, src: Any, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(input, StridedNestedTensor) or not isinstance(src, StridedNestedTensor):
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    if input._nested.sizes != src._nested.sizes:
        raise RuntimeError("copy_ only supports tensors that are the same size for Nested implementations")
    if input._nested == src._nested:
        return func(input, src, *args, **kwargs)
    for target, source in zip(parts(input), parts(src), strict=True):
        func(target, source, *args, **kwargs)
    return input


def fill_(func: Callable, input: Any, value: Any) -> Any:
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return func(input, value)


def in_buffer(x: Any, gradient: Any) -> Tensor:
    """A gradient of a nested tensor, laid into memory as that tensor's parts are."""
    if not isinstance(gradient, StridedNestedTensor) or gradient._nested.sizes != x._nested.sizes:
        raise RuntimeError("the gradient of a nested tensor must be a nested tensor of the same sizes")
    if gradient._nested == x._nested:
        return Tensor.view_as(gradient, gradient)
    made = Tensor.new_zeros(x, Tensor.size(x))
    for size, stride, offset, each in zip(*x._nested, parts(gradient), strict=True):
        made.as_strided(size, stride, offset).copy_(each)
    return made


def backward(func: Callable, input: Any, gradient: Any = None, *args: Any, **kwargs: Any) -> None:
    if gradient is None:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    func(input, in_buffer(input, gradient), *args, **kwargs)


def same_size(func: Callable, input: Any, other: Any) -> bool:
    return (
        isinstance(other, StridedNestedTensor) and input._nested.sizes == getattr(other, "_nested", input._nested).sizes
    )


def dropout(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    found = func(input, *args, **kwargs)
    return found if isinstance(found, StridedNestedTensor) else nest(found, input._nested)


RULES.update({
    "elementwise": pointwise, "sum": total, "all": each_all, "softmax": softmax, "linear": linear, "layer_norm": layer_norm, "embedding": embedding,
    "bmm": bmm, **dict.fromkeys(("matmul", "__matmul__"), matmul), "scaled_dot_product_attention": attention,
    "transpose": transpose, "mT": lambda func, x: transpose(func, x), "squeeze": squeeze, "unsqueeze": unsqueeze,
    **dict.fromkeys(("view", "reshape"), view), "reshape_as": reshape_as, "chunk": chunk, "split_with_sizes": split_with_sizes,
    "select": select, "narrow": narrow, "__getitem__": getitem, **dict.fromkeys(("cat", "concat"), cat), "copy_": copy_, "fill_": fill_,
    **dict.fromkeys("dropout alpha_dropout".split(), dropout), "backward": backward, "is_same_size": same_size,
    "shape": size, "size": size, "stride": stride, **dict.fromkeys(("dim", "ndim", "ndimension"), lambda func, x: dims(x)),
    "unbind": unbind, "__iter__": lambda func, x: iter(parts(x)), "__len__": lambda func, x: len(x._nested.sizes),
    "contiguous": lambda func, x, **_: contiguous(x), "is_contiguous": lambda func, x, **_: whole(x),
    "numel": lambda func, x: sum(map(math.prod, x._nested.sizes)), "to_padded_tensor": lambda func, *args, **given: padded(*args, **given),
    "data": lambda func, x: nest(Tensor.detach(x), x._nested), "storage_offset": lambda func, x: 0,
    "requires_grad_": lambda func, x, on=True: (func(x, on), x)[1], "to_dense": lambda func, x: padded(x, 0),
    "__deepcopy__": lambda func, x, memo: nest(Tensor.detach(x).clone().requires_grad_(x.requires_grad), x._nested),
    **dict.fromkeys(TOLD, call),
})  # fmt: skip
