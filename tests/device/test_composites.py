"""Functions made of others that stay on the device with what they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tensorsh import torch

from . import standin


@pytest.fixture(autouse=True)
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


@pytest.fixture(autouse=True)
def nothing_is_hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    standin.refuse_hosting(monkeypatch)


def flat(result: Any) -> list:
    return [result] if isinstance(result, torch.Tensor) else [x for each in result for x in flat(each)]


def edges(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([-1.0, 0.0, 0.5], dtype=x.dtype, device=x.device)


def labels(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([[3, 0, -1, 1], [0, 1, 2, 3]], device=x.device)


CASES: dict[str, Callable] = {
    "grid": lambda x, w: torch.histogramdd(x, [3, 4]),
    "densities": lambda x, w: torch.histogramdd(x, [3, 4], weight=w, density=True),
    "range": lambda x, w: torch.histogramdd(x, [3, 4], range=[-1.0, 1.0, 0.0, 2.0]),
    "edges": lambda x, w: torch.histogramdd(x, [edges(x), edges(x)]),
    "histogram": lambda x, w: torch.histogram(x, 5),
    "weights": lambda x, w: torch.histogram(x[:, 0].contiguous(), edges(x), weight=w),
    "combinations": lambda x, w: [torch.combinations(w[:4], r, again) for r in range(4) for again in (True, False)],
    "vander": lambda x, w: [torch.vander(w[:3]), torch.vander(torch.arange(3, device=w.device), 4, True)],
    "cross": lambda x, w: [torch.linalg.cross(x[:3].t(), w[:3].expand(2, 3)), torch.cross(x[:3], x[3:6], 0)],
    "index_reduce": lambda x, w: [
        x.index_reduce(0, torch.tensor([1, 1, 4], device=x.device), x[:3], how) for how in ("prod", "mean", "amax", "amin")
    ],
    "istft": lambda x, w: torch.istft(torch.stft(x[:, 0], 16, 4, window=w[:16], return_complex=True), 16, 4, window=w[:16]),
    "transforms": lambda x, w: [
        f(x[:24].reshape(2, 3, 4, 2), dim=dim, norm=norm)
        for f in (torch.fft.fftn, torch.fft.rfftn, torch.fft.irfftn)
        for dim in ((1, 2), (-1, 0), (0, 1, 2))
        for norm in ("ortho", "forward", "backward")
    ],
    "complex squares": lambda x, w: torch.autograd.grad(
        torch.complex(y := x.detach().requires_grad_(), y).pow(2).abs().sum(), y
    )[0],
    "multilabel": lambda x, w: [
        torch.nn.functional.multilabel_margin_loss(x[:4].t().contiguous(), labels(x), reduction=how)
        for how in ("none", "mean", "sum")
    ],
    "eigvals": lambda x, w: torch.linalg.eigvals(x[:2]).real.sort().values,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_as_on_the_cpu(name: str) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(50, 2, dtype=torch.float64), torch.rand(50, dtype=torch.float64)
    for expected, found in zip(flat(CASES[name](x, w)), flat(CASES[name](x.cuda(), w.cuda())), strict=True):
        assert found.is_cuda and found.dtype is expected.dtype
        torch.testing.assert_close(found.cpu(), expected)
