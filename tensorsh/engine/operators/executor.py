"""The executor of operators: arguments to arrays, a plan for their types, the array function, tensors, a node.

    arguments ── bind ──> values ── unwrap ──> arrays ── plan ──> function ──> arrays ──> tensors ── record ──> node

Every call of an operator passes here: of its function, its method, its in-place form, ``out=``, a Python operator. A plan
is what the types and dtypes of the operands decide: dtypes to cast to, the array function, the dtype to return to. Families
contribute array functions; they never take tensors apart and never make nodes.

Cython compiles this file together with `executor.pxd`; without a compiler it runs as it stands."""

import numpy as np

from ...sandbox.long_calls import HUGE, patiently
from ..arrays import deferred
from ..arrays.backend import module_of
from ..arrays.dtype import COMPLEX_HALF, COMPLEX_WIDE, FLOAT, HALVES, complex32, given_dtype
from ..arrays.errors import argument_error, binding_error, check_broadcast
from ..arrays.memory import beyond
from ..arrays.promotion import result_type
from ..arrays.state import state
from ..arrays.switches import holder as threads
from ..graph.fields import Fields, fresh, wrap
from ..tape.record import Recording, attach
from ..wording.dtype_refusals import refuse, refuse_short
from .around import applied, brought, facing, plainly, returned, turned_back
from .placement import module_and_kernel
from .results import check_width, scalar

try:
    import cython
except ImportError:
    from ..loading import interpreted as cython

ndarray = np.ndarray
waiting, Deferred = deferred.seen, deferred.Deferred
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
REQUIRED = type("Required", (), {"__repr__": lambda self: "<required>"})()
OTHER_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other", "self": "input",
}  # fmt: skip
"""Keyword names that numpy uses and PyTorch accepts."""
FIRST = ("input", "A", "b")
"""Names of PyTorch for the first argument of one and the same operator under its several names."""
INTEGERS = (int, np.integer)
NUMBERS = (bool, int, float, complex, np.number, np.bool_)
if not cython.compiled:
    from ..arrays.switches import inferring, recording
    from ..tape.record import dtype_of, is_added, size_of


class Plan:
    """The conversions before and after an array function that the types and dtypes of operands decide."""

    def __init__(self, targets, narrow, rounds):
        self.targets = targets
        """For each operand that is promoted its place and the dtype that it is brought to."""
        self.narrow = narrow
        """The half type that the result is brought back to, if it is computed in single precision."""
        self.rounds = rounds
        """The half type that each operand is rounded to first."""


class Executor(Recording):
    """The part of an operator that runs its calls."""

    def answered(self, args, kwargs):
        """The answer to arguments whose types fit."""
        if not kwargs or "out" not in kwargs:
            return self.carry_out(self.bound(args, kwargs))
        given = kwargs.copy()
        out = given.pop("out")
        values = self.bound(args, given)
        if not self.out:
            raise binding_error(self, args, kwargs)
        if out is None:
            return self.carry_out(values)
        return self.into(values, out)

    def bind(self, args, kwargs):
        """The arguments in the order of the parameters, with defaults filled in."""
        return self.bound(args, kwargs)

    def bound(self, args, kwargs):
        """As `bind`."""
        n, packed = len(args), self.packed
        if packed >= 0 and n > packed and (n > packed + 1 or isinstance(args[packed], INTEGERS)):
            args = (*args[:packed], args[packed:])
            n = packed + 1
        if n > self.positional:
            raise binding_error(self, args, kwargs)
        values = self.defaults[:]
        for i in range(n):
            values[i] = args[i]
        if kwargs:
            for key, value in kwargs.items():
                at = self.index.get(key)
                if at is None:
                    at = self.index.get(
                        OTHER_NAMES.get(key, ""), 0 if key in FIRST and self.params[0] in FIRST else None
                    )
                if at is None or at < n:
                    raise binding_error(self, args, kwargs)
                if key == "dtype" and value is not None:
                    value = given_dtype(value, self.name)
                values[at] = value
        if n < self.required or self.demands:
            for value in values:
                if value is REQUIRED:
                    raise binding_error(self, args, kwargs)
        return tuple(values)

    def unwrap(self, values):
        """The arguments with arrays for tensors, and whether one of the tensors wants a gradient."""
        arrays = list(values := plainly(tuple(values)))
        return arrays, self.take(values, arrays)

    def take(self, values, arrays):
        """Put arrays in the places of tensors; whether one of the tensors wants a gradient."""
        tracked = False
        for i in self.arrays:
            x = values[i]
            if isinstance(x, Fields):
                t = cython.cast(Fields, x)
                arrays[i] = t._array
                if t._node is not None:
                    tracked = True
            elif x is None:
                if self.defaults[i] is not None:
                    raise argument_error(self, i, x)
            elif not (self.scalars and isinstance(x, NUMBERS)):
                raise argument_error(self, i, x)
            elif type(x) is int:
                check_width(x)
        for i in self.lists:
            many = values[i]
            if not isinstance(many, (list, tuple)):
                raise argument_error(self, i, many, "tuple of Tensors")
            taken = []
            for at, x in enumerate(list(many)):
                if not isinstance(x, Fields):
                    raise TypeError(f"expected Tensor as element {at} in argument {i}, but got {type(x).__name__}")
                t = cython.cast(Fields, x)
                if t._node is not None:
                    tracked = True
                taken.append(t._array)
            arrays[i] = taken
        return tracked

    def run(self, values):
        """The results for arguments in the order of the parameters, recorded where that is wanted."""
        return self.carry_out(tuple(values))

    def carry_out(self, values):
        """Compute, wrap, record."""
        values, result = plainly(values), None
        tracked = tried = False
        if self.lone and isinstance(values[0], Fields):
            x = cython.cast(Fields, values[0])
            tracked = x._node is not None
            if self.fast is not None and (type(x._array) is ndarray if self.view else self.floats(x._array)):
                tried = True
                result = self.quickly(x._array, values)
        if result is None:
            arrays = list(values)
            tracked = self.take(values, arrays)
            back = facing(arrays) if self.mingles else None
            result = self.apply(arrays, tried)
            result = result if back is None else turned_back(result, back)
        if result is None and self.otherwise is not None:
            return self.otherwise(*values)
        if tracked and self.differentiable and recording(threads):
            return self.recorded(values, result)
        if self.view or type(result) is tuple or type(result) is list:
            return self.bare(values, result)
        return fresh(result)

    def single(self, input):
        """The result of the loop for one tensor; None where that is not for it."""
        result = self.loop(input._array)
        if result is None:
            if self.direct is None or type(input._array) is ndarray:
                return None
            result = self.direct(input._array)
            if result is None:
                return None
        if input._node is None or not self.differentiable or not recording(threads):
            return self.bare((input,), result) if self.view else fresh(result)
        return self.recorded((input, *self.defaults[1:]), result)

    def pair(self, input, other):
        """The result of the loop for a tensor and a tensor or number, with the settings at their defaults; None where that is
        not for it."""
        tracked = input._node is not None
        if isinstance(other, Fields):
            y = cython.cast(Fields, other)
            result = self.loop(input._array, y._array)
            tracked = tracked or y._node is not None
        else:
            result = self.loop(input._array, other)
        if result is None:
            if self.direct is None or type(input._array) is ndarray:
                return None
            result = self.direct(input._array, y._array if isinstance(other, Fields) else other)
            if result is None:
                return None
        if not tracked or not self.differentiable or not recording(threads):
            return fresh(result)
        return self.recorded(self.filled(input, other), result)

    def filled(self, input, other):
        """Two operands and the settings' defaults."""
        rest = self.rest
        n = len(rest)
        if n == 0:
            return input, other
        return (input, other, rest[0]) if n == 1 else (input, other, *rest)

    def compute(self, arrays):
        """The result of the array function for arguments in the order of the parameters, arrays in place of tensors."""
        return self.apply(list(arrays), False)

    def floats(self, a):
        """Whether an array is numpy's, of floats, with elements, but not so many that the work is to be one that can be left."""
        if type(a) is not ndarray:
            return False
        dt = dtype_of(a)
        return (dt is FLOAT32 or dt is FLOAT64) and 0 < size_of(a) < HUGE

    def quickly(self, a, values):
        """The result of the array function for float arrays, of one array and settings; None where they are not for it."""
        n = len(values)
        fast = self.fast
        try:
            if n == 1:
                return fast(a)
            if n == 2:
                return fast(a, values[1])
            if n == 3:
                return fast(a, values[1], values[2])
            if n == 4:
                return fast(a, values[1], values[2], values[3])
            return fast(a, *values[1:])
        except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
            return None  # unusual settings: the operator's own function has the words or the result

    def apply(self, arrays, tried):
        """The array function on arrays, after promotion; `tried`: the one for float arrays had no answer. On huge arrays it can
        be interrupted."""
        if not self.view:
            for i in self.arrays:
                if type(arrays[i]) is ndarray and size_of(arrays[i]) >= HUGE:
                    return patiently(self.calculate, arrays)
        return self.calculated(arrays, tried)

    def calculate(self, arrays):
        """As `calculated`, for a helper thread."""
        return self.calculated(arrays, False)

    def calculated(self, arrays, tried):
        """The array function on arrays, after promotion."""
        if self.unmixed:
            usual = self.alike(arrays)
        elif self.view:
            usual = type(arrays[0]) is ndarray
        else:
            usual = (self.promote is None or self.fast is not None) and self.plain(arrays)
        narrow, xp, kernel = None, np, self.kernel
        if not usual and self.limited and self.tensors:
            if type(x := arrays[self.tensors[0]]) is ndarray and is_added(x) and x.dtype.itemsize == 1:
                self.limited = refuse_short(self, x, [arrays[i] for i in self.promoted])
        try:
            if usual and self.fast is not None and not tried:
                try:
                    result = self.fast(*arrays)
                except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
                    result = None  # unusual settings: the operator's own function has the words or the result
                if result is not None:
                    return result
            if not usual and waiting and self.defers(arrays):
                return deferred.answer(self, arrays)
            if not usual and self.direct is not None:
                result = self.direct(*arrays)
                if result is not None:
                    return result
            if self.check is not None and not (self.takes_floats and (usual or self.fractions(arrays))):
                self.check(*arrays)
            if not usual or self.promote is not None and not self.unmixed:
                if self.same is not None:
                    try:
                        result = self.same(*arrays)
                    except (TypeError, ValueError):
                        result = None
                    if result is not None:
                        return result
                if self.promote is not None:
                    narrow = self.cast(arrays)
                elif self.wide:
                    narrow = self.widen(arrays)
                for i in self.tensors:
                    x = arrays[i]
                    if type(x) is list:
                        x = x[0] if x else None
                    if x is not None and type(x) is not ndarray and not isinstance(x, NUMBERS):
                        xp, kernel = module_and_kernel(self, arrays)
                        break
                if narrow is not None and narrow is not COMPLEX_HALF and self.fast is not None and xp is np:
                    result = self.fast_again(arrays)
                    if result is not None:
                        return returned(result, narrow)
            given = None
            for i in range(self.positional, len(arrays)):
                if arrays[i] is not self.defaults[i]:
                    given = given or {}
                    given[self.params[i]] = arrays[i]
            if given is not None:
                result = kernel(xp, *arrays[: self.positional], **given)
            else:
                result = applied(kernel, xp, arrays[: self.positional] if self.keywords else arrays)
            if self.lists and xp is np and type(result) is not ndarray:  # of a list the first array alone was looked at
                module_of([arrays[i] for i in self.tensors], self)
            if not usual and self.limited and xp is np and self.promoted:
                x = arrays[self.promoted[0]]
                if type(x) is ndarray and x.dtype.kind in "biuc":
                    typed = "dtype" in self.index and arrays[self.index["dtype"]] is not None
                    if not typed:
                        self.limited = refuse(self.limited, self.names, x)
        except (ValueError, NotImplementedError) as error:
            self.check_shapes(arrays)
            raise beyond(error) from None
        except TypeError:
            if self.lists:
                module_of([arrays[i] for i in self.tensors], self)
            raise
        if narrow is not None and ("dtype" not in self.index or arrays[self.index["dtype"]] is None):
            if type(result) is tuple and 0 < self.outputs < len(result):  # what formulas keep stays exact
                return returned(result[: self.outputs], narrow) + result[self.outputs :]
            result = returned(result, narrow)
        return result

    def fractions(self, arrays):
        """Whether the promoted operands are numpy's arrays of any real floats and plain numbers."""
        some = False
        for i in self.promoted:
            x = arrays[i]
            if type(x) is ndarray:
                some = dtype_of(x).kind in "fV" and dtype_of(x) is not COMPLEX_HALF
                if not some:
                    return False
            elif type(x) is not float and type(x) is not int:
                return False
        return some

    def fast_again(self, arrays):
        """The result of the array function for floats, for half types after they were brought to single precision; None where
        these are not for it, or go to a type that was asked for."""
        if "dtype" in self.index and arrays[self.index["dtype"]] is not None:
            return None
        if not (self.alike(arrays) if self.unmixed else self.plain(arrays)):
            return None
        try:
            return self.fast(*arrays)
        except (TypeError, ValueError, AttributeError, IndexError, OverflowError):
            return None

    def alike(self, arrays):
        """Whether the promoted operands are float arrays of one dtype and numbers; these become numbers of that dtype."""
        common, numbers = None, False
        for i in self.promoted:
            x = arrays[i]
            kind = type(x)
            if kind is ndarray:
                dt = dtype_of(x)
                if dt is not common:
                    if common is not None or (dt is not FLOAT32 and dt is not FLOAT64):
                        return False
                    common = dt
            elif kind is float or kind is int:
                numbers = True
            else:
                return False
        if numbers and common is not None:
            for i in self.promoted:
                if type(arrays[i]) is not ndarray:
                    arrays[i] = common.type(arrays[i])
        return common is not None

    def plain(self, arrays):
        """Whether arrays go to the array function as they are: numpy's, none of half precision, the first of floats, with
        elements."""
        for i in self.lists:
            first = None
            for x in arrays[i]:
                if not self.floats(x) or first is not None and dtype_of(x) is not first:
                    return False
                first = dtype_of(x)
        for i in self.arrays:
            x = arrays[i]
            if type(x) is not ndarray:
                if x is None and i != self.first:
                    continue
                return False
            dt = dtype_of(x)
            if i == self.first:
                if not self.floats(x):
                    return False
            elif dt is not FLOAT32 and dt is not FLOAT64 and dt.kind in "fV":
                return False
        return True

    def defers(self, arrays):
        """Whether one of the arrays is read as the conjugate, or the negative, of what lies in memory."""
        for i in self.arrays:
            if type(arrays[i]) is Deferred:
                return True
        for i in self.lists:
            for x in arrays[i]:
                if type(x) is Deferred:
                    return True
        return False

    def check_shapes(self, arrays):
        """Raise PyTorch's error where operands do not broadcast, which it finds out before what a dtype lacks."""
        if self.promote is not None:
            check_broadcast([arrays[i] for i in self.promoted])

    def cast(self, arrays):
        """Bring the promoted arguments to their common dtype; the dtype to return to if that is a half type."""
        key = [state.default_dtype]
        for i in self.promoted:
            x = arrays[i]
            if type(x) is ndarray or hasattr(x, "ndim") and not isinstance(x, np.generic):
                key.append(complex32 if x.dtype is COMPLEX_HALF else x.dtype)
                key.append(x.ndim == 0)
            else:
                key.append(type(x))
        known = tuple(key)
        plan = self.plans.get(known)
        if plan is None:
            if len(self.plans) > 500:
                self.plans.clear()
            plan = self.plans[known] = self.planned([arrays[i] for i in self.promoted])
        first, rounds = self.promoted[0], plan.rounds
        for i, target in plan.targets:
            x = arrays[i]
            if isinstance(x, NUMBERS):
                if rounds is not None and not self.exact_numbers:
                    x = float(np.asarray(x, np.float64).astype(rounds))
                arrays[i] = scalar(x, target)
            elif rounds is not None and x.dtype != rounds and (x.ndim or i == first or not self.exact_numbers):
                arrays[i] = brought(brought(x, rounds), target)
            elif x.dtype is not target and (x.dtype is COMPLEX_HALF or x.dtype != target):
                arrays[i] = brought(x, target)
        return plan.narrow

    def planned(self, operands):
        """The plan for promoted operands of such types and dtypes."""
        common = result_type(operands)
        if self.promote == "float" and common.category < FLOAT:
            common = state.default_dtype
        narrow = None
        target = common.numpy
        if self.wide and common in HALVES:
            narrow, target = target, FLOAT32
        elif target is COMPLEX_HALF:
            narrow, target = target, COMPLEX_WIDE
        targets = [(i, target) for i, x in zip(self.promoted, operands, strict=True) if x is not None]
        # Half types round each operand first; a second one that is a number multiplies or divides as exactly as it is.
        return Plan(targets, narrow, narrow if narrow is not None and narrow is not COMPLEX_HALF else None)

    def widen(self, arrays):
        """Bring operands of half types to single precision; the type to return to."""
        narrow = COMPLEX_HALF if getattr(arrays[self.tensors[0]], "dtype", None) is COMPLEX_HALF else None
        for i in self.tensors:
            x = arrays[i]
            if i in self.lists:
                for at, each in enumerate(x):
                    if each.dtype.itemsize <= 2 and each.dtype.kind in "fV":
                        narrow = narrow or each.dtype
                        x[at] = brought(each, FLOAT32)
            elif x is not None and not isinstance(x, NUMBERS) and x.dtype.itemsize <= 2 and x.dtype.kind in "fV":
                narrow = narrow or x.dtype
                arrays[i] = brought(x, FLOAT32)
        return narrow

    def bare(self, values, result):
        """The public results as tensors without history."""
        if type(result) is not tuple and type(result) is not list:
            t = wrap(result)
            if self.view:
                attach(t, values[self.tensors[0]])
            elif inferring(threads):
                t._inference = True
            return t
        tensors = [wrap(a) for a in (result[: self.outputs] if self.outputs > 0 else result)]
        for t in tensors:
            if self.view:
                attach(t, values[self.tensors[0]], "multiple")
            elif inferring(threads):
                t._inference = True
        return self.packaged(tensors)
