"""Padding: with a constant, by reflection, by the border's value, or around."""

from __future__ import annotations

import numpy as np

from ...arrays.errors import not_implemented
from ...arrays.extents import signed, sized
from ...arrays.layout import channels_are_last, empty_as
from ...arrays.numbers import converted
from ...arrays.parallel import lay
from ...arrays.state import here
from ...graph.fields import wrap
from ...numerics.adding import add_along
from ...numerics.windows import remembered
from ...operators.declare import Array, composite, operator
from ...tensors.sizes import check_signs
from ...tensors.tensor import Tensor

MODES = {"reflect": "Reflection", "replicate": "Replication"}


FEW = 1 << 14
"""Elements that are filled sooner than the places around an edge are found."""


@operator("constant_pad_nd", node="ConstantPadNdBackward0", method=False, out=False, laid="images 1")
def constant_pad(xp, input: Array, pad, value=0):
    """`pad` counts elements before and after, last dimension first; negative numbers cut off."""
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {input.ndim}dimensions."
        )
    cuts, shape, inside = frame(input.shape, tuple(pad))
    sized(shape, input.itemsize)
    number = converted(value if isinstance(value, complex) else float(value), input.dtype)
    if xp is not np:
        out = xp.full(shape, number, input.dtype)
        out[inside] = input[cuts]
        return out
    out = empty_as(input, shape)
    if out.size <= FEW:
        out.fill(number)
    for d, kept in enumerate(inside) if out.size > FEW else ():  # each element is written once
        out[(*inside[:d], slice(0, kept.start))] = number
        out[(*inside[:d], slice(kept.stop, None))] = number
    lay(out[inside], input[cuts])
    return out


@remembered
def frame(sizes: tuple, pad: tuple) -> tuple[tuple, tuple, tuple]:
    """What stays of an array that is padded, the shape of the result, and the place in it."""
    widths, cuts = [], []
    for d, n in enumerate(sizes):
        at = 2 * (len(sizes) - 1 - d)
        before, after = (pad[at], pad[at + 1]) if at < len(pad) else (0, 0)
        if n + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        cuts.append(slice(max(-before, 0), n - max(-after, 0)))
        widths.append((max(before, 0), max(after, 0)))
    inner = [len(range(n)[cut]) for n, cut in zip(sizes, cuts, strict=True)]
    shape = tuple([signed(n + b + a) for n, (b, a) in zip(inner, widths, strict=True)])
    for d, n in enumerate(shape):
        if n < 0:
            raise RuntimeError(
                f"The input size {inner[d]}, plus negative padding {widths[d][0]} and {widths[d][1]} resulted in a "
                f"negative output size, which is invalid. Check dimension {d} of your input."
            )
    inside = tuple([slice(b, b + n) for n, (b, _) in zip(inner, widths, strict=True)])
    return tuple(cuts), shape, inside


constant_pad.gradient(input=lambda t, g, pad: t.constant_pad_nd(g, tuple(-p for p in pad)))


def _source(n: int, before: int, after: int, mode: str) -> np.ndarray:
    """For each place along a padded dimension of size n, the place its value comes from."""
    at = np.arange(-before, n + after)
    if mode == "replicate":
        return np.clip(at, 0, n - 1)
    at = np.abs(at)
    return np.where(at >= n, 2 * (n - 1) - at, at)


def _node(input, pad, mode) -> str:
    return f"{MODES[mode]}Pad{len(pad) // 2}DBackward0"


@operator("_border_pad", node=_node, method=False, laid="images 1")
def border_pad(xp, input: Array, pad, mode):
    """Padding whose values come from the input itself."""
    if min(pad) >= 0 and input.size:
        return bordered(xp, input, pad, mode)
    out = input
    for at in range(len(pad) // 2):
        axis = input.ndim - 1 - at
        source = _source(input.shape[axis], pad[2 * at], pad[2 * at + 1], mode)
        out = xp.take(out, xp.asarray(source), axis=axis)
    return out


def bordered(xp, a, pad, mode):
    """The same for borders that add: an array in the middle of the result, whose borders are then copied from within."""
    shape, inside, borders = sides(a.shape, tuple(pad), mode)
    if xp is np:
        out = empty_as(a, shape)
        lay(out[inside], a)
    else:
        out = xp.empty(shape, a.dtype)
        out[inside] = a
    for border, source in borders:
        if xp is np and out[source].shape == out[border].shape:
            lay(out[border], out[source], True)
        else:
            out[border] = out[source]
    return out


FEW_COLUMNS = 8
"""So many columns are copied one by one: a row of two elements takes numpy longer than a column of many."""


@remembered
def sides(sizes: tuple, pad: tuple, mode: str) -> tuple[tuple, tuple, list[tuple]]:
    """The shape of a result whose borders come from within, the input's place in it, and each border with its source."""
    n = len(sizes)
    axes = [(n - 1 - at, pad[2 * at], pad[2 * at + 1]) for at in range(len(pad) // 2)]
    shape, inner = list(sizes), [slice(None)] * n
    for axis, before, after in axes:
        inner[axis] = slice(before, before + shape[axis])
        shape[axis] += before + after
    inside, borders = tuple(inner), []
    for axis, before, after in axes:
        inner[axis] = slice(None)
        part = lambda *ends: (*inner[:axis], slice(*ends), *inner[axis + 1 :])  # noqa: B023 - used in this turn
        end, last = before + sizes[axis], before + sizes[axis] - 2 - after
        edges, around = mode == "replicate", mode == "circular"
        if axis == n - 1 and before + after <= FEW_COLUMNS:
            left = [(k, before if edges else k + sizes[axis] if around else 2 * before - k) for k in range(before)]
            right = [(end + k, end - 1 if edges else before + k if around else end - 2 - k) for k in range(after)]
            borders += [((*inner[:axis], column), (*inner[:axis], source)) for column, source in left + right]
            continue
        if around:
            borders += [(part(before), part(end - before, end)), (part(end, None), part(before, before + after))]
            continue
        if before:
            borders.append((part(before), part(before, before + 1) if edges else part(2 * before, before, -1)))
        if after:
            turned = part(end - 2, last if last >= 0 else None, -1)
            borders.append((part(end, None), part(end - 1, end) if edges else turned))
    return tuple(shape), inside, borders


def folded(grad, n, before, after, axis, mode):
    """The gradient along an axis of n elements: what lies in the middle, and the borders turned round, or each added up at its end."""
    part = lambda a, *ends: a[(*(slice(None),) * axis, slice(*ends))]
    out = part(grad, before, before + n) + grad.dtype.type(0)  # a sum starts from +0
    if mode == "replicate":
        part(out, 1)[...] += part(grad, before).sum(axis, keepdims=True)
        part(out, n - 1, n)[...] += part(grad, before + n, None).sum(axis, keepdims=True)
        return out
    if before:
        part(out, 1, before + 1)[...] += part(grad, before - 1, None, -1)
    if after:
        last = n - 2 - after
        part(out, n - 2, last if last >= 0 else None, -1)[...] += part(grad, before + n, None)
    return out


@operator("_border_pad_spread", method=False, laid="images 1")
def border_spread(xp, grad: Array, shape, pad, mode):
    """The gradient: added at the places the values came from."""
    for at in range(len(pad) // 2):
        axis = grad.ndim - 1 - at
        if min(pad) >= 0 and grad.size and (mode == "reflect" or grad.dtype.itemsize > 2):
            grad = folded(grad, shape[axis], pad[2 * at], pad[2 * at + 1], axis, mode)
            continue
        source = _source(shape[axis], pad[2 * at], pad[2 * at + 1], mode)
        moved = xp.moveaxis(grad, axis, 0)
        out = xp.zeros((shape[axis], *moved.shape[1:]), grad.dtype)
        add_along(xp, out, 0, xp.asarray(source), moved, True)
        grad = xp.moveaxis(out, 0, axis)
    return xp.ascontiguousarray(grad)


border_pad.gradient(input=lambda t, g, input_shape, pad, mode: t._border_pad_spread(g, tuple(input_shape), pad, mode))
border_spread.gradient(grad=lambda t, g, pad, mode: t._border_pad(g, pad, mode))


@composite("nn.functional.pad", method=False)
def pad(input, pad, mode="constant", value=None):
    """Pad the last dimensions: `pad` holds the numbers of elements before and after, last dimension first.
    RuntimeError: an odd number of lengths; NotImplementedError: a mode without rule for so many dimensions."""
    widths = tuple([int(p) for p in pad])
    fitting(input._array.shape, widths, mode, value is None or value == 0)
    if mode == "constant":
        return constant_pad.function(input, widths, 0 if value is None else value)
    if mode == "circular":
        return circular_pad(input, widths)
    if input._array.dtype.kind == "b":
        raise not_implemented(f"{MODES[mode].lower()}_pad{len(widths) // 2}d", input._array)
    return border_pad.function(input, widths, mode)


@remembered
def fitting(shape: tuple, widths: tuple, mode: str, plain: bool) -> bool:
    """Raise unless an input of a shape is padded so; `plain`: no other value than zero is given."""
    ndim = len(shape)
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) // 2 > ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(widths)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return True
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if not plain:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    dims = len(widths) // 2
    if ndim not in (dims + 1, dims + 2) or not 1 <= dims <= 3:
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode in ("reflect", "replicate") and 0 in shape[-dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    for at in range(dims):
        n, before, after = shape[ndim - 1 - at], widths[2 * at], widths[2 * at + 1]
        if mode == "reflect" and max(before, after) >= n:
            raise RuntimeError(
                f"Argument #{4 + 2 * at}: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {ndim - 1 - at} of input {list(shape)}"
            )
        if mode == "circular" and max(before, after) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
    check_padded(shape, widths, mode)
    return True


def check_padded(shape: tuple, widths: tuple, mode: str) -> None:
    """Raise where widths below 0 leave too little of an input of a shape."""
    dims = len(widths) // 2
    inner = shape[len(shape) - dims :]
    sizes = [n + widths[2 * at] + widths[2 * at + 1] for at, n in zip(range(dims - 1, -1, -1), inner, strict=True)]
    if mode == "circular":
        if min(sizes) < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        return
    if max(sizes) < 1:
        given, found = (
            [f"{axis}: {n}" for axis, n in zip("DHW"[-dims:], each, strict=True)] for each in (inner, sizes)
        )
        listed = given[0] if dims == 1 else " ".join(given[:-1]) + ", " + given[-1]
        raise RuntimeError(f"input ({listed}) is too small. Calculated output {' '.join(found)}")
    check_signs((*shape[: len(shape) - dims], *sizes))


def circular_pad(input: Tensor, widths: tuple) -> Tensor:
    """The input in the middle of a larger tensor, whose borders are then copied from the opposite ends."""
    a = input._array
    free = input._node is None or not here.grad_enabled
    if type(a) is np.ndarray and min(widths) >= 0 and not channels_are_last(a) and free:
        return wrap(bordered(np, a, widths, "circular"))
    axes = [(input.ndim - 1 - at, widths[2 * at], widths[2 * at + 1]) for at in range(len(widths) // 2)]
    shape = list(input.shape)
    for axis, before, after in axes:
        shape[axis] += before + after
    out = input.new_empty(shape)
    inner = out
    for axis, before, after in axes:
        n = input.shape[axis] + min(before, 0) + min(after, 0)
        inner, input = inner.narrow(axis, max(before, 0), n), input.narrow(axis, max(-before, 0), n)
    inner.copy_(input)
    for axis, before, after in axes:
        end = shape[axis] - max(after, 0)
        if before > 0:
            out.narrow(axis, 0, before).copy_(out.narrow(axis, end - before, before))
        if after > 0:
            out.narrow(axis, end, after).copy_(out.narrow(axis, max(before, 0), after))
    return out
