"""The calls of a function that `vmap` maps: each is made for all slices at once, by the rule of the function that is called
(rules.py), or slice by slice where it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from ...engine.arrays.state import here, state
from ...engine.arrays.warning import warn
from ...engine.loading.elementwise import drawing
from ...engine.loading.table import find_function
from ...engine.operators.hooks import stay
from ...engine.operators.torch_function import TorchFunctionMode
from ...engine.tape.backward import grad as gradients
from ...engine.tape.function import SETUP, Function
from ...engine.tensors.tensor import Tensor
from ..utils._pytree import _broadcast_to_and_flatten, tree_structure
from .randomness import ERROR, drawable, drawn_alike, drawn_at_once
from .rules import made
from .slices import (
    ARITHMETIC,
    BOTH,
    DYNAMIC,
    FORMATS,
    INTO,
    MASK,
    NEITHER,
    OWN_NAMES,
    PLAIN,
    REFUSED,
    SHOWN,
    TWO,
    UNLIKE,
    USUAL_FORMATS,
    WRITING,
    Batched,
    Escaped,
    Own,
    base,
    masks,
    spoken,
)  # fmt: skip
from .tensor_rules import Loop, Refused

FALLBACK = {"warns": True, "enabled": True, "shown": False}
"""What is done about functions that are made slice by slice, unless a program says otherwise."""
SLOWLY = {
    each.rpartition(".")[0] or each: each
    for each in "airy_ai bincount ctc_loss.Tensor fractional_max_pool2d fractional_max_pool3d histc histogram.bin_ct index_reduce "
    "isin linalg_lu log_ndtr max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss pdist put renorm searchsorted.Scalar "
    "segment_reduce soft_margin_loss take vander".split()
} | {"affine_grid": "affine_grid_generator", "max_unpool1d": "max_unpool2d"}  # fmt: skip
"""The functions that PyTorch computes slice by slice, and their kernels' names."""
SLOW = (
    "There is a performance drop because we have not yet implemented the batching rule for aten::{}. Please file us an issue on "
    "GitHub so that we can prioritize its implementation."
)


def slowly(name: str, args: tuple) -> str | None:
    """The kernel that PyTorch would call for each slice alone; None where it has a rule for all."""
    if name not in SLOWLY and "_polynomial_" not in name:
        return None
    plain = [not isinstance(each, Tensor) for each in args[:2]]
    if "_polynomial_" in name:
        return f"special_{name}" + (".x_scalar" if plain[:1] == [True] else ".n_scalar" if plain[1:] == [True] else "")
    if name == "isin":
        return "isin." + "_".join("Scalar" if each else "Tensor" for each in plain)
    if name == "searchsorted" and plain[1:] != [True]:
        return None
    kernel = SLOWLY[name]
    return f"special_{kernel}" if kernel in ("airy_ai", "log_ndtr") else kernel


class VmapInfo(NamedTuple):
    """What the `vmap` of a program's own function is told: the number of slices, and what random numbers are."""

    batch_size: int
    randomness: str


class Level(TorchFunctionMode):
    """The calls of one mapped function, on `count` slices; `generator` draws their random numbers."""

    def __init__(self, count: int, randomness: str = "error", generator: Any = None) -> None:
        self.count, self.randomness, self.generator = count, randomness, generator
        self.number = 1 + here.transforms
        self.given: list = []
        """Weak references to the slices, of which none is to be asked when this is over."""

    def slice_of(self, whole: Tensor, dim: int = 0) -> Batched:
        """A slice of a tensor along a dimension, for all of them. IndexError: the tensor has others, as where its memory was taken meanwhile."""
        if whole.shape[dim] != self.count:
            raise IndexError(f"{whole.shape[dim]} slices of {self.count}")
        made = Batched._of(self, whole.movedim(dim, 0) if dim else whole)
        if dim:
            made._given = whole, dim
        self.given.append(ref(made))
        return made

    def end(self) -> None:
        """Slices that a program still holds have escaped."""
        for each in [found for reference in self.given if (found := reference()) is not None]:
            each.__class__ = Escaped
            stay("classes")

    def has(self, x: Any) -> bool:
        """Whether something is a slice of this level."""
        return isinstance(x, Batched) and x._level is self

    def lifted(self, x: Tensor) -> Tensor:
        """The tensor of all slices; of what is the same for all, too."""
        return x._whole if self.has(x) else x.expand(self.count, *x.shape)  # type: ignore[attr-defined]

    def depend(self, values: Iterable) -> bool:
        """Whether a slice is among values, and lists of them."""
        for each in values:
            kind = type(each)
            if kind is Batched:
                if each._level is self:
                    return True
            elif (kind is tuple or kind is list) and self.depend(each) or kind is dict and self.depend(each.values()):
                return True
        return False

    def __torch_function__(self, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        name = func.__name__
        depends = self.depend([*args, *kwargs.values()])
        if name in drawing():
            drawable(self, name, args, kwargs)
            if not depends and self.randomness == "different":
                return self.drawn(name, func, args, kwargs)
            if depends and drawn_alike(self, name, func, args, kwargs):
                return args[0]
        if not depends:
            return func(*args, **kwargs)
        if name == "__get__" or name == "__set__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        elif name == "grad":
            return self.gradients(func, *args, **kwargs)
        if name in FORMATS and str(kwargs.get("memory_format")) not in USUAL_FORMATS:
            raise RuntimeError(FORMATS[name].format(spoken(kwargs["memory_format"])))
        if name in REFUSED:
            raise RuntimeError(REFUSED[name])
        if kwargs.get("out") is not None:
            raise RuntimeError(WRITING.format(name))
        if name == "where" and len(args) + len(kwargs) == 1:
            raise RuntimeError(DYNAMIC.format("where"))
        if name == "__getitem__" and any(masks(each) and self.depend([each]) for each in args[1:]):
            raise RuntimeError(MASK)
        if name in PLAIN:
            return func(*args, **kwargs)
        answer = SHOWN.get(name)
        if answer is not None:
            return answer(args[0], *args[1:], **kwargs)
        writes = (name[-1] == "_" and name[0] != "_") or name in ARITHMETIC or name == "__iadd__"
        if writes and not self.depend(args[:1]):
            self._refuse_write(name, args)
        found = self.computed(name, func, args, kwargs)
        return args[0] if writes and isinstance(found, Tensor) else found

    def computed(self, name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
        """The results for all slices: by the rule of a function, or slice by slice."""
        slow = slowly(name.removeprefix("special_"), args)
        if slow and state.__dict__.get("vmap_fallback", FALLBACK)["warns"]:
            warn(SLOW.format(slow))
        wrong: Exception | None = None
        if name not in drawing() or self.randomness != "same":
            try:
                own = {key: self._own(value) for key, value in kwargs.items()}
                return self.sliced(made(self, name, func, tuple(map(self._own, args)), own))
            except Refused as error:
                raise RuntimeError(*error.args) from None
            except (Loop, TypeError, ValueError, IndexError, AttributeError, NotImplementedError):
                pass  # slice by slice, where what is wrong is said of one
            except RuntimeError as error:
                wrong = error  # told of all slices, as PyTorch does, where slices alone are wrong, too
        try:
            return self.one_by_one(func, args, kwargs, name in drawing())
        except RuntimeError as error:
            raise (wrong or error) from None

    def _own(self, value: Any) -> Any:
        """An argument as a rule is given it: slices of other levels are tensors like any other."""
        return _mapped(value, lambda x: Own._of(self, x._whole, x._array) if self.has(x) else x)

    def sliced(self, found: Any) -> Any:
        """Results for all slices, each as a slice."""
        return _mapped(found, self.slice_of)

    def one_by_one(self, func: Callable, args: tuple, kwargs: dict, draws: bool = False) -> Any:
        """The results of one call for each slice, stacked."""
        if not state.__dict__.get("vmap_fallback", FALLBACK)["enabled"]:
            raise RuntimeError(f"aten::{func.__name__} hit the vmap fallback which is currently disabled")
        if not self.count:
            raise RuntimeError("vmap: a mapped dimension of size 0 is not supported")
        # Slices without elements are all alike: one is computed, and stands for 2**40 of them.
        alike = not (draws and self.randomness == "different") and not _elements([*args, *kwargs.values()])
        before, found = here.retain_graph, []
        generator = kwargs.get("generator") or self.generator
        start = generator.get_state() if draws and self.randomness == "same" else None
        try:
            for at in range(1 if alike else self.count):
                if start is not None:
                    generator.set_state(start)
                # One graph may be walked for every slice; only the last frees it.
                here.retain_graph = before or at + 1 < self.count
                own = {name: self._at(value, at) for name, value in kwargs.items()}
                found.append(func(*[self._at(value, at) for value in args], **own))
        finally:
            here.retain_graph = before
        return self._stacked(found)

    def _at(self, value: Any, at: int) -> Any:
        """An argument of the call for one slice."""
        kind = type(value)
        if kind is Batched and value._level is self:
            return value._whole.select(0, at)
        if kind is tuple or kind is list:
            return kind(self._at(each, at) for each in value)
        return {name: self._at(each, at) for name, each in value.items()} if kind is dict else value

    def _stacked(self, found: list) -> Any:
        first = found[0]
        if isinstance(first, Tensor):
            whole = find_function("stack")(found)
            return self.slice_of(whole if len(found) == self.count else whole.expand(self.count, *first.shape).clone())
        if isinstance(first, (tuple, list)):
            made = [self._stacked(list(column)) for column in zip(*found, strict=True)]
            return type(first)._make(made) if hasattr(first, "_make") else type(first)(made)
        return first

    def drawn(self, name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
        """Random numbers of their own for each slice, by a call that no slice takes part in."""
        whole = drawn_at_once(self, name, func, args, kwargs)
        if whole is None:
            return self._stacked([func(*args, **kwargs) for _ in range(self.count)])
        return self.slice_of(whole)

    def gradients(
        self, func: Callable, outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
        create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
        materialize_grads: bool = False,
    ) -> Any:  # fmt: skip
        """The gradients of each slice's outputs by its inputs: those of the sum over all slices, since no slice's outputs
        depend on the inputs of another."""
        outs, ins, weights = _listed(outputs), _listed(inputs), _listed(grad_outputs)
        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads, "create_graph": create_graph}
        depend = self.depend([*outs, *ins])
        alike = not depend and not is_grads_batched and not any(type(each) is Batched for each in (*outs, *ins))
        if alike and (retain_graph or create_graph):
            found = self.walked(outs, ins, weights, options)
            if found is not None:
                return found
        if not depend and not is_grads_batched and (retain_graph or create_graph):
            found = self.walked_above(outs, ins, weights, options)
            if found is not None:
                return found
        if is_grads_batched or not depend:
            own = {"retain_graph": retain_graph, "is_grads_batched": is_grads_batched, **options}
            return self.one_by_one(func, (outputs, inputs, grad_outputs), own)
        for each in ins:
            if not self.has(each):
                raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        weights = weights or [None] * len(outs)
        for i, (each, weight) in enumerate(zip(outs, weights, strict=True)):
            if weight is None and self.has(each):
                if each.numel() != 1:
                    return self.one_by_one(func, (outputs, inputs, grad_outputs), {})  # which says so
                weights[i] = find_function("ones_like")(each._whole)
            elif weight is not None:
                weights[i] = self.lifted(weight) if self.has(each) else weight
        found = func(
            [each._whole if self.has(each) else each for each in outs], [each._whole for each in ins], weights,
            retain_graph=retain_graph, **options,
        )  # fmt: skip
        return tuple(None if each is None else self.slice_of(each) for each in found)

    def walked_above(self, outs: list, ins: list, weights: list, options: dict) -> tuple | None:
        """As `walked`, of outputs that are slices of one level above this: in one walk for all slices of both."""
        above = getattr(outs[0], "_level", None)
        if above is None or not (all(map(above.has, (*outs, *ins))) and all(map(self.has, weights))):
            return None
        if any(isinstance(x._whole, Batched) for x in (*outs, *ins, *weights)):
            return None  # of more levels
        wide = [w._whole.unsqueeze(1).expand(self.count, above.count, *w.shape) for w in weights]
        found = self.walked(
            [o._whole for o in outs], [x._whole for x in ins], [self.slice_of(w) for w in wide], options
        )
        if found is None or not all(y is None or self.has(y) for y in found):
            return None
        return tuple(y if y is None else self.slice_of(above.slice_of(y._whole.movedim(1, 0))) for y in found)

    def walked(self, outs: list, ins: list, weights: list, options: dict) -> tuple | None:
        """The gradients for each slice of the weights, of outputs that are the same for all, in one walk by formulas on slices; None
        where one of these looks at the elements of a slice."""
        before = here.function_modes, here.outermost
        here.function_modes, here.outermost = (*before[0], self), True
        stepping, here.stepping = here.stepping, self
        here.settle()
        try:
            found = gradients(outs, ins, weights, retain_graph=True, **options)
        except (Loop, RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError):
            return None
        finally:
            here.stepping = stepping
            here.function_modes, here.outermost = before
            here.settle()
        wholes = [y._whole if self.has(y) else y for y in found]
        known = all(y is None or y.device == x.device for y, x in zip(wholes, ins, strict=True))
        return found if known else None

    def _applied(self, cls: Any, args: tuple) -> Any:
        """The results of a function with a formula of its own for gradients (`torch.autograd.Function`)."""
        own = getattr(cls, "vmap", Function.vmap) is not Function.vmap
        if not own and not cls.generate_vmap_rule:
            raise RuntimeError(SETUP if cls.setup_context is Function.setup_context else NEITHER.format(cls.__name__))
        if not self.depend(args):
            return NotImplemented
        if own and cls.generate_vmap_rule:
            raise RuntimeError(BOTH.format(cls.__name__))
        if cls.generate_vmap_rule:
            return self.one_by_one(cls.apply, args, {})
        return self._by_own_rule(cls, args)

    def _by_own_rule(self, cls: Any, args: tuple) -> Any:
        in_dims = tuple(_mapped(each, lambda x: x.as_given()[1] if self.has(x) else None, None) for each in args)
        wholes = [_mapped(each, lambda x: x.as_given()[0] if self.has(x) else x) for each in args]
        answer = cls.vmap(VmapInfo(self.count, self.randomness), in_dims, *wholes)
        if not isinstance(answer, tuple):
            raise RuntimeError(TWO + f"Got a {type(answer)} instead")
        if len(answer) != 2:
            raise RuntimeError(TWO + f"Got {len(answer)} returns instead")
        output, out_dims = answer
        form = tree_structure(output)
        dims = _broadcast_to_and_flatten(out_dims, form)
        if dims is None:
            raise RuntimeError(UNLIKE.format(out_dims, tree_structure(out_dims), form))
        places = iter(dims)

        def placed(x: Tensor) -> Tensor:
            at = next(places)
            return x if at is None else self.slice_of(x.movedim(at, 0) if at else x)

        return _mapped(output, placed)

    def _refuse_write(self, name: str, args: tuple) -> None:
        """Say that what is there once cannot hold the results of all slices."""
        if name in ("add_", "__iadd__", "atan2_"):
            own, other = tuple(args[0].shape), tuple(args[1].shape)
            common = [self.count, *np.broadcast_shapes(own, other)]
            raise RuntimeError(f"output with shape {list(own)} doesn't match the broadcast shape {common}")
        if name in ARITHMETIC:
            raise RuntimeError(INTO.format("inplace arithmetic", "in a vmap"))
        if name in OWN_NAMES:
            raise RuntimeError(INTO.format(name, "in a vmap"))
        if name == "bernoulli_":
            raise RuntimeError(ERROR if self.randomness == "error" else INTO.format("inplace bernoulli", "in a vmap"))
        raise RuntimeError(INTO.format("aten::" + name, "at level 1"))


def levels() -> list[Level]:
    """The levels that are active, the innermost last."""
    return [each for each in here.function_modes if isinstance(each, Level)]


def lifted(x: Tensor, above: list[Level]) -> Tensor:
    """A tensor with a copy of its own for each slice of each level, without memory: what each slice is differentiated by."""
    if not above:
        return x
    *outer, inner = above
    return inner.slice_of(lifted(x._whole, outer) if inner.has(x) else inner.lifted(lifted(x, outer)))  # type: ignore[attr-defined]


def _listed(value: Any) -> list:
    return list(value) if isinstance(value, (tuple, list)) else [] if value is None else [value]


def _mapped(tree: Any, function: Callable, other: Any = Ellipsis) -> Any:
    """A function of the tensors in tuples and lists; `other` in place of what is none, if it is given."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, (tuple, list)):
        made = [_mapped(each, function, other) for each in tree]
        return type(tree)._make(made) if hasattr(tree, "_make") else type(tree)(made)
    return tree if other is Ellipsis else other


def _elements(values: Any) -> bool:
    """Whether the tensors among values have an element."""
    for each in values:
        if type(each) is Batched:
            if base(each).numel():
                return True
        elif type(each) in (tuple, list) and _elements(each):
            return True
    return False
