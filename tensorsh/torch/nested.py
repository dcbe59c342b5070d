"""``torch.nested``: batches of tensors of different lengths, held as one tensor of all rows and the offsets where each begins.

A nested tensor is its values, with the history that gradients need; functions reach it as they reach every class with
``__torch_function__``, and are computed on the values. One dimension is ragged; its size is a symbol, equal only to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ..engine.arrays.warning import warn
from ..engine.loading.elementwise import elementwise
from ..engine.loading.table import find_function
from ..engine.operators.hooks import stay
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.tensors.shape import shaped
from ..engine.tensors.tensor import Size, Tensor, TensorMeta
from .nested_strided import StridedNestedTensor, joined
from .nested_strided_rules import unbind
from .root import torch as T  # noqa: N812

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]

PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying "
    "layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator "
    "coverage, and works with torch.compile."
)


class Symbol(int):
    """The size of a ragged dimension: equal to itself alone."""

    count = 0

    def __new__(cls) -> Any:
        Symbol.count += 1
        made = int.__new__(cls, (1 << 48) + Symbol.count)
        made.number = Symbol.count
        return made

    def __repr__(self) -> str:
        return f"j{self.number}"  # type: ignore[attr-defined]

    __str__ = __repr__


class NestedTensor(Tensor, metaclass=TensorMeta):
    """Tensors of different lengths as one."""

    __module__ = "torch.nested._internal.nested_tensor"
    _nested: Any
    """The offsets, the symbol of the ragged dimension, its place, the layout."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.__name__
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        with DisableTorchFunctionSubclass():
            rule = RULES.get(name)
            if rule is not None:
                return rule(func, *args, **(kwargs or {}))
            if name in elementwise() or name in ELEMENTWISE:
                return pointwise(func, args, kwargs or {})
        raise NotImplementedError(
            f"tensorsh does not have {name}() of nested tensors: call it on the parts, torch.nested.as_nested_tensor("
            f"[f(t) for t in x.unbind()], layout=x.layout), or on x.to_padded_tensor(0)"
        )

    @property
    def grad(self) -> Any:
        with DisableTorchFunctionSubclass():
            found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
            return found if found is None else like(found.view_as(found), self)

    @grad.setter
    def grad(self, value: Any) -> None:
        Tensor.grad.fset(self, value)  # type: ignore[attr-defined]

    def values(self) -> Tensor:
        """All rows, one below the other."""
        with DisableTorchFunctionSubclass():
            return self.view_as(self) if self.requires_grad else self.detach()

    def offsets(self) -> Tensor:
        """Where each part begins, and the end."""
        return self._nested[0]

    def lengths(self) -> None:
        """None: the parts lie one behind the other."""

    @property
    def _values(self) -> Tensor:  # type: ignore[override]
        return self.values()

    @property
    def _offsets(self) -> Tensor:
        return self._nested[0]

    @property
    def _lengths(self) -> None:
        """None: the parts lie one behind the other."""

    @property
    def _ragged_idx(self) -> int:
        return self._nested[2]

    def _get_max_seqlen(self) -> int:
        return max(lengths(self))

    def _get_min_seqlen(self) -> int:
        return min(lengths(self))

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Tensor:
        """A tensor of all parts, the shorter ones filled up."""
        return to_padded_tensor(self, padding, output_size)

    @property
    def is_nested(self) -> bool:  # type: ignore[override]
        return True

    @property
    def layout(self) -> Any:  # type: ignore[override]
        return self._nested[3]

    def __repr__(self) -> str:  # type: ignore[override]
        offsets = self._nested[0]
        with DisableTorchFunctionSubclass():
            history = self.grad_fn
            marks = (
                f", grad_fn={history!r}"
                if history is not None
                else ", requires_grad=True"
                if self.requires_grad
                else ""
            )
            shape = ", ".join(map(str, sizes(self)))
            return f"NestedTensor(size=({shape}), offsets={offsets!r}{marks}, contiguous={self._nested[2] == 1})"


def sizes(x: Any) -> list:
    """The sizes of all dimensions, the ragged one by its symbol."""
    offsets, symbol, ragged, _ = x._nested
    shape = list(x._array.shape)
    return [offsets._array.size - 1, *[symbol if i == ragged - 1 else n for i, n in enumerate(shape)]]


def like(values: Tensor, x: Any, ragged: int | None = None) -> Any:
    """Values with the parts of a nested tensor."""
    offsets, symbol, at, layout = x._nested
    return nest(values, offsets, symbol, at if ragged is None else ragged, layout)


def nest(values: Tensor, offsets: Tensor, symbol: Any, ragged: int, layout: Any) -> Any:
    stay("classes")
    made = values if type(values) is Tensor else Tensor.view_as(values, values)
    made.__class__ = NestedTensor
    made._nested = (offsets, symbol, ragged, layout)  # type: ignore[attr-defined]
    return made


def parts(x: Any) -> list:
    """The tensors that a nested tensor is made of."""
    offsets, _, ragged, _ = x._nested
    with DisableTorchFunctionSubclass():
        return [Tensor.narrow(x, ragged - 1, a, b - a) for a, b in pairwise(offsets.tolist())]


def lengths(x: Any) -> list:
    return [b - a for a, b in pairwise(x._nested[0].tolist())]


def pointwise(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise, with nested tensors of the same parts, numbers, and tensors that are the same for each row or part."""
    first = next(x for x in (*args, *kwargs.values()) if isinstance(x, NestedTensor))
    dims = first._array.ndim + 1

    def fitting(x: Any) -> Any:
        if isinstance(x, NestedTensor):
            if x._nested[1] is not first._nested[1]:
                shown = [", ".join(map(str, sizes(each))) for each in (first, x)]
                raise RuntimeError(
                    f"cannot call binary pointwise function {func.__name__}.Tensor with inputs of shapes ({shown[0]}) and ({shown[1]})"
                )
            return x
        if isinstance(x, Tensor) and x.ndim:
            ragged = first._nested[2] - dims
            if x.ndim == dims:
                if x.shape[ragged] != 1:
                    raise RuntimeError("a tensor and a nested tensor: the ragged dimension of the tensor must be 1")
                x = x.squeeze(ragged)
                if x.shape[0] == 1:
                    return x.movedim(0, ragged + dims - 1)
                each = find_function("repeat_interleave")(x, find_function("tensor")(lengths(first)), dim=0)
                return each.movedim(0, ragged + dims - 1)
            if x.ndim >= -ragged and x.shape[ragged] != 1:
                raise RuntimeError("a tensor and a nested tensor: the ragged dimension of the tensor must be 1")
        return x

    found = func(*map(fitting, args), **{k: fitting(v) for k, v in kwargs.items()})
    return found if found is NotImplemented or isinstance(found, NestedTensor) else like(found, first)


def inner(x: Any, dim: int, what: str) -> int:
    """A dimension of a nested tensor as one of its values; that of the parts and the ragged one are refused."""
    dims = x._array.ndim + 1
    if not -dims <= dim < dims:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-dims}, {dims - 1}], but got {dim})")
    if dim % dims in (0, x._nested[2]):
        raise RuntimeError(f"{what}(): not supported for NestedTensor on dim={dim % dims}")
    return dim % dims - 1


def reduction(func: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Over all elements, within rows, over the rows of each part, or over all rows."""
    if dim is None:
        return func(input, *args, **kwargs)
    every = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    dims = input._array.ndim + 1
    ragged = input._nested[2]
    places = {d % dims for d in every}
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
    if dim % dims == input._nested[2]:
        at = input._nested[2] - 1
        return like(find_function("cat")([func(part, at, *args, **kwargs) for part in parts(input)], at), input)
    if dim % dims == 0:
        raise RuntimeError(
            f"{func.__name__}(): not supported when reducing across the batch dimension for NestedTensor"
        )
    return like(func(input, inner(input, dim, func.__name__), *args, **kwargs), input)


def on_rows(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of the last dimensions."""
    return like(func(input, *args, **kwargs), input)


def embedding(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    return like(func(input, weight, *args, **kwargs), input)


def matmul(func: Callable, input: Any, other: Any) -> Any:
    if isinstance(input, NestedTensor) and not isinstance(other, NestedTensor) and other.ndim == 2:
        return like(func(input, other), input)
    if not isinstance(input, NestedTensor):
        raise RuntimeError("matmul(): the first operand must be the nested tensor, or both")
    pairs = zip(parts(input), parts(other) if isinstance(other, NestedTensor) else other, strict=True)
    return like(find_function("cat")([a @ b for a, b in pairs], input._nested[2] - 1), input)


def attention(
    func: Callable, query: Any, key: Any, value: Any, attn_mask: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """Attention of each part."""
    if attn_mask is not None:
        raise RuntimeError("attn_mask is not supported for nested tensors: the parts are told apart by themselves")
    at = query._nested[2] - 1
    found = [func(*each, None, *args, **kwargs) for each in zip(*map(parts, (query, key, value)), strict=True)]
    return like(find_function("cat")(found, at), query)


def transpose(func: Callable, input: Any, dim0: int, dim1: int) -> Any:
    dims = input._array.ndim + 1
    a, b = dim0 % dims, dim1 % dims
    if a == b:
        return input
    if 0 in (a, b):
        raise RuntimeError("Transpose is not supported on the batch dimension for jagged NT")
    ragged = {a: b, b: a}.get(input._nested[2], input._nested[2])
    return like(Tensor.transpose(input, a - 1, b - 1), input, ragged)


def permute(func: Callable, input: Any, *dims: Any) -> Any:
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    count = input._array.ndim + 1
    order = [dim % count for dim in given]
    if order[:1] != [0]:
        raise RuntimeError("Permute is not supported on the batch dimension for jagged NT")
    return like(Tensor.permute(input, [dim - 1 for dim in order[1:]]), input, order.index(input._nested[2]))


def view(func: Callable, input: Any, *size: Any) -> Any:
    wanted = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
    have, ragged = sizes(input), input._nested[2]
    fits = (
        len(wanted) > ragged and wanted[0] in (-1, have[0]) and (wanted[ragged] is have[ragged] or wanted[ragged] == -1)
    )
    if not fits:
        shown = ", ".join(map(str, have))
        raise RuntimeError(f"view(): cannot view shape ({shown}) as {wanted}")
    return like(
        func(input, [input._array.shape[ragged - 1] if i == ragged else n for i, n in enumerate(wanted) if i]), input
    )


def unflatten(func: Callable, input: Any, dim: int, sizes: Any) -> Any:
    return like(func(input, inner(input, dim, "unflatten"), sizes), input)


def flatten(func: Callable, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    return like(func(input, inner(input, start_dim, "flatten"), inner(input, end_dim, "flatten")), input)


def split(func: Callable, input: Any, size: Any, dim: int = 0) -> Any:
    return tuple(like(each, input) for each in func(input, size, inner(input, dim, func.__name__)))


def cat(func: Callable, tensors: Any, dim: int = 0) -> Any:
    first = next(x for x in tensors if isinstance(x, NestedTensor))
    return like(func(list(tensors), inner(first, dim, "cat")), first)


def getitem(func: Callable, input: Any, index: Any) -> Any:
    if isinstance(index, int) and not isinstance(index, bool):
        return parts(input)[index]
    if isinstance(index, tuple) and index and isinstance(index[0], int):
        return parts(input)[index[0]][index[1:]]
    raise NotImplementedError("tensorsh indexes nested tensors by the number of a part: x[i], or x.unbind()")


def plain(func: Callable, *args: Any, **kwargs: Any) -> Any:
    return func(*args, **kwargs)


def size(func: Callable, input: Any, dim: Any = None) -> Any:
    if dim is None:
        return shaped(Size, sizes(input))
    return sizes(input)[dim]


ELEMENTWISE = frozenset("dropout alpha_dropout rand_like randn_like empty_like full_like cpu requires_grad_".split())
RULES: dict[str, Callable] = {
    **dict.fromkeys("sum mean amax amin prod any all var std logsumexp max min norm argmax argmin".split(), reduction),
    **dict.fromkeys("softmax log_softmax cumsum flip".split(), along),
    **dict.fromkeys("linear layer_norm rms_norm".split(), on_rows), "embedding": embedding,
    **dict.fromkeys(("matmul", "__matmul__"), matmul), "scaled_dot_product_attention": attention, "transpose": transpose, "permute": permute,
    **dict.fromkeys(("view", "reshape"), view), "unflatten": unflatten, "flatten": flatten,
    **dict.fromkeys(("chunk", "split", "split_with_sizes"), split), **dict.fromkeys(("cat", "concat"), cat), "__getitem__": getitem,
    "shape": size, "size": size, "dim": lambda func, x: x._array.ndim + 1, "ndim": lambda func, x: x._array.ndim + 1,
    "unbind": lambda func, x, dim=0: tuple(parts(x)), "__iter__": lambda func, x: iter(parts(x)),
    "__len__": lambda func, x: sizes(x)[0], "is_contiguous": lambda func, x, **_: x._nested[2] == 1,
    "requires_grad_": lambda func, x, on=True: (func(x, on), x)[1], "backward": plain, "to_dense": lambda func, x: x.to_padded_tensor(0),
    "unsqueeze": lambda func, x, dim: like(func(x, (dim if dim >= 0 else dim + x._array.ndim + 2) - 1), x),
    "squeeze": lambda func, x, dim: like(func(x, inner(x, dim, "squeeze")), x),
    **dict.fromkeys("dtype device requires_grad grad_fn is_leaf register_hook retain_grad numel __hash__ is_floating_point is_complex "
                    "__format__ element_size item data_ptr is_sparse is_cuda is_meta _version is_cpu output_nr".split(), plain),
}  # fmt: skip
"""What each function does with nested tensors; all others are elementwise, or refused."""


def _listed(tensor_list: Any, dtype: Any, device: Any, layout: Any) -> list:
    if isinstance(tensor_list, Tensor) and not tensor_list.is_nested:
        tensor_list = list(tensor_list.unbind())
    if not isinstance(tensor_list, (list, tuple)):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    if not tensor_list and layout is T.jagged:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    many = [x if isinstance(x, Tensor) else find_function("tensor")(x) for x in tensor_list]
    for i, x in enumerate(many):
        if x.ndim != many[0].ndim:
            if layout is T.jagged:
                raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dim")
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. "
                f"Found dimension {x.ndim} for Tensor at index {i} and dimension {many[0].ndim} for Tensor at index {i - 1}."
            )
    return [x if dtype is None else x.to(dtype) for x in many]


def _joined(many: list, layout: Any) -> Any:
    if layout is None or layout is T.strided:
        warn(PROTOTYPE, UserWarning)
        layout = T.strided
    elif layout is not T.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    if layout is T.strided:
        return joined(many)
    if many[0].ndim == 0 or len({x.shape[1:] for x in many}) > 1:
        raise NotImplementedError(
            "tensorsh has nested tensors with one ragged dimension, the first of each part: pad the others, or transpose the parts"
        )
    ends = [0]
    for x in many:
        ends.append(ends[-1] + x.shape[0])
    return nest(
        find_function("cat")(many),
        find_function("tensor")(ends),
        Symbol(),
        1,
        layout,
    )


def nested_tensor(
    tensor_list: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A leaf with a copy of each tensor. layout: torch.jagged, or None for the older, strided one."""
    many = _listed(tensor_list, dtype, device, layout)
    made = _joined([x.detach() for x in many], layout)
    return made.requires_grad_() if requires_grad else made


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Any:
    """A nested tensor of tensors, in their history: gradients reach them."""
    if isinstance(ts, StridedNestedTensor) and layout is T.jagged:
        ts = list(unbind(unbind, ts))
    return ts if isinstance(ts, (NestedTensor, StridedNestedTensor)) else _joined(_listed(ts, dtype, device, layout), layout)


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Any = None,
    lengths: Any = None,
    jagged_dim: int | None = None,
    min_seqlen: Any = None,
    max_seqlen: Any = None,
) -> Any:
    """A nested tensor of rows and the offsets (or the lengths) of its parts."""
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets = find_function("cat")([lengths.new_zeros(1), lengths.cumsum(0)])
    elif lengths is not None:
        raise NotImplementedError("tensorsh has no nested tensors with holes: give offsets or lengths, not both")
    with DisableTorchFunctionSubclass():
        return nest(values.view_as(values), offsets, Symbol(), 1 if jagged_dim is None else jagged_dim, T.jagged)


def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    """A tensor of all parts, the shorter ones filled up with a number, to the longest or to `output_size`."""
    if isinstance(input, StridedNestedTensor):
        return input.to_padded_tensor(padding, output_size)
    at = input._nested[2] - 1
    many = parts(input)
    longest = max(x.shape[at] for x in many) if output_size is None else output_size[at + 1]
    made = []
    for x in many:
        missing = longest - x.shape[at]
        if missing < 0:
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        shape = [missing if i == at else n for i, n in enumerate(x.shape)]
        made.append(find_function("cat")([x, x.new_full(shape, padding)], at) if missing else x)
    return find_function("stack")(made)


def narrow(tensor: Tensor, dim: int, start: Any, length: Any, layout: Any = None) -> Any:
    """A nested tensor of some entries of each row: as many as `length` says, from `start` on."""
    if dim != 1 or layout is not T.jagged:
        raise RuntimeError("tensorsh has nested.narrow along dim=1, with layout=torch.jagged")
    begins, counts = ([int(n)] * len(tensor) if isinstance(n, int) else n.tolist() for n in (start, length))
    rows = zip(tensor, begins, counts, strict=True)
    return as_nested_tensor([row.narrow(0, begin, count) for row, begin, count in rows], layout=T.jagged)


def masked_select(tensor: Tensor, mask: Tensor) -> Any:
    """A nested tensor of the elements of each row where a mask is True."""
    return as_nested_tensor([x[m] for x, m in zip(tensor, mask.expand_as(tensor), strict=True)], layout=T.jagged)
