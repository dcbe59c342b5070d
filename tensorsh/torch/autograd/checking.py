"""``torch.autograd.gradcheck``: gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ..testing import make_tensor
from .gradients import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """The analytical and the numerical gradient differ."""


def _outputs(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [o for o in values if isinstance(o, Tensor) and (o.dtype.is_floating_point or o.dtype.is_complex)]


def _numerical(func: Callable, inputs: tuple, x: Tensor, eps: float) -> list[np.ndarray]:
    """Central differences: for each output a matrix of input elements by output elements."""
    array, data = x._array, x.data
    base = [o._array.size for o in _outputs(func(*inputs))]
    found = [np.zeros((array.size, n), np.complex128 if x.dtype.is_complex else np.float64) for n in base]
    directions = (1, 1j) if x.dtype.is_complex else (1,)
    for i, at in enumerate(np.ndindex(array.shape)):
        before = data[at].cpu()._array.copy()
        for direction in directions:
            data[at] = wrap(before + eps * direction)
            above = [o.detach().cpu()._array.copy() for o in _outputs(func(*inputs))]
            data[at] = wrap(before - eps * direction)
            below = [o.detach().cpu()._array.copy() for o in _outputs(func(*inputs))]
            for matrix, a, b in zip(found, above, below, strict=True):
                slope = ((a - b) / (2 * eps)).reshape(-1).real
                matrix[i] += slope * direction
        data[at] = wrap(before)
    return found


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False, masked: Any = None,
) -> bool:  # fmt: skip
    """Whether the gradients of `func` at `inputs` equal central differences within the tolerances.

    Raises GradcheckError (a RuntimeError) where they do not, or returns False when `raise_exception` is off.
    """
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    ways = [(_backward, "")] * check_backward_ad + [(_forward, "computed with forward mode ")] * check_forward_ad
    for i, x in enumerate(wanted):
        numeric = _numerical(func, inputs, x, eps)
        for way, how in ways:
            for j, (found, expected) in enumerate(zip(way(func, inputs, x), numeric, strict=True)):
                if np.allclose(found, expected, rtol, atol):
                    continue
                if not raise_exception:
                    return False
                if not how and np.any(expected) and not np.any(found) and not _differentiable(func, inputs):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
                raise GradcheckError(
                    f"Jacobian {how}mismatch for output {j} with respect to input {i},\n"
                    f"numerical:{wrap(expected)!r}\nanalytical:{wrap(found)!r}\n"
                )
    return True


def _differentiable(func: Callable, inputs: tuple) -> bool:
    return any(o.requires_grad for o in _outputs(func(*inputs)))


def _backward(func: Callable, inputs: tuple, x: Tensor) -> list[np.ndarray]:
    """For each output a matrix of input elements by output elements, column by column from backward passes."""
    matrices = []
    for o in _outputs(func(*inputs)):
        matrix = np.zeros((x._array.size, o._array.size), np.complex128 if x.dtype.is_complex else np.float64)
        for k in range(o._array.size) if o.requires_grad else ():
            unit = np.zeros(o._array.size, o._array.dtype)
            unit[k] = 1
            (g,) = grad(o, x, wrap(unit.reshape(o._array.shape)).to(o.device), retain_graph=True, allow_unused=True)
            if g is not None:
                matrix[:, k] = g.cpu()._array.reshape(-1)
        matrices.append(matrix)
    return matrices


def _forward(func: Callable, inputs: tuple, x: Tensor) -> list[np.ndarray]:
    """The same row by row from tangents."""
    from .forward_ad import dual_level, make_dual, unpack_dual

    rows: list[list] = []
    for k in range(x._array.size):
        unit = np.zeros(x._array.size, x._array.dtype)
        unit[k] = 1
        with dual_level():
            dual = make_dual(x, wrap(unit.reshape(x._array.shape)).to(x.device))
            outs = _outputs(func(*[dual if each is x else each for each in inputs]))
            tangents = [(o._array.size, unpack_dual(o).tangent) for o in outs]
        rows.append([np.zeros(n) if t is None else t.cpu()._array.reshape(-1) for n, t in tangents])
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

    def first(*both: Any) -> tuple:
        ins, given = both[:count], both[count:]
        wanted = [x for x in ins if isinstance(x, Tensor) and x.requires_grad]
        live = [(o, g) for o, g in zip(_outputs(func(*ins)), given, strict=True) if o.requires_grad]
        found = grad([o for o, _ in live], wanted, [g for _, g in live], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(first, inputs + tuple(weights), **options)
