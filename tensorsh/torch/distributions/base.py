"""What all distributions share: shapes, validation, expansion, text.

A distribution is declared by its parameters and what each must satisfy (`arg_constraints`), its `support`, and formulas.
Parameters are broadcast together when they are taken in; everything that depends on their shape alone follows from here:

    class Exponential(ExponentialFamily):
        arg_constraints = {"rate": positive}
        support = nonnegative

        def __init__(self, rate, validate_args=None):
            self._take(validate_args, rate=rate)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.dtype import finfo
from ...engine.arrays.state import state
from ...engine.arrays.warning import warn
from ...engine.tape.grad_modes import enable_grad, no_grad
from ...engine.tensors.tensor import Size, Tensor
from ...sandbox.classes import allow, is_kept, refused
from ...sandbox.copying import another
from ...sandbox.named import read_named
from ...sandbox.names import is_special, normalize
from ...sandbox.sealed import OpenSealed, Sealed, named, refuse
from ...sandbox.wrapping import renamed, wraps
from ..mapping.slices import base
from ..nn.reach import F, T
from . import constraints

__all__ = ["Distribution", "ExponentialFamily"]

NUMBERS = (int, float)
BOTH_OR_NONE = "Either `probs` or `logits` must be specified, but not both."


PLACES = {
    "Chi2": "chi2", "ExpRelaxedCategorical": "relaxed_categorical", "ExponentialFamily": "exp_family",
    "FisherSnedecor": "fishersnedecor", "LKJCholesky": "lkj_cholesky", "LogitRelaxedBernoulli": "relaxed_bernoulli",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "OneHotCategoricalStraightThrough": "one_hot_categorical", "RelaxedOneHotCategorical": "relaxed_categorical",
    "StudentT": "studentT",
}  # fmt: skip
"""Classes that stand in another of PyTorch's modules than their name says."""


def snake(name: str) -> str:
    """``HalfNormal`` -> ``half_normal``."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape; numbers take dtype and device of the first tensor."""
    tensors = [v for v in values if isinstance(v, Tensor) or hasattr(type(v), "__torch_function__")]
    if not all(isinstance(v, NUMBERS) or any(v is t for t in tensors) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = tensors[0].dtype if tensors else state.default_dtype
    device = tensors[0].device if tensors else None
    return T.broadcast_tensors(
        *(T.tensor(v, dtype=dtype, device=device) if isinstance(v, NUMBERS) else v for v in values)
    )


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last `dims` dimensions."""
    return value.reshape((*value.shape[: value.ndim - dims], -1)).sum(-1) if dims else value


def standard_normal(shape: Size, like: Tensor) -> Tensor:
    return T.empty(shape, dtype=like.dtype, device=like.device).normal_()


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def checked(method: Callable) -> Callable:
    """A method of a value that is first checked to lie in the support."""

    @wraps(method)
    def run(self: Any, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return method(self, value)

    return run


class lazy_property(metaclass=Sealed):
    """A value computed when it is first asked for, and then kept."""

    __module__ = "torch.distributions.utils"

    _owner: Any = None

    def __init__(self, wrapped: Callable) -> None:
        self._wrapped, self._name = wrapped, wrapped.__name__
        self.__doc__ = wrapped.__doc__
        if is_special(normalize(self._name)):
            raise AttributeError(f"{self._name!r} cannot be the name of a property")

    def __set_name__(self, owner: type, name: str) -> None:
        named(self, self._wrapped, owner)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            made = lazy_property(self._wrapped)
            made._owner = self._owner
            return made
        refuse(self, instance)
        if not any(each is self for base in type(instance).__mro__ for each in base.__dict__.values()):
            raise TypeError(f"a '{type(instance).__name__}' object does not have this lazy_property")
        if is_kept(instance, self._name):
            raise refused(instance, self._name)
        with enable_grad():
            value = instance.__dict__[self._name] = self._wrapped(instance)
        return value


def parameter_of(part: str, name: str) -> property:
    """A parameter that is one of an inner distribution's."""
    return property(lambda self: getattr(getattr(self, part), name), doc=f"`{name}` of the distribution within.")


class Distribution(metaclass=OpenSealed):
    """Probability distribution over a batch of events: `batch_shape` tells how many distributions there are,
    `event_shape` what a sample of one of them looks like. Base class of all: one of one's own defines `log_prob`,
    `sample` or `rsample`, `arg_constraints` and `support`.
    batch_shape, event_shape: these shapes (()). validate_args: check arguments and values (None: yes, unless
    set_default_validate_args(False) was called); ValueError for those out of bounds.
    sample(shape) draws without gradients, rsample(shape) with them; log_prob(x), cdf, icdf, mean, variance, stddev,
    mode, entropy() and expand() are there where the distribution has them.
    >>> normal = distributions.Normal(torch.zeros(3), 1.0)
    >>> normal.batch_shape, normal.sample((5,)).shape
    (torch.Size([3]), torch.Size([5, 3]))"""

    __module__ = "torch.distributions.distribution"

    _owned: tuple[str, ...] = ()
    """Inherited methods that Python's errors call the class's own, as they do its constructor."""
    _unexpanded: tuple[str, ...] = ()
    """Tensors that are the same for the whole batch."""
    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: Any = True

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("tensorsh."):
            cls.__module__ = "torch.distributions." + PLACES.get(cls.__name__, snake(cls.__name__))
            for name in ("__init__", *cls._owned):
                if name not in cls.__dict__:
                    setattr(cls, name, renamed(getattr(cls, name), f"{cls.__name__}.{name}"))

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments from now on, where they are not told."""
        if value not in (True, False):
            raise ValueError
        state.validate_args = bool(value)  # type: ignore[attr-defined]
        if Distribution._validate_args is not True:
            Distribution._validate_args = True

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is None:  # the default belongs to the session, unless a class has its own
            validate_args = type(self)._validate_args and getattr(state, "validate_args", True)
        self._validate_args = validate_args
        if self._validate_args:
            self._validate_arguments()
        super().__init__()  # that of a module, in a class that is one, too

    def _validate_arguments(self) -> None:
        try:
            required = self.arg_constraints
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        for name, constraint in required.items():
            lazily = name not in self.__dict__ and isinstance(read_named(type(self), name, None), lazy_property)
            if constraints.is_dependent(constraint) or lazily:
                continue
            value = read_named(self, name)
            if not bool(base(constraint.check(value)).all()):  # of all slices of a vmap
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _take(self, validate_args: bool | None, **given: Any) -> None:
        """Parameters broadcast together; they are of one element when all are numbers."""
        tensors = broadcast_all(*given.values())
        self.__dict__.update(zip(given, tensors, strict=True))
        numbers = all(isinstance(v, NUMBERS) for v in given.values())
        Distribution.__init__(self, Size() if numbers else tensors[0].shape, validate_args=validate_args)

    def _take_one(self, **given: Any) -> tuple[str, Any]:
        """The one of two parametrisations that is given."""
        chosen = [(name, value) for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise ValueError(BOTH_OR_NONE)
        self._given = chosen[0][0]
        return chosen[0]

    _param = property(lambda self: self.__dict__[self._given])

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution for a larger batch; no memory is copied."""
        batch_shape = Size(batch_shape)
        new = another(type(self)) if _instance is None else _instance
        if not isinstance(new, Distribution):
            raise TypeError(f"a distribution is expected, got {type(new).__name__}")
        extra = len(self._batch_shape)
        events = getattr(self, "arg_constraints", {})
        for name, value in self.__dict__.items():
            if isinstance(value, Distribution):
                value = value.expand(batch_shape + value._batch_shape[extra:])
            elif isinstance(value, Tensor) and name[0] != "_" and name not in self._unexpanded:
                own = events[name].event_dim if name in events else value.ndim - extra
                value = value.expand(batch_shape + value.shape[value.ndim - own :] if own else batch_shape)
            new.__dict__[name] = value
        new._batch_shape = batch_shape
        return new

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the batch of distributions.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of one sample of one of them.")

    def _required(name: str, hint: str = "") -> property:  # type: ignore[misc]
        def get(self: Any) -> Any:
            raise NotImplementedError(*([f"{type(self)} {hint}"] if hint else []))

        return property(get, doc=f"The {name} of the distribution.")

    arg_constraints = _required("constraints of the arguments")
    support = _required("support")
    mean = _required("mean")
    mode = _required("mode", "does not implement mode")
    variance = _required("variance")
    del _required

    stddev = property(lambda self: self.variance.sqrt(), doc="The standard deviation.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Samples of shape ``sample_shape + batch_shape + event_shape``, without gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """`n` samples."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(Size((n,)))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Samples as differentiable functions of the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a sample not above `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first dimension."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """Values along a new first dimension, for each of the batch."""
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _full(self, value: float, like: Tensor) -> Tensor:
        return T.full(self._extended_shape(), value, dtype=like.dtype, device=like.device)

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        event = value.size()[value.ndim - len(self._event_shape) :]
        if event != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the distribution "
                "with `validate_args=False` to turn off validation."
            )
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        """For an `expand` of one's own: an instance to fill, or the one that a derived class made."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also define a "
                "custom .expand() method."
            )
        return another(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        shown = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        listed = ", ".join(f"{name}: {v if v.numel() == 1 else v.size()}" for name, v in shown.items())
        return f"{type(self).__name__}({listed})"


allow(
    Distribution, "_batch_shape", "_event_shape", "_validate_args", "_extended_shape", "_validate_sample", "_get_checked_instance",
)  # fmt: skip


class ExponentialFamily(Distribution):
    """Densities exp(t(x) * n - F(n) + k(x)) with natural parameters n and log normalizer F, from whose gradient the
    entropy follows (Nielsen and Nock, "Entropies and cross-entropies of exponential families", 2010). A class of one's
    own defines `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`.
    batch_shape, event_shape: shapes of batch and events (()). validate_args: check arguments and values (None: yes).
    >>> distributions.Exponential(torch.tensor(2.0)).entropy()
    tensor(0.3069)"""

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    def _normalizer_slopes(self) -> tuple[list[Tensor], Tensor, Any]:
        from ...engine.tape.backward import grad

        natural = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        return natural, normalizer, grad(normalizer.sum(), natural, create_graph=True)

    def entropy(self) -> Tensor:
        """The entropy, by the derivatives of the log normalizer."""
        carried = self._mean_carrier_measure
        natural, result, slopes = self._normalizer_slopes()
        result = result - carried
        for parameter, slope in zip(natural, slopes, strict=True):
            result = result - (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result


class Trials(Distribution):
    """Distributions over outcomes with two parametrisations: probabilities, or logits (log odds)."""

    binary = True

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds (of several outcomes: the log probabilities)."""
        probs = clamp_probs(self.probs)
        return probs.log() - (-probs).log1p() if self.binary else probs.log()

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.logits.sigmoid() if self.binary else F.softmax(self.logits, dim=-1)

    param_shape = property(lambda self: self._param.size(), doc="The shape of the parameter given.")
