"""One step of a recurrent layer, as functions of its weights."""

from __future__ import annotations

from typing import Any

from ...loading import table
from ...operators.declare import composite
from ...tensors.tensor import Tensor


def contributions(input: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any) -> tuple[Tensor, Tensor]:
    """What the input and the state add to the gates."""
    linear = table.find_function("nn.functional.linear")
    return linear(input, w_ih, b_ih), linear(h, w_hh, b_hh)


def state_of(hx: Tensor, input: Tensor) -> Tensor:
    if hx._array.shape[0] != input._array.shape[0]:
        raise RuntimeError(
            f"Input batch size {input._array.shape[0]} doesn't match hidden0 batch size {hx._array.shape[0]}"
        )
    return hx


@composite(method=False)
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: (batch, in) and a pair of states (batch, hidden) give the next states."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    h, c = hx
    x, z = contributions(input, state_of(h, input), w_ih, w_hh, b_ih, b_hh)
    i, f, g, o = table.find_function("unsafe_chunk")(z + x, 4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


@composite(method=False)
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a GRU: (batch, in) and a state (batch, hidden) give the next state."""
    x, z = contributions(input, state_of(hx, input), w_ih, w_hh, b_ih, b_hh)
    chunk = table.find_function("unsafe_chunk")
    (xr, xz, xn), (zr, zz, zn) = chunk(x, 3, 1), chunk(z, 3, 1)
    new = (xn + zn * (zr + xr).sigmoid()).tanh()
    return (hx - new) * (zz + xz).sigmoid() + new


@composite(method=False)
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a recurrent layer with tanh."""
    x, z = contributions(input, state_of(hx, input), w_ih, w_hh, b_ih, b_hh)
    return (z + x).tanh()


@composite(method=False)
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a recurrent layer with relu."""
    x, z = contributions(input, state_of(hx, input), w_ih, w_hh, b_ih, b_hh)
    return (z + x).relu()
