"""``torch.nested``: batches of tensors of different sizes as one tensor. Of the jagged layout, with one ragged dimension
(`nested_jagged.py`), or of the older, strided one, with parts of any sizes (`nested_strided.py`).
"""

from __future__ import annotations

from typing import Any

from ..engine.arrays.warning import warn_of_old
from ..engine.loading.table import find_function
from ..engine.operators.torch_function import DisableTorchFunctionSubclass
from ..engine.tensors.tensor import Tensor
from ..engine.wording.overloads import refuse
from .nested_jagged import NestedTensor, jagged, nest
from .nested_jagged_rules import padded as padded_jagged
from .nested_strided import StridedNestedTensor, in_line, joined
from .nested_strided import nest as nest_strided
from .nested_strided_rules import padded as padded_strided
from .root import torch as T  # noqa: N812

__all__ = [
    "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor",
]  # fmt: skip


def laid_out(layout: Any) -> Any:
    """torch.jagged or torch.strided, of which PyTorch warns."""
    if layout is None or layout is T.strided:
        warn_of_old("nested")
        return T.strided
    if layout is not T.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    return layout


def converted(x: Tensor, dtype: Any, device: Any) -> Tensor:
    return x if dtype is None and device is None else x.to(device=device or x.device, dtype=dtype or x.dtype)


def strided_from_list(many: list, dtype: Any = None, device: Any = None) -> Any:
    for i, x in enumerate(many):
        if x.ndim != many[0].ndim:
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. "
                f"Found dimension {x.ndim} for Tensor at index {i} and dimension {many[0].ndim} for Tensor at index {i - 1}."
            )
    return joined([converted(x, dtype, device) for x in many])


def jagged_from_list(tensors: Any, offsets: Any = None, dtype: Any = None, device: Any = None) -> tuple:
    """A jagged tensor of a list of tensors, and its offsets."""
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what, kind in (
        ("have the same dtype", "dtype"),
        ("be on the same device", "device"),
        ("have the same dim", "ndim"),
    ):
        if any(getattr(x, kind) != getattr(tensors[0], kind) for x in tensors):
            raise RuntimeError(f"When constructing a nested tensor, all tensors in list must {what}")
    if not tensors[0].ndim:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    sizes = [x.shape for x in tensors]
    differ = [i for i in range(tensors[0].ndim) if any(size[i] != sizes[0][i] for size in sizes)]
    if len(differ) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout only allows for "
            "a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    at = differ[0] if differ else 0
    counts = [size[at] for size in sizes]
    if offsets is None:
        offsets = find_function("tensor")([sum(counts[:i]) for i in range(len(counts) + 1)], device=device)
    values = converted(find_function("cat")(list(tensors), at), dtype, device)
    known = {"min_seqlen": min(counts), "max_seqlen": max(counts)}
    return nest(values, jagged(offsets, at + 1, None, known)), offsets


def nested_tensor(
    tensor_list: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:  # fmt: skip
    """A leaf with a copy of each tensor. layout: torch.jagged, or None for the older, strided one."""
    layout = laid_out(layout)
    if layout is T.strided and not isinstance(tensor_list, (list, tuple)):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "pin_memory": pin_memory}
    if layout is T.strided:
        refuse("_nn.nested_tensor", (tensor_list,), options)
    many = [x.detach() if isinstance(x, Tensor) else find_function("tensor")(x) for x in tensor_list]
    make = jagged_from_list if layout is T.jagged else strided_from_list
    made = make(many, dtype=dtype, device=device)
    made = made[0] if layout is T.jagged else made
    return made.requires_grad_() if requires_grad else made


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Any:
    """A nested tensor of tensors, in their history: gradients reach them. A tensor is taken as those along its first dimension,
    without a copy where it is contiguous."""
    if not isinstance(ts, Tensor):
        if not isinstance(ts, (list, tuple)) or not all(isinstance(x, Tensor) for x in ts):
            raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
        layout = laid_out(layout)
        many = list(ts)
        return (
            jagged_from_list(many, None, dtype, device)[0]
            if layout is T.jagged
            else strided_from_list(many, dtype, device)
        )
    if ts.dim() < 2:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if ts.is_nested:
        if (layout or T.strided) is not ts.layout:
            raise RuntimeError("as_nested_tensor(): Converting between nested tensor layouts is not supported")
        return converted(ts, dtype, device)
    layout = laid_out(layout)
    count, longest = ts.shape[:2]
    with DisableTorchFunctionSubclass():
        whole = converted(ts.contiguous(), dtype, device)
        if layout is T.strided:
            return nest_strided(whole.view(-1), in_line([tuple(ts.shape[1:])] * count))
        offsets = (
            find_function("arange")(0, count * longest + 1, longest) if longest else T.zeros(count + 1, dtype=T.int64)
        )
        known = {"min_seqlen": longest, "max_seqlen": longest}
        return nest(whole.flatten(0, 1), jagged(offsets, 1, None, known))


def nested_tensor_from_jagged(
    values: Tensor, offsets: Any = None, lengths: Any = None, jagged_dim: int | None = None, min_seqlen: Any = None,
    max_seqlen: Any = None,
) -> Any:  # fmt: skip
    """A nested tensor of rows and the offsets (or the lengths) of its parts. With both, the rows behind a part's length are a hole.
    Parts with the same offsets, the same tensor, are of one shape."""
    if not isinstance(values, Tensor):
        raise RuntimeError(
            "torch.nested.nested_tensor_from_jagged does not support tracing with fx.symbolic_trace. "
            "Use fx.wrap to wrap the function that calls nested_tensor_from_jagged."
        )
    if offsets is None:
        if lengths is None:
            raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
        offsets = find_function("cat")([lengths.new_zeros(1), lengths.cumsum(0)])
        lengths = None
    return nested_view_from_values_offsets_lengths(
        values, offsets, lengths, 1 if jagged_dim is None else jagged_dim, min_seqlen, max_seqlen
    )


def nested_view_from_values_offsets_lengths(
    values: Tensor, offsets: Tensor, lengths: Any, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None
) -> Any:
    """A nested tensor on the memory of its rows."""
    known = {name: n for name, n in (("min_seqlen", min_seqlen), ("max_seqlen", max_seqlen)) if n is not None}
    with DisableTorchFunctionSubclass():
        return nest(values.view_as(values), jagged(offsets, ragged_idx, lengths, known))


def nested_view_from_values_offsets(
    values: Tensor, offsets: Tensor, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None
) -> Any:
    return nested_view_from_values_offsets_lengths(values, offsets, None, ragged_idx, min_seqlen, max_seqlen)


def nested_from_padded(
    padded: Tensor, offsets: Tensor, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None, sum_S: Any = None  # noqa: N803
) -> Any:  # fmt: skip
    """The rows of a padded tensor that offsets tell of."""
    counts = offsets.diff().tolist()
    rows = [x.narrow(ragged_idx - 1, 0, n) for x, n in zip(padded, counts, strict=True)]
    return nested_view_from_values_offsets(
        find_function("cat")(rows, ragged_idx - 1), offsets, ragged_idx, min_seqlen, max_seqlen
    )


def _nested_tensor_from_mask(t: Tensor, mask: Tensor, mask_check: bool = True) -> Any:
    """The rows where a mask is True, which are to be the first of each."""
    counts = mask.sum(-1).tolist()
    if mask_check and any(bool((~row[:n]).any()) for row, n in zip(mask, counts, strict=True)):
        raise RuntimeError("Expected mask to be left-aligned")
    return joined([row[:n] for row, n in zip(t, counts, strict=True)])


def _nested_from_padded(padded: Tensor, cpu_nested_shape_example: Tensor, fuse_transform_0213: bool = False) -> Any:
    """The parts of a padded tensor, of such sizes; fuse_transform_0213: after its middle dimensions have changed places, the last two
    as one."""
    if fuse_transform_0213:
        padded = padded.transpose(1, 2).flatten(2)
    rows = cpu_nested_shape_example.tolist()
    return joined([x[tuple([slice(0, n) for n in size])] for x, size in zip(padded, rows, strict=True)])


def _nested_from_padded_and_nested_example(padded: Tensor, nt_example: Any) -> Any:
    return _nested_from_padded(padded, nt_example._nested_tensor_size())


def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    """A tensor of all parts, the shorter ones filled up with a number, to the longest or to `output_size`."""
    refuse("_nn.nested_to_padded_tensor", (input, padding), {"output_size": output_size})
    with DisableTorchFunctionSubclass():
        if isinstance(input, StridedNestedTensor):
            return padded_strided(input, padding, output_size)
        if isinstance(input, NestedTensor):
            return padded_jagged(input, padding, output_size)
    raise NotImplementedError("Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend.")


def narrow(tensor: Tensor, dim: int, start: Any, length: Any, layout: Any = None) -> Any:
    """A nested tensor of some entries of each row: as many as `length` says, from `start` on. Of the jagged layout it is a view, with
    holes unless the entries lie one behind the other."""
    for name, given in (("start", start), ("length", length)):
        if not isinstance(given, (int, Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if layout is None or layout is T.strided:
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        return as_nested_tensor(list(tensor.unbind()), layout=T.strided).narrow(dim, start, length)
    if layout is not T.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested narrow: {layout}")
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    count, longest = tensor.shape[:2]
    begins, lengths = (T.tensor([n]) if isinstance(n, int) else n for n in (start, length))
    try:
        begins, lengths = begins.expand(count), lengths.expand(count)
    except RuntimeError:
        raise RuntimeError(
            "When constructing a jagged nested tensor using narrow(), your start and length must be Tensors that broadcast to "
            "input.shape[0]"
        ) from None
    first = begins + longest * T.arange(count)
    offsets = T.cat([first, (first[-1] + lengths[-1]).unsqueeze(0)])
    values = tensor.view(-1, *tensor.shape[2:])
    known = (int(lengths.min()), int(lengths.max()))
    if bool((offsets[:-1] + lengths == offsets[1:]).all()):
        begin, end = int(offsets[0]), int(offsets[-1])
        return nested_view_from_values_offsets(values[begin:end], offsets - begin, 1, *known)
    return nested_view_from_values_offsets_lengths(values, offsets, lengths, 1, *known)


def masked_select(tensor: Tensor, mask: Tensor) -> Any:
    """A jagged tensor of the elements where a mask is True: a part for each place of all dimensions but the last."""
    if tensor.layout is not T.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    if mask.layout is not T.strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided mask, given: {mask.layout}")
    values = tensor.masked_select(mask)
    counts = mask.expand(tensor.shape).sum(-1).reshape(-1)
    return nested_view_from_values_offsets(values, T.cat([counts.new_zeros(1), counts.cumsum(0)]))
