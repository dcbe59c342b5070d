"""Whole recurrent networks: layers upon layers over a sequence, in one direction or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...loading import table
from ...operators.declare import composite
from ...tensors.tensor import Tensor
from . import recurrent


def stacked(
    layer: Callable, x: Tensor, states: Any, weights: list, directions: int, dropout: float
) -> tuple[Tensor, list[Tensor]]:
    """All layers over a sequence: the last one's output, and the last states of all.

    `layer(x, weights, states, reverse)` runs one of them; `weights` has those of each layer and direction."""
    cat = table.find_function("cat")
    columns = [state.unbind(0) for state in states]
    last: list[list] = [[] for _ in states]
    outs: list = []
    for number, own in enumerate(weights):
        depth, direction = divmod(number, directions)
        if direction == 0:
            if depth:
                x = outs[0] if directions == 1 else cat(outs, -1)
                if dropout:
                    x = table.find_function("nn.functional.dropout")(x, dropout, True)
            outs = []
        found = layer(x, own, [column[number] for column in columns], direction == 1)
        outs.append(found[0])
        for kept, state in zip(last, found[1:], strict=True):
            kept.append(state)
    stack = table.find_function("stack")
    return outs[0] if directions == 1 else cat(outs, -1), [stack(kept, 0) for kept in last]


def network(name: str, operator: Any, *options: Any) -> None:
    """A function of a sequence, first states and a list of weights: ``(input, hx, params, has_biases, num_layers, dropout,
    train, bidirectional, batch_first)``; of packed data with ``batch_sizes`` behind it, and no `batch_first`."""

    def run(input: Tensor, *args: Any) -> tuple:
        packed = isinstance(args[0], Tensor) and (name == "lstm" or isinstance(args[1], Tensor))
        sizes, args = (args[0].tolist(), args[1:]) if packed else ((), args)
        hx, params, has_biases, num_layers, dropout, train, bidirectional, *rest = args
        directions, turned = 2 if bidirectional else 1, bool(rest and rest[0])
        width = 4 if has_biases else 2
        if len(params) != width * num_layers * directions:
            raise RuntimeError(
                f"torch.{name} takes {width} weights for each layer and direction (projections: nn.LSTM)"
            )
        weights = [list(params[at : at + width]) for at in range(0, len(params), width)]

        def layer(x: Tensor, own: list, states: list, reverse: bool) -> tuple:
            biases = own[2:] or (None, None)
            return operator.function(x, *own[:2], *biases, *states, sizes, reverse, *options)

        states = tuple(hx) if name == "lstm" else (hx,)
        x = input.transpose(0, 1) if turned else recurrent.told_rows(input, sizes)
        y, last = stacked(layer, x, states, weights, directions, dropout if train else 0.0)
        return (y.transpose(0, 1) if turned else y, *last)

    run.__doc__ = (
        f"The layers of `nn.{name.partition('_')[0].upper()}` over a sequence, as a function of their weights."
    )
    composite(name, method=False)(run)


network("lstm", recurrent.lstm)
network("gru", recurrent.gru)
network("rnn_tanh", recurrent.rnn)
network("rnn_relu", recurrent.rnn, True)
