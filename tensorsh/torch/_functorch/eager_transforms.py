"""``torch._functorch.eager_transforms``: the transforms of ``torch.func``, by the names of old."""

from __future__ import annotations

from typing import Any

from ..func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp  # noqa: F401
from ..transform_checks import places_of


def _slice_argnums(args: tuple, argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments at places; one place gives a tuple of one, or the argument itself where it is not `as_tuple`."""
    places = places_of(argnums, len(args))
    found = tuple(args[place] for place in places)
    return found if as_tuple or isinstance(argnums, tuple) else found[0]
