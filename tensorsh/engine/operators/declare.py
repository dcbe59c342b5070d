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

from collections.abc import Callable, Sequence
from functools import partial
from inspect import unwrap
from operator import itemgetter
from typing import Any

import numpy as np

from ...sandbox.long_calls import endable
from ..arrays.dtype import COMPLEX, dtype
from ..arrays.layout import as_images, copying
from ..loading.table import FUNCTIONS
from ..tape.record import attach, camel
from ..tensors.inplace import write
from ..tensors.named_tuples import named
from ..tensors.tensor import Tensor
from .composite import Composite, composite
from .executor import NUMBERS, REQUIRED, Executor, Title
from .forms import in_one_tuple, public
from .registration import add
from .signature import Form

Array = np.ndarray
Arrays = list


class Operator(Executor):
    """One operator: kernel, signature, gradients, and the callables made from them."""

    def __init__(self, kernel: Callable, names: list[str], **options: Any) -> None:
        self.kernel, self.names = kernel, names
        self.name = names[0].rpartition(".")[2]
        code = (declared := getattr(kernel, "__wrapped__", kernel)).__code__
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        self.params: tuple[str, ...] = code.co_varnames[1 : count + keyword_only]
        self.positional = count - 1
        defaults = declared.__defaults__ or ()
        required = self.required = self.positional - len(defaults)
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
        self.keywords = self.params[self.positional :]
        self.rest = self.defaults[2:]
        self.wide: bool = options.get("wide", self.promote is not None)
        self.view: bool = options.get("view", False)
        self.outputs: int = options.get("outputs", 1)
        self.returns: str | None = options.get("returns")
        self.node: Any = options.get("node") or camel(self.name) + "Backward0"
        self.inplace_node: str | None = options.get("inplace_node")
        self.packed: int = self.index[options["packed"]] if "packed" in options else -1
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
        self.kept: dict = {}
        self.last_mask, self.last_sources = 0, None
        self.usual_class = None
        self.classes: dict[tuple[str, bool], type] = {}
        self.fields = self.returns.split() if self.returns else []
        self.check: Callable | None = options.get("check")
        self.takes_floats = hasattr(self.check, "takes_floats")
        self.fast: Callable | None = None
        self.loop: Callable | None = None
        self.otherwise: Callable | None = None  # of tensors, for arguments to which the kernel answers None
        self.first = self.promoted[0] if self.promoted else -1
        self.limited: Any = not self.view  # by dtypes, for which PyTorch has no kernel
        self.same: Callable | None = None
        self.out: bool = options.get("out", True)
        self.follows = "index" in self.index or "indices" in self.index  # see `inplace.apart`
        self.overwrite: Callable | None = None
        self.hosted: bool = options.get("hosted", False)
        if options.get("overwrites"):
            self.overwrite, self.kernel = kernel, copying(kernel)
        if images := options.get("images", 0):
            self.kernel = as_images(kernel, images, options.get("volumes", True))
        if options.get("long", self.hosted or images):
            self.kernel = endable(self.kernel)
        self.unlinked: frozenset = frozenset(options.get("unlinked", "").split())
        self.real_gradient: bool = options.get("real_gradient", False)
        self.fixed = tuple(self.index[p] for p in options.get("fixed", "").split())
        self.exact_numbers: bool = options.get("exact_numbers", False)
        self.scalars: bool = options.get("scalars", self.promote is not None)

        self.call: Callable = self.form("torch." + names[0])
        self.shorten: Callable | None = None  # puts a short way in front of a form, which it is given
        self.shorten_inplace: Callable | None = None

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
        code = unwrap(formula).__code__
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

    def form(self, title: str) -> Callable:
        """The form of a title, for any arguments: checked, bound to the parameters and run."""
        return public(title, Title(self, title).answer)

    def make(self, title: str) -> Callable:
        """The public function of a title: a form, with the short way in front of it that the operator has."""
        usual = self.form(title)
        function = usual if self.shorten is None else self.shorten(usual)
        function._title = title  # type: ignore[union-attr]
        if self.packed >= 0 and title.startswith("torch."):
            function = in_one_tuple(function, usual, self.packed)
        return dress(function, self)

    def in_place(self) -> Callable:
        """The in-place function: the result, stored in the first argument."""

        def run(*args: Any, **kwargs: Any) -> Tensor:
            return write(self, self.bind(args, kwargs))

        run._operator = self  # type: ignore[attr-defined]
        return run

    def packaged(self, tensors: list, form: str = "") -> Any:
        if self.outputs == 1:
            return tensors[0]
        if self.returns:
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
        from .out_rules import known, store_results

        title = known([*self.names, self.name, name, name.rpartition(".")[2]], name or self.names[0])
        given = self.index.get("dtype", -1)
        store_results(title, results, targets, tracked, values, given >= 0 and values[given] is not None)
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
    gradient never has one (an index).  short: given the operator and a
    form, makes the short way in front of it.  check: called before promotion, may refuse.
    overwrites: the kernel writes into its first array and returns it; it is given a copy, or in place the tensor's own.
    ufunc: for elementwise operators on one or two tensors: adds the short way of `fast`, with its options.
    hosted: it computes on the CPU wherever its tensors are (cupy lacks what it needs), and copies its results back.
    images: its results have the channels last in memory where one of its so many first arguments has.  volumes: images of three dimensions, too.
    """

    def declare(kernel: Callable) -> Operator:
        public = names.split() or [kernel.__name__]
        op = Operator(kernel, public, **options)
        op.doc = kernel.__doc__  # type: ignore[attr-defined]
        ufunc, short = options.get("ufunc"), options.get("short")
        if short is not None:
            op.shorten = partial(short, op)
        elif ufunc is not None:
            from . import elementwise

            op.shorten = elementwise.make(op, ufunc, options)
        op.signature = Form(op.names[0], None, op, op.out)  # type: ignore[attr-defined]
        add(op, public, op.make, method, inplace)
        op.function = FUNCTIONS[public[0]] if op.packed < 0 else op.make("Tensor." + public[0])  # type: ignore[attr-defined]
        op.signature.owner = FUNCTIONS[public[0]]  # type: ignore[attr-defined]
        return op

    return declare


def dress(function: Any, op: Any) -> Any:
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.doc
    function.__module__ = "torch"
    function._operator = op
    function.__wrapped__ = op.signature
    return function


__all__ = [
    "Array",
    "Arrays",
    "operator",
    "Composite",
    "composite",
    "Operator",
    "NUMBERS",
    "REQUIRED",
    "attach",
    "COMPLEX",
    "dtype",
    "Sequence",
]
