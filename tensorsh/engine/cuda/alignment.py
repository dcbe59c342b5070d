"""The loss of connectionist temporal classification on a device: a block for each sequence, a thread for each of its states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .kernels import Elementwise, Raw
from .sources import pieces

CODE = pieces(__file__)

SCORES = Raw("tensorsh_ctc_scores", CODE["SCORES"])
"""Logarithms of the chance of each state [N, steps, most] after each step, forwards, or (turned) from the end backwards.
labels [N, most]: what the states stand for; none: minus infinity."""
SLOPES = Elementwise(
    "raw T logs, raw int64 labels, raw int64 states, raw int64 lengths, raw float64 ahead, raw float64 behind, raw float64 losses,"
    "int64 batch, int64 steps, int64 classes, int64 most, float64 none",
    "raw float64 y",
    CODE["SLOPES"],
    "tensorsh_ctc_slopes",
)
"""Minus the chance of each class at each step, given the sequence: [steps, N, classes]."""


def extended(xp: Any, targets: Any, lengths: np.ndarray, blank: int) -> Any:
    """The states' labels [N, 2 * most + 1]: those of a sequence with blanks before, between and after."""
    most = int(lengths.max(initial=0))
    labels = xp.full((len(lengths), 2 * most + 1), blank, np.int64)
    if most and targets.size:
        if targets.ndim == 1:
            places = (np.cumsum(lengths) - lengths)[:, None] + np.arange(most)
            labels[:, 1::2] = targets[xp.asarray(np.minimum(places, targets.size - 1))]
        else:
            labels[:, 1::2] = targets[:, :most]
    return labels


def ctc(
    xp: Any, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    if log_probs.dtype.kind not in "fV" or targets.dtype.kind not in "iu" or not log_probs.size:
        return None
    steps, batch, classes = log_probs.shape
    longest = np.minimum(np.asarray(input_lengths, np.int64), steps)
    counts = np.asarray(target_lengths, np.int64)
    if len(longest) != batch or len(counts) != batch or targets.ndim == 2 and counts.max() > targets.shape[1]:
        return None
    logs, labels = xp.ascontiguousarray(log_probs), extended(xp, xp.asarray(targets), counts, blank)
    lengths, states, most = xp.asarray(longest), xp.asarray(2 * counts + 1), labels.shape[1]
    sizes = [np.int64(n) for n in (batch, steps, classes, most)]
    none, threads = np.float64(-np.inf), 32 if most <= 32 else 128 if most <= 128 else 512
    ahead, behind = (xp.empty((batch, steps, most), np.float64) for _ in range(2))
    for turned, scores in enumerate((ahead, behind)):
        SCORES(logs.dtype, batch, threads, logs, labels, states, lengths, scores, *sizes, np.int32(turned), none)
    last = ((xp.arange(batch) * steps + xp.maximum(lengths, 1) - 1) * most + states - 1).astype(np.int64)
    ends = ahead.reshape(-1)
    before = xp.where(states > 1, ends[xp.maximum(last - 1, 0)], none)
    losses = xp.where(lengths > 0, -xp.logaddexp(ends[last], before), xp.where(states > 1, np.inf, 0.0))
    slopes = xp.zeros(log_probs.shape, np.float64)
    wide = logs if logs.dtype.kind == "f" else logs.astype(np.float32)
    SLOPES(wide, labels, states, lengths, ahead, behind, losses, *sizes, none, slopes, size=steps * batch)
    if zero_infinity:
        bad = xp.isinf(losses)
        losses, slopes = xp.where(bad, 0.0, losses), xp.where(bad[:, None], 0.0, slopes)
    return losses.astype(log_probs.dtype), slopes.astype(log_probs.dtype)


KERNELS: dict[str, Callable] = {"_ctc_loss": ctc}
"""As in linalg.py: None for what the CPU is to do, above all to refuse."""
