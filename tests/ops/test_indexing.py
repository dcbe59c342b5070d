"""Programs about indexing give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from typing import Any

import pytest

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_indexing() -> None:
    all_pass(check_indexing, rows("views_indexing"))


def check_indexing(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_add_up_in_float32(dtype: Any) -> None:
    """What arrives at one place is added in float32 and rounded once, as PyTorch does in scatter_add, scatter_reduce and index_add."""
    torch.manual_seed(0)
    place = torch.randint(3, (400,))
    for shape, dim in (((400,), 0), ((400, 5), 0), ((5, 400), 1)):
        source = torch.randn(shape).to(dtype)
        whole = torch.ones([3 if d == dim else n for d, n in enumerate(shape)], dtype=dtype)
        wanted = whole.double().index_add(dim, place, source.double()).to(dtype)
        places = (place if dim or source.ndim == 1 else place[:, None]).expand(shape).contiguous()
        for found in (
            whole.index_add(dim, place, source),
            whole.index_add(dim, place, source / 2, alpha=2),
            whole.scatter_add(dim, places, source),
            whole.scatter_reduce(dim, places, source, "sum"),
            wanted if dim else whole.index_put((place,), source, accumulate=True),
        ):
            assert ((found - wanted).abs() <= 2e-3 * wanted.abs() * (8 if dtype is torch.bfloat16 else 1)).all()
