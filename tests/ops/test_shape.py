"""Programs about shapes and views give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_shape() -> None:
    all_pass(check_shape, rows("views_shape"))


def check_shape(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected


def test_a_scatter_into_a_view_copies_what_lies_between() -> None:
    """PyTorch copies the storage that the input reaches, with the elements that it passes over."""
    made = torch.as_strided_scatter(torch.arange(12.0)[::3], torch.tensor([70.0]), (1,), (1,), 3)
    assert made.tolist() == [0, 70, 6, 9] and made.stride() == (3,)
    assert made.as_strided((10,), (1,), 0).tolist() == [0, 1, 2, 70, 4, 5, 6, 7, 8, 9]
    assert torch.as_strided_scatter(torch.empty(2, 0), torch.empty(0, 3), (0, 3), (1, 1)).shape == (2, 0)
