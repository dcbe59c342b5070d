"""`np.random`: numpy's generators, one global one per session.

The real generator objects lead to raw memory (`bit_generator.ctypes`), to locks, and to a state whose position numpy
trusts. A script gets a front that lends the vetted methods of a hidden generator, each in a plain function: numpy's
own are compiled by Cython, which gives functions a `func_globals`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..integers import plain, whole
from ..kinds import Final, Immutable, make
from ..long_calls import MANY, apart, is_inert, moves
from ..names import check_keywords
from ..numpy_guards import answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..environment import Environment

LEGACY = """beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial noncentral_chisquare
noncentral_f normal pareto permutation poisson power rand randint randn random random_integers random_sample rayleigh
seed shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t tomaxint triangular
uniform vonmises wald weibull get_state"""

MODERN = """beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
integers laplace logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal
negative_binomial noncentral_chisquare noncentral_f normal pareto permutation permuted poisson power random rayleigh
shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises
wald weibull zipf"""


BITS = 1 << 14
"""Bits of a seed's numbers."""
BOUNDS = {
    "zipf": ("a", 1 + 1e-7, 1024),
    "vonmises": ("kappa", 0, 1e15),
    "hypergeometric": ("ngood, nbad and nsample", 0, 1 << 40),
}
"""Between which bounds the legacy generator finds a number within a moment: beyond them it draws and refuses for ever."""


class Front(metaclass=Immutable):
    """Lends the listed methods of a hidden object, each from its first use on as an attribute of its own."""

    __slots__ = ("__dict__", "_real")
    _names: ClassVar[frozenset[str]] = frozenset()

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        found = getattr(self._real, name)
        if callable(found):
            found = _plain(found, name)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__!r} object attribute {name!r} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__!r} object attribute {name!r} is read-only")

    def __dir__(self) -> list[str]:
        return sorted(self._names | {name for name in vars(type(self)) if name[:1] != "_"})

    def __copy__(self) -> Any:
        return make(type(self), _real=self._real)

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        return make(type(self), _real=deepcopy(self._real))

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")


def _plain(method: Any, name: str) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        given = args[:1] if name == "shuffle" else ()  # which is shuffled in its place
        args = given + tuple([plain(x) for x in args[len(given) :]])
        options = (
            {key: x if key == "x" else plain(x) for key, x in check_keywords(options).items()} if options else options
        )
        if (is_large(args) or is_large(options.values())) and is_inert([*args, *options.values()]):
            if name in IN_PIECES:
                return IN_PIECES[name](method, *args, **options)
            return answered(apart(method, *args, **options))
        return answered(method(*args, **options))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = method.__doc__
    return call


def shuffled(method: Any, x: Any, *axis: Any, **options: Any) -> None:
    """`shuffle(x)`: rows by their places, of which numpy lets go of the interpreter. The numbers drawn are the same."""
    place = axis[0] if axis else options.get("axis", 0)
    if (
        type(x) is not np.ndarray
        or x.ndim < 2
        or options.keys() - {"axis"}
        or type(place) is not int
        or not -x.ndim <= place < x.ndim
    ):
        return apart(method, x, *axis, **options)
    places = np.arange(x.shape[place])
    apart(method, places)
    apart(np.copyto, x, apart(np.take, x, places, place))
    return None


def permuted(method: Any, x: Any, *, axis: Any = None, out: Any = None) -> Any:
    """`permuted(x)`: some thousand rows at a time."""
    a = np.asarray(x)
    if type(axis) is not int or a.ndim < 2 or not -a.ndim <= axis < a.ndim or out is not None or a.shape[axis] == 0:
        return answered(apart(method, x, axis=axis, out=out))
    moved = np.moveaxis(a, axis, -1)
    rows = apart(np.array, moved, order="C").reshape(-1, a.shape[axis])
    step = max(1, MANY // a.shape[axis])
    for begin in range(0, len(rows), step):
        method(rows[begin : begin + step], axis=1, out=rows[begin : begin + step])
    return apart(np.ascontiguousarray, np.moveaxis(rows.reshape(moved.shape), -1, axis))


IN_PIECES = {"shuffle": shuffled, "permuted": permuted}


def is_large(values: Any) -> bool:
    """Whether one of some arguments is, or asks for, so many elements that others may want to interrupt the call."""
    for value in values:
        if type(value) is int:
            size = value
        elif type(value) is tuple and all(type(n) is int for n in value):
            size = math.prod(value)
        else:
            size = value.size if type(value) is np.ndarray else 0
        if size >= MANY:
            return True
    return False


def spawned(real: Any, count: Any) -> Iterator[Any]:
    """The children of a hidden object, one by one: numpy makes a list of them all at once, which nobody can interrupt."""
    for _ in range(whole(count)):
        yield from real.spawn(1)


def _constructed(cls: type, *known: type) -> None:
    """A constructor called for a class of the script would leave the hidden generator in the script's object."""
    if cls not in known:
        raise TypeError(f"cannot create {cls.__name__!r} instances")


def _seed(seed: Any) -> Any:
    """A seed as numpy may take it. It cuts large numbers to pieces in quadratic time."""
    for number in seed if isinstance(seed, (list, tuple)) else (seed,):
        if isinstance(number, int) and number.bit_length() > BITS:
            raise ValueError(f"a seed has at most {BITS} bits in tensorsh")
    return seed._real if isinstance(seed, Front) else seed


class RandomState(Front, metaclass=Final):
    """numpy's legacy generator."""

    __slots__ = ()
    __module__ = "numpy.random"
    _names = frozenset(LEGACY.split())

    def __new__(cls, seed: Any = None) -> RandomState:
        _constructed(cls, RandomState)
        return make(RandomState, _real=np.random.RandomState(_seed(seed)))

    def __repr__(self) -> str:
        return "RandomState(MT19937)"

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self._within("zipf", a)(a, size)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self._within("vonmises", kappa)(mu, kappa, size)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        return self._within("hypergeometric", ngood, nbad, nsample)(ngood, nbad, nsample, size)

    def _within(self, name: str, *parameters: Any) -> Any:
        """A method, if its parameters are within its bounds."""
        told, least, most = BOUNDS[name]
        for value in parameters:
            given = np.asarray(value, float)
            if np.any((given < least) | (given > most)):
                raise ValueError(
                    f"{name}() of np.random takes {told} from {least:.7g} to {most:.7g} in tensorsh: "
                    f"np.random.default_rng().{name} may take others"
                )
        return _plain(getattr(self._real, name), name)

    def set_state(self, state: Any) -> None:
        """Restores what get_state() returned."""
        if isinstance(state, dict):
            state = (
                state["bit_generator"],
                state["state"]["key"],
                state["state"]["pos"],
                state["has_gauss"],
                state["gauss"],
            )
        kind, key, position, *rest = tuple(state)
        keys = np.array(key, dtype=np.uint32)
        position = int(position)
        if kind != "MT19937" or keys.shape != (624,) or not 0 <= position <= 624 or not moves(keys):
            raise ValueError("state is not a legacy MT19937 state")
        self._real.set_state(("MT19937", keys, position, *rest))


class Generator(Front, metaclass=Final):
    """numpy's generator; `default_rng(seed)` makes one."""

    __slots__ = ()
    __module__ = "numpy.random"
    _names = frozenset(MODERN.split())

    def __new__(cls, bit_generator: Any) -> Generator:
        _constructed(cls, Generator)
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f"a bit generator like np.random.PCG64() is expected, not {type(bit_generator).__name__}")
        return make(Generator, _real=np.random.Generator(bit_generator._real))

    def __repr__(self) -> str:
        return f"Generator({type(self._real.bit_generator).__name__})"

    def spawn(self, n_children: int) -> list[Generator]:
        return [make(Generator, _real=real) for real in spawned(self._real, n_children)]

    @property
    def bit_generator(self) -> BitGenerator:
        real = self._real.bit_generator
        return make(BIT_GENERATORS[type(real).__name__], _real=real)


class SeedSequence(Front, metaclass=Final):
    """Mixes entropy into seeds; a seed for default_rng and the bit generators."""

    __slots__ = ()
    __module__ = "numpy.random"
    _names = frozenset({"entropy", "generate_state", "n_children_spawned", "pool_size", "spawn_key"})

    def __new__(cls, entropy: Any = None, *, spawn_key: Any = (), pool_size: int = 4) -> SeedSequence:
        _constructed(cls, SeedSequence)
        return make(
            SeedSequence, _real=np.random.SeedSequence(_seed(entropy), spawn_key=_seed(spawn_key), pool_size=pool_size)
        )

    def __repr__(self) -> str:
        return repr(self._real)

    def spawn(self, n_children: int) -> list[SeedSequence]:
        return [make(SeedSequence, _real=real) for real in spawned(self._real, n_children)]


class BitGenerator(Front):
    """The source of bits of a Generator."""

    __slots__ = ()
    __module__ = "numpy.random"
    _names = frozenset({"random_raw"})

    def __new__(cls, seed: Any = None) -> BitGenerator:
        _constructed(cls, *BIT_GENERATORS.values())
        return make(cls, _real=getattr(np.random, cls.__name__)(_seed(seed)))


def _bit_generator(name: str) -> type[BitGenerator]:
    return Final(name, (BitGenerator,), {"__slots__": (), "__module__": "numpy.random"})


BIT_GENERATORS = {name: _bit_generator(name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")}


def default_rng(seed: Any = None) -> Generator:
    """A new Generator; a Generator given as the seed is returned as it is."""
    if isinstance(seed, Generator):
        return seed
    return make(Generator, _real=np.random.default_rng(_seed(seed)))


def numpy_random(environment: Environment) -> dict[str, Any]:
    """The table of `np.random` for one session."""
    session = RandomState(environment.seed)
    table = {name: getattr(session, name) for name in RandomState._names if name != "tomaxint"}
    table |= {"ranf": session.random_sample, "sample": session.random_sample}
    table |= {"set_state": session.set_state, "zipf": session.zipf}
    return (
        dict(sorted(table.items()))
        | BIT_GENERATORS
        | {
            "BitGenerator": BitGenerator, "Generator": Generator, "RandomState": RandomState,
            "SeedSequence": SeedSequence, "default_rng": default_rng,
        }
    )  # fmt: skip
