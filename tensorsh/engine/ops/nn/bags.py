"""Bags of embeddings: the sum, mean or maximum of the rows that each bag of indices names, in one step."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ....sandbox.long_calls import argsort
from ...arrays.backend import fold_at, module_of, same_device
from ...arrays.bounds import outside
from ...arrays.constants import FLOAT64
from ...arrays.cupy_module import accelerator
from ...arrays.device import absent
from ...arrays.dtype import bfloat16, float16, float32, float64
from ...arrays.errors import not_implemented, tensor_type, unmet
from ...arrays.extents import repeated
from ...arrays.promotion import result_type
from ...arrays.warning import warn
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...loading import table
from ...operators.declare import Array, composite, operator
from .embedding import check_indices, check_kinds, renormalise, spread_of

SUM, MEAN, MAX = range(3)
bag_rows: Any = kernel("bag_rows", unsuited)
bag_maxima: Any = kernel("bag_maxima", unsuited)
"""Rows added to the rows of their bags; None for what is not for it."""
FEW = 1 << 14
"""So many numbers of bags are kept for the next call."""
WIDE = 256
"""Rows that are so wide are added several at a time."""


def starts(bag: Any, bags: int) -> Any:
    """Where each bag begins, given the numbers of the bags of the indices, which ascend."""
    xp = module_of(bag)
    return xp.searchsorted(bag, xp.arange(bags + 1))


def maxima(xp: Any, weight: Any, indices: Any, bag: Any, bags: int) -> tuple:
    """The largest element of each column over the rows of each bag, and the index of the row it came from, as they are found by
    asking whether each is larger than the last."""
    if xp is not np:
        return accelerator().row_maxima(xp, weight, indices, starts(bag, bags))
    best, where = np.zeros((bags, weight.shape[1]), weight.dtype), np.full((bags, weight.shape[1]), -1, np.int64)
    if bag_maxima(weight, indices, bag, best, where) is not None:
        return best, where
    rows = weight[indices]
    edges = starts(bag, bags).tolist()
    if (unknown := rows != rows).any():  # more than nothing is no NaN, but for the one that a bag begins with
        unknown[[begin for begin, end in zip(edges, edges[1:], strict=False) if begin < end]] = False
        rows[unknown] = -np.inf
    first = np.zeros(best.shape, np.int64)
    for number, (begin, end) in enumerate(zip(edges, edges[1:], strict=False)):
        if begin < end:
            rows[begin:end].argmax(0, first[number])
            first[number] += begin
    if len(rows):
        held = np.diff(edges) > 0
        best[held] = np.take_along_axis(rows, first[held], 0)
        where[held] = indices[first[held]]
    return best, where


@operator("_embedding_bag", node="EmbeddingBagBackward0", method=False, wide=True)
def bags_of(
    xp, weight: Array, indices, bag, bags, mode, frequencies, kept, per_sample_weights: Array = None, sparse=False
):
    """Row i of the result combines the rows of weight [V, D] whose `indices` have the number i in `bag`; `kept` says which of the
    per_sample_weights they have, where not all."""
    if mode == MAX:
        return maxima(xp, weight, indices, bag, bags)
    shares = per_sample_weights if kept is None or per_sample_weights is None else per_sample_weights[kept]
    if xp is not np:
        out = accelerator().row_sums(xp, weight, indices, starts(bag, bags), shares)
        return (out / sizes(bag, bags, out.dtype)[:, None] if mode == MEAN else out), None
    out = xp.zeros((bags, weight.shape[1]), weight.dtype)
    if bag_rows(weight, indices, bag, out, shares) is None:
        rows = xp.take(weight, indices, axis=0)
        if per_sample_weights is not None:
            rows = rows * shares[:, None]
        out = sums(rows, bag, bags)
    return (out / sizes(bag, bags, out.dtype)[:, None] if mode == MEAN else out), None


def sums(rows: Any, bag: Any, bags: int) -> Any:
    """The rows of each bag summed; `bag` ascends."""
    out = np.zeros((bags, rows.shape[1]), rows.dtype)
    if len(bag):
        first = np.flatnonzero(np.concatenate(([True], bag[1:] != bag[:-1])))
        out[bag[first]] = np.add.reduceat(rows, first, axis=0) + 0  # a sum from zero: -0 is none
    return out


def sizes(bag: Any, bags: int, dtype: Any) -> Any:
    if absent(bag):
        return module_of(bag).ones(bags, dtype)
    xp = module_of(bag)
    return xp.maximum(xp.diff(starts(bag, bags)), 1).astype(dtype)


def rows_of_bags(g: Any, indices: Any, bag: Any, weight: Any) -> Any:
    """The gradient of a table of those of its bags, of which no row is copied for each index; None where a kernel does not add it."""
    if type(g) is not np.ndarray or type(weight) is not np.ndarray:
        return None
    rows, width = weight.shape
    if width >= WIDE and 8 * rows <= indices.size and rows <= 1 << 16:
        order = argsort(
            indices.astype(np.uint16), kind="stable"
        )  # what is added to a row comes in a row, in the order it had
        indices, bag = indices[order], bag[order]
    return bag_rows(np.ascontiguousarray(g), bag, indices, np.zeros(weight.shape, g.dtype))


@bags_of.joint_gradient
def _(t, g, needs, weight, indices, bag, bags, mode, frequencies, kept, per_sample_weights, sparse, result1):
    dtype, made = t.array(weight).dtype, t.constant
    bare = lambda x: getattr(x, "_array", x)
    if mode == MAX:
        held = bare(result1) >= 0
        at = module_of(held).where(held, bare(result1), 0)
        full = t.zeros_like(weight)
        return t.scatter_add(full, 0, made(at), g * made(held.astype(dtype))), None
    if not needs[1] and per_sample_weights is None and frequencies is None and not sparse:
        rows = rows_of_bags(g if mode == SUM else g / made(sizes(bag, bags, dtype)[:, None]), indices, bag, weight)
        if rows is not None:
            return rows, None
    values = t.index_select(g, 0, made(bag))
    to_weights = t.sum(values * t.index_select(weight, 0, made(indices)), 1) if needs[1] else None
    if needs[1] and kept is not None:
        to_weights = t.scatter_add(t.zeros_like(per_sample_weights), 0, made(kept), to_weights)
    if mode == MEAN:
        values = values / made(sizes(bag, bags, dtype)[bag][:, None])
    if per_sample_weights is not None:
        shares = per_sample_weights if kept is None else t.index_select(per_sample_weights, 0, made(kept))
        values = values * t.unsqueeze(shares, 1)
    if frequencies is not None:
        values = values / made(frequencies.astype(dtype)[:, None])
    return spread_of(t, sparse)(values, made(indices), weight.shape[0], -1), to_weights


@lru_cache(64)
def of_length(bags: int, length: int) -> Any:
    """The bag of each index of bags of one length; only read."""
    found = np.repeat(np.arange(bags), length)
    found.flags.writeable = False
    return found


def numbered(index: Any, begins: Any, bags: int, rows: int, by_index: bool, length: int | None = None) -> Any:
    """The bag of each index, where all are checked; `length`: that of all bags; `by_index`: what PyTorch adds up bag by bag. The rest it leaves to a library,
    which says other things and ends at the last offset."""
    if len(begins) and begins[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{begins[0]}\n[ torch.{'Int' if begins.dtype == np.int32 else 'Long'}Tensor{{}} ]"
        )
    if len(begins) and begins[-1] > len(index):
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {len(index)} but got offsets[-1] of {begins[-1]}"
        )
    if len(index) and index.view(np.uint64).max() >= rows:
        at = np.flatnonzero((index < 0) | (index >= rows))[0]
        if by_index:
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {index[at]}"
            )
        raise RuntimeError(f"Index {at} of input takes value {index[at]} which is not in the valid range [0, {rows})")
    if length is not None:
        return of_length(bags, length) if len(index) <= FEW else np.repeat(np.arange(bags), length)
    ends = np.append(begins[1:], len(index))[:bags]
    if by_index and bags:
        ends[-1] = len(index)
    sizes = ends - begins[:bags]
    if bags and begins.min() < 0:
        raise IndexError("index out of range in self")
    if bags and sizes.min() < 0:  # PyTorch tells so of the usual sums; of others it mixes bags
        raise RuntimeError(unmet("i < index_size"))
    return repeated(np.arange(bags), sizes)


def combined(
    weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, include_last_offset, padding_idx, sparse=False, length=None
):  # fmt: skip
    """The bags, and the number of the bag of each index, without those that are `padding_idx`; `length`: that of all bags, where they
    have one."""
    check_indices(result_type([indices._array, offsets._array]), "#1", "embedding_bag")
    check_kinds(weight.dtype, (float16, bfloat16, float32, float64), "#1 'weight'", "embedding_bag")
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        kinds = f"type {tensor_type(weight.dtype)} does not equal {tensor_type(per_sample_weights.dtype)}"
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; "
            f"but {kinds} (while checking arguments for embedding_bag)"
        )
    if not weight.is_cpu or not indices.is_cpu:
        parts = {"weight": weight, "indices": indices, "offsets": offsets, "per_sample_weights": per_sample_weights}
        name = "_embedding_bag" if weight.requires_grad else "_embedding_bag_forward_only"
        same_device(name, **{k: x._array for k, x in parts.items() if x is not None})
    index, begins, rows = indices._array.astype(np.int64, copy=False), offsets._array, weight.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {padding_idx}"
            )
        padding_idx %= rows
    bags = len(begins) - bool(include_last_offset)
    if bags < 0:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if absent(index):  # the bags' sizes are not known, their number is
        result = bags_of.function(weight, index, index, bags, mode, None, None, per_sample_weights, sparse)
        return result, index, index
    xp = module_of([index])
    if xp is np:
        by_index = mode == MAX or padding_idx is not None or weight._array.dtype == FLOAT64
        bag = numbered(index, begins, bags, rows, by_index, length)
        index = index[: len(bag)]
    else:
        outside(index, 0, rows)
        index = index if bags else index[:0]
        bag = xp.maximum(xp.searchsorted(begins[:bags], xp.arange(index.size), side="right") - 1, 0)
    frequencies = kept = None
    if scale_grad_by_freq:
        uses = xp.zeros(rows, np.int64)
        fold_at(xp, "add", uses, index, 1)
        frequencies = uses[index]
    if padding_idx is not None:
        kept = xp.flatnonzero(index != padding_idx)
        frequencies = None if frequencies is None else frequencies[kept]
        index, bag = index[kept], bag[kept]
    return bags_of.function(weight, index, bag, bags, mode, frequencies, kept, per_sample_weights, sparse), bag, index


@composite("embedding_bag", method=False)
def torch_embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """The bags, with each index's bag, the bags' sizes, and, for maxima, the indices of the rows they came from."""
    result, bag, index = combined(
        weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, include_last_offset, padding_idx, sparse
    )
    bags = result.shape[0]
    xp = module_of([bag])
    count = xp.bincount(bag, minlength=bags) if mode != SUM else xp.zeros(bags, np.int64)
    first = xp.maximum(maxima(xp, weight._array, index, bag, bags)[1], 0) if mode == MAX else count
    return result, wrap(bag if mode != SUM else bag[:0]), wrap(count), wrap(first)


@composite("nn.functional.embedding_bag", method=False)
def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """Sum, mean or maximum of the rows of weight [V, D] in each bag of input: a row of it [B, L], or what lies between offsets [B]."""
    if weight.dtype.name == "int64" and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, then it must have the same shape "
            f"as the input ({input.size()})"
        )
    length = None
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        rows, length = input.shape
        if input._array.dtype.kind in "bc":
            raise not_implemented("arange_cpu", input._array)
        offsets = wrap((module_of([input._array]).arange(rows) * length).astype(input._array.dtype))
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        renormalise(input, weight, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    number = ("sum", "mean", "max").index(mode)
    given = weight, input, offsets, scale_grad_by_freq, number, per_sample_weights, include_last_offset, padding_idx
    return combined(*given, sparse, length)[0]


@composite("embedding", method=False)
def torch_embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """``nn.functional.embedding`` with its arguments in the other order."""
    function = table.find_function("nn.functional.embedding")
    return function(
        indices, weight, padding_idx if padding_idx >= 0 else None, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


@composite("embedding_renorm_", method=False)
def embedding_renorm_(weight, indices, max_norm, norm_type):
    """Scale down, in place, the rows of weight that `indices` name and whose norm exceeds `max_norm`."""
    renormalise(indices, weight, max_norm, norm_type)
    return weight
