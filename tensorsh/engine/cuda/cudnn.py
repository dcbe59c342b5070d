"""Convolutions by cuDNN, where its library is installed: the forward pass and both gradients, through ctypes.

A convolution is described to cuDNN as a graph of one operation. Its heuristics name engines for it, the fastest first, and the
first that can be set up is kept as a `Plan` for the sizes and settings, which are looked at before. Whatever cuDNN does not
take, or does not compute, is told by None, and left to `windows`."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ..arrays.backend import cupy
from ..arrays.layout import channels_are_last
from ..arrays.state import state
from .cudnn_library import (
    ADDRESSES,
    CONVOLUTION_MODE,
    DATA_TYPE,
    DESCRIPTORS,
    DOUBLES,
    FLOATS,
    HANDLE,
    INTEGERS,
    MODE,
    NOTES,
    Descriptors,
    Handle,
    Refused,
    handle,
    library,
    version,
)  # fmt: skip
from .kernels import Raw, empty
from .sources import pieces

CODE = pieces(__file__)

__all__ = ["DATA", "FILTER", "FORWARD", "convolve", "library", "version"]
FORWARD, DATA, FILTER = "Forward", "BackwardData", "BackwardFilter"
WEIGHT = {FORWARD: 1, DATA: 0, FILTER: 2}
"""Which of the two operands and the result is the weight."""
IMAGES = {FORWARD: (0, 2), DATA: (2, 1), FILTER: (0, 1)}
"""Which are the input and the output of the convolution."""
CONVOLUTION, ENGINE, CONFIGURATION, HEURISTICS, PLAN, GRAPH, PACK, TENSOR = 1, 2, 3, 4, 5, 15, 16, 17
"""Kinds of descriptors; these are the operations, and their attributes: the factor of the result and of what was there, the
convolution, the two operands and the result."""
OPERATION = {FORWARD: 10, FILTER: 11, DATA: 12}
PARTS = {
    FORWARD: (700, 701, 702, 704, 703, 705),
    DATA: (706, 707, 708, 709, 711, 710),
    FILTER: (712, 713, 714, 716, 717, 715),
}
COMPUTED_IN, KIND, DILATIONS, STRIDES, AFTER, BEFORE, RANK = range(100, 107)
HEURISTICS_MODE, HEURISTICS_GRAPH, HEURISTICS_RESULTS = range(200, 203)
CONFIGURED_ENGINE, ENGINE_NOTES = 300, 1303
PLAN_HANDLE, PLAN_CONFIGURATION, PLAN_WORKSPACE = range(400, 403)
GRAPH_HANDLE, GRAPH_OPERATIONS = 800, 801
ALIGNMENT, ELEMENTS, SHAPE, STEPS, NAME = 900, 901, 902, 903, 906
PACK_NAMES, PACK_ADDRESSES, PACK_WORKSPACE = 1000, 1001, 1003
CROSS_CORRELATION = 1
AT_ONCE, FALLBACK = 0, 2
"""Ways in which the heuristics look for engines."""
TENSOR_CORES, NARROWED, VARYING, WINOGRAD, MOST_NOTES = 0, 1, 4, 5, 10
"""Notes on an engine: its products may be rounded, its operands are, its results are not the same each time, or less exact."""
FLOAT, DOUBLE, HALF, BFLOAT16 = 0, 1, 2, 9
DTYPES = {
    np.dtype(np.float32): (FLOAT, FLOAT), np.dtype(np.float64): (DOUBLE, DOUBLE), np.dtype(np.float16): (HALF, FLOAT),
    np.dtype(ml_dtypes.bfloat16): (BFLOAT16, FLOAT),
}  # fmt: skip
"""cuDNN's number of a dtype, and of the one it adds up in."""
NAMES = (1, 2, 3)
"""What the operands and the result are called."""
WORKSPACE = 1 << 30
"""Bytes of workspace at most."""
MOST = (1 << 31) - 1
"""Elements of a tensor at most, as far as cuDNN's older kernels count."""
PLANS = 2048
"""Plans kept."""
PACKS = 32
"""Sets of addresses that a plan keeps; memory comes back to the same places in a program's loops."""
TRIED = 10
"""Engines that are tried, if a program wants them tried."""
BIAS = Raw("tensorsh_bias_of_channels", CODE["BIAS"])
"""The bias of each of `o` channels, of `l` elements each in memory, is added in place."""


class Plan(Descriptors):
    """A convolution of given sizes and settings, as cuDNN has it; Refused where it has none."""

    def __init__(
        self,
        own: Handle,
        kind: str,
        dtype: Any,
        shapes: tuple,
        spatial: tuple,
        groups: int,
        last: bool,
        settings: tuple,
    ) -> None:
        """shapes: of the operands and the result.  spatial: padding, stride, dilation.  last: channels lie last.
        settings: TF32 is allowed, results may not vary, engines are tried."""
        if not fits(kind, shapes, spatial, groups):
            raise Refused("sizes")
        super().__init__(own.dnn)
        self.own, (rounds, self.same, self.tries) = own, settings
        self.exact = dtype == np.float32 and not rounds
        number, sums = DTYPES[dtype]
        tensors = [self.tensor(n, number, shape, last) for n, shape in zip(NAMES, shapes, strict=True)]
        padding, stride, dilation = spatial
        convolution = self.new(
            CONVOLUTION, (RANK, INTEGERS, [len(stride)]), (COMPUTED_IN, DATA_TYPE, [sums]),
            (KIND, CONVOLUTION_MODE, [CROSS_CORRELATION]), (DILATIONS, INTEGERS, dilation), (STRIDES, INTEGERS, stride),
            (BEFORE, INTEGERS, padding), (AFTER, INTEGERS, padding),
        )  # fmt: skip
        one, none, described, *operands = PARTS[kind]
        factors = DOUBLES if sums == DOUBLE else FLOATS
        operation = self.new(
            OPERATION[kind], (described, DESCRIPTORS, [convolution]),
            *((n, DESCRIPTORS, [t]) for n, t in zip(operands, tensors, strict=True)), (one, factors, [1.0]),
            (none, factors, [0.0]),
        )  # fmt: skip
        self.graph = self.new(
            GRAPH, (GRAPH_HANDLE, HANDLE, [own.address]), (GRAPH_OPERATIONS, DESCRIPTORS, [operation])
        )
        self.left = self.configurations()
        """The engines that were not set up so far."""
        self.engine: tuple[int, int, dict] | None = None
        """The one that computes: its plan, the bytes of its workspace, and sets of addresses."""

    def tensor(self, name: int, number: int, shape: tuple, last: bool) -> int:
        order = (0, *range(2, len(shape)), 1) if last else range(len(shape))
        steps, step = [0] * len(shape), 1
        for axis in reversed(order):
            steps[axis], step = step, step * shape[axis]
        return self.new(
            TENSOR, (ELEMENTS, DATA_TYPE, [number]), (SHAPE, INTEGERS, shape), (STEPS, INTEGERS, steps),
            (NAME, INTEGERS, [name]), (ALIGNMENT, INTEGERS, [16]),
        )  # fmt: skip

    def configurations(self) -> Iterator[int]:
        """Engines with their settings, those that are expected to be the fastest first; last the ones that always go."""
        for mode in AT_ONCE, FALLBACK:
            try:
                asked = self.new(
                    HEURISTICS, (HEURISTICS_GRAPH, DESCRIPTORS, [self.graph]), (HEURISTICS_MODE, MODE, [mode])
                )
                count = self.count(asked, HEURISTICS_RESULTS, DESCRIPTORS)
                places = [self.empty(CONFIGURATION) for _ in range(count)]
                found = self.told(asked, HEURISTICS_RESULTS, DESCRIPTORS, count, places) if count else []
            except Refused:
                continue
            yield from (each for each in found if self.allowed(each))

    def allowed(self, configuration: int) -> bool:
        """Whether the settings allow an engine."""
        try:
            engine = self.told(configuration, CONFIGURED_ENGINE, DESCRIPTORS, 1, [self.empty(ENGINE)])[0]
            notes = self.told(engine, ENGINE_NOTES, NOTES, MOST_NOTES)
        except (Refused, IndexError):
            return False
        return not (
            NARROWED in notes
            or VARYING in notes
            and self.same
            or (TENSOR_CORES in notes or WINOGRAD in notes)
            and self.exact
        )

    def next(self) -> tuple[int, int, dict] | None:
        """The next engine, set up; None after the last."""
        for configuration in self.left:
            try:
                made = self.new(
                    PLAN, (PLAN_HANDLE, HANDLE, [self.own.address]), (PLAN_CONFIGURATION, DESCRIPTORS, [configuration])
                )
                (size,) = self.told(made, PLAN_WORKSPACE, INTEGERS, 1)
            except (Refused, ValueError):
                continue
            if 0 <= size <= WORKSPACE:
                return made, size, {}
        return None

    def compute(self, module: Any, *arrays: Any) -> bool:
        """Let the engine compute, and another one from then on where it does not. MemoryError where none has room."""
        if self.engine is None and self.tries and not module.cuda.get_current_stream().is_capturing():
            self.engine = self.fastest(module, arrays)
        no_room: MemoryError | None = None
        while True:
            self.engine = self.engine or self.next()
            if self.engine is None:
                if no_room:
                    raise no_room
                return False
            try:
                if self.run(module, self.engine, arrays):
                    return True
            except MemoryError as error:
                no_room = error
            self.engine = None

    def run(self, module: Any, engine: tuple[int, int, dict], arrays: tuple) -> bool:
        """Whether an engine computes."""
        plan, size, packs = engine
        memory = empty(size, np.uint8) if size else None
        addresses = tuple([x.data.ptr for x in arrays]), 0 if memory is None else memory.data.ptr
        pack = packs.get(addresses)
        if pack is None:
            if len(packs) >= PACKS:
                packs.clear()
            pack = packs[addresses] = Pack(self.dnn, *addresses)
        return not self.dnn.cudnnBackendExecute(self.own.address, plan, pack.address)

    def fastest(self, module: Any, arrays: tuple) -> tuple[int, int, dict] | None:
        """The engine that is the fastest of those that are tried; the others are forgotten."""
        best, least = None, float("inf")
        for _ in range(TRIED):
            engine = self.next()
            if engine is None:
                break
            try:
                if not self.run(module, engine, arrays):
                    continue
                begin, end = module.cuda.Event(), module.cuda.Event()
                begin.record()
                if not self.run(module, engine, arrays):
                    continue
                end.record()
            except MemoryError:
                continue
            end.synchronize()
            took = module.cuda.get_elapsed_time(begin, end)
            if took < least:
                best, least = engine, took
        return best


class Pack(Descriptors):
    """The addresses of a convolution's operands, result and workspace."""

    def __init__(self, dnn: Any, addresses: tuple, memory: int) -> None:
        super().__init__(dnn)
        self.address = self.new(
            PACK,
            (PACK_NAMES, INTEGERS, NAMES),
            (PACK_ADDRESSES, ADDRESSES, addresses),
            (PACK_WORKSPACE, ADDRESSES, [memory]),
        )


def fits(kind: str, shapes: tuple, spatial: tuple, groups: int) -> bool:
    """Whether the shapes are those of a convolution, which cuDNN is told without being asked whether they are."""
    weight = shapes[WEIGHT[kind]]
    x, y = (shapes[i] for i in IMAGES[kind])
    rank = len(weight)
    if not all(prod(s) and prod(s) <= MOST and len(s) == rank for s in shapes) or not 4 <= rank <= 5 or groups < 1:
        return False
    if x[0] != y[0] or x[1] != weight[1] * groups or y[1] != weight[0] or weight[0] % groups:
        return False
    padding, stride, dilation = spatial
    if not len(padding) == len(stride) == len(dilation) == rank - 2 or min(padding) < 0 or min(stride + dilation) < 1:
        return False
    several = zip(x[2:], weight[2:], padding, stride, dilation, y[2:], strict=True)
    return all(
        m + 2 * p - d * (k - 1) - 1 >= 0 and (m + 2 * p - d * (k - 1) - 1) // s + 1 == o for m, k, p, s, d, o in several
    )


_settings: list = [None, None, ()]
"""The program's settings as they were read last, and what they say."""


def settings() -> tuple | None:
    """What ``torch.backends.cudnn`` says: TF32 is allowed, results may not vary, engines are tried; None: cuDNN is not to compute."""
    given, same = state.__dict__.get("switches"), state.deterministic
    if given is not _settings[0] or same is not _settings[1] or not _settings[2]:
        told = {} if given is None else given

        def switch(name: str, default: bool) -> bool:
            return bool(told.get("backends.cudnn." + name, default))

        found = (switch("allow_tf32", True), bool(same) or switch("deterministic", False), switch("benchmark", False))
        _settings[:] = given, same, (found if switch("enabled", True) else None,)
    return _settings[2][0]


class Call(NamedTuple):
    """How a convolution of arrays that lie so is computed."""

    plan: Plan
    ready: tuple[bool, bool]
    """Whether each operand lies as the plan has it."""
    last: bool


def convolve(
    kind: str, a: Any, b: Any, shape: tuple, stride: Any, padding: Any, dilation: Any, groups: int, bias: Any = None
) -> Any:
    """The result, of a shape, of a convolution's forward pass (input, weight), of its input's gradient (weight, the output's
    gradient) or of its weight's (input, the output's gradient); None where cuDNN does not compute it."""
    chosen = settings() if library() is not None else None
    if chosen is None or bias is not None and (bias.dtype != a.dtype or bias.shape != (shape[1],)):
        return None
    module = cupy()
    key = (
        kind,
        a.dtype,
        b.dtype,
        a.shape,
        a.strides,
        b.shape,
        b.strides,
        shape,
        stride,
        padding,
        dilation,
        groups,
        chosen,
    )
    try:
        own = handle(module)
        call = own.plans.get(key, ...)
        if call is ...:
            if len(own.plans) >= PLANS:
                own.plans.clear()
            call = own.plans[key] = prepared(
                own, module, kind, a, b, shape, (padding, stride, dilation), groups, chosen
            )
    except Refused:
        call = None
    if call is None:
        return None
    out = placed(module, shape, a.dtype, call.last)
    given = [
        x if r and not x.data.ptr % 16 else laid(module, x, call.last) for x, r in zip((a, b), call.ready, strict=True)
    ]
    try:
        done = call.plan.compute(module, *given, out)
    except Refused:
        done = False
    if not done:
        own.plans[key] = None
        return None
    if bias is not None:
        add(module, out, bias, call.last)
    return out


def prepared(
    own: Handle, module: Any, kind: str, a: Any, b: Any, shape: tuple, spatial: tuple, groups: int, chosen: tuple
) -> Call | None:
    """How to compute a convolution; None where cuDNN does not. One dimension is computed as two."""
    if a.dtype not in DTYPES or a.dtype != b.dtype:
        return None
    last = channels_are_last(a) or channels_are_last(b)
    shapes: tuple = (a.shape, b.shape, tuple(shape))
    if a.ndim == 3:
        shapes = tuple((*s[:2], 1, *s[2:]) for s in shapes)
        spatial = tuple((n, *values) for n, values in zip((0, 1, 1), spatial, strict=True))
    try:
        plan = Plan(own, kind, a.dtype, shapes, tuple(map(tuple, spatial)), groups, last, chosen)
    except Refused:
        return None
    return Call(plan, tuple((module.moveaxis(x, 1, -1) if last else x).flags.c_contiguous for x in (a, b)), last)


def laid(module: Any, x: Any, last: bool) -> Any:
    """An array in the order that a plan has, at an address that vectors can be read from."""
    if not last:
        x = module.ascontiguousarray(x)
    else:
        moved = module.moveaxis(x, 1, -1)
        x = x if moved.flags.c_contiguous else module.moveaxis(module.ascontiguousarray(moved), -1, 1)
    return x.copy("K") if x.data.ptr % 16 else x


def placed(module: Any, shape: tuple, dtype: Any, last: bool) -> Any:
    """A new array, whose channels lie last if they are to."""
    if not last:
        return empty(shape, dtype)
    return module.moveaxis(empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)


def add(module: Any, out: Any, bias: Any, last: bool) -> None:
    """Add a bias to the channels of a new result, in place."""
    number = np.uint32
    each = 256 * (16 // out.itemsize)
    within = 1 if last else prod(out.shape[2:])
    flat = module.moveaxis(out, 1, -1) if last else out
    numbers = number(out.size), number(within), number(out.shape[1])
    BIAS(out.dtype, -(-out.size // each), 256, flat, module.ascontiguousarray(bias), *numbers)
