"""``torch.nn.utils.rnn``: sequences of different lengths, padded to one tensor or packed without padding.

A packed sequence holds, for each time step, the rows of the sequences that are that long, longest first:

    a b c      data         a d f b e c
    d e    ->  batch_sizes  [3, 2, 1]
    f
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np

from ....engine.arrays.dtype import float16, float32, float64, int8, int16, int32, int64, uint8
from ....engine.arrays.errors import check_broadcast
from ....engine.graph.fields import wrap
from ....engine.ops.nn.recurrent import retitle
from ....engine.tensors.tensor import Tensor
from ....engine.wording.overloads import refuse
from ....sandbox.sealed import Sealed
from ..reach import T

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(
    namedtuple("PackedSequence", "data batch_sizes sorted_indices unsorted_indices"), metaclass=Sealed
):
    """The rows of sequences of different lengths, time step after time step."""

    __module__ = "torch.nn.utils.rnn"
    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They "
                "should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence in another dtype or on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [i if i is None else i.to(data.device) for i in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(data, self.batch_sizes, *moved)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(*args, **(kwargs or {"device": "cuda"}))

    def cpu(self) -> PackedSequence:
        return self.to(device="cpu")

    def pin_memory(self) -> PackedSequence:
        return self

    def is_pinned(self) -> bool:
        return False

    is_cuda = property(lambda self: self.data.is_cuda)


def _in_dtype(name: str, dtype: Any) -> Any:
    def converted(self: PackedSequence) -> PackedSequence:
        return self.to(dtype=dtype)

    converted.__name__, converted.__qualname__ = name, f"PackedSequence.{name}"
    return converted


for _name, _dtype in (
    ("double", float64), ("float", float32), ("half", float16), ("long", int64), ("int", int32), ("short", int16), ("char", int8),
    ("byte", uint8),
):  # fmt: skip
    type.__setattr__(PackedSequence, _name, _in_dtype(_name, _dtype))


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another."""
    if permutation is None:
        return None
    places = T.arange(0, permutation.numel(), device=permutation.device)
    return T.empty_like(permutation).scatter_(0, permutation, places)


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> Any:
    """Padded sequences as a PackedSequence, without the padding, for recurrent layers.
    input: a tensor (T, N, ...). lengths: those of the sequences, a list or a tensor (N,). batch_first: the input is (N,
    T, ...) (False). enforce_sorted: lengths must fall (True); False sorts them. RuntimeError for other lengths.
    >>> nn.utils.rnn.pack_padded_sequence(torch.tensor([[1, 3], [2, 0]]), [2, 1]).data
    tensor([1, 3, 2])"""
    lengths = (lengths if isinstance(lengths, Tensor) else T.as_tensor(lengths, dtype=int64)).to(int64)
    if enforce_sorted:
        refuse("_nn._pack_padded_sequence", (input, lengths, batch_first), {})
    if input.numel() == 0 or not (enforce_sorted or lengths.numel()):
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D {lengths.device.type} Long tensor"
        )
    order = None
    if not enforce_sorted:
        lengths, order = T.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
        refuse("_nn._pack_padded_sequence", (input, lengths, batch_first), {})
    if batch_first:
        input = input.transpose(0, 1)
    sizes = lengths.tolist()
    if len(sizes) != input.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={input.shape[1]})"
        )
    if sizes[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in zip(sizes, sizes[1:], strict=False)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    batch_sizes = (np.array(sizes)[None, :] > np.arange(sizes[0])[:, None]).sum(1)
    rows = np.concatenate([t * len(sizes) + np.arange(n) for t, n in enumerate(batch_sizes)])
    data = input.reshape((-1, *input.shape[2:])).index_select(0, wrap(rows.astype(np.int64)).to(input.device))
    retitle(data, "PackPaddedSequenceBackward0")
    return PackedSequence(data, wrap(batch_sizes.astype(np.int64)), order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple:
    """Padded tensor (T, N, ...) and lengths (N,) of a PackedSequence: the inverse of pack_padded_sequence.
    sequence: the PackedSequence. batch_first: (N, T, ...) instead (False). padding_value: what is filled in (0.0).
    total_length: the T, at least that of the longest (None). ValueError for a smaller one.
    >>> nn.utils.rnn.pad_packed_sequence(nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]))
    (tensor([[1, 3],
            [2, 0]]), tensor([2, 1]))"""
    sizes = sequence.batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got total_length="
                f"{total_length} and max sequence length being {longest}"
            )
        longest = total_length
    data = sequence.data
    refuse("_nn._pad_packed_sequence", (data, sequence.batch_sizes, batch_first, padding_value, longest), {})
    batch = sizes[0]
    # Each place of the result takes a row of the data, or the row of padding behind them.
    rows = np.full((longest, batch), data.shape[0], np.int64)
    for t, (at, n) in enumerate(zip([0, *accumulate(sizes)], sizes, strict=False)):
        rows[t, :n] = at + np.arange(n)
    padding = T.full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
    order = sequence.unsorted_indices
    lengths = (np.array(sizes)[:, None] > np.arange(batch)[None, :]).sum(0).astype(np.int64)
    if order is not None:
        places = order.cpu()._array
        rows, lengths = rows[:, places], lengths[places]
    if batch_first:
        rows = rows.T
    padded = T.cat([data, padding], 0)[wrap(np.ascontiguousarray(rows))]
    retitle(
        padded, "IndexSelectBackward0" if order is not None else "TransposeBackward0" if batch_first else "CatBackward0"
    )
    return padded, wrap(lengths)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences of different lengths as one tensor (T, N, ...), filled up to the longest.
    sequences: a list of tensors (length, ...). batch_first: (N, T, ...) instead (False). padding_value: what is filled
    in (0.0).
    padding_side: 'right' (default) or 'left'. RuntimeError where other sizes differ.
    >>> nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])"""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    parts = tuple(sequences)
    refuse("_nn.pad_sequence", (parts, batch_first, padding_value, padding_side), {})
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not parts[0].ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    longest = max(part.shape[0] for part in parts)
    shape = (len(parts), longest) if batch_first else (longest, len(parts))
    made = T.full((*shape, *parts[0].shape[1:]), padding_value, dtype=parts[0].dtype, device=parts[0].device)
    for i, part in enumerate(parts):
        n = part.shape[0]
        where = slice(longest - n, longest) if padding_side == "left" else slice(0, n)
        at = (i, where) if batch_first else (where, i)
        target = made[at]
        check_broadcast([target, part])
        whole = np.broadcast_shapes(target.shape, part.shape)
        if whole != tuple(target.shape):
            raise RuntimeError(
                f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(whole)}"
            )
        made[at] = part
    return made


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list:
    """The sequences of a padded tensor, as a list of tensors without their padding.

    padded_sequences: a tensor ``[T, B, ...]``. lengths: a tensor ``[B]`` of their lengths. batch_first: it is ``[B, T, ...]``.

    >>> nn.utils.rnn.unpad_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # in place: PyTorch leaves the argument turned, too
    places = T.arange(padded_sequences.shape[1], device=lengths.device)
    return [row[places < n] for row, n in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of different lengths, packed for a recurrent network: a PackedSequence.

    sequences: tensors ``[length, ...]``. enforce_sorted: they come longest first, RuntimeError otherwise; with False they are sorted.

    >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    PackedSequence(data=tensor([1, 4, 2, 3]), batch_sizes=tensor([2, 1, 1]), sorted_indices=None, unsorted_indices=None)
    """
    lengths = T.as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list:
    """The sequences that were packed, as a list of tensors in their first order.

    packed_sequences: a PackedSequence.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2, 3]), tensor([4])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


for _f in (
    invert_permutation, pack_padded_sequence, pad_packed_sequence, pad_sequence, unpad_sequence, pack_sequence,
    unpack_sequence,
):  # fmt: skip
    _f.__module__ = "torch.nn.utils.rnn"
