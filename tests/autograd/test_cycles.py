"""What the collector of cycles sees of the tape."""

from __future__ import annotations

import gc
import weakref

from tensorsh import torch


def test_a_cycle_through_history_is_freed_once_nobody_holds_any_of_it():
    def build():
        x = torch.ones(2, requires_grad=True)
        h = x * 2
        y = h * 3
        z = y.exp()
        h.register_hook(lambda g: z)
        return weakref.ref(z), y.grad_fn._edges

    z, edges = build()
    gc.collect()
    assert z() is not None and edges[0].name() == "MulBackward0"
    del edges
    gc.collect()
    assert z() is None
