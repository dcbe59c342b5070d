"""cuDNN's functions without a GPU: descriptors are kept, and convolutions computed by numpy on the memory that is named.

It refuses (as statuses) what cuDNN would: descriptors that are not finished, attributes of another kind, sizes that do not fit,
small workspaces. `Library` stands in for what ``engine/cuda/cudnn.py`` loads.
"""

from __future__ import annotations

import ctypes
from itertools import count
from typing import Any

import ml_dtypes
import numpy as np

DTYPES = {0: np.float32, 1: np.float64, 2: np.float16, 9: ml_dtypes.bfloat16}
KINDS = {
    "100": 1, "101": 7, "102": 3, "103": 3, "104": 3, "105": 3, "106": 3, "200": 8, "201": 15, "400": 0, "401": 15, "702": 15,
    "703": 15, "704": 15, "705": 15, "708": 15, "709": 15, "710": 15, "711": 15, "714": 15, "715": 15, "716": 15, "717": 15,
    "800": 0, "801": 15, "900": 3, "901": 1, "902": 3, "903": 3, "906": 3, "1000": 3, "1001": 6, "1003": 6,
}  # fmt: skip
"""What kind each attribute is of; factors are of either of two."""
ROLES = {10: (704, 703, 705), 11: (716, 715, 717), 12: (710, 709, 711)}
"""The attributes of an operation that are the input, the weight and the output; the output, the weight and the input are the
result."""
BAD, NOT_SUPPORTED = 2000, 3000
WORKSPACE = 64
ENGINES = ((7, None, (0,)), (1, WORKSPACE, (0, 4)), (2, 1 << 40, ()), (3, WORKSPACE, (1,)), (4, 0, (4, 5)), (0, 0, ()))
"""Number, bytes of workspace (None: it cannot be set up) and notes."""


class Library:
    def __init__(self, refused: tuple = (), failing: tuple = ()) -> None:
        """refused: functions, or kinds of descriptors, that support nothing.  failing: engines that do not run."""
        self.refused, self.failing = refused, failing
        self.called: list[str] = []
        self.ran: list[int] = []
        self.made: dict[int, dict] = {}
        self._next = count(1)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cudnn"):
            raise AttributeError(name)
        plain = name.removeprefix("cudnn").removeprefix("Backend")

        def function(*args: Any) -> int:
            self.called.append(plain)
            return NOT_SUPPORTED if plain in self.refused else getattr(self, plain)(*args)

        return function

    def Create(self, place: Any) -> int:
        place._obj.value = number = next(self._next) * 64
        self.made[number] = {"what": "handle"}
        return 0

    def GetVersion(self) -> int:
        return 92000

    def SetStream(self, handle: int, stream: int) -> int:
        self.made[handle]["stream"] = stream
        return 0

    def CreateDescriptor(self, what: int, place: Any) -> int:
        place._obj.value = number = next(self._next) * 64
        self.made[number] = {"what": what, "finished": what in (2, 3)}
        return 0

    def DestroyDescriptor(self, made: int) -> int:
        return 0 if self.made.pop(made, None) else BAD

    def SetAttribute(self, made: int, number: int, kind: int, size: int, values: Any) -> int:
        told = self.made[made]
        if told["finished"] or KINDS.get(str(number), kind) != kind or size != len(values):
            return BAD
        told[number] = list(values)
        if kind == 15 and not all(self.made[v]["finished"] for v in values):
            return BAD
        return 0

    def Finalize(self, made: int) -> int:
        told = self.made[made]
        if told["what"] in self.refused:
            return NOT_SUPPORTED
        told["finished"] = True
        if told["what"] == 5:
            return NOT_SUPPORTED if self.made[told[401][0]]["engine"][1] is None else 0
        if told["what"] == 1:
            rank = told[106][0]
            return 0 if all(len(told[n]) == rank for n in (102, 103, 104, 105)) and told[101] == [1] else BAD
        if told["what"] in ROLES:
            shapes = [self.made[told[n][0]][902] for n in ROLES[told["what"]]]
            x, w, y = shapes
            return 0 if x[1] % w[1] == 0 and y[1] == w[0] and x[0] == y[0] else BAD
        return 0

    def GetAttribute(self, made: int, number: int, kind: int, most: int, size: Any, values: Any) -> int:
        told = self.made[made]
        if not told["finished"]:
            return BAD
        if number == 202:  # the engines that heuristics name
            engines = ENGINES if told[200] == [0] else ENGINES[-1:]
            size._obj.value = len(engines)
            for place, engine in zip(values or (), engines, strict=False):
                self.made[place] |= {"engine": engine, "graph": told[201][0]}
        elif number == 300:
            size._obj.value = 1
            self.made[values[0]]["engine"] = told["engine"]
        elif number == 1303:
            size._obj.value = len(told["engine"][2])
            values[: len(told["engine"][2])] = told["engine"][2]
        elif number == 402:
            size._obj.value, values[0] = 1, self.made[told[401][0]]["engine"][1]
        else:
            return BAD
        return 0

    def at(self, descriptor: int, address: int) -> np.ndarray:
        """The array that a tensor's descriptor and an address mean."""
        told = self.made[descriptor]
        kind = np.dtype(DTYPES[told[901][0]])
        reach = 1 + sum((n - 1) * s for n, s in zip(told[902], told[903], strict=True))
        memory = np.frombuffer((ctypes.c_byte * (reach * kind.itemsize)).from_address(address), kind)
        return np.lib.stride_tricks.as_strided(memory, told[902], [s * kind.itemsize for s in told[903]])

    def Execute(self, handle: int, plan: int, pack: int) -> int:
        plan_told, told = self.made[plan], self.made[pack]
        number, size, _ = self.made[plan_told[401][0]]["engine"]
        if "stream" not in self.made[handle] or not told["finished"] or size and not told[1003][0]:
            return BAD
        if number in self.failing:
            return NOT_SUPPORTED
        self.ran.append(number)
        operation = self.made[self.made[self.made[plan_told[401][0]]["graph"]][801][0]]
        what = operation["what"]
        addresses = dict(zip(told[1000], told[1001], strict=True))
        given = [self.at(operation[n][0], addresses[self.made[operation[n][0]][906][0]]) for n in ROLES[what]]
        convolution = self.made[operation[{10: 702, 11: 714, 12: 708}[what]][0]]
        spatial = list(zip(convolution[105], convolution[103], convolution[102], strict=True))
        return computed(what, *given, spatial, given[0].shape[1] // given[1].shape[1])


def computed(what: int, x: np.ndarray, w: np.ndarray, y: np.ndarray, spatial: Any, groups: int) -> int:
    """One of the three from the two others, place by place of the window, in double precision."""
    expected = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, (p, s, d) in zip(x.shape[2:], w.shape[2:], spatial, strict=True)
    ]
    if expected != list(y.shape[2:]) or (len(x), len(w)) != y.shape[:2]:
        return BAD
    wide = np.zeros((*x.shape[:2], *(n + 2 * p for n, (p, _, _) in zip(x.shape[2:], spatial, strict=True))))
    inside = (slice(None), slice(None), *(slice(p, p + n) for n, (p, _, _) in zip(x.shape[2:], spatial, strict=True)))
    weight, output = np.zeros(w.shape), np.zeros(y.shape)
    for result, held, given in ((12, wide[inside], x), (11, weight, w), (10, output, y)):
        if what != result:
            held[...] = given.astype(float)
    per = len(w) // groups
    for at in np.ndindex(*w.shape[2:]):
        steps = zip(at, spatial, y.shape[2:], strict=True)
        place = tuple(slice(a * d, a * d + s * (m - 1) + 1, s) for a, (_, s, d), m in steps)
        for g in range(groups):
            ins, outs = slice(g * w.shape[1], (g + 1) * w.shape[1]), slice(g * per, (g + 1) * per)
            seen, part, out = wide[(slice(None), ins, *place)], weight[(outs, slice(None), *at)], output[:, outs]
            if what == 10:
                out += np.einsum("nc...,oc->no...", seen, part)
            elif what == 12:
                seen += np.einsum("no...,oc->nc...", out, part)
            else:
                part += np.einsum("nck,nok->oc", seen.reshape(*seen.shape[:2], -1), out.reshape(*out.shape[:2], -1))
    target, made = {10: (y, output), 12: (x, wide[inside]), 11: (w, weight)}[what]
    target[...] = made.astype(target.dtype)
    return 0
