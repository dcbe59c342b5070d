"""How an operator is declared, and everything that is derived from a declaration.

    @operator("mul multiply", promote="same", inplace=True)
    def mul(xp, input: Array, other: Array):
        \"\"\"Elementwise product, broadcast to a common shape and type.\"\"\"
        return xp.multiply(input, other)

    mul.gradient(
        input=lambda t, g, other: g * t.conj(other),
        other=lambda t, g, input: g * t.conj(input),
    )

The function is the kernel: it gets `xp` (numpy or cupy) and arrays where its parameters are annotated Array (Arrays for a
list of tensors). Its parameters are the operator's signature, with PyTorch's names. A gradient formula gets `t`, the
operators under their own names (on arrays in a backward pass, differentiable ones with create_graph), the incoming
gradient `g` (a list for several results), and by name whatever it needs of the arguments, `result` or `result1`: what it
names is what is kept (`input_shape` keeps only the shape of `input`). Functions, methods, in-place forms and ``out=`` follow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from . import table
from .calls import with_elements
from .composite import Composite, composite
from .constants import ndarray
from .dtype import COMPLEX, COMPLEX_HALF, COMPLEX_WIDE, FLOAT, HALVES, chosen, dtype
from .errors import argument_error, binding_error, check_broadcast
from .guards import checked
from .halves import FLOAT32, converted
from .kernels import kernel as compiled
from .layout import as_images, copying
from .overloads import worded
from .promotion import alike, result_type
from .record import Recording, attach, camel
from .refusals import refuse
from .results import narrowed, scalar
from .signature import Form
from .state import state
from .tensor import Tensor, wrap

Array = np.ndarray
Arrays = list

REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "<required>"})()
OTHER_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other", "self": "input",
}  # fmt: skip
"""Keyword names that numpy uses and PyTorch accepts."""
FIRST = ("input", "A", "b")
"""What PyTorch calls the first argument of one and the same operator under its several names."""
WHOLE = frozenset(map(np.dtype, (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64)))
made = compiled("General")
NUMBERS = (bool, int, float, complex, np.number, np.bool_)


class Operator(Recording):
    """One operator: kernel, signature, gradients, and the callables made from them."""

    def __init__(self, kernel: Callable, names: list[str], **options: Any) -> None:
        self.kernel = kernel
        self.names = names
        self.name = names[0].rpartition(".")[2]
        code = (declared := getattr(kernel, "__wrapped__", kernel)).__code__
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        self.params: tuple[str, ...] = code.co_varnames[1 : count + keyword_only]
        self.positional = count - 1
        defaults = declared.__defaults__ or ()
        required = self.positional - len(defaults)
        self.required = required
        keywords = declared.__kwdefaults__ or {}
        self.defaults = [REQUIRED] * required + list(defaults)
        self.defaults += [keywords.get(p, REQUIRED) for p in self.params[self.positional :]]
        self.index = {p: i for i, p in enumerate(self.params)}
        notes = kernel.__annotations__
        kinds = [notes.get(p) for p in self.params]
        self.arrays = tuple(i for i, k in enumerate(kinds) if k is Array or k == "Array")
        self.lists = tuple(i for i, k in enumerate(kinds) if k is Arrays or k == "Arrays")
        self.tensors = tuple(sorted(self.arrays + self.lists))
        self.promote: str | None = options.get("promote")
        self.promoted = (
            tuple(self.index[p] for p in options["promoted"].split()) if "promoted" in options else self.arrays
        )
        self.unmixed: bool = self.promote is not None and self.promoted == self.tensors
        self.wide: bool = options.get("wide", self.promote is not None)
        self.view: bool = options.get("view", False)
        self.outputs: int = options.get("outputs", 1)
        self.returns: str | None = options.get("returns")
        self.node: Any = options.get("node") or camel(self.name) + "Backward0"
        self.inplace_node: str | None = options.get("inplace_node")
        self.packed: int | None = self.index[options["packed"]] if "packed" in options else None
        self.broadcast: bool = options.get("broadcast", self.promote is not None)
        self.nondifferentiable: frozenset = frozenset(options.get("nondifferentiable", ()))
        self.formulas: list[tuple[Callable | None, tuple[int, ...]]] = [(None, ())] * len(self.tensors)
        self.runners: list = [(None, None, None)] * len(self.tensors)
        self.joint: Callable | None = None
        self.saved_names: tuple[str, ...] = ()
        self.sources: list[tuple[str, int]] = []
        self.keeps = False
        self.differentiable = False
        self.plans: dict = {}
        self.classes: dict[tuple[str, bool], type] = {}
        self.fitting: set[tuple] = set()
        self.fields = self.returns.split() if self.returns else []
        self.check: Callable | None = options.get("check")
        self.limited: Any = True
        self.short: Callable | None = None
        self.direct: Callable | None = None
        """What computes float arrays of numpy with given settings, and raises an error where they are unusual."""
        self.out: bool = options.get("out", True)
        self.overwrite: Callable | None = None
        if options.get("overwrites"):
            self.overwrite, self.kernel = kernel, copying(kernel)
        if images := options.get("images", 0):
            self.kernel = as_images(kernel, images, options.get("volumes", True))
        self.unlinked: frozenset = frozenset(options.get("unlinked", "").split())
        self.real_gradient: bool = options.get("real_gradient", False)
        self.fixed = tuple(self.index[p] for p in options.get("fixed", "").split())
        self.exact_numbers: bool = options.get("exact_numbers", False)
        self.scalars: bool = options.get("scalars", self.promote is not None)
        self.hosted: bool = options.get("hosted", False)
        self.call: Callable = self.call_anyhow if made is None or self.lists else self._compiled_call()
        self.run: Callable = getattr(self.call, "run", self.run_anyhow)

    # -- declaring gradients

    def gradient(self, **formulas: Callable) -> None:
        """One formula for each differentiable argument, by the argument's name."""
        self.differentiable = True
        entries = []
        for i in self.tensors:
            formula = formulas.pop(self.params[i], None)
            entries.append((formula, self._slots(formula, 2) if formula else ()))
        if formulas:
            raise TypeError(f"{self.name}: no tensor argument {sorted(formulas)}")
        self.formulas = entries
        self.runners = [
            (f, slots[0] if slots else None, itemgetter(*slots) if len(slots) > 1 else None) for f, slots in entries
        ]

    def joint_gradient(self, formula: Callable) -> Callable:
        """One formula for all: `formula(t, g, needs, ...)` returns a gradient (or None) for each tensor argument in order."""
        self.differentiable = True
        self.joint = formula
        self.joint_slots = self._slots(formula, 3)
        return formula

    def shown(self) -> list[bool]:
        """Which tensor arguments are differentiable, and so have a place in ``next_functions``."""
        if self.joint is not None:
            return [self.params[i] not in self.unlinked for i in self.tensors]
        return [formula is not None for formula, _ in self.formulas]

    def _slots(self, formula: Callable, skip: int) -> tuple[int, ...]:
        code = formula.__code__
        slots = []
        for name in code.co_varnames[skip : code.co_argcount]:
            if name not in self.saved_names:
                if name in self.index:
                    source = ("argument", self.index[name])
                elif name in self.fields:
                    source = ("result", self.fields.index(name))
                elif name.startswith("result"):
                    source = ("result", int(name[6:] or 0))
                elif name.endswith("_shape") and name[:-6] in self.index:
                    source = ("shape", self.index[name[:-6]])
                elif name.endswith("_strides") and name[:-8] in self.index:
                    source = ("strides", self.index[name[:-8]])
                else:
                    raise TypeError(f"{self.name}: a gradient names {name!r}, which is no argument or result")
                self.saved_names += (name,)
                self.sources.append(source)
                self.keeps = (
                    self.keeps or source[0] == "result" or source[0] == "argument" and source[1] in self.tensors
                )
            slots.append(self.saved_names.index(name))
        return tuple(slots)

    # -- calling

    def bind(self, args: tuple, kwargs: dict) -> list:
        """The arguments in the order of the parameters, with defaults filled in."""
        n, packed = len(args), self.packed
        if packed is not None and n > packed and (n > packed + 1 or isinstance(args[packed], (int, np.integer))):
            args = (*args[:packed], args[packed:])
            n = packed + 1
        if n > self.positional:
            raise binding_error(self, args, kwargs)
        values = [*args, *self.defaults[n:]]
        if kwargs:
            index = self.index
            for key, value in kwargs.items():
                i = index.get(key)
                if i is None:
                    i = index.get(OTHER_NAMES.get(key, ""), 0 if key in FIRST and self.params[0] in FIRST else None)
                if i is None or i < n:
                    raise binding_error(self, args, kwargs)
                if key == "dtype" and value is not None:
                    value = chosen(value, self.name)
                values[i] = value
        if n < self.required or len(values) > self.positional:
            for v in values:
                if v is REQUIRED:
                    raise binding_error(self, args, kwargs)
        return values

    def _compiled_call(self) -> Callable:
        """`call_anyhow`, which it leaves what is not usual to."""
        return made(
            self,
            self.call_anyhow,
            self.fitting,
            self.defaults,
            REQUIRED,
            self.index,
            self.params[self.positional :],
            np,
            self.positional,
            -1 if self.packed is None else self.packed,
            self.scalars,
            self.view,
            self.unmixed,
            self.promote is not None,
            self.arrays,
            self.promoted[0] if self.promoted else -1,
        )

    def reworded(self, args: tuple, kwargs: dict, error: Exception) -> None:
        """Raise an error of a call in PyTorch's words, if it is not in them."""
        told = worded(self.names, args, kwargs, error, sys._getframe(1), self.params)
        if told is not error:
            raise told from None

    def call_anyhow(self, *args: Any, **kwargs: Any) -> Any:
        """The public call, whatever is given."""
        try:
            types = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else (*map(type, args),)
            types = with_elements(types, args, kwargs) if tuple in types or list in types else types
            if types not in self.fitting:
                args, kwargs = checked(self.fitting, types, self.names, args, kwargs, sys._getframe(1), self.params)
            if not kwargs or "out" not in kwargs:
                return self.run(self.bind(args, kwargs))
            given = kwargs.copy()
            out = given.pop("out")
            values = self.bind(args, given)
            if out is None:
                return self.run(values)
            if not self.out:
                raise binding_error(self, args, kwargs)
            return self.into(values, out)
        except Exception as error:
            told = worded(self.names, args, kwargs, error, sys._getframe(1), self.params)
            if told is error:
                raise
            raise told from None

    def unwrap(self, values: list) -> tuple[list, bool]:
        """The arguments with arrays for tensors, and whether one of the tensors wants a gradient."""
        arrays, tracked = values[:], False
        for i in self.arrays:
            x = values[i]
            if isinstance(x, Tensor):
                arrays[i] = x._array
                if x._node is not None:
                    tracked = True
            elif x is None:
                if self.defaults[i] is not None:
                    raise argument_error(self, i, x)
            elif not (self.scalars and isinstance(x, NUMBERS)):
                raise argument_error(self, i, x)
        for i in self.lists:
            many = values[i]
            if not isinstance(many, (list, tuple)):
                raise argument_error(self, i, many, "tuple of Tensors")
            for at, x in enumerate(many):
                if not isinstance(x, Tensor):
                    raise TypeError(f"expected Tensor as element {at} in argument {i}, but got {type(x).__name__}")
                if x._node is not None:
                    tracked = True
            arrays[i] = [x._array for x in many]
        return arrays, tracked

    def compute(self, arrays: list) -> Any:
        """The kernel on arrays, after promotion."""
        narrow = None
        xp, kernel, check = np, self.kernel, self.check
        try:
            usual = self.unmixed and alike(arrays, self.promoted)
            if check is not None and not (usual and hasattr(check, "takes_floats")):
                check(*arrays)
            if not usual:
                if self.promote is not None:
                    narrow = self.cast(arrays)
                elif self.wide:
                    narrow = self.widen(arrays)
                for i in self.tensors:
                    x = arrays[i]
                    if i in self.lists:
                        x = x[0] if x else None
                    if x is not None and type(x) is not ndarray and not isinstance(x, NUMBERS):
                        from .backend import module_and_kernel

                        xp, kernel = module_and_kernel(self, arrays)
                        break
            positional = self.positional
            if positional == len(arrays):
                result = kernel(xp, *arrays)
            else:
                keywords = dict(zip(self.params[positional:], arrays[positional:], strict=True))
                result = kernel(xp, *arrays[:positional], **keywords)
            if not usual and self.limited and xp is np and self.promoted:
                typed = "dtype" in self.index and arrays[self.index["dtype"]] is not None
                if type(x := arrays[self.promoted[0]]) is ndarray and x.dtype.kind in "biuc" and not typed:
                    self.limited = refuse(self.limited, self.names, x)
        except (ValueError, NotImplementedError):
            self.check_shapes(arrays)
            raise
        except TypeError:
            if self.lists:  # whose first array alone was looked at
                from .backend import module_of

                module_of([arrays[i] for i in self.tensors], self)
            raise
        if narrow is not None:
            result = narrowed(result, narrow)
        return result

    def check_shapes(self, arrays: list) -> None:
        """Raise PyTorch's error where operands do not broadcast, which it finds out before what a dtype lacks."""
        if self.promote is not None:
            check_broadcast([arrays[i] for i in self.promoted])

    def cast(self, arrays: list) -> np.dtype | None:
        """Bring the promoted arguments to their common dtype; the dtype to return to if that is a half type."""
        operands = [arrays[i] for i in self.promoted]
        if self.promote == "same":
            dt = getattr(operands[0], "dtype", None)
            if dt in WHOLE and all([type(x) is ndarray and x.dtype is dt for x in operands]):
                return None
        common = result_type(operands)
        if self.promote == "float" and common.category < FLOAT:
            common = state.default_dtype
        narrow = None
        target = common.numpy
        if self.wide and common in HALVES:
            narrow, target = target, np.dtype(np.float32)
        elif target is COMPLEX_HALF:
            narrow, target = target, COMPLEX_WIDE
        # Half types round each operand first; what multiplies or divides as a number stays as exact as the computation.
        rounds = narrow if narrow is not None and narrow is not COMPLEX_HALF else None
        for i in self.promoted:
            x = arrays[i]
            if x is None:
                continue
            if isinstance(x, NUMBERS):
                if rounds is not None and not self.exact_numbers:
                    x = float(np.asarray(x, np.float64).astype(rounds))
                arrays[i] = scalar(x, target)
            elif rounds is not None and x.dtype != rounds and (x.ndim or not self.exact_numbers):
                arrays[i] = converted(converted(x, rounds), target)
            elif x.dtype is not target and x.dtype != target:
                arrays[i] = converted(x, target)
        return narrow

    def widen(self, arrays: list) -> np.dtype | None:
        narrow = None
        for i in self.tensors:
            x = arrays[i]
            if i in self.lists:
                for at, each in enumerate(x):
                    if each.dtype.itemsize <= 2 and each.dtype.kind in "fV":
                        narrow = narrow or each.dtype
                        x[at] = converted(each, FLOAT32)
            elif x is not None and not isinstance(x, NUMBERS) and x.dtype.itemsize <= 2 and x.dtype.kind in "fV":
                narrow = narrow or x.dtype
                arrays[i] = converted(x, FLOAT32)
        return narrow

    def run_anyhow(self, values: list) -> Any:
        """Compute, wrap, record."""
        arrays, tracked = self.unwrap(values)
        result = self.compute(arrays)
        if tracked and state.grad_enabled and self.differentiable:
            return self.record(values, result)
        return self.wrapped(values, result)

    def wrapped(self, values: list, result: Any) -> Any:
        """The public results as tensors without history."""
        if type(result) is not tuple and type(result) is not list:
            t = wrap(result)
            if self.view:
                attach(t, values[self.tensors[0]])
            elif state.inference:
                t._inference = True
            return t
        tensors = [wrap(a) for a in (result[: self.outputs] if self.outputs > 0 else result)]
        if self.view:
            for t in tensors:
                attach(t, values[self.tensors[0]], "multiple")
        elif state.inference:
            for t in tensors:
                t._inference = True
        return self.packaged(tensors)

    def packaged(self, tensors: list, form: str = "") -> Any:
        if self.outputs == 1:
            return tensors[0]
        if self.returns:
            from .returns import named

            return named(self.name + form, tuple(self.fields[: len(tensors)]))(tensors)
        return tuple(tensors)

    def into(self, values: list, out: Any, name: str = "") -> Any:
        """The ``out=`` form: results written into given tensors, resized where their shape differs. name: under which the
        operator was called, where it is one of several."""
        targets = list(out) if isinstance(out, (tuple, list)) else [out]
        for t in targets:
            if not isinstance(t, Tensor):
                raise TypeError(f"{self.name}(): argument 'out' must be Tensor, not {type(t).__name__}")
        arrays, tracked = self.unwrap(values)
        result = self.compute(arrays)
        results = list(result) if type(result) in (tuple, list) else [result]
        results = results[: self.outputs] if self.outputs > 0 else results
        if len(results) != len(targets) and self.outputs != 1:
            raise TypeError(f"expected tuple of {len(results)} elements but got {len(targets)}")
        from .outs import known, store_results

        title = known([*self.names, self.name, name, name.rpartition(".")[2]], name or self.names[0])
        given = self.index.get("dtype", -1)
        store_results(title, results, targets, tracked, exactly=given >= 0 and values[given] is not None)
        if len(targets) == 1 and not isinstance(out, (tuple, list)):
            return out
        return self.packaged(targets, "_out")


def operator(names: str = "", /, *, method: bool | str = True, inplace: bool | str = False, **options: Any) -> Callable:
    """Declare a primitive operator.

    names: its public names, dotted below ``torch`` (``"linalg.svd"``); the function's own name when empty.
    method: whether it is a Tensor method too (or the method's names).  inplace: whether ``name_`` exists.
    promote: None, "same" (operands brought to their common dtype) or "float" (integers to the default float too);
    promoted: which arguments take part, all tensors by default.  wide: half types are computed in float32.
    outputs: how many results are public (-1: all; further ones are kept for the formulas).  returns: field names of a
    ``torch.return_types`` result.  node: the grad_fn's name, or a function of the arguments giving it.
    fixed: tensors that may want no gradient.  real_gradient: complex results have no gradient.  exact_numbers: half types do not round numbers among the operands.  inplace_node: the name where the in-place form has a node of its own.
    packed: the argument that takes separate integers (``permute(2, 0, 1)``).  view: the result shares the input's memory.
    broadcast: gradients are summed back over broadcast dimensions (true for promoted operators).  scalars: tensors may be
    Python numbers.  nondifferentiable: numbers of results without gradient.  unlinked: tensor arguments for which a joint
    gradient never has one (an index).  short: makes the operator's callable.  check: called before promotion, may refuse.
    overwrites: the kernel writes into its first array and returns it; it is given a copy, or in place the tensor's own.
    ufunc: for elementwise operators on one or two tensors: adds the short way of `fast`, with its options.
    hosted: it computes on the CPU wherever its tensors are (cupy lacks what it needs), and copies its results back.
    images: its results have the channels last in memory where one of its so many first arguments has.  volumes: images of three dimensions, too.
    """

    def declare(kernel: Callable) -> Operator:
        public = names.split() or [kernel.__name__]
        op = Operator(kernel, public, **options)
        form = inplace
        op.doc = kernel.__doc__  # type: ignore[attr-defined]
        ufunc, short = options.get("ufunc"), options.get("short")
        if short is not None:
            function = short(op)
        elif ufunc is not None:
            from . import fast, fast_pairs

            function = fast.make(op, ufunc, options)
            if inplace is True:
                form = fast_pairs.make_inplace(op, ufunc, options)
        else:

            def function(*args: Any, **kwargs: Any) -> Any:
                return op.call(*args, **kwargs)

        op.function = function  # type: ignore[attr-defined]
        dress(function, op, kernel)
        table.add(op, public, function, method, form)
        return op

    return declare


def dress(function: Any, op: Any, kernel: Callable) -> None:
    function.__name__ = op.name
    function.__qualname__ = op.name
    function.__doc__ = kernel.__doc__
    function.__module__ = "torch"
    function._operator = op
    function.__wrapped__ = Form(op.names[0], function, op, op.out)


__all__ = ["Array", "Arrays", "operator", "Composite", "composite", "Operator", "COMPLEX", "dtype", "Sequence"]
