"""The values in the tables are Python's and numpy's."""

from __future__ import annotations

import importlib
import itertools
import random
import time
from typing import Any

import numpy as np
import pytest

from tensorsh.sandbox import long_calls, numpy_guards
from tensorsh.sandbox.environment import make_environment
from tensorsh.sandbox.kinds import Calling, Told
from tensorsh.sandbox.modules import numpy_ufuncs
from tensorsh.sandbox.modules.standard import MODULES

from ..support.processes import printed
from .test_escapes import run

# What is a stand-in or a checked form of Python's own, so that `is` does not hold.
OWN = {
    "math": {"factorial", "comb", "perm", "fsum", "prod"},
    "copy": {"deepcopy"},
    "struct": {"Struct"},
    "collections": {"namedtuple", "abc"},
    "itertools": {
        "accumulate",
        "chain",
        "combinations",
        "combinations_with_replacement",
        "count",
        "cycle",
        "dropwhile",
        "filterfalse",
        "groupby",
        "permutations",
        "product",
        "repeat",
        "starmap",
        "takewhile",
    },
    "bisect": {"bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right"},
    "functools": {
        "cache",
        "cached_property",
        "cmp_to_key",
        "lru_cache",
        "partial",
        "reduce",
        "singledispatch",
        "singledispatchmethod",
        "total_ordering",
        "update_wrapper",
        "wraps",
    },
    "typing": {"runtime_checkable", "Type", "get_origin", "overload", "override", "final"},
    "dataclasses": {"Field", "dataclass", "field", "fields", "make_dataclass"},
    "re": {"compile", "search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn", "escape"},
    "textwrap": {"fill", "shorten", "wrap"},
    "pprint": {"pprint", "pp"},
    "operator": {"attrgetter", "methodcaller"},
    "json": {"dump", "dumps"},
    "enum": {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"},
    "array": {"array", "typecodes"},
    "decimal": {"Decimal"},
    "contextlib": {"ContextDecorator", "ExitStack", "contextmanager", "suppress"},
    "abc": {"ABCMeta", "abstractmethod"},
    "time": {"sleep"},
    "io": {"open"},
    "timeit": {"timeit"},
    "unicodedata": {"is_normalized", "normalize"},
    "warnings": {"warn", "catch_warnings"},
}
STAND_INS = (
    "random sys gc os pathlib inspect glob tempfile shutil argparse logging types ast importlib traceback gzip".split()
)


@pytest.mark.parametrize("name", [name for name in MODULES if name not in STAND_INS])
def test_names_are_pythons(name: str) -> None:
    real = importlib.import_module(name)
    table = make_environment().module(name)
    names = [n for n in dir(table) if n not in OWN.get(name, ())]
    assert names or name in ("array", "bisect", "functools")
    for entry in names:
        assert getattr(table, entry) is getattr(real, entry), entry


def test_random_numbers_are_pythons() -> None:
    ours, theirs = make_environment().module("random"), random.Random(7)
    ours.seed(7)
    assert [ours.random() for _ in range(3)] == [theirs.random() for _ in range(3)]
    assert ours.choices("abc", k=5) == theirs.choices("abc", k=5)
    assert ours.gauss(0, 1) == theirs.gauss(0, 1) and ours.randint(1, 9) == theirs.randint(1, 9)
    a, b = list(range(9)), list(range(9))
    ours.shuffle(a)
    theirs.shuffle(b)
    assert a == b
    assert ours.Random(3).random() == random.Random(3).random()
    ours.setstate(state := ours.getstate())
    assert ours.getstate() == state


def test_numpys_random_numbers() -> None:
    ours, theirs = make_environment().module("numpy").random, np.random.RandomState(5)
    ours.seed(5)
    for name, args in [
        ("rand", (3,)),
        ("randn", (2, 2)),
        ("randint", (9,)),
        ("normal", (0, 1, 3)),
        ("permutation", (5,)),
    ]:
        np.testing.assert_array_equal(getattr(ours, name)(*args), getattr(theirs, name)(*args))
    ours.set_state(state := ours.get_state())
    assert ours.rand() == theirs.rand()
    theirs.set_state(state)
    assert ours.RandomState(1).rand() == np.random.RandomState(1).rand()
    for kind in ("PCG64", "MT19937", "Philox", "SFC64"):
        expected = np.random.Generator(getattr(np.random, kind)(3)).normal(size=3)
        np.testing.assert_array_equal(ours.Generator(getattr(ours, kind)(3)).normal(size=3), expected)
    assert ours.default_rng(2).integers(100) == np.random.default_rng(2).integers(100)
    child = ours.default_rng(ours.SeedSequence(4).spawn(1)[0])
    assert child.random() == np.random.default_rng(np.random.SeedSequence(4).spawn(1)[0]).random()
    assert repr(ours.default_rng(0)) == "Generator(PCG64)"


def test_two_environments_share_nothing() -> None:
    a, b = make_environment(seed=1), make_environment(seed=1)
    first = [a.module("random").random(), a.module("numpy").random.rand()]
    a.module("random").seed(99)
    a.module("os").environ["X"] = "1"
    a.module("sys").path.append("x")
    a.module("random").Random.note = 1
    assert [b.module("random").random(), b.module("numpy").random.rand()] == first
    assert b.module("os").environ == {} and b.module("sys").path == []
    assert not hasattr(b.module("random").Random, "note") and not hasattr(random.Random, "note")


def behind(function: Any) -> Any:
    """numpy's own function, where ours only sees to it that a long call can be interrupted, or that numbers are plain."""
    if (
        isinstance(function, numpy_ufuncs.ufunc)
        or isinstance(type(function), type)
        and issubclass(type(function), (Told, Calling))
    ):
        return function._real
    while getattr(getattr(function, "__code__", None), "co_filename", "") in (
        long_calls.__file__,
        numpy_guards.__file__,
        numpy_ufuncs.__file__,
    ):
        function = function.__wrapped__
    return function


def test_numpy_names_are_numpys() -> None:
    from tensorsh.sandbox.modules import numpy_table as table

    ours = make_environment().module("numpy")
    for name in " ".join((table.UFUNCS, table.FUNCTIONS, table.TYPES, table.CONSTANTS)).split():
        if hasattr(np, name):
            assert behind(getattr(ours, name)) is getattr(np, name)
    for name in table.CREATORS.split():
        assert getattr(ours, name).__name__ == getattr(np, name).__name__
    for sub, names in (("linalg", table.LINALG), ("fft", table.FFT)):
        for name in names.split():
            assert behind(getattr(getattr(ours, sub), name)) is getattr(getattr(np, sub), name)


def test_numpy_results() -> None:
    scope = run(
        """
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
a = np.arange(12, dtype=np.float32).reshape(3, 4)
checks = [
    isinstance(a, np.ndarray), type(a) is np.ndarray, type(a) == type(a.T), not isinstance([1], np.ndarray),
    np.r_[1:3, 5].tolist() == [1, 2, 5], np.mgrid[0:2, 0:2].shape == (2, 2, 2), np.s_[1:2] == slice(1, 2),
    np.finfo(np.float32).eps == np.float32(2) ** -23, np.iinfo("int8").max == 127, np.linalg.norm([3, 4]) == 5,
    a.astype(int).dtype == np.int64, a.astype("f8").mean() == 5.5, np.frombuffer(b"ab", np.uint8).tolist() == [97, 98],
    np.vectorize(lambda x, y: x + y)([1, 2], 3).tolist() == [4, 5], a.__class__ is np.ndarray,
    sliding_window_view(np.arange(4), 2).shape == (3, 2), np.__version__[0] == "2", np.add.reduce([1, 2]) == 3,
    issubclass(np.ndarray, object), str(type(a)) == "<class 'numpy.ndarray'>", type(a).__name__ == "ndarray",
]
np.testing.assert_allclose(a, a)
def norm(x: np.ndarray) -> np.ndarray: return x
"""
    )
    assert scope["checks"] == [True] * 21


def test_methods_of_numpy_called_first_from_a_script() -> None:
    # In a fresh process numpy imports parts of itself through the running frame's `__import__`.

    code = """
from tensorsh.sandbox import long_calls
from tensorsh.sandbox.environment import make_environment
scope = {"__builtins__": make_environment().builtins, "__name__": "__main__"}
source = "import numpy as np, time, datetime\\na = np.arange(4.)\\n"
exec(source + "print(a.mean(), a.std(), a, repr(a), a.any(), a.clip(0, 1))", scope)
exec("print(time.strptime('2020', '%Y').tm_year, datetime.datetime.strptime('2020', '%Y').year)", scope)
"""
    assert (
        printed(code) == "1.5 1.118033988749895 [0. 1. 2. 3.] array([0., 1., 2., 3.]) True [0. 1. 1. 1.]\n2020 2020\n"
    )


def test_dataclasses() -> None:
    scope = run(
        """
from dataclasses import dataclass, field, fields, asdict, astuple, replace, is_dataclass, make_dataclass
from dataclasses import FrozenInstanceError
@dataclass
class Config:
    lr: float = 0.1
    sizes: list = field(default_factory=list)
@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 0
@dataclass(slots=True)
class Slim:
    x: int
c = Config()
c.sizes.append(1)
P = make_dataclass("P", ["a", ("b", int, field(default=2))])
try:
    Point(1).x = 2
except FrozenInstanceError as e:
    frozen = str(e)
result = [repr(c), asdict(c), astuple(c), replace(c, lr=1.0).lr, [f.name for f in fields(c)], is_dataclass(c),
     Config().sizes,
          Point(1) < Point(2), repr(P(1)), Slim(3).x, frozen, hash(Point(1)) == hash(Point(1))]
"""
    )
    text = "Config(lr=0.1, sizes=[1])"
    values = {"lr": 0.1, "sizes": [1]}
    assert scope["result"] == [
        text, values, (0.1, [1]), 1.0, ["lr", "sizes"], True, [], True, "P(a=1, b=2)", 3,
        "cannot assign to field 'x'", True,
    ]  # fmt: skip


def test_enum_functools_contextlib_and_others() -> None:
    scope = run(
        """
import enum, functools, contextlib, collections, operator, inspect, typing, time, pprint, io, sys, warnings
import re, copy, math
class Color(enum.Enum):
    RED = 1
    BLUE = enum.auto()
class Bits(enum.IntFlag):
    A = 1
    B = 2
Kind = enum.Enum("Kind", "SMALL LARGE")
class Shape:
    @functools.cached_property
    def area(self):
        calls.append(1)
        return 4
calls = []
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def logged(f):
    @functools.wraps(f)
    def inner(*args): return f(*args)
    return inner
@logged
def documented(x):
    "Twice."
    return 2 * x
@contextlib.contextmanager
def doubled(x):
    yield 2 * x
with doubled(2) as four: pass
@functools.total_ordering
class N:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
Pair = collections.namedtuple("Pair", "a b", defaults=[5])
s = Shape()
out = io.StringIO()
pprint.pprint({"b": 1, "a": [2]}, stream=out)
signature = inspect.signature(fib.__wrapped__) if hasattr(fib, "__wrapped__") else None
def f(a, b: int = 2, *args, c=None, **kw) -> float: ...
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("careful")
result = [
    Color(2) is Color.BLUE, repr(Color.RED), Bits.A | Bits.B, [k.name for k in Kind], Kind["SMALL"].value,
    Color["RED"].name,
    s.area + s.area, calls, fib(80), documented.__name__, documented.__doc__, four, N(1) >= N(0), Pair(1),
    Pair(1)._replace(a=2),
    operator.attrgetter("n")(N(3)), operator.attrgetter("a", "b")(Pair(1)), operator.methodcaller("upper")("x"),
    str(inspect.signature(f)), list(inspect.signature(f).parameters), inspect.signature(f).parameters["b"].default,
    typing.get_origin(typing.List[int]), typing.get_args(dict[str, int]), out.getvalue(), str(caught[0].message),
    re.sub("a+", "b", "caat", flags=re.IGNORECASE), copy.deepcopy([Pair([1])]), math.factorial(5),
    copy.copy(math) is math,
]
"""
    )
    assert [repr(x) for x in scope["result"]] == [
        "True", "'<Color.RED: 1>'", "<Bits.A|B: 3>", "['SMALL', 'LARGE']", "1", "'RED'", "8", "[1]",
        "23416728348467685",
        "'documented'", "'Twice.'", "4", "True", "Pair(a=1, b=5)", "Pair(a=2, b=5)", "3", "(1, 5)", "'X'",
        "'(a, b: int = 2, *args, c=None, **kw) -> float'", "['a', 'b', 'args', 'c', 'kw']", "2", "<class 'list'>",
        "(<class 'str'>, <class 'int'>)", '"{\'a\': [2], \'b\': 1}\\n"', "'careful'", "'cbt'", 
        "[Pair(a=[1], b=5)]", "120", "True",
    ]  # fmt: skip


def test_bombs() -> None:
    for source in (
        "pow(10, 10 ** 9)",
        "import math\nmath.factorial(10 ** 8)",
        "import math\nmath.comb(10 ** 9, 10 ** 8)",
    ):
        begin = time.process_time()
        with pytest.raises(OverflowError, match="more than a script may make"):
            run(source)
        assert time.process_time() - begin < 1
    assert run("r = pow(3, 4), pow(2, -1), pow(2, 10, 1000), pow(-1, 10 ** 12), pow(2.0, 3)")["r"] == (
        81,
        0.5,
        24,
        1,
        8.0,
    )


def test_sleep_can_be_interrupted() -> None:
    import _thread
    import threading

    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run("import time\ntime.sleep(60)")
    assert time.monotonic() - begin < 30


def all_names(environment: Any) -> list[str]:
    return list(itertools.chain.from_iterable(dir(environment.module(name)) for name in environment.modules))


def test_every_table_loads() -> None:
    environment = make_environment()
    assert len(all_names(environment)) > 900
    for name in environment.modules:
        namespace = environment.module(name)
        for entry in dir(namespace):
            getattr(namespace, entry)
