"""Recurrent networks: RNN, LSTM and GRU over whole sequences, and their cells."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ....engine.arrays.dtype import HALVES
from ....engine.arrays.errors import cpp_name
from ....engine.arrays.state import here
from ....engine.arrays.warning import warn
from ....engine.ops.nn import recurrent
from ....engine.ops.nn.recurrent import retitle, told_rows
from ....engine.ops.nn.sequences import stacked
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ....sandbox.named import read_named
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .module import Module

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def chosen(state: Any, order: Any) -> Any:
    """A state with its sequences in another order."""
    return state if order is None else state.index_select(1, order)


def draw_weights(module: Any) -> None:
    """Uniform numbers within 1 / sqrt(hidden_size) for all parameters of a recurrent module."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


def mixed(mode: str, bias: bool, state: Tensor, x: Tensor) -> str:
    """What the products of PyTorch's kernels say of a state that has not the input's dtype."""
    if mode != "LSTM":
        if bias:
            return f"mat1 and mat2 must have the same dtype, but got {state.dtype.short} and {x.dtype.short}"
        return f"expected m1 and m2 to have the same dtype, but got: {cpp_name(state)} != {cpp_name(x)}"
    if state.dtype not in HALVES:
        return "get_mkldnn_dtype: unsupported data type"
    return (
        "could not create a primitive descriptor for the LSTM forward propagation primitive. Run workload with environment "
        "variable ONEDNN_VERBOSE=all to get additional diagnostic information."
    )


class RNNBase(Module):
    """Recurrent layers one over the other, in one direction or both; base of RNN, LSTM and GRU.
    mode: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'. input_size, hidden_size: sizes of the last dimension of inputs and
    states.
    num_layers: layers, each taking the outputs of the one below (1). bias: add learned numbers (True).
    batch_first: inputs and outputs are (N, L, ...) instead of (L, N, ...) (False). dropout: the probability of Dropout
    between layers in training (0.0). bidirectional: run a second network backwards and put both outputs side by side
    (False).
    proj_size: project an LSTM's states to this size (0: no). device, dtype: those of the parameters (None: the
    defaults).
    Parameters are drawn from uniform numbers within 1 / sqrt(hidden_size). ValueError for sizes and options out of
    bounds.
    >>> nn.RNNBase("GRU", 3, 4).weight_ih_l0.shape
    torch.Size([12, 3])"""

    _owners = {"forward": ""}

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        for name, value, kind in (
            ("bias", bias, bool), ("batch_first", batch_first, bool), ("input_size", input_size, int),
            ("hidden_size", hidden_size, int),
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        for name, count in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if count <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._all_weights: list[list[str]] = []
        directions = 2 if bidirectional else 1
        kept = proj_size or hidden_size
        gates = GATES[mode] * hidden_size
        for layer in range(num_layers):
            for direction in range(directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                shapes: dict[str, tuple] = {
                    "weight_ih": (gates, kept * directions if layer else input_size),
                    "weight_hh": (gates, kept),
                }
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    setattr(self, name + suffix, Parameter(T.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append([name + suffix for name in shapes])
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew from uniform numbers within 1 / sqrt(hidden_size)."""
        draw_weights(self)

    def flatten_parameters(self) -> None:
        """Accepted: parameters have no better place."""

    @property
    def all_weights(self) -> list:
        """The parameters of each layer and direction."""
        return [[read_named(self, name) for name in names] for names in self._all_weights]

    _flat_weights = property(lambda self: [read_named(self, name) for name in self._flat_weights_names])
    _flat_weights_names = property(lambda self: [name for names in self._all_weights for name in names])

    def check_input(self, input: Tensor, batch_sizes: Any) -> None:
        """Errors for inputs of wrong dtype or shape."""
        dtype = read_named(self, self._all_weights[0][0]).dtype
        if input.dtype is not dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: input.to({dtype}), or "
                f"convert model: model.to({input.dtype})"
            )
        wanted = 3 if batch_sizes is None else 2
        if input.ndim != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.ndim}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _check_state(self, state: Tensor, size: int, batch: int, words: str) -> None:
        wanted = (self.num_layers * (2 if self.bidirectional else 1), batch, size)
        if tuple(state.shape) != wanted:
            raise RuntimeError(f"Expected {words} size {wanted}, got {list(state.shape)}")

    def forward(self, input: Any, hx: Any = None) -> tuple:
        from ..utils.rnn import PackedSequence

        lstm = self.mode == "LSTM"
        packed = input if isinstance(input, PackedSequence) else None
        unbatched = False
        if packed is not None:
            x, sizes = packed.data, packed.batch_sizes.tolist()
            batch = sizes[0]
        else:
            x, sizes = input, ()
            if x.dim() not in (2, 3):
                kind = "D tensor" if self._title() == "RNN" else "D"
                raise ValueError(f"{self._title()}: Expected input to be 2D or 3D, got {x.ndim}{kind} instead")
            unbatched = x.ndim == 2
            hx = self._batched_state(hx, unbatched)
            if unbatched:
                x = x.unsqueeze(0 if self.batch_first else 1)
            batch = x.shape[0 if self.batch_first else 1]
            if not x.shape[1 if self.batch_first else 0]:
                raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        order = None if packed is None else packed.sorted_indices
        states = (hx if lstm else (hx,)) if hx is not None else self._first_states(x, batch)
        if hx is not None:
            states = tuple(chosen(state, order) for state in states)
        self.check_input(x, sizes or None)
        self._check_state(states[0], self.proj_size or self.hidden_size, batch, "hidden[0]" if lstm else "hidden")
        if lstm:
            self._check_state(states[1], self.hidden_size, batch, "hidden[1]")
        for given in states:
            if given.dtype is not x.dtype and not here.autocast:
                raise RuntimeError(mixed(self.mode, self.bias, given, x))
        x = told_rows(x, sizes) if packed is not None else x.transpose(0, 1) if self.batch_first else x
        y, last = self._layers(x, states, sizes)
        if packed is not None:
            last = [chosen(state, packed.unsorted_indices) for state in last]
            y = PackedSequence(y, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        else:
            if self.batch_first:
                y = y.transpose(0, 1)
                if not lstm:
                    retitle(y, "TransposeBackward1")
            if unbatched:
                y = y.squeeze(0 if self.batch_first else 1)
                last = [state.squeeze(1) for state in last]
        return y, tuple(last) if lstm else last[0]

    def _title(self) -> str:
        return "LSTM" if self.mode == "LSTM" else "GRU" if self.mode == "GRU" else "RNN"

    def _batched_state(self, hx: Any, unbatched: bool) -> Any:
        if hx is None:
            return None
        wanted, words = (2, "For unbatched 2-D input") if unbatched else (3, "For batched 3-D input")
        if self.mode == "LSTM":
            hx = (hx[0], hx[1])
            if hx[0].dim() != wanted or hx[1].dim() != wanted:
                raise RuntimeError(
                    f"{words}, hx and cx should also be {wanted}-D but got ({hx[0].ndim}-D, {hx[1].ndim}-D) tensors"
                )
            return tuple(state.unsqueeze(1) for state in hx) if unbatched else hx
        if hx.dim() != wanted:
            raise RuntimeError(f"{words}, hx should also be {wanted}-D but got {hx.ndim}-D tensor")
        return hx.unsqueeze(1) if unbatched else hx

    def _first_states(self, x: Tensor, batch: int) -> tuple:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        made = [T.zeros(layers, batch, self.proj_size or self.hidden_size, dtype=x.dtype, device=x.device)]
        if self.mode == "LSTM":
            made.append(T.zeros(layers, batch, self.hidden_size, dtype=x.dtype, device=x.device))
        return tuple(made)

    def _layers(self, x: Tensor, states: tuple, sizes: Any) -> tuple[Tensor, list]:
        """All layers over a sequence: the last one's output, and the last states of all."""
        directions = 2 if self.bidirectional else 1
        weights = [[read_named(self, name) for name in names] for names in self._all_weights]
        if not sizes and not self.proj_size:
            given = states if self.mode == "LSTM" else states[0]
            flat = [each for own in weights for each in own]
            options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, False)
            found, *last = getattr(T, self.mode.lower())(x, given, flat, *options)
            return found, last

        def layer(x: Tensor, own: list, columns: list, reverse: bool) -> tuple:
            return self._layer(x, own, columns, sizes, reverse)

        return stacked(layer, x, states, weights, directions, self.dropout if self.training else 0.0)

    def _layer(self, x: Tensor, weights: list, states: list, sizes: Any, reverse: bool) -> tuple:
        if self.proj_size:
            return self._projected_layer(x, weights, states, sizes, reverse)
        w_ih, w_hh, *biases = weights
        b_ih, b_hh = biases or (None, None)
        if self.mode == "LSTM":
            return recurrent.lstm.function(x, w_ih, w_hh, b_ih, b_hh, *states, sizes, reverse)
        if self.mode == "GRU":
            return recurrent.gru.function(x, w_ih, w_hh, b_ih, b_hh, *states, sizes, reverse)
        return recurrent.rnn.function(x, w_ih, w_hh, b_ih, b_hh, *states, sizes, reverse, self.mode == "RNN_RELU")

    def _projected_layer(self, x: Tensor, weights: list, states: list, sizes: Any, reverse: bool) -> tuple:
        """An LSTM layer whose output is a projection of its state, step by step."""
        w_ih, w_hh, *biases, w_hr = weights
        b_ih, b_hh = biases or (None, None)
        h, c = states
        rows = x if sizes else x.reshape(-1, x.shape[-1])
        gates = F.linear(rows, w_ih, b_ih)
        done: dict[int, Tensor] = {}
        for at, n in recurrent.steps(x, sizes, reverse):
            i, f, g, o = (gates[at : at + n] + F.linear(h[:n], w_hh, b_hh)).chunk(4, 1)
            cell = T.sigmoid(f) * c[:n] + T.sigmoid(i) * T.tanh(g)
            done[at] = T.mm(T.sigmoid(o) * T.tanh(cell), w_hr.t())
            h, c = T.cat([done[at], h[n:]], 0), T.cat([cell, c[n:]], 0)
        parts = [done[at] for at in sorted(done)]
        return T.cat(parts, 0) if sizes else T.stack(parts, 0), h, c

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", proj_size={self.proj_size}" if self.proj_size != 0 else ""
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        text += f", bias={self.bias}" if self.bias is not True else ""
        text += f", batch_first={self.batch_first}" if self.batch_first is not False else ""
        text += f", dropout={self.dropout}" if self.dropout != 0 else ""
        return text + (f", bidirectional={self.bidirectional}" if self.bidirectional is not False else "")


allow(RNNBase, "_all_weights", "_flat_weights", "_flat_weights_names")


class RNN(RNNBase):
    """Elman's recurrent network: ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`` (Elman, "Finding structure in time",
    1990). Called with x (L, N, input_size), (L, input_size) or a PackedSequence, and maybe h (layers * directions, N,
    hidden_size), else zeros, it gives all outputs (L, N, directions * hidden_size) and the last h.
    Arguments: input_size, hidden_size, num_layers=1 (each layer takes the outputs of the one below),
    nonlinearity='tanh' (or 'relu'), bias=True, batch_first=False (True: (N, L, ...)), dropout=0.0 (between layers, in
    training), bidirectional=False, device=None, dtype=None. weight_ih_l0, weight_hh_l0, bias_ih_l0 and bias_hh_l0, as
    those of each layer (and `_reverse`), are drawn from uniform numbers within 1 / sqrt(hidden_size). ValueError for
    sizes out of bounds and inputs of other dtype.
    >>> y, h = nn.RNN(3, 4, num_layers=2)(torch.zeros(5, 1, 3))
    >>> y.shape, h.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        unprojected(kwargs)
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args[:3], *args[4:], **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): i, f, g, o = W_ih x + b_ih + W_hh h + b_hh in four
    parts, ``c' = sigmoid(f) c + sigmoid(i) tanh(g)`` and ``h' = sigmoid(o) tanh(c')``. Called with x (L, N,
    input_size), (L, input_size) or a PackedSequence, and maybe (h, c), each (layers * directions, N, hidden_size), else
    zeros, it gives all outputs (L, N, directions * hidden_size) and the last (h, c).
    Arguments: input_size, hidden_size, num_layers=1 (each layer takes the outputs of the one below), bias=True,
    batch_first=False (True: (N, L, ...)), dropout=0.0 (between layers, in training), bidirectional=False, proj_size=0
    (a size to which h is projected), device=None, dtype=None. Parameters are drawn from uniform numbers within 1 /
    sqrt(hidden_size).
    ValueError for sizes out of bounds and inputs of other dtype, RuntimeError for states of other shape.
    >>> y, (h, c) = nn.LSTM(3, 4, bidirectional=True)(torch.zeros(5, 1, 3))
    >>> y.shape, h.shape, c.shape
    (torch.Size([5, 1, 8]), torch.Size([2, 1, 4]), torch.Size([2, 1, 4]))"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units (Cho and others, 2014): ``r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh)``,
    ``n = tanh(W_in x + b_in + r (W_hn h + b_hn))`` and ``h' = (1 - z) n + z h``. Called with x (L, N, input_size), (L,
    input_size) or a PackedSequence, and maybe h (layers * directions, N, hidden_size), else zeros, it gives all outputs
    (L, N, directions * hidden_size) and the last h.
    Arguments: input_size, hidden_size, num_layers=1 (each layer takes the outputs of the one below), bias=True,
    batch_first=False (True: (N, L, ...)), dropout=0.0 (between layers, in training), bidirectional=False, device=None,
    dtype=None. Parameters are drawn from uniform numbers within 1 / sqrt(hidden_size).
    ValueError for sizes out of bounds and inputs of other dtype, RuntimeError for states of other shape.
    >>> y, h = nn.GRU(3, 4, batch_first=True)(torch.zeros(1, 5, 3))
    >>> y.shape, h.shape
    (torch.Size([1, 5, 4]), torch.Size([1, 1, 4]))"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        unprojected(kwargs)
        super().__init__("GRU", *args, **kwargs)


def unprojected(options: dict) -> None:
    """Refuse the projection that only an LSTM has."""
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNNCellBase(Module):
    """One step of a recurrent layer; base of RNNCell, LSTMCell and GRUCell, which define `forward`.
    input_size, hidden_size: sizes of the last dimension of inputs and states. bias: add learned numbers (True).
    num_chunks: gates, by which hidden_size is multiplied in the first size of the weights.
    device, dtype: those of the parameters (None: the defaults), which are drawn from uniform numbers within 1 /
    sqrt(hidden_size).
    >>> nn.RNNCellBase(3, 4, True, 2).weight_hh.shape
    torch.Size([8, 4])"""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(T.empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(T.empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(T.empty(gates, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights anew from uniform numbers within 1 / sqrt(hidden_size)."""
        draw_weights(self)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + (f", bias={self.bias}" if self.bias is not True else "")
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text + (f", nonlinearity={nonlinearity}" if nonlinearity != "tanh" else "")

    def _prepare(self, input: Tensor, states: Any) -> tuple[Tensor, list, bool]:
        """Input and states with a batch dimension, checked; and whether that was added."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        for i, state in enumerate(() if states is None else states):
            if state.dim() not in (1, 2):
                words = f"hx[{i}]" if isinstance(self, LSTMCell) else "hidden"
                raise ValueError(f"{name}: Expected {words} to be 1D or 2D, got {state.ndim}D instead")
        single = input.ndim == 1
        if isinstance(states, Tensor) and not single:
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        input = input.unsqueeze(0) if single else input
        if states is None:
            zero = T.zeros(input.shape[0], self.hidden_size, dtype=input.dtype, device=input.device)
            states = [zero] * (2 if isinstance(self, LSTMCell) else 1)
        elif single:
            states = [state.unsqueeze(0) for state in states]
        if input.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {+self.input_size}")
        for i, state in enumerate(states):
            if state.shape[0] != input.shape[0]:
                raise RuntimeError(
                    f"Input batch size {input.shape[0]} doesn't match hidden{i} batch size {state.shape[0]}"
                )
            if state.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {state.shape[1]}, expected {self.hidden_size}"
                )
        return input, list(states), single

    _weights = property(lambda self: (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh))


class RNNCell(RNNCellBase):
    """One step of an RNN: ``tanh(W_ih x + b_ih + W_hh h + b_hh)``, of x (N, input_size) and h (N, hidden_size), both
    maybe without N, to the new h. Without h it starts from zeros.
    input_size, hidden_size: sizes of the last dimension of inputs and states. bias: add learned numbers (True).
    nonlinearity: 'tanh' (default) or 'relu'. device, dtype: those of the parameters (None: the defaults), which are
    drawn from uniform numbers within 1 / sqrt(hidden_size).
    RuntimeError for another nonlinearity or size, ValueError for other numbers of dimensions.
    >>> nn.RNNCell(3, 4)(torch.zeros(2, 3)).shape
    torch.Size([2, 4])"""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Any = None) -> Tensor:
        input, (h,), single = self._prepare(input, None if hx is None else [hx])
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = T.rnn_tanh_cell if self.nonlinearity == "tanh" else T.rnn_relu_cell
        h = cell(input, h, *self._weights)
        return h.squeeze(0) if single else h


class LSTMCell(RNNCellBase):
    """One step of an LSTM, of x (N, input_size) and (h, c), each (N, hidden_size), all maybe without N, to the new (h,
    c); the formulas are those of LSTM. Without (h, c) it starts from zeros.
    input_size, hidden_size: sizes of the last dimension of inputs and states. bias: add learned numbers (True).
    device, dtype: those of the parameters (None: the defaults), which are drawn from uniform numbers within 1 /
    sqrt(hidden_size): weight_ih (4 * hidden_size, input_size), weight_hh (4 * hidden_size, hidden_size) and two biases.
    RuntimeError for another size, ValueError for other numbers of dimensions.
    >>> h, c = nn.LSTMCell(3, 4)(torch.zeros(2, 3))
    >>> h.shape, c.shape
    (torch.Size([2, 4]), torch.Size([2, 4]))"""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple:
        input, states, single = self._prepare(input, hx)
        h, c = T.lstm_cell(input, states, *self._weights)
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)


class GRUCell(RNNCellBase):
    """One step of a GRU, of x (N, input_size) and h (N, hidden_size), both maybe without N, to the new h; the formulas
    are those of GRU. Without h it starts from zeros.
    input_size, hidden_size: sizes of the last dimension of inputs and states. bias: add learned numbers (True).
    device, dtype: those of the parameters (None: the defaults), which are drawn from uniform numbers within 1 /
    sqrt(hidden_size): weight_ih (3 * hidden_size, input_size), weight_hh (3 * hidden_size, hidden_size) and two biases.
    RuntimeError for another size, ValueError for other numbers of dimensions.
    >>> nn.GRUCell(3, 4)(torch.zeros(2, 3)).shape
    torch.Size([2, 4])"""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Tensor:
        input, (h,), single = self._prepare(input, None if hx is None else [hx])
        h = T.gru_cell(input, h, *self._weights)
        return h.squeeze(0) if single else h
