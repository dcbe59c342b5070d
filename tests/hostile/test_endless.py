"""Long calls end: Ctrl-C and a time limit give control back within two seconds, with all variables, whatever is computed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.sandbox.limits import Timeout

if sys.platform == "win32":
    pytest.skip("signals are the kernel's", allow_module_level=True)

AFTER = [0.03, pytest.param(0.5, marks=pytest.mark.nightly)]
"""Seconds of processor time after which Ctrl-C comes: soon, and when a call of several steps may be at another."""
WITHIN = 2.0
"""Seconds in which control has to be back; on a busy machine the clock of the process's own processor time counts."""

CALLS = {
    "matrix product": ("a = ones(5000, 5000)", "a @ a"),
    "product in double": ("a = ones(3500, 3500, dtype=torch.float64)", "a @ a"),
    "product of integers": ("a = ones(3000, 3000, dtype=torch.int64)", "a @ a"),
    "batches of products": ("a = ones(400, 500, 500)", "torch.bmm(a, a)"),
    "einsum": ("a = ones(400, 500, 500)", "torch.einsum('bij,bjk->bik', a, a)"),
    "a product's gradient": ("a = ones(4000, 4000, requires_grad=True)", "(a @ a).sum().backward()"),
    "linear layer": ("m = nn.Linear(4096, 4096); a = ones(8192, 4096)", "m(a)"),
    "attention": ("a = ones(8, 8, 4096, 64)", "F.scaled_dot_product_attention(a, a, a)"),
    "recurrent layer": ("m = nn.LSTM(256, 512, 2); a = ones(200, 64, 256)", "m(a)"),
    "singular values": ("a = randn(2200, 2200)", "torch.linalg.svd(a)"),
    "many singular values": ("a = randn(200000, 6, 6)", "torch.linalg.svd(a)"),
    "eigenvalues": ("a = randn(1700, 1700)", "torch.linalg.eig(a)"),
    "many eigenvalues": ("a = randn(500000, 6, 6)", "torch.linalg.eigh(a)"),
    "exponential of a matrix": ("a = randn(2000, 2000)", "torch.matrix_exp(a)"),
    "many inverses": ("a = randn(1000000, 8, 8)", "torch.linalg.inv(a)"),
    "solution": ("a = randn(5000, 5000)", "torch.linalg.solve(a, a)"),
    "factors": ("a = randn(5000, 5000)", "torch.linalg.lu_factor(a)"),
    "sort": ("a = rand(3 * 10**7)", "torch.sort(a)"),
    "sort of integers": ("a = torch.randint(10**9, (3 * 10**7,))", "torch.sort(a)"),
    "unique": ("a = rand(3 * 10**7)", "torch.unique(a)"),
    "samples": ("a = rand(16 * 10**6)", "torch.multinomial(a, 10**6)"),
    "indices brought in order": (
        "i = torch.randint(0, 10**6, (2, 10**7)); a = torch.sparse_coo_tensor(i, ones(10**7), (10**6, 10**6))",
        "a.coalesce()",
    ),
    "cumulative sums": ("a = rand(3 * 10**7)", "while True: a.cumsum(0)"),
    "convolution": ("a = ones(32, 64, 200, 200); w = ones(64, 64, 7, 7)", "F.conv2d(a, w)"),
    "a convolution's gradient": (
        "a = ones(16, 64, 200, 200, requires_grad=True); w = ones(64, 64, 5, 5)",
        "F.conv2d(a, w).sum().backward()",
    ),
    "pooling": ("a = ones(20, 16, 600, 600)", "F.max_pool2d(a, 151, 1)"),
    "interpolation": ("a = ones(16, 8, 300, 300)", "F.interpolate(a, scale_factor=6, mode='bicubic')"),
    "Fourier transform": ("a = rand(6000, 6001)", "torch.fft.fft2(a)"),
    "distances": ("a = rand(15000, 512)", "torch.cdist(a, a)"),
    "pairs of points": ("a = rand(25000, 60)", "F.pdist(a)"),
    "sum over repeated numbers": ("a = ones(1, dtype=torch.int64).expand(2**40)", "a.sum()"),
    "a search among repeated numbers": ("a = zeros(1).expand(2**40)", "a.any()"),
    "a list of a tensor": ("a = rand(3 * 10**7)", "while True: a.tolist()"),
    "text of a tensor": ("torch.set_printoptions(threshold=10**9); a = rand(3 * 10**6)", "repr(a)"),
    "combinations": ("a = arange(300)", "while True: torch.combinations(a, 3)"),
    "random numbers": ("", "while True: torch.randn(10**7)"),
    "elementwise functions": ("a = rand(10**7)", "while True: a.lgamma().tan().exp()"),
    "numpy's sort": ("a = np.random.rand(3 * 10**7)", "np.sort(a)"),
    "numpy's product of integers": ("a = np.ones((1300, 1300), int)", "np.matmul(a, a)"),
    "an operator of numpy's": ("a = np.ones((1800, 1800), int)", "a @ a"),
    "an operator in place": ("a = np.ones((1800, 1800), int)", "a @= a"),
    "a method of numpy's, products": ("a = np.ones((1800, 1800), int)", "a.dot(a)"),
    "a method of numpy's, an order": ("a = np.random.rand(3 * 10**7)", "a.argsort()"),
    "a method of numpy's, a sort in place": ("a = np.random.rand(3 * 10**7)", "a.sort()"),
    "a method of numpy's, a search": ("a = np.random.rand(2 * 10**7)", "a.searchsorted(a)"),
    "an operator of numpy's by name": ("a = np.ones((1800, 1800), int)", "a.__matmul__(a)"),
    "powers of numpy's": ("a = np.full(10**8, 1.0)", "a ** 3.3"),
    "a copy of numpy's": ("a = np.broadcast_to(np.ones(1), 2**28)", "a.copy()"),
    "an order by two keys": ("a = np.random.rand(10**7)", "np.lexsort((a, a))"),
    "pairs of numpy's": ("a = np.random.rand(2 * 10**4)", "while True: np.subtract.outer(a, a)"),
    "an order of numpy's structures": (
        "a = np.zeros(6 * 10**6, dtype=[('x', float), ('y', int)]); a['x'] = np.random.rand(6 * 10**6)",
        "while True: a.argsort()",
    ),
    "a sort of numpy's structures": (
        "a = np.zeros(6 * 10**6, dtype=[('x', float), ('y', int)]); a['x'] = np.random.rand(6 * 10**6)",
        "while True: np.sort(a)",
    ),
    "roots": ("a = np.random.rand(1500)", "np.roots(a)"),
    "powers": ("a = np.random.rand(10**4)", "while True: np.vander(a, 4000)"),
    "a fitted polynomial": ("a = np.random.rand(2000)", "np.polyfit(a, a, 1500)"),
    "numpy's decomposition": ("a = np.ones((2000, 2000))", "np.linalg.svd(a)"),
    "vmap": ("a = ones(10**6, 3)", "torch.func.vmap(lambda r: torch.kron(r, r))(a)"),
    "power": ("", "10**10**8"),
    "division": ("a = 1 << 10**8; b = 1 << 5 * 10**7 | 1", "a // b"),
    "pattern": ("import re", "re.match('(a+)+$', 'a' * 40 + 'b')"),
    "compiled pattern": ("import re; p = re.compile('(a+)+$')", "p.match('a' * 40 + 'b')"),
    "sum of a range": ("", "sum(range(10**12))"),
    "a search in a range": ("", "range(10**12).index(-1.5)"),
    "counting in a range": ("a = range(10**12)", "a.count(0.5)"),
    "a number in a range": ("", "-1.5 in range(10**12)"),
    "a range in a deque": ("import collections", "collections.deque(range(10**12), 0)"),
    "keys of a range": ("", "dict.fromkeys(range(10**12))"),
    "pairs of ranges": ("", "list(zip(range(10**12), range(10**12)))"),
    "a filter of a range": ("", "next(filter((0).__gt__, range(10**12)))"),
    "chained lists": (
        "import collections, itertools; a = [[0] * 10**6] * 10**6",
        "collections.deque(itertools.chain.from_iterable(a), 0)",
    ),
    "largest of a range": ("", "max(range(10**12), key=int)"),
    "the largest of repeated numbers": ("a = ones(1).expand(2**40)", "a.amax()"),
    "places of repeated numbers": ("a = zeros(1, dtype=torch.bool).expand(2**40)", "a.nonzero()"),
    "choosing by a mask": ("a = zeros(1).expand(2**40)", "a[zeros(1, dtype=torch.bool).expand(2**40)]"),
    "adding at repeated places": (
        "a = zeros(1, dtype=torch.int64).expand(2**40)",
        "zeros(3).index_add_(0, a, ones(1).expand(2**40))",
    ),
    "classes of repeated numbers": ("a = zeros(1, dtype=torch.int64).expand(2**40)", "F.one_hot(a)"),
    "a list without end": ("import itertools", "list(filter(None, itertools.repeat(0)))"),
    "a search without end": ("import itertools", "1.5 in itertools.count()"),
    "calls without end": ("", "set(iter(int, 1))"),
    "endless iterator": ("import itertools", "sum(itertools.repeat(1))"),
    "endless reduction": (
        "import itertools, functools, operator",
        "functools.reduce(operator.add, itertools.repeat(1))",
    ),
    "endless map": ("import itertools", "any(map(int, itertools.repeat(0)))"),
    "lists that are added": ("a = [[1.0]] * 10**6", "sum(a, [])"),
    "a reduction of lists": ("import functools, operator; a = [[1.0]] * 10**6", "functools.reduce(operator.add, a)"),
    "sums of lists": (
        "import collections, itertools; a = [(1.0,)] * 10**6",
        "collections.deque(itertools.accumulate(a), 1)",
    ),
    "the hash of a tuple in itself": ("t = ()\nfor i in range(40): t = (t, t)\n", "hash(t)"),
    "the hash of a tuple of a program's class in itself": (
        "class T(tuple): pass\nt = T()\nfor i in range(40): t = T((t, t))\n",
        "hash(t)",
    ),
    "the hash of a tuple in itself, by name": ("t = ()\nfor i in range(40): t = (t, t)\n", "t.__hash__()"),
    "lists of a program's class in themselves that are compared": (
        "class T(list): pass\nt, u = T(), T()\nfor i in range(40): t, u = T((t, t)), T((u, u))\n",
        "t == u",
    ),
    "a tuple in itself as a key": ("t = ()\nfor i in range(40): t = (t, t)\n", "{t: 1}"),
    "lists in themselves that are compared": (
        "t, u = [], []\nfor i in range(40): t, u = [t, t], [u, u]\n",
        "t == u",
    ),
    "tables in themselves that are compared": (
        "t, u = {}, {}\nfor i in range(40): t, u = {1: t, 2: t}, {1: u, 2: u}\n",
        "t == u",
    ),
    "slices in themselves that are compared": (
        "t, u = slice(0), slice(0)\nfor i in range(40): t, u = slice(t, t), slice(u, u)\n",
        "t == u",
    ),
    "queues in themselves that are compared": (
        "from collections import deque; t, u = deque(), deque()\nfor i in range(40): t, u = deque([t, t]), deque([u, u])\n",
        "t == u",
    ),
    "a generic type of itself": ("t = int\nfor i in range(40): t = tuple[t, t]\n", "hash(t)"),
    "the text of a list in itself": ("t = []\nfor i in range(40): t = [t, t]\n", "str(t)"),
    "the JSON of a list in itself": (
        "import json; t = []\nfor i in range(40): t = [t, t]\n",
        "json.dumps(t, check_circular=False)",
    ),
    "one long number in many places": ("a = [3**10**6] * 10**7", "a.count(3**10**6)"),
    "the hash of one long number in many places": ("a = (3**10**6,) * 10**7", "hash(a)"),
    "a set of one long number": ("a = [3**10**6] * 10**7", "set(a)"),
    "the sum of one long number": ("a = [3**10**6] * 10**7", "sum(a)"),
    "one long text in many places": ("a = ['a' * 10**7] * 10**6", "a.count('a' * 10**7 + '')"),
    "a long text from its end": ("a = 'a' * 10**6; b = 'a' * (25 * 10**4) + 'b' + 'a' * (25 * 10**4)", "a.rfind(b)"),
    "long bytes from their end": (
        "a = b'a' * 10**6; b = b'a' * (25 * 10**4) + b'b' + b'a' * (25 * 10**4)",
        "a.rsplit(b)",
    ),
    "the ends of a long text": ("a = 'a' * 10**8; b = 'b' * 10**6 + 'a'", "a.strip(b)"),
    "numbers whose hashes are alike": ("a = [i * (2**61 - 1) for i in range(10**5)]", "set(a)"),
    "keys whose hashes are alike": ("a = [(i * (2**61 - 1),) for i in range(10**5)]", "dict.fromkeys(a)"),
    "calls of compiled functions": ("import collections; a = [0] * 10**6", "collections.deque(map(a.count, a), 0)"),
    "counts by a compiled function": (
        "import collections, operator; a = [0] * 3 * 10**6",
        "collections.deque(map(operator.countOf, [a] * 10**4, [0] * 10**4), 0)",
    ),
    "rows in another order": ("a = np.ones((4 * 10**6, 2))", "np.random.shuffle(a)"),
    "columns in another order": ("a = np.ones((3, 4 * 10**6))", "np.random.default_rng().permuted(a, axis=0)"),
    "an order by a compiled function": ("a = [0] * 3 * 10**6", "sorted(a, key=a.count)"),
    "an order by a compiled function, by another name": (
        "import functools; a = [0] * 3 * 10**6; b = a[:]",
        "b.sort(key=functools.partial(a.count))",
    ),
    "the largest by a compiled function": ("a = [0] * 3 * 10**6", "max(a, key=a.count)"),
    "groups by a compiled function": (
        "import collections, itertools; a = [0] * 3 * 10**6",
        "collections.deque(itertools.groupby(a, a.count), 0)",
    ),
    "a filter by a compiled function": ("a = [0] * 3 * 10**6", "next(filter(a.count, [1] * 10**5), 0)"),
    "what a compiled function refuses": (
        "import itertools; a = [0] * 3 * 10**6",
        "next(itertools.filterfalse(a.count, a), 0)",
    ),
    "what a compiled function drops": (
        "import itertools; a = [0] * 3 * 10**6",
        "next(itertools.dropwhile(a.count, a), 0)",
    ),
    "what a compiled function takes": (
        "import collections, itertools; a = [0] * 3 * 10**6",
        "collections.deque(itertools.takewhile(a.count, a), 0)",
    ),
    "a search by a compiled function": (
        "import bisect; a = [0] * 3 * 10**6",
        "while True: bisect.bisect(range(2**60), 1, key=a.count)",
    ),
    "a comparison that is a compiled function": (
        "a = [0] * 3 * 10**6\nclass A: __lt__ = a.count\n",
        "sorted([A() for i in range(10**5)])",
    ),
    "an equality that is a compiled function": (
        "a = [0] * 3 * 10**6\nclass A: pass\nA.__eq__ = a.count\nb = [A()] * 10**6\n",
        "b.index(5)",
    ),
    "an order of one long tuple": ("a = [(0,) * 10**6] * 10**6", "a.sort()"),
    "an order of two long texts": ("a = ['a' * 10**8 + 'b', 'a' * 10**8 + 'c'] * 10**5", "sorted(a)"),
    "an order by one long tuple": ("t = (0,) * 10**6; a = [0] * 10**6", "a.sort(key=lambda x: t)"),
    "an order of many numbers": ("a = torch.rand(10**7).tolist()", "sorted(a)"),
    "an order of many numbers by a key": ("a = torch.rand(5 * 10**6).tolist()", "while True: a[::-1].sort(key=abs)"),
    "an order of many decimals": (
        "import decimal; a = [decimal.Decimal(i * 7919 % 1000003) for i in range(10**6)]",
        "while True: sorted(a)",
    ),
    "a count of long decimals": (
        "import decimal; a = [decimal.Decimal('1' * 10**6)] * 10**6; b = decimal.Decimal('1' * 10**6)",
        "while True: a.count(b)",
    ),
    "a sum of long decimals": (
        "import decimal; a = [decimal.Decimal('0.' + '1' * 999_990)] * 10**6",
        "while True: sum(a)",
    ),
    "elements of a count": ("import collections", "collections.deque(collections.Counter(a=10**12).elements(), 0)"),
    "elements of a repeated array": ("import collections; a = np.broadcast_to(1.0, 2**28)", "collections.deque(a, 0)"),
    "elements from the last one": (
        "import collections; a = np.broadcast_to(1.0, 2**28)",
        "collections.deque(reversed(a), 0)",
    ),
    "elements in one row": ("import collections; a = np.broadcast_to(1.0, 2**28)", "collections.deque(a.flat, 0)"),
    "elements side by side": (
        "import collections; a = np.ones((2**20, 1))",
        "collections.deque(np.broadcast(a, a.T), 0)",
    ),
    "rounding to tens without number": ("a = np.ones(3)", "a.round(-(2**31))"),
    "list building": ("", "[0 for i in range(10**9) if i < 0]"),
    "sorting with a key": ("a = list(range(10**6))", "while True: a.sort(key=lambda i: -i)"),
    "deep loops": ("", "for i in range(10**9):\n  for j in range(10**9): pass"),
    "a loop that catches": ("", "for i in range(10**9):\n  try: 1 / 0\n  except ZeroDivisionError: pass"),
    "printing": ("", "while True: print(ones(3))"),
    "sleep": ("import time", "time.sleep(100)"),
    "children of a seed": ("", "np.random.SeedSequence(1).spawn(10**9)"),
    "children of a generator": ("", "np.random.default_rng(1).spawn(10**9)"),
}
"""What is prepared, and the long call."""

CHILD = """
import json, os, resource, select, signal, sys, time
from tensorsh import Session
session = Session()
session.run("import torch.nn as nn\\nimport torch.nn.functional as F\\nkept = 17\\nrepr(torch.linalg.svd(ones(2, 2) @ ones(2, 2)))")
import scipy.linalg
after, within = float(sys.argv[1]), float(sys.argv[2])
def spent(child):
    "The child's processor time, so that a busy machine is no slow interrupt; the clock's where there is no /proc."
    try:
        times = open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[11:13]
    except OSError:
        return time.monotonic()
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
for line in sys.stdin:
    prepared, call = json.loads(line)
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            session.run(prepared.replace("; ", "\\n"))
            os.write(there, b"begun\\n")
            session.run(call)
            told = "ended by itself"
        except KeyboardInterrupt:
            told = f"interrupted, {session.run('kept')} kept"
        except BaseException as error:
            told = repr(error)
        os.write(there, told.encode())
        os._exit(0)
    os.close(there)
    told = os.read(here, 1000).decode()
    if told == "begun\\n":
        began, last = spent(child), time.monotonic() + 4 * after
        while spent(child) - began < after and time.monotonic() < last:
            time.sleep(0.005)
        began, last = spent(child), time.monotonic() + 10 * within
        os.kill(child, signal.SIGINT)
        while not (there := select.select([here], [], [], 0.05)[0]) and spent(child) - began < within and time.monotonic() < last:
            pass
        told = os.read(here, 1000).decode() if there else "not interrupted"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(here)
    os.write(1, (json.dumps(told) + "\\n").encode())
"""


@pytest.fixture(scope="module", params=AFTER)
def told(request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """What becomes of a call, in a process of its own that a waiting one makes."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(request.param), str(WITHIN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        text=True,
    )

    def ask(name: str) -> str:
        assert process.stdin is not None and process.stdout is not None
        prepared, call = CALLS[name]
        again = "while True:\n" + textwrap.indent(
            call, "  "
        )  # where one call ends before Ctrl-C comes: on a fast machine
        process.stdin.write(json.dumps((prepared, again)) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    with process:
        yield ask


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_and_keeps_the_variables(name: str, told: Callable[[str], str]) -> None:
    assert told(name) == "interrupted, 17 kept"


MARKS = 'a = "a" + "\u0316\u0300" * 10**6; '
REFUSED = {
    "marks that are sorted": (MARKS + "import unicodedata", "unicodedata.normalize('NFD', a)"),
    "marks that are looked at": (MARKS + "import unicodedata", "unicodedata.is_normalized('NFC', a)"),
    "marks in a name": (MARKS, "getattr(torch, a)"),
    "marks in a field": (MARKS + "import collections", "collections.namedtuple('A', [a])"),
    "classes in tuples in themselves": ("t = int\nfor i in range(40): t = (t, t)\n", "isinstance('a', t)"),
    "tuples in themselves without a class": ("t = ()\nfor i in range(40): t = (t, t)\n", "issubclass(int, t)"),
    "errors in tuples in themselves": (
        "import contextlib; t = KeyError\nfor i in range(40): t = (t, t)\n",
        "with contextlib.suppress(t): raise ValueError",
    ),
    "rows without elements": ("a = np.zeros((2**40, 0))", "np.unique(a, axis=0)"),
    "numpy's generator without bits": ("", "np.random.set_state(('MT19937', np.zeros(624), 624, 0, 0.0))"),
    "a generator without bits": ("s = torch.get_rng_state(); s[24:-40] = 0", "torch.set_rng_state(s)"),
    "long numbers that become decimal": ("import decimal; a = 1 << 10**7", "decimal.Decimal(a)"),
    "a long literal": ("import ast; a = '[' + '1,' * 10**6 + ']'", "ast.literal_eval(a)"),
    "structures of bytes": ("a = np.zeros(10**6, dtype='V5')", "a.argsort()"),
    "structures that are searched": ("a = np.zeros(10**6, dtype=[('x', int), ('y', int)])", "np.searchsorted(a, a)"),
    "Python's generator without bits": ("import random", "random.setstate((3, (0,) * 624 + (624,), None))"),
    "a generator of a program's without bits": (
        "import random; r = random.Random()",
        "r.setstate((3, (2**31 - 1, *(0,) * 623, 624), None))",
    ),
    "numbers of one kind": ("", "np.random.zipf(1e6)"),
    "numbers near one": ("", "np.random.zipf(1 + 1e-12)"),
    "angles of one kind": ("", "np.random.vonmises(0, float('inf'))"),
    "a large urn": ("", "np.random.hypergeometric(2**61, 2**61, 2**62)"),
}
"""What would be computed for ever, and is refused: what is prepared, and the call."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_waits_for_is_refused(name: str) -> None:
    prepared, call = REFUSED[name]
    session = Session()
    session.run(prepared.replace("; ", "\n"))
    told = (
        "is not normalized in tensorsh|repeated elements|state|of np.random takes|1048576 classes at most|in tensorsh: "
    )
    with pytest.raises((ValueError, SyntaxError, RuntimeError, TypeError, ArithmeticError), match=told):
        session.run(call, timeout=20)


def test_a_state_that_is_refused_leaves_a_generator_as_it_was() -> None:
    session = Session()
    session.run("import random\nr = random.Random(5)\nkept = r.getstate()\na = r.random()\nr.setstate(kept)")
    with pytest.raises(ValueError, match="zeros alone"):
        session.run("r.setstate((3, (0,) * 625, None))")
    assert session.run("r.random() == a == random.Random(5).random()")


def test_numpy_rounds_to_any_number_of_decimals() -> None:
    session = Session()
    assert session.run("np.round(1234.5678, 2), np.float64(1234.5).round(-2), round(np.float32(2.5), 0)") == (
        1234.57,
        1200,
        2,
    )
    assert session.run("[np.isnan(np.round(1.5, n)) for n in (-(2**31), 2**31 - 1, -401, 401)]") == [True] * 4
    with pytest.raises(OverflowError, match="integer is greater than maximum"):
        session.run("np.round(1.5, 2**31)")


def test_decimals_have_the_exponents_of_their_arithmetic() -> None:
    session = Session()
    session.run("from decimal import Decimal as D")
    for program in ("int(D('1e9999999'))", "D('1e-9999999').as_integer_ratio()", "D((0, (1,), 10**9))"):
        with pytest.raises(ArithmeticError, match="exponents of a Decimal end at 999999"):
            session.run(program, timeout=20)
    assert session.run("type(D(1) / 3) is D, isinstance(D.from_float(0.5), D), D.sqrt(D(4)), str(D('-1e99'))") == (
        True,
        True,
        2,
        "-1E+99",
    )
    assert session.run("match D(3):\n  case D(): found = f'{D(\"1234.5\"):,.2f}'\nfound") == "1,234.50"


def test_names_and_texts_are_normalized_as_by_python() -> None:
    session = Session()
    session.run("import unicodedata, collections\nn = unicodedata.normalize")
    assert session.run("n('NFD', '\u00e9'), n('NFC', 'e\u0301'), n('NFKC', '\ufb01')") == ("e\u0301", "\u00e9", "fi")
    assert session.run("len(n('NFD', 'e\u0301\u0316' * 10**4)), unicodedata.is_normalized('NFC', 'e')") == (
        30_000,
        True,
    )
    assert session.run("collections.namedtuple('P', 'x, y')(1, y=2)") == (1, 2)
    with pytest.raises(TypeError, match="must be str, not int"):
        session.run("n('NFD', 5)")
    with pytest.raises(ValueError, match="invalid normalization form"):
        session.run("n('A', 'a')")


def test_searches_from_the_end_in_pieces_are_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    from tensorsh.sandbox import builtins, long_texts

    if builtins.bounds is None:
        pytest.skip("built without a compiler")
    monkeypatch.setattr(long_texts, "STEP", 7)
    draw = random.Random(1)

    class Text(str):
        def __getitem__(self, place: object) -> str:
            return "x"

        def __len__(self) -> int:
            return 3

    def told(call: Callable[[], object]) -> object:
        try:
            return call()
        except ValueError as error:
            return str(error)

    for _ in range(2000):
        text = "".join(draw.choices("ab", k=draw.randrange(12)))
        part = "".join(draw.choices("ab", k=draw.randrange(1, 4)))
        ends = [draw.choice([None, draw.randrange(-8, 14)]) for _ in range(draw.randrange(3))]
        for kind in (str, Text, bytes, bytearray):
            of = (lambda t, kind=kind: kind(t.encode())) if kind in (bytes, bytearray) else kind
            base = str if kind is Text else kind
            for name in ("rfind", "rindex", "rsplit", "rpartition", "strip", "lstrip", "rstrip"):
                more = ends if name in ("rfind", "rindex") else [draw.randrange(-1, 4)] if name == "rsplit" else []
                method = getattr(base, name)  # short ones are Python's own
                called = told(lambda: long_texts.of_texts(method, of(text), of(part), *more))  # noqa: B023
                assert called == told(lambda: method(of(text), of(part), *more))  # noqa: B023


LIMITED = {
    "loop": "while True: pass",
    "caught": "while True:\n  try:\n    while True: pass\n  except: pass",
    "finally": "try:\n  while True: pass\nfinally:\n  while True: pass",
    "counted": "n = 0\ndef f():\n  while True: x = 1\nwhile True:\n  try: f()\n  except: n += 1",
    "by another name": "E = BaseException\nwhile True:\n  try:\n    while True: x = 1\n  except (KeyError, E): pass",
    "within": "def f():\n  while True:\n    try: [0 for i in range(10**9) if i < 0]\n    except: pass\nwhile True:\n  try: f()\n  except BaseException: pass",
    "finally again": "def f():\n  while True:\n    try:\n      while True: x = 1\n    finally: continue\nf()",
    "suppressed": "import contextlib\nwhile True:\n  with contextlib.suppress(BaseException):\n    while True: x = 1",
    "held": "class A:\n  def __enter__(self): pass\n  def __exit__(self, *told): return True\nwhile True:\n  with A():\n    while True: x = 1",
    "held later": "class A:\n  def __enter__(self): pass\nsetattr(A, '__exit__', lambda *told: True)\nwhile True:\n  with A():\n    while True: x = 1",
    "stacked": "import contextlib\nwhile True:\n  with contextlib.ExitStack() as s:\n    s.push(lambda *told: True)\n    while True: x = 1",
    "a context": "import contextlib\n@contextlib.contextmanager\ndef c():\n  try: yield\n  except: pass\nwhile True:\n  with c():\n    while True: x = 1",
    "sort": "torch.sort(torch.rand(2 * 10**7))",
    "product": "a = ones(3500, 3500, dtype=torch.float64)\na @ a",
    "sum": "sum(range(10**12))",
    "sleep": "import time\ntime.sleep(100)",
    "order": "a = [0] * 3 * 10**6\nsorted(a, key=a.count)",
    "long tuples": "a = [(0,) * 10**6] * 10**6\na.sort()",
    "a converter": "def c(x):\n  while True: pass\nnp.loadtxt(['1'], converters={0: c})",
    "structures": "a = np.zeros(6 * 10**6, dtype=[('x', float)])\nwhile True: a.argsort()",
}
"""What a time limit ends in any thread."""
MAIN = LIMITED | {"power": "10**10**8", "pattern": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')"}
"""What it ends in the main thread."""


def ended(program: str, seconds: float = 0.3) -> str:
    """The text of what ended a program, and of what is kept."""
    session = Session(timeout=seconds)
    session.run("kept = 17")
    began = time.monotonic()
    with pytest.raises(Timeout) as caught:
        session.run(program)
    assert time.monotonic() - began < seconds + WITHIN
    return f"{caught.value} {session.run('kept')}"


EXPECTED = "Timeout: the program ran longer than 0.3 s (timeout=) 17"


@pytest.mark.parametrize("program", MAIN.values(), ids=MAIN)
def test_a_time_limit_ends_a_program_of_a_session(program: str) -> None:
    assert ended(program) == EXPECTED


@pytest.mark.parametrize(
    "name",
    [
        "loop",
        "caught",
        "counted",
        "finally",
        "held",
        "sort",
        "product",
        "sum",
        "sleep",
        "order",
        "long tuples",
        "structures",
    ],
)
def test_a_time_limit_ends_a_program_in_any_thread(name: str) -> None:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(ended(LIMITED[name])))
    thread.start()
    thread.join(20)
    assert found == [EXPECTED]


def test_methods_of_numpy_are_what_they_were() -> None:
    a = np.random.default_rng(1).permutation(1 << 20)
    b = a.copy()
    b.sort(kind="stable")
    assert (b == np.sort(a)).all() and (a.argsort() == np.argsort(a)).all()
    assert (b.searchsorted(a, side="right") == np.searchsorted(b, a, side="right")).all()
    assert (a.argpartition(7)[:8].sum() == np.argpartition(a, 7)[:8].sum()) and a.dot(a) == np.dot(a, a)
    with pytest.raises(TypeError):
        a.sort(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    with pytest.raises(TypeError, match="unexpected keyword argument 'how'"):
        a.argsort(how=1)
    assert np.ndarray.sort.__name__ == "sort" and np.ndarray.sort.__doc__
    program = """
a = np.arange(650 * 650).reshape(650, 650)
b = a.copy()
b @= a
class A:
    def __rmatmul__(self, other): return "mine"
(b == np.matmul(a, a)).all(), (a @ a == b).all(), a @ A()
"""
    assert Session().run(program) == (True, True, "mine")
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        Session().run("a = np.ones((800, 800)); a @ a[1:]")


def test_a_time_limit_is_given_for_one_program_or_for_all_and_is_over_with_it() -> None:
    import signal

    session = Session()
    assert session.run("1 + 1", timeout="2m") == 2
    with pytest.raises(Timeout, match=r"longer than 0\.1 s"):
        session.run("while True: pass", timeout=0.1)
    assert session.run("import time\ntime.sleep(0.2)\n5") == 5
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    for wrong in (0, -1, "soon"):
        with pytest.raises(ValueError):
            session.run("1", timeout=wrong)


def test_a_timer_of_somebody_else_stays_as_it_is() -> None:
    import signal

    rings: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rings.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert ended("while True: pass") == EXPECTED
        assert rings
    finally:
        signal.signal(signal.SIGALRM, before)


def test_settings_of_a_program_that_ran_too_long_are_not_seen_by_others() -> None:
    session = Session(timeout=0.2)
    with pytest.raises(Timeout):
        session.run("torch.set_default_dtype(torch.float64)\ntorch.manual_seed(3)\nwhile True: pass")
    assert repr(Session().run("ones(1).dtype")) == "torch.float32"
    assert repr(session.run("ones(1).dtype")) == "torch.float64"


def test_walking_an_iterable_in_steps_takes_no_more_of_it_than_python_does() -> None:
    session = Session()
    session.run("def g():\n  for i in range(5): yield i\na = g()\nb = iter([0, 1, 2])")
    assert session.run("any(a), next(a), any(b), next(b)") == (True, 2, True, 2)
    assert session.run("sum(range(2**21)), max(range(2**21)), min(3, 2), max([1], key=None), all(iter([]))") == (
        sum(range(2**21)),
        2**21 - 1,
        2,
        1,
        True,
    )
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        session.run("sum(3)")


def test_errors_are_caught_as_ever() -> None:
    session = Session()
    program = """
import contextlib
told = []
try: 1 / 0
except (KeyError, ZeroDivisionError) as e: told.append(type(e).__name__)
try: raise KeyboardInterrupt
except: told.append("bare")
def f():
    try: return 1
    finally: told.append("finally")
def g():
    for i in range(3):
        try: continue
        finally: break
    try: raise KeyError
    finally: return i
f(), told.append(g())
class A:
    def __enter__(self): return self
    def __exit__(self, kind, value, trace):
        "mine"
        told.append(kind.__name__ if kind else None)
        return True
with A(), contextlib.suppress(KeyError): raise KeyError
with A(): raise ValueError
try:
    try: raise KeyError
    except 5: pass
except TypeError as e: told.append(str(e))
told.append(A.__exit__.__doc__)
told
"""
    found = session.run(program)
    assert found[:4] == ["ZeroDivisionError", "bare", "finally", 0]
    assert found[4:7] == [None, "ValueError", "catching classes that do not inherit from BaseException is not allowed"]
    assert found[-1] == "mine"
    with pytest.raises(ZeroDivisionError):
        session.run("try: 1 / 0\nfinally: told = 3")
    assert session.run("told") == 3


def test_nothing_thrown_is_left_behind() -> None:
    """In Python 3.11 a thread whose calls are watched stands still while something thrown has not arrived."""
    program = """
import sys, threading
from tensorsh.sandbox.thrown import take_back, throw
waits = threading.Lock()
waits.acquire()
other = threading.Thread(target=waits.acquire)
other.start()
throw(other.ident, KeyError)
take_back(other.ident)
def step(): return "went on"
sys.setprofile(lambda *event: None)
print(step())
sys.setprofile(None)
waits.release()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert done.stdout == "went on\n", done.stderr


def test_numpys_long_methods_are_left_also_where_nothing_else_was_loaded_and_stay_numpys_own_without_sessions() -> None:
    program = """
import numpy as np
before = np.ndarray.sort
import tensorsh.torch, tensorsh.engine.kernels
print(np.ndarray.sort is before)
from tensorsh import Session
from tensorsh.sandbox.limits import Timeout
try:
    Session(timeout=0.1).run("import numpy as np; a = np.ones((1300, 1300), dtype=np.int64); a @ a")
except Timeout as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\nTimeout: the program ran longer than 0.1 s (timeout=)\n", done.stderr
