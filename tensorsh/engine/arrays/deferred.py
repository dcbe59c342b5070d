"""Arrays whose elements are the conjugates, or the negatives, of what lies in memory: views that compute when they are read.

`x.conj()` shares the memory of `x`, and writes go through to it. A `Deferred` holds that memory and what is still to be done
to its elements. Operators meet it at one door, `answer`: those that make views see the memory, and their results are as
deferred as it is; all others see the elements, computed. Where Python asks it passes for an array of numpy, which
reads it by ``__array__``; compiled loops, which look at types, leave it alone."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .dtype import COMPLEX_HALF, as_complex_half
from .extents import address, strided

ndarray = np.ndarray
seen: list[bool] = []
"""Empty as long as a program has made no such array: nobody looks for one then."""
RULES: dict[str, Callable] = {}
"""What the operators that change how an array is read do with a deferred one, by their names."""
SHAPED = frozenset("T mT transpose swapaxes squeeze reshape ravel diagonal".split())
"""What shows the same elements in another order."""


class Deferred(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of numpy that is read as its conjugate, or its negative, or both."""

    __slots__ = ("memory", "is_conj", "is_neg")
    __class__ = property(lambda self: ndarray)  # type: ignore[assignment]
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, memory: Any, conj: bool, neg: bool) -> None:
        self.memory, self.is_conj, self.is_neg = memory, conj, neg

    shape = property(lambda self: self.memory.shape)
    strides = property(lambda self: self.memory.strides)
    dtype = property(lambda self: self.memory.dtype)
    flags = property(lambda self: self.memory.flags)
    ndim = property(lambda self: self.memory.ndim)
    size = property(lambda self: self.memory.size)
    itemsize = property(lambda self: self.memory.itemsize)
    nbytes = property(lambda self: self.memory.nbytes)
    base = property(lambda self: self.memory)
    data = property(lambda self: SimpleNamespace(ptr=address(self.memory)))

    def alike(self, memory: Any) -> Any:
        """Other memory, or several parts of it, as deferred as this."""
        if type(memory) in (tuple, list):
            return [self.alike(each) for each in memory]
        if memory is None or type(memory) is Deferred:
            return memory
        return deferred(np.asarray(memory), self.is_conj, self.is_neg)

    def restrided(self, shape: tuple, strides: tuple, offset: int, dtype: Any) -> Any:
        return self.alike(strided(self.memory, shape, strides, offset, dtype))

    def turned(self, values: Any) -> Any:
        """Elements of memory as they are read, or elements as memory holds them: each is the way back of the other."""
        if self.is_conj:
            values = np.conjugate(values)
            if self.memory.dtype is COMPLEX_HALF:
                values = as_complex_half(values)
        if self.is_neg:
            if self.memory.dtype.kind == "b":
                raise NotImplementedError("\"neg_cpu\" not implemented for 'Bool'")
            values = np.negative(values)
        return values

    def view(self, *dtype: Any) -> Any:
        return self.turned(self.memory).view(*dtype) if dtype else self.alike(self.memory.view())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        found = np.asarray(self.turned(self.memory))
        return found if dtype is None else found.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        (out,) = options.pop("out", (None,))
        if out is not None:
            out[...] = getattr(ufunc, method)(*map(resolved, inputs), **options)
            return out
        return getattr(ufunc, method)(*map(resolved, inputs), **{k: resolved(v) for k, v in options.items()})

    def __getitem__(self, key: Any) -> Any:
        found = self.memory[key]
        return self.alike(found) if type(found) is ndarray else self.turned(found)

    def __setitem__(self, key: Any, values: Any) -> None:
        self.memory[key] = self.turned(np.asarray(values).astype(self.memory.dtype))

    def __len__(self) -> int:
        return len(self.memory)

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        found = getattr(self.memory if name in SHAPED else resolved(self), name)
        if name not in SHAPED:
            return found
        return (lambda *args, **kwargs: self.alike(found(*args, **kwargs))) if callable(found) else self.alike(found)

    def _number(self, kind: type) -> Any:
        return kind(resolved(self))

    def __bool__(self) -> bool:
        return self._number(bool)

    def __int__(self) -> int:
        return self._number(int)

    def __float__(self) -> float:
        return self._number(float)

    def __complex__(self) -> complex:
        return self._number(complex)


def deferred(memory: Any, conj: bool, neg: bool) -> Any:
    """Memory to be read as its conjugate, or its negative; itself, in another array, where nothing is to be done."""
    if hasattr(memory, "bits"):  # without elements: it says itself how they would be read
        made = memory.view()
        made.bits = (conj, neg)
        return made
    if not (conj or neg):
        return memory.view()
    if not seen:
        seen.append(True)
    return Deferred(memory, conj, neg)


def bits(array: Any) -> tuple[bool, bool]:
    """Whether an array is read as the conjugate, and as the negative, of what lies in memory."""
    return (array.is_conj, array.is_neg) if type(array) is Deferred else getattr(array, "bits", (False, False))


def memory_of(array: Any) -> Any:
    """What lies in memory under an array."""
    return array.memory if type(array) is Deferred else array


def resolved(value: Any) -> Any:
    """An array with its elements computed; anything else as it is."""
    return np.asarray(value.turned(value.memory)) if type(value) is Deferred else value


def turned(array: Any, conj: bool, neg: bool) -> Any:
    """A view of an array as its conjugate, or its negative: twice is not at all."""
    was_conj, was_neg = bits(array)
    return deferred(memory_of(array), was_conj is not conj, was_neg is not neg)


def as_read(memory: Any, array: Any) -> Any:
    """Other memory, read as an array is."""
    return array.alike(memory) if type(array) is Deferred else memory


def through(view: Callable, array: Any) -> Any:
    """The view that a function makes of an array, as deferred as that is."""
    return array.alike(view(array.memory)) if type(array) is Deferred else view(array)


def apply(action: Callable, target: Any) -> None:
    """`action(target)`, which writes into it."""
    if type(target) is Deferred:
        elements = resolved(target)
        action(elements)
        target[...] = elements
    else:
        action(target)


def answer(op: Any, arrays: list) -> Any:
    """What an operator gives for arguments with deferred arrays among them."""
    rule = RULES.get(op.names[0])
    if rule is not None:
        return rule(*arrays)
    first = arrays[op.tensors[0]]
    if op.view and type(first) is Deferred:
        return first.alike(op.calculate([first.memory if x is first else x for x in arrays]))
    for i in op.tensors:
        arrays[i] = [resolved(x) for x in arrays[i]] if type(arrays[i]) is list else resolved(arrays[i])
    return op.calculate(arrays)
