"""Long calls of compiled code, made by a helper thread: whoever waits for one can be interrupted.

Nothing stops compiled code. Ctrl-C and the end of a time limit are raised in the thread that waits, which leaves the call
alone: it ends at its next step in Python, holds its operands until then, and nobody sees its result. A helper thread can be
left only where compiled code lets others run: what holds the interpreter is not asked to walk huge arrays.

A call that would never end, and has nothing to compute, is not begun: numpy walks a batch matrix by matrix, also 2**40 matrices
without elements. Those are all alike: one of them is computed, and the result is repeated.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from types import MethodDescriptorType
from typing import Any

import numpy as np

from . import process, structures
from .integers import plain
from .numpy_views import ODD, without_gaps
from .sealed import is_sealed, program_frame
from .thrown import settle, throw
from .whole import may_be_left, whole
from .wrapping import wraps

STEP = 0.05
"""Seconds between two looks whether the thread that waits was interrupted."""
LONG = 1 << 28
"""Multiplications that take about as long; a call of less is made where it stands."""
CALL = 1 << 13
"""The price of a matrix for LAPACK beside its arithmetic, in multiplications."""
MANY = 1 << 20
"""Elements that take long to sort, to transform or to look up."""
READ = 1 << 24
"""Elements that take long to read and write a few times."""
HUGE = 1 << 26
"""Elements that take long to read. An array of so many may cost nothing: one number, repeated."""


class Helper:
    """A thread that waits for work: starting one for each task takes ten times as long as waking one."""

    __slots__ = ("go", "done", "work", "thread")

    def __init__(self) -> None:
        from threading import Thread

        self.go, self.done = allocate_lock(), allocate_lock()
        self.go.acquire()
        self.done.acquire()
        self.thread = Thread(target=self.run, daemon=True)
        self.thread.start()

    def begin(self, work: Callable) -> None:
        self.work = work
        self.go.release()

    def run(self) -> None:
        # numpy's settings belong to a thread: a new one would warn of divisions by zero.
        np.seterr(all="ignore")
        try:
            while True:
                self.go.acquire()
                found = self.work(self)
                del self.work
                if found is None:  # what was thrown at this thread may come late
                    return
                if found:
                    self.done.release()
                else:
                    parked.append(self)
        except SystemExit:  # thrown when the call had just ended
            return

    @whole
    def leave(self) -> None:
        """End what this thread does, at its next step of Python's: nobody waits for it."""
        thread = self.thread.ident
        if thread is not None and may_be_left(sys._current_frames().get(thread)):
            throw(thread, SystemExit)  # which threads end with in silence
            settle()


parked: list[Helper] = []
"""Threads without work."""
handed: list[Callable] = []
"""Gives what a helper is to call before it makes a call: what the thread that waits has for itself is the helper's, too."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=parked.clear)  # a child process has none of them


def apart(function: Callable, *arguments: Any, **options: Any) -> Any:
    """The result of a call, made in a helper thread with the settings of this one."""
    context, takes = copy_context(), [hand() for hand in handed]
    found: list = []
    failed: list = []
    left: list = []

    def work(helper: Helper) -> bool | None:
        """Makes the call; None where it is not waited for any more."""
        try:
            for take in takes:
                take()
            found.append(context.run(function, *arguments, **options))
        except BaseException as error:
            failed.append(error)
        return None if left else True

    try:
        helper = parked.pop() if parked else Helper()
    except (RuntimeError, MemoryError):  # there is no room for another stack
        return function(*arguments, **options)
    try:
        helper.begin(work)
        while not helper.done.acquire(timeout=STEP):
            pass
    except BaseException:
        left.append(True)
        helper.leave()
        raise
    parked.append(helper)
    if failed:
        raise failed[0]
    return found[0]


def is_inert(value: Any) -> bool:
    """Whether nothing that is done with a value runs code of a program."""
    kind = type(value)
    if kind is list or kind is tuple:
        return all(map(is_inert, value))
    return kind in INERT or issubclass(kind, np.generic) and not kind.__flags__ & OF_PYTHON or is_sealed(kind)


INERT = frozenset((np.ndarray, np.dtype, int, float, bool, complex, str, slice, range, type(None), type(Ellipsis)))
OF_PYTHON = 1 << 9
"""The flag of classes that are not compiled."""


def patiently(function: Callable, arguments: list) -> Any:
    """The result of a function of a list of arguments that takes long; made apart unless a program's code may run in it."""
    return apart(function, arguments) if is_inert(arguments) else function(arguments)


NO_OBJECTS = "arrays of Python objects (dtype=object) are not available"

LEADING = (np.dtype, np.longdouble, np.clongdouble, np.void)
"""What leads to arrays of long doubles, and of structures."""
ndarray = np.ndarray  # of which programs derive no classes


def refuse_objects(values: Any) -> None:
    """Refuses arrays of Python objects among some values: numpy holds what is in them by its address alone, while a program's
    methods that it calls may put something else there. And structures that show memory which nobody wrote. A program that has
    imported a package meets those of the package."""
    for value in values:
        if type(value) is ndarray and (value.dtype.char in ODD or value.dtype.names):
            if process.holds_objects is None or not process.holds_objects():
                if value.dtype.hasobject:
                    raise TypeError(NO_OBJECTS)
                without_gaps(value)
        elif isinstance(value, LEADING):
            if isinstance(value, np.void) and value.dtype.hasobject:
                raise TypeError(NO_OBJECTS)
            without_gaps(value)


def of_program(function: Callable, *arguments: Any, **options: Any) -> Any:
    """The result of a call, made apart where a program waits for it.

    Raises:
        TypeError: A program writes into an array of Python objects, or puts it in order.
    """
    frame = sys._getframe(1)
    led = program_frame(frame)
    fields = arguments and type(arguments[0]) is ndarray and arguments[0].dtype.names
    if fields or (
        led is frame and type(function) is MethodDescriptorType
    ):  # numpy keeps names of fields and of dtypes, and believes them
        arguments, options = (*arguments[:1], *map(plain, arguments[1:])), plain(options)
    elif led is frame:
        arguments = tuple([plain(x) if type(x) is tuple else x for x in arguments])
    if structures.is_long(function, arguments):  # led by none: in a helper thread already
        return structures.in_order((lambda f, *of: f(*of)) if led is None else apart, function, *arguments, **options)
    if led is None:
        return function(*arguments, **options)
    refuse_objects(x.base if type(x) is np.flatiter else x for x in arguments)
    inert = is_inert([*arguments, *options.values()])
    found = apart(function, *arguments, **options) if inert else function(*arguments, **options)
    refuse_objects((found,))
    return found


def places(array: Any) -> tuple:
    """The places of what is not zero, an array for each dimension."""
    if array.size < HUGE or type(array) is not np.ndarray:
        return array.nonzero()
    # numpy counts what are no truth values with its lock held.
    return apart(lambda: (array if array.dtype == bool else array != 0).nonzero())


def chosen_by(array: Any, mask: Any) -> Any:
    """The elements at which a mask is true."""
    return array[mask] if mask.size < HUGE else apart(array.__getitem__, mask)


def moves(words: Any) -> bool:
    """Whether the state of a Mersenne twister ever becomes another. One of zeros gives zeros alone, and who draws until a number
    fits draws for ever."""
    return bool(words[0] >> 31) or bool(np.any(words[1:]))


def endable(function: Callable, many: int = MANY) -> Callable:
    """A function of arrays, or lists of them, that can be interrupted where they, or the product of their sizes, are large. It calls
    nothing that a program defines. `many`: elements of one array that take long."""

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        work = 1
        for each in arguments:
            for x in each if type(each) in (list, tuple) and len(each) < 64 else (each,):
                if type(x) is not np.ndarray:
                    continue
                n = max(1, x.size)
                work *= n
                if n >= many or work >= LONG:
                    return apart(function, *arguments, **options)
        return function(*arguments, **options)

    return run


argsort, searchsorted, unique = endable(np.argsort), endable(np.searchsorted), endable(np.unique)


def fitting(function: Callable) -> Callable:
    """A function of points, their values and a degree, which decomposes a matrix of their powers."""

    @wraps(function)
    def run(x: Any, y: Any, deg: Any, *arguments: Any, **options: Any) -> Any:
        n = x.size if type(x) is np.ndarray else 0
        most = deg if type(deg) is int else n
        call = function if n * min(n, most) ** 2 < LONG or not is_inert([y, deg]) else partial(apart, function)
        return call(x, y, deg, *arguments, **options)

    return run


def dense(x: Any) -> Any:
    """Matrices as BLAS takes them: products of huge ones of repeated numbers hold numpy's lock."""
    return np.ascontiguousarray(x) if type(x) is np.ndarray and x.size >= HUGE and 0 in x.strides[-2:] else x


def counting(function: Callable) -> Callable:
    """A function that first counts what is not zero, for which numpy holds its lock unless it has truth values."""

    @wraps(function)
    def run(a: Any, *arguments: Any, **options: Any) -> Any:
        if type(a) is np.ndarray and a.size >= HUGE and a.dtype != bool:
            a = a != 0
        return function(a, *arguments, **options)

    return run


def batched(function: Callable) -> Callable:
    """A function of matrices, over the batches in front of their last two dimensions."""

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        work = 0
        for x in arguments:
            if type(x) is np.ndarray and x.ndim > 1:
                rows, columns = x.shape[-2:]
                if x.size:
                    work += x.size * min(rows, columns) + x.size // (rows * columns) * CALL
                elif x.ndim > 2 and not rows * columns:
                    return empty(*arguments, **options)
        return function(*arguments, **options) if work < LONG else apart(function, *map(dense, arguments), **options)

    def empty(*arguments: Any, **options: Any) -> Any:
        arrays = [type(x) is np.ndarray and x.ndim > 1 for x in arguments]
        batch = np.broadcast_shapes(*[x.shape[:-2] for x, on in zip(arguments, arrays, strict=True) if on])
        if 0 in batch:
            return function(*arguments, **options)
        one = [x[(0,) * (x.ndim - 2)] if on else x for x, on in zip(arguments, arrays, strict=True)]
        return repeated(function(*one, **options), batch)

    return run


def repeated(found: Any, batch: tuple) -> Any:
    """The result for one matrix as that for a whole batch."""
    if isinstance(found, tuple):
        parts = [repeated(x, batch) for x in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    found = np.asarray(found)
    return np.broadcast_to(found, (*batch, *found.shape)).copy()
