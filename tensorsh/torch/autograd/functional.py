"""``torch.autograd.functional``: products with the Jacobian and Hessian of a function, and these matrices themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from ...engine.arrays.state import here
from ...engine.loading.table import find_function
from ...engine.ops.creation.conversion import TRANSFORMED
from ...engine.tape.grad_modes import enable_grad
from ...engine.tensors.tensor import Tensor
from ..mapping import at_once, units
from .gradients import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _tuple(value: Any, what: str, function: str) -> tuple[bool, tuple]:
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for i, v in enumerate(values):
        if not isinstance(v, Tensor):
            if several:
                raise TypeError(
                    f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the value at index {i} has type {type(v)}."
                )
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the given {what} has type {type(v)}."
            )
    return several, values


def _prepared(inputs: tuple, create_graph: bool) -> tuple:
    """Inputs to differentiate by: views with history when a graph is wanted, fresh leaves otherwise."""
    made = []
    for x in inputs:
        if create_graph and x.requires_grad:
            made.append(x.view_as(x))
        else:
            if here.transforms:
                raise RuntimeError(TRANSFORMED)
            made.append(x.detach().requires_grad_())
    return tuple(made)


def _run(func: Callable, inputs: Any, create_graph: bool, name: str) -> tuple[bool, tuple, bool, tuple]:
    several, ins = _tuple(inputs, "inputs", name)
    with enable_grad():
        ins = _prepared(ins, create_graph)
        many, outs = _tuple(func(*ins), "outputs of the user-provided function", name)
    return several, ins, many, outs


def detached(inputs: tuple, create_graph: bool) -> tuple:
    """Tensors, or tuples of them, without their history unless it is wanted."""
    if isinstance(inputs[0], Tensor):
        return tuple(x if create_graph else x.detach() for x in inputs)
    return tuple(detached(each, create_graph) for each in inputs)


def unpacked(res: Any, to_unpack: Any) -> Any:
    """What there is one of without the tuple around it: `to_unpack` says of the results, or of rows and columns, whether they were
    several."""
    rows, columns = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    res = res if columns else tuple(row[0] for row in res)
    return res if rows else res[0]


def _packed(several: bool, values: Any, create_graph: bool) -> Any:
    return unpacked(detached(values, create_graph), several)


def _vector(v: Any, like: tuple, name: str, many: bool) -> tuple:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
                if name == "vjp"
                else "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
                "element."
            )
        return (find_function("ones_like")(like[0]),)
    _, vs = _tuple(v, "v", name)
    if len(vs) != len(like):
        if not many:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for i, (a, b) in enumerate(zip(vs, like, strict=True)):
        if a.shape != b.shape:
            at = f"Entry {i} in v" if len(like) > 1 else "v"
            raise RuntimeError(f"{at} has invalid size: should be {b.size()} but got {a.size()}.")
    return vs


WITHOUT_GRADIENT = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This is "
    "not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice differentiable "
    "and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
}
"""Why a tensor that needs no gradient is refused in strict mode, by what it is."""
INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is "
    "not allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
    "jacobian": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "element": "Output {o} of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
}
"""Why a gradient that is not there is refused in strict mode, by the step."""


def _check_tracked(values: tuple, what: str, strict: bool) -> None:
    """RuntimeError in strict mode for tensors that need no gradient."""
    for i, value in enumerate(values) if strict else ():
        if not value.requires_grad:
            raise RuntimeError(WITHOUT_GRADIENT[what].format(i=i))


def _check_found(found: tuple, step: str, create_graph: bool, o: int = 0) -> None:
    """RuntimeError for gradients that do not depend on what they should."""
    for i, g in enumerate(found):
        if g is None:
            raise RuntimeError(INDEPENDENT[step].format(i=i, o=o))
        if create_graph and not g.requires_grad and step != "jacobian":
            kind = "hessian" if "double" in step else "jacobian"
            at = o if step == "element" else i
            raise RuntimeError(
                f"The {kind} of the user-provided function is independent of input {at}. This is not allowed in strict mode "
                "when create_graph=True."
            )


def _gradients(outs: Any, ins: tuple, weights: Any, create_graph: bool, strict: str = "", number: int = 0) -> tuple:
    """The gradients of weighted outputs, zeros where there are none; strict: the step, in which that is refused."""
    live = [(o, w) for o, w in zip(outs, weights, strict=True) if o.requires_grad]
    if not live:
        return tuple(find_function("zeros_like")(x) for x in ins)
    with enable_grad():
        found = grad(
            [o for o, _ in live],
            ins,
            [w for _, w in live],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
    if strict:
        _check_found(found, strict, create_graph, number)
    return tuple(find_function("zeros_like")(x) if g is None else g for g, x in zip(found, ins, strict=True))


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The function's value and the vector `v` times its Jacobian, as a pair: one backward pass.

    func: a function of tensors. inputs: a tensor or a tuple of them. v: of the value's shape; may be left out for a value of one
    element. create_graph: the result can be differentiated. strict: RuntimeError, and not zeros, for an input on which the value
    does not depend.

    >>> torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor([1.0, 3.0]), torch.ones(2))
    (tensor([1., 9.]), tensor([2., 6.]))
    """
    several, ins, many, outs = _run(func, inputs, create_graph, "vjp")
    _check_tracked(outs, "outputs", strict)
    weights = _vector(v, outs, "vjp", many)
    found = _gradients(outs, ins, weights, create_graph, strict="back" if strict else "")
    return _packed(many, outs, create_graph), _packed(several, found, create_graph)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The function's value and its Jacobian times the vector `v`, as a pair, by two backward passes.

    func: a function of tensors. inputs: a tensor or a tuple of them. v: of their shapes; may be left out for one element.
    create_graph: the result can be differentiated. strict: RuntimeError, and not zeros, for an input on which the value does not
    depend.

    >>> torch.autograd.functional.jvp(lambda x: x ** 2, torch.tensor([1.0, 3.0]), torch.tensor([1.0, 0.0]))
    (tensor([1., 9.]), tensor([2., 0.]))
    """
    several, ins, many, outs = _run(func, inputs, create_graph, "jvp")
    _check_tracked(outs, "outputs", strict)
    vs = _vector(v, ins, "jvp", several)
    with enable_grad():
        dummies = tuple(find_function("zeros_like")(o).requires_grad_() for o in outs)
        left = _gradients(outs, ins, dummies, True, strict="back" if strict else "")
    found = _gradients(left, dummies, vs, create_graph, strict="back_trick" if strict else "")
    return _packed(many, outs, create_graph), _packed(many, found, create_graph)


def _check_one_way(strict: bool, vectorize: bool) -> None:
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
            "set `strict=False` or `vectorize=False`."
        )


def jacobian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian: for each pair of output and input a tensor of the output's shape followed by the input's.

    func: a function of tensors. inputs: a tensor, or a tuple of them, which gives a tuple. create_graph: it can be differentiated.
    strict: RuntimeError, and not zeros, for an input on which an output does not depend. vectorize: all rows at once.
    strategy: ``"reverse-mode"``, or ``"forward-mode"`` together with `vectorize`.

    >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        )
    several, ins, many, outs = _run(func, inputs, create_graph, "jacobian")
    _check_tracked(outs, "outputs", strict)
    _check_one_way(strict, vectorize)
    with enable_grad():
        rows = tuple(_rows(o, number, ins, create_graph, strict, vectorize) for number, o in enumerate(outs))
    return unpacked(rows, (many, several))


def _rows(output: Tensor, number: int, ins: tuple, create_graph: bool, strict: bool, vectorize: bool) -> tuple:
    """The Jacobians of one output by each input."""
    if not output.numel():
        return tuple(output.new_zeros(tuple(output.size()) + tuple(x.size())) for x in ins)
    refused = "element" if strict else ""
    found = at_once(
        lambda unit: _gradients([output], ins, [unit], create_graph, strict=refused, number=number),
        units(output),
        together=vectorize,
    )
    row = tuple(columns.reshape(tuple(output.size()) + tuple(x.size())) for columns, x in zip(found, ins, strict=True))
    return detached(row, create_graph)


def standard_basis(tensors: tuple, tensor_numels: tuple) -> tuple:
    """The rows of an identity matrix, cut into a block of columns for each tensor, of its dtype."""
    blocks = tuple(x.new_zeros(sum(tensor_numels), n) for x, n in zip(tensors, tensor_numels, strict=True))
    for block, before in zip(blocks, accumulate(tensor_numels, initial=0), strict=False):
        block.diagonal(-before).fill_(1)
    return blocks


def _scalar(func: Callable, name: str = "hessian") -> Callable:
    def checked(*inputs: Tensor) -> Tensor:
        out = func(*inputs)
        if _tuple(out, "outputs of the user-provided function", name)[0]:
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if out.numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
        return out.squeeze() if name == "hessian" else out

    return checked


def hessian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The matrix of second derivatives of a function with one number as its value: of the input's shape, twice.

    func: the function. inputs: a tensor, or a tuple of them, which gives a tuple of tuples. create_graph: it can be differentiated.
    strict: RuntimeError, and not zeros, for an input on which the value does not depend. vectorize: all rows at once.
    outer_jacobian_strategy: ``"reverse-mode"``, or ``"forward-mode"`` together with `vectorize`.

    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, _ = _tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    value = _scalar(func)

    _check_one_way(strict, vectorize)

    def gradient(*ins: Tensor) -> Any:
        if strict:
            _check_tracked((value(*ins),), "outputs", True)
        found = jacobian(value, ins, create_graph=True, vectorize=vectorize)
        _check_tracked(found, "jacobian", strict)
        return tuple(f if f.requires_grad else f.detach() for f in found)

    result = jacobian(gradient, inputs if several else (inputs,), create_graph=create_graph, vectorize=vectorize)
    return result if several else result[0][0]


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The function's value and the vector `v` times its Hessian, as a pair, which costs less than `hvp`.

    func: a function whose value is one number. inputs: a tensor or a tuple of them. v: of their shapes. create_graph: the result can
    be differentiated. strict: RuntimeError, and not zeros, for an input on which the value does not depend.

    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _times_hessian("vhp", func, inputs, v, create_graph, strict)


def _times_hessian(name: str, func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool) -> tuple:
    several, ins, _, outs = _run(_scalar(func, name), inputs, create_graph, name)
    _check_tracked(outs, "outputs", strict)
    vs = _vector(v, ins, name, several)
    first = _gradients(outs, ins, [find_function("ones_like")(outs[0])], True, strict="jacobian" if strict else "")
    _check_tracked(first, "jacobian", strict)
    found = _gradients(first, ins, vs, create_graph, strict="double_back" if strict else "")
    return _packed(False, outs, create_graph), _packed(several, found, create_graph)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The function's value and its Hessian times the vector `v`, as a pair (the Hessian is symmetric: `vhp` gives the same for less).

    func: a function whose value is one number. inputs: a tensor or a tuple of them. v: of their shapes. create_graph: the result can
    be differentiated. strict: RuntimeError, and not zeros, for an input on which the value does not depend.

    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _times_hessian("hvp", func, inputs, v, create_graph, strict)
