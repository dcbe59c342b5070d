"""A strict stand-in for cupy: numpy arrays in a class that refuses what a GPU's arrays refuse.

It has two devices. What is computed lies on the current one, also without dimensions, and arrays of another one are refused
where cupy warns, or refuses (`check_place`). It raises
TypeError on implicit conversion to numpy and on numpy arrays among the operands, HostRead where a value is read on the
host by anything but ``get()``, ``item()`` and ``tolist()`` (cupy would allow it, at the price of waiting for the device),
and AttributeError for what cupy lacks. ``installed()`` makes it the module that ``engine/arrays/backend.py`` finds.
It says nothing about speed, rounding, streams, or kernels that only a GPU can compile.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..support.tables import rows

DEVICES = 2
IMPLICIT = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)
CUPY: dict[str, dict[str, Any]] = {}
"""What cupy has, recorded from it: parameters of functions, loops of ufuncs."""
for _module, _name, _value in rows("cupy"):
    CUPY.setdefault(_module, {})[_name] = _value
HOST = frozenset(
    "dtype result_type promote_types can_cast finfo iinfo issubdtype isscalar shape ndim size broadcast_shapes "
    "min_scalar_type iscomplexobj isrealobj common_type".split()
)
"""Functions whose results are Python's, not the device's."""
UNSAID = frozenset("dump dumps tofile toDlpack scatter_add scatter_max scatter_min set get item tolist tobytes".split())
METHODS = frozenset(CUPY["cupy.ndarray"]) - UNSAID
"""Methods of cupy's arrays that do what numpy's of the same name do."""


class HostRead(Exception):
    """A value of the device was read on the host without saying so."""


class ndarray:
    """An array that lies on the device."""

    __module__ = "cupy"
    __slots__ = ("_held", "_index", "_owner", "__weakref__")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"
    ) -> None:
        """An array on memory that is there, as cupy makes it."""
        self._owner = None
        if memptr is None:
            self._held, self._index = np.empty(shape, dtype, order), current[0]
            return
        root, offset, self._index = memptr.root, memptr.offset, memptr.index
        self._held = np.ndarray(shape, dtype, root, offset, strides)

    # What can be seen without reading a value.
    dtype = property(lambda self: self._held.dtype)
    ndim = property(lambda self: self._held.ndim)
    size = property(lambda self: self._held.size)
    strides = property(lambda self: self._held.strides)
    nbytes = property(lambda self: self._held.nbytes)
    itemsize = property(lambda self: self._held.itemsize)
    flags = property(lambda self: self._held.flags)
    _c_contiguous = property(lambda self: self._held.flags.c_contiguous)
    device = property(lambda self: Device(self._index))
    data = property(lambda self: MemoryPointer(self._held, self._index))
    T = property(lambda self: on_device(self._held.T, self._index))

    @property
    def shape(self) -> tuple:
        return self._held.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._held.shape = shape

    @property
    def base(self) -> Any:
        """The array whose memory this one shows."""
        if self._owner is None and self._held.base is not None:
            self._owner = on_device(self._held.base, self._index)
        return self._owner

    @property
    def real(self) -> ndarray:
        return on_device(self._held.real, self._index)

    @real.setter
    def real(self, value: Any) -> None:
        self._held.real = bare(value)

    @property
    def imag(self) -> ndarray:
        return on_device(self._held.imag, self._index)

    @imag.setter
    def imag(self, value: Any) -> None:
        self._held.imag = bare(value)

    @property
    def __cuda_array_interface__(self) -> dict:
        return self._held.__array_interface__

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self._index

    def __dlpack__(self, **_: Any) -> Any:
        return self

    # Reading on purpose.
    def get(self, *_: Any, **__: Any) -> np.ndarray:
        reads[0] += 1
        return np.array(self._held)

    def item(self, *at: int) -> Any:
        reads[0] += 1
        return self._held.item(*at)

    def tolist(self) -> Any:
        reads[0] += 1
        return self._held.tolist()

    def tobytes(self, *order: str) -> bytes:
        return self._held.tobytes(*order)

    # Reading by accident.
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(IMPLICIT)

    def __index__(self) -> int:
        raise TypeError("'cupy.ndarray' object cannot be interpreted as an integer")

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator:
        return (self[i] for i in range(len(self._held)))

    # numpy's functions and ufuncs, given a device array, are the device's.
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if type(CUPY["cupy"].get(ufunc.__name__)) is not str:
            return NotImplemented
        if method != "__call__":
            raise TypeError(f"numpy's {ufunc.__name__}.{method} does not take arrays of the device")
        if out is not None:
            (options["out"],) = out
        return Ufunc(ufunc)(*inputs, **options)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        space: Any = module
        for part in function.__module__.split(".")[1:]:
            space = getattr(space, part, None)
        found = getattr(space, function.__name__, None)
        return NotImplemented if found is None else found(*args, **kwargs)

    def __getitem__(self, key: Any) -> ndarray:
        found = self._held[index(key)]
        if isinstance(found, np.ndarray) and found.base is None:
            check_place([self, *(key if isinstance(key, tuple) else [key])])
            launched.append("indexing")
        return on_device(np.asarray(found) if isinstance(found, np.generic) else found, self._index)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        check_place([self, value, *(key if isinstance(key, tuple) else [key])])
        launched.append("assignment")
        # cupy does take numpy arrays without dimensions here.
        self._held[index(key)] = unsigned(value if isinstance(value, np.ndarray) else bare(value), self.dtype)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> ndarray:
        return run(np.ndarray.astype, on_device(unsigned(self._held, dtype), self._index), dtype, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        return functools.partial(run, getattr(np.ndarray, name), self)

    def set(self, array: np.ndarray, stream: Any = None) -> None:
        assert type(array) is np.ndarray and array.dtype == self.dtype and array.shape == self.shape
        self._held[...] = array

    def copy(self, order: str = "C") -> ndarray:
        """A copy on the current device, wherever the array lies."""
        if self._index != current[0] and not self.flags.c_contiguous:
            raise NotImplementedError("CuPy cannot copy non-contiguous array between devices.")
        launched.append("copy")
        return on_device(self._held.copy(order))

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> ndarray:
        return self.copy()


def unsigned(values: Any, dtype: Any) -> Any:
    """Numbers as a GPU makes unsigned integers of them: negative floats become zero, where numpy's wrap around."""
    if np.dtype(dtype).kind != "u" or not isinstance(values, np.ndarray) or values.dtype.kind not in "fV":
        return values
    return np.where(values < 0, values.dtype.type(0), values)


def on_device(held: Any, number: int | None = None) -> ndarray:
    """The device's array that holds one of numpy's."""
    made = object.__new__(ndarray)
    made._held, made._index, made._owner = held, current[0] if number is None else number, None
    if held.base is None:
        owners[id(held)] = made
    else:
        root = held.base
        while isinstance(root, np.ndarray) and root.base is not None:
            root = root.base
        made._owner = owners.get(id(root))
    return made


owners: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
"""The arrays of the device by the identity of what they hold, where they own it."""


class MemoryPointer:
    """Where an array's elements begin in the memory that it lies in."""

    def __init__(self, held: Any, number: int, offset: int = 0) -> None:
        root = held
        while isinstance(root.base, np.ndarray):
            root = root.base
        self.ptr = held.__array_interface__["data"][0] + offset
        self.offset = self.ptr - root.__array_interface__["data"][0]
        self.held, self.index, self.shift = held, number, offset
        if not root.flags.c_contiguous:  # laid out in another order
            root = root.transpose(sorted(range(root.ndim), key=lambda i: -root.strides[i]))
        self.root = root
        self.mem = SimpleNamespace(ptr=root.__array_interface__["data"][0], size=root.nbytes)

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.held, self.index, self.shift + offset)

    def copy_from_device_async(self, source: MemoryPointer, size: int, stream: Any = None) -> None:
        launched.append("copy")
        ctypes.memmove(self.ptr, source.ptr, size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        launched.append("memset")
        ctypes.memset(self.ptr, value, size)


def memory(address: int, count: int, kind: Any) -> np.ndarray:
    """The elements at an address."""
    if not address or not count:
        return np.zeros(0, kind)
    held = (ctypes.c_byte * (count * np.dtype(kind).itemsize)).from_address(address)
    return np.frombuffer(held, np.uint8).view(kind)


def _symbol(name: str, inplace: bool = False) -> None:
    function = getattr(np.ndarray, name)

    def method(self: ndarray, *others: Any) -> Any:
        if inplace:
            check_place([self, *others])
            launched.append(name)
            function(self._held, *[operand(o) for o in others])
            return self
        return run(function, self, *[o if isinstance(o, ndarray) else operand(o) for o in others])

    method.__name__ = name
    setattr(ndarray, name, method)


for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    _symbol(f"__{_name}__")
    _symbol(f"__r{_name}__")
    _symbol(f"__i{_name}__", True)
for _name in "divmod rdivmod neg pos abs invert eq ne lt le gt ge".split():
    _symbol(f"__{_name}__")


def _reader(name: str) -> None:
    def method(self: ndarray, *others: Any) -> Any:
        if not lenient[0]:
            raise HostRead("a value of the device is read on the host")
        return getattr(self._held, name)(*others)

    method.__name__ = name
    setattr(ndarray, name, method)


for _name in "bool int float complex format repr str contains".split():
    _reader(f"__{_name}__")

current = [0]
lenient = [False]
reads = [0]
"""How often values were read on the host."""
launched: list[str] = []
"""What a GPU would have been given to do: the functions and kernels that make new values, in order."""


class Device:
    """A device by its number; as a context, the current one."""

    def __init__(self, number: int | None = None) -> None:
        self.id = current[0] if number is None else int(number)

    def __enter__(self) -> Device:
        self.before, current[0] = current[0], self.id
        return self

    def __exit__(self, *exception: object) -> None:
        current[0] = self.before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return self.id

    def use(self) -> None:
        current[0] = self.id

    def synchronize(self) -> None:
        pass


def operand(x: Any) -> Any:
    """An operand of a ufunc as numpy's; TypeError for what cupy does not take."""
    if isinstance(x, ndarray):
        return x._held
    if x is None or isinstance(x, (bool, int, float, complex, np.generic)):
        return x
    raise TypeError(f"Unsupported type {type(x)}")


def bare(x: Any) -> Any:
    """An argument of a function with numpy's arrays for the device's; TypeError for numpy's own."""
    if isinstance(x, ndarray):
        return x._held
    if isinstance(x, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(x, (list, tuple)):
        return type(x)(map(bare, x)) if type(x) in (list, tuple) else x
    return x


def index(key: Any) -> Any:
    """A subscript: the device's arrays, lists of integers and numpy's integers are taken."""
    if isinstance(key, tuple):
        return tuple(map(index, key))
    return key._held if isinstance(key, ndarray) else key


def devices_of(values: Any) -> Iterator[int]:
    for v in values:
        if isinstance(v, ndarray):
            yield v._index
        elif type(v) in (list, tuple):
            yield from devices_of(v)


def held(result: Any, number: int) -> Any:
    """A result as the device's."""
    if isinstance(result, (np.ndarray, np.generic)):
        return on_device(np.asarray(result), number)
    if isinstance(result, (list, tuple)):
        many = [held(r, number) for r in result]
        return type(result)(*many) if hasattr(result, "_fields") else type(result)(many)
    return result


def of_halves(function: Any, args: list) -> bool:
    """Whether a GPU adds up halves here, which it does in single precision."""
    name = getattr(function, "__name__", "").strip("_").removeprefix("r")
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    return (
        name in ("dot", "matmul", "sum", "mean", "educe")
        and bool(arrays)
        and all(a.dtype == np.float16 for a in arrays)
    )


FOLDS = frozenset("sum prod max min amax amin argmax argmin all any count_nonzero ptp cumsum cumprod reduce".split())


def check_axis(function: Any, args: tuple, kwargs: dict) -> None:
    """AxisError where an axis of an array without dimensions is named: numpy allows it, cupy does not."""
    name = getattr(function, "__name__", "").removeprefix("nan")
    if name in FOLDS and args and isinstance(args[0], ndarray) and not args[0].ndim:
        axis = kwargs.get("axis", args[1] if len(args) > 1 else 0 if name == "reduce" else None)
        if isinstance(axis, int) or axis:
            raise np.exceptions.AxisError(axis if isinstance(axis, int) else axis[0], 0)


def run(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A numpy function on what the device's arrays hold."""
    check_axis(function, args, kwargs)
    out = kwargs.get("out")
    with np.errstate(all="ignore"):
        given = [bare(a) for a in args]
        if of_halves(function, given):
            wide = [g.astype(np.float32) if isinstance(g, np.ndarray) else g for g in given]
            result = np.asarray(
                function(*wide, **{k: bare(v) for k, v in kwargs.items()}), kwargs.get("dtype") or np.float16
            )
        else:
            result = function(*given, **{k: bare(v) for k, v in kwargs.items()})
    place = current[0]
    if shows(result, given):
        place = next(devices_of(args))
    elif not getattr(function, "__name__", "").endswith("_like"):
        check_place([*args, *kwargs.values()])
    if computes(result, given) and not getattr(function, "__name__", "").startswith("empty"):
        launched.append(getattr(function, "__name__", str(function)))
    if isinstance(out, ndarray):
        return out
    return held(result, place)


def check_place(values: Any) -> None:
    """Refuse arrays that do not lie on the current device: cupy computes there, and warns, or refuses too."""
    for number in devices_of(values):
        if number != current[0]:
            raise ValueError(
                f"The device where the array resides ({number}) is different from the current device ({current[0]})."
            )


def shows(result: Any, given: list) -> bool:
    """Whether a result is memory of what was given: one of the arrays, or a view."""
    if isinstance(result, (list, tuple)):
        return any(shows(r, given) for r in result)
    arrays = [g for one in given for g in (one if isinstance(one, (list, tuple)) else [one])]
    return isinstance(result, np.ndarray) and any(root(result) is root(g) for g in arrays if isinstance(g, np.ndarray))


def root(array: Any) -> Any:
    """What owns an array's memory."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def computes(result: Any, given: list) -> bool:
    """Whether a result is no view of what was given."""
    if isinstance(result, (list, tuple)):
        return any(computes(r, given) for r in result)
    if not isinstance(result, (np.ndarray, np.generic)) or not result.size:
        return False
    if isinstance(result, np.generic):
        return True
    sources = [
        g for one in given for g in (one if isinstance(one, (list, tuple)) else [one]) if isinstance(g, np.ndarray)
    ]
    return not any(result is g or np.may_share_memory(result, g) and result.base is not None for g in sources)


class Ufunc:
    """An elementwise function of the device: it takes its arrays and numbers, no lists and no numpy arrays."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc, self.__name__ = ufunc, ufunc.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for a in args:
            operand(a)
        if not self.takes(args[: self.ufunc.nin]):
            raise TypeError(f"Wrong type of arguments for {self.__name__}")
        return run(self.ufunc, *args, **kwargs)

    def takes(self, args: tuple) -> bool:
        """Whether cupy has a loop for such operands."""
        loops = CUPY["cupy"].get(self.__name__)
        kinds = [a.dtype for a in args if isinstance(a, (ndarray, np.generic))]
        if type(loops) is not str or not kinds or any(k.kind == "V" for k in kinds):
            return True
        wanted = np.result_type(*kinds)
        return any(np.can_cast(wanted, n) for loop in loops.split() if (n := loop[0]) != "E")

    def _method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return run(getattr(self.ufunc, name), *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        has = {
            "reduce": "add multiply",
            "accumulate": "add multiply",
            "reduceat": "add",
            "outer": "add subtract multiply divide",
            "at": "add subtract maximum minimum bitwise_and bitwise_or bitwise_xor",
        }
        if self.__name__ not in has.get(name, "").split():
            raise AttributeError(f"cupy.{self.__name__} has no attribute {name!r}")
        return functools.partial(self._method, name)


def array(obj: Any, dtype: Any = None, copy: bool = True, **options: Any) -> ndarray:
    """The way onto the device: numpy's arrays, numbers and nested lists are taken."""
    if isinstance(obj, ndarray):
        with np.errstate(all="ignore"):
            return on_device(np.array(obj._held, dtype=dtype, copy=True if copy else None, **options))
    if isinstance(obj, (list, tuple)):
        obj = bare(obj)
    return on_device(np.array(obj, dtype=dtype, **options))


def asarray(a: Any, dtype: Any = None, **options: Any) -> ndarray:
    if isinstance(a, ndarray) and a._index == current[0]:
        return a if dtype is None or a.dtype == dtype else array(a, dtype)
    return a.copy() if isinstance(a, ndarray) else array(a, dtype)


class Space(ModuleType):
    """A module of the device's functions, made of numpy's of the same names: those that cupy's module has."""

    def __init__(self, name: str, source: Any) -> None:
        super().__init__(name)
        self.__dict__.update(_source=source, _known=CUPY.get(name, {}))

    def __getattr__(self, name: str) -> Any:
        inner = f"{self.__name__}.{name}"
        inside = any(k.startswith(inner + ".") for k in CUPY)
        if name.startswith("_") or name not in self._known and inner not in CUPY and not inside:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(self._source, name)
        if inner in CUPY:
            found = Space(inner, found)
        elif inside:
            found = Space(inner, found)
        elif isinstance(found, np.ufunc):
            found = Ufunc(found)
        elif name in HOST:
            host = found
            found = host if isinstance(host, type) else lambda *a, **k: host(*map(bare, a), **k)
        elif callable(found) and not isinstance(found, type):
            found = functools.partial(call, inner, self._known[name], found)
        self.__dict__[name] = found
        return found


def call(name: str, parameters: list | None, function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of cupy's: TypeError for arguments that numpy's takes and cupy's does not."""
    if parameters is not None:
        if len(args) > len(parameters):
            raise TypeError(f"cupy's {name}() takes {len(parameters)} positional arguments but {len(args)} were given")
        for keyword in kwargs:
            if keyword not in parameters:
                raise TypeError(f"cupy's {name}() got an unexpected keyword argument '{keyword}'")
    if kwargs.get("subok") is not None:
        raise TypeError("subok is not supported yet")
    return run(function, *args, **kwargs)


class Pool:
    """The memory pool, which has nothing."""

    def malloc(self, size: int) -> Any:
        raise NotImplementedError

    def used_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0

    def free_all_blocks(self) -> None:
        pass

    def set_limit(self, size: Any = None, fraction: Any = None) -> None:
        pass


class Event:
    """A moment; all work is always done."""

    done = True

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        pass

        self.device_id = current[0]

    def record(self, stream: Any = None) -> None:
        stream = current_stream() if stream is None else stream
        assert self.device_id == stream.here(), "an event of another device than the stream's"

    def synchronize(self) -> None:
        pass


class Graph:
    """What was captured; the stand-in computes at once, so a launch does nothing."""

    launches = 0

    def launch(self, stream: Any) -> None:
        assert isinstance(stream, Stream)
        Graph.launches += 1


class Stream:
    done = True
    count = 0
    using: list = [[] for _ in range(DEVICES)]
    capturing: set[int] = set()

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: Any = None
    ) -> None:
        Stream.count += 1
        self.ptr, self.device_id = (0, -1) if null else (1000 + Stream.count, current[0])

    def begin_capture(self, mode: int) -> None:
        assert mode == 2 and self.ptr and not self.is_capturing()
        Stream.capturing.add(self.ptr)

    def end_capture(self) -> Graph:
        Stream.capturing.remove(self.ptr)
        return Graph()

    def is_capturing(self) -> bool:
        return self.ptr in Stream.capturing

    def here(self) -> int:
        """The device: of the null stream, the current one."""
        return current[0] if self.device_id < 0 else self.device_id

    def synchronize(self) -> None:
        pass

    def wait_event(self, event: Event) -> None:
        assert isinstance(event, Event)

    def use(self) -> None:
        if self.here() != current[0]:
            raise RuntimeError(
                f"The device that the stream is created on ({self.device_id}) does not match with the current device "
                f"({current[0]})"
            )
        Stream.using[current[0]].append(self)

    def __enter__(self) -> Stream:
        self.use()
        return self

    def __exit__(self, *exception: object) -> None:
        assert Stream.using[current[0]].pop() is self, "left while another device is current"


Stream.null = Stream(null=True)  # type: ignore[attr-defined]


def current_stream(number: int = -1) -> Stream:
    using = Stream.using[current[0] if number < 0 else number]
    return using[-1] if using else Stream.null  # type: ignore[attr-defined]


class PinnedMemoryPointer(bytearray):
    pass


class MemoryHook:
    def __enter__(self) -> None:
        pass


def _properties(number: int) -> dict:
    return {
        "name": b"stand-in",
        "major": 9,
        "minor": 0,
        "totalGlobalMem": 1 << 30,
        "multiProcessorCount": 4,
        "maxThreadsPerMultiProcessor": 2048,
    }


told: list = []
"""What was said to the profiler, and how matrix products are to be computed."""
module: Any = Space("cupy", np)
module._core = SimpleNamespace(set_compute_type=lambda dtype, kind: told.append((dtype.name, kind)))
module.ndarray, module.array, module.asarray, module.asanyarray = ndarray, array, asarray, asarray
module.from_dlpack = lambda other: on_device(other.__dlpack__()._held, other.__dlpack_device__()[1])
module.asnumpy = lambda a, *_, **__: a.get() if isinstance(a, ndarray) else np.asarray(a)
module.ufunc = Ufunc
module.__path__ = []
module.get_default_memory_pool = Pool
module.cuda = SimpleNamespace(
    memory=SimpleNamespace(),
    MemoryPool=Pool,
    set_allocator=lambda allocator: None,
    using_allocator=lambda allocator: nullcontext(),
    Device=Device,
    Event=Event,
    Stream=Stream,
    MemoryHook=MemoryHook,
    alloc_pinned_memory=PinnedMemoryPointer,
    get_current_stream=current_stream,
    get_elapsed_time=lambda a, b: 0.0,
    nvtx=SimpleNamespace(
        RangePush=lambda message: told.append(message),
        RangePop=lambda: told.append("pop"),
        Mark=lambda message: told.append(message),
    ),
    runtime=SimpleNamespace(
        getDeviceCount=lambda: DEVICES,
        getDevice=lambda: current[0],
        setDevice=lambda number: current.__setitem__(0, number),
        deviceSynchronize=lambda: None,
        streamCaptureModeRelaxed=2,
        deviceCanAccessPeer=lambda a, b: 1,
        getDeviceProperties=_properties,
        memGetInfo=lambda: (1 << 29, 1 << 30),
    ),
)


@contextmanager
def installed(reads: bool = False) -> Iterator[Any]:
    """Within, ``import cupy`` gives the stand-in, and the engine has two CUDA devices. `reads`: as cupy, allow host reads."""
    import scipy.linalg
    import scipy.special

    from tensorsh.engine.arrays import backend, bounds, cupy_module, door
    from tensorsh.engine.arrays import device_guard as current_device
    from tensorsh.engine.arrays.state import settle_all

    from . import emulation

    current_device.several = False
    bounds._open.clear()
    bounds._flagged.clear()
    module.ElementwiseKernel, module.ReductionKernel = emulation.ElementwiseKernel, emulation.ReductionKernel
    module.RawKernel = emulation.RawKernel
    scipy_like, extras = ModuleType("cupyx.scipy"), ModuleType("cupyx")
    extras.errstate = lambda **settings: nullcontext()  # type: ignore[attr-defined]
    linalg = SimpleNamespace(COMPUTE_TYPE_TF32="tf32", COMPUTE_TYPE_DEFAULT="default")
    core = ModuleType("cupy._core")
    core._routines_linalg = linalg  # type: ignore[attr-defined]
    names = {
        "cupy._core": core,
        "cupy": module, "cupyx": extras, "cupyx.scipy": scipy_like,
        "cupyx.scipy.special": Space("cupyx.scipy.special", scipy.special),
        "cupyx.scipy.linalg": Space("cupyx.scipy.linalg", scipy.linalg),
    }  # fmt: skip
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    backend.cupy.cache_clear()
    current[0], lenient[0] = 0, reads
    try:
        yield module
    finally:
        for name, held_before in before.items():
            if held_before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = held_before
        backend.cupy.cache_clear()
        backend._ready.clear()
        lenient[0] = False
        cupy_module.array_class = None
        current_device.several = False
        door.lasting.discard("devices")
        settle_all()


@contextmanager
def as_it_is(reads: bool = False) -> Iterator[Any]:
    """In place of `installed`: whatever cupy there is, on whatever GPU."""
    import cupy

    yield cupy


def refuse_hosting(monkeypatch: Any) -> None:
    """Let nothing be computed on the CPU in place of the device."""
    from tensorsh.engine.operators import placement

    def refuse(kernel: Any) -> Any:
        raise AssertionError(f"{kernel} was run on the CPU")

    monkeypatch.setattr(placement, "on_host", refuse)
