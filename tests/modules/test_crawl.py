"""Nothing that a session's program can reach by permitted attributes leads out of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tensorsh.sandbox.environment import make_environment
from tensorsh.sandbox.files import Permissions

from .crawl import Fake, crawl, left_in_a_fake, why_not
from .test_escapes import run

# One of everything that a program can get hold of.
SAMPLES = """
import numpy as np, collections, dataclasses, enum, typing, inspect, random, pathlib, re, itertools, functools
import contextlib
import warnings, datetime, time, io, fractions, statistics, json, operator
array = np.arange(4.0); scalar = array[0]; dtype = array.dtype; flat = array.flat; flags = array.flags
record = np.zeros(1, [("a", "i4")])[0]; view = array.data; fraction = fractions.Fraction(1, 2)
poly = np.poly1d([1, 2]); info = np.finfo(float); whole = np.iinfo(int); state = np.errstate()
each = np.ndenumerate(array)
index = np.ndindex(2); vector = np.vectorize(lambda x: x); options = np.get_printoptions()
rng = np.random.default_rng(0); legacy = np.random.RandomState(0); bits = rng.bit_generator
sequence = np.random.SeedSequence(1)
def function(a, b=1):
    yield a
generator = function(1)
simple = lambda: 0
class Own:
    def method(self): pass
    @property
    def value(self): return 1
own = Own(); method = own.method; parent = super(Own, own)
@dataclasses.dataclass
class Data:
    x: int = 0
data = Data(); field = dataclasses.fields(Data)[0]; option = dataclasses.field()
class Color(enum.Enum):
    RED = 1
red = Color.RED
Pair = collections.namedtuple("Pair", "a b"); pair = Pair(1, 2)
class Typed(typing.NamedTuple):
    x: int
counter = collections.Counter("abc"); deque = collections.deque(); default = collections.defaultdict(int)
chain = collections.ChainMap({}); ordered = collections.OrderedDict()
signature = inspect.signature(lambda x, y=1: 0); parameter = signature.parameters["x"]
numbers = random.Random(1); path = pathlib.Path("a"); match = re.match("a", "a"); pattern = re.compile("a")
tee = itertools.tee([1]); part = functools.partial(print); cached = functools.lru_cache(lambda x: x)
@contextlib.contextmanager
def manager():
    yield
context = manager(); stack = contextlib.ExitStack(); suppress = contextlib.suppress(ValueError)
catch = warnings.catch_warnings(record=True); getter = operator.attrgetter("a"); caller = operator.methodcaller("a")
file = open("text", "w"); binary = open("bytes", "wb"); text = io.StringIO(); raw = io.BytesIO()
items = {}.items(); iterator = iter([1]); counting = itertools.count()
alias = typing.List[int]; alias2 = list[int]; union = int | str; optional = typing.Optional[int]
variable = typing.TypeVar("T")
date = datetime.datetime(2020, 1, 1); moment = time.localtime(); normal = statistics.NormalDist()
def fail(f):
    try:
        f()
    except Exception as error:
        return error
errors = [fail(f) for f in (lambda: own.zzz, lambda: {}["a"], lambda: 1 / 0, lambda: next(iter([])),
     lambda: np.zz, lambda: open("x"))]
kinds = [type(x) for x in list(globals().values())]
"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], int, dict[str, set[str]]]:
    folder = tmp_path_factory.mktemp("crawl")
    permissions = Permissions(write=[str(folder)])
    environment = make_environment(permissions=permissions)
    roots = dict(environment.builtins)
    for hook in ("__import__", "__build_class__"):  # named by no script: the compiler refuses the name
        roots.pop(hook)
    roots |= {f"module {name}": environment.module(name) for name in environment.modules}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        scope = run(SAMPLES, permissions=permissions)
        scope.pop("__builtins__")
        return crawl(roots | scope, 4)


def test_nothing_leads_out(crawled: tuple[list[str], int, dict[str, set[str]]]) -> None:
    bad, seen, _ = crawled
    assert bad == []
    assert seen > 5000


OWN = ("tensorsh", "torch", "__main__")
LIST = Path(__file__).parent / "vetted.txt"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the list is of Python 3.11: each version adds names")
def test_every_attribute_of_foreign_types_was_vetted(crawled: tuple[list[str], int, dict[str, set[str]]]) -> None:
    vetted: dict[str, set[str]] = {}
    for line in LIST.read_text().splitlines():
        kind, colon, names = line.partition(":")
        if colon and line[0] != "#":
            vetted[kind] = set(names.split())
    new = {
        kind: " ".join(sorted(names - vetted.get(kind, set())))
        for kind, names in crawled[2].items()
        if kind.partition(".")[0] not in OWN and names - vetted.get(kind, set())
    }
    assert new == {}, "look at these, and enter them in vetted.txt below their reason"


def test_the_crawler_finds_what_leads_out() -> None:
    import math
    import random
    import warnings

    fake = Fake()
    type(warnings.catch_warnings()).__init__(fake)
    assert any(why_not(value) for value in vars(fake).values())
    assert left_in_a_fake(type(warnings.catch_warnings())) == []  # the gate takes it for objects of the class alone
    assert why_not(math) and why_not(eval) and why_not(type) and why_not(sys.stdout) and why_not(sys._getframe())
    assert crawl({"random": {"seed": random.random, "kind": random.Random, "modules": [random]}}, 2)[0]
