"""Invertible maps with the logarithm of their Jacobian determinant, for changing variables of distributions.

A transform is declared by `_call`, `_inverse` and `log_abs_det_jacobian`, and by its `domain` and `codomain`; `t(x)` and
`t.inv(y)` follow, with the last pair remembered where `cache_size` is 1. Here are the transforms made of others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

from ...engine.tensors.tensor import Size, Tensor
from ...sandbox.methods import keep_methods
from ...sandbox.named import read_named
from ..nn.reach import T
from . import constraints
from .base import lazy_property, sum_rightmost
from .constraints import Fixed, fix

real = constraints.real
FEW = "Too few dimensions on input"


class Transform(Fixed):
    """Map from `domain` to `codomain`, with an inverse (`inv`) and the logarithm of its slope, log_abs_det_jacobian(x,
    y). A class of one's own defines `_call`, `_inverse` and `log_abs_det_jacobian`.
    cache_size: 1 keeps the last pair of x and y, so that the inverse of y is x itself (0). ValueError for others.
    >>> distributions.ExpTransform().inv(torch.tensor(1.0))
    tensor(0.)"""

    __module__ = "torch.distributions.transforms"

    bijective: Any = False
    domain: Any
    codomain: Any
    settings: tuple[str, ...] = ()
    """The attributes that make two transforms of a class equal, and a copy of one."""

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("tensorsh."):
            cls.__module__ = "torch.distributions.transforms"

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached: tuple = (None, None)
        super().__init__()  # that of a module, in a class that is one, too

    @property
    def event_dim(self) -> int:
        """How many dimensions on the right are mapped together."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse transform."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 for a rising transform, -1 for a falling one."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another size of the cache."""
        if self._cache_size == cache_size:
            return self
        if not self.settings and type(self).__init__ is not Transform.__init__:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return type(self)(*(read_named(self, name) for name in self.settings), cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        plain = type(self).__init__ is Transform.__init__ and type(self) is not Transform
        if type(self) is not type(other) or not (plain or self.settings):
            return False
        return all(same(read_named(self, name), read_named(other, name)) for name in self.settings)

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, x: Tensor) -> Tensor:
        if not self._cache_size:
            return self._call(x)
        if x is not self._cached[0]:
            self._cached = x, self._call(x)
        return self._cached[1]

    def _inv_call(self, y: Tensor) -> Tensor:
        if not self._cache_size:
            return self._inverse(y)
        if y is not self._cached[1]:
            self._cached = self._inverse(y), y
        return self._cached[0]

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of abs(dy / dx)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Any:
        """The shape of a result."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of what gives a result of a shape."""
        return shape


keep_methods(Transform)  # which make another of their object's class


def same(a: Any, b: Any) -> bool:
    equal = a == b
    return bool(equal.all()) if isinstance(equal, Tensor) else bool(equal)


def through(name: str, part: str = "_inv") -> property:
    """An attribute that is another transform's."""
    return property(lambda self: getattr(getattr(self, part), name))


class _InverseTransform(Transform):
    """A transform run backwards."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    domain = constraints.dependent_property(lambda self: self._inv.codomain, is_discrete=False)
    codomain = constraints.dependent_property(lambda self: self._inv.domain, is_discrete=False)
    bijective, sign = through("bijective"), through("sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)


def reached(parts: list, begins: str, ends: str) -> Any:
    """The set at one end of a chain of transforms, for the dimensions that the widest of them needs."""
    if not parts:
        return real
    edge, dims = getattr(parts[-1], ends), getattr(parts[0], begins).event_dim
    for part in parts:
        out = getattr(part, ends).event_dim
        dims = max(dims + out - getattr(part, begins).event_dim, out)
    return constraints.independent(edge, dims - edge.event_dim) if dims > edge.event_dim else edge


class ComposeTransform(Transform):
    """Several transforms, one after the other; their slopes multiply.
    parts: a list of transforms, the first one called first. cache_size: 1 keeps the last pair of x and y (0).
    >>> parts = [distributions.AffineTransform(0.0, 2.0), distributions.ExpTransform()]
    >>> distributions.ComposeTransform(parts)(torch.tensor(0.0))
    tensor(1.)"""

    settings = ("parts",)

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts: Any = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """What the first takes."""
        return reached(self.parts[::-1], "codomain", "domain")

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """What the last gives."""
        return reached(self.parts, "domain", "codomain")

    @lazy_property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:  # type: ignore[override]
        return math.prod((part.sign for part in self.parts), start=1)

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return T.zeros_like(x)
        points = [x]
        for part in self.parts[:-1]:
            points.append(part(points[-1]))
        points.append(y)
        terms, dims = [], self.domain.event_dim
        for part, a, b in zip(self.parts, points[:-1], points[1:], strict=True):
            takes = part.domain.event_dim
            terms.append(sum_rightmost(part.log_abs_det_jacobian(a, b), dims - takes))
            dims += part.codomain.event_dim - takes
        return reduce(add, terms)

    def forward_shape(self, shape: Any) -> Any:
        return reduce(lambda shape, part: part.forward_shape(shape), self.parts, shape)

    def inverse_shape(self, shape: Any) -> Any:
        return reduce(lambda shape, part: part.inverse_shape(shape), reversed(self.parts), shape)

    def __repr__(self) -> str:
        listed = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {listed}\n)"


identity_transform = ComposeTransform([])
identity_transform.parts = identity_transform.inv.parts = ()  # all sessions share it
fix(identity_transform, identity_transform.inv)


class IndependentTransform(Transform):
    """Transform whose last batch dimensions count as one event: its log_abs_det_jacobian is summed over them.
    base_transform: the transform. reinterpreted_batch_ndims: number of these dimensions. cache_size: 1 keeps the last
    pair of x and y (0).
    >>> t = distributions.IndependentTransform(distributions.ExpTransform(), 1)
    >>> t.log_abs_det_jacobian(torch.ones(3), torch.ones(3))
    tensor(3.)"""

    settings = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _widened(name: str) -> Any:  # type: ignore[misc]
        return constraints.dependent_property(
            lambda self: constraints.independent(getattr(self.base_transform, name), self.reinterpreted_batch_ndims),
            is_discrete=False,
        )

    domain, codomain = _widened("domain"), _widened("codomain")
    del _widened
    bijective, sign = through("bijective", "base_transform"), through("sign", "base_transform")

    def _call(self, x: Tensor) -> Tensor:
        if x.ndim < self.domain.event_dim:
            raise ValueError(FEW)
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.ndim < self.codomain.event_dim:
            raise ValueError(FEW)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Dimensions of an event in another shape.
    in_shape, out_shape: shapes of an event before and after, of as many elements. cache_size: 1 keeps the last pair of
    x and y (0).
    ValueError where they have not.
    >>> distributions.ReshapeTransform((4,), (2, 2))(torch.zeros(3, 4)).shape
    torch.Size([3, 2, 2])"""

    bijective = True
    settings = ("in_shape", "out_shape")

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    domain = constraints.dependent_property(lambda self: constraints.independent(real, len(self.in_shape)))
    codomain = constraints.dependent_property(lambda self: constraints.independent(real, len(self.out_shape)))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.ndim - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.ndim - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def _swapped(self, shape: Any, old: Size, new: Size) -> Any:
        cut = len(shape) - len(old)
        if cut < 0:
            raise ValueError(FEW)
        if tuple(shape[cut:]) != tuple(old):
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
        return shape[:cut] + new

    def forward_shape(self, shape: Any) -> Any:
        return self._swapped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._swapped(shape, self.out_shape, self.in_shape)


class Joined(Transform):
    """Several transforms for parts of a tensor along a dimension."""

    constraint: Any = None

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(t.bijective for t in self.transforms)

    def _set(name: str) -> Any:  # type: ignore[misc]
        return constraints.dependent_property(lambda self: self._joined([getattr(t, name) for t in self.transforms]))

    domain, codomain = _set("domain"), _set("codomain")
    del _set

    def _joined(self, sets: list) -> Any:
        raise NotImplementedError

    def _parts(self, x: Tensor, name: str = "x") -> list[Tensor]:
        raise NotImplementedError

    def _within(self, x: Tensor, name: str, n: int, what: str) -> None:
        shown = "tensor" if name == "tensor" else name
        if not -x.ndim <= self.dim < x.ndim:
            raise AssertionError(f"dim {self.dim} out of range for {shown} with {x.ndim} dimensions")
        if x.size(self.dim) != n:
            raise AssertionError(f"x.size({self.dim}) = {x.size(self.dim)} must equal {what} {n}")

    def _mapped(self, parts: list[Tensor], inverse: bool) -> list[Tensor]:
        return [(t.inv if inverse else t)(x) for t, x in zip(self.transforms, parts, strict=True)]


class CatTransform(Joined):
    """Transforms for parts of a tensor along a dimension, put together again.
    tseq: the transforms. dim: the dimension (0). lengths: sizes of the parts (None: 1 each). cache_size: 1 keeps the
    last pair of x and y (0).
    >>> t = distributions.CatTransform([distributions.ExpTransform(), distributions.AffineTransform(0.0, 2.0)])
    >>> t(torch.tensor([0.0, 3.0]))
    tensor([1., 6.])"""

    settings = ("transforms", "dim", "lengths")

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    length = property(lambda self: sum(self.lengths), doc="The length of all parts together.")
    event_dim = property(lambda self: max(t.event_dim for t in self.transforms))

    def _joined(self, sets: list) -> Any:
        return constraints.cat(sets, self.dim, self.lengths)

    def _parts(self, x: Tensor, name: str = "tensor") -> list[Tensor]:
        self._within(x, name, sum(self.lengths), "length")
        starts = accumulate(self.lengths, initial=0)
        return [x.narrow(self.dim, at, n) for at, n in zip(starts, self.lengths, strict=False)]

    def _call(self, x: Tensor) -> Tensor:
        return T.cat(self._mapped(self._parts(x), False), dim=self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return T.cat(self._mapped(self._parts(y), True), dim=self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = []
        for t, a, b in zip(self.transforms, self._parts(x, "x"), self._parts(y, "y"), strict=True):
            terms.append(sum_rightmost(t.log_abs_det_jacobian(a, b), self.event_dim - t.event_dim))
        dim = (self.dim - x.ndim if self.dim >= 0 else self.dim) + self.event_dim
        return T.cat(terms, dim=dim) if dim < 0 else reduce(add, terms)


class StackTransform(Joined):
    """Transforms for the slices of a tensor along a dimension, one each, put together again.
    tseq: the transforms. dim: the dimension (0). cache_size: 1 keeps the last pair of x and y (0).
    >>> t = distributions.StackTransform([distributions.ExpTransform(), distributions.AffineTransform(0.0, 2.0)])
    >>> t(torch.tensor([0.0, 3.0]))
    tensor([1., 6.])"""

    settings = ("transforms", "dim")

    def _joined(self, sets: list) -> Any:
        return constraints.stack(sets, self.dim)

    def _parts(self, x: Tensor, name: str = "tensor") -> list[Tensor]:
        self._within(x, name, len(self.transforms), "len(transforms)")
        return [x.select(self.dim, i) for i in range(x.size(self.dim))]

    def _call(self, x: Tensor) -> Tensor:
        return T.stack(self._mapped(self._parts(x), False), dim=self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return T.stack(self._mapped(self._parts(y), True), dim=self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._parts(x, "x"), self._parts(y, "y"), strict=True)
        return T.stack([t.log_abs_det_jacobian(a, b) for t, a, b in pairs], dim=self.dim)


class CumulativeDistributionTransform(Transform):
    """Value as its probability under a distribution: y = distribution.cdf(x), in [0, 1]; the inverse is icdf.
    distribution: a distribution of one number that has both. cache_size: 1 keeps the last pair of x and y (0).
    >>> distributions.CumulativeDistributionTransform(distributions.Normal(0.0, 1.0))(torch.tensor(0.0))
    tensor(0.5000)"""

    bijective = True
    codomain = constraints.unit_interval
    sign = 1
    settings = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = property(lambda self: self.distribution.support)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
