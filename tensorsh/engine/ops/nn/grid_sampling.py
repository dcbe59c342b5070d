"""Sampling an image at the points of a grid: grid_sample, and affine_grid, which makes grids.

Along each dimension a point takes one, two or four taps: an index, a weight, and the weight's derivative by the point's
coordinate (and the derivative of that). A sample is the sum over all combinations of taps, in two dimensions or three alike.
"""

from __future__ import annotations

import itertools
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from ...arrays.dtype import FLOAT, of
from ...arrays.errors import length, not_implemented
from ...arrays.warning import warn
from ...kernels import kernel, unsuited
from ...operators.declare import Array, composite, operator
from ...tensors.ranges import both_halves
from .embedding import add_rows

BILINEAR, NEAREST, BICUBIC = MODES = range(3)
ZEROS, BORDER, REFLECTION = range(3)
A = -0.75


def reflected(xp: Any, x: Any, low: float, span: float) -> tuple:
    """Coordinates folded back into [low, low + span], and the sign that the folding gives them."""
    if span <= 0:
        return xp.zeros_like(x), xp.zeros_like(x)
    x = x - low
    sign = xp.where(x < 0, -1, 1).astype(x.dtype)
    x = abs(x)
    over = xp.fmod(x, span)
    odd = xp.floor(x / span) % 2 != 0
    return xp.where(odd, span - over, over) + low, xp.where(odd, -sign, sign)


def inside(xp: Any, x: Any, n: int, padding: int, align: bool) -> tuple:
    """Coordinates after padding, and their derivative by the coordinates before."""
    slope = xp.ones_like(x)
    if padding == ZEROS:
        return x, slope
    if padding == REFLECTION:
        x, slope = reflected(xp, x, 0.0, n - 1.0) if align else reflected(xp, x, -0.5, float(n))
    return xp.clip(x, 0, n - 1), xp.where((x > 0) & (x < n - 1), slope, slope.dtype.type(0))


def cubic_taps(xp: Any, part: Any) -> list[tuple]:
    """Weights of the four neighbours of a point, `part` beyond the second, with two derivatives (Keys' kernel)."""
    far = lambda x: (((A * x - 5 * A) * x + 8 * A) * x - 4 * A, (3 * A * x - 10 * A) * x + 8 * A, 6 * A * x - 10 * A)
    B, C = A + 2, A + 3
    near = lambda x: ((B * x - C) * x * x + 1, (3 * B * x - 2 * C) * x, 6 * B * x - 2 * C)
    mirrored = lambda found: (found[0], -found[1], found[2])
    return [far(part + 1), near(part), mirrored(near(1 - part)), mirrored(far(2 - part))]


def taps(xp: Any, at: Any, n: int, mode: int, padding: int, align: bool) -> tuple[list[tuple], Any]:
    """For coordinates in [-1, 1] along a dimension of n elements: the taps (index, weight, two derivatives by the place in the
    image), and the derivative of that place by the coordinate."""
    half = n / 2 if not align else (n - 1) / 2
    x = (at + 1) * half if align else (at + 1) * half - 0.5
    if mode == BICUBIC:
        low = xp.floor(x)
        made = []
        for offset, (weight, slope, bend) in enumerate(cubic_taps(xp, x - low), -1):
            index, _ = inside(xp, low + offset, n, padding, align)
            made.append((index, weight, slope, bend))
        scale = xp.full_like(x, half)
    else:
        x, slope = inside(xp, x, n, padding, align)
        x = xp.where(abs(x) < 2**31, x, -100)  # Infinities and NaN are outside.
        if mode == NEAREST:
            made = [(xp.rint(x), xp.ones_like(x), xp.zeros_like(x), xp.zeros_like(x))]
        else:
            low = xp.floor(x)
            one, none = xp.ones_like(x), xp.zeros_like(x)
            made = [(low, low + 1 - x, -one, none), (low + 1, x - low, one, none)]
        scale = slope * half
    kept = []
    for index, *weights in made:
        index = xp.where(abs(index) < 2**31, index, -100).astype(np.int64)
        valid = (index >= 0) & (index < n)
        kept.append((xp.where(valid, index, 0), *(xp.where(valid, w, 0) for w in weights)))
    return kept, scale


def rows(xp: Any, x: Any) -> Any:
    """An image [N, C, *S] as rows [N * S, C]."""
    return xp.ascontiguousarray(xp.moveaxis(x, 1, -1).reshape(-1, x.shape[1]))


def combinations(xp: Any, shape: tuple, grid: Any, mode: int, padding: int, align: bool, scales: list | None = None):
    """For each combination of taps: its row numbers [N * out], and weight and derivatives along each dimension. These are by the
    grid's coordinates; where `scales` is given, by places in the image, and `scales` gets the derivatives of these."""
    size = shape[2:]
    sides = []
    for d, n in enumerate(size):  # a grid's last dimension counts from the innermost one of the image
        side, scale = taps(xp, grid[..., -1 - d], n, mode, padding, align)
        if scales is None:
            side = [(at, weight, slope * scale, bend * (scale * scale)) for at, weight, slope, bend in side]
        else:
            scales.append(scale.reshape(-1))
        sides.append(side)
    first = xp.arange(shape[0]).reshape((-1,) + (1,) * len(size))
    for chosen in itertools.product(*sides):
        number = first
        for n, (index, *_) in zip(size, chosen, strict=True):
            number = number * n + index
        yield number.reshape(-1), [[w.reshape(-1, 1) for w in weights] for _, *weights in chosen]


def product(sides: list, *by: int) -> Any:
    """The weight of a combination, or its derivative by the coordinates along the given dimensions."""
    factors = [side[by.count(d)] for d, side in enumerate(sides)]
    return reduce(mul, factors)


weighed_rows = kernel("weighed_rows", unsuited)


def add_weighed(image: Any, number: Any, weight: Any, out: Any) -> None:
    """``out += image[number] * weight`` for the rows of an image."""
    if weighed_rows(image, number, weight.reshape(-1), out) is None:
        out += image[number] * weight


sampled, sampled_backward = kernel("sampled", unsuited), kernel("sampled_backward", unsuited)
tapped, tapped_backward = kernel("tapped", unsuited), kernel("tapped_backward", unsuited)


def flat(x: Any) -> Any:
    """Images or samples [N, C, *S] as [N, C, elements]."""
    return np.ascontiguousarray(x).reshape(*x.shape[:2], -1)


def by_kernel(xp: Any, input: Any, grid: Any, how: tuple) -> Any:
    """The image at the points by a kernel, of planes or by taps; None for what none is made for."""
    if xp is not np:
        return None
    points = np.ascontiguousarray(grid).reshape(len(grid), -1, grid.shape[-1])
    given = flat(input), input.shape[2:], points, how, np.empty((*input.shape[:2], points.shape[1]), input.dtype)
    done = sampled(*given)
    if done is None:
        done = tapped(*given)
    return None if done is None else done.reshape(*input.shape[:2], *grid.shape[1:-1])


def by_kernel_backward(xp: Any, g: Any, input: Any, grid: Any, how: tuple) -> Any:
    """The gradients of image and grid by a kernel, of planes or by taps; None for what none is made for."""
    if xp is not np:
        return None
    image, points = flat(input), np.ascontiguousarray(grid).reshape(len(grid), -1, grid.shape[-1])
    dx, along = np.zeros_like(image), np.empty_like(points)
    given = image, input.shape[2:], points, how, flat(g), dx, along
    if sampled_backward(*given) is None and tapped_backward(*given) is None:
        return None
    return dx.reshape(input.shape), along.reshape(grid.shape)


def image_at(xp: Any, input: Any, grid: Any, mode: int, padding: int, align: bool) -> Any:
    """The image input [N, C, *S] at the points of grid [N, *out, dims]: [N, C, *out]."""
    if not input.size or not grid.size:
        return xp.zeros((*input.shape[:2], *grid.shape[1:-1]), input.dtype)
    if (found := by_kernel(xp, input, grid, (mode, padding, int(align)))) is not None:
        return found
    image = rows(xp, input)
    out = xp.zeros((grid.size // grid.shape[-1], input.shape[1]), input.dtype)
    for number, sides in combinations(xp, input.shape, grid, mode, padding, align):
        add_weighed(image, number, product(sides), out)
    return xp.ascontiguousarray(xp.moveaxis(out.reshape(*grid.shape[:-1], -1), -1, 1))


def as_image(xp: Any, x: Any, like: Any) -> Any:
    """Rows [N * S, C] as the image that `rows` took apart."""
    return xp.moveaxis(x.reshape(like.shape[0], *like.shape[2:], -1), -1, 1)


def gradients_at(xp: Any, grad_output: Any, input: Any, grid: Any, mode: int, padding: int, align: bool) -> tuple:
    """The gradients of image and grid."""
    if not input.size or not grid.size:
        return xp.zeros_like(input), xp.zeros_like(grid)
    if (found := by_kernel_backward(xp, grad_output, input, grid, (mode, padding, int(align)))) is not None:
        return found
    dims = grid.shape[-1]
    g, image = rows(xp, grad_output), rows(xp, input)
    dx, dgrid = xp.zeros_like(image), xp.zeros((len(g), dims), grid.dtype)
    scales: list = []
    for number, sides in combinations(xp, input.shape, grid, mode, padding, align, scales):
        dx += add_rows(xp, len(dx), number, g * product(sides))
        if mode != NEAREST:
            along = (image[number] * g).sum(1, keepdims=True)
            for d in range(dims):
                dgrid[:, dims - 1 - d] += (along * product(sides, d))[:, 0]
    if mode != NEAREST:
        for d, scale in enumerate(scales):
            dgrid[:, dims - 1 - d] *= scale
    return xp.ascontiguousarray(as_image(xp, dx, input)), dgrid.reshape(grid.shape)


def second_gradients(
    xp: Any, dx: Any, dgrid: Any, grad_output: Any, input: Any, grid: Any, mode: int, padding: int, align: bool
) -> tuple:
    """The gradients of grad_output, input and grid, given those of the two gradients above."""
    if not input.size or not grid.size:
        return xp.zeros_like(grad_output), xp.zeros_like(input), xp.zeros_like(grid)
    dims = grid.shape[-1]
    g, image, moved, by = rows(xp, grad_output), rows(xp, input), rows(xp, dx), dgrid.reshape(-1, dims)[:, ::-1]
    found = [xp.zeros_like(g), xp.zeros_like(image), xp.zeros_like(by)]
    for number, sides in combinations(xp, input.shape, grid, mode, padding, align):
        along = sum(by[:, d, None] * product(sides, d) for d in range(dims))
        found[0] += moved[number] * product(sides) + image[number] * along
        found[1] += add_rows(xp, len(image), number, g * along)
        first, second = (moved[number] * g).sum(1), (image[number] * g).sum(1)
        for d in range(dims):
            bent = sum(by[:, e] * product(sides, d, e)[:, 0] for e in range(dims))
            found[2][:, d] += first * product(sides, d)[:, 0] + second * bent
    return as_image(xp, found[0], grad_output), as_image(xp, found[1], input), found[2][:, ::-1].reshape(grid.shape)


def sampler(dims: int) -> Any:
    """The operator of images of so many dimensions, and those of its two gradients."""
    name, node = f"grid_sampler_{dims}d", f"GridSampler{dims}DBackward"

    @operator(name, node=node + "0", method=False, wide=True, long=True)
    def sample(xp, input: Array, grid: Array, interpolation_mode, padding_mode, align_corners):
        """The image input [N, C, *S] at the points of grid [N, *out, dims]: [N, C, *out]."""
        check(input, grid, dims, interpolation_mode)
        return image_at(xp, input, grid, interpolation_mode, padding_mode, align_corners)

    @operator(f"_{name}_backward", node=node + "Backward0", method=False, outputs=2, wide=True, long=True)
    def spread(xp, grad_output: Array, input: Array, grid: Array, interpolation_mode, padding_mode, align_corners):
        """The gradients of image and grid."""
        return gradients_at(xp, grad_output, input, grid, interpolation_mode, padding_mode, align_corners)

    @operator(f"_{name}_backward_backward", method=False, outputs=3, wide=True)
    def again(xp, dx: Array, dgrid: Array, grad_output: Array, input: Array, grid: Array, mode, padding, align):
        """The gradients of grad_output, input and grid, given those of the two gradients above."""
        return second_gradients(xp, dx, dgrid, grad_output, input, grid, mode, padding, align)

    @sample.joint_gradient
    def _(t, g, needs, input, grid, interpolation_mode, padding_mode, align_corners):
        return getattr(t, f"_{name}_backward")(g, input, grid, interpolation_mode, padding_mode, align_corners)

    @spread.joint_gradient
    def _(t, g, needs, grad_output, input, grid, interpolation_mode, padding_mode, align_corners):
        given = [t.zeros_like(like) if x is None else x for x, like in zip(g, (input, grid), strict=True)]
        settings = interpolation_mode, padding_mode, align_corners
        return getattr(t, f"_{name}_backward_backward")(*given, grad_output, input, grid, *settings)

    return sample


def check(input: Any, grid: Any, dims: int, mode: int) -> None:
    listed = lambda x: str(list(x.shape))
    if length(input.shape, 0) != length(grid.shape, 0):
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{listed(input)} and grid with sizes {listed(grid)}"
        )
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes {listed(grid)}"
        )
    for d, n in enumerate(input.shape[2:], 2):
        if n == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{listed(input)} with dimension {d} being empty"
            )
    if input.ndim != dims + 2 or grid.ndim != input.ndim:
        raise RuntimeError(
            f"grid_sampler(): expected {f'{dims + 2}D' if input.ndim == dims + 2 else '4D or 5D'} input and grid with same number "
            f"of dimensions, but got input with sizes {listed(input)} and grid with sizes {listed(grid)}"
        )
    if mode == BICUBIC and dims == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype:
        raise RuntimeError(f"expected scalar type {of(input).short} but found {of(grid).short}")


planar, spatial = sampler(2), sampler(3)


@composite("grid_sampler", method=False)
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """`grid_sampler_2d` or `grid_sampler_3d`, by the image's dimensions."""
    known = grid.dtype.category <= FLOAT or grid.dtype is input.dtype
    if input.ndim > 3 and input.dtype.category != FLOAT and known:
        raise not_implemented(
            "grid_sampler3d_cpu" if input.ndim == 5 else "grid_sampler_2d_cpu_kernel_impl", input.dtype
        )
    kernel = spatial if input.ndim == 5 else planar
    return kernel.function(input, grid, interpolation_mode, padding_mode, bool(align_corners))


ALIGN_CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


@composite("nn.functional.grid_sample", method=False)
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """The image input [N, C, *S] at the points of grid [N, *out, d], whose corners are at -1 and 1: [N, C, *out]."""
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    if mode not in modes:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in paddings:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn(ALIGN_CHANGED)
    return grid_sampler(input, grid, modes.index(mode), paddings.index(padding_mode), bool(align_corners))


def base_grid(xp: Any, size: Any, align: bool, dtype: Any) -> Any:
    """The points of an untransformed grid with a 1 appended: [prod(S), d + 1], innermost coordinate first."""
    points = xp.ones((*size, len(size) + 1), dtype)
    for d, n in enumerate(size):
        side = both_halves(-1, 1, n, dtype).astype(dtype) if n > 1 else np.zeros(1, dtype)
        # In this order: a map that leaves the points in place must hit the centres of the pixels exactly.
        side = xp.asarray(side if align else side * dtype.type(n - 1) / dtype.type(n))
        points[..., -2 - d] = side.reshape((n,) + (1,) * (len(size) - 1 - d))
    return points.reshape((-1, len(size) + 1))


@operator("affine_grid_generator", method=False, out=False)
def affine_grid_generator(xp, theta: Array, size, align_corners):
    """The grid [N, *S, d] that the affine maps theta [N, d, d + 1] make, for an image of `size` [N, C, *S]."""
    base = base_grid(xp, size[2:], align_corners, theta.dtype)
    return (base @ theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


@operator("_affine_grid_spread", method=False)
def affine_grid_spread(xp, grad: Array, size, align_corners):
    """The transpose of `affine_grid_generator`."""
    base = base_grid(xp, size[2:], align_corners, grad.dtype)
    return grad.reshape(size[0], -1, len(size) - 2).swapaxes(1, 2) @ base


affine_grid_generator.gradient(theta=lambda t, g, size, align_corners: t._affine_grid_spread(g, size, align_corners))
affine_grid_spread.gradient(grad=lambda t, g, size, align_corners: t.affine_grid_generator(g, size, align_corners))


@composite("nn.functional.affine_grid", method=False)
def affine_grid(theta, size, align_corners=None):
    """The grid for `grid_sample` that the affine maps theta [N, d, d + 1] make, for an image of `size` [N, C, *S]."""
    if align_corners is None:
        warn(ALIGN_CHANGED)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    d = len(size) - 2
    if d not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (d, d + 1):
        raise ValueError(
            f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for size {size}. Got {theta.size()}."
        )
    if align_corners and min(size[2:]) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not "
            "an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_generator.function(theta, tuple(size), bool(align_corners))
