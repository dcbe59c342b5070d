"""cuDNN's functions without a GPU: descriptors are kept, and convolutions computed by numpy on the memory that is named.

It refuses (as statuses) what cuDNN would: descriptors that were not made, sizes that do not fit, small workspaces. `Library`
stands in for what ``engine/cuda/cudnn.py`` loads.
"""

from __future__ import annotations

import ctypes
from itertools import count
from typing import Any

import ml_dtypes
import numpy as np

DTYPES = {0: np.float32, 1: np.float64, 2: np.float16, 9: ml_dtypes.bfloat16}
BAD, NOT_SUPPORTED = 2000, 3000
WORKSPACE = 64


class Library:
    def __init__(self, refused: tuple = (), failing: tuple = ()) -> None:
        """refused: names of functions that support nothing.  failing: numbers of algorithms that do not run."""
        self.refused, self.failing = refused, failing
        self.called: list[str] = []
        self.made: dict[int, dict] = {}
        self._next = count(1)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cudnn"):
            raise AttributeError(name)
        plain = name.removeprefix("cudnn")

        def function(*args: Any) -> int:
            self.called.append(plain)
            if plain in self.refused:
                return NOT_SUPPORTED
            if plain.startswith("Create"):
                return self.create(plain, *args)
            if plain.startswith("Destroy"):
                return 0 if self.made.pop(args[0], None) else BAD
            for kind in ("BackwardData", "BackwardFilter", "Forward"):
                if plain == f"GetConvolution{kind}Algorithm_v7":
                    return self.algorithms(*args[5:8])
                if plain == f"FindConvolution{kind}AlgorithmEx":
                    return self.algorithms(*args[8:11], tried=True)
                if plain == f"Convolution{kind}":
                    return self.convolution(kind, *args)
            return getattr(self, plain)(*args)

        return function

    def create(self, name: str, place: Any) -> int:
        place._obj.value = number = next(self._next) * 64
        self.made[number] = {"what": name}
        return 0

    def GetVersion(self) -> int:
        return 92000

    def SetStream(self, handle: int, stream: int) -> int:
        self.made[handle]["stream"] = stream
        return 0

    def SetTensorNdDescriptor(self, made: int, number: int, rank: int, shape: Any, strides: Any) -> int:
        self.made[made] |= {"dtype": DTYPES[number], "shape": tuple(shape), "strides": tuple(strides)}
        return 0 if len(shape) == len(strides) == rank >= 4 else BAD

    def SetFilterNdDescriptor(self, made: int, number: int, order: int, rank: int, shape: Any) -> int:
        shape = tuple(shape)
        axes = (0, *range(2, rank), 1) if order else range(rank)
        strides, step = [0] * rank, 1
        for axis in reversed(axes):
            strides[axis], step = step, step * shape[axis]
        self.made[made] |= {"dtype": DTYPES[number], "shape": shape, "strides": tuple(strides)}
        return 0 if len(shape) == rank >= 4 else BAD

    def SetConvolutionNdDescriptor(
        self, made: int, rank: int, padding: Any, stride: Any, dilation: Any, mode: int, sums: int
    ) -> int:
        self.made[made] |= {"spatial": tuple(zip(padding, stride, dilation, strict=True)), "mode": mode, "sums": sums}
        return 0 if len(padding) == rank else BAD

    def SetConvolutionMathType(self, made: int, math: int) -> int:
        self.made[made]["math"] = math
        return 0

    def SetConvolutionGroupCount(self, made: int, groups: int) -> int:
        self.made[made]["groups"] = groups
        return 0

    def algorithms(self, most: int, number: Any, found: Any, tried: bool = False) -> int:
        rows = [(1, 0, WORKSPACE, 0), (0, 0, 0, 1), (7, NOT_SUPPORTED, 0, 1), (2, 0, 1 << 40, 1)]
        for place, (algorithm, status, memory, same) in zip(found, reversed(rows) if tried else rows, strict=False):
            place.algorithm, place.status, place.memory, place.deterministic, place.math = (
                algorithm,
                status,
                memory,
                same,
                1,
            )
        number._obj.value = len(rows)
        return 0 if most >= len(rows) else BAD

    def at(self, descriptor: int, address: int) -> np.ndarray:
        """The array that a descriptor and an address mean."""
        told = self.made[descriptor]
        size = np.dtype(told["dtype"]).itemsize
        reach = 1 + sum((n - 1) * s for n, s in zip(told["shape"], told["strides"], strict=True))
        memory = np.frombuffer((ctypes.c_byte * (reach * size)).from_address(address), told["dtype"])
        return np.lib.stride_tricks.as_strided(memory, told["shape"], [s * size for s in told["strides"]])

    def AddTensor(self, handle: int, one: int, a: int, x: int, other: int, c: int, y: int) -> int:
        held = self.at(c, y)
        held[...] = held + self.at(a, x)
        return 0

    def convolution(
        self, kind: str, handle: int, one: int, a: int, x: int, b: int, y: int, convolution: int, algorithm: int,
        memory: Any, size: int, none: int, c: int, out: int,
    ) -> int:  # fmt: skip
        told = self.made[convolution]
        if algorithm in self.failing:
            return NOT_SUPPORTED
        if algorithm == 1 and (size < WORKSPACE or not memory):
            return BAD
        kinds = {self.made[d]["dtype"] for d in (a, b, c)}
        factors = [
            ctypes.cast(p, ctypes.POINTER(ctypes.c_double if kinds == {np.float64} else ctypes.c_float))[0]
            for p in (one, none)
        ]
        if len(kinds) > 1 or told["mode"] != 1 or factors != [1.0, 0.0] or "stream" not in self.made[handle]:
            return BAD
        first, second, result = self.at(a, x), self.at(b, y), self.at(c, out)
        given = {"Forward": (first, second, result), "BackwardData": (result, first, second),
                 "BackwardFilter": (first, result, second)}[kind]  # fmt: skip
        return computed(kind, *given, told["spatial"], told["groups"])


def computed(kind: str, x: np.ndarray, w: np.ndarray, y: np.ndarray, spatial: Any, groups: int) -> int:
    """One of the three from the two others, place by place of the window, in double precision."""
    expected = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, (p, s, d) in zip(x.shape[2:], w.shape[2:], spatial, strict=True)
    ]
    if expected != list(y.shape[2:]) or x.shape[1] != w.shape[1] * groups or (len(x), len(w)) != y.shape[:2]:
        return BAD
    wide = np.zeros((*x.shape[:2], *(n + 2 * p for n, (p, _, _) in zip(x.shape[2:], spatial, strict=True))))
    inside = (slice(None), slice(None), *(slice(p, p + n) for n, (p, _, _) in zip(x.shape[2:], spatial, strict=True)))
    if kind != "BackwardData":
        wide[inside] = x.astype(float)
    weight, output = np.zeros(w.shape), np.zeros(y.shape)
    if kind != "BackwardFilter":
        weight[...] = w.astype(float)
    if kind != "Forward":
        output[...] = y.astype(float)
    per = len(w) // groups
    for at in np.ndindex(*w.shape[2:]):
        place = tuple(
            slice(a * d, a * d + s * (m - 1) + 1, s) for a, (_, s, d), m in zip(at, spatial, y.shape[2:], strict=True)
        )
        for g in range(groups):
            ins = slice(g * w.shape[1], (g + 1) * w.shape[1])
            outs = slice(g * per, (g + 1) * per)
            seen, part, out = wide[(slice(None), ins, *place)], weight[(outs, slice(None), *at)], output[:, outs]
            if kind == "Forward":
                out += np.einsum("nc...,oc->no...", seen, part)
            elif kind == "BackwardData":
                seen += np.einsum("no...,oc->nc...", out, part)
            else:
                part += np.einsum("nck,nok->oc", seen.reshape(*seen.shape[:2], -1), out.reshape(*out.shape[:2], -1))
    target, made = {"Forward": (y, output), "BackwardData": (x, wide[inside]), "BackwardFilter": (w, weight)}[kind]
    target[...] = made.astype(target.dtype)
    return 0
