"""Recipes for gradients that are scattered and summed: of pooling, of strided views, of indexing; with PyTorch's text for each.

A recipe is a number: `Recipe(number)` always makes the same program. Its values are few, with zeros of both signs among them, so that
elements meet in one place, are equal, and cancel; all are quarters, so that no order of a sum shows in its digits, but signs of zeros do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..support.outcomes import headline
from .origin import write

COUNT = 900
VALUES = [0.0, -0.0, 0.25, 0.5, 1.0, -1.0, -0.75, 2.0, 3.0, -2.5]


class Recipe:
    """The program of one number, for either library."""

    def __init__(self, number: int) -> None:
        self.random = np.random.RandomState(number)
        self.number = number

    def pick(self, *choices: Any) -> Any:
        return choices[self.random.randint(len(choices))]

    def sizes(self, low: int, high: int, count: int) -> list[int]:
        return [int(n) for n in self.random.randint(low, high + 1, count)]

    def values(self, *shape: int) -> np.ndarray:
        return np.asarray(np.array(VALUES, self.dtype)[self.random.randint(len(VALUES), size=shape)])

    def places(self, n: int, *shape: int, negative: bool = False) -> np.ndarray:
        return self.random.randint(-n if negative else 0, n, size=shape)

    def text(self, torch: Any) -> str:
        """What the library prints: the call, its result, the gradient of each argument."""
        self.torch = torch
        self.dtype = self.pick("float32", "float32", "float64")
        family = (pooled, strided, indexed)[self.number % 3]
        shown, function, arrays = family(self)
        leaves = [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]
        factor = self.random.randint(3) == 0  # with one, the leaf's gradient is not the one that the operator made
        try:
            result = function(*(leaf * 1 if factor else leaf for leaf in leaves))
        except (RuntimeError, IndexError, ValueError) as error:
            return f"{shown} {headline(error)}"
        shape = tuple(result.shape)
        g = torch.from_numpy(
            self.values(*shape) if self.random.randint(4) else np.full(shape, self.pick(-0.0, -1.0), self.dtype)
        )
        if not result.requires_grad:
            return f"{shown} {result!r}"
        found = torch.autograd.grad(result, leaves, g, allow_unused=True)
        return f"{shown} {result.detach()!r} {list(found)!r}"

    def index(self, *shape: int, n: int, negative: bool = False) -> Any:
        return self.torch.from_numpy(self.places(n, *shape, negative=negative))


Made = tuple[str, Callable, list]


def pooled(r: Recipe) -> Made:
    F = r.torch.nn.functional
    d = r.pick(1, 2, 2, 3)
    kernel, stride = r.sizes(1, 3, d), r.sizes(1, 3, d)
    padding = [min(k // 2, r.pick(0, 1)) for k in kernel]
    x = r.values(*r.sizes(1, 2, 2), *(k + n for k, n in zip(kernel, r.sizes(0, 4, d), strict=True)))
    kind = r.pick("max", "max", "avg", "adaptive_max", "adaptive_avg", "lp", "unpool", "fractional")
    ceil = bool(r.pick(False, True))
    if kind == "max":
        dilation = [
            1 if (k - 1) * 2 + 1 > n + 2 * p else r.pick(1, 2)
            for k, n, p in zip(kernel, x.shape[2:], padding, strict=True)
        ]
        f = getattr(F, f"max_pool{d}d")
        return (
            f"{f.__name__} {kernel} {stride} {padding} {dilation} {ceil}",
            lambda x: f(x, kernel, stride, padding, dilation, ceil),
            [x],
        )
    if kind == "avg":
        counted = bool(r.pick(False, True))
        f = getattr(F, f"avg_pool{d}d")
        return (
            f"avg {kernel} {stride} {padding} {ceil} {counted}",
            lambda x: f(x, [2] * d, stride, 0, ceil, counted),
            [x.repeat(2, -1).repeat(2, 2)],
        )
    if kind.startswith("adaptive"):
        size = r.sizes(1, 3, d)
        f = getattr(F, f"{kind}_pool{d}d")
        if kind == "adaptive_avg":  # windows of one, two or four, whose means are exact
            x = r.values(2, *(n * r.pick(1, 2) for n in size))
        return f"{kind} {size}", lambda x: f(x, size), [x]
    if kind == "lp":
        f = getattr(F, f"lp_pool{min(d, 2)}d")
        x = x if d < 3 else x[..., 0]
        return f"lp {min(d, 2)}", lambda x: f(x, 1.0, 1, 1), [x]
    if kind == "unpool":
        x = r.values(1, 2, 4, 6)
        return "unpool", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), [x]
    samples = r.torch.from_numpy(r.random.randint(0, 4, (1, 2, 2)) / 4.0).to(getattr(r.torch, r.dtype))
    x = r.values(1, 2, 5, 6)
    return "fractional", lambda x: F.fractional_max_pool2d(x, 2, output_size=(3, 3), _random_samples=samples), [x]


def strided(r: Recipe) -> Made:
    torch = r.torch
    x = r.values(*r.sizes(1, 4, r.pick(1, 2, 3)))
    n, axis = x.size, r.random.randint(x.ndim)
    kind = r.pick(
        "as_strided",
        "as_strided",
        "slice",
        "diagonal",
        "unfold",
        "expand",
        "flip",
        "roll",
        "select",
        "scatter",
        "fold",
        "pad",
        "chain",
    )
    if kind == "as_strided":
        size, stride = r.sizes(1, 3, 2), r.sizes(0, 2, 2)
        start = r.random.randint(n)
        while start + sum((s - 1) * t for s, t in zip(size, stride, strict=True)) >= n:
            size, start = [max(1, s - 1) for s in size], max(0, start - 1)
        return f"as_strided {size} {stride} {start}", lambda x: torch.as_strided(x, size, stride, int(start)), [x]
    if kind == "slice":
        step = r.pick(1, 2, 3)
        return f"slice {axis} {step}", lambda x: x[(slice(None),) * axis + (slice(r.pick(0, 0, 1), None, step),)], [x]
    if kind == "diagonal":
        x, offset = r.values(*r.sizes(1, 4, 2)), r.pick(-1, 0, 1)
        return f"diagonal {offset}", lambda x: torch.diagonal(x, offset), [x]
    if kind == "unfold":
        size, step = r.pick(1, min(2, x.shape[axis])), r.pick(1, 2)
        return f"unfold {axis} {size} {step}", lambda x: x.unfold(int(axis), size, step), [x]
    if kind == "expand":
        x = r.values(2, 1, 3)
        return "expand", lambda x: x.expand(r.pick(2, 2), 2, r.pick(3, 4), 3), [x]
    if kind == "flip":
        return "flip", lambda x: torch.flip(x, [int(axis)]), [x]
    if kind == "roll":
        return "roll", lambda x: torch.roll(x, r.pick(-1, 1, 2), int(axis)), [x]
    if kind == "select":
        return "select", lambda x: x.select(int(axis), r.pick(0, -1)), [x]
    if kind == "scatter":
        x, y = r.values(3, 4), r.values(3)
        return "select_scatter", lambda x, y: torch.select_scatter(x, y, 1, r.pick(0, 2, -1)), [x, y]
    if kind == "fold":
        F, x = torch.nn.functional, r.values(1, 2, 4, 4)
        return "fold", lambda x: F.fold(F.unfold(x, 2, padding=1), (4, 4), 2, padding=1), [x]
    if kind == "pad":
        F, x, mode = torch.nn.functional, r.values(1, 2, 3, 4), r.pick("reflect", "replicate", "circular", "constant")
        return f"pad {mode}", lambda x: F.pad(x, [1, 2, 1, 0] if mode != "reflect" else [1, 2, 1, 1], mode), [x]
    x = r.values(3, 4)
    return "chain", lambda x: x.t()[1:, ::2].reshape(-1)[r.pick(0, 1) :], [x]


def indexed(r: Recipe) -> Made:
    torch = r.torch
    x = r.values(*r.sizes(2, 4, 2))
    axis = r.pick(0, 1)
    n = x.shape[axis]
    kind = r.pick(
        *"gather select take brackets two mask add put scatter scatter_add reduce embedding bag fill copy along max sort median kthvalue where cummax".split()
    )
    at = r.index(*r.sizes(1, 5, 1), n=n, negative=kind == "brackets")
    lines = r.values(*(len(at) if d == axis else x.shape[d] for d in (0, 1)))
    full = r.index(*x.shape, n=n)
    shown = f"{kind} {axis}"
    if kind in ("gather", "along"):
        f = torch.gather if kind == "gather" else lambda x, axis, full: torch.take_along_dim(x, full, axis)
        return shown, lambda x: f(x, axis, full), [x]
    if kind == "select":
        return shown, lambda x: torch.index_select(x, axis, at), [x]
    if kind == "take":
        places = r.index(3, 2, n=x.size, negative=True)
        return shown, lambda x: torch.take(x, places), [x]
    if kind == "brackets":
        return shown, lambda x: x[at] if axis == 0 else x[:, at], [x]
    if kind == "two":
        rows, columns = r.index(4, n=x.shape[0]), r.index(4, n=x.shape[1])
        return shown, lambda x: x[rows, columns], [x]
    if kind in ("mask", "where"):
        mask = torch.from_numpy(r.random.randint(0, 2, x.shape) == 1)
        if kind == "mask":
            return shown, lambda x: x[mask], [x]
        return shown, lambda x, y: torch.where(mask, x, y), [x, r.values(*x.shape)]
    if kind in ("add", "copy"):
        if kind == "copy":
            at = at.unique()
            lines = lines[: len(at)] if axis == 0 else lines[:, : len(at)]
        return shown, lambda x, y: getattr(torch, "index_" + kind)(x, axis, at, y), [x, lines]
    if kind == "fill":
        return shown, lambda x: torch.index_fill(x, axis, at, 0.0), [x]
    if kind == "put":
        rows, values = r.index(3, n=x.shape[0]), r.values(3, x.shape[1])
        return shown, lambda x, y: torch.index_put(x, (rows,), y, accumulate=True), [x, values]
    if kind == "scatter_add":
        return shown, lambda x, y: torch.scatter_add(x, axis, full, y), [x, r.values(*x.shape)]
    if kind == "scatter":
        order = torch.from_numpy(np.argsort(r.random.rand(*x.shape), axis))
        return shown, lambda x, y: torch.scatter(x, axis, order, y), [x, r.values(*x.shape)]
    if kind == "reduce":
        how = r.pick("sum", "amax", "amin")
        return f"{shown} {how}", lambda x, y: torch.scatter_reduce(x, axis, full, y, how), [x, r.values(*x.shape)]
    if kind == "embedding":
        padding = r.pick(None, 0)
        words = r.index(2, 3, n=x.shape[0])
        return f"{shown} {padding}", lambda x: torch.nn.functional.embedding(words, x, padding), [x]
    if kind == "bag":
        words, how = r.index(2, 2, n=x.shape[0]), r.pick("sum", "mean", "max")
        return f"{shown} {how}", lambda x: torch.nn.functional.embedding_bag(words, x, mode=how), [x]
    if kind == "max":
        f = r.pick(lambda x: x.max(axis)[0], lambda x: x.amax(axis), lambda x: x.min(), lambda x: x.amin())
        return shown, f, [x]
    if kind == "cummax":
        return shown, lambda x: torch.cummax(x, axis)[0], [x]
    x = (np.argsort(r.random.rand(*x.shape), axis) * 0.5 - 1).astype(
        r.dtype
    )  # no two are equal: which is named is open
    if kind == "sort":
        return shown, lambda x: torch.sort(x, axis)[0], [x]
    return shown, lambda x: x.median(axis)[0] if kind == "median" else x.kthvalue(2, axis)[0], [x]


def record() -> None:
    import torch

    torch.set_num_threads(1)
    write("gradients", "gradients", [[number, Recipe(number).text(torch)] for number in range(COUNT)])
