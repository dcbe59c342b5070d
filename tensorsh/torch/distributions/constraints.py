"""Sets that parameters and samples must lie in: ``constraint.check(value)`` says for each element whether it does.

`is_discrete` and `event_dim` (how many dimensions on the right make one element) describe the set; a dependent constraint
is known only for an instance of a distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...engine.arrays.dtype import bool_, finfo
from ...engine.tensors.tensor import Tensor
from ...sandbox import process
from ...sandbox.named import read_named
from ...sandbox.sealed import OpenSealed, Owned, all_housed, named
from ..nn.reach import Functions, T

__all__ = (
    "Constraint MixtureSameFamilyConstraint boolean cat corr_cholesky dependent dependent_property greater_than "
    "greater_than_eq half_open_interval independent integer_interval interval is_dependent less_than lower_cholesky "
    "lower_triangular multinomial nonnegative nonnegative_integer one_hot positive positive_definite positive_integer "
    "positive_semidefinite real real_vector simplex square stack symmetric unit_interval"
).split()

L = Functions("linalg.")


class Fixed(metaclass=OpenSealed):
    """What all sessions share may be marked by `fix`: nothing can be set on it any more."""

    def __setattr__(self, name: str, value: Any) -> None:
        if "_fixed" in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object attribute '{name}' is read-only")
        super().__setattr__(name, value)


def fix(*shared: Any) -> Any:
    """Make objects read-only, where there are sandboxed sessions; the first is returned."""
    for each in () if process.plain else shared:
        each.__dict__["_fixed"] = True
    return shared[0]


class Constraint(Fixed):
    """A set of tensors."""

    is_discrete: Any = False
    event_dim: Any = 0
    bounds: tuple[str, ...] = ()
    """The attributes that the text of the constraint shows."""

    def check(self, value: Tensor) -> Tensor:
        """Whether each element of `value` is in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={read_named(self, name)}" for name in self.bounds)
        return f"{type(self).__name__.removeprefix('_')}({shown})"


def undetermined(name: str) -> property:
    def get(self: Any) -> Any:
        value = getattr(self, "_" + name)
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    return property(get)


class _Dependent(Constraint):
    """A set that depends on other values."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    is_discrete = undetermined("is_discrete")
    event_dim = undetermined("event_dim")

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(Owned, _Dependent):
    """A property that gives a constraint; on the class it is a dependent constraint itself."""

    def __init__(
        self, fn: Callable | None = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim
        fix(self)

    def __set_name__(self, owner: type, name: str) -> None:
        named(self, self.fget, owner)

    def __call__(self, fn: Callable) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint is known only for an instance."""
    return isinstance(constraint, _Dependent)


def all_right(checks: Tensor, keep: int) -> Tensor:
    """Whether all is right, over the dimensions beyond the first `keep`."""
    return checks.reshape((*checks.shape[:keep], -1)).all(-1)


class _IndependentConstraint(Constraint):
    """Dimensions on the right taken together as one event."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        for value, kind, title in (
            (base_constraint, Constraint, "base_constraint must be a Constraint"),
            (reinterpreted_batch_ndims, int, "reinterpreted_batch_ndims must be an int"),
        ):
            if not isinstance(value, kind):
                raise AssertionError(f"{title}, got {type(value).__name__}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        checks = self.base_constraint.check(value)
        keep = checks.ndim - self.reinterpreted_batch_ndims
        if keep < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return all_right(checks, keep)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """Values that each component of a mixture allows."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        keep = value.ndim - self.event_dim
        if keep < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return all_right(self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)), keep)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


def declared(name: str, check: Callable, bounds: str = "", event_dim: int = 0, is_discrete: bool = False) -> Any:
    """A class of constraints with the given bounds as arguments; its one instance where there are none."""
    names = tuple(bounds.split())

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        found = dict(zip(names, values, strict=False)) | named
        if len(values) > len(names) or set(found) != set(names):
            raise TypeError(f"{name}() takes the arguments {', '.join(names)}")
        self.__dict__.update(found)

    body = {
        "__init__": __init__, "check": check, "bounds": names, "event_dim": event_dim, "is_discrete": is_discrete,
        "__module__": Constraint.__module__, "__doc__": check.__doc__,
    }  # fmt: skip
    made = OpenSealed(name, (Constraint,), body)
    return made if names else fix(made())


def whole(value: Tensor) -> Tensor:
    return value % 1 == 0


def binary(value: Tensor) -> Tensor:
    return (value == 0) | (value == 1)


def triangular(value: Tensor) -> Tensor:
    return all_right(value.tril() == value, value.ndim - 2)


def cholesky(value: Tensor) -> Tensor:
    return triangular(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


def unit_rows(value: Tensor) -> Tensor:
    tolerance = finfo(value.dtype).eps * value.size(-1) * 10
    return (value.detach().norm(dim=-1) - 1.0).abs().le(tolerance).all(-1)


def squared(value: Tensor) -> Tensor:
    return T.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=bool_)


def symmetrical(value: Tensor) -> Tensor:
    same = squared(value)
    return T.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if bool(same.all()) else same


def definite(judge: Callable) -> Callable:
    def check(self: Any, value: Tensor) -> Tensor:
        good = symmetrical(value)
        return judge(value) if bool(good.all()) else good

    return check


boolean = declared("_Boolean", lambda self, value: binary(value), is_discrete=True)
one_hot = declared("_OneHot", lambda self, value: binary(value).all(-1) & value.sum(-1).eq(1), "", 1, True)
integer_interval = declared(
    "_IntegerInterval",
    lambda self, value: whole(value) & (self.lower_bound <= value) & (value <= self.upper_bound),
    "lower_bound upper_bound", is_discrete=True,
)  # fmt: skip
_integer_greater = declared(
    "_IntegerGreaterThan",
    lambda self, value: whole(value) & (value >= self.lower_bound),
    "lower_bound",
    is_discrete=True,
)
nonnegative_integer, positive_integer = _integer_greater(0), _integer_greater(1)
real = declared("_Real", lambda self, value: value == value)
greater_than = declared("_GreaterThan", lambda self, value: self.lower_bound < value, "lower_bound")
greater_than_eq = declared("_GreaterThanEq", lambda self, value: self.lower_bound <= value, "lower_bound")
less_than = declared("_LessThan", lambda self, value: value < self.upper_bound, "upper_bound")
interval = declared(
    "_Interval",
    lambda self, value: (self.lower_bound <= value) & (value <= self.upper_bound),
    "lower_bound upper_bound",
)
half_open_interval = declared(
    "_HalfOpenInterval",
    lambda self, value: (self.lower_bound <= value) & (value < self.upper_bound),
    "lower_bound upper_bound",
)
simplex = declared("_Simplex", lambda self, value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6), "", 1)
multinomial = declared(
    "_Multinomial", lambda self, x: (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound), "upper_bound", 1, True
)
multinomial.__repr__ = lambda self: "Multinomial()"
lower_triangular = declared("_LowerTriangular", lambda self, value: triangular(value), "", 2)
lower_cholesky = declared("_LowerCholesky", lambda self, value: cholesky(value), "", 2)
corr_cholesky = declared("_CorrCholesky", lambda self, value: cholesky(value) & unit_rows(value), "", 2)
square = declared("_Square", lambda self, value: squared(value), "", 2)
symmetric = declared("_Symmetric", lambda self, value: symmetrical(value), "", 2)
positive_semidefinite = declared(
    "_PositiveSemidefinite", definite(lambda value: L.eigvalsh(value).ge(0).all(-1)), "", 2
)
positive_definite = declared("_PositiveDefinite", definite(lambda value: L.cholesky_ex(value).info.eq(0)), "", 2)
dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
real_vector = independent(real, 1)
positive, nonnegative = greater_than(0.0), greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
fix(dependent, real_vector, positive, nonnegative, unit_interval, nonnegative_integer, positive_integer)


class _Joined(Constraint):
    """Several constraints for parts of a tensor along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(c.event_dim for c in self.cseq)

    def parts(self, value: Tensor) -> list[Tensor]:
        raise NotImplementedError

    def checks(self, value: Tensor) -> list[Tensor]:
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(f"dim {self.dim} out of range for value with {value.ndim} dimensions")
        return [c.check(v) for c, v in zip(self.cseq, self.parts(value), strict=False)]


class _Cat(_Joined):
    """Constraints for parts of given lengths."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def parts(self, value: Tensor) -> list[Tensor]:
        return list(value.split(self.lengths, self.dim))

    def check(self, value: Tensor) -> Tensor:
        return T.cat(self.checks(value), self.dim)


class _Stack(_Joined):
    """Constraints for the slices along a dimension."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = max(c.event_dim for c in self.cseq)
        return dim + (self.dim + dim < 0)

    def parts(self, value: Tensor) -> list[Tensor]:
        return list(value.unbind(self.dim))

    def check(self, value: Tensor) -> Tensor:
        return T.stack(self.checks(value), self.dim)


all_housed(globals())


cat, stack = _Cat, _Stack


# The classes by the names that PyTorch has for them.
for _each in list(globals().values()):
    _kind = _each if isinstance(_each, type) else type(_each)
    if issubclass(_kind, Constraint) and _kind.__name__[0] == "_":
        globals().setdefault(_kind.__name__, _kind)
