"""The loss of connectionist temporal classification on a device: a block for each sequence, a thread for each of its states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .kernels import Elementwise, Raw

SCORES = Raw(
    "tensorsh_ctc_scores",
    'extern "C" __global__ void tensorsh_ctc_scores(const T* logs, const long long* labels, const long long* states,'
    """ const long long* lengths, double* scores, long long batch, long long steps, long long classes, long long most, int turned,
    double none) {
  long long n = blockIdx.x, length = lengths[n], count = states[n];
  for (long long t = 0; t < length; t += 1) {
    long long time = turned ? length - 1 - t : t, base = (n * steps + t) * most;
    for (long long s = threadIdx.x; s < count; s += blockDim.x) {
      long long place = n * most + (turned ? count - 1 - s : s), label = labels[place];
      double own = none, v = none;
      if (label >= 0 && label < classes) own = double(A(logs[(time * batch + n) * classes + label]));
      if (t == 0) {
        if (s < 2) v = own;
      } else {
        double x = scores[base - most + s], y = none, z = none;
        if (s > 0) y = scores[base - most + s - 1];
        if (s > 1 && s % 2 == 1) {
          if (labels[turned ? place + 2 : place - 2] != label) z = scores[base - most + s - 2];
        }
        double top = max(x, max(y, z));
        if (top > none) v = top + log(exp(x - top) + exp(y - top) + exp(z - top)) + own;
      }
      scores[base + s] = v;
    }
    __syncthreads();
  }
}""",
)  # fmt: skip
"""Logarithms of the chance of each state [N, steps, most] after each step, forwards, or (turned) from the end backwards.
labels [N, most]: what the states stand for; none: minus infinity."""
SLOPES = Elementwise(
    "raw T logs, raw int64 labels, raw int64 states, raw int64 lengths, raw float64 ahead, raw float64 behind, raw float64 losses,"
    "int64 batch, int64 steps, int64 classes, int64 most, float64 none", "raw float64 y",
    "long long n = i % batch, t = i / batch, length = lengths[n], count = states[n];"
    "if (t < length) for (long long s = 0; s < count; s += 1) {"
    "  long long label = labels[n * most + s];"
    "  if (label >= 0 && label < classes) {"
    "    double a = ahead[(n * steps + t) * most + s];"
    "    double b = behind[(n * steps + length - 1 - t) * most + count - 1 - s];"
    "    if (isinf(losses[n]) || (a > none && b > none))"
    "      y[i * classes + label] -= exp(a + b - double(logs[i * classes + label]) + losses[n]); } }",
    "tensorsh_ctc_slopes",
)  # fmt: skip
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
