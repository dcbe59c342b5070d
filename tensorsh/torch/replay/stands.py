"""What stands for tensors, functions and modules while a function is recorded: each tells the recording what it meets.

A stand-in has a tensor of the call under way, and answers what shapes and dtypes decide. Whatever asks for elements (`bool`, `item`,
`print`) or hashes is refused, and so the function is left as it is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...engine.arrays.extents import owner
from ...engine.tensors.tensor import Tensor
from . import library
from .errors import BRANCH
from .names import FACTS, METHODS, OPERATORS, OVER, SIZES, VIEWS
from .objects import Effect, Number
from .reading import Refused, plain
from .slots import Slot

if TYPE_CHECKING:
    from .recording import Recording


class StandIn:
    """What stands for a tensor while a function is recorded."""

    __slots__ = ("__weakref__", "_base", "_number", "_path", "_recording", "_tensor")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recording: Recording, tensor: Any, number: int) -> None:
        self._recording, self._tensor, self._number = recording, tensor, number
        self._base: StandIn | None = None
        """What stands for the tensor of which this is a view, and the calls that lead to the view."""
        self._path: tuple = ()

    def __getattr__(self, name: str) -> Any:
        if name == "_node":
            return None
        if name in FACTS:
            return getattr(self._tensor, name)
        if name in VIEWS:
            return self._recording.call(name, READERS[name], (self,), {})
        if name in ("item", "tolist"):
            return Asked(self._recording, name, self)
        if name == "backward":
            return Effect(self._recording, name, Backward(self))
        if name in OVER:
            return partial(self._recording.write_part, self, name)
        if name[-1:] == "_" and name[:-1] in METHODS and hasattr(Tensor, name):
            return Writing(self._recording, name[:-1], getattr(Tensor, name[:-1]), (self,))
        function = getattr(Tensor, name, None) if name in METHODS or name in SIZES else None
        if function is None:
            raise self._recording.refused()
        if name in SIZES:
            return Asking(self._recording, function, self._tensor)
        return Calling(self._recording, name, function, (self,))

    def __rtruediv__(self, other: Any) -> Any:
        if type(other) not in (int, float):
            raise self._recording.refused()
        return self.reciprocal() * other  # as the operator has it

    def of_view(self, source: StandIn, step: tuple, at: int | None) -> None:
        """Take for a view of a source what a step made, if it is on its memory; at: as which of its results."""
        if owner(self._tensor._array) is owner(source._tensor._array):
            self._base = source if source._base is None else source._base
            self._path = (*source._path, (step, at))

    def __len__(self) -> int:
        return len(self._tensor)

    def __iter__(self) -> Any:
        return iter(self._recording.call("unbind", Tensor.unbind, (self,), {}))

    def __getitem__(self, key: Any) -> Any:
        return self._recording.call("__getitem__", Tensor.__getitem__, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._recording.write_part(self, "__setitem__", key, value)


def _refusing(self: StandIn, *args: Any) -> Any:
    raise self._recording.refused()


def _operator(name: str) -> Any:
    def answer(self: StandIn, *args: Any) -> Any:
        return self._recording.call(name, getattr(Tensor, name), (self, *args), {})

    return answer


def _inplace(name: str) -> Any:
    def answer(self: StandIn, other: Any) -> Any:
        recording = self._recording
        if self._base is not None:
            return recording.write_part(self, "__i" + name[2:], other)
        made = recording.call(name, getattr(Tensor, name), (self, other), {})
        return recording.write(self, made, getattr(Tensor, "__i" + name[2:]))

    return answer


for _name in OPERATORS:
    setattr(StandIn, _name, _operator(_name))
for _name in "add sub mul truediv pow".split():
    setattr(StandIn, f"__i{_name}__", _inplace(f"__{_name}__"))
for _name in """
    __bool__ __float__ __int__ __index__ __complex__ __str__ __repr__ __format__ __contains__ __delitem__ __reversed__
    __ifloordiv__ __imod__ __imatmul__ __iand__ __ior__ __ixor__ __round__
    __and__ __or__ __xor__ __rand__ __ror__ __rxor__ __invert__ __divmod__ __rdivmod__ __rfloordiv__ __rmod__ __rmatmul__
    __lshift__ __rshift__ __rlshift__ __rrshift__ __ilshift__ __irshift__ __trunc__ __floor__ __ceil__ __array__
""".split():
    setattr(StandIn, _name, _refusing)


def _reader(name: str) -> Any:
    def read(tensor: Any) -> Any:
        return getattr(tensor, name)

    return read


def _branching(self: StandIn) -> Any:
    self._recording.broken = self._recording.broken or BRANCH
    raise self._recording.refused()


StandIn.__bool__ = _branching  # type: ignore[attr-defined]
READERS = {name: _reader(name) for name in VIEWS}
library.STANDS[StandIn] = "_tensor"


class Calling:
    """A function that is recorded when it is called."""

    __slots__ = ("_before", "_function", "_name", "_recording")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recording: Recording, name: str, function: Any, before: tuple = ()) -> None:
        self._recording, self._name, self._function, self._before = recording, name, function, before

    def __eq__(self, other: object) -> bool:
        raise self._recording.refused()

    def __format__(self, how: str) -> str:
        raise self._recording.refused()

    def __repr__(self) -> str:
        raise self._recording.refused()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recording.call(self._name, self._function, (*self._before, *args), kwargs)


class Writing(Calling):
    """A method that writes over its tensor: what the method that does not gives is from then on the tensor."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        stand = self._before[0]
        if stand._base is not None:
            return self._recording.write_part(stand, self._name + "_", *args, **kwargs)
        made = Calling.__call__(self, *args, **kwargs)
        if type(made) is not StandIn or made is stand:
            raise self._recording.refused()
        return self._recording.write(stand, made, getattr(Tensor, self._name + "_"))


class Backward:
    """`backward` of a tensor, as an effect: which tensor's, is known to the recording."""

    __slots__ = ("stand",)

    def __init__(self, stand: StandIn) -> None:
        self.stand = stand


class Asked:
    """A method that gives numbers, which no step of the recording may depend on."""

    __slots__ = ("_name", "_recording", "_stand")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recording: Recording, name: str, stand: StandIn) -> None:
        self._recording, self._name, self._stand = recording, name, stand

    def __call__(self) -> Number:
        self._recording.count += 1
        made = Number(self._recording, self._recording.count - 1)
        self._recording.effect(self._name, getattr(Tensor, self._name), (self._stand,), {}, Slot(made._number))
        return made


class Asking:
    """A method whose answer shapes and dtypes decide."""

    __slots__ = ("_function", "_recording", "_tensor")
    __hash__ = None  # type: ignore[assignment]
    __eq__, __format__, __repr__ = Calling.__eq__, Calling.__format__, Calling.__repr__

    def __init__(self, recording: Recording, function: Any, tensor: Any) -> None:
        self._recording, self._function, self._tensor = recording, function, tensor

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plain((*args, *kwargs.values()))
        return self._function(self._tensor, *args, **kwargs)


class Module:
    """A module's functions, as far as they are recorded."""

    __slots__ = ("_module", "_recording")
    __hash__ = None  # type: ignore[assignment]
    __eq__, __format__, __repr__ = Calling.__eq__, Calling.__format__, Calling.__repr__

    def __init__(self, recording: Recording, module: Any) -> None:
        self._recording, self._module = recording, module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        self._recording.read.append((self._module, name, value))
        return self._recording.present(value)


class Listed(tuple):
    """The elements of a list that a function reads and does not change; they are compared with nothing."""

    __hash__ = None  # type: ignore[assignment]

    def _refusing(self, *_: Any) -> Any:
        raise Refused

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __mul__ = __rmul__ = _refusing
