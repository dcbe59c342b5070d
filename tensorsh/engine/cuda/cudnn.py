"""Convolutions by cuDNN, where its library is installed: the forward pass and both gradients, through ctypes.

The three functions of cuDNN take their arguments in one order: the descriptors and addresses of two operands, the
convolution's descriptor, an algorithm, a workspace, and the descriptor and address of the result. So a `Plan` of a
convolution (descriptors and algorithms for sizes and settings, made once) runs any of them. Whatever cuDNN does not take,
or does not compute, is told by False, and left to `windows`.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import threading
import weakref
from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ..arrays.backend import cupy
from ..arrays.layout import channels_are_last
from ..arrays.state import state

FORWARD, DATA, FILTER = "Forward", "BackwardData", "BackwardFilter"
WEIGHT = {FORWARD: 1, DATA: 0, FILTER: 2}
"""Which of the two operands and the result is the weight."""
IMAGES = {FORWARD: (0, 2), DATA: (2, 1), FILTER: (0, 1)}
"""Which are the input and the output of the convolution."""
FLOAT, DOUBLE, HALF, BFLOAT16 = 0, 1, 2, 9
KINDS = {
    np.dtype(np.float32): (FLOAT, FLOAT, ctypes.c_float),
    np.dtype(np.float64): (DOUBLE, DOUBLE, ctypes.c_double),
    np.dtype(np.float16): (HALF, FLOAT, ctypes.c_float),
    np.dtype(ml_dtypes.bfloat16): (BFLOAT16, FLOAT, ctypes.c_float),
}
"""cuDNN's number of a dtype, of the one it adds up in, and the type of its factors."""
CHANNELS_FIRST, CHANNELS_LAST = 0, 1
DEFAULT_MATH, TENSOR_MATH, EXACT_MATH = 0, 1, 3
"""Products of float32 may be rounded to TF32; those of half types go to tensor cores; nothing is rounded."""
CROSS_CORRELATION = 1
ALGORITHMS = 8
"""How many algorithms are asked for; there are no more."""
WORKSPACE = 1 << 30
"""Bytes of workspace at most."""
MOST = (1 << 31) - 1
"""Elements of a tensor at most, as far as cuDNN's older kernels count."""
PLANS = 2048
"""Plans kept."""


class Performance(ctypes.Structure):
    """What cuDNN says of an algorithm."""

    _fields_ = [
        ("algorithm", ctypes.c_int), ("status", ctypes.c_int), ("time", ctypes.c_float), ("memory", ctypes.c_size_t),
        ("deterministic", ctypes.c_int), ("math", ctypes.c_int), ("reserved", ctypes.c_int * 3),
    ]  # fmt: skip


_p, _i, _z = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
SIGNATURES: dict[str, tuple] = {
    "Create": (_p,), "SetStream": (_p, _p), "CreateTensorDescriptor": (_p,), "DestroyTensorDescriptor": (_p,),
    "SetTensorNdDescriptor": (_p, _i, _i, _p, _p), "CreateFilterDescriptor": (_p,), "DestroyFilterDescriptor": (_p,),
    "SetFilterNdDescriptor": (_p, _i, _i, _i, _p), "CreateConvolutionDescriptor": (_p,),
    "DestroyConvolutionDescriptor": (_p,), "SetConvolutionNdDescriptor": (_p, _i, _p, _p, _p, _i, _i),
    "SetConvolutionMathType": (_p, _i), "SetConvolutionGroupCount": (_p, _i), "AddTensor": (_p,) * 7,
}  # fmt: skip
for _kind in WEIGHT:
    SIGNATURES |= {
        f"GetConvolution{_kind}Algorithm_v7": (*(_p,) * 5, _i, _p, _p),
        f"FindConvolution{_kind}AlgorithmEx": (*(_p,) * 8, _i, _p, _p, _p, _z),
        f"Convolution{_kind}": (*(_p,) * 7, _i, _p, _z, _p, _p, _p),
    }


class Refused(Exception):
    """cuDNN does not take something."""


def checked(status: int) -> None:
    if status:
        raise Refused(status)


def places() -> Iterator[str]:
    """Where the library may be: in NVIDIA's packages, as they lie beside CuPy, and where the system looks."""
    name = "cudnn64_9.dll" if sys.platform == "win32" else "libcudnn.so.9"
    inside = ("cudnn/bin", "cu13/bin") if sys.platform == "win32" else ("cudnn/lib", "cu13/lib")
    try:
        found = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        found = None
    for folder in (found.submodule_search_locations or ()) if found else ():
        for part in inside:
            path = Path(folder, part, name)
            if path.is_file():
                yield str(path)
    yield name


def opened(path: str) -> Any:
    """The library at a path, its functions declared. OSError and AttributeError where there is none, or another one."""
    found = ctypes.CDLL(path)
    for name, parameters in SIGNATURES.items():
        function = getattr(found, "cudnn" + name)
        function.argtypes, function.restype = parameters, ctypes.c_int
    for name in ("cudnnGetVersion", "cudnnGetCudartVersion"):
        getattr(found, name).restype = ctypes.c_size_t
    return found


@cache
def library() -> Any:
    """cuDNN for the CUDA that CuPy runs on; None where there is none."""
    module = cupy()
    if module is None:
        return None
    for path in places():
        try:
            found = opened(path)
            if found.cudnnGetCudartVersion() // 1000 == module.cuda.runtime.runtimeGetVersion() // 1000:
                return found
        except (OSError, AttributeError):
            continue
    return None


def version() -> int | None:
    """The number of cuDNN's version, as 92000 of 9.20; None where it is not found."""
    found = library()
    return None if found is None else int(found.cudnnGetVersion())


class Handle:
    """cuDNN for one device and one thread."""

    def __init__(self, dnn: Any) -> None:
        self.dnn, self.stream = dnn, -1
        made = ctypes.c_void_p()
        checked(dnn.cudnnCreate(ctypes.byref(made)))
        self.address = made.value

    def given_to(self, stream: int) -> None:
        """Let the work go to a stream."""
        if stream != self.stream:
            checked(self.dnn.cudnnSetStream(self.address, stream))
            self.stream = stream


_own = threading.local()


def handle(module: Any) -> Handle:
    """cuDNN on the current device, for the current stream."""
    handles = _own.__dict__.setdefault("handles", {})
    index = module.cuda.runtime.getDevice()
    found = handles.get(index)
    if found is None:
        found = handles[index] = Handle(library())
    found.given_to(module.cuda.get_current_stream().ptr)
    return found


def whole(numbers: Any) -> Any:
    """Numbers as C takes them."""
    return (ctypes.c_int * len(numbers))(*numbers)


@cache
def factor(kind: Any, value: float) -> Any:
    """A factor of cuDNN's, which it takes the address of."""
    return kind(value)


class Plan:
    """A convolution of given sizes and settings, as cuDNN has it; Refused where it has none."""

    def __init__(
        self, dnn: Any, kind: str, dtype: Any, shapes: tuple, spatial: tuple, groups: int, last: bool, settings: tuple
    ) -> None:
        """shapes: of the operands and the result.  spatial: padding, stride, dilation.  last: channels lie last.
        settings: TF32 is allowed, results may not vary, algorithms are tried."""
        if not fits(kind, shapes, spatial, groups):
            raise Refused("sizes")
        self.dnn, self.kind = dnn, kind
        self.rounds, self.same, self.tries = settings
        number, sums, factors = KINDS[dtype]
        self.one, self.none = (ctypes.addressof(factor(factors, v)) for v in (1.0, 0.0))
        self.descriptors: list = []
        weakref.finalize(self, destroyed, dnn, self.descriptors).atexit = False
        described = []
        for i, shape in enumerate(shapes):
            if i == WEIGHT[kind]:
                made = self.new("Filter")
                order = CHANNELS_LAST if last else CHANNELS_FIRST
                checked(dnn.cudnnSetFilterNdDescriptor(made, number, order, len(shape), whole(shape)))
            else:
                made = self.tensor(number, shape, last)
            described.append(made)
        self.first, self.second, self.result = described
        self.convolution = self.new("Convolution")
        checked(
            dnn.cudnnSetConvolutionNdDescriptor(
                self.convolution, len(spatial[0]), *map(whole, spatial), CROSS_CORRELATION, sums
            )
        )
        checked(dnn.cudnnSetConvolutionGroupCount(self.convolution, groups))
        self.exact = dtype == np.float32 and not self.rounds
        self.math = EXACT_MATH if self.exact else TENSOR_MATH if dtype.itemsize == 2 else DEFAULT_MATH
        checked(dnn.cudnnSetConvolutionMathType(self.convolution, self.math))
        channels = (1, shapes[2][1], *(1,) * len(spatial[0]))
        self.bias = self.tensor(number, channels, False) if kind != FILTER else None
        self.run = getattr(dnn, f"cudnnConvolution{kind}")
        self.algorithms: list | None = None

    def new(self, what: str) -> int:
        made = ctypes.c_void_p()
        checked(getattr(self.dnn, f"cudnnCreate{what}Descriptor")(ctypes.byref(made)))
        self.descriptors.append((what, made.value))
        return made.value or 0

    def tensor(self, number: int, shape: tuple, last: bool) -> int:
        made, rank = self.new("Tensor"), len(shape)
        order = (0, *range(2, rank), 1) if last else range(rank)
        strides, step = [0] * rank, 1
        for axis in reversed(order):
            strides[axis], step = step, step * shape[axis]
        checked(self.dnn.cudnnSetTensorNdDescriptor(made, number, rank, whole(shape), whole(strides)))
        return made

    def told(self, own: Handle, tried: tuple | None) -> list[tuple[int, int, int]]:
        """The algorithms, the fastest first, each with how it multiplies and the bytes of its workspace. tried: the addresses of
        the arrays and of a workspace with its size, to try them with; None: as cuDNN expects."""
        found, count = (Performance * ALGORITHMS)(), ctypes.c_int()
        described = (self.first, self.second, self.convolution, self.result)
        if tried is None:
            ask = getattr(self.dnn, f"cudnnGetConvolution{self.kind}Algorithm_v7")
            checked(ask(own.address, *described, ALGORITHMS, ctypes.byref(count), found))
        else:
            a, b, out, memory, size = tried
            ask = getattr(self.dnn, f"cudnnFindConvolution{self.kind}AlgorithmEx")
            checked(
                ask(
                    own.address, self.first, a, self.second, b, self.convolution, self.result, out, ALGORITHMS,
                    ctypes.byref(count), found, memory, size,
                )
            )  # fmt: skip
        return [
            (p.algorithm, p.math, p.memory)
            for p in found[: count.value]
            if not p.status and p.memory <= WORKSPACE and (p.deterministic or not self.same)
        ]

    def choose(self, own: Handle, module: Any, a: Any, b: Any, out: Any) -> None:
        """Find the algorithms."""
        self.algorithms = self.told(own, None)
        if self.tries and self.algorithms and not module.cuda.get_current_stream().is_capturing():
            memory = module.empty(max(1, max(size for _, _, size in self.algorithms)), np.uint8)
            tried = (a.data.ptr, b.data.ptr, out.data.ptr, memory.data.ptr, memory.nbytes)
            self.algorithms = self.told(own, tried) or self.algorithms

    def compute(self, own: Handle, module: Any, a: Any, b: Any, out: Any, bias: Any) -> bool:
        """Run the fastest algorithm that runs; those that do not are forgotten. MemoryError where none has room."""
        if self.algorithms is None:
            self.choose(own, module, a, b, out)
        no_room: MemoryError | None = None
        for each in tuple(self.algorithms or ()):
            algorithm, math, size = each
            try:
                memory = module.empty(size, np.uint8) if size else None
            except MemoryError as error:
                no_room = error
                continue
            status = self.multiplies_by(math) or self.run(
                own.address, self.one, self.first, a.data.ptr, self.second, b.data.ptr, self.convolution, algorithm,
                None if memory is None else memory.data.ptr, size, self.none, self.result, out.data.ptr,
            )  # fmt: skip
            if not status:
                if bias is not None:
                    self.add(own, bias, out)
                return True
            self.algorithms = [other for other in self.algorithms or () if other != each]
        if no_room:
            raise no_room
        return False

    def multiplies_by(self, math: int) -> int:
        """Let an algorithm multiply as it was promised to; a status."""
        if self.exact or math == self.math:
            return 0
        self.math = math
        return self.dnn.cudnnSetConvolutionMathType(self.convolution, math)

    def add(self, own: Handle, bias: Any, out: Any) -> None:
        given = (self.one, self.bias, bias.data.ptr, self.one, self.result, out.data.ptr)
        if self.dnn.cudnnAddTensor(own.address, *given):
            out += bias.reshape(-1, *[1] * (out.ndim - 2))


def destroyed(dnn: Any, descriptors: list) -> None:
    for what, address in descriptors:
        getattr(dnn, f"cudnnDestroy{what}Descriptor")(address)


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


_plans: dict[tuple, Plan | None] = {}
"""By what is computed; None where cuDNN does not compute it."""


def switch(name: str, default: bool) -> bool:
    """A setting of ``torch.backends.cudnn``."""
    return bool(state.__dict__.get("switches", {}).get("backends.cudnn." + name, default))


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
        return module.empty(shape, dtype)
    return module.moveaxis(module.empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)


def convolve(
    kind: str, a: Any, b: Any, shape: tuple, stride: Any, padding: Any, dilation: Any, groups: int, bias: Any = None
) -> Any:
    """The result, of a shape, of a convolution's forward pass (input, weight), of its input's gradient (weight, the output's
    gradient) or of its weight's (input, the output's gradient); None where cuDNN does not compute it."""
    if library() is None or not switch("enabled", True) or a.dtype not in KINDS:
        return None
    if a.dtype != b.dtype or bias is not None and (bias.dtype != a.dtype or bias.shape != (shape[1],)):
        return None
    module = cupy()
    last = channels_are_last(a) or channels_are_last(b)
    shapes: tuple = (a.shape, b.shape, tuple(shape))
    spatial: tuple = (tuple(padding), tuple(stride), tuple(dilation))
    if a.ndim == 3:
        a, b = (x.reshape(*x.shape[:2], 1, x.shape[2]) for x in (a, b))
        shapes = tuple((*s[:2], 1, *s[2:]) for s in shapes)
        spatial = ((0, *spatial[0]), (1, *spatial[1]), (1, *spatial[2]))
    same = switch("deterministic", False) or state.deterministic
    settings = switch("allow_tf32", True), same, switch("benchmark", False)
    key = (kind, a.dtype, shapes, spatial, groups, last, settings, module.cuda.runtime.getDevice())
    plan = _plans.get(key, ...)
    if plan is None:
        return None
    try:
        own = handle(module)
        if plan is ...:
            if len(_plans) >= PLANS:
                _plans.clear()
            plan = _plans[key] = Plan(own.dnn, kind, a.dtype, shapes, spatial, groups, last, settings)
        out = placed(module, shapes[2], a.dtype, last)
        given = laid(module, a, last), laid(module, b, last), out
        if plan.compute(own, module, *given, None if bias is None else module.ascontiguousarray(bias)):
            return out if out.ndim == len(shape) else out.reshape(shape)
    except Refused:
        pass
    _plans[key] = None
    return None
