"""``torch._foreach_*``: an operator on each tensor of a list, as optimizers of libraries call them.

Made of the operators themselves. The second operand, where there is one, is a number, a tensor, or a list with one for each; what
ends in ``_`` writes in place and gives the tensors back, what does not gives a tuple of new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import here
from ..engine.tensors.tensor import Tensor
from ..sandbox.wrapping import wraps
from .root import torch as T  # noqa: N812

__all__: list[str] = []

ONE = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt "
    "sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
TWO = "add sub mul div pow clamp_min clamp_max maximum minimum".split()


def each(given: Any, count: int) -> list:
    """The second operands: a list as it is, whatever else for all."""
    if isinstance(given, list | tuple):
        if len(given) != count:
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(given)}")
        return list(given)
    return [given] * count


def limited(name: str) -> Callable:
    """`maximum` and `minimum` also of numbers."""
    clamp = {"maximum": "min", "minimum": "max", "clamp_min": "min", "clamp_max": "max"}[name]
    whole = T.maximum if clamp == "min" else T.minimum
    return lambda a, b: whole(a, b) if isinstance(b, Tensor) and b.dim() else T.clamp(a, **{clamp: b})


def method(name: str) -> Callable:
    return lambda a, *rest, **named: getattr(a, name)(*rest, **named)


def unary(name: str) -> Callable:
    def call(self: Any) -> tuple:
        return tuple([getattr(t, name)() for t in self])

    return call


def binary(function: Callable) -> Callable:
    def call(
        self: Any, other: Any = None, *, scalar: Any = None, scalars: Any = None, exponent: Any = None, **named: Any
    ) -> tuple:
        given = next((x for x in (other, scalar, scalars, exponent) if x is not None), None)
        count = len(self if isinstance(self, (list, tuple)) else given)
        return tuple([function(t, o, **named) for t, o in zip(each(self, count), each(given, count), strict=True)])

    return call


def pointwise(name: str) -> Callable:
    def call(self: Any, tensor1: Any, tensor2: Any, value: Any = 1, scalars: Any = None) -> tuple:
        given = value if scalars is None else scalars
        given = given.tolist() if isinstance(given, Tensor) and given.dim() else given
        rows = zip(self, tensor1, tensor2, each(given, len(self)), strict=True)
        return tuple([getattr(T, name)(t, a, b, value=v) for t, a, b, v in rows])

    return call


def lerp(self: Any, tensors1: Any, weights: Any = None, *, weight: Any = None) -> tuple:
    given = each(weight if weights is None else weights, len(self))
    return tuple([T.lerp(t, e, w) for t, e, w in zip(self, tensors1, given, strict=True)])


def norm(self: Any, ord: Any = 2, dtype: Any = None) -> tuple:  # noqa: A002
    return tuple([T.linalg.vector_norm(t, ord, dtype=dtype) for t in self])


def anywhere(function: Callable) -> Callable:
    """A function that writes into tensors, which it gives back; also into those which a transformed function did not make,
    unlike their own methods."""

    @wraps(function)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        born, here.born = here.born, 0
        try:
            function(self, *args, **named)
        finally:
            here.born = born
        return self

    return call


def in_place(function: Callable) -> Callable:
    """The form that writes into the first tensors."""

    @anywhere
    def call(self: Any, *args: Any, **named: Any) -> None:
        for t, value in zip(self, function(self, *args, **named), strict=True):
            t.copy_(value)

    return call


@anywhere
def zero_(self: Any) -> None:
    for t in self:
        t.zero_()


@anywhere
def copy_(self: Any, src: Any, non_blocking: bool = False) -> None:
    for t, s in zip(self, each(src, len(self)), strict=True):
        t.copy_(s)


def max(self: Any) -> tuple:  # noqa: A001
    return tuple([t.max() for t in self])


_PLAIN: dict[str, Callable] = {name: unary(name) for name in ONE}
_PLAIN |= {name: binary(method(name)) for name in TWO[:5]}
_PLAIN |= {name: binary(limited(name)) for name in TWO[5:]}
_PLAIN |= {"pow": binary(T.pow), "addcmul": pointwise("addcmul"), "addcdiv": pointwise("addcdiv"), "lerp": lerp}
FOREACH: dict[str, Callable] = {
    "_foreach_norm": norm, "_foreach_max": max, "_foreach_zero_": zero_, "_foreach_copy_": copy_,
}  # fmt: skip
for _name, _function in _PLAIN.items():
    FOREACH["_foreach_" + _name], FOREACH[f"_foreach_{_name}_"] = _function, in_place(_function)
for _name, _function in FOREACH.items():
    _function.__name__ = _function.__qualname__ = _name
    _function.__module__ = "torch"
