# ruff: noqa
"""Layers given what is no tensor, of another dtype, or too small: what is said of it."""

import torch
import torch.nn.functional as F
from torch import nn


def t(name, f):
    try:
        answer = f()
        print(name, tuple(answer.shape) if isinstance(answer, torch.Tensor) else answer)
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


for wrong in ([1.0], (torch.ones(3),), None, 1, "a", {}):
    kind = type(wrong).__name__
    t(f"RNNCell {kind}", lambda: nn.RNNCell(3, 4)(wrong))
    t(f"LSTMCell {kind}", lambda: nn.LSTMCell(3, 4)(wrong))
    t(f"GRU {kind}", lambda: nn.GRU(3, 4)(wrong))
    t(f"GRU state {kind}", lambda: nn.GRU(3, 4)(torch.ones(5, 3), wrong) if wrong else None)
    t(f"CircularPad1d {kind}", lambda: nn.CircularPad1d(1)(wrong))
    t(f"LazyConv2d {kind}", lambda: nn.LazyConv2d(3, 4)(wrong))
    t(f"Linear {kind}", lambda: nn.Linear(3, 4)(wrong))
    t(f"attention {kind}", lambda: nn.MultiheadAttention(4, 2)(wrong, torch.ones(3, 4), torch.ones(3, 4)))

t("LazyConv1d below 0", lambda: nn.LazyConv1d(-2, 3)(torch.ones(1, 4, 5)))
t("Conv1d of two sizes", lambda: nn.Conv1d(4, 5, (1, 2), padding="same"))
for d in (1, 2, 3):
    conv = getattr(F, f"conv{d}d")
    image, kernel, bias = torch.ones(1, 2, *[5] * d), torch.ones(2, 2, *[3] * d), torch.ones(2)
    for kind in (torch.float64, torch.int64, torch.bool, torch.complex64, torch.uint8):
        for padding in ("same", "valid", 1):
            t(f"conv{d}d {padding} input {kind}", lambda: conv(image.to(kind), kernel, bias, padding=padding))
            t(f"conv{d}d {padding} weight {kind}", lambda: conv(image, kernel.to(kind), bias, padding=padding))

for mode in ("reflect", "replicate"):
    for width in ((-1, -1), (-2, -1), (-3, -3), (-100, -100), (2, -4)):
        t(f"{mode} {width}", lambda: F.pad(torch.ones(2, 3), width, mode))
    for width in ((-2, -2, 0, 0), (-3, 0, -3, 0)):
        t(f"{mode} {width}", lambda: F.pad(torch.ones(1, 3, 4), width, mode))
    for width in ((-2, -2, 0, 0, 0, 0), (-3, 0, -3, 0, 1, -9), (-9, 0, -9, 0, -9, 0)):
        t(f"{mode} {width}", lambda: F.pad(torch.ones(1, 3, 4, 4), width, mode))
for width in ((-1, -1), (-2, -1), (-3, -3), (-100, -100)):
    t(f"circular {width}", lambda: F.pad(torch.ones(2, 3), width, "circular"))
