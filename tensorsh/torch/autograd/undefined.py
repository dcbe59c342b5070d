"""Whether gradients and tangents that are not there do no harm: a part of ``torch.autograd.gradcheck``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.arrays.warning import warn
from ...engine.graph.fields import wrap
from ...engine.graph.nodes import Slot
from ...engine.loading.table import find_function
from ...engine.tape.function import FunctionNode
from ...engine.tape.worlds import raw
from ...engine.tensors.tensor import Tensor
from .forward_ad import dual_level, make_dual, unpack_dual
from .gradients import grad

NEW = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing "
    'callers of this function. If this is true for you, you can call this function with "check_undefined_grad=False" to disable '
    "the feature"
)
NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


class Undefined(Exception):
    """A gradient, or a tangent, that is not there does harm."""


def backwards(results: Callable, wanted: list) -> None:
    """All gradients of the results missing, then each of them, the others zeros: what arrives at the inputs is nothing, or zeros."""
    count = len(results())
    for missing in [None, *range(count if count > 1 else 0)]:
        outputs = results()
        try:
            found = without(outputs, missing, wanted)
        except RuntimeError as error:
            warn(NEW)
            raise Undefined(f"Expected backward function to handle undefined output grads. {NOTES}") from error
        if any(np.any(np.asarray(g) != 0) for g in found if g is not None):
            warn(NEW)
            raise Undefined(
                f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {NOTES}"
            )


def without(outputs: list, missing: int | None, wanted: list) -> list:
    """The gradients where that of one result is missing, or all are (None)."""
    if missing is None:
        return [g for o in outputs for g in of_none(o._node)]
    live = [o for at, o in enumerate(outputs) if at != missing and o.requires_grad]
    if not live:
        return []
    zeros = [find_function("zeros_like")(o) for o in live]
    found = grad(live, wanted, zeros, allow_unused=True)
    return [None if g is None else (g.to_dense() if hasattr(g._array, "layout") else g).cpu()._array for g in found]


def of_none(node: Any) -> list:
    """What the node of a result makes of a gradient that is missing: its hooks hear it, and a function of a program's own."""
    for hook in list((getattr(node, "_prehooks", None) or {}).values()):
        hook(None)
    owner = node._parent if type(node) is Slot else node
    if not isinstance(owner, FunctionNode):
        return []
    return list(owner._step([None] * owner._outputs, raw))


def forwards(function: Callable, inputs: tuple) -> None:
    """An input without a tangent gives what one with a tangent of zeros gives."""
    places = [at for at, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    drawn = np.random.RandomState(0)
    with dual_level():
        given = list(inputs)
        for at in places:
            x = inputs[at].detach()
            steps = drawn.random_sample(tuple(x.shape)).astype(x._array.dtype)
            given[at] = x if hasattr(x._array, "layout") else make_dual(x, wrap(steps).to(x.device))
        for at in places:
            x, before = inputs[at].detach(), given[at]
            both = []
            for each in (make_dual(x, find_function("zeros_like")(x)), x):
                given[at] = each
                both.append([unpack_dual(o).tangent for o in function(*given)])
            given[at] = before
            for number, (one, other) in enumerate(zip(*both, strict=True)):
                if one is not None and other is not None and not one.allclose(other):
                    raise Undefined(
                        "Mismatch in tangent values for output with index: ", number, " when input: ", inputs[at],
                        " has an undefined tangent value. ", " Got: ", one, " but expected: ", other,
                    )  # fmt: skip
