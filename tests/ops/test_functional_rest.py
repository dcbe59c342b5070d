"""Sampling grids, bags of embeddings, several heads of attention, random pooling and dropouts give what PyTorch gave."""

from __future__ import annotations

from typing import Any

from tensorsh import torch

from ..recording.values import outcome, same
from ..support.cases import all_pass
from ..support.tables import rows


def test_functional_rest() -> None:
    all_pass(check_functional_rest, rows("functional_rest"))


def check_functional_rest(program: str, expected: Any) -> None:
    found = outcome(torch, program)
    assert same(found, expected), f"{found}\n{expected}"


def test_the_grid_of_a_map_that_changes_nothing_hits_the_pixels() -> None:
    """PyTorch's own grid, to the last bit: the sides of its cells decide the gradient of what is sampled there."""
    theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]).repeat(2, 1, 1)
    grid = torch.nn.functional.affine_grid(theta, (2, 1, 28, 28), align_corners=False).double()
    assert (grid.sum().item(), grid.pow(2).sum().item().hex()) == (0.0, "0x1.05000025c0004p+10")
