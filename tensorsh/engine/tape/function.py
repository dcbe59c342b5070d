"""Custom differentiable functions: subclasses of ``torch.autograd.Function`` with their own forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.sealed import OpenSealed
from ...sandbox.wrapping import signature, wraps
from ..arrays.dtype import FROM_NUMPY
from ..arrays.state import here, state
from ..arrays.type_names import type_name
from ..arrays.warning import warn
from ..graph.dual import TangentsAlone
from ..graph.fields import Version, link, new, tick, wrap
from ..graph.nodes import FREED, SECOND_TIME, AccumulateGrad, Node, Slot, raise_modified, result_node
from ..graph.raw_saved import raw_tensors
from ..graph.saved_hooks import Packed, note
from ..tensors.inplace import rewrite
from ..tensors.tensor import Tensor, wanting

SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)


class FunctionNode(Node):
    """The node and the `ctx` of a custom function: what `save_for_backward` keeps stands here."""

    _function: Any = None
    _to_save: tuple = ()
    needs_input_grad: tuple = ()
    _materialize = True
    _dirty: tuple = ()
    _unmarked: frozenset = frozenset()
    _saved_values: Any = ()
    saved_for_forward: tuple = ()
    _pushed = False
    """Whether jvp runs, which has kept tensors of its own."""
    _shapes: tuple = ()
    _materialize_non_diff_grads = True
    _left_out: frozenset = frozenset()
    """The results without gradient, where no zeros stand for these."""
    _positions = 0
    _places: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; they are checked for in-place changes."""
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for jvp, where `saved_tensors` has them."""
        if not all(t is None or isinstance(t, Tensor) for t in tensors):
            raise AssertionError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
            )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs forward changed in place."""
        if any(not isinstance(tensor, Tensor) for tensor in tensors):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which results have no gradient."""
        self._unmarked = frozenset(map(id, tensors))
        self.unmarked_tensors = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients are given to backward as zeros (the default) or as None."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple:
        if self._pushed:
            return self.saved_for_forward
        if self._saved_values is FREED:
            raise RuntimeError(SECOND_TIME)
        if not self._sealed:
            return self._to_save
        result: list = []
        for entry in self._saved_values:
            if entry is None:
                result.append(None)
                continue
            if type(entry) is Packed:
                result.append(entry.tensor(self))
                continue
            tensor, number = entry
            cell = tensor._cell
            if cell is not None and cell.last > self._sequence:
                raise_modified(self, tensor._array, cell, tensor._node if number is None else self)
            if number is not None and tensor._node is None:
                again = wrap(tensor._array)
                again._cell = tensor._cell
                again._node = result_node(self, number)
                tensor = again
            result.append(tensor)
        return tuple(result)

    @property
    def _raw_saved_tensors(self) -> tuple:
        return raw_tensors(self)

    @property
    def saved_variables(self) -> tuple:
        """What `saved_tensors` was called."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    _sealed = False

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self._title} object at {id(self):#x}>"

    def _seal(self, outputs: list) -> None:
        """Turn `to_save` into what is kept: results by their arrays, so that no cycle arises."""
        kept: list = []
        for at, t in enumerate(self._to_save):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {at} is of type {type(t).__name__}"
                )
            if t is None:
                kept.append(None)
                continue
            number = next((i for i, o in enumerate(outputs) if o is t), None)
            if here.packing:
                shown = t
                if number is not None:
                    shown = wrap(t._array)
                    shown._node = Slot(self, number) if self._outputs > 1 else self
                kept.append(Packed(shown, here.packing[-1], self))
                continue
            if number is None:
                kept.append((t, None))
            else:
                if t._cell is None:
                    t._cell = Version()
                shadow = new(Tensor)
                shadow._array, shadow._cell = t._array, t._cell
                kept.append((shadow, number))
        self._saved_values = kept
        self._to_save = ()
        self._sealed = True

    def _step(self, gradient: Any, world: Any) -> list:
        many = gradient if isinstance(gradient, list) else [gradient]
        if here.pushing:
            from .forward_mode import transposed

            return transposed(self, many)
        given: list = []
        for i, g in enumerate(many):
            if g is None:
                zeros = self._materialize and self._shapes[i] is not None and i not in self._left_out
                given.append(self._zeros(i) if zeros else None)
            else:
                given.append(world.tensor(g))
        answers = self.apply(*given)
        if not isinstance(answers, tuple):
            answers = (answers,)
        inputs = self._positions
        name = self._title
        if len(answers) < inputs or any(a is not None for a in answers[inputs:]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {inputs}, got {len(answers)})"
            )
        gradients: list = []
        for at, (place, edge, meta) in enumerate(zip(self._places, self._edges, self._metas or (), strict=True)):
            answer = answers[place]
            if answer is not None and not isinstance(answer, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_name(answer)})")
            if answer is None or edge is None:
                gradients.append(None)
                continue
            shape, dtype = meta
            if answer._array.shape != shape:
                if _expandable(shape, answer._array.shape):
                    answer = world.tensor(world.sum_to_size(world.value(answer), shape))
                else:
                    raise RuntimeError(
                        f"Function {name} returned an invalid gradient at index {at} - got {list(answer._array.shape)} but "
                        f"expected shape compatible with {list(shape)}"
                    )
            if answer._array.dtype != dtype:
                answer = answer.to(FROM_NUMPY[dtype])
            gradients.append(world.value(answer))
        return gradients

    def apply(self, *args: Any) -> Any:
        """What `backward` (or `vjp`) gives for gradients."""
        function = self._function
        by_vjp = function.vjp is not Function.vjp
        if by_vjp and function.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
                "them."
            )
        return here.given_back(function.vjp if by_vjp else function.backward, self, *args)

    def _zeros(self, number: int) -> Tensor:
        shape, dtype = self._shapes[number]
        return wrap(np.zeros(shape, dtype))

    def _release(self) -> None:
        if self._saved_values:
            self._saved_values = FREED


def _expandable(shape: tuple, larger: tuple) -> bool:
    if len(shape) > len(larger):
        return False
    tail = larger[len(larger) - len(shape) :]
    return all(a == b or a == 1 for a, b in zip(shape, tail, strict=True))


class FunctionMeta(OpenSealed):
    """Gives every custom function its node class, named as PyTorch names it: ``ExpBackward`` for ``Exp``."""

    def __init__(cls, name: str, bases: tuple, members: dict) -> None:
        super().__init__(name, bases, members)
        cls._backward_cls = type(  # type: ignore[attr-defined]
            name + "Backward",
            (FunctionNode,),
            {"_title": name + "Backward", "_function": cls, "__module__": "torch.autograd.function"},
        )


class Function(metaclass=FunctionMeta):
    """The base of custom functions: static methods `forward(ctx, *args)` and `backward(ctx, *grad_outputs)`."""

    __module__ = "torch.autograd.function"
    generate_vmap_rule = False
    """Whether `vmap` makes its own rule of `forward` and `backward`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        message = (
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
        )
        warn(message, DeprecationWarning)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; `ctx.save_for_backward` keeps what backward needs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of each argument of forward, given those of its results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the results, given those of the arguments, for derivatives forward."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Called after a forward without `ctx`, to save what backward needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """The results for all slices of arguments that have them along `in_dims` (None: the same for all), and their dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the function and record it."""
        if cls.setup_context is not Function.setup_context:
            args, kwargs = _with_defaults(cls.forward, args, kwargs), {}
        for mode in reversed(here.function_modes):
            answer = mode._applied(cls, args)
            if answer is not NotImplemented:
                return answer
        if here.transforms and cls.setup_context is Function.setup_context:
            raise RuntimeError(SETUP)
        node = cls._backward_cls()  # type: ignore[attr-defined]
        given = (*args, *kwargs.values()) if kwargs else args
        tensors = [(i, a) for i, a in enumerate(given) if isinstance(a, Tensor)]
        aside = not here.grad_enabled and here.tangents > 0 and here.dual_level < 0
        tracked = (aside or here.grad_enabled) and any(t._node is not None for _, t in tensors)
        node.needs_input_grad = tuple(isinstance(a, Tensor) and a._node is not None for a in given)
        node._positions = len(given)
        tangents = None
        if here.dual_level >= 0:
            from .forward_mode import applied, tangents_of

            tangents = tangents_of(args)
        before, forwards = here.grad_enabled, here.tangents
        here.grad_enabled, here.tangents = False, 0
        try:
            if cls.setup_context is not Function.setup_context:
                outputs = cls.forward(*args, **kwargs)
                cls.setup_context(node, args, outputs)
            else:
                outputs = cls.forward(node, *args, **kwargs)
        finally:
            here.grad_enabled, here.tangents = before, forwards
        several = isinstance(outputs, tuple)
        outs = list(outputs) if several else [outputs]
        results = [_apart(node, o, tensors) for o in outs]
        if node._dirty:
            _check_dirty(node._dirty, [t for _, t in tensors], outs, tracked)
        views = [
            o for o in results if isinstance(o, Tensor) and o._root is not None and not any(o is d for d in node._dirty)
        ]
        for o in views:
            o._origin = "custom" if len(results) == 1 else "multiple"
        if tracked:
            _record(node, tensors, results, aside)
        if tangents is not None:
            applied(cls, node, args, results, tangents)
        return tuple(results) if several else results[0]


def _apart(node: Any, output: Any, tensors: list) -> Any:
    """What a function returned; in the place of an input that it left as it is, another tensor on its memory."""
    if (
        not isinstance(output, Tensor)
        or not any(output is t for _, t in tensors)
        or any(output is d for d in node._dirty)
    ):
        return output
    again: Any
    again = wrap(output._array) if type(output) is Tensor or output._is_parameter else output.view_as(output)  # type: ignore[attr-defined]
    again._cell = output._cell = output._cell or Version()
    again._root = output if output._root is None else output._root
    if id(output) in node._unmarked:
        node._unmarked = node._unmarked | {id(again)}
    return again


def _record(node: Any, tensors: list, results: list, aside: bool) -> None:
    """The node gets its edges and what it keeps, the results get the node. aside: for tangents alone."""
    if any(type(d._node) is AccumulateGrad for d in node._dirty):
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    node._places = tuple(i for i, _ in tensors)
    node._edges = tuple(t._node for _, t in tensors)
    node._metas = tuple((t._array.shape, t._array.dtype) for _, t in tensors)
    for d in node._dirty:
        d._bump()
    node._sequence = tick()
    if state.anomaly and here.places:
        note(node, here.places())
    node._outputs = len(results)
    node._shapes = tuple((o._array.shape, o._array.dtype) if isinstance(o, Tensor) else None for o in results)
    if not node._materialize_non_diff_grads:
        node._left_out = frozenset(i for i, o in enumerate(results) if id(o) in node._unmarked)
    node._seal(results)
    for i, o in enumerate(results):
        if not isinstance(o, Tensor) or o._array.dtype.kind not in "fcV":
            continue
        if id(o) in node._unmarked:
            o._node = None
            continue
        made: Node = Slot(node, i) if len(results) > 1 else node
        made = TangentsAlone(made, None) if aside else made
        if any(o is d for d in node._dirty):
            rewrite(o, made)
        else:
            o._node = made


def _check_dirty(dirty: tuple, inputs: list, outputs: list, tracked: bool) -> None:
    """What a function said it changed has to be an input that it returns, and no view beside another result."""
    for d in dirty:
        if not any(d is x for x in inputs):
            warn(NO_INPUT, UserWarning)
        elif not any(d is o for o in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
                "modified inplace must all be outputs of the Function."
            )
        elif tracked and d._root is not None and len(outputs) > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
                "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input "
                "is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
                "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
                "does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
                "this change."
            )


NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
    "ctx.mark_dirty()."
)


def _with_defaults(forward: Any, args: tuple, kwargs: dict) -> tuple:
    """All arguments of a forward in order, with its defaults."""
    code = getattr(forward, "__code__", None)
    if not kwargs and code is not None and len(args) >= code.co_argcount:
        return args
    bound = signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


class Error(Node):
    """Stands behind the results of a backward that is differentiated once too often."""

    _title = "torch::autograd::Error"

    def _step(self, gradient: Any, world: Any) -> list:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def _refusing(results: tuple) -> tuple:
    """The same values, behind a node that refuses a gradient."""
    leaves = [wanting(wrap(t._array)) if isinstance(t, Tensor) else None for t in results]  # type: ignore[attr-defined]
    node = link(Error, tuple([None if leaf is None else leaf._node for leaf in leaves]))
    node._outputs = len(results)
    made = [t if leaf is None else wrap(t._array) for t, leaf in zip(results, leaves, strict=True)]
    for i, leaf in enumerate(leaves):
        if leaf is not None:
            made[i]._node = Slot(node, i) if len(results) > 1 else node
    return tuple(made)


def once_differentiable(function: Any) -> Any:
    """Marks a backward that cannot itself be differentiated."""

    @wraps(function)
    def wrapped(ctx: Any, *gradients: Any) -> Any:
        before, here.grad_enabled = here.grad_enabled, False
        try:
            found = function(ctx, *gradients)
        finally:
            here.grad_enabled = before
        if not before or all(not isinstance(g, Tensor) or g._node is None for g in gradients):
            return found
        return _refusing(found) if isinstance(found, tuple) else _refusing((found,))[0]

    return wrapped
