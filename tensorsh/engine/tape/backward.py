"""``backward`` and ``autograd.grad``: from tensors and gradients to a walk of the tape."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from ...sandbox import process
from ...sandbox.sealed import Sealed
from ..arrays import cupy_module, device_guard
from ..arrays.constants import fresh
from ..arrays.door import answers_below
from ..arrays.dtype import FLOAT
from ..arrays.extents import strided
from ..arrays.state import heeds_steps, here, state
from ..arrays.type_names import type_name
from ..arrays.warning import warn
from ..graph.dual import aside
from ..graph.fields import wrap
from ..graph.nodes import Node, Slot
from ..graph.saved_hooks import keep_by
from ..loading.table import find_function
from ..tensors.tensor import Tensor, wanting
from .walk import walk
from .worlds import differentiable, raw


class GradientEdge(tuple, metaclass=Sealed):
    """A node and the number of one of its results: where a tensor stands in the graph, without the tensor."""

    __module__ = "torch.autograd.graph"
    __match_args__ = ("node", "output_nr", "ownership_token")
    _like: Any = None
    """An array of the form of the result, where that is known."""
    _form: Any = None
    """The shape and the dtype of the result, where they are known."""
    _fields = __match_args__

    def __new__(cls, node: Node, output_nr: int, ownership_token: Any = None) -> Any:
        if not isinstance(node, Node):
            raise TypeError(f"a GradientEdge is of a Node, not of {type(node).__name__}")
        made = tuple.__new__(cls, (node, output_nr, ownership_token))
        made._node = node if not output_nr and getattr(node, "_outputs", 1) == 1 else Slot(node, output_nr)  # type: ignore[attr-defined]
        return made

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])
    ownership_token = property(lambda self: self[2])

    def __repr__(self) -> str:
        return f"GradientEdge(node={self[0]!r}, output_nr={self[1]!r}, ownership_token={self[2]!r})"


def _listed(value: Any) -> list:
    if isinstance(value, (Tensor, GradientEdge)):
        return [value]
    if not hasattr(value, "__iter__"):  # what has `__getitem__` alone may have no end
        raise TypeError(f"'{'type' if isinstance(value, type) else type_name(value)}' object is not iterable")
    return list(value)


def _inputs(function: str, given: Any) -> list:
    """The tensors that gradients are wanted of."""
    if isinstance(given, Mapping) and type(given) is not dict:
        raise TypeError(
            f"`inputs` argument to `{function}()` must be a dict, not {type(given).__name__}. Other Mapping types are not "
            "supported."
        )
    inputs = list(given.values()) if type(given) is dict else _listed(given)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    return inputs


def _starts(outputs: list, given: Any) -> list:
    """A gradient for each output; what is given beyond them does not count."""
    gradients = [None] * len(outputs) if given is None else _listed(given)
    return gradients[: len(outputs)]


def _targets(inputs: list, accumulate: bool) -> dict:
    """The nodes of the tensors that gradients are wanted of."""
    targets: dict = {}
    for x in inputs:
        if not isinstance(x, (Tensor, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(x).__name__}")
        node: Any = x._node  # type: ignore[union-attr]
        if node is None:
            raise RuntimeError(
                "can't retain_grad on Tensor that has requires_grad=False"
                if accumulate
                else "One of the differentiated Tensors does not require grad"
            )
        targets[node] = x
        if accumulate and isinstance(x, Tensor):
            x.retain_grad()
    return targets


def switch(value: Any) -> bool:
    """A setting as the walk reads it, an unsigned byte."""
    if value is True or value is False:
        return value
    number = index(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    if not 0 <= number < 256:
        raise OverflowError(f"unsigned byte integer is {'less than minimum' if number < 0 else 'greater than maximum'}")
    return number != 0


def _first_gradient(output: Tensor, given: Any, create: bool) -> Any:
    """The gradient to start with: given, or 1 for a single number."""
    if given is None:
        if output._node is None:
            return None
        if output._array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        array = output._array
        if type(array) is np.ndarray and array.dtype.kind == "f":
            ones = np.empty(array.shape, array.dtype)
            ones.fill(1)
            return wrap(ones) if create else ones
        if output.dtype.category != FLOAT:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype!r}")
        if type(array) is cupy_module.array_class and not device_guard.several:
            ones = cupy_module.accelerator().filled(array.shape, array.dtype, 1)
        else:
            with device_guard.on(device_guard.index_of([array])):
                ones = np.ones_like(array)
        return wrap(ones) if create else ones
    if not isinstance(given, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    given = _fitting(given, output.shape, output.dtype)
    return given if create else given._array


def _fitting(given: Tensor, shape: Any, dtype: Any) -> Tensor:
    """A gradient in the dtype of its output. RuntimeError: it has another shape."""
    if given.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {given.shape} and output[0] has a shape of {shape}."
        )
    if given.dtype.is_complex != dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[0] has a dtype of {given.dtype} and output[0] has a dtype of {dtype}."
        )
    return given if given.dtype is dtype else given.to(dtype)


def _check_recorded(i: int, output: Tensor) -> None:
    if output._node is None:
        error = RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        error.tensor = output  # type: ignore[attr-defined]
        raise error


def _run(outputs: list, gradients: list, keep: Any, create: Any, inputs: list | None, accumulate: bool) -> dict:
    """Walk from outputs. keep: None for what `create` is."""
    starts: list = []
    create_graph = create = switch(create)
    keep = create if keep is None else switch(keep)
    if create and accumulate:
        warn_of_cycle()
    for output, given in zip(outputs, gradients, strict=False):
        if isinstance(output, GradientEdge):
            if given is None:
                if output._like is None or output._like.size != 1:  # type: ignore[attr-defined]
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                given = find_function("ones_like")(wrap(output._like))  # type: ignore[attr-defined]
            elif getattr(output, "_form", None) is not None:
                given = _fitting(given, *output._form)  # type: ignore[attr-defined]
            starts.append(given if create else given._array)
            continue
        if not isinstance(output, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        if here.listening or type(output) is not Tensor and answers_below(type(output)) or heeds_steps():
            create = True  # somebody is asked for the gradients, too
            if given is None and output._array.size == 1:
                given = find_function("ones_like")(output)
        starts.append(_first_gradient(output, given, create))
    if len(starts) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(starts)} gradients")
    for i, output in enumerate(outputs):
        _check_recorded(i, output)
    roots = [(output._node, start) for output, start in zip(outputs, starts, strict=True)]
    targets = None if inputs is None else _targets(inputs, accumulate)
    world = differentiable if create else raw
    device = device_guard.runtime().getDevice() if device_guard.several else -1
    try:
        return _walked(roots, create_graph, world, keep or here.retain_graph, targets, accumulate)
    finally:
        if device >= 0:
            device_guard.runtime().setDevice(device)


def _walked(roots: list, create: bool, world: Any, keep: Any, targets: Any = None, accumulate: bool = True) -> dict:
    """Walk from nodes and their gradients; `create`: whether that is recorded. What asked to be called at the end is called."""
    before, outer, hooks = here.grad_enabled, here.walk, here.packing
    here.grad_enabled, here.walk = create, ([node for node, _ in roots], targets, [])
    try:
        found = walk(roots, world, keep, targets, accumulate)
    finally:
        here.grad_enabled, here.walk = before, outer
        if here.packing is not hooks:
            keep_by(hooks)  # those that a hook has set in the walk are gone
    if here.ending:
        end()
    return found


def warn_of_cycle() -> None:
    """Say once, in plain Python, that a parameter and its gradient will keep each other alive."""
    if process.plain and ("cycle" not in state.warned or state.__dict__.get("warn_always")):
        state.warned.add("cycle")
        warn(CYCLE, UserWarning)


CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can "
    "cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this "
    "function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def current_task() -> int:
    """The number of the backward pass under way, by which programs tell one from another; -1 where there is none."""
    if here.walk is None:
        return -1
    number = here.walk[2]
    if not number:
        number.append(_next_task())
    return number[0]


_next_task = itertools.count().__next__


def queue_callback(callback: Any) -> None:
    """Call a function once the walk under way has ended. RuntimeError: there is none."""
    if here.walk is None and not here.under_end:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    at_end(callback)


def at_end(function: Any) -> None:
    """Call a function once the walk under way has ended."""
    here.ending += (function,)


def end() -> None:
    """Do it, unless this was a walk within another."""
    while here.walk is None and here.ending and not here.under_end:
        asked, here.ending, here.under_end = here.ending, (), True
        try:
            for function in asked:
                function()
        finally:
            here.under_end = False


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    grad_variables: Any = None, inputs: Any = None,
) -> None:  # fmt: skip
    """Add to the `grad` of every leaf the gradient of the sum of `tensors`, each weighted by its gradient.

    Raises RuntimeError when a tensor is no single number and has no gradient given, needs none, or its graph was freed.
    """
    no_transform()
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
                "`grad_tensors`."
            )
        grad_tensors = grad_variables
    outputs = _listed(tensors)
    given = _starts(outputs, grad_tensors)
    wanted = None if inputs is None else _inputs("backward", inputs)
    _run(outputs, given, retain_graph, create_graph, wanted, True)


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False,
) -> Any:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple; nothing is accumulated.
    Each has the shape of its input. `grad_outputs` stand for those of outputs that are no scalars; `create_graph` makes the
    gradients differentiable, `retain_graph` keeps the graph for another pass, `allow_unused` gives None for inputs that took
    no part, `materialize_grads` zeros; for a dict of inputs there is a dict. RuntimeError: outputs without history, inputs that
    took no part."""
    if type(inputs) is dict:
        found = grad(
            outputs, list(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
            is_grads_batched, materialize_grads,
        )  # fmt: skip
        return dict(zip(inputs, found, strict=True))
    outs, ins = _listed(outputs), _inputs("grad", inputs)
    given = _starts(outs, grad_outputs)
    if is_grads_batched:
        return _batched(outs, ins, given, create_graph, allow_unused)
    if materialize_grads:
        if allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
            )
        allow_unused = True
    if here.dual_level >= 0 and not create_graph and not here.pushing:  # they have tangents, and want no gradient
        pushed = grad(
            outs, ins, given, bool(retain_graph), True, allow_unused=allow_unused, materialize_grads=materialize_grads
        )
        return tuple(aside(each) for each in pushed)
    allow_unused = switch(False if allow_unused is None else allow_unused)
    captured = _run(outs, given, retain_graph, create_graph, ins, False)
    results: list = []
    for x in ins:
        alone = x._node in captured and _holders(captured, x._node) == ALONE
        found = captured.get(x._node)
        if found is None:
            if not allow_unused:
                raise RuntimeError(
                    f"The differentiated Tensor at index {len(results)} appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior."
                )
            if materialize_grads and isinstance(x, GradientEdge):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            results.append(zeros_like(x, create_graph) if materialize_grads else None)
        else:
            results.append(found if isinstance(found, Tensor) else _handed_over(found, given, alone))
    return tuple(results)


def _batched(outs: list, ins: list, given: list, create_graph: bool, allow_unused: bool | None) -> tuple:
    """The gradients for each of many gradients of the outputs, stacked."""
    for i, (output, many) in enumerate(zip(outs, given, strict=True)):
        if many is not None and isinstance(output, Tensor) and many._array.shape[1:] != output._array.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
                "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
                f"detected: grad_output[{i}] has a shape of {many.shape[1:]} and output[{i}] has a shape of {output.shape}. If you "
                "only want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    found = [
        grad(outs, ins, [None if g is None else g[i] for g in given], True, create_graph, allow_unused=allow_unused)
        for i in range(len(given[0]))
    ]
    stack = find_function("stack")
    return tuple(None if each[0] is None else stack(list(each)) for each in zip(*found, strict=True))


def _holders(arrays: dict, key: Any) -> int:
    """How many hold an array that stands in a dictionary; what asking adds is the same for all."""
    return sys.getrefcount(arrays[key])


ALONE = _holders({0: np.empty(1)}, 0)


def _viewers(array: Any) -> int:
    """How many hold the memory that an array is a view of."""
    return sys.getrefcount(array.base)


ALONE_IN_VIEW = _viewers(np.empty(1).reshape(1, 1))


def _own(array: np.ndarray) -> bool:
    """Whether memory is an array's alone: made for it, or all of what was made and nobody else views."""
    if array.base is None:
        return True
    one = _viewers(array) == ALONE_IN_VIEW
    base = array.base
    return one and type(base) is np.ndarray and base.base is None and base.nbytes == array.nbytes


def _handed_over(array: Any, given: list, alone: bool) -> Tensor:
    """A gradient as a tensor: the given one where it came through, or a view of it; memory of its own otherwise."""
    if type(array) is np.ndarray and 0 in array.strides:
        return wrap(repeated(array) if array.size > MANY and array.flags.writeable else array.copy())
    if type(array) is np.ndarray and array.flags.writeable:
        if alone and _own(array):
            return wrap(array)
        base = array.base
        for each in given:
            if type(each) is Tensor and each._node is None:
                if each._array is array:
                    return each
                if base is not None and (each._array is base or each._array.base is base):
                    view = each.detach()
                    view._array = array
                    return view
    return wrap(fresh(array))


MANY = 4096
"""Gradients of fewer elements are laid out in full."""


def repeated(array: np.ndarray) -> np.ndarray:
    """A copy that repeats the elements that an array repeats, as PyTorch's gradient of a sum."""
    kept = array[tuple([slice(0, 1) if step == 0 else slice(None) for step in array.strides])].copy()
    steps = [0 if step == 0 else own for step, own in zip(array.strides, kept.strides, strict=True)]
    return strided(kept, array.shape, tuple(steps))


def zeros_like(x: Tensor, differentiable: bool = False) -> Tensor:
    with device_guard.on(device_guard.index_of([x])):
        made: Any = wrap(np.zeros_like(x._array))
        return wanting(made) if differentiable else made


def no_transform() -> None:
    """Refuse a backward pass in a function that is transformed."""
    if here.transforms:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
            "instead or call backward() outside of functorch transforms."
        )


def tensor_backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """The gradient of this tensor with respect to the leaves of its graph, added to their `grad`.

    gradient: of this tensor's shape, may be left out for a single number. retain_graph: keep what was saved, for a second
    call. create_graph: record the walk itself, for higher derivatives. inputs: only these.
    RuntimeError: a tensor that wants no gradient; several elements without `gradient`; a graph whose parts a call has freed.
    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> (w ** 2).sum().backward()
    >>> w.grad
    tensor([2., 4.])
    """
    if here.transforms:
        no_transform()
    if (
        gradient is None
        and inputs is None
        and create_graph is False
        and (retain_graph is None or retain_graph is False)
        and self._node is not None
        and (type(self) is Tensor and not here.listening)
    ):
        array = self._array
        if array.ndim == 0 and type(array) is np.ndarray and array.dtype.kind == "f" and not device_guard.several:
            _walked([(self._node, ONE.astype(array.dtype))], False, raw, False)
            return
    if inputs is not None:
        return backward(self, gradient, retain_graph, create_graph, inputs=inputs)
    given = [gradient] if gradient is None or isinstance(gradient, Tensor) else list(gradient)
    _run([self], given, retain_graph, create_graph, None, True)


ONE = np.ones(())
Tensor.backward = tensor_backward  # type: ignore[attr-defined]
tensor_backward.__name__, tensor_backward.__qualname__ = "backward", "Tensor.backward"
