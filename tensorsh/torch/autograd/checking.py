"""``torch.autograd.gradcheck``: gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...engine.arrays.warning import warn
from ...engine.graph.fields import wrap
from ...engine.loading.table import find_function
from ...engine.tape.grad_modes import no_grad
from ...engine.tensors.tensor import Tensor
from ..testing import make_tensor
from . import undefined
from .gradients import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


CLOSER = 1e-3
"""How many times as close a sum over all elements must be as one of them."""


class GradcheckError(RuntimeError):
    """The analytical and the numerical gradient differ."""

    __module__ = "torch.autograd.gradcheck"


def _outputs(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [o for o in values if isinstance(o, Tensor) and (o.dtype.is_floating_point or o.dtype.is_complex)]


def _of_numbers(t: Tensor) -> Any:
    """The dtype of a matrix of derivatives: numpy's own, as a tensor's elements have it."""
    kind = t._array.dtype
    return kind if kind.kind in "fc" else np.dtype(np.float64)


def _numerical(func: Callable, inputs: tuple, x: Tensor, eps: float, masked: Any = None) -> list[np.ndarray]:
    """Central differences: for each output a matrix of input elements by output elements."""
    sparse = hasattr(x._array, "layout")
    data = x.detach().to_dense() if sparse else x.data
    base = _outputs(func(*inputs))
    found = [np.zeros((x.numel(), o._array.size), _of_numbers(x if x.dtype.is_complex else o)) for o in base]
    directions = (1, 1j) if x.dtype.is_complex else (1,)
    for i, at in enumerate(np.ndindex(tuple(x.shape))):
        if masked is not None and not masked[at]:
            continue
        before = data[at].cpu()._array.copy()

        def values(step: Any, at: tuple = at, before: Any = before) -> list[np.ndarray]:
            data[at] = wrap(before + step)
            given = [_as_sparse(data, x) if sparse and each is x else each for each in inputs]
            return [o.detach().cpu()._array.copy() for o in _outputs(func(*given))]

        for direction in directions:
            above, below = values(eps * direction), values(-eps * direction)
            for matrix, a, b in zip(found, above, below, strict=True):
                _alike(a, b, f"on index {at} by {eps}")
                slope = ((a - b) / (2 * eps)).reshape(-1).real
                matrix[i] += slope * direction
        data[at] = wrap(before)
    return found


def _as_sparse(data: Tensor, like: Tensor) -> Tensor:
    """A tensor in the layout of another."""
    if str(like.layout) == "torch.sparse_coo":
        return data.to_sparse(like.sparse_dim()).requires_grad_()
    blocks = {"blocksize": like.values().shape[1:3]} if str(like.layout)[-4:] in ("_bsr", "_bsc") else {}
    return data.to_sparse(layout=like.layout, dense_dim=like.dense_dim(), **blocks).requires_grad_()


def _specified(x: Tensor) -> Any:
    """Where a sparse tensor has elements."""
    with no_grad():
        shown = x.detach().to_dense() * 0
        values = x.detach().clone()
        ones = values._values() if str(x.layout) == "torch.sparse_coo" else values.values()
        ones.fill_(1)
        return (shown + values.to_dense()).cpu()._array != 0


def _alike(a: np.ndarray, b: np.ndarray, where: str) -> None:
    """AssertionError: what a function gives depends in its form on the elements of its inputs."""
    for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if one != other:
            shown = [f"torch.Size({list(x)})" if what == "shape" else f"torch.{x}" for x in (one, other)]
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}, but got: {what}s "
                f"{shown[0]} and {shown[1]}."
            )


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False, masked: Any = None,
) -> bool:  # fmt: skip
    """Whether the gradients of `func` at `inputs` equal central differences within the tolerances, are the same each time, and
    nothing where nothing arrives.

    Raises GradcheckError (a RuntimeError) where they do not, or returns False when `raise_exception` is off.
    ValueError: no input wants a gradient, a sparse result. RuntimeError: an input with elements in the same memory.
    """
    for needs, has, said in (
        (True, check_forward_ad or check_backward_ad, "Expected at least one of check_forward_ad or check_backward_ad to be True"),
        (check_undefined_grad, check_backward_ad or check_forward_ad, "Setting check_undefined_grad=True requires check_backward_ad to be True"),
        (check_batched_grad, check_backward_ad, "Setting check_batched_grad=True requires check_backward_ad to be True"),
        (check_batched_forward_grad, check_forward_ad, "Setting check_batched_forward_grad=True requires check_forward_ad to be True"),
    ):  # fmt: skip
        if needs and not has:
            raise AssertionError(said)
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = _wanted(inputs)
    func = _differentiable(func, inputs)
    outputs = _outputs(func(*inputs))
    if any(hasattr(o._array, "layout") for o in outputs):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for "
            "gradcheck."
        )
    try:
        moved: list = []
        complex_at = [j for j, o in enumerate(outputs) if o.dtype.is_complex]
        for part in ("imag", "real") if complex_at else ("",):
            shown = complex_at if part == "imag" else list(range(len(outputs)))
            parted = _part_of(func, part) if part else func
            prefix = f"While considering the {part}{'inary' * (part == 'imag')} part of complex outputs only, "
            spots = [_specified(x) if masked and hasattr(x._array, "layout") else None for x in wanted]
            if fast_mode and not check_forward_ad and _agrees(parted, inputs, wanted, eps, rtol, atol, nondet_tol):
                continue
            found: list = []
            for i, x in enumerate(wanted):
                numeric = _numerical(parted, inputs, x, eps, spots[i])
                if check_backward_ad:
                    found = found or [_backward(parted, inputs, wanted, spots) for _ in range(2)]
                    if not any(o.requires_grad for o in outputs) and any(map(np.any, numeric)):
                        raise GradcheckError("Numerical gradient for function expected to be zero")
                    _compared(found[0][i], numeric, rtol, atol, i, shown, prefix if part else "", "", complex_at)
                    _repeated(found[0][i], found[1][i], nondet_tol)
                if check_forward_ad:
                    moved.append((_forward(parted, inputs, x), numeric, i, shown))
        _compared_forwards(moved, any(x.dtype.is_complex for x in wanted), rtol, atol)
        if check_undefined_grad and check_forward_ad:
            undefined.forwards(lambda *given: _outputs(func(*given)), inputs)
        if check_backward_ad and any(o.requires_grad for o in outputs):
            _of_nothing(_outputs(func(*inputs)), wanted)
            if check_undefined_grad:
                undefined.backwards(lambda: _outputs(func(*inputs)), wanted)
    except undefined.Undefined as error:
        if raise_exception:
            raise GradcheckError(*error.args) from error.__cause__
        return False
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _agrees(
    func: Callable, inputs: tuple, wanted: list[Tensor], eps: float, rtol: float, atol: float, repeated: float
) -> bool:
    """Whether gradients equal differences along one direction of each input, for one sum of all elements of the outputs: the fast mode.
    False also where that is not enough to tell, and every element is looked at: a sum that is off by far less than the tolerance
    may hide an element that is not."""
    if any(hasattr(x._array, "layout") for x in wanted):
        return False
    drawn = np.random.RandomState(0)

    def summed(outputs: list[Tensor]) -> float:
        return sum(float((o.detach().cpu()._array * w).sum()) for o, w in zip(outputs, weights, strict=True))

    def form(outputs: list[Tensor]) -> list:
        return [(o.shape, o.dtype) for o in outputs]

    outputs = _outputs(func(*inputs))
    weights = [_direction(o, drawn) for o in outputs]
    live = [
        (o, wrap(w.astype(o._array.dtype)).to(o.device))
        for o, w in zip(outputs, weights, strict=True)
        if o.requires_grad
    ]
    if not live:
        return False
    given = [o for o, _ in live], wanted, [w for _, w in live]
    found, again = (grad(*given, retain_graph=True, allow_unused=True) for _ in range(2))
    for x, one, other in zip(wanted, found, again, strict=True):
        if one is None or hasattr(one._array, "layout"):
            return False
        slope = one.cpu()._array
        if slope.size and not np.max(np.abs(slope - other.cpu()._array)) <= repeated:
            return False
        steps, data, before = _direction(x, drawn), x.data, x.detach().cpu()._array.copy()
        for direction, part in ((1, slope.real), (1j, slope.imag))[: 2 if x.dtype.is_complex else 1]:
            try:
                data.copy_(wrap((before + eps * direction * steps).astype(before.dtype)))
                above = _outputs(func(*inputs))
                data.copy_(wrap((before - eps * direction * steps).astype(before.dtype)))
                below = _outputs(func(*inputs))
            finally:
                data.copy_(wrap(before))
            if not form(above) == form(below) == form(outputs):
                return False
            numeric, analytic = (summed(above) - summed(below)) / (2 * eps), float((part * steps).sum())
            allowed = atol * float(steps.sum()) * sum(float(w.sum()) for w in weights)
            if not np.allclose(analytic, numeric, rtol * CLOSER, allowed * CLOSER):
                return False
    return True


def _direction(x: Tensor, drawn: np.random.RandomState) -> np.ndarray:
    """A vector of length 1 in the shape of a tensor; no element is negative, as in PyTorch."""
    vector = drawn.random_sample(tuple(x.shape))
    return vector / np.sqrt((vector * vector).sum() or 1.0)


def _wanted(inputs: tuple) -> list[Tensor]:
    """The inputs that want a gradient."""
    found = []
    for at, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        if x.dtype.name not in ("float64", "complex128"):
            warn(
                f"Input #{at} requires gradient and is not a double precision floating point or complex. This check will likely "
                "fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
            )
        if not hasattr(x._array, "layout") and any(
            n > 1 and not stride for n, stride in zip(x.shape, x.stride(), strict=True)
        ):
            raise RuntimeError(
                f"The {at}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be "
                "able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it "
                "to gradcheck."
            )
        found.append(x)
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    return found


def _differentiable(func: Callable, inputs: tuple) -> Callable:
    """A function with those of its results alone that want a gradient; itself where it has no others, or none at all."""
    outputs = _outputs(func(*inputs))
    wanted = [at for at, o in enumerate(outputs) if o.requires_grad]
    if len(wanted) in (0, len(outputs)):
        return func

    def some(*given: Any) -> list:
        every = _outputs(func(*given))
        return [every[at] for at in wanted]

    return some


def _part_of(func: Callable, part: str) -> Callable:
    """A function with the imaginary parts of its complex results alone, or with their real parts beside the others."""

    def parted(*inputs: Any) -> list:
        both = [(o, o.dtype.is_complex) for o in _outputs(func(*inputs))]
        return [getattr(o, part) if is_complex else o for o, is_complex in both if is_complex or part == "real"]

    return parted


def _compared(
    found: list, numeric: list, rtol: float, atol: float, i: int, shown: list, prefix: str, how: str, parted: Any = ()
) -> None:
    for j, analytic, expected in zip(shown, found, numeric, strict=True):
        if not np.allclose(analytic, expected, rtol, atol):
            raise GradcheckError(
                f"{prefix if j in parted else ''}Jacobian {how}mismatch for output {j} with respect to input {i},\n"
                f"numerical:{wrap(expected)!r}\nanalytical:{wrap(analytic)!r}\n"
            )


def _compared_forwards(moved: list, parted: bool, rtol: float, atol: float) -> None:
    """Compare what tangents gave, by the imaginary parts of the inputs first where there are any."""
    for part in ("imag", "real") if parted else ("",):
        prefix = f"While considering the {part}{'inary' * (part == 'imag')} part of complex inputs only, "
        for found, numeric, i, shown in moved:
            both = [[getattr(m, part) if part else m for m in many] for many in (found, numeric)]
            _compared(*both, rtol, atol, i, shown, prefix, "computed with forward mode ", shown if part else ())


def _repeated(found: list, again: list, tolerance: float) -> None:
    for one, other in zip(found, again, strict=True):
        if one.size and np.max(np.abs(one - other)) > tolerance:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                "different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {tolerance}."
            )


def _of_nothing(outputs: list[Tensor], wanted: list[Tensor]) -> None:
    """Gradients where none arrives are zero, and of their inputs' form."""
    live = [o for o in outputs if o.requires_grad]
    found = grad(live, wanted, [wrap(np.zeros_like(o._array)) for o in live], retain_graph=True, allow_unused=True)
    for g, x in zip(found, wanted, strict=True):
        if g is None:
            continue
        if hasattr(g._array, "layout"):
            if g.layout != x.layout:
                raise GradcheckError(f"grad is incorrect layout ({g.layout} is not {x.layout})")
            kind = str(g.layout).replace("torch.", "").replace("_coo", "")
            for what in ("sparse_dim", "dense_dim"):
                one, other = getattr(g, what)(), getattr(x, what)()
                if one != other:
                    raise GradcheckError(f"grad is {kind} tensor, but has incorrect {what} {one}, expected {other}")
            g, x = g.to_dense(), x.to_dense()
        if np.any(g.cpu()._array != 0):
            raise GradcheckError("backward not multiplied by grad_output")
        for what in ("type", "device", "size"):
            one, other = (getattr(t, {"type": "dtype", "size": "shape"}.get(what, what)) for t in (g, x))
            if one != other:
                raise GradcheckError(f"grad is incorrect {what}")


def _backward(func: Callable, inputs: tuple, wanted: list[Tensor], masked: list) -> list[list[np.ndarray]]:
    """For each input, for each output, a matrix of input elements by output elements: a backward pass gives a column of each input's.
    masked: for each input the elements that count, or None for all."""
    matrices: list[list[np.ndarray]] = [[] for _ in wanted]
    for o in _outputs(func(*inputs)):
        for x, found in zip(wanted, matrices, strict=True):
            found.append(np.zeros((x.numel(), o._array.size), _of_numbers(x)))
        for k in range(o._array.size) if o.requires_grad else ():
            unit = np.zeros(o._array.size, o._array.dtype)
            unit[k] = 1
            weight = wrap(unit.reshape(o._array.shape)).to(o.device)
            gradients = grad(o, wanted, weight, retain_graph=True, allow_unused=True)
            for g, spots, found in zip(gradients, masked, matrices, strict=True):
                if g is not None:
                    g = g.to_dense() if hasattr(g._array, "layout") else g
                    shown = g.cpu()._array
                    found[-1][:, k] = (shown if spots is None else np.where(spots, shown, 0)).reshape(-1)
    return matrices


def _forward(func: Callable, inputs: tuple, x: Tensor) -> list[np.ndarray]:
    """The same row by row from tangents."""
    from .forward_ad import dual_level, make_dual, unpack_dual

    def row(k: int, step: complex) -> list[np.ndarray]:
        unit = np.zeros(x._array.size, x._array.dtype)
        unit[k] = step
        with dual_level():
            moved = wrap(unit.reshape(x._array.shape)).to(x.device)
            given = [
                make_dual(each.detach(), moved if each is x else find_function("zeros_like")(each))
                if isinstance(each, Tensor) and each.requires_grad
                else each
                for each in inputs
            ]
            outs = _outputs(func(*given))
            tangents = [(o._array.size, unpack_dual(o).tangent) for o in outs]
        return [np.zeros(n) if t is None else t.cpu()._array.reshape(-1).real for n, t in tangents]

    if not x._array.size:
        return [np.zeros((0, o._array.size)) for o in _outputs(func(*inputs))]
    rows = [row(k, 1) for k in range(x._array.size)]
    if x.dtype.is_complex:
        along = [row(k, 1j) for k in range(x._array.size)]
        rows = [[a + 1j * b for a, b in zip(*pair, strict=True)] for pair in zip(rows, along, strict=True)]
    return [np.array(matrix) for matrix in zip(*rows, strict=True)]


def gradgradcheck(
    func: Callable, inputs: Any, grad_outputs: Any = None, *, check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True, **options: Any,
) -> bool:  # fmt: skip
    """`gradcheck` of the gradient of `func`: second derivatives, by a backward pass and by tangents where that is asked for,
    against finite differences of the first."""
    options |= {"check_forward_ad": check_fwd_over_rev, "check_backward_ad": check_rev_over_rev}
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    outs = _outputs(func(*inputs))
    if grad_outputs is None:
        weights = [
            make_tensor(o.shape, dtype=o.dtype, device=o.device, low=-1, high=1, requires_grad=True) for o in outs
        ]
    else:
        weights = (
            list(grad_outputs)
            if isinstance(grad_outputs, Iterable) and not isinstance(grad_outputs, Tensor)
            else [grad_outputs]
        )
    count = len(inputs)
    options.pop("gen_non_contig_grad_outputs", None)

    marks = [isinstance(x, Tensor) and x.requires_grad for x in (*inputs, *weights)]

    def first(*both: Any) -> tuple:
        both = tuple(x.requires_grad_() if on else x for x, on in zip(both, marks, strict=True))
        ins, given = both[:count], both[count:]
        wanted = [x for x in ins if isinstance(x, Tensor) and x.requires_grad]
        live = [(o, g) for o, g in zip(_outputs(func(*ins)), given, strict=True) if o.requires_grad]
        found = grad([o for o, _ in live], wanted, [g for _, g in live], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(first, inputs + tuple(weights), **options)
