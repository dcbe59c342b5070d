"""Convolution in one, two and three dimensions, and its transpose.

The product is a GEMM: windows of the input become the columns of a matrix (im2col, one copy), which the weight multiplies.
Three linear maps are enough for derivatives of any order, since each one's gradients are the other two:

    y = C(x, w)     dx = T(dy, w)     dw = W(x, dy)

with C the convolution, T its transpose and W the weight's gradient.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...arrays.blas import alone
from ...arrays.extents import strided
from ...arrays.layout import row_order
from ...arrays.parallel import SHARED, each
from ...arrays.state import state
from ...arrays.warning import warn_of_old
from ...kernels import kernel as compiled
from ...kernels import unsuited
from ...loading import table
from ...numerics.convolution import (
    COLUMNS,
    across_places,
    compiled_forward,
    compiled_weight,
    layered,
    layered_forward,
    layered_weight,
    of_few,
    of_places,
    pointwise,
    suits,
)
from ...numerics.convolution import geometry as placed
from ...numerics.windows import remembered
from ...operators.declare import Array, composite, operator
from ...tensors.inplace import fits_dtype
from ...tensors.tensor import Tensor
from ...wording.convolution import check_dims, check_output, check_types, geometry, transposed_geometry, tuples
from ..elementwise.by_number import times


def windows(xp: Any, x: Any, kernel: tuple, stride: tuple, dilation: tuple) -> Any:
    """A view of x [N, C, *S] as [N, C, *K, *out]: every window, without a copy."""
    out = [
        (n - k_dil * (k - 1) - 1) // s + 1 for n, k, s, k_dil in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    steps = x.strides[2:]
    strides = (
        *x.strides[:2],
        *(step * w for step, w in zip(steps, dilation, strict=True)),
        *(step * s for step, s in zip(steps, stride, strict=True)),
    )
    return strided(x, (*x.shape[:2], *kernel, *out), strides)


def padded(xp: Any, x: Any, padding: tuple) -> Any:
    """x with zeros around its spatial dimensions."""
    if not any(padding):
        return x
    shape = (*x.shape[:2], *(n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)))
    out = xp.zeros(shape, x.dtype)
    out[(slice(None), slice(None), *(slice(p, p + n) for n, p in zip(x.shape[2:], padding, strict=True)))] = x
    return out


def pieces(xp: Any, view: Any, groups: int, room: int = COLUMNS) -> Any:
    """The windows [N, C, *K, *out] of a few samples, or of a few rows of a sample, at a time.

    Yields the samples, the place in the flat output, and the windows; see `columns`.
    """
    n, c = view.shape[:2]
    d = (view.ndim - 2) // 2
    kernel, out = view.shape[2 : 2 + d], view.shape[2 + d :]
    inner, line = c // groups * prod(kernel), prod(out[1:])
    size = inner * groups * prod(out)
    together = max(1, n if xp is not np else room // max(size, 1))
    rows = out[0] if xp is not np or size <= room else max(1, room * out[0] // size)
    for first in range(0, n, together):
        samples = slice(first, min(n, first + together))
        for top in range(0, out[0], rows):
            part = view[(samples, *(slice(None),) * (1 + d), slice(top, top + rows))]
            place = slice(top * line, min(top + rows, out[0]) * line)
            yield samples, place, part


def columns(part: Any, groups: int) -> Any:
    """Windows as matrices [N, G, C/G * prod K, outputs]: the copy that makes a convolution a product."""
    return part.reshape(len(part), groups, -1, prod(part.shape[1 + part.ndim // 2 :]))


def lined_up(xp: Any, part: Any, groups: int) -> Any:
    """Windows of all samples as one matrix for each group, [G, C/G * prod K, N * outputs]."""
    d = part.ndim // 2 - 1
    rows = prod(part.shape[1 : 2 + d]) // groups
    return xp.moveaxis(part, 0, 1 + d).reshape(groups, rows, -1)


MANY_PAIRS = 1024
"""Where a weight of so many pairs of channels meets few places, one product of matrices is faster than the kernels, which read the
weight anew for each line."""


def _forward(
    xp: Any, x: Any, w: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int, bias: Any = None
) -> Any:
    flat = row_order(w).reshape(w.shape[:2]) if pointwise(w.shape[2:], stride, padding, groups) else None
    if flat is not None and (y := of_places(flat, x)) is not None:
        return y if bias is None else np.add(y, bias.reshape(-1, *[1] * (y.ndim - 2)), y)
    few = xp is np and len(w) * w.shape[1] >= MANY_PAIRS
    if few:
        few = len(x) * prod(placed(x.shape[2:], w.shape[2:], stride, padding, dilation)[0]) * groups <= len(w)
    if not few and suits(x, w, w.shape[2:]):
        y = compiled_forward(x, w, bias, stride, padding, dilation, groups)
        if y is not None:
            return y
    if xp is np and w.ndim == 5:
        y = layered_forward(x, w, bias, stride, padding, dilation, groups)
        if y is not None:
            return y
    if xp is np and not few and (y := of_few(x, w, stride, padding, dilation, groups)) is not None:
        return y if bias is None else np.add(y, bias.reshape(-1, *[1] * (y.ndim - 2)), y)
    view = windows(xp, padded(xp, x, padding), w.shape[2:], stride, dilation)
    n, o, out = len(x), len(w), view.shape[w.ndim :]
    flat = w.reshape(groups, o // groups, -1)
    if few:
        y = np.matmul(flat, lined_up(np, view, groups)).reshape(o, n, *out).swapaxes(0, 1)
        return np.ascontiguousarray(y) if bias is None else np.add(y, bias.reshape(-1, *[1] * len(out)), order="C")
    y = xp.empty((n, groups, o // groups, prod(out)), x.dtype)

    def work(samples: slice, place: slice, part: Any) -> None:
        xp.matmul(flat, columns(part, groups), out=y[samples, :, :, place])

    each(work, alone(pieces(xp, view, groups)), state.threads if xp is np and view.size >= SHARED else 1)
    y = y.reshape(n, o, *out)
    if bias is not None:
        y += bias.reshape(-1, *[1] * (y.ndim - 2))
    return y


def _as_convolution(
    xp: Any, g: Any, w: Any, padding: tuple, dilation: tuple, groups: int, size: tuple, fast: bool
) -> Any:
    """The transpose with steps of one, as a convolution with the weight mirrored; None where it is none, or dearer."""
    border = _border((g.shape[1] // groups, *g.shape[2:]), w.shape[1:], padding, dilation, tuple(size), fast)
    if not border:
        return None
    mirrored = turned(w, groups)[BACKWARDS[: w.ndim]]
    return _forward(xp, g, xp.ascontiguousarray(mirrored), (1,) * len(border), border, dilation, groups)


def turned(w: Any, groups: int) -> Any:
    """A weight [O, C/G, *K] as the transpose's, [C, O/G, *K]."""
    o, inner = w.shape[:2]
    if groups == 1:
        return w.swapaxes(0, 1)
    return (
        w.reshape(groups, o // groups, inner, *w.shape[2:])
        .swapaxes(1, 2)
        .reshape(groups * inner, o // groups, *w.shape[2:])
    )


BACKWARDS = (slice(None),) * 2 + (slice(None, None, -1),) * 3
COLUMN = 64
"""So many multiplications by the compiled kernels take the time of making an element of a column and adding it."""


@remembered
def _border(g: tuple, w: tuple, padding: tuple, dilation: tuple, size: tuple, fast: bool) -> tuple:
    """The padding of that convolution, by the shapes of a sample's group and of a filter; none where it is not to be.
    fast: there are kernels for it, which make no columns."""
    border = tuple(d * (k - 1) - p for d, k, p in zip(dilation, w[1:], padding, strict=True))
    whole = tuple(m + 2 * b - d * (k - 1) for m, b, d, k in zip(g[1:], border, dilation, w[1:], strict=True))
    columns = g[0] + COLUMN if fast else 3 * w[0]
    if min(border) < 0 or whole != size or g[0] * prod(size) > columns * prod(g[1:]):
        return ()
    return border


MANY = 1 << 19
"""From this many products on a transpose in larger steps is computed part by part; fewer are added up as PyTorch adds them."""


def _by_parts(xp: Any, g: Any, w: Any, stride: tuple, padding: tuple, groups: int, size: tuple) -> Any:
    """The transpose with larger steps, part by part: the results that lie whole steps apart are a convolution in steps of one with the
    elements of the mirrored weight that meet them. None where there is no kernel for that."""
    kernel = w.shape[2:]
    if any(k < s for k, s in zip(kernel, stride, strict=True)):
        return None
    other = turned(w, groups)
    x = np.zeros((len(g), len(other), *size), g.dtype)
    for part in np.ndindex(*stride):
        borders, cut, places = [], [], []
        for a, s, k, p, m, n in zip(part, stride, kernel, padding, g.shape[2:], size, strict=True):
            first, last = -(-(p - a) // s), (n - 1 + p - a) // s  # windows that end or begin in the image, in steps
            met = -(-(k - a) // s)
            border = max(met - 1 - first, last - m + 1, 0)
            begin = first - (met - 1) + border  # of the results with that border, the first that is meant
            borders.append(border)
            cut.append(slice(begin, begin + last - first + 1))
            places.append(slice(s * first + a - p, n, s))
        if any(each.start >= each.stop for each in cut):  # an image smaller than a step has results in some parts alone
            continue
        some = other[(..., *(slice(a, None, s) for a, s in zip(part, stride, strict=True)))]
        mirrored = np.ascontiguousarray(some[(..., *(slice(None, None, -1) for _ in kernel))])
        one = (1,) * len(kernel)
        made = _forward(xp, g, mirrored, one, tuple(borders), one, groups)
        x[(slice(None), slice(None), *places)] = made[(slice(None), slice(None), *cut)]
    return x


FEW = 1 << 15
"""So many elements of columns are added by a kernel; more by long rows."""
columns_added = compiled("columns_added", unsuited)


def _transposed(
    xp: Any, g: Any, w: Any, stride: tuple, padding: tuple, dilation: tuple, groups: int, size: tuple
) -> Any:
    """The transpose: each element of g spreads the weight over its window of an output of spatial shape `size`."""
    kernel = w.shape[2:]
    n, o = g.shape[:2]
    out = g.shape[2:]
    inner = w.shape[1]
    large = g.size * prod(w.shape[1:]) >= MANY
    fast = suits(g, w, kernel) or layered(g, w)
    if 1 == max(stride) < max(kernel) and (groups == 1 or fast):
        x = _as_convolution(xp, g, w, padding, dilation, groups, size, fast)
        if x is not None:
            return x
    flat = w.reshape(groups, o // groups, -1).swapaxes(1, 2)
    if pointwise(kernel, stride, padding, 1) and tuple(size) == tuple(out):
        cols = of_places(flat[0], g) if groups == 1 else None
        cols = xp.matmul(flat, g.reshape(n, groups, o // groups, prod(out))) if cols is None else cols
        return cols.reshape(n, groups * inner, *out)
    if max(stride) > 1 == max(dilation) and large and fast:
        x = _by_parts(xp, g, w, stride, padding, groups, size)
        if x is not None:
            return x
    full = tuple(m + 2 * p for m, p in zip(size, padding, strict=True))
    inside = tuple(slice(p, p + m) for m, p in zip(size, padding, strict=True))
    x = xp.empty((n, groups * inner, *size), g.dtype)
    # With the samples side by side in memory the additions run over long rows.
    together = max(1, n) if xp is not np else max(1, 8 * COLUMNS // max(1, groups * inner * prod(kernel) * prod(out)))
    for first in range(0, n, together):
        part = g[first : first + together]
        m = len(part)
        turned = xp.ascontiguousarray(part.reshape(m, groups, o // groups, prod(out)).transpose(1, 2, 3, 0))
        cols = xp.matmul(flat, turned.reshape(groups, o // groups, -1)).reshape(groups * inner, *kernel, *out, m)
        if len(kernel) <= 2 and xp is np and cols.size <= FEW:
            rest = (1,) * (2 - len(kernel))
            sides = [rest + tuple(each) for each in (size, kernel, stride)]
            sizes = (*sides[0], *sides[1], *sides[2], *(0,) * len(rest), *padding, *rest, *dilation)
            samples = np.ascontiguousarray(cols.reshape(groups * inner * prod(kernel), prod(out), m).transpose(2, 0, 1))
            some = columns_added(samples, sizes)
            if some is not None:
                x[first : first + together] = some.reshape(m, groups * inner, *size)
                continue
        sums = xp.zeros((groups * inner, *full, m), g.dtype)
        for at in np.ndindex(*kernel):
            place = tuple(
                slice(a * d, a * d + s * (m - 1) + 1, s) for a, d, s, m in zip(at, dilation, stride, out, strict=True)
            )
            sums[(slice(None), *place)] += cols[(slice(None), *at)]
        x[first : first + together] = xp.moveaxis(sums[(slice(None), *inside)], -1, 0)
    return x


def _size(g: Any, w: Any, stride: tuple, padding: tuple, dilation: tuple, output_padding: tuple) -> tuple:
    return _extent(g.shape[2:], w.shape[2:], stride, padding, dilation, output_padding)


@remembered
def _extent(out: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, output_padding: tuple) -> tuple:
    return tuple(
        (m - 1) * s - 2 * p + d * (k - 1) + e + 1
        for m, s, p, d, k, e in zip(out, stride, padding, dilation, kernel, output_padding, strict=True)
    )


def _title(*values: Any) -> str:
    return SECOND if values[-1] else "ConvolutionBackward0"


SECOND = "ConvolutionBackwardBackward0"
"""What PyTorch calls the node of a convolution's gradient."""


@operator("_convolution", node=_title, method=False, wide=True, laid="images 2")
def convolution(
    xp, input: Array, weight: Array, bias: Array = None, stride=(1,), padding=(0,), dilation=(1,), transposed=False,
    output_padding=(0,), groups=1, backward=False,
):  # fmt: skip
    """input [N, C, *S] and weight [O, C/G, *K] (transposed: [C, O/G, *K]) give [N, O, *out].

    backward: it is itself the gradient of one.
    """
    if transposed:
        size = _size(input, weight, stride, padding, dilation, output_padding)
        y = _transposed(xp, input, weight, stride, padding, dilation, groups, size)
        if bias is not None:
            y += bias.reshape(-1, *[1] * (y.ndim - 2))
        return y
    if not input.shape[1]:  # without channels PyTorch makes none, whatever the weight says
        out = windows(xp, padded(xp, input, padding), weight.shape[2:], stride, dilation).shape[weight.ndim :]
        return xp.empty((len(input), 0, *out), input.dtype)
    return _forward(xp, input, weight, stride, padding, dilation, groups, bias)


def _left_over(shape: tuple, g: Any, w: Any, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """The output_padding that gives the transpose the input's size back."""
    plain = _size(g, w, stride, padding, dilation, (0,) * len(stride))
    return tuple(n - m for n, m in zip(shape[2:], plain, strict=True))


def narrowed(t, x, shape):
    """Images without the windows beyond those of a shape, for which a large output_padding leaves room."""
    for axis in range(2, len(shape)):
        if x.shape[axis] > shape[axis]:
            x = t.narrow(x, axis, 0, shape[axis])
    return x


def input_gradient(t, g, shape, weight, stride, padding, dilation, transposed, groups):
    if transposed:
        x = t._convolution(g, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups, True)
        return narrowed(t, x, shape)
    rest = _left_over(shape, g, weight, stride, padding, dilation)
    return t._convolution(g, weight, None, stride, padding, dilation, True, rest, groups, True)


@convolution.joint_gradient
def _(t, g, needs, input, weight, stride, padding, dilation, transposed, output_padding, groups):
    form = (stride, padding, dilation, transposed, output_padding, groups, needs)
    if t.raw:
        return gradients(t, g, input, weight, *form)
    return t._convolution_backward(g, input, weight, [g.shape[1] if needs[2] else 0], *form)


def gradients(t, g, input, weight, stride, padding, dilation, transposed, _, groups, needs):
    spatial = (stride, padding, dilation, groups)
    if input.shape[1:2] == (0,) and not transposed:
        found = t.zeros_like(input), t.zeros_like(weight), t.constant(np.zeros(len(weight), t.array(g).dtype))
        return tuple([zeros if need else None for zeros, need in zip(found, needs, strict=True)])
    x = input_gradient(t, g, input.shape, weight, stride, padding, dilation, transposed, groups) if needs[0] else None
    w = None
    if needs[1]:
        pair = (g, input) if transposed else (input, g)
        w = t._convolution_weight(*pair, tuple(weight.shape[2:]), *spatial)
    b = t.sum(g, (0, *range(2, g.ndim))) if needs[2] else None
    return x, w, b


@operator("_convolution_weight", node=SECOND, method=False, wide=True)
def convolution_weight(xp, input: Array, grad: Array, kernel, stride, padding, dilation, groups):
    """The gradient of the weight [O, C/G, *K] of a convolution: input [N, C, *S] against grad [N, O, *out]."""
    n, o = grad.shape[:2]
    if pointwise(kernel, stride, padding, groups) and (w := across_places(grad, input)) is not None:
        return w.reshape(*w.shape, *kernel)
    few = xp is np and o * input.shape[1] // groups >= MANY_PAIRS and n * prod(grad.shape[2:]) * groups <= 16 * o
    if not few and suits(input, grad, kernel) and max(dilation) == 1:
        w = compiled_weight(input, grad, kernel, stride, padding, dilation, groups)
        if w is not None:
            return w
    if xp is np and len(kernel) == 3 and max(dilation) == 1:
        w = layered_weight(input, grad, kernel, stride, padding, dilation, groups)
        if w is not None:
            return w
    view = windows(xp, padded(xp, input, padding), kernel, stride, dilation)
    # The last windows may reach beyond what the gradient covers, when the stride left a rest.
    view = view[(..., *(slice(0, m) for m in grad.shape[2:]))]
    g = grad.reshape(n, groups, o // groups, prod(grad.shape[2:]))
    w = xp.zeros((groups, o // groups, input.shape[1] // groups * prod(kernel)), grad.dtype)
    for samples, place, part in alone(pieces(xp, view, groups, max(COLUMNS, w.size))):
        rows = xp.moveaxis(g[samples, :, :, place], 0, 2).reshape(*w.shape[:2], -1)
        w += xp.matmul(rows, lined_up(xp, part, groups).swapaxes(1, 2))
    return w.reshape(o, input.shape[1] // groups, *kernel)


@convolution_weight.joint_gradient
def _(t, g, needs, input, grad, stride, padding, dilation, groups):
    x = input_gradient(t, grad, input.shape, g, stride, padding, dilation, False, groups) if needs[0] else None
    y = None
    if needs[1]:
        y = t._convolution(input, g, None, stride, padding, dilation, False, (0,) * len(stride), groups)
        y = narrowed(t, y, grad.shape)
    return x, y


def _all_complex(input: Tensor, *others: Tensor | None) -> bool:
    return input._array.dtype.kind == "c" and all([t is None or t._array.dtype.kind == "c" for t in others])


def _conv(d: int) -> None:
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        check_dims(input, d, f"conv{d}d", None if isinstance(padding, str) else bias)
        if _all_complex(input, weight, bias):
            if input.ndim == d + 1:
                return conv(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
            return in_reals(lambda *x: conv(*x, stride, padding, dilation, groups), input, weight, bias)
        if isinstance(padding, str):
            if padding not in ("valid", "same"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "same" and any(s != 1 for s in tuples("conv", stride, d, "stride")):
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            if padding == "same":
                if input.ndim == d + 1 and weight.ndim == d + 2:
                    return conv(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
                input, padding = _same(input, weight, tuples("conv", dilation, d, "dilation"), d)
            else:
                padding = 0
        shapes = input._array.shape, weight._array.shape, None if bias is None else bias._array.shape
        (stride, padding, dilation, rest), single = geometry(d, *shapes, stride, padding, dilation, groups)
        check_types(input, weight, bias, False, stride, dilation, rest, groups)
        x = input.unsqueeze(0) if single else input
        y = convolution.function(x, weight, bias, stride, padding, dilation, False, rest, groups)
        return y.squeeze(0) if single else y

    conv.__name__ = conv.__qualname__ = f"conv{d}d"
    conv.__doc__ = (
        f"Convolution of input [N, C, {', '.join('DHW'[3 - d :])}] with weight [O, C/groups, ...], as "
        "cross-correlation; padding may be 'valid' or 'same'."
    )
    composite(f"nn.functional.conv{d}d conv{d}d", method=False)(conv)


def in_reals(conv: Any, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """A convolution of complex numbers by three of real ones, as PyTorch computes it (Gauss's trick)."""
    (xr, xi), (wr, wi) = _parts(input), _parts(weight)
    br, bi = (None, None) if bias is None else _parts(bias)
    real, imaginary = conv(xr, wr, br), conv(xi, wi, None)
    both = conv(xr + xi, wr + wi, None if br is None else br + bi)
    return real - imaginary + times(both - real - imaginary, 1j)


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    pairs = table.find_function("view_as_real")(x.resolve_conj())
    return pairs.select(-1, 0), pairs.select(-1, 1)


def _same(input: Tensor, weight: Tensor, dilation: tuple, d: int) -> tuple:
    """Padding that keeps the size: symmetric in the convolution, an odd rest at the end before it."""
    sizes = list(weight._array.shape)
    if len(sizes) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(sizes) != d + 2:
        raise RuntimeError(
            f"Expected {len(sizes)}-dimensional input for {len(sizes)}-dimensional weight{sizes}, but got "
            f"{input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    totals = [w * (k - 1) for k, w in zip(weight.shape[2:], dilation, strict=True)]
    if any(total % 2 for total in totals):
        warn_of_old("padding of even kernels")
        extra = [p for total in reversed(totals) for p in (0, total % 2)]
        input = table.find_function("nn.functional.pad")(input, extra)
    return input, tuple(total // 2 for total in totals)


def _conv_transpose(d: int) -> None:
    def conv(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        check_dims(input, d, f"conv_transpose{d}d")
        if _all_complex(input, weight, bias):
            if input.ndim == d + 1:
                return conv(
                    input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation
                ).squeeze(0)
            return in_reals(lambda *x: conv(*x, stride, padding, output_padding, groups, dilation), input, weight, bias)
        shapes = input._array.shape, weight._array.shape, None if bias is None else bias._array.shape
        (stride, padding, dilation, rest), single = transposed_geometry(
            d, *shapes, stride, padding, dilation, output_padding, groups
        )
        check_types(input, weight, bias, True, stride, dilation, rest, groups)
        if bias is not None and bias.dtype is not input.dtype:
            # The result begins as a copy of the bias, which may be of another dtype.
            fits_dtype(input.dtype, bias.dtype)
            bias = bias.to(input.dtype)
        check_output(*shapes[:2], stride, padding, dilation, rest)
        x = input.unsqueeze(0) if single else input
        y = convolution.function(x, weight, bias, stride, padding, dilation, True, rest, groups)
        return y.squeeze(0) if single else y

    conv.__name__ = conv.__qualname__ = f"conv_transpose{d}d"
    conv.__doc__ = "The transpose of a convolution (its gradient with respect to the input): weight [C, O/groups, ...]."
    composite(f"nn.functional.conv_transpose{d}d conv_transpose{d}d", method=False)(conv)


for _d in (1, 2, 3):
    _conv(_d)
    _conv_transpose(_d)
