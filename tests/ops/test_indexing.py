"""Programs about indexing give what PyTorch gave, errors and warnings included."""

from __future__ import annotations

from tensorsh import torch

from ..recording.views import outcome
from ..support.cases import all_pass
from ..support.tables import rows


def test_indexing() -> None:
    all_pass(check_indexing, rows("views_indexing"))


def check_indexing(program: str, expected: str) -> None:
    assert outcome(torch, program) == expected


def test_half_types_are_rounded_with_each_sum_or_once() -> None:
    """Indices and vectors: each sum is rounded; scatter_add, and slices along a dimension: the last. 300 numbers in one place."""
    torch.manual_seed(0)
    numbers, place = torch.rand(300) * 3, torch.zeros(300, dtype=torch.int64)
    for dtype in (torch.float16, torch.bfloat16):
        vector = numbers.to(dtype)
        once, each, scaled = vector.double().sum().to(dtype), *(torch.zeros((), dtype=dtype) for _ in range(2))
        for x in vector:
            each, scaled = each + x, scaled + x * torch.tensor(0.3, dtype=dtype)
        rows, leaf = vector[:, None].expand(300, 3), torch.zeros(1, dtype=dtype, requires_grad=True)
        row = torch.zeros(1, 3, dtype=dtype, requires_grad=True)
        for wanted, made in (
            (each, leaf.index_add(0, place, vector)),
            (scaled, leaf.index_add(0, place, vector, alpha=0.3)),
            (each, leaf.index_put((place,), vector, accumulate=True)),
            (each, row.index_put((place,), rows, accumulate=True)),
            (each, row.T.index_put((torch.arange(3)[:, None], place), rows.T, accumulate=True)),
            (each, torch.zeros(1, dtype=dtype).put_(place, vector, accumulate=True)),
            (each, torch.segment_reduce(vector, "sum", lengths=torch.tensor([300]))),
            (each, torch.autograd.grad(leaf[place], leaf, vector)[0]),
            (each, torch.autograd.grad(leaf.take(place), leaf, vector)[0]),
            (each, torch.autograd.grad(row[place], row, rows)[0]),
            (each, torch.autograd.grad(leaf.index_select(0, place), leaf, vector)[0]),
            (once, torch.autograd.grad(row.index_select(0, place), row, rows)[0]),
            (once, torch.autograd.grad(leaf.gather(0, place), leaf, vector)[0]),
            (once, row.index_add(0, place, rows)),
            (once, row.T.index_add(1, place, rows.T)),
            (once, leaf.scatter_add(0, place, vector)),
            (once, leaf.scatter_reduce(0, place, vector, "sum")),
        ):
            assert made.unique().tolist() == [wanted.item()], (dtype, made.grad_fn)
