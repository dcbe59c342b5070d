"""Recipes for random tensors, and the recording of PyTorch's text for them.

A recipe is a number: `Recipe(number)` always makes the same array, print options and flags, so the data file holds
only the expected texts. Only exact arithmetic on integers from numpy's frozen RandomState is used: no later numpy and
no other processor makes another array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .origin import write

COUNT = 4000

DTYPES = ["float32"] * 6 + ["float64", "float16", "bfloat16", "complex64"] * 2
DTYPES += ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "complex128", "complex32"]
MAGNITUDES = "unit wide tiny huge integral large_integral thousand edge zeros repeated".split()
NODES = ["CloneBackward0", "MaskedFillBackward0", "ExpandBackward0", "SqueezeBackward1", "UnsafeViewBackward0"]
BORDERS = [1e-4, 9.9999e-5, 1.0001e-4, 1e8, 1.00000008e8, 99999999.0, 1.0, 1000.0, 1001.0, 0.1, 99.9, 0.99995, 9.99995]
POWERS = [float(f"1e{exponent}") for exponent in range(-45, 46)]


class Recipe:
    """The random tensor of one number, and how it is to be printed."""

    def __init__(self, number: int) -> None:
        self.random = random = np.random.RandomState(number)
        self.dtype = self.pick(DTYPES)
        self.options = self.make_options()
        self.shape = self.make_shape()
        self.layout = self.pick(["plain"] * 4 + ["transposed", "expanded", "stepped"])
        self.default_dtype = self.pick(["float32"] * 5 + ["float64", "float16"])
        self.grad_fn: str | None = None
        self.requires_grad = False
        self.parameter = False
        if self.dtype.startswith(("float", "bfloat", "complex")) and self.dtype != "complex32":
            flag = random.randint(8)
            self.grad_fn = self.pick(NODES) if flag < 3 else None
            self.requires_grad = flag < 5
            self.parameter = flag == 4
        self.meta = random.randint(40) == 0 and self.grad_fn is None
        self._array = self.make_array()

    def pick(self, choices: Any) -> Any:
        return choices[self.random.randint(len(choices))]

    def make_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.random.randint(2):
            options["profile"] = self.pick(["default", "short", "full", None])
            for name, choices in {
                "precision": [0, 1, 2, 3, 6, 8, None],
                "threshold": [0, 5, 20, 100, None],
                "edgeitems": [0, 1, 2, 3, 5, None],
                "linewidth": [1, 20, 40, 60, 75, 81, 120, None],
                "sci_mode": [True, False, None, None],
            }.items():
                if self.random.randint(2):
                    options[name] = self.pick(choices)
        return options

    def make_shape(self) -> tuple[int, ...]:
        """Mostly small; sometimes empty, sometimes beyond a threshold of 1000, which the full profile would print."""
        rank = self.pick([0, 1, 1, 1, 2, 2, 3, 4, 5])
        if self.random.randint(20) == 0:
            return tuple(self.pick([0, 1, 2, 3]) for _ in range(rank))
        small = [[], [1, 2, 3, 5, 7, 12, 21], [1, 2, 3, 5, 7, 9], [1, 2, 3, 4], [1, 2, 3], [1, 2]][rank]
        if rank and self.random.randint(8) == 0 and self.options.get("profile") != "full":
            if self.options.get("threshold") is None:
                return [(1001,), (1200,), (40, 30), (11, 13, 8), (7, 9, 2, 8), (7, 7, 1, 8, 3)][
                    rank - self.random.randint(2)
                ]
            small = [[], [9, 30, 99], [7, 8, 11], [2, 7, 9], [1, 2, 7], [1, 2, 7]][rank]
        return tuple(self.pick(small) for _ in range(rank))

    def make_array(self) -> np.ndarray:
        """bfloat16 and complex32 come as float32 and complex64 that the printing side still has to convert."""
        shape = self.shape
        if self.layout == "transposed":
            array = self.elements(shape[::-1]).T
        elif self.layout == "expanded" and shape:
            array = np.broadcast_to(self.elements((1, *shape[1:])), shape)
        elif self.layout == "stepped" and shape:
            array = self.elements((shape[0] * 2, *shape[1:]))[::2]
        else:
            array = self.elements(shape)
        return np.asarray(array)

    def elements(self, shape: tuple[int, ...]) -> np.ndarray:
        if self.dtype == "bool":
            return self.random.randint(2, size=shape) == 1
        if "int" in self.dtype:
            return self.integers(shape)
        if self.dtype.startswith("complex"):
            array = np.empty(shape, "complex128" if self.dtype == "complex128" else "complex64")
            array.real = self.floats(shape)
            array.imag = self.floats(shape)
            return array
        return self.floats(shape).astype("float32" if self.dtype == "bfloat16" else self.dtype)

    def integers(self, shape: tuple[int, ...]) -> np.ndarray:
        limit = self.pick([3, 100, 10**6, 2**62])
        return self.random.randint(-limit, limit, size=shape, dtype="int64").astype(self.dtype)  # wraps around

    def floats(self, shape: tuple[int, ...]) -> np.ndarray:
        random = self.random
        unit = random.randint(-(2**40), 2**40, size=shape, dtype="int64") * 2.0**-40
        magnitude = self.pick(MAGNITUDES)
        if magnitude == "unit":
            values = unit * self.pick([1.0, 10.0, 100.0])
        elif magnitude == "wide":
            low = random.randint(len(POWERS) - 8)
            values = unit * np.array(POWERS)[random.randint(low, low + random.randint(1, 8), size=shape)]
        elif magnitude == "tiny":
            values = unit * self.pick([1e-4, 1e-5, 1e-20, 1e-38, 1e-40])
        elif magnitude == "huge":
            values = unit * self.pick([1e4, 1e5, 1e9, 1e20, 1e38])
        elif magnitude == "integral":
            values = random.randint(-50, 50, size=shape).astype(float)
        elif magnitude == "large_integral":
            values = random.randint(-(10**9), 10**9, size=shape).astype(float) // self.pick([1.0, 10.0, 1000.0])
        elif magnitude == "thousand":
            values = 1.0 + random.randint(1010, size=shape)
        elif magnitude == "edge":
            values = np.array(BORDERS)[random.randint(len(BORDERS), size=shape)]
        elif magnitude == "zeros":
            values = np.array([0.0, -0.0, 0.0])[random.randint(3, size=shape)]
        else:
            values = np.array([0.25, -1.5, 2.0, 0.1])[random.randint(4, size=shape)]
        if random.randint(4) == 0:
            specials = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0])[random.randint(5, size=shape)]
            values = np.where(random.randint(self.pick([2, 4, 30]), size=shape) == 0, specials, values)
        # What no half or float32 holds becomes infinite by choice, not by a warning of the conversion.
        if self.dtype == "float16":
            values = np.where(np.abs(values) > 65504, np.copysign(np.inf, values), values)
        elif not self.dtype.endswith(("float64", "128")):
            values = np.where(np.abs(values) > 3e38, np.copysign(np.inf, values), values)
        return values


def expected(recipe: Recipe) -> str:
    """PyTorch's own text of a recipe."""
    import torch

    torch.set_printoptions(profile="default")
    torch.set_default_dtype(getattr(torch, recipe.default_dtype))
    tensor = torch.from_numpy(recipe._array)
    if recipe.dtype in ("bfloat16", "complex32"):
        tensor = tensor.to(getattr(torch, recipe.dtype))
    if recipe.meta:
        tensor = tensor.to("meta")
    if recipe.requires_grad:
        tensor.requires_grad_()
    if recipe.grad_fn is not None:
        tensor = {
            "CloneBackward0": lambda: tensor.clone(),
            "MaskedFillBackward0": lambda: tensor.masked_fill(torch.tensor(False), 0),
            "ExpandBackward0": lambda: tensor.expand_as(tensor),
            "SqueezeBackward1": lambda: tensor.unsqueeze(0).squeeze(0),
            "UnsafeViewBackward0": lambda: torch.ops.aten._unsafe_view(tensor, tensor.shape),
        }[recipe.grad_fn]()
        assert tensor.grad_fn.name() == recipe.grad_fn
    if recipe.parameter:
        tensor = torch.nn.Parameter(tensor)
    torch.set_printoptions(**recipe.options)
    return repr(tensor)


def record() -> None:
    write("text", "text", [[number, expected(Recipe(number))] for number in range(COUNT)])
