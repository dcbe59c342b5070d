"""Programs whose last digits are PyTorch's on processors of both makers, with the text of what they give in nine digits."""

from __future__ import annotations

from typing import Any

from .origin import again


def outcome(torch: Any, program: str) -> str:
    torch.manual_seed(0)
    torch.set_printoptions(precision=9)
    try:
        return repr(eval(program, {"torch": torch, "F": torch.nn.functional}))
    finally:
        torch.set_printoptions(profile="default")


def record() -> None:
    import torch

    torch.set_num_threads(1)
    again("digits", "digits", lambda program: outcome(torch, program))
