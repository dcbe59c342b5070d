"""What one process sends to another, as bytes: plain data, tensors by the memory they share, objects of the program.

Python's pickle does the work for exact containers and numbers alone. Everything else is written and read by rules of this file, so that
an object of a program brings no function to be called, and no name of the library to be filled with its state.
"""

from __future__ import annotations

import enum
import io
import pickle
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ...engine.arrays.device import device
from ...engine.arrays.dtype import BY_NAME, dtype
from ...engine.arrays.extents import address, extent, in_bytes, owner, strided
from ...engine.graph.fields import wrap
from ...engine.loading.table import find_function
from ...engine.operators.hooks import stay
from ...engine.tensors.resizing import hold
from ...engine.tensors.segments import kept_alone, mapped, segment_of, told_as_shared
from ...engine.tensors.shape import Size
from ...engine.tensors.sharing import can_be_sent, copied, share
from ...engine.tensors.tensor import Tensor
from ...sandbox.classes import checked_state, is_script_class
from ...sandbox.copying import another
from ...sandbox.sealed import acts_for_program
from ..nn.parameter import Parameter
from ..objects import Names, written
from ..pickled import Call, Global, Object
from .inherited import Inherited, found

LEAST = 1 << 12
"""Bytes of memory from which on it is sent as a segment; less goes with the message, where nobody goes on sharing it."""
COWARDLY = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing process "
    "boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it on "
    "the queue)."
)
CONTAINERS = (OrderedDict, defaultdict, deque, Counter, complex, range, slice)


class Packer(pickle.Pickler):
    """Writes one value; collects the descriptors of the memory it names."""

    def __init__(self, file: Any, own: bool, lends: bool) -> None:
        super().__init__(file, 5)
        self.lends = lends
        """Whether tensors are shared with whoever gets them; else that one has their memory alone."""
        self.fds: list[int] = []
        self.kept: list[Any] = []
        self.known: dict[int, int] = {}
        self.copies: dict[int, tuple[Any, Any]] = {}
        self.own = own
        """Whether a program sends: else Python's own rules hold for what is not ours."""

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, Tensor):
            return self.tensor(value)
        if kind is np.ndarray or isinstance(value, np.generic):
            return self.array(value)
        if kind is dtype:
            return _dtype, (value.name,)
        if kind is device:
            return _device, (str(value),)
        if kind is Size:
            return _size, (tuple(value),)
        if isinstance(value, Inherited):
            return _inherited, (value._number,)
        if not self.own or kind in CONTAINERS or kind is FunctionType and RULES.get(value.__name__) is value:
            return NotImplemented
        if kind is type or isinstance(value, type):
            return self.type(value)
        if isinstance(value, BaseException):
            return _exception, (kind, value.args), _state(value) or None, None, None, _set_state
        return self.object(value)

    def memory(self, root: Any) -> int:
        """The number among the descriptors of a segment's."""
        number = self.known.get(id(root))
        if number is None:
            segment: Any = segment_of(root)
            number = self.known[id(root)] = len(self.fds)
            self.fds.append(segment.fd)
            self.kept.append(root)
        return number

    def tensor(self, t: Tensor) -> Any:
        if t.requires_grad and not t.is_leaf:
            raise RuntimeError(COWARDLY)
        array: Any = t._array
        kind = Parameter if isinstance(t, Parameter) else Tensor
        if hasattr(array, "layout") and type(array.values) is np.ndarray:
            parts = tuple([wrap(getattr(array, name)) for name in (*array.PARTS, "values")])
            form = (str(array.layout)[6:], array.shape, getattr(array, "coalesced", None))
            return _sparse, (kind.__name__, parts, *form, t.requires_grad)
        if t.is_meta:
            return _meta, (kind.__name__, tuple(t.shape), tuple(t.stride()), t.dtype.name, t.requires_grad)
        if type(array) is not np.ndarray:
            raise TypeError(
                f"a tensor on {t.device} in layout {t.layout} cannot be sent to another process; send t.cpu()"
            )
        if t.dtype.name not in BY_NAME:
            raise TypeError(f"a tensor of {t.dtype} cannot be sent to another process; send t.dequantize()")
        if not array.size:
            return _tensor, (
                kind.__name__,
                (None, 0, array.shape, array.strides, 0, t.dtype.name, True),
                t.requires_grad,
            )
        return _tensor, (kind.__name__, self.place(t, self.lends), t.requires_grad)

    def place(self, t: Tensor, lends: bool) -> tuple:
        """Where a tensor lies in the segment that it is sent in."""
        root: Any = owner(t._array)
        start = extent(root)[0]
        alone = not lends and not can_be_sent(root)
        if alone:
            if id(root) not in self.copies:
                self.copies[id(root)] = root, in_bytes(root).copy() if root.nbytes < LEAST else kept_alone(copied(root))
            memory = self.copies[id(root)][1]
        else:
            stay("memory")
            memory = share(t)
            start = address(memory)
        array: Any = t._array
        offset = address(array) - start
        where = memory if alone and segment_of(memory) is None else self.memory(memory)
        return where, memory.nbytes, array.shape, array.strides, offset, t.dtype.name, alone

    def array(self, value: Any) -> Any:
        form = value.dtype
        if form.hasobject:
            raise TypeError("an array of Python objects cannot be sent to another process; send a list")
        order = form.descr if form.names else form.str
        if value.nbytes < LEAST or isinstance(value, np.generic):
            return _array, (None, order, value.shape, value.tobytes(), isinstance(value, np.generic))
        place = self.place(wrap(np.ascontiguousarray(value).reshape(-1).view(np.uint8)), False)
        return _array, (place, order, value.shape, None, False)

    def type(self, value: Any) -> Any:
        if value.__module__ == "builtins" and getattr(sys.modules["builtins"], value.__name__, None) is value:
            return _builtin, (value.__name__,)
        if value in CONTAINERS:
            return NotImplemented
        name = written(value)
        if isinstance(name, Global):
            return _global, (name.module, name.name)
        raise pickle.PicklingError(f"cannot pickle {value.__qualname__!r} object")

    def object(self, value: Any) -> Any:
        kind = type(value)
        if is_script_class(kind) and not isinstance(value, (enum.Enum, tuple)):
            if isinstance(value, (dict, list, set, str, int, float)):
                raise TypeError(f"cannot pickle {kind.__name__!r} object")
            return _object, (kind, ()), _state(value), None, None, _fill
        form = written(value)
        if form is None:
            if callable(value) and getattr(sys.modules["builtins"], getattr(value, "__name__", ""), None) is value:
                return _builtin, (value.__name__,)
            raise TypeError(f"cannot pickle {kind.__name__!r} object")
        if isinstance(form, Object):
            return _object, (kind, form.arguments), form.state, None, None, _fill
        if isinstance(form, Call):
            return _called, (kind, form.arguments)
        return _global, (form.module, form.name)


def _state(value: Any) -> dict[str, Any] | None:
    """What an object holds: what its class says, or its attributes."""
    own = type(value).__dict__.get("__getstate__")
    if own is not None and is_script_class(type(value)):
        return {"__state__": own(value)}
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ()) if is_script_class(base) else ()
        for name in [slots] if isinstance(slots, str) else slots:
            if hasattr(value, name):
                found[name] = getattr(value, name)
    return found or None


def _fill(target: Any, state: Any) -> None:
    if state is None:
        return
    if set(state) == {"__state__"}:
        own = getattr(type(target), "__setstate__", None)
        state = state["__state__"]
        if own is not None:
            own(target, state)
            return
    if not _names().fill(target, state):
        for name, value in checked_state(target, state).items():  # it has slots
            setattr(target, name, value)


def _set_state(target: Any, state: dict[str, Any]) -> None:
    target.__dict__.update(checked_state(target, state))


def _names() -> Names:
    return Names({}, None)


def _object(kind: Any, arguments: tuple) -> Any:
    return _names().make(kind, arguments)


def _called(kind: Any, arguments: tuple) -> Any:
    if not _names().callable(kind):
        raise pickle.UnpicklingError("Trying to call what is no allowed function")
    return kind(*arguments)


def _global(module: str, name: str) -> Any:
    found = _names().get((module, name))
    if found is None:
        raise AttributeError(f"Can't get attribute {name!r} on <module {module!r}>")
    return found


def _builtin(name: str) -> Any:
    found = getattr(sys.modules["builtins"], name)
    if not isinstance(found, type) and name not in {
        "len",
        "abs",
        "sum",
        "min",
        "max",
        "sorted",
        "round",
        "pow",
        "repr",
    }:
        raise pickle.PicklingError(f"cannot pickle {name!r} object")
    return found


def _exception(kind: Any, arguments: tuple) -> Any:
    made = another(kind, *arguments)
    made.args = arguments
    return made


def _dtype(name: str) -> Any:
    return BY_NAME[name]


def _device(text: str) -> Any:
    return device(text)


def _inherited(number: int) -> Any:
    return found(number)


def _size(sizes: tuple) -> Any:
    return Size(sizes)


_memory: list[Any] = []
"""The segments of the message that is being read."""


def _placed(place: tuple) -> Any:
    """The array of a tensor in its segment."""
    number, nbytes, shape, strides, offset, name, alone = place
    form = BY_NAME[name].numpy
    if number is None:
        return np.zeros(shape, form)  # without elements, if the message is no lie
    if isinstance(number, np.ndarray):
        memory = hold(told_as_shared(number))
    else:
        memory = _memory[number](nbytes)
    if alone:
        kept_alone(memory)
    else:
        stay("memory")
    return strided(memory, shape, strides, offset, form)


def _tensor(kind: str, place: tuple, requires_grad: bool) -> Any:
    made = wrap(_placed(place))
    if kind == "Parameter":
        return Parameter(made, requires_grad)
    return made.requires_grad_() if requires_grad else made


def _sparse(kind: str, parts: tuple, layout: str, shape: tuple, coalesced: bool | None, requires_grad: bool) -> Any:
    options: dict = {"check_invariants": True} if coalesced is None else {"is_coalesced": coalesced}
    made = find_function(layout + "_tensor")(*parts, shape, **options)
    if kind == "Parameter":
        return Parameter(made, requires_grad)
    return made.requires_grad_() if requires_grad else made


def _meta(kind: str, shape: tuple, strides: tuple, name: str, requires_grad: bool) -> Any:
    made = find_function("empty_strided")(shape, strides, dtype=BY_NAME[name], device="meta")
    if kind == "Parameter":
        return Parameter(made, requires_grad)
    return made.requires_grad_() if requires_grad else made


def _array(place: Any, order: Any, shape: tuple, data: bytes | None, scalar: bool) -> Any:
    form = np.dtype([tuple(each) for each in order] if isinstance(order, list) else order)
    if place is not None:
        return _placed(place).view(form).reshape(shape)
    made = np.frombuffer(data, form).reshape(shape) if data else np.zeros(shape, form)  # type: ignore[arg-type]
    return made[()] if scalar else made.copy()


RULES: dict[str, Callable] = {
    f.__name__: f
    for f in (
        _tensor, _sparse, _meta, _array, _dtype, _device, _inherited, _size, _object, _called, _global, _builtin,
        _exception, _fill, _set_state,
    )
}  # fmt: skip
ALLOWED = {("collections", kind.__name__): kind for kind in CONTAINERS[:4]} | {
    ("builtins", name): getattr(sys.modules["builtins"], name)
    for name in ("complex", "range", "slice", "set", "frozenset", "bytearray")
}


class Unpacker(pickle.Unpickler):
    """Reads one value. Names mean the rules of this file, and in plain Python whatever Python finds."""

    own = True

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__:
            return RULES[name]
        found = ALLOWED.get((module, name))
        if found is None and self.own:
            raise pickle.UnpicklingError(f"{module}.{name} is nothing that processes send")
        return super().find_class(module, name) if found is None else found


def by_program() -> bool:
    """Whether a program of tensorsh's sends or gets; plain Python has all the rights of Python."""
    return acts_for_program(sys._getframe(1))


def packed(value: Any, lends: bool = True) -> tuple[bytes, list[int], list[Any]]:
    """A value as bytes, the descriptors of the memory that they name, and what holds it meanwhile. lends: whether the tensors in
    it are shared from now on; else whoever gets them has copies."""
    file = io.BytesIO()
    packer = Packer(file, by_program(), lends)
    packer.dump(value)
    return file.getvalue(), packer.fds, packer.kept


def unpacked(data: Any, fds: list[int], keep: bool = True) -> Any:
    """The value of bytes and descriptors. The segments can be sent on if the descriptors are kept."""
    global _memory
    made: dict[int, Any] = {}

    def opened(number: int) -> Callable[[int], Any]:
        def open_(nbytes: int) -> Any:
            if number not in made:
                made[number] = hold(mapped(fds[number], nbytes, keep))
            return made[number]

        return open_

    before, _memory = _memory, [opened(number) for number in range(len(fds))]
    try:
        reader = Unpacker(io.BytesIO(data))
        reader.own = by_program()
        return reader.load()
    finally:
        _memory = before
        import os

        for number, fd in enumerate(fds):
            if number not in made:
                os.close(fd)
