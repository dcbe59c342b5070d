"""Tensors on devices: a strict stand-in for cupy's arrays, and one for NCCL that looks at what it is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..support.ranks import TESTS, by_rank, tensorsh

PROGRAM = Path(__file__).parent / "devices" / "ranks.py"
PRINTED = [
    "tensor([1., 3., 5.], device='cuda:0')", "tensor([[0, 4],", "        [2, 6]])", "tensor([3., 3.], device='cuda:0')",
    "tensor([0., 0., 1., 1.], device='cuda:0') tensor([0., 1.], device='cuda:0')", "True",
]  # fmt: skip
CALLS = ["allReduce", "allReduce", "broadcast", "reduce", "allGather", "reduceScatter"]


@pytest.mark.parametrize("how", ["nccl", "shared", pytest.param("none", marks=pytest.mark.nightly)])
def test_collectives(how: str) -> None:
    """By NCCL where each rank has a device; through the processor's memory where they share one, or there is no NCCL."""
    done = tensorsh("run", "-n", "2", str(PROGRAM), how, PYTHONPATH=os.fspath(TESTS.parent))
    assert done.returncode == 0, done.stderr
    first, _ = by_rank(done.stdout, 2)
    assert first == [*PRINTED, str(CALLS if how == "nccl" else [])]
