"""The modules of Python's library that a script may import, name by name.

`MODULES` maps a module's name to a function that makes its table for one session. The module itself is imported only
then. An omission is named with its reason where one would look for it.
"""

from __future__ import annotations

from types import FunctionType

from ..iterating import SOURCES, keyed, presented, steps, with_steps
from ..names import check_keywords, composed
from ..wrapping import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..environment import Environment

MODULES: dict[str, Callable[[Environment], dict[str, Any]]] = {}


def _table(name: str) -> Callable[[Callable[[Environment], dict[str, Any]]], Any]:
    def register(make: Callable[[Environment], dict[str, Any]]) -> Any:
        MODULES[name] = make
        return make

    return register


def take(module: Any, names: str) -> dict[str, Any]:
    """Those of the names that this version of Python has."""
    return {name: getattr(module, name) for name in names.split() if hasattr(module, name)}


def _simple(module: str, names: str) -> None:
    def make(environment: Environment) -> dict[str, Any]:
        from importlib import import_module

        return take(import_module(module), names)

    MODULES[module] = make


@_table("importlib")
def _importlib(environment: Environment) -> dict[str, Any]:
    def import_module(name: str, package: str | None = None) -> Any:
        """The module of a (dotted) name."""
        level = len(name) - len(name.lstrip("."))
        variables = {"__package__": package}
        found = environment.import_module(name[level:], variables, None, None, level)
        full = environment.beside.absolute(name[level:], level, variables) if level else name
        for part in full.split(".")[1:]:
            found = getattr(found, part)
        return found

    return {"import_module": import_module, "reload": lambda module: environment.beside.reload(module)}


@_table("math")
def math(environment: Environment) -> dict[str, Any]:
    import math as real

    from ..builtins import check_integer

    def factorial(n: Any, /) -> int:
        if type(n) is int and n > 1000:
            check_integer(real.lgamma(n + 1) / real.log(2), "factorial()")
        return real.factorial(n)

    def comb(n: Any, k: Any, /) -> int:
        _check_choice(n, k, "comb()")
        return real.comb(n, k)

    def perm(n: Any, k: Any = None, /) -> int:
        _check_choice(n, n if k is None else k, "perm()")
        return real.perm(n, k)

    def _check_choice(n: Any, k: Any, what: str) -> None:
        if type(n) is int and type(k) is int and k > 1000:
            check_integer(n.bit_length() * min(k, n), what)

    table = {name: value for name, value in vars(real).items() if name[:1] != "_"}
    table |= {"factorial": factorial, "comb": comb, "perm": perm}
    return table | {name: steps(table[name]) for name in ("fsum", "prod")}


_simple(
    "cmath",
    """acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj phase pi
    polar rect sin sinh sqrt tan tanh tau""",
)


@_table("queue")
def queue(environment: Environment) -> dict[str, Any]:
    """The errors of queues, which processes have; there is one thread."""
    import queue as real

    return {"Empty": real.Empty, "Full": real.Full}


@_table("random")
def random(environment: Environment) -> dict[str, Any]:
    """The functions of a generator of the session's own. SystemRandom is left out: it asks the operating system."""
    import random as real

    # A class of the session's own: what a script does to it stays in the session.
    kind: Any = type("Random", (real.Random,), {"__module__": "random", "__doc__": real.Random.__doc__})

    @wraps(real.Random.setstate)
    def setstate(self: Any, state: Any) -> None:
        from ..long_calls import moves

        before = real.Random.getstate(self)
        real.Random.setstate(self, state)
        if not moves(real.Random.getstate(self)[1][:-1]):
            real.Random.setstate(self, before)
            raise ValueError("state vector must not be of zeros alone: the generator would draw for ever in tensorsh")

    kind.setstate = setstate
    generator = kind(environment.seed)
    names = """seed random uniform triangular randint choice randrange sample shuffle choices normalvariate
    lognormvariate expovariate vonmisesvariate gammavariate gauss betavariate binomialvariate paretovariate
    weibullvariate getstate setstate getrandbits randbytes"""
    return take(generator, names) | {"Random": kind}


@_table("time")
def time(environment: Environment) -> dict[str, Any]:
    import time as real

    def sleep(seconds: Any, /) -> None:
        """Waits; in short steps, so that a time limit or Ctrl-C ends it in any thread."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        end = real.monotonic() + seconds
        while (rest := end - real.monotonic()) > 0:
            real.sleep(min(rest, 0.05))

    # Without tzset, clock_settime and their kin, which change the process.
    names = """altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns perf_counter
    perf_counter_ns process_time process_time_ns strftime strptime struct_time thread_time thread_time_ns time
    time_ns timezone tzname"""
    return take(real, names) | {"sleep": sleep}


_simple("datetime", "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo")


@_table("collections")
def collections(environment: Environment) -> dict[str, Any]:
    """UserString is left out: its `format` walks attributes past the gate."""
    import collections as real
    import collections.abc as abstract

    from ..copying import copied
    from ..namespace import Namespace
    from .definitions import namedtuple

    for kind in (real.UserDict, real.UserList):
        kind.__copy__ = copied  # type: ignore[method-assign]
    names = """AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection Container Coroutine
    Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence
    MutableSet Reversible Sequence Set Sized ValuesView"""
    with_warnings = take(abstract, names.replace("ByteString", ""))
    return take(real, "ChainMap Counter OrderedDict UserDict UserList defaultdict deque") | {
        "namedtuple": namedtuple,
        "abc": Namespace("collections.abc", with_warnings),
    }


@_table("itertools")
def itertools(environment: Environment) -> dict[str, Any]:
    import itertools as real

    return take(real, "batched compress islice pairwise tee zip_longest") | SOURCES


def is_compiled(function: Any, *rest: Any) -> bool:
    return type(function) is not FunctionType


@_table("functools")
def functools(environment: Environment) -> dict[str, Any]:
    """partialmethod is left out: it has no use here."""
    import functools as real

    from . import definitions

    own = "cache cached_property lru_cache singledispatch singledispatchmethod total_ordering update_wrapper wraps"

    def cmp_to_key(mycmp: Any) -> Any:
        return real.cmp_to_key(with_steps(mycmp))

    return (
        {"cmp_to_key": presented(cmp_to_key, real.cmp_to_key)}
        | take(definitions, own)
        | {"partial": definitions.partial(), "reduce": steps(real.reduce, 1, growing=is_compiled)}
    )


@_table("typing")
def typing(environment: Environment) -> dict[str, Any]:
    """Without get_type_hints and ForwardRef, which evaluate text, and `io` and `re`, which are modules."""
    import typing as real

    from ..kinds import public_type, script_type
    from ..restored import caches
    from .definitions import final, runtime_checkable

    caches.update(dict.fromkeys(getattr(real, "_cleanups", ())))

    names = """AbstractSet Annotated Any AnyStr Callable ChainMap ClassVar Collection Concatenate Container Counter
    DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable Iterator KeysView List Literal
    LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn
    NotRequired Optional OrderedDict ParamSpec Pattern Protocol Required Reversible Self Sequence Set Sized
    SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound Text Tuple TypeAlias
    TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack ValuesView TYPE_CHECKING assert_never assert_type cast
    get_args is_typeddict"""

    def get_origin(tp: Any) -> Any:
        origin = real.get_origin(tp)
        return public_type(origin) if isinstance(origin, type) else origin

    def overload(func: Any) -> Any:
        """The real one keeps every function in a table of the process."""
        return func

    own = {"Type": script_type, "get_origin": get_origin, "overload": overload, "override": lambda func: func}
    return take(real, names) | own | {"final": final, "runtime_checkable": runtime_checkable}


@_table("dataclasses")
def dataclasses(environment: Environment) -> dict[str, Any]:
    import dataclasses as real

    from . import definitions

    own = "Field dataclass field fields make_dataclass"
    return take(real, "KW_ONLY MISSING InitVar FrozenInstanceError asdict astuple is_dataclass replace") | take(
        definitions, own
    )


@_table("copy")
def copy(environment: Environment) -> dict[str, Any]:
    import copy as real

    from ..copying import deepcopy

    return take(real, "Error copy error") | {"deepcopy": deepcopy}


@_table("pprint")
def pprint(environment: Environment) -> dict[str, Any]:
    import pprint as real

    def show(obj: Any, stream: Any = None, *args: Any, **options: Any) -> None:
        real.pprint(obj, environment.stdout if stream is None else stream, *args, **options)

    def pp(obj: Any, *args: Any, sort_dicts: bool = False, **options: Any) -> None:
        show(obj, *args, sort_dicts=sort_dicts, **options)

    show.__name__ = show.__qualname__ = "pprint"
    return take(real, "isreadable isrecursive pformat saferepr") | {"pprint": show, "pp": pp}


# Formatter and Template are left out: Formatter walks attributes.
_simple(
    "string",
    """ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable punctuation
    whitespace""",
)


@_table("unicodedata")
def unicodedata(environment: Environment) -> dict[str, Any]:
    import unicodedata as real

    names = "bidirectional category combining decimal decomposition digit east_asian_width lookup mirrored name numeric"

    def normalize(form: str, unistr: str, /) -> str:
        return composed(form, str.__str__(unistr)) if isinstance(unistr, str) else real.normalize(form, unistr)

    def is_normalized(form: str, unistr: str, /) -> bool:
        return normalize(form, unistr) == unistr

    own = {each.__name__: presented(each, getattr(real, each.__name__)) for each in (normalize, is_normalized)}
    return take(real, names + " unidata_version") | own


@_table("operator")
def operator(environment: Environment) -> dict[str, Any]:
    import operator as real

    from .definitions import attrgetter, methodcaller

    names = """abs add and_ call concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat
    ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter itruediv
    ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor"""
    return take(real, names) | {"attrgetter": attrgetter, "methodcaller": methodcaller}


@_table("enum")
def enum(environment: Environment) -> dict[str, Any]:
    import enum as real

    from .definitions import enum_classes

    return take(real, "CONFORM EJECT KEEP STRICT FlagBoundary auto unique") | enum_classes()


@_table("abc")
def abc(environment: Environment) -> dict[str, Any]:
    """ABCMeta stands in class statements alone: called, it would make classes with any attribute."""
    import abc as real

    from ..kinds import abstract
    from .definitions import abstractmethod

    return {"ABC": real.ABC, "ABCMeta": abstract, "abstractmethod": abstractmethod}


@_table("json")
def json(environment: Environment) -> dict[str, Any]:
    """dump and dumps take `x.__dict__`, which is no dictionary here, for one."""
    import json as real

    from ..instance import InstanceVariables
    from ..wrapping import wraps

    def taking_variables(function: Any) -> Any:
        @wraps(function)
        def written(*args: Any, default: Any = None, **options: Any) -> Any:
            def other(value: Any) -> Any:
                if type(value) is InstanceVariables:
                    return value.copy()
                return (default or real.JSONEncoder().default)(value)

            check_keywords(options).pop(
                "check_circular", None
            )  # checked always: what is not can be interrupted nowhere
            return function(*args, default=default if options.get("cls") else other, **options)

        return written

    read = take(real, "JSONDecodeError JSONEncoder load loads")
    return read | {"dump": taking_variables(real.dump), "dumps": taking_variables(real.dumps)}


@_table("textwrap")
def textwrap(environment: Environment) -> dict[str, Any]:
    """Those that call methods of a text with tables that all share get a plain one."""
    import textwrap as real

    from ..wrapping import wraps

    def of_text(function: Any) -> Any:
        return wraps(function)(lambda text, *args, **options: function(str.__str__(text), *args, **options))

    plain = take(real, "fill shorten wrap")
    return take(real, "dedent indent") | {name: of_text(function) for name, function in plain.items()}


@_table("bisect")
def bisect(environment: Environment) -> dict[str, Any]:
    import bisect as real

    names = "bisect bisect_left bisect_right insort insort_left insort_right"
    return {name: keyed(function) for name, function in take(real, names).items()}


_simple("heapq", "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest")
_simple("fractions", "Fraction")
_simple("calendar", "isleap leapdays monthrange weekday")
_simple("colorsys", "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb")
_simple("html", "escape unescape")
_simple("keyword", "iskeyword issoftkeyword")
_simple("numbers", "Complex Integral Number Rational Real")
_simple("hashlib", "blake2b blake2s md5 sha1 sha224 sha256 sha3_256 sha3_512 sha384 sha512")
_simple("base64", "b16decode b16encode b32decode b32encode b64decode b64encode urlsafe_b64decode urlsafe_b64encode")
_simple("platform", "machine python_implementation python_version system")


@_table("io")
def io(environment: Environment) -> dict[str, Any]:
    import io as real

    return take(real, "BytesIO StringIO") | {"open": environment.permissions.open}


@_table("timeit")
def timeit(environment: Environment) -> dict[str, Any]:
    """`timeit.timeit` takes functions only: statements in text would be run without the gate."""
    from time import perf_counter

    def measure(stmt: Any, setup: Any = None, timer: Any = perf_counter, number: int = 1000000) -> float:
        if not callable(stmt) or not (setup is None or callable(setup)):
            raise TypeError("timeit: a function is expected; text is not run in tensorsh")
        if setup is not None:
            setup()
        start = timer()
        for _ in range(number):
            stmt()
        return timer() - start

    return {"default_timer": perf_counter, "timeit": measure}


@_table("types")
def types(environment: Environment) -> dict[str, Any]:
    """The stand-ins that `type(x)` answers, and SimpleNamespace as a class of the session's own."""
    import types as real

    from ..kinds import public_type
    from .arguments import namespace_class

    kinds = "BuiltinFunction BuiltinMethod Function Generator Lambda MappingProxy Method Module None".split()
    own = {f"{name}Type": public_type(getattr(real, f"{name}Type")) for name in kinds}
    return own | {"SimpleNamespace": namespace_class("types", "SimpleNamespace", "namespace")}


@_table("__future__")
def future(environment: Environment) -> dict[str, Any]:
    import __future__ as real

    return take(real, " ".join(real.all_feature_names))


MOST_TEXT = 1 << 20
"""Characters that Python compiles in a second or two."""


@_table("ast")
def ast(environment: Environment) -> dict[str, Any]:
    """`literal_eval` alone: text that stands for a plain value."""
    from ast import literal_eval as read

    def literal_eval(node_or_string: str) -> Any:
        if type(node_or_string) is not str:
            raise TypeError("literal_eval() takes a string in tensorsh")
        if len(node_or_string) > MOST_TEXT:
            raise ValueError(
                f"literal_eval() takes at most {MOST_TEXT} characters in tensorsh: json.loads() reads longer texts"
            )
        return read(node_or_string)

    return {"literal_eval": literal_eval}


def _later(name: str, file: str, maker: str = "") -> None:
    """A module whose table stands in a file of its own."""

    def make(environment: Environment) -> dict[str, Any]:
        from importlib import import_module

        return getattr(import_module(f"tensorsh.sandbox.modules.{file}"), maker or name)(environment)

    MODULES[name] = make


for _name in ("warnings", "sys", "gc", "inspect"):
    _later(_name, "system")
for _name in ("os", "pathlib", "glob", "tempfile", "shutil"):
    _later(_name, "paths")
_later("argparse", "arguments")
_later("traceback", "tracebacks")
_later("re", "patterns")
_later("logging", "journal")
_later("decimal", "decimals")
_later("gzip", "compressed", "functions")
_later("contextlib", "contexts")
_later("statistics", "samples")
_later("array", "buffers")
_later("struct", "buffers", "packing")
_later("csv", "buffers")
