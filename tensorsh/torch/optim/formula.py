"""Steps of optimizers as formulas: what becomes of a parameter and of what is kept of it, written once.

A formula is called with parts that write down what is done with them. Arrays of float32 and float64 go through the steps in one
pass (engine/numerics/passes.py); others, and all where there are no kernels, by numpy, a step at a time on pieces. Products that are
added are rounded once, as PyTorch's are: by the kernel `multiply_add`, or else in double, which nearly always gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...engine import kernels
from ...engine.arrays import parallel
from ...engine.numerics.passes import FLOATS, ONE, READ, WRITTEN, chained
from .arithmetic import pieces

SHARED = parallel.SHARED
fused: Any = kernels.kernel("multiply_add")
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Part:
    """An array of a formula or a number: operators write down steps."""

    __slots__ = ("steps",)

    def __init__(self, steps: list) -> None:
        self.steps = steps

    def step(self, name: str, *operands: Any) -> Part:
        """The result of a step."""
        made = Part(self.steps)
        self.steps.append((name, operands, made))
        return made

    def __add__(self, other: Any) -> Part:
        return self.step("add", self, other)

    def __sub__(self, other: Any) -> Part:
        return self.step("subtract", self, other)

    def __mul__(self, other: Any) -> Part:
        return self.step("multiply", self, other)

    def __truediv__(self, other: Any) -> Part:
        return self.step("divide", self, other)

    def __neg__(self) -> Part:
        return self.step("negative", self)

    def __abs__(self) -> Part:
        return self.step("absolute", self)

    def __pos__(self) -> Part:
        return self.step("positive", self)

    def reciprocal(self) -> Part:
        return self.step("divide", 1.0, self)

    def sqrt(self) -> Part:
        return self.step("sqrt", self)

    def at_least(self, other: Any) -> Part:
        return self.step("maximum", self, other)

    def at_most(self, other: Any) -> Part:
        return self.step("minimum", self, other)

    def if_positive(self, a: Any, b: Any) -> Part:
        """a where this is positive, else b."""
        return self.step("if_positive", self, a, b)

    def plus(self, x: Any, a: Any) -> Part:
        """This and ``x * a``, with one rounding."""
        return self.step("multiply_add", x, a, self)

    def towards(self, x: Part, weight: Any, far: bool) -> Part:
        """This and a weight's share of the way to x; as the number that `share` makes of it; far: from the other end."""
        return (x if far else self).plus(x - self, weight)

    def mean_square(self, x: Part, kept: Any, share: Any) -> Part:
        """The running mean of squares: a share of it that is kept, and one of the square of x."""
        return (self * kept).plus(x * share, x)


def ascent(x: Part, g: Part, decay: Any, decays: bool, maximize: bool) -> Part:
    """The gradient of what is minimized, with the decay of weights in it."""
    g = -g if maximize else g
    return g.plus(x, decay) if decays else g


def decayed(x: Part, g: Part, decay: Any, decays: bool, decoupled: bool, maximize: bool) -> tuple[Part, Part]:
    """A parameter and its gradient with the decay of weights: of the parameter itself if decoupled, else in the gradient."""
    x = x * decay if decoupled else x
    return x, ascent(x, g, decay, decays, maximize)


def shrinking(group: dict, lr: float) -> tuple[float, dict[str, bool]]:
    """The number of `decayed` and the settings that go with it, of an optimizer whose decay of weights may be decoupled."""
    decay = group["weight_decay"]
    decoupled = bool(decay and group["decoupled_weight_decay"])
    settings = {"decays": bool(decay and not decoupled), "decoupled": decoupled, "maximize": group["maximize"]}
    return 1 - lr * decay if decoupled else decay, settings


def share(weight: float, dtype: Any) -> float:
    """The number by which `towards` goes a weight's share of the way: from the other end from a half on, as PyTorch does."""
    return weight if weight < 0.5 else -(1.0 - float(dtype.type(weight)))


class Step:
    """A formula with the settings that decide on its steps: of arrays and numbers."""

    def __init__(self, formula: Callable, settings: dict) -> None:
        self.steps: list[tuple] = []
        given = [Part(self.steps) for _ in range(formula.__code__.co_argcount)]
        made = formula(*given, **settings)
        """What each array becomes; None for what stays."""
        self.name, self.arrays, self.given = formula.__name__, len(made), given
        self.results = {k: part for k, part in enumerate(made) if part is not None}
        self.kernel = kernels.kernel(formula.__name__ + "_step")
        self.settings = sum([1 << k for k, on in enumerate(settings.values()) if on])
        """A kernel for float32 that is this formula, and its settings as bits."""
        self.runs: dict[Any, Any] = {}
        if kernels.kernel("Chain") is not None:
            kinds = [ONE if k >= len(made) else WRITTEN if k in self.results else READ for k in range(len(given))]
            steps = [(loop(name, len(operands)), operands, result) for name, operands, result in self.steps]
            outputs = {part: given[k] for k, part in self.results.items()}
            for dtype in FLOATS:
                self.runs[dtype] = chained(dict(zip(given, kinds, strict=True)), steps, outputs, dtype)

    @cached_property
    def on_gpu(self) -> Any:
        """The kernel of a GPU that is this formula."""
        from ...engine.cuda.optimizer import kernel

        return kernel(self.name, self.steps, self.given, self.arrays, self.results)

    def take(self, arrays: list, *numbers: float) -> None:
        """Write over arrays what they become."""
        x = arrays[0]
        if self.kernel is not None and self.kernel(*arrays, *numbers, self.settings) is not None:
            return
        if x.size < SHARED:
            if self.taken(arrays, numbers) is None:
                self.by_numpy(arrays, numbers)
        elif x.dtype in self.runs and all(
            [type(a) is np.ndarray and a.dtype is x.dtype and a.flags.carray for a in arrays]
        ):
            taken = lambda *part: self.by_numpy(part, numbers) if self.taken(part, numbers) is None else None
            parallel.run(taken, [a.reshape(-1) for a in arrays], parallel.PIECE)
        else:
            for part in pieces(*arrays):
                self.by_numpy(part, numbers)

    def taken(self, arrays: Sequence, numbers: tuple) -> Any:
        """Take all steps in one pass; None where that cannot be."""
        run = self.runs.get(arrays[0].dtype)
        return None if run is None else run(*arrays, *numbers)

    def by_numpy(self, arrays: Sequence, numbers: tuple) -> None:
        """The same, step by step."""
        kind = arrays[0].dtype.type
        known: dict[Any, Any] = dict(zip(self.given, [*arrays, *map(kind, numbers)], strict=True))
        for name, operands, result in self.steps:
            known[result] = NUMPY[name](*[known[x] if type(x) is Part else kind(x) for x in operands])
        for k, part in self.results.items():
            arrays[k][...] = known[part]


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    if c.dtype != FLOAT32 and c.dtype != FLOAT64:
        return a * b + c
    if fused is not None:
        return fused(a, b, c)
    return (np.multiply(a, b, dtype=FLOAT64) + c).astype(c.dtype)


NUMPY: dict[str, Callable] = {
    name: getattr(np, name)
    for name in "add subtract multiply divide negative absolute positive sqrt maximum minimum".split()
} | {"multiply_add": multiply_add, "if_positive": lambda x, a, b: np.where(x > 0, a, b)}


@cache
def loop(name: str, operands: int) -> Any:
    """The loop of a step."""
    ufunc = getattr(np, name, None) or kernels.kernel(name)
    return kernels.kernel("Loop")(operands, ufunc, ufunc, None, False, 0, True)


def in_one_pass(formula: Callable) -> Callable[..., Step]:
    """A formula of arrays and numbers, which gives what each array becomes or None, as a function of settings that gives the step."""
    known: dict[tuple, Step] = {}

    def step(**settings: Any) -> Step:
        key = tuple(settings.values())
        found = known.get(key)
        if found is None:
            found = known[key] = Step(formula, settings)
        return found

    return step
