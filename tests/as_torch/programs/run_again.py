# ruff: noqa
"""Checkpoints: nested, stopped early, with a policy for each operator; saved tensors in the keeping of hooks leave no circle."""

import functools
import gc
import weakref

import torch
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


calls = []


def inner(x):
    calls.append("inner")
    return x.sin().exp().cos()


def outer(x):
    calls.append("outer")
    return checkpoint(inner, x * 2, use_reentrant=False).tanh()


for early in (True, False):
    with set_checkpoint_early_stop(early):
        calls.clear()
        x = torch.tensor([0.3, 0.7], requires_grad=True)
        y = checkpoint(outer, x, use_reentrant=False)
        print(calls, y)
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        print(calls, g)
        print(torch.autograd.grad(g.sum(), x)[0])


def keep_sin(ctx, op, *args, **kwargs):
    heard.append((ctx.is_recompute, str(op)))
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.sin.default else CheckpointPolicy.PREFER_RECOMPUTE


heard = []
context = functools.partial(create_selective_checkpoint_contexts, keep_sin)
x = torch.tensor([0.3, 0.7], requires_grad=True)
y = checkpoint(lambda x: x.sin().cos().exp(), x, use_reentrant=False, context_fn=context)
y.sum().backward(retain_graph=True)
print([each for each in heard if "detach" not in each[1]], x.grad)
told(lambda: y.sum().backward())
told(lambda: create_selective_checkpoint_contexts([torch.ops.aten.mm]))
told(lambda: create_selective_checkpoint_contexts(3))
told(lambda: checkpoint(torch.sin, x, use_reentrant=False, determinism_check="no"))

b = checkpoint(torch.exp, x, use_reentrant=True).sum()
told(lambda: torch.autograd.grad(b, x))

switch = [0]


def changing(x):
    switch[0] += 1
    return x.sin().cos() if switch[0] == 1 else x.sin()


y = checkpoint(changing, x, use_reentrant=False)
told(lambda: y.sum().backward())

gc.disable()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    y = torch.ones(2, requires_grad=True).exp().sigmoid()
y.grad_fn.metadata["kept"] = marked = type("Marked", (), {})()
marked = weakref.ref(marked)
del y
print(marked())
