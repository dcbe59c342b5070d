"""Modules that are wrapped so that they keep less for the backward pass."""

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

calls = []


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 4)
        self.width = 4

    def forward(self, x, scale=1.0):
        calls.append(scale)
        return torch.tanh(self.line(x)) * scale


def model():
    torch.manual_seed(0)
    return nn.Sequential(Block(), Block(), nn.Linear(4, 1))


def run(m):
    calls.clear()
    x = torch.ones(2, 4, requires_grad=True)
    loss = m(x).sum()
    forward = len(calls)
    loss.backward()
    print(
        f"{loss.item():.5f}",
        forward,
        len(calls),
        [f"{p.grad.norm():.5f}" for p in m.parameters()],
        f"{x.grad.norm():.5f}",
    )


run(model())
for options in (
    {"check_fn": lambda m: isinstance(m, Block)},
    {"auto_wrap_policy": ModuleWrapPolicy({Block})},
    {"checkpoint_wrapper_fn": offload_wrapper, "check_fn": lambda m: isinstance(m, nn.Linear)},
    {
        "checkpoint_wrapper_fn": lambda m: checkpoint_wrapper(m, CheckpointImpl.REENTRANT),
        "check_fn": lambda m: isinstance(m, Block),
    },
):
    m = model()
    apply_activation_checkpointing(m, **options)
    print(m)
    run(m)
    print(list(m.state_dict()))
    print([name for name, _ in m.named_parameters()])
    print(m.load_state_dict(model().state_dict()))
    print(m[0].width, type(m[0]).__name__)

x = torch.ones(1, 4, requires_grad=True)
c = checkpoint_wrapper(Block(), CheckpointImpl.REENTRANT)
c(x, scale=2.0).sum().backward()
print(x.grad.shape, [name for name, _ in c.named_parameters()])
c = checkpoint_wrapper(Block(), preserve_rng_state=False)
c(x, scale=2.0).sum().backward()
print(isinstance(c, CheckpointWrapper), c.checkpoint_impl, list(c.state_dict()))
c = checkpoint_wrapper(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
print(c[1], len(list(c.modules())))
print(checkpoint_wrapper(nn.Linear(2, 2)).load_state_dict({"weight": torch.ones(2, 2)}, strict=False))
try:
    checkpoint_wrapper(nn.Linear(2, 2)).load_state_dict({"wight": torch.ones(2, 2)})
except RuntimeError as error:
    print(error)
tripled = checkpoint_wrapper(Block(), checkpoint_fn=lambda f, *a, by=1: f(*a) * by, by=3)
print(tripled(torch.zeros(1, 4)).shape)
