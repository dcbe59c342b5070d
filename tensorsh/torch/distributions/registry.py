"""Which transform leads from all real numbers to a constraint: `biject_to` one to one, `transform_to` at any rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.state import state
from . import constraints, maps
from .base import NUMBERS
from .constraints import Constraint, Fixed, fix
from .transform import (
    CatTransform,
    ComposeTransform,
    IndependentTransform,
    StackTransform,
    Transform,
    identity_transform,
)

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry(Fixed):
    """Makers of transforms, by the class of the constraint."""

    __module__ = "torch.distributions.constraint_registry"

    def __init__(self) -> None:
        self._registry: dict[type, Callable] = {}

    def _own(self) -> dict:
        """What the program added to a registry that all sessions share."""
        return getattr(state, "constraint_transforms", {})

    def register(self, constraint: Any, factory: Callable | None = None) -> Any:
        """Enter `factory(constraint) -> transform`; without it, a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        if "_fixed" in self.__dict__:
            state.constraint_transforms = self._own() | {(id(self), kind): factory}  # type: ignore[attr-defined]
        else:
            self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        kind = type(constraint)
        factory = self._own().get((id(self), kind)) or self._registry.get(kind)
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def shifted(first: Callable, ends: Callable) -> Callable:
    """A transform followed by ``loc + scale * x``."""
    return lambda c: ComposeTransform([first(), maps.AffineTransform(*ends(c))])


def to_interval(c: Any) -> Transform:
    unit = all(isinstance(b, NUMBERS) for b in (c.lower_bound, c.upper_bound))
    if unit and c.lower_bound == 0 and c.upper_bound == 1:
        return maps.SigmoidTransform()
    return shifted(maps.SigmoidTransform, lambda c: (c.lower_bound, c.upper_bound - c.lower_bound))(c)


def inner(registry: ConstraintRegistry) -> dict[Any, Callable]:
    """Constraints made of others, for each registry."""
    return {
        constraints.independent: lambda c: IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
        constraints.cat: lambda c: CatTransform([registry(each) for each in c.cseq], c.dim, c.lengths),
        constraints.stack: lambda c: StackTransform([registry(each) for each in c.cseq], c.dim),
    }


BOTH = {
    constraints.real: lambda c: identity_transform,
    constraints.greater_than: shifted(maps.ExpTransform, lambda c: (c.lower_bound, 1)),
    constraints.greater_than_eq: shifted(maps.ExpTransform, lambda c: (c.lower_bound, 1)),
    constraints.less_than: shifted(maps.ExpTransform, lambda c: (c.upper_bound, -1)),
    constraints.interval: to_interval,
    constraints.half_open_interval: to_interval,
    constraints.corr_cholesky: lambda c: maps.CorrCholeskyTransform(),
}
for _registry in (biject_to, transform_to):
    for _kind, _factory in (BOTH | inner(_registry)).items():
        _registry.register(_kind, _factory)
biject_to.register(constraints.simplex, lambda c: maps.StickBreakingTransform())
for _kind, _transform in {
    constraints.simplex: maps.SoftmaxTransform,
    constraints.lower_cholesky: maps.LowerCholeskyTransform,
    constraints.positive_definite: maps.PositiveDefiniteTransform,
    constraints.positive_semidefinite: maps.PositiveDefiniteTransform,
}.items():
    transform_to.register(_kind, lambda c, made=_transform: made())
fix(biject_to, transform_to)
