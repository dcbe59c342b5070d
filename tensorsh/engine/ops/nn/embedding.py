"""Looking rows up in a table: embedding, bags of embeddings, one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....sandbox.long_calls import unique
from ...arrays.backend import fold_at, module_of, move, move_like
from ...arrays.bounds import outside, refuse
from ...arrays.device import CPU, absent
from ...arrays.dtype import int32, int64
from ...arrays.errors import tensor_type
from ...arrays.extents import span
from ...arrays.type_names import type_name
from ...graph.fields import wrap
from ...kernels import kernel, unsuited
from ...numerics.extremes import extremes
from ...operators.declare import Array, composite, operator
from ...tensors.tensor import Tensor
from ...wording.overloads import refuse as refuse_arguments

added_rows = kernel("added_rows", unsuited)


def checked(xp: Any, index: Any, rows: int) -> None:
    """IndexError for an index outside the table."""
    if type(index) is np.ndarray:
        if index.size:
            low, high = extremes(index)
            if low < 0 or high >= rows:
                raise IndexError("index out of range in self")
    elif index.size and not outside(index, 0, rows):
        refuse((index < 0) | (index >= rows), lambda: IndexError("index out of range in self"))


def add_rows(xp: Any, rows: int, index: Any, values: Any) -> Any:
    """A table of `rows` rows into which each of `values` [M, D] is added at its index [M]."""
    out = xp.zeros((rows, values.shape[1]), values.dtype)
    if xp is not np:
        fold_at(xp, "add", out, index, values)
        return out
    if added_rows(out, index, values):
        return out
    checked(np, index, rows)  # what a hook unpacks may be another index than was saved
    np.add.at(out, index, values)
    return out


@operator("_embedding", node="EmbeddingBackward0", method=False)
def rows_of(xp, weight: Array, indices: Array, padding_idx=-1, sparse=False):
    """The rows of weight [V, D] that indices [*] name: [*, D]."""
    checked(xp, indices, weight.shape[0])
    return weight.take(indices, 0) if xp is np else xp.take(weight, indices, axis=0)


rows_of.gradient(
    weight=lambda t, g, weight_shape, indices, padding_idx, sparse: spread_of(t, sparse)(
        g, indices, weight_shape[0], padding_idx
    )
)


def spread_of(t, sparse):
    """What makes the gradient of a table of those of its rows: a whole one, or one of the rows that were looked up."""
    return t._embedding_rows if sparse else t._embedding_spread


@operator("_embedding_spread", method=False, node="EmbeddingDenseBackwardBackward0")
def rows_spread(xp, grad: Array, indices: Array, rows, padding_idx):
    """The gradient of a table: each looked-up row's, added at its index; none at `padding_idx`."""
    flat = indices.reshape(-1)
    values = grad.reshape(flat.size, grad.shape[-1])
    if padding_idx >= 0 and xp is np:
        kept = flat != padding_idx
        if not kept.all():
            flat, values = flat[kept], values[kept]
    out = add_rows(xp, rows, flat, values).reshape(rows, grad.shape[-1])
    if padding_idx >= 0 and xp is not np:  # a GPU is not asked whether there are any
        out[padding_idx] = 0
    return out


@rows_spread.gradient_of("grad")
def _(t, g, indices, padding_idx):
    rows = t._embedding(g, indices)
    return rows if padding_idx < 0 else t.masked_fill(rows, t.unsqueeze(indices == padding_idx, -1), 0)


@composite("nn.functional.embedding", method=False)
def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):  # fmt: skip
    """The rows of weight [V, D] that the integers input [*] name: [*, D].
    IndexError: a number beyond V; RuntimeError: no integers."""
    for at, (name, x) in enumerate((("indices", input), ("weight", weight))):
        if not isinstance(x, Tensor):
            raise TypeError(f"embedding(): argument '{name}' (position {2 - at}) must be Tensor, not {type_name(x)}")
    if max_norm is None:
        if weight.ndim != 2:
            raise RuntimeError("'weight' must be 2-D")
        check_indices(input.dtype, "#1", "embedding")
    if padding_idx is not None:
        if not -weight.shape[0] <= padding_idx < weight.shape[0]:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= weight.shape[0]
    if max_norm is not None:
        renormalise(input, weight, max_norm, norm_type)
    y = rows_of.function(weight, input, -1 if padding_idx is None else padding_idx, sparse)
    if scale_grad_by_freq and y.requires_grad:
        if sparse:
            y.register_hook(refuse_scaling)
            return y
        counts = np.bincount(input._array.reshape(-1), minlength=weight.shape[0])[input._array]
        scale = wrap((1 / counts)[..., None].astype(weight._array.dtype))
        y.register_hook(lambda g: g * scale)
    return y


def refuse_scaling(_: Any) -> None:
    raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")


def check_indices(dtype: Any, place: str, name: str) -> None:
    """Only these integers name rows."""
    check_kinds(dtype, (int64, int32), f"{place} 'indices'", name)


def check_kinds(dtype: Any, kinds: tuple, argument: str, name: str) -> None:
    """A tensor has one of these types."""
    if dtype not in kinds:
        listed = ", ".join(kind.short for kind in kinds)
        raise RuntimeError(
            f"Expected tensor for argument {argument} to have one of the following scalar types: {listed}; but got "
            f"{tensor_type(dtype)} instead (while checking arguments for {name})"
        )


def renormalise(input: Tensor, weight: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows of weight that the integers name, where their norm is greater."""
    if weight.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight.ndim}-dimensional tensor for argument #1 'self' (while checking "
            "arguments for embedding_renorm_)"
        )
    check_indices(input.dtype, "#2", "embedding_renorm_")
    if weight._array.dtype.kind not in "fcV":
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {weight.dtype.short} instead."
        )
    refuse_arguments("embedding_renorm_", (weight, input, max_norm, norm_type), {})
    max_norm, norm_type = float(max_norm), float(norm_type)
    if absent(weight._array):
        return
    rows = unique(move(input._array, CPU))
    w = move(weight._array, CPU)
    wrong = rows[(rows < 0) | (rows >= len(w))]
    if wrong.size:
        if wrong[0] < 0:
            raise IndexError("index out of range in self")
        raise IndexError(f"select(): index {wrong[0]} out of range for tensor of size {list(w.shape)} at dimension 0")
    norms = np.linalg.norm(w[rows].astype(np.float64), norm_type, axis=1)
    big = norms > max_norm
    if big.any():
        scale = (max_norm / (norms[big] + 1e-7)).astype(w.dtype)
        w[rows[big]] *= scale[:, None]
        if w is not weight._array:
            weight._array[...] = move_like(w, weight._array)
        weight._bump()


vectors = kernel("one_hot", unsuited)


@composite("nn.functional.one_hot", method=False)
def one_hot(tensor, num_classes=-1):
    """Integers [*] as vectors [*, classes] with a one at the place each names.
    RuntimeError: a negative class or one beyond the classes, a dtype but int64."""
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    x = tensor._array
    result = vectors(x, num_classes)
    if result is not None:
        return wrap(result)
    if x.size == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*x.shape, num_classes), np.int64))
    least, most = (0, 0) if absent(x) else [n if type(n) is int else wrap(n).item() for n in extremes(x)]
    if least < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = most + 1
    elif most >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    span((*x.shape, num_classes), None, 8)
    xp = module_of(x)
    out = xp.zeros((*x.shape, num_classes), np.int64)
    xp.put_along_axis(out, x[..., None], 1, -1)
    return wrap(out)
