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


def test_a_leaf_that_is_heard_is_forgotten_with_its_tensor():
    """Where some leaf is heard, a walk counts edges first: it costs later passes nothing once that leaf is gone."""
    from tensorsh.engine.graph.nodes import heeded

    gc.collect()
    before = len(heeded)
    x = torch.ones(2, requires_grad=True)
    said = []
    handles = [x.register_post_accumulate_grad_hook(lambda x: said.append(x.grad.tolist())) for _ in range(2)]
    (x * 2).sum().backward()
    assert said == [[2.0, 2.0]] * 2 and len(heeded) == before + 1
    del x, handles
    gc.collect()
    assert len(heeded) == before
