"""Folds by segments on the device: segment_reduce, bags of embeddings, and distinct rows, of which nothing goes to the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorsh import torch

from . import standin

F = torch.nn.functional


@pytest.fixture(autouse=True)
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


@pytest.fixture(autouse=True)
def nothing_is_hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    standin.refuse_hosting(monkeypatch)


def both(function: Any, *tensors: torch.Tensor) -> list[list]:
    """The results of a function of tensors and its gradients on the CPU and on the device."""
    told = []
    for device in ("cpu", "cuda"):
        given = [t.detach().to(device) for t in tensors]
        leaves = [t.requires_grad_() for t in given if t.is_floating_point()]
        result = function(*given)
        assert result.device.type == device
        weights = torch.arange(1.0, 1 + result.numel(), dtype=result.dtype, device=device).reshape(result.shape)
        (result * weights).nansum().backward()
        told.append([result.detach().cpu(), *(t.grad.cpu() for t in leaves)])
    return told


def same(function: Any, *tensors: torch.Tensor) -> None:
    for one, other in zip(*both(function, *tensors), strict=True):
        torch.testing.assert_close(other, one, equal_nan=True)


@pytest.mark.parametrize("initial", [None, 0.5])
@pytest.mark.parametrize("reduce", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize(
    "shape, lengths", [((7,), [3, 0, 4]), ((7, 2), [1, 2, 4]), ((2, 6, 3), [[2, 4, 0], [3, 3, 0]])]
)
def test_segment_reduce(shape: tuple, lengths: list, reduce: str, initial: float | None) -> None:
    torch.manual_seed(0)
    data, counts = torch.randn(shape, dtype=torch.float64), torch.tensor(lengths)
    data.view(-1)[2] = 0
    data.view(-1)[5] = float("nan") if len(shape) == 2 else 1.0
    same(lambda x, n: torch.segment_reduce(x, reduce, lengths=n, axis=n.ndim - 1, initial=initial), data, counts)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("padding", [None, 2])
def test_embedding_bag(mode: str, padding: int | None, last: bool) -> None:
    torch.manual_seed(0)
    table, index = torch.randn(5, 3, dtype=torch.float64), torch.tensor([1, 2, 4, 1, 0, 3, 1])
    offsets = torch.tensor([0, 2, 2, 5, 7][: 5 if last else 4])

    def bags(w: Any, i: Any, o: Any) -> Any:
        return F.embedding_bag(i, w, o, mode=mode, padding_idx=padding, include_last_offset=last)

    same(bags, table, index, offsets)
    same(lambda w, i: F.embedding_bag(i, w, mode=mode, padding_idx=padding), table, index[:6].reshape(2, 3))


@pytest.mark.parametrize("padding", [None, 2])
def test_embedding_bag_weighs_samples(padding: int | None) -> None:
    torch.manual_seed(0)
    table, index = torch.randn(5, 3, dtype=torch.float64), torch.tensor([1, 2, 4, 1, 0, 3, 1])
    weights, offsets = torch.randn(7, dtype=torch.float64), torch.tensor([0, 2, 5])
    same(
        lambda w, i, o, s: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=s, padding_idx=padding),
        table, index, offsets, weights,
    )  # fmt: skip
    same(lambda w, i, o: F.embedding_bag(i, w, o, scale_grad_by_freq=True), table, index, offsets)
    layer = torch.nn.EmbeddingBag(5, 3, mode="sum", sparse=True).cuda()
    layer(index.cuda(), offsets.cuda()).sum().backward()
    assert layer.weight.grad.is_sparse and layer.weight.grad.is_cuda
    found = torch.embedding_bag(table.cuda(), index.cuda(), offsets.cuda(), False, 2)
    for one, other in zip(found, torch.embedding_bag(table, index, offsets, False, 2), strict=True):
        assert one.is_cuda and torch.equal(one.cpu(), other)


def test_an_index_beyond_the_table_is_told_of() -> None:
    found = F.embedding_bag(
        torch.tensor([0, 9], device="cuda"), torch.ones(3, 2, device="cuda"), torch.tensor([0], device="cuda")
    )
    with pytest.raises(RuntimeError, match="device-side assert triggered"):
        found.tolist()


@pytest.mark.parametrize("offsets", [[1], [0, -5], [0, 3, 1], [0, 100]])
def test_offsets_that_make_no_bags_read_nothing(offsets: list) -> None:
    for mode in ("sum", "mean", "max"):
        table = torch.ones(3, 2, device="cuda")
        found = F.embedding_bag(
            torch.tensor([0, 1, 2], device="cuda"), table, torch.tensor(offsets, device="cuda"), mode=mode
        )
        assert found.shape == (len(offsets), 2) and found.isfinite().all().item()


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "bfloat16"])
@pytest.mark.parametrize("dim", [0, 1])
def test_distinct_rows(dtype: str, dim: int) -> None:
    x = torch.tensor([[1, 0, 1], [0, 2, 0], [1, 0, 1], [0, 2, 1]]).to(getattr(torch, dtype))
    for function in (torch.unique, torch.unique_consecutive):
        options = {"dim": dim, "return_inverse": True, "return_counts": True}
        for one, other in zip(function(x.cuda(), **options), function(x, **options), strict=True):
            assert one.is_cuda and torch.equal(one.cpu(), other)
    assert torch.equal(torch.unique_consecutive(x[:, 0].cuda()).cpu(), torch.unique_consecutive(x[:, 0]))


SEQUENCES = [
    (6, 5, [6, 4, 5], [3, 0, 2], False),
    (5, 4, [5, 3], [2, 2], True),
    (4, 3, [4, 2], [1, 3], False),
    (3, 40, [3, 0], [1, 0], False),
]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("zero_infinity", [False, True])
@pytest.mark.parametrize("steps, classes, lengths, counts, in_a_row", SEQUENCES)
def test_ctc_loss(
    steps: int, classes: int, lengths: list, counts: list, in_a_row: bool, zero_infinity: bool, reduction: str
) -> None:
    torch.manual_seed(0)
    logs = F.log_softmax(torch.randn(steps, len(lengths), classes, dtype=torch.float64), -1)
    targets = torch.randint(1, classes, (len(lengths), max(counts)))
    targets[0, 1:2] = targets[0, 0:1]
    if in_a_row:
        targets = torch.cat([row[:n] for row, n in zip(targets, counts, strict=True)])
    same(
        lambda x, y: F.ctc_loss(x, y, lengths, counts, reduction=reduction, zero_infinity=zero_infinity), logs, targets
    )
    x = logs.detach().float().cuda().requires_grad_()
    found = F.ctc_loss(x, targets, lengths, counts, reduction=reduction, zero_infinity=zero_infinity)
    expected = F.ctc_loss(logs.float(), targets, lengths, counts, reduction=reduction, zero_infinity=zero_infinity)
    assert found.dtype is torch.float32
    torch.testing.assert_close(found.cpu(), expected)


def test_labels_that_are_no_classes_read_nothing() -> None:
    logs = F.log_softmax(torch.randn(4, 1, 3), -1).cuda()
    assert F.ctc_loss(logs, torch.tensor([[7, -2]]).cuda(), [4], [2]).item() == float("inf")
