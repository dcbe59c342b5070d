"""Rearranging channels and windows: unfold and fold, pixel and channel shuffles."""

from __future__ import annotations

from math import prod

import numpy as np

from ...arrays.errors import wrap_dim
from ...arrays.extents import LONG
from ...arrays.parallel import copied
from ...kernels import kernel, unsuited
from ...loading.table import find_function
from ...numerics.windows import blocks, check_blocks
from ...operators.declare import Array, composite, operator
from ..nn.convolution import _transposed as spread_windows
from ..nn.convolution import padded, windows


def block_counts(size, kernel, stride, padding, dilation) -> tuple:
    """How many windows an image has in each dimension."""
    several = zip(size, kernel, stride, padding, dilation, strict=True)
    return tuple((m + 2 * p - d * (k - 1) - 1) // s + 1 for m, k, s, p, d in several)


columns_added = kernel("columns_added", unsuited)


@operator("_im2col", node="Im2ColBackward0", method=False)
def im2col(xp, input: Array, kernel_size, dilation, padding, stride):
    """The windows of input [N, C, H, W] as columns [N, C * prod kernel, L]."""
    view = windows(xp, padded(xp, input, padding), kernel_size, stride, dilation)
    return xp.ascontiguousarray(view).reshape(len(view), prod(view.shape[1:4]), prod(view.shape[4:]))


def added_by_product(xp, input, output_size, kernel_size, dilation, padding, stride):
    """The same as the transpose of a convolution whose weight is the unit matrix."""
    n, rows, _ = input.shape
    channels = rows // prod(kernel_size)
    out = block_counts(output_size, kernel_size, stride, padding, dilation)
    one = xp.eye(rows, dtype=input.dtype).reshape(rows, channels, *kernel_size)
    return spread_windows(xp, input.reshape(n, rows, *out), one, stride, padding, dilation, 1, output_size)


@operator("_col2im", node="Col2ImBackward0", method=False)
def col2im(xp, input: Array, output_size, kernel_size, dilation, padding, stride):
    """Columns [N, C * prod kernel, L] added into their windows of an image [N, C, *output_size]."""
    if xp is np:
        sizes = (*output_size, *kernel_size, *stride, *padding, *dilation)
        if (found := columns_added(np.ascontiguousarray(input), sizes)) is not None:
            return found
    return added_by_product(xp, input, output_size, kernel_size, dilation, padding, stride)


im2col.gradient(
    input=lambda t, g, input_shape, kernel_size, dilation, padding, stride: t._col2im(
        g, tuple(input_shape[2:]), kernel_size, dilation, padding, stride
    )
)
col2im.gradient(
    input=lambda t, g, kernel_size, dilation, padding, stride: t._im2col(g, kernel_size, dilation, padding, stride)
)


@composite("nn.functional.unfold", method=False)
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images [N, C, H, W] as columns [N, C * prod kernel, L].
    L counts the places of the window; `dilation`, `padding` and `stride` are as in a convolution, which is a product
    with these columns. `fold` is the way back, adding where windows overlap. RuntimeError: a window larger than the
    padded image."""
    kernel = blocks("kernel_size", kernel_size)
    dilation, padding, stride = blocks("dilation", dilation), blocks("padding", padding), blocks("stride", stride)
    shape = input._array.shape
    wrap_dim(1, len(shape))
    wrap_dim(2, len(shape))
    check_blocks(kernel, stride, padding, dilation)
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    counts = block_counts(shape[-2:], kernel, stride, padding, dilation)
    if min(counts) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(shape[-2:])}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"calculated shape of the array of sliding blocks as {counts}, but its components must be at least one."
        )
    x = input.unsqueeze(0) if input.ndim == 3 else input
    y = im2col.function(x, kernel, dilation, padding, stride)
    return y.squeeze(0) if input.ndim == 3 else y


@composite("nn.functional.fold", method=False)
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns [N, C * prod kernel, L] added into an image [N, C, *output_size]: the transpose of unfold."""
    size, kernel = blocks("output_size", output_size), blocks("kernel_size", kernel_size)
    dilation, padding, stride = blocks("dilation", dilation), blocks("padding", padding), blocks("stride", stride)
    check_blocks(kernel, stride, padding, dilation)
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    if shape[-2] % prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={kernel}."
        )
    counts = block_counts(size, kernel, stride, padding, dilation)
    if min(counts) < 1 and prod(counts) == shape[-1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride}, "
            f"calculated shape of the array of sliding blocks as {counts}, which is too small (non-positive)"
        )
    if prod(counts) != shape[-1] or min(counts) < 1 and prod(counts) < 0:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride}, expected "
            f"size of input's dimension 2 to match the calculated number of sliding blocks {counts[0]} * {counts[1]} = "
            f"{prod(counts)}, but got input.size(2)={shape[-1]}."
        )
    x = input.unsqueeze(0) if input.ndim == 2 else input
    y = col2im.function(x, size, kernel, dilation, padding, stride)
    return y.squeeze(0) if input.ndim == 2 else y


def shuffled(xp, x, r: int):
    *outer, c, h, w = x.shape
    y = x.reshape(*outer, c // (r * r), r, r, h, w)
    n = len(outer)
    y = y.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return copied(y).reshape(*outer, c // (r * r), h * r, w * r)


def unshuffled(xp, x, r: int):
    *outer, c, h, w = x.shape
    y = x.reshape(*outer, c, h // r, r, w // r, r)
    n = len(outer)
    y = y.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return copied(y).reshape(*outer, c * r * r, h // r, w // r)


@operator("pixel_shuffle nn.functional.pixel_shuffle", method=False, out=False, laid="images 1")
def pixel_shuffle(xp, input: Array, upscale_factor):
    """[*, C r^2, H, W] rearranged to [*, C, H r, W r]."""
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    if upscale_factor**2 >= LONG:
        raise ValueError(f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={upscale_factor}")
    if input.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={input.shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return shuffled(xp, input, upscale_factor)


@operator("pixel_unshuffle nn.functional.pixel_unshuffle", method=False, out=False, laid="images 1")
def pixel_unshuffle(xp, input: Array, downscale_factor):
    """[*, C, H r, W r] rearranged to [*, C r^2, H, W]."""
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for name, n in (("height", input.shape[-2]), ("width", input.shape[-1])):
        if n % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({-2 if name == 'height' else -1})="
                f"{n} is not divisible by {downscale_factor}"
            )
    if not input.size:  # as PyTorch has it
        return input.copy()
    return unshuffled(xp, input, downscale_factor)


pixel_shuffle.gradient(input=lambda t, g, upscale_factor: t.pixel_unshuffle(g, upscale_factor))
pixel_unshuffle.gradient(input=lambda t, g, downscale_factor: t.pixel_shuffle(g, downscale_factor))


@composite(
    "channel_shuffle nn.functional.channel_shuffle native_channel_shuffle nn.functional.native_channel_shuffle",
    method=False,
)
def channel_shuffle(input, groups):
    """The channels of input [N, C, ...] dealt out over groups."""
    if input.ndim < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )
    return dealt.function(input, groups)


@operator("_channel_shuffle", node="ChannelShuffleBackward0", method=False, laid="images 1")
def dealt(xp, input: Array, groups):
    n, c, *rest = input.shape
    return input.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(input.shape)


dealt.gradient(input=lambda t, g, input_shape, groups: t._channel_shuffle(g, input_shape[1] // groups))


@composite("nn.functional.normalize", method=False)
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Vectors along `dim` divided by their p-norm, which is not taken below `eps`.
    The shape stays; `p` is 2 and `dim` 1 when left out, so that the rows of a matrix get length 1. IndexError: no
    such dimension, as 1 is for a vector."""
    norm = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    if out is not None:
        return find_function("div")(input, norm, out=out)
    return input / norm
