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

from collections.abc import Callable
from functools import partial
from inspect import unwrap
from operator import itemgetter
from typing import Any

import numpy as np

from ...sandbox.long_calls import MANY, READ
from ..arrays.layout import by_columns, copying
from ..graph.fields import wrap
from ..loading.table import FUNCTIONS
from ..tape.record import attach, camel
from ..tensors.inplace import computed_in, write
from ..tensors.named_tuples import named
from ..tensors.tensor import Tensor
from .around import Around
from .composite import Composite, composite
from .executor import NUMBERS, REQUIRED, Executor
from .forms import in_one_tuple
from .out_rules import known, recorded, store_results
from .public_form import form_of
from .registration import add
from .signature import Form
from .titles import Title

Array = np.ndarray
Arrays = list
Constant = np.ndarray
Unlinked = np.ndarray
Written = np.ndarray
Ints = Any


ARRAYS = frozenset(("Array", "ndarray", "Constant", "Unlinked", "Written"))
"""Annotations of a kernel's tensors."""
NOT_EACH = frozenset(("dim", "p", "vec1"))
"""Parameters of operators that are more than a function of each place: with a dimension, a norm, a product."""
DOMAINS = {
    "any": (-1.7, 1.9), "positive": (0.3, 2.5), "unit": (-0.8, 0.7), "above one": (1.2, 3.0), "inside": (0.15, 0.85),
}  # fmt: skip
"""Intervals on which operators are smooth."""


class Operator(Executor):
    """One operator: kernel, signature, gradients, and the callables made from them."""

    def __init__(
        self, kernel: Callable, names: list[str], promote: str | None, wide: bool | None, scalars: Any, outputs: int | str,
        node: Any, broadcast: bool | None, check: Callable | None, out: bool, long: bool | str | None, laid: str, view: bool,
        domain: str,
    ) -> None:  # fmt: skip
        self.kernel, self.names = kernel, names
        self.name = names[0].rpartition(".")[2]
        self.read_parameters(kernel)
        self.read_promotion(promote, view, outputs)
        self.wide: bool = promote is not None if wide is None else wide
        self.view: bool = view
        fields = outputs.split() if isinstance(outputs, str) else []
        self.outputs: int = len(fields) if isinstance(outputs, str) else outputs
        self.nondifferentiable = frozenset(i for i, field in enumerate(fields) if field[0] == "(")
        self.fields = [field.strip("()") for field in fields if field.strip("()") != "_"]
        self.node: Any = node or camel(self.name) + "Backward0"
        self.inplace_node: str | None = None
        if isinstance(node, str) and " " in node:
            self.node, self.inplace_node = node.split()
        self.broadcast: bool = promote is not None or len(self.tensors) > 1 if broadcast is None else broadcast
        self.begin_recording()
        self.check = check
        self.takes_floats = hasattr(self.check, "takes_floats")
        self.limited: Any = not self.view  # by dtypes, for which PyTorch has no kernel
        self.out: bool = out
        self.domain = domain
        self.follows = "index" in self.index or "indices" in self.index  # see `inplace.apart`
        self.hosted: bool = long == "hosted"
        self.exact_numbers: bool = scalars == "exact"
        self.scalars: bool = promote is not None if scalars is None else bool(scalars)
        self.begin_functions()
        self.wrap_kernel(long, laid)
        self.call: Callable = self.form("torch." + names[0])

    def read_parameters(self, kernel: Callable) -> None:
        """The parameters, their defaults, and what their annotations say of them."""
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
        self.keywords = self.params[self.positional :]
        self.rest = tuple(self.defaults[2:])
        self.demands = REQUIRED in self.defaults[self.positional :]
        notes = kernel.__annotations__
        kinds = [getattr(notes.get(p), "__name__", notes.get(p)) for p in self.params]
        self.arrays = bytes([i for i, k in enumerate(kinds) if k in ARRAYS])
        self.lists = bytes([i for i, k in enumerate(kinds) if k == "Arrays" or k == "list"])
        self.tensors = bytes(sorted(self.arrays + self.lists))
        self.fixed = bytes([i for i, k in enumerate(kinds) if k == "Constant"])
        self.unlinked = frozenset(p for p, k in zip(self.params, kinds, strict=True) if k == "Unlinked")
        self.packed: int = kinds.index("Ints") if "Ints" in kinds else -1
        self.overwrite: Callable | None = kernel if "Written" in kinds else None

    def read_promotion(self, promote: str | None, view: bool, outputs: int | str) -> None:
        """Which operands are brought to one dtype, and how."""
        kind, *chosen = (promote or "").split() or [""]
        self.promote: str | None = kind or None
        self.promoted = bytes([self.index[p] for p in chosen]) or self.arrays
        self.first = self.promoted[0] if self.promoted else -1
        self.unmixed: bool = promote is not None and self.promoted == self.tensors
        elementwise = not NOT_EACH & self.index.keys() and not view and outputs == 1 and not self.lists
        self.mingles: bool = self.unmixed and elementwise and len(self.arrays) > 1
        self.lone = self.tensors == self.arrays == self.promoted == b"\0"  # one tensor, and settings

    def begin_recording(self) -> None:
        """No gradients yet, and nothing that is remembered of nodes that were made."""
        self.formulas: list[tuple[Callable | None, tuple[int, ...]]] = [(None, ())] * len(self.tensors)
        self.runners: list = [(None, None, None)] * len(self.tensors)
        self.joint: Callable | None = None
        self.lost: tuple[int, ...] = ()
        """The arguments that get no gradient where a result has no elements; all others get zeros."""
        self.saved_names: tuple[str, ...] = ()
        self.sources: list[tuple[str, int]] = []
        self.keeps = False
        self.differentiable = False
        self.real_gradient = False
        """Whether complex results have no gradient: set below the declaration."""
        self.plans: dict = {}
        self.kept: dict = {}
        self.last_mask, self.last_sources, self.last_usual = 0, None, None
        self.last_place, self.last_number, self.last_kept = -1, None, None
        self.usual_class = self.last_title = self.last_class = None
        self.classes: dict[tuple[str, bool], type] = {}

    def begin_functions(self) -> None:
        """What a family sets below a declaration: array functions for cases of which it knows more, names of results."""
        self.fast: Callable | None = None
        self.loop: Callable | None = None
        self.direct: Callable | None = None
        """On arrays of a device, without a step between; None for what is not for it."""
        self.same: Callable | None = None
        self.within: Callable | None = None
        """What computes it in an array's own memory, for operands that it can do so with; set by the option `ufunc`."""
        self.otherwise: Callable | None = None  # of tensors, for arguments to which the kernel answers None
        self.result: type | None = None  # of several results with names
        self.operands = 0  # of its loop: one tensor, or a tensor and a tensor or number
        self.shorten: Callable | None = None  # puts a short way in front of a form, which it is given
        self.shorten_inplace: Callable | None = None

    def wrap_kernel(self, long: bool | str | None, laid: str) -> None:
        """What the kernel does not see to itself: that it copies what it overwrites, how results lie, that it can be left."""
        if self.overwrite is not None:
            self.kernel = copying(self.kernel)
        images, *number = laid.split() or [""]
        if images == "columns":
            self.kernel, images = by_columns(self.kernel, frozenset(map(int, number))), ""
        if images or long:
            many = READ if long == "once" or images and long is None else MANY if long else 0
            self.kernel = Around(self.kernel, many, int(number[0]) if images else 0, 6 if images == "images" else 5)

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

    def gradient_of(self, argument: str) -> Callable:
        """Declares the formula of an operator that has a gradient for one argument alone."""

        def declare(formula: Callable) -> Callable:
            self.gradient(**{argument: formula})
            return formula

        return declare

    def joint_gradient(self, formula: Callable) -> Callable:
        """One formula for all: `formula(t, g, needs, ...)` returns a gradient (or None) for each tensor argument in order."""
        self.differentiable = True
        self.joint = formula
        self._slots(formula, 3)  # what it names is kept
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
        return form_of(title, None, (), Title(self, title), self)

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
        if self.fields:
            if form or len(tensors) != len(self.fields):
                return named(self.name + form, tuple(self.fields[: len(tensors)]))(tensors)
            if self.result is None:
                self.result = named(self.name, tuple(self.fields))
            return self.result(tensors)
        return tuple(tensors)

    def into(self, values: Any, out: Any, name: str = "") -> Any:
        """The ``out=`` form: results written into given tensors, resized where their shape differs. name: under which the
        operator was called, where it is one of several."""
        if isinstance(out, NUMBERS) and self.scalars:
            out = wrap(np.asarray(out))  # a number is a tensor wherever one may stand
        targets = list(out) if isinstance(out, (tuple, list)) else [out]
        for t in targets:
            if not isinstance(t, Tensor):
                raise TypeError(f"{self.name}(): argument 'out' must be Tensor, not {type(t).__name__}")
        arrays, tracked = self.unwrap(values)
        if self.within is not None and not tracked and type(out) is Tensor and computed_in(out, self, arrays):
            return out
        result = self.compute(arrays)
        if result is None and self.otherwise is not None:
            result = self.otherwise(*values)._array
        results = list(result) if type(result) in (tuple, list) else [result]
        results = results[: self.outputs] if self.outputs > 0 else results
        if len(results) != len(targets) and self.outputs != 1:
            raise TypeError(f"expected tuple of {len(results)} elements but got {len(targets)}")
        title = known([*self.names, self.name, name, name.rpartition(".")[2]], name or self.names[0])
        given = self.index.get("dtype", -1)
        exactly = given >= 0 and values[given] is not None
        recorded([title], targets, values, lambda: store_results(title, results, targets, tracked, values, exactly))
        if len(targets) == 1 and not isinstance(out, (tuple, list)):
            return out
        return self.packaged(targets, "_out")


def by(ufunc: Any, **how: Any) -> tuple[Any, dict[str, Any]]:
    """The option `ufunc` of an operator, with how its ufunc is used.

    loop: the ufunc, or kernel, for small arrays of float32.  floats: it takes no whole numbers.  real: no complex ones.
    exact, precise: it is computed in double precision and rounded, or by the kernel of another ufunc."""
    return ufunc, how


def operator(
    names: str = "", /, *, method: bool | str = True, inplace: Any = False, promote: str | None = None,
    wide: bool | None = None, scalars: Any = None, outputs: int | str = 1, node: Any = None, broadcast: bool | None = None,
    check: Callable | None = None, short: Callable | None = None, ufunc: Any = None, out: bool = True,
    long: bool | str | None = None, laid: str = "", view: bool = False, domain: str = "",
) -> Callable:  # fmt: skip
    """Declare a primitive operator.

    names: its public names, dotted below ``torch`` (``"linalg.svd"``); the function's own name when empty.

    ========== ===========================================================================================================
    method     whether it is a Tensor method too, or the method's names
    inplace    whether ``name_`` exists, the names of those forms, or the function itself
    promote    "same": operands are brought to their common dtype; "float": integers to the default float too; then, by
               their names, the arguments that take part, where that is not all tensors
    wide       half types are computed in float32 (default: where it promotes)
    scalars    tensors may be Python numbers (default: where it promotes); "exact": half types do not round these
    outputs    how many results are public (-1: all; further ones are kept for the formulas), or the field names of a
               ``torch.return_types`` result, ``_`` for those without; in brackets those without gradient: "values (indices)"
    node       the grad_fn's name, or a function of the arguments giving it; a second name is that of the in-place form
    broadcast  gradients are summed back over broadcast dimensions (default: where it promotes, or has several tensors)
    check      is called with the arrays before promotion, and may refuse them
    short      given the operator and a form, makes the short way in front of it
    ufunc      an elementwise operator's array function for floats, or `by` with how it is used
    out        whether ``out=`` exists
    long       it may take long, and can be left at any time; "once": but goes through its elements once; "hosted": and computes
               on the CPU wherever its tensors are
    laid       where results lie: "columns 0 1", these column by column; "images 2", with the channels last where one of so
               many first arguments has; "planes 1", but not in three dimensions
    view       the result shares the input's memory
    domain     the interval from which the checks of its gradient take elements, by its name in `DOMAINS`
    ========== ===========================================================================================================

    The kernel's annotations say what its parameters are: `Array`, `Arrays` (a list of tensors), `Constant` (a tensor that may
    want no gradient), `Unlinked` (to which a joint gradient never flows, as an index), `Written` (the kernel writes into it and
    returns it: it is given a copy, or in place the tensor's own), `Ints` (``permute(2, 0, 1)`` gives them separately).
    """

    def declare(kernel: Callable) -> Operator:
        public = names.split() or [kernel.__name__]
        op = Operator(
            kernel, public, promote, wide, scalars, outputs, node, broadcast, check, out, long, laid, view, domain
        )
        op.doc = kernel.__doc__  # type: ignore[attr-defined]
        if short is not None:
            op.shorten = partial(short, op)
        elif ufunc is not None:
            from . import elementwise

            found, how = ufunc if isinstance(ufunc, tuple) else (ufunc, {})
            elementwise.enter(op, found, how)
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
    "Array", "Arrays", "Constant", "Unlinked", "Written", "Ints", "by", "operator", "Composite", "composite", "Operator",
    "NUMBERS", "REQUIRED", "attach", "camel",
]  # fmt: skip
