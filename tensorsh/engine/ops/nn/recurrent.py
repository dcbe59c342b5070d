"""Recurrent layers as one operator each: plain, GRU and LSTM, forwards or backwards in time, with fused gradients.

A sequence [T, N, I] stands as rows of one matrix, time step after time step; where sequences of different lengths are
packed, it comes as rows already, and `sizes` says how many each step has. What needs no earlier step is computed for all steps at once:

    x @ w_ih.T + b_ih  for all rows ──┐
    h ── @ w_hh.T + b_hh ── gates ── h' ──> next step

The gradients walk the steps the other way and leave those of the weights to one product over all rows."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from ... import kernels
from ...arrays import cupy_module
from ...arrays.backend import module_of
from ...arrays.blas import alone
from ...arrays.cupy_module import accelerator
from ...arrays.on_arrays import on_arrays
from ...arrays.state import here
from ...kernels import done
from ...numerics.rounding import rounded
from ...operators.declare import Array, operator
from ...tape.backward import grad
from ...tape.grad_modes import enable_grad
from ...tape.worlds import sum_to_shape
from ...tensors.tensor import Tensor, wanting


def tanh(xp: Any, x: Any) -> Any:
    return rounded(np.tanh, x) if xp is np else xp.tanh(x)


def sigmoid(xp: Any, x: Any) -> Any:
    if kernels.suits(x):
        return kernels.compiled.sigmoid(x)
    e = rounded(np.exp, -x) if xp is np else xp.exp(-x)
    e += 1
    return xp.divide(1, e, out=e)


def compiled(*arrays: Any) -> Any:
    """The compiled kernels, if they are made for these arrays; else None."""
    return kernels.compiled if kernels.suits(*arrays) else None


def steps(input: Any, sizes: Any, reverse: bool) -> list[tuple[int, int]]:
    """First row and number of rows of each step, in the order of computation."""
    sizes = sizes or [input.shape[1]] * input.shape[0]
    if sum(sizes) != input.shape[0] * (1 if input.ndim == 2 else input.shape[1]):
        raise RuntimeError("the sizes of the steps are not those of the data")
    found = list(zip([0, *accumulate(sizes)], sizes, strict=False))
    return found[::-1] if reverse else found


def told_rows(x: Tensor, sizes: list[int]) -> Tensor:
    """The rows of packed data that its steps tell of. RuntimeError: there are fewer, or a step has more than the one before."""
    at, before = 0, sizes[0] if sizes else 0
    for n in sizes:
        if at + n > x.shape[0]:
            raise RuntimeError(f"start ({at}) + length ({n}) exceeds dimension size ({x.shape[0]}).")
        if n > before:
            raise RuntimeError(
                f"The size of tensor a ({before}) must match the size of tensor b ({n}) at non-singleton dimension 0"
            )
        at, before = at + n, n
    return x if at == x.shape[0] or not sizes else x[:at]


def rows_of(x: Any) -> Any:
    """All steps as one matrix."""
    return x if x is None or x.ndim == 2 else x.reshape(-1, x.shape[-1])


def titled(stacked: str) -> Any:
    """The node's name: PyTorch joins the steps of packed sequences by `cat`, others as `stacked` says."""

    def title(input: Tensor, *rest: Any) -> str:
        if input._array.ndim == 2:
            return "CatBackward0"
        return stacked if input._array.dtype == np.float32 else "StackBackward0"

    return title


def retitle(t: Tensor, title: str) -> None:
    """Give the node of a tensor, if there is one, the name of the operator that stands in its place in PyTorch."""
    if t._node is not None:
        t._node.__class__ = type(t._node)._operator.node_class(title)


def projected(x: Any, weight: Any, bias: Any) -> Any:
    y = x.dot(weight.T)
    if bias is not None:
        y += bias
    return y


def previous(xp: Any, y: Any, h: Any, order: list) -> Any:
    """The state that each row's step began with: that of the step before, or the first."""
    before = xp.empty_like(y)
    first, count = order[0]
    if count * len(order) == len(y):  # all steps have as many rows
        late, early = (before[count:], y[:-count]) if first == 0 else (before[:-count], y[count:])
        late[...], before[first : first + count] = early, h
        return before
    last, rows = None, 0
    for at, n in order:
        if last is None:
            before[at : at + n] = h[:n]
        else:
            kept = min(n, rows)
            before[at : at + kept] = y[last : last + kept]
            before[at + kept : at + n] = h[kept:n]
        last, rows = at, n
    return before


def differentiable(name: str, t: Any, g: list, needs: list, tensors: list, options: tuple) -> list:
    """The gradients as functions that can be differentiated: the layer again from elementary operators, then theirs."""
    again = here.grad_enabled  # not where calls are only heard, as by a mode below autograd
    if not again:
        tensors = [x if x is None else wanting(x.detach(), wanted) for x, wanted in zip(tensors, needs, strict=True)]
    inputs = [x for x, wanted in zip(tensors, needs, strict=True) if wanted]
    with enable_grad():
        outputs = UNROLLED[name](t, *tensors, *options)
        known = [(y, each) for y, each in zip(outputs, g, strict=True) if each is not None]
        pairs = [y for y, _ in known], inputs, [each for _, each in known]
        found = iter(grad(*pairs, create_graph=again, allow_unused=True))
    return [next(found) if wanted else None for wanted in needs]


def column_sums(d: Any) -> Any:
    return sum_to_shape(d, d.shape[1:]) if type(d) is cupy_module.array_class else d.sum(0)


def weight_gradients(needs: list, d: Any, e: Any, x: Any, before: Any, w_ih: Any) -> list:
    """Gradients of input, weights and biases from those of what the input (`d`) and the state (`e`) contributed."""
    return [
        d.dot(w_ih).reshape(x.shape) if needs[0] else None,
        d.T.dot(rows_of(x)) if needs[1] else None,
        e.T.dot(before) if needs[2] else None,
        column_sums(d) if needs[3] else None,
        column_sums(e) if needs[4] else None,
    ]


def starts(xp: Any, g: Any, like: Any) -> Any:
    """A state's gradient to be added to."""
    return xp.zeros_like(like) if g is None else g.copy()


@operator("_lstm_layer", method=False, outputs=3, wide=True, node=titled("MkldnnRnnLayerBackward0"))
def lstm(
    xp, input: Array, w_ih: Array, w_hh: Array, b_ih: Array = None, b_hh: Array = None, h: Array = None, c: Array = None,
    sizes=(), reverse=False,
):  # fmt: skip
    """One LSTM layer over a sequence from states h, c [N, H]: states of all steps, last h, last c."""
    n = h.shape[1]
    if type(input) is cupy_module.array_class and len(set(sizes)) < 2:
        gates = projected(rows_of(input), w_ih, None if b_ih is None else b_ih + b_hh)
        found = accelerator().recurrent.lstm(gates, w_hh, h, c, len(sizes) or input.shape[0], reverse)
        if found is not None:
            y, h, c, cells, squashed = found
            return y.reshape(*input.shape[:-1], n), h, c, gates, cells, squashed
    fused = compiled(input, w_ih, w_hh, h, c)
    gates = projected(rows_of(input), w_ih, None if b_ih is None else b_ih + b_hh)
    state_weight = xp.ascontiguousarray(w_hh.T)
    y, cells, squashed = (xp.empty((len(gates), n), input.dtype) for _ in range(3))
    order = steps(input, sizes, reverse)  # behind the products, which refuse what has no end
    even = len({rows for _, rows in order}) == 1
    h, c = h.copy(), c.copy()
    part_h, part_c = h, c
    for at, rows in alone(order):
        part = slice(at, at + rows)
        gate = gates[part]
        if not even:
            part_h, part_c = h[:rows], c[:rows]
        cell, state = cells[part], y[part]
        if fused:
            done(fused.lstm_step(gate, part_h.dot(state_weight), part_c, cell, squashed[part], state))
        else:
            gate += part_h.dot(state_weight)
            new = tanh(xp, gate[:, 2 * n : 3 * n])
            gate[...] = sigmoid(xp, gate)
            gate[:, 2 * n : 3 * n] = new
            xp.multiply(gate[:, n : 2 * n], part_c, out=cell)
            cell += gate[:, :n] * gate[:, 2 * n : 3 * n]
            xp.multiply(gate[:, 3 * n :], xp.tanh(cell, out=squashed[part]), out=state)
        if even:
            part_h, part_c = state, cell
        else:
            h[:rows], c[:rows] = state, cell
    if even:
        h[...], c[...] = part_h, part_c
    return y.reshape(*input.shape[:-1], n), h, c, gates, cells, squashed


def lstm_backward(g, needs, input, w_ih, w_hh, b_ih, b_hh, h, c, sizes, reverse, result, result3, result4, result5):
    xp = world_of(input)
    gy, gh, gc = g
    y, gy, gates, cells, squashed = rows_of(result), rows_of(gy), result3, result4, result5
    n = h.shape[1]
    order = steps(input, sizes, reverse)
    dh, dc = starts(xp, gh, h), starts(xp, gc, c)
    before = previous(xp, y, h, order) if needs[2] else None
    if type(gates) is cupy_module.array_class and len({rows for _, rows in order}) == 1:
        d = accelerator().recurrent.lstm_backward(gates, cells, c, squashed, gy, w_hh, dh, dc, len(order), reverse)
        if d is not None:
            return [*weight_gradients(needs, d, d, input, before, w_ih), dh, dc]
    fused = compiled(gates, cells, squashed, w_hh, c, *[x for x in (gy, gh, gc) if x is not None])
    if fused:
        dh, dc, before_c = (np.ascontiguousarray(x) for x in (dh, dc, previous(xp, cells, c, order)))
        gy = None if gy is None else np.ascontiguousarray(gy)
        d = np.empty_like(gates)
        for at, rows in alone(reversed(order)):
            part = slice(at, at + rows)
            slope = None if gy is None else gy[part]
            step = gates[part], before_c[part], squashed[part], slope, dh[:rows], dc[:rows], d[part]
            done(fused.lstm_step_backward(*step))
            np.dot(d[part], w_hh, dh[:rows])
        return [*weight_gradients(needs, d, d, input, before, w_ih), dh, dc]
    i, f, new, o = (gates[:, k * n : (k + 1) * n] for k in range(4))
    # What each gate makes of the gradient of its step's cell (of its step's state, for the last), for all steps at once.
    slopes = 1 - gates
    slopes *= gates
    slopes[:, :n] *= new
    slopes[:, n : 2 * n] *= previous(xp, cells, c, order)
    slopes[:, 2 * n : 3 * n] = i * (1 - new * new)
    slopes[:, 3 * n :] *= squashed
    through = o * (1 - squashed * squashed)
    d = xp.empty_like(slopes)
    through_cell = xp.ascontiguousarray(f)
    for at, rows in alone(reversed(order)):
        part = slice(at, at + rows)
        g_h, g_c = dh[:rows], dc[:rows]
        if gy is not None:
            g_h += gy[part]
        g_c += g_h * through[part]
        xp.multiply(slopes[part], xp.concatenate((g_c, g_c, g_c, g_h), 1), out=d[part])
        g_c *= through_cell[part]
        dh[:rows] = d[part].dot(w_hh)
    return [*weight_gradients(needs, d, d, input, before, w_ih), dh, dc]


@lstm.joint_gradient
@on_arrays(lstm_backward)
def _(t, g, needs, input, w_ih, w_hh, b_ih, b_hh, h, c, sizes, reverse, result, result3, result4, result5):
    return differentiable("lstm", t, g, needs, [input, w_ih, w_hh, b_ih, b_hh, h, c], (sizes, reverse))


@operator("_gru_layer", method=False, outputs=2, wide=True, node=titled("StackBackward0"))
def gru(
    xp, input: Array, w_ih: Array, w_hh: Array, b_ih: Array = None, b_hh: Array = None, h: Array = None, sizes=(),
    reverse=False,
):  # fmt: skip
    """One GRU layer over a sequence from states h [N, H]: states of all steps, last h."""
    n = h.shape[1]
    gates = projected(rows_of(input), w_ih, b_ih)
    y, inner = xp.empty((len(gates), n), input.dtype), xp.empty((len(gates), n), input.dtype)
    fused = compiled(input, w_ih, w_hh, h)
    h = h.copy()
    for at, rows in alone(steps(input, sizes, reverse)):
        gate = gates[at : at + rows]
        state = projected(h[:rows], w_hh, b_hh)
        if fused:
            done(fused.gru_step(gate, state, h[:rows], inner[at : at + rows], y[at : at + rows]))
            h[:rows] = y[at : at + rows]
            continue
        gate[:, : 2 * n] += state[:, : 2 * n]
        gate[:, : 2 * n] = sigmoid(xp, gate[:, : 2 * n])
        inner[at : at + rows] = state[:, 2 * n :]
        new = gate[:, 2 * n :]
        new += state[:, 2 * n :] * gate[:, :n]
        new[...] = tanh(xp, new)
        change = h[:rows] - new
        change *= gate[:, n : 2 * n]
        change += new
        h[:rows] = y[at : at + rows] = change
    return y.reshape(*input.shape[:-1], n), h, gates, inner


def gru_backward(g, needs, input, w_ih, w_hh, b_ih, b_hh, h, sizes, reverse, result, result2, result3):
    xp = world_of(input)
    gy, gh = g
    y, gy, gates, inner = rows_of(result), rows_of(gy), result2, result3
    n = h.shape[1]
    order = steps(input, sizes, reverse)
    dh = starts(xp, gh, h)
    before = previous(xp, y, h, order)
    r, z, new = (gates[:, k * n : (k + 1) * n] for k in range(3))
    slope = (1 - z) * (1 - new * new)
    for_r, for_z = inner * r * (1 - r), (before - new) * z * (1 - z)
    d, e = xp.empty_like(gates), xp.empty_like(gates)
    for at, rows in alone(reversed(order)):
        part = slice(at, at + rows)
        g_h = dh[:rows] if gy is None else dh[:rows] + gy[part]
        mine, theirs = d[part], e[part]
        g_new = xp.multiply(g_h, slope[part], out=mine[:, 2 * n :])
        xp.multiply(g_new, for_r[part], out=mine[:, :n])
        xp.multiply(g_h, for_z[part], out=mine[:, n : 2 * n])
        theirs[:, : 2 * n] = mine[:, : 2 * n]
        xp.multiply(g_new, r[part], out=theirs[:, 2 * n :])
        dh[:rows] = g_h * z[part] + theirs.dot(w_hh)
    return [*weight_gradients(needs, d, e, input, before, w_ih), dh]


@gru.joint_gradient
@on_arrays(gru_backward)
def _(t, g, needs, input, w_ih, w_hh, b_ih, b_hh, h, sizes, reverse, result, result2, result3):
    return differentiable("gru", t, g, needs, [input, w_ih, w_hh, b_ih, b_hh, h], (sizes, reverse))


@operator("_rnn_layer", method=False, outputs=2, wide=True, node=titled("StackBackward0"))
def rnn(
    xp, input: Array, w_ih: Array, w_hh: Array, b_ih: Array = None, b_hh: Array = None, h: Array = None, sizes=(),
    reverse=False, relu=False,
):  # fmt: skip
    """One plain layer over a sequence from states h [N, H]: states of all steps, last h."""
    y = projected(rows_of(input), w_ih, b_ih)
    h = h.copy()
    for at, rows in alone(steps(input, sizes, reverse)):
        state = y[at : at + rows]
        state += projected(h[:rows], w_hh, b_hh)
        state[...] = xp.maximum(state, 0) if relu else tanh(xp, state)
        h[:rows] = state
    return y.reshape(*input.shape[:-1], y.shape[-1]), h


def rnn_backward(g, needs, input, w_ih, w_hh, b_ih, b_hh, h, sizes, reverse, relu, result):
    xp = world_of(input)
    gy, gh = g
    y, gy = rows_of(result), rows_of(gy)
    order = steps(input, sizes, reverse)
    dh = starts(xp, gh, h)
    d = xp.empty_like(y)
    for at, rows in alone(reversed(order)):
        part = slice(at, at + rows)
        g_h = dh[:rows] if gy is None else dh[:rows] + gy[part]
        d[part] = g_h * (y[part] > 0) if relu else g_h * (1 - y[part] * y[part])
        dh[:rows] = d[part].dot(w_hh)
    before = previous(xp, y, h, order) if needs[2] else None
    return [*weight_gradients(needs, d, d, input, before, w_ih), dh]


@rnn.joint_gradient
@on_arrays(rnn_backward)
def _(t, g, needs, input, w_ih, w_hh, b_ih, b_hh, h, sizes, reverse, relu, result):
    return differentiable("rnn", t, g, needs, [input, w_ih, w_hh, b_ih, b_hh, h], (sizes, reverse, relu))


def world_of(array: Any) -> Any:
    """numpy or cupy."""
    if type(array) is np.ndarray:
        return np
    return module_of([array])


def unrolled(cell: Any) -> Any:
    """A layer as a walk of a cell over the steps, for gradients of gradients."""

    def run(t: Any, input: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any, *rest: Any) -> list:
        count = cell.states
        states, (sizes, reverse, *options) = list(rest[:count]), rest[count:]
        x = t.matmul(rows_of(input), w_ih.t())
        x = x if b_ih is None else x + b_ih
        done: dict[int, Tensor] = {}
        for at, rows in steps(input, sizes, reverse):
            z = t.matmul(states[0][:rows], w_hh.t())
            z = z if b_hh is None else z + b_hh
            new = cell(t, x[at : at + rows], z, *[s[:rows] for s in states], *options)
            done[at] = new[0]
            states = [t.cat([a, s[rows:]], 0) for a, s in zip(new, states, strict=True)]
        y = t.cat([done[at] for at in sorted(done)], 0)
        return [y.reshape((*input.shape[:-1], -1)), *states]

    return run


def lstm_cell(t: Any, x: Tensor, z: Tensor, h: Tensor, c: Tensor) -> list:
    i, f, g, o = (x + z).chunk(4, 1)
    c = t.sigmoid(f) * c + t.sigmoid(i) * t.tanh(g)
    return [t.sigmoid(o) * t.tanh(c), c]


def gru_cell(t: Any, x: Tensor, z: Tensor, h: Tensor) -> list:
    (xr, xz, xn), (hr, hz, hn) = x.chunk(3, 1), z.chunk(3, 1)
    new = t.tanh(xn + hn * t.sigmoid(xr + hr))
    return [(h - new) * t.sigmoid(xz + hz) + new]


def rnn_cell(t: Any, x: Tensor, z: Tensor, h: Tensor, relu: bool) -> list:
    return [t.relu(x + z) if relu else t.tanh(x + z)]


lstm_cell.states, gru_cell.states, rnn_cell.states = 2, 1, 1  # type: ignore[attr-defined]
UNROLLED = {"lstm": unrolled(lstm_cell), "gru": unrolled(gru_cell), "rnn": unrolled(rnn_cell)}
