"""Operators that launch a kernel of their own at once: as on the CPU, and in as many launches as are said."""

from __future__ import annotations

import pytest

from tensorsh import torch

from . import standin

F, nn = torch.nn.functional, torch.nn


def values(device: str) -> dict:
    torch.manual_seed(0)
    x = torch.randn(6, 70)
    x[2, 3], x[4, 5], x[4, 60] = float("nan"), 9, 9
    a = torch.randn(6, 8)
    found = {
        "x": x, "a": a, "row": torch.randn(8), "column": torch.randn(6, 1), "h": a.bfloat16(), "i": (a * 10).int(),
        "m": a > 0, "long": torch.randn(9000), "odd": torch.randn(130, 37), "cube": torch.randn(4, 33, 40),
        "at": torch.tensor([3, -1, 0, 2]), "each": torch.arange(24).view(3, 8) % 6, "y": torch.tensor([0, 7, 3, -100, 2, 1]),
    }  # fmt: skip
    return {k: v.to(device) for k, v in found.items()} | {"torch": torch, "F": F}


CASES = {
    "a + row": "add", "row + a": "add", "a * column": "mul", "a - 2": "sub", "2.5 * h": "mul", "h + h": "add", "i + i": "add",
    "a / row": "true_divide", "-a": "neg", "a.exp()": "exp", "a.sigmoid()": "sigmoid", "a > 0": "gt", "a == a": "eq",
    "torch.where(m, a, row)": "where", "a ** 2": "pow_number", "a.clamp(-1, 0.5)": "clamp_numbers", "a.add_(1)": "add",
    "F.gelu(a)": "nn_functional_gelu", "torch.relu(h)": "relu", 
    "long.sum()": "sum_rows", "odd.sum(0)": "sum_columns", "odd.mean(1, keepdim=True)": "sum_rows",
    "cube.sum((1, 2))": "sum_rows", "cube.mean(1)": "sum_columns", "h.sum()": "sum_rows", "h.mean(0)": "sum_columns",
    "long.cumsum(0)": "sum_rows running_sums running_sums", "odd.cumsum(1)": "running_sums", "h.cumsum(-1)": "running_sums",
    "x.max()": "extrema", "x.argmax()": "extrema", "x.max(1)": "extrema", "x[4].argmax(0)": "extrema",
    "x.amin(1, keepdim=True)": "extrema", "i.max(1)": "extrema", "m.max()": "extrema", "long.argmin()": "extrema extrema",
    "a[at]": "take", "h[at]": "take", "m[at]": "take", "a.gather(0, each)": "take", "F.embedding(each, a)": "take",
    "torch.cat([a, a], 1)": "join", "torch.cat([i, i[:2], i])": "join", "torch.cat([a] * 8)": "join", "a.clone()": "",
    "a.view(2, -1)": "", "a.t()": "", "a[:, 1]": "", "torch.softmax(odd, 1)": "softmax_rows",
    "torch.softmax(a, 1)": "softmax_held", "torch.log_softmax(h, 1)": "softmax_held",
    "F.layer_norm(h, (8,), h[0], h[1])": "norm_held", "F.layer_norm(a, (8,))": "norm_held",
    "F.rms_norm(cube, (40,))": "norm_held", "F.layer_norm(odd, (37,))": "norm_rows",
    "F.cross_entropy(a, y)": "softmax_held nll_whole", "F.nll_loss(a, y, row, reduction='sum')": "nll_whole",
}  # fmt: skip
"""What is computed, and the kernels that are launched for it, if they are all."""


@pytest.mark.parametrize("case", CASES)
def test_as_on_the_cpu(case: str) -> None:
    expected = eval(case, values("cpu"))
    with standin.installed():
        eval(case, values("cuda"))  # the flag for wrong places is made once
        given = values("cuda")
        standin.launched.clear()
        found = eval(case, given)
        launched = [name.removeprefix("tensorsh_") for name in standin.launched]
        pairs = [(found, expected)] if isinstance(expected, torch.Tensor) else [*zip(found, expected, strict=True)]
        for a, e in pairs:
            wide = 2e-2 if e.dtype == torch.bfloat16 else 1e-5
            assert a.dtype == e.dtype and torch.allclose(a.cpu().double(), e.double(), wide, wide, equal_nan=True)
    assert launched == CASES[case].split() or not CASES[case]


@pytest.mark.parametrize(
    "statement", ["long[torch.tensor([9000]).to(long.device)]", "a.gather(0, each + 6)", "F.embedding(at, a)"]
)
def test_places_outside(statement: str) -> None:
    with standin.installed():
        found = eval(statement, values("cuda"))
        with pytest.raises(RuntimeError, match="device-side assert"):
            found.tolist()


LAYERS = ({}, {"bidirectional": True, "num_layers": 2}, {"bias": False, "batch_first": True})


@pytest.mark.parametrize("options", LAYERS)
def test_lstm_in_two_launches(options: dict) -> None:
    torch.manual_seed(0)
    layer, x = nn.LSTM(5, 7, **options), torch.randn(4, 3, 5)

    def trained(device: str) -> list:
        here, given = layer.to(device), x.to(device).detach().requires_grad_()
        here.zero_grad()
        y, (h, c) = here(given)
        (y.pow(2).sum() + h.sum() + 2 * c.sum()).backward()
        return [t.detach().cpu() for t in (y, h, c, given.grad, *[p.grad for p in here.parameters()])]

    expected = trained("cpu")
    with standin.installed():
        standin.launched.clear()
        found = trained("cuda")
    for a, e in zip(found, expected, strict=True):
        assert torch.allclose(a, e, 1e-4, 1e-5)
    assert (
        standin.launched.count("tensorsh_lstm")
        == standin.launched.count("tensorsh_lstm_backward")
        == 4 ** bool(options.get("bidirectional"))
    )


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_gradients_of_norms(norm: str, kind: torch.dtype) -> None:
    torch.manual_seed(0)
    x, w, b, g = (torch.randn(s).to(kind) for s in ((150, 64), (64,), (64,), (150, 64)))

    def gradients(device: str) -> list:
        tensors = [t.to(device).detach().requires_grad_() for t in (x, w, b)[: 3 if norm == "layer_norm" else 2]]
        getattr(F, norm)(tensors[0], (64,), *tensors[1:]).backward(g.to(device))
        return [t.grad.cpu() for t in tensors]

    expected = gradients("cpu")
    with standin.installed():
        found = gradients("cuda")
    wide = 1e-4 if kind is torch.float32 else 0.05
    for a, e in zip(found, expected, strict=True):
        assert a.dtype == e.dtype and torch.allclose(a.double(), e.double(), wide, wide * float(e.abs().max()))
