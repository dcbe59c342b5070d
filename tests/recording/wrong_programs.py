"""Programs whose last statement is wrong, and what PyTorch says of it: three wrong calls of every function and method
(`errors_every`), layers and losses (`errors_layers`), and what users do wrong (`errors_of_users`)."""

from __future__ import annotations

from ..support.outcomes import refusal, space
from .origin import again

TABLES = ("errors_every", "errors_layers", "errors_of_users")


def record() -> None:
    import torch
    import torch.nn.utils.parametrize
    import torch.nn.utils.prune
    import torch.utils.checkpoint

    names = space(torch)
    for table in TABLES:
        again("wrong_programs", table, lambda program: refusal(torch, program, names))
