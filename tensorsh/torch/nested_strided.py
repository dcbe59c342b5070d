"""Nested tensors of the strided layout: parts of any sizes in one buffer, each with its own sizes, strides and offset.

The tensor is its buffer, with the history that gradients need; what is elementwise is computed on the buffer, all else on the parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..engine.arrays.errors import wrap_dim
from ..engine.loading.table import find_function
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.tensors.tensor import Tensor
from .file_options import unless_skipped
from .nested_base import TRUNCATED, Nested, nested
from .root import torch as T  # noqa: N812

__all__: list[str] = []


RULES: dict[str, Callable] = {}
"""What each function does with such tensors (`nested_strided_rules.py` enters them); all others are elementwise, or refused."""
ON_BUFFER = frozenset(
    "dropout alpha_dropout rand_like randn_like empty_like full_like cpu requires_grad_ fill_ zero_ normal_".split()
)


TOLD = frozenset(
    """dtype device requires_grad grad_fn is_leaf register_hook retain_grad __hash__ is_floating_point is_complex layout __format__
    element_size item data_ptr _version output_nr type names is_inference is_pinned get_device untyped_storage _is_view _base is_sparse
    is_sparse_csr is_cuda is_cpu is_meta is_mps is_mtia is_xpu is_quantized is_mkldnn is_vulkan is_xla is_maia is_ipu is_hpu""".split()
)
"""What a nested tensor tells of itself as its buffer does."""


class Places(NamedTuple):
    """Where the parts lie in the buffer."""

    sizes: tuple
    strides: tuple
    offsets: tuple


def in_line(sizes: Any) -> Places:
    """Parts of such sizes, one behind the other."""
    offsets, strides, end = [], [], 0
    for size in sizes:
        offsets.append(end)
        strides.append(tuple(math.prod(size[i + 1 :]) for i in range(len(size))))
        end += math.prod(size)
    return Places(tuple(map(tuple, sizes)), tuple(strides), tuple(offsets))


class StridedNestedTensor(Nested):
    """Tensors of one number of dimensions, of any sizes, as one."""

    __module__ = "torch.nested"
    _nested: Places
    _rules = RULES
    _on_all = ON_BUFFER
    _refusal = (
        "Could not run 'aten::{name}' with arguments from the 'NestedTensorCPU' backend. Call it on the parts: "
        "torch.nested.as_nested_tensor([f(t) for t in x.unbind()]), or on x.to_padded_tensor(0)"
    )

    def _nested_tensor_size(self) -> Tensor:
        return table(self._nested.sizes)

    def _nested_tensor_strides(self) -> Tensor:
        return table(self._nested.strides)

    def _nested_tensor_storage_offsets(self) -> Tensor:
        return find_function("tensor")(list(self._nested.offsets), dtype=T.int64)

    def __reduce_ex__(self, protocol: Any) -> tuple:
        unless_skipped(self)
        numbers = (self._nested_tensor_size(), self._nested_tensor_strides(), self._nested_tensor_storage_offsets())
        return (_rebuild_nested_tensor, (self.values().detach(), *numbers))

    def __repr__(self) -> str:  # type: ignore[override]
        with DisableTorchFunctionSubclass():
            history = self.grad_fn
            wanted = self.requires_grad
            marks = f", grad_fn=<{history.name()}>" if history is not None else ", requires_grad=True" if wanted else ""
            shown = [repr(part.detach().requires_grad_(wanted)).replace("\n", "\n  ") for part in parts(self)]
        lines = ",\n".join("  " + line for line in shown)
        return f"nested_tensor([\n{lines}\n]{marks})"


def table(rows: tuple) -> Tensor:
    """Sizes or strides of all parts, a row for each."""
    made = find_function("tensor")([list(row) for row in rows], dtype=T.int64)
    return made.reshape(len(rows), len(rows[0])) if rows else made


def nest(buffer: Tensor, places: Places) -> Any:
    """A nested tensor on a buffer."""
    return nested(StridedNestedTensor, buffer, places)


def joined(many: Any) -> Any:
    """Tensors as one, copied into a buffer."""
    with DisableTorchFunctionSubclass():
        flat = [part.reshape(-1) for part in many]
        return nest(
            find_function("cat")(flat) if flat else find_function("zeros")(0), in_line([part.shape for part in many])
        )


def whole(x: Any) -> bool:
    """Whether the parts lie one behind the other, and fill the buffer."""
    return x._nested == in_line(x._nested.sizes)


def _nested_view_from_buffer(self: Tensor, nested_size: Tensor, nested_strides: Tensor, offsets: Tensor) -> Any:
    """A nested tensor on a buffer; a file's sizes, strides and offsets are to lie within it."""
    sizes, strides, starts = nested_size.tolist(), nested_strides.tolist(), offsets.tolist()
    places = Places(tuple(map(tuple, sizes)), tuple(map(tuple, strides)), tuple(starts))
    ends = [
        a + sum((n - 1) * s for n, s in zip(*row, strict=True)) for a, *row in zip(starts, sizes, strides, strict=True)
    ]
    numbers = [n for row in (*sizes, *strides, starts) for n in row]
    empty = [math.prod(size) == 0 for size in sizes]
    if any(n < 0 for n in numbers) or any(n >= self.numel() and not e for n, e in zip(ends, empty, strict=True)):
        raise RuntimeError("a nested tensor's parts must lie within its buffer")
    return nest(self.view_as(self), places)


def _rebuild_nested_tensor(buffer: Any, sizes: Any, strides: Any, storage_offsets: Any) -> Any:
    """What a file holds of a nested tensor."""
    given = (buffer, sizes, strides, storage_offsets)
    if not all(isinstance(x, Tensor) for x in given) or any(x.dtype is not T.int64 for x in given[1:]):
        raise ValueError("damaged file: a nested tensor of unknown form")
    return _nested_view_from_buffer(*given)


_rebuild_nested_tensor.__module__ = "torch._utils"


def part(x: Any, index: int) -> Tensor:
    size, stride, offset = (each[index] for each in x._nested)
    return Tensor.as_strided(x, size, stride, Tensor.storage_offset(x) + offset)


def parts(x: Any) -> tuple:
    """The tensors that a nested tensor is made of."""
    with DisableTorchFunctionSubclass():
        sizes = x._nested.sizes
        if whole(x) and len(sizes) > 1:
            pieces = Tensor.split(x, [math.prod(size) for size in sizes])
            return tuple([piece.view(size) for piece, size in zip(pieces, sizes, strict=True)])
        return tuple([part(x, i) for i in range(len(sizes))])


def dims(x: Any) -> int:
    return 1 + len(x._nested.sizes[0]) if x._nested.sizes else 1


def wrapped(x: Any, dim: int, more: int = 0) -> int:
    """A dimension, counted from the front."""
    return wrap_dim(dim, dims(x) + more)


def size_at(x: Any, dim: int) -> int | None:
    """The size of a dimension, or None where the parts differ."""
    if dim == 0:
        return len(x._nested.sizes)
    found = {size[dim - 1] for size in x._nested.sizes}
    return found.pop() if len(found) == 1 else None


def column(numbers: list) -> str:
    """Numbers as C++ writes a tensor of them."""
    return "\n".join(f" {n}" for n in numbers) + f"\n[ torch.LongTensor{{{len(numbers)}}} ]"


def same_last(x: Any) -> int:
    """The last size, which all parts are to share."""
    found = [size[-1] for size in x._nested.sizes]
    if len(set(found)) > 1:
        raise RuntimeError(
            "Expected all tensors in nested tensor to have the same trailing dimension, instead last dimension equals: "
            + column(found)
        )
    return found[0]


def contiguous(x: Any) -> Any:
    return x if whole(x) else joined(parts(x))


def operands(what: str, first: Any, second: Any) -> tuple:
    """Two operands of an elementwise function; RuntimeError unless their parts are of the same sizes and lie alike."""
    nested = [isinstance(x, StridedNestedTensor) for x in (first, second)]
    if not all(nested):
        dense = second if nested[0] else first
        if not isinstance(dense, Tensor) or not dense.ndim:
            return first, second
        kinds = "a nested self and non-nested other" if nested[0] else "a non-nested self and nested other"
        raise RuntimeError(f"Expected both self and other to be nested, but got {kinds}")
    if first._nested.sizes != second._nested.sizes:
        raise RuntimeError(f"{what} does not support broadcasting when given a NestedTensor")
    if what in ("add", "sub"):
        return contiguous(first), contiguous(second)
    for place in ("strides", "offsets"):
        if getattr(first._nested, place) != getattr(second._nested, place):
            raise RuntimeError(f"{what} requires {place} to match when given NestedTensors")
    return first, second


SPOKEN = {"truediv": "div", "true_divide": "div", "divide": "div", "multiply": "mul", "subtract": "sub"}
COPIES = frozenset(
    "clone detach to type_as bfloat16 bool double float half int long cpu requires_grad_ dropout alpha_dropout".split()
)


def pointwise(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise, on the buffers."""
    name = func.__name__
    format = kwargs.get("memory_format")  # noqa: A001
    if format not in (None, T.preserve_format, T.contiguous_format):
        shown = {"torch.channels_last": "ChannelsLast", "torch.channels_last_3d": "ChannelsLast3d"}.get(str(format))
        what = name if name == "clone" else "empty_like"
        raise RuntimeError(
            f"Nested tensor {what} supports Preserve and Contiguous memory formats, called {what} with memory format: {shown}"
        )
    given = list(args)
    if format is T.contiguous_format and given:
        given[0] = contiguous(given[0])
    spoken = name.strip("_")
    spoken = SPOKEN.get(spoken, spoken)
    values = {k: v for k, v in kwargs.items() if k != "memory_format"}
    if len(given) > 1 and name not in COPIES:
        if spoken == "eq" and isinstance(given[1], StridedNestedTensor):
            raise RuntimeError("eq does not support nested tensor as other value.")
        given[:2] = operands(spoken if name[-1:] != "_" or name[:1] == "_" else name, *given[:2])
    elif name not in COPIES and name not in ON_BUFFER and not whole(given[0]):
        raise RuntimeError("NestedTensor must be contiguous to get buffer.")
    first = next(x for x in (*given, *values.values()) if isinstance(x, StridedNestedTensor))
    found = func(*given, **values)
    return found if found is NotImplemented or isinstance(found, StridedNestedTensor) else nest(found, first._nested)


def viewed(x: Any, change: Callable) -> Any:
    """A view of each part, made by a function of size and stride of a part, that gives those of the view and how much further it begins."""
    new = [change(list(size), list(stride)) for size, stride, _ in zip(*x._nested, strict=True)]
    offsets = [offset + more for offset, (_, _, more) in zip(x._nested.offsets, new, strict=True)]
    places = Places(
        tuple([tuple(size) for size, _, _ in new]), tuple([tuple(stride) for _, stride, _ in new]), tuple(offsets)
    )
    return nest(Tensor.view_as(x, x), places)


def transpose(func: Callable, input: Any, dim0: int = -2, dim1: int = -1) -> Any:
    a, b = wrapped(input, dim0), wrapped(input, dim1)
    if a == b:
        return input
    if not a or not b:
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")

    def turned(size: list, stride: list) -> tuple:
        for each in (size, stride):
            each[a - 1], each[b - 1] = each[b - 1], each[a - 1]
        return size, stride, 0

    return viewed(input, turned)


NO_SQUEEZE = "at the moment if you need this feature, please open an issue on github describing your use case."


def squeeze(func: Callable, input: Any, dim: Any = None) -> Any:
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the moment, however you can use "
            "squeeze(Tensor self, int dim) instead if you need this feature, please open an issue on github describing your use case."
        )
    places = {wrapped(input, d) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))}
    if 0 in places:
        raise RuntimeError(f"squeeze(): For nested tensors, squeezing dimension 0 is not supported {NO_SQUEEZE}")
    places = {d for d in places if size_at(input, d) == 1}
    if places and dims(input) <= 1 + len(places):
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing a nested tensor of singleton tensors is not supported at the moment, if you "
            "need this feature, please open an issue on githubdescribing your use case."
        )
    left = lambda row: [n for i, n in enumerate(row) if i + 1 not in places]  # noqa: E731
    return viewed(input, lambda size, stride: (left(size), left(stride), 0))


def unsqueeze(func: Callable, input: Any, dim: int) -> Any:
    at = wrapped(input, dim, 1) - 1
    if at < 0:
        raise RuntimeError(f"unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported {NO_SQUEEZE}")

    def longer(size: list, stride: list) -> tuple:
        step = stride[at] * size[at] if at < len(size) else 1
        return [*size[:at], 1, *size[at:]], [*stride[:at], step, *stride[at:]], 0

    return viewed(input, longer)


def reshaped(size: list, wanted: tuple) -> list:
    """The sizes of a part in a new shape: -1 keeps the old size at its place, once where there are more dimensions than before."""
    new = list(wanted[1:])
    grows = len(size) < len(new)
    kept = [i for i, n in enumerate(new) if n == -1]
    if any(n < -1 for n in new):
        raise RuntimeError(f"invalid shape dimension {min(new)}")
    if grows and len([i for i in kept if i < len(size)]) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if grows and any(i >= len(size) for i in kept):
        raise RuntimeError("nested tensor does not infer shape")
    for i in kept:
        new[i] = size[i]
    if math.prod(new) != math.prod(size):
        raise RuntimeError(f"shape '{list(wanted)}' is invalid for input of size {math.prod(size)}")
    return new


def view(func: Callable, input: Any, *shape: Any, **kwargs: Any) -> Any:
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape or kwargs["shape"]
    if isinstance(given, T.dtype):
        raise RuntimeError("view(): a nested tensor keeps its dtype")
    wanted = tuple(given)
    if not wanted:
        raise RuntimeError("shape '[]' is invalid for a nested tensor")
    if not input._nested.sizes:
        raise RuntimeError("empty nested tensor cannot be reshaped")
    what = func.__name__
    if wanted[0] != len(input._nested.sizes):
        raise RuntimeError(f"{what}: For now nested {what} cannot change or infer the implicit batch dimension")
    sizes = [reshaped(list(size), wanted) for size in input._nested.sizes]
    try:
        looked = [each.detach().view(size) for each, size in zip(parts(input), sizes, strict=True)]
    except RuntimeError:
        if what == "view":
            raise
        input = joined(parts(input))
        return nest(Tensor.view_as(input, input), in_line(sizes))
    strides = tuple([each.stride() for each in looked])
    return nest(Tensor.view_as(input, input), Places(tuple(map(tuple, sizes)), strides, input._nested.offsets))


def reshape_as(func: Callable, input: Any, other: Any) -> Any:
    found = [size_at(other, i) for i in range(dims(other))]
    return view(Tensor.reshape, input, [-1 if n is None else n for n in found])


def split_with_sizes(func: Callable, input: Any, split_sizes: Any, dim: int = 0) -> tuple:
    if wrapped(input, dim) != dims(input) - 1:
        raise RuntimeError("split_with_sizes for nested tensors is currently only supported for the last dimension.")
    if not whole(input):
        raise RuntimeError("split_with_sizes expects `self` to be contiguous.")
    last = same_last(input)
    if sum(split_sizes) != last:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {last} (input tensor's size at dimension -1), "
            f"but got split_sizes={list(split_sizes)}"
        )
    made, at = [], 0
    for count in split_sizes:
        made.append(viewed(input, lambda size, stride, n=count, a=at: ([*size[:-1], n], stride, a * stride[-1])))
        at += count
    return tuple(made)


def chunk(func: Callable, input: Any, chunks: int, dim: int = 0) -> tuple:
    if wrapped(input, dim) != dims(input) - 1:
        raise RuntimeError("Chunk for nested tensors is currently only supported for the last dimension.")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not whole(input):
        raise RuntimeError("chunk expects `self` to be contiguous.")
    last = same_last(input)
    if last % chunks:
        raise RuntimeError(
            f"Chunk for nested tensors is only supported for nested tensors with trailing dimension divisible by chunks. "
            f"Got: {last} % {chunks} != 0"
        )
    return split_with_sizes(func, input, [last // chunks] * chunks, -1)


def select(func: Callable, input: Any, dim: int, index: int) -> Any:
    at, count = wrapped(input, dim) - 1, len(input._nested.sizes)
    if not count:
        raise IndexError("You can only select when the NT is not empty.")
    if at < 0:
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return part(input, index % count)
    for i, size in enumerate(input._nested.sizes):
        if not 0 <= index < size[at]:
            raise IndexError(
                f"index {index} is out of bounds for dimension {at} of the {i}th constituent tensor with size {size[at]}"
            )
    without = lambda row: [*row[:at], *row[at + 1 :]]  # noqa: E731
    return viewed(input, lambda size, stride: (without(size), without(stride), index * stride[at]))


def getitem(func: Callable, input: Any, index: Any) -> Any:
    given = index if isinstance(index, tuple) else (index,)
    if not given or given == (Ellipsis,):
        return viewed(input, lambda size, stride: (size, stride, 0))
    first = given[0]
    if first is None:
        return unsqueeze(func, input, 0)
    if isinstance(first, Tensor) and not first.ndim and first.dtype is not T.bool:
        first = int(first)
    if not isinstance(first, int) or isinstance(first, bool):
        raise NotImplementedError(
            "Could not run 'aten::slice.Tensor' with arguments from the 'NestedTensorCPU' backend. "
            "Call it on the parts: a nested tensor is indexed by the number of a part: x[i], or x.unbind()"
        )
    found = select(func, input, 0, first)
    return found[given[1:]] if len(given) > 1 else found


def narrow(func: Callable, input: Any, dim: int, start: Any, length: int) -> Any:
    if wrapped(input, dim):
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    if not whole(input):
        raise RuntimeError("narrow(): only contiguous nested tensors supported")
    count = len(input._nested.sizes)
    begin = int(start) % count if int(start) < 0 else int(start)
    if begin + length > count or length < 0:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({count}).")
    sizes = input._nested.sizes[begin : begin + length]
    offset = input._nested.offsets[begin] if length else 0
    return nest(Tensor.narrow(input, 0, offset, sum(map(math.prod, sizes))), in_line(sizes))


def padded(input: Any, padding: float, output_size: Any = None) -> Tensor:
    """A tensor of all parts, filled up with a number to the largest sizes, or to `output_size`."""
    if not input._nested.sizes:
        return find_function("zeros")(0, dtype=input.dtype)
    if not whole(input):
        raise RuntimeError("for now to_padded_tensor only supports contiguous nested tensor")
    if not any(map(math.prod, input._nested.sizes)):
        raise RuntimeError("to_padded_tensor: at least one constituent tensor should have non-zero numel")
    largest = [max(sizes) for sizes in zip(*input._nested.sizes, strict=True)]
    if output_size is not None:
        wanted = list(output_size)[1:]
        if len(wanted) != len(largest) or any(n < m for n, m in zip(wanted, largest, strict=True)):
            raise RuntimeError(TRUNCATED)
        largest = wanted
    made = []
    for each in parts(input):
        missing = [(0, n - m) for n, m in zip(largest, each.shape, strict=True)]
        flat = [n for pair in reversed(missing) for n in pair]
        made.append(T.nn.functional.pad(each, flat, value=padding) if any(flat) else each)
    return find_function("stack")(made)
