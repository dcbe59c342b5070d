"""The fields that every tensor and every node of the tape has, and the functions that make both.

Cython compiles this file together with `fields.pxd`, which gives the fields fixed places in memory; without a compiler it
runs as it stands."""

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

from bisect import bisect_right
from collections import deque
from typing import Any

import numpy as np

from ...sandbox import integers
from ..arrays.switches import holder as threads

if not cython.compiled:
    from ..arrays.switches import inferring, noting, transform
ndarray, generic = np.ndarray, np.generic
tensor_class = None
count = 0


class Fields:
    """The fields of a tensor, which `Tensor` explains."""

    _array: Any
    _node: Any
    _grad: Any
    _root: Any
    _cell: Any
    _views: Any
    _origin: Any
    _inference: bool
    _born: int

    def __cinit__(self):
        self._born = transform(threads)


class Step:
    """The fields of a node, which `Node` explains."""

    _edges: Any
    _saved: Any
    _metas: Any
    _sequence: Any

    def __cinit__(self):
        self._edges = self._saved = ()


class Version:
    """The version counter that a storage's tensors share: how often, and when last, they were written in place."""

    count: Any
    last: Any
    stamps: Any
    _place: Any

    def bump(self):
        """Count a write."""
        self.count += 1
        self.last = tick()
        if self.stamps is None:
            self.stamps = deque(maxlen=64)
        self.stamps.append(self.last)
        if noting(threads):
            self._place = noting(threads)()

    def at(self, sequence):
        """The version when the clock showed `sequence`."""
        if self.last <= sequence or self.stamps is None:
            return self.count
        stamps = list(self.stamps)
        return self.count - len(stamps) + bisect_right(stamps, sequence)


class Saved(Version):
    """A result that its own node keeps: the array without the tensor, so that node and tensor form no cycle.

    It is the result's version counter as well, unless the result came with one (`other`)."""

    _array: Any
    _number: Any
    other: Any


class Wrapped:
    """A Python number in a tensor's place: PyTorch keeps it as a tensor, so it is freed like one."""

    value: Any


if cython.compiled:
    as_members(Fields, Step)  # type: ignore[name-defined]  # noqa: F821 - of fields.pxd
else:
    from ..loading.interpreted import placed

    Fields = placed(  # type: ignore[misc]
        Fields,
        _array=None,
        _node=None,
        _grad=None,
        _root=None,
        _cell=None,
        _views=None,
        _origin=None,
        _inference=False,
        _born=0,
    )
    Step = placed(Step, _edges=(), _saved=(), _metas=None, _sequence=0)  # type: ignore[misc]
    Version.count = Version.last = Saved._number = 0
    Version.stamps = Version._place = Saved._array = Saved.other = None

    def allocated(kind, base):
        """An object of a class derived from a base, made without its constructor."""
        made = base.__new__(kind)
        if transform(threads) and base is Fields:
            made._born = transform(threads)
        return made

    def holds_numbers(array):
        """Whether the elements of an array are numbers, those of ml_dtypes among them."""
        return array.dtype.num < 17 or 256 <= array.dtype.num < 2056 or array.dtype.num == 23


def new(kind):
    """A tensor or a node of a class, its fields at their defaults."""
    return allocated(kind, Step if issubclass(kind, Step) else Fields)


def tick():
    """The next number of the one clock: nodes take their sequence number from it, in-place writes their stamp."""
    global count
    count += 1
    return count


def leave(numbers):
    """Leave so many numbers of the clock free, for nodes that may be made later; the first of them."""
    global count
    first = count + 1
    count += numbers
    return first


def bind(tensor):
    """Tell which class tensors are of."""
    global tensor_class
    tensor_class = tensor


NO_NUMBERS = "a tensor holds numbers"


def fit(array):
    """Another array, or a scalar of numpy, that a tensor is to be made on. Objects that pass for arrays are programs' own.

    Raises:
        TypeError: Its elements are no numbers, or a program made its class.
    """
    if isinstance(array, generic):
        array = np.asarray(array)
    if not holds_numbers(array) if issubclass(type(array), ndarray) else integers.of_program(type(array)):
        raise TypeError(NO_NUMBERS)
    return array


def wrap(array):
    """A tensor without history on an array; a scalar of numpy becomes an array without dimensions."""
    if type(array) is not ndarray:
        array = fit(array)
    elif not holds_numbers(array):
        raise TypeError(NO_NUMBERS)
    t = cython.cast(Fields, allocated(tensor_class, Fields))
    t._array = array
    return t


def fresh(array, node=None):
    """A tensor on a new array, with its history; an inference tensor in inference mode."""
    t = wrap(array)
    t._node = node
    if inferring(threads):
        t._inference = True
    return t


def link(kind, edges, saved=(), metas=None):
    """A node of a class: the nodes of its operands, what it keeps, and the shapes and dtypes that gradients are brought to."""
    node = cython.cast(Step, allocated(kind, Step))
    node._edges = edges
    node._saved = saved
    node._metas = metas
    node._sequence = tick()
    if noting(threads):
        node._place = noting(threads)()
    return node


def detached(t):
    """A tensor without history on the memory of another, with which it shares the version counter."""
    made = wrap(t._array)
    if t._cell is None:
        t._cell = Version.__new__(Version)
    made._cell = t._cell
    if t._inference:
        made._inference = True
    made._born = t._born
    return made


def keep_result(t, number=0):
    """A result as its own node keeps it."""
    saved = Saved.__new__(Saved)
    saved._array = t._array
    saved._number = number
    if t._cell is None:
        t._cell = saved
    else:
        saved.other = t._cell
    return saved


def wrapped(value):
    """A number as a node keeps it."""
    made = Wrapped.__new__(Wrapped)
    made.value = value
    return made
