"""First and second derivatives of the recurrent operators, against finite differences."""

from __future__ import annotations

from typing import Any

import pytest

from tensorsh import torch

nn = torch.nn
CASES = [
    (nn.LSTM, {}), (nn.LSTM, {"bias": False}), (nn.GRU, {}), (nn.GRU, {"bias": False}), (nn.RNN, {}),
    (nn.RNN, {"nonlinearity": "relu"}), (nn.GRU, {"bidirectional": True, "num_layers": 2}), (nn.LSTM, {"proj_size": 1}),
]  # fmt: skip


def function_of(cls: Any, options: dict, sizes: list[int] | None) -> tuple[Any, list]:
    """The layer as a function of input and weights, and values for them."""
    torch.manual_seed(3)
    module = cls(2, 2, **options).double()
    names = [name for name, _ in module.named_parameters()]

    def run(x: Any, *weights: Any) -> tuple:
        for name, weight in zip(names, weights, strict=True):
            del module._parameters[name]
            setattr(module, name, weight)
        try:
            if sizes is not None:
                x = nn.utils.rnn.pack_padded_sequence(x, sizes)
            y, state = module(x)
        finally:
            for name, weight in zip(names, weights, strict=True):
                delattr(module, name)
                module.register_parameter(name, nn.Parameter(weight.detach()))
        y = y if sizes is None else y.data
        return (y, *state) if isinstance(state, tuple) else (y, state)

    values = [torch.randn(3, 2, 2, dtype=torch.float64)]
    values += [p.detach().clone() for p in module.parameters()]
    return run, [v.requires_grad_() for v in values]


@pytest.mark.parametrize("sizes", [None, [3, 1]], ids=["whole", "packed"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}-{'-'.join(map(str, case[1]))}")
def test_gradients(case: tuple, sizes: Any) -> None:
    run, values = function_of(*case, sizes)
    assert torch.autograd.gradcheck(run, values, fast_mode=True)


@pytest.mark.parametrize("sizes", [None, [3, 1]], ids=["whole", "packed"])
@pytest.mark.parametrize("case", CASES[:1] + CASES[2:3] + CASES[4:5], ids=lambda case: case[0].__name__)
def test_second_order(case: tuple, sizes: Any) -> None:
    run, values = function_of(*case, sizes)
    assert torch.autograd.gradgradcheck(run, values, fast_mode=True)


def test_whole_networks_as_functions_of_their_weights() -> None:
    """As their modules: LSTM with dropout between layers, GRU in both directions and packed, RNN of both kinds."""
    nn = torch.nn
    x = torch.randn(3, 2, 4)
    h = torch.zeros(2, 2, 5)
    lstm = nn.LSTM(4, 5, 2, dropout=0.5)
    torch.manual_seed(3)
    expected, (last, cell) = lstm(x)
    torch.manual_seed(3)
    found = torch.lstm(x, (h, h), lstm._flat_weights, True, 2, 0.5, True, False, False)
    assert all(torch.equal(a, b) for a, b in zip(found, (expected, last, cell), strict=True))
    gru = nn.GRU(4, 5, bidirectional=True, batch_first=True, bias=False)
    turned = x.transpose(0, 1)
    found = torch.gru(turned, h, gru._flat_weights, False, 1, 0.0, False, True, True)
    assert all(torch.equal(a, b) for a, b in zip(found, gru(turned), strict=True))
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 1]))
    gru = nn.GRU(4, 5)
    found = torch.gru(packed.data, packed.batch_sizes, h[:1], gru._flat_weights, True, 1, 0.0, False, False)[0]
    assert torch.equal(found, gru(packed)[0].data)
    for name in ("tanh", "relu"):
        rnn = nn.RNN(4, 5, 2, nonlinearity=name)
        found = getattr(torch, f"rnn_{name}")(x, h, rnn._flat_weights, True, 2, 0.0, False, False, False)
        assert torch.equal(found[0], rnn(x)[0])
    with pytest.raises(RuntimeError, match="takes 4 weights"):
        torch.lstm(x, (h, h), lstm._flat_weights[:3], True, 2, 0.0, False, False, False)
