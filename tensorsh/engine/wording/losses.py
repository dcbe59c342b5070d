"""What losses check of their inputs and targets, in PyTorch's words and order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.constants import INT64
from ..arrays.dtype import of
from ..arrays.errors import not_implemented

CLASSES = frozenset((np.dtype(np.int64), np.dtype(np.uint8)))


def check_classes(input: Any, target: Any, weight: Any) -> None:
    """Log-probabilities [N, C, ...] and classes [N, ...], as arrays."""
    n, m = input.ndim, target.ndim
    if not n:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    batch = target.shape[0] if m else 0
    if n > 1 and input.shape[0] != batch:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
    if n <= 2:
        if m > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if n == 1 and m == 1 and target.shape[0] != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    elif n == 4:
        if m != 3:
            raise RuntimeError(
                f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {m}"
            )
        if target.shape[1:] != input.shape[2:]:
            raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    elif target.shape[1:] != input.shape[2:]:
        raise RuntimeError(f"Expected target size {[input.shape[0], *input.shape[2:]]}, got {list(target.shape)}")
    classes = input.shape[1] if n > 1 else input.shape[0]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: "
            f"{list(weight.shape)}"
        )
    if target.dtype not in CLASSES:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {of(target).short}")
    if n > 2 and target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {of(target).short}")
    if input.dtype.kind not in "fV":
        raise not_implemented("nll_loss_out_frame" if n < 3 else "nll_loss2d_forward_out_frame", input)
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {of(input).short} but found {of(weight).short}")


def check_probabilities(input: Any, target: Any, weight: Any, ignore_index: int, axis: int) -> None:
    """Logits and probabilities of one shape, as arrays."""
    if target.dtype.kind not in "fV":
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {of(target).short}")
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    if weight is not None and weight.shape != (input.shape[axis],):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {input.shape[axis]} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )


def check_rows(input: Any) -> None:
    """A vector of classes, or a batch of them."""
    if input.ndim > 2 or 0 in input.shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )


def check_margin(input: Any, target: Any, weight: Any) -> None:
    """The arguments of the multi-class margin loss, as arrays."""
    check_rows(input)
    rows = input.shape[0] if input.ndim == 2 else 1
    classes = input.shape[-1] if input.ndim else 1
    if target.ndim > 1 or target.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{rows}], but got {list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if weight is not None and weight.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if input.dtype.kind not in "f" or input.dtype.itemsize == 2:
        raise not_implemented("multi_margin_loss_cpu_kernel", input)
    if target.dtype != INT64:
        raise RuntimeError(f"expected scalar type Long but found {of(target).short}")
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {of(input).short} but found {of(weight).short}")
    if target.size and not ((target >= 0) & (target < classes)).all().item():
        raise RuntimeError("target out of range")


def check_multilabel(input: Any, target: Any) -> None:
    check_rows(input)
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    if input.dtype.kind in "biu":
        raise not_implemented("multilabel_margin_loss_forward_out_frame", input)
    if target.size and not ((target >= -1) & (target < max(input.shape[-1:] or (1,)))).all().item():
        raise RuntimeError("argument #2 'target' is out of range")
    if target.dtype != INT64:
        raise RuntimeError(f"expected scalar type Long but found {of(target).short}")


def check_cosine(first: Any, second: Any, target: Any) -> None:
    """The dimensions of the cosine embedding loss."""
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not first.ndim == second.ndim == target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(first.shape)} and {list(second.shape)}."
        )


def check_triplet(anchor: Any, positive: Any, negative: Any) -> None:
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
            f"{anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


CTC = " (while checking arguments for ctc_loss_allocate_outputs)"


def check_sequences(logs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int) -> None:
    """The arguments of the connectionist loss: log-probabilities [T, N, C], targets as an array, lengths as lists."""
    if logs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {logs.ndim + 1}-dimensional tensor for argument #1 'log_probs'{CTC}"
        )
    steps, batch, classes = logs.shape
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if any(type(n) is not int for n in lengths):
            raise RuntimeError(f"{name} must be integral")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    for n in target_lengths:
        if n < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {n}{CTC}")
    if targets.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets'{CTC}"
        )
    wanted, found = (sum(target_lengths), targets.shape[0]) if targets.ndim == 1 else (batch, targets.shape[0])
    if found != wanted:
        raise RuntimeError(
            f"Expected tensor to have size {wanted} at dimension 0, but got size {found} for argument #2 'targets'{CTC}"
        )
    most = max(target_lengths, default=0)
    if targets.ndim == 2 and targets.shape[1] < most:
        raise RuntimeError(
            f"Expected tensor to have size at least {most} at dimension 1, but got size {targets.shape[1]} for argument #2 "
            f"'targets'{CTC}"
        )
    for n in input_lengths:
        if n < 0 or n > steps:
            rule = "at least 0" if n < 0 else f"at most {steps}"
            raise RuntimeError(f"Expected input_lengths to have value {rule}, but got value {n}{CTC}")
