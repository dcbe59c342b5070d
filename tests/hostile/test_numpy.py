"""numpy called by programs: no memory that was not written, and no array whose walk has no end."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.engine import kernels

UNWRITTEN = [
    "np.add(np.ones(600), 1, where=False)",
    "np.add([1.0] * 600, [2.0] * 600, where=np.zeros(600, bool))",
    "np.add(np.ones(600), 1, None, where=False)",
    "np.add(np.ones(600), 1, where=False, dtype='f4')",
    "np.isnan(np.ones(2400), where=False)",
    "np.divmod(np.ones(600), 2, where=False)[1]",
    "np.modf(np.ones(600), np.zeros(600), where=False)[1]",
    "np.modf(np.ones(600), out=(None, np.zeros(600)), where=False)[0]",
    "np.add.outer(np.ones(30), np.ones(20), where=False)",
    "np.add.outer(np.ones(30), np.ones(20), **{Where('where'): False})",
    "np.add(torch.ones(600), 1, where=False)",
    "np.sqrt(torch.ones(600), where=np.zeros(600, bool))",
    "np.add(np.ones(600), passing, where=False)",
    "np.pad(np.zeros(10), 300, mode='empty')",
    "np.unpackbits(np.zeros(0, 'u1'), count=6000)",
    "np.empty(600)",
    "np.empty_like(np.ones(600))",
]


PASSING = """
import numpy as np
class Where(str):
    def __hash__(self): return 1
class Passing(float): __slots__ = ("_array",)
passing = Passing(2)
passing._array = 1
"""


def soil() -> None:
    """Leave freed memory of many sizes that is not zero."""
    sizes = (480, 600, 1200, 2400, 4800, 4960, 6000, 9600, 19200)
    del [np.full(n, 0x7A, np.uint8) for n in sizes for _ in range(12)][:]


@pytest.mark.parametrize("program", UNWRITTEN)
def test_what_is_not_computed_is_zero(program: str) -> None:
    session = Session()
    session.run(PASSING)
    soil()
    assert not np.asarray(session.run(program)).any()


def test_where_computes_what_it_chooses() -> None:
    session = Session()
    session.run("import numpy as np\nmask = np.array([True, False, True])\na = np.array([1, 2, 3])")
    assert session.run("np.add(a, 1.5, where=mask).tolist()") == [2.5, 0.0, 4.5]
    assert session.run("np.add(a, 1, where=mask).dtype == a.dtype")
    assert session.run("np.divide(1.0, np.array([[1.0], [0.0]]), where=[[True], [False]]).tolist()") == [[1.0], [0.0]]
    assert session.run("out = np.full(3, 7); np.add(a, 1, out=out, where=mask); out.tolist()") == [2, 7, 4]
    assert session.run("np.add.outer([1, 2], [10, 20], where=[[True, False], [False, True]]).tolist()") == [
        [11, 0],
        [0, 22],
    ]
    assert session.run("type(np.add(1, 2, where=True)).__name__") == "int64"


@pytest.mark.parametrize(
    "program",
    [
        "np.broadcast_to(0.0, 10**12)",
        "np.zeros(2**40, 'V0')",
        "np.zeros(2**40, [])",
        "np.broadcast_to(np.zeros(1, 'V0'), 2**40)",
        "np.broadcast_arrays(0.0, np.broadcast_to(0.0, 2**30)[:, None], np.zeros((1, 4)))",
        "np.asarray(torch.zeros(1).expand(2**40))",
        "torch.zeros(1).expand(2**40).numpy()",
        "getattr(torch.zeros(1).expand(2**40), 'numpy')()",
        "np.lib.stride_tricks.sliding_window_view(np.ones(2**17), 2**16)",
    ],
)
def test_arrays_of_repeated_numbers_have_bounds(program: str) -> None:
    session = Session()
    session.run("import numpy as np, torch")
    with pytest.raises(ValueError, match=r"more than 2\*\*28 repeated elements"):
        session.run(program)


@pytest.mark.parametrize(
    "dtype",
    [
        "{'names': ['a'], 'formats': ['u1'], 'offsets': [0], 'itemsize': 64}",
        "np.dtype([('a', 'u1'), ('b', 'f8')], align=True)",
        "np.dtype({'names': ['a', 'b'], 'formats': ['u8', 'u8'], 'offsets': [0, 0], 'itemsize': 16})",
        "np.dtype({'names': ['a'], 'formats': ['u4'], 'titles': ['t'], 'itemsize': 8})",
        "np.dtype({'names': ['a', 'b'], 'formats': ['U2', 'u4'], 'offsets': [0, 0]})",
        "{'names': ['a', 'b'], 'formats': ['U2', 'U2'], 'offsets': [0, 4]}",
        "(np.uint64, {'a': ('U2', 0)})",
        "[('a', (np.uint64, {'t': ('U2', 0)}))]",
    ],
)
def test_structures_have_no_gaps(dtype: str) -> None:
    session = Session()
    session.run("import numpy as np")
    with pytest.raises(TypeError, match="bytes between their fields"):
        session.run(f"np.zeros(100, dtype={dtype})")
    with pytest.raises(TypeError, match="bytes between their fields"):
        session.run(f"np.zeros(100).astype({dtype})")


@pytest.mark.parametrize(
    "program",
    [
        "type(x[0])(('ab', 2), {'names': ['a', 'b'], 'formats': ['U2', 'u4'], 'offsets': [0, 0]})",
        "x[['a', 'c']]",
        "getattr(x, '__getitem__')(['a', 'c'])",
        "operator.itemgetter(['a', 'b'])(x)",
    ],
)
@pytest.mark.skipif(not kernels.compiled, reason="built without a compiler")
def test_structures_show_no_memory_but_their_fields(program: str) -> None:
    session = Session()
    session.run("import operator, numpy as np\nx = np.zeros(40, [('a', 'u8'), ('b', 'u8'), ('c', 'u8')])")
    with pytest.raises(TypeError, match="bytes between their fields"):
        session.run(program)
    assert session.run("x['b'].sum(), x[['a', 'b', 'c']].shape, x[3:5].tolist(), x[['c', 'b', 'a']].dtype.names") == (
        0,
        (40,),
        [(0, 0, 0)] * 2,
        ("c", "b", "a"),
    )


@pytest.mark.parametrize(
    "program",
    [
        "np.dtype('g')",
        "np.result_type('longdouble', 'f4')",
        "np.zeros(3, 'g')",
        "np.zeros(3, [('a', 'G')])",
        "x.astype('longdouble')",
        "np.float64(1).astype('g')",
        "x.view('g')",
        "np.sum(x, dtype='g')",
        "np.add(x, 1, dtype='g')",
        "np.add.reduce(x, dtype='g')",
        "np.finfo('g').eps",
        "np.vectorize(lambda a: a, otypes=['g'])(x)",
        "np.frombuffer(bytes(32), 'g')",
        "np.loadtxt(['1 2'], dtype='g')",
        *(["x.std(0, 'g')", "x.sum(dtype='g')"] if kernels.compiled else []),
    ],
)
def test_there_are_no_long_doubles(program: str) -> None:
    """The last six of their sixteen bytes are as the memory was."""
    session = Session()
    session.run("import numpy as np\nx = np.arange(4.0)")
    with pytest.raises(TypeError, match="long doubles"):
        session.run(program)
    assert session.run("torch.istft(torch.stft(torch.ones(28), 14, return_complex=True), 14).shape") == (27,)


def test_nobody_advances_the_iterators_of_a_broadcast() -> None:
    session = Session()
    session.run("import numpy as np\nb = np.broadcast(np.arange(4), np.arange(4))")
    for program in ("b.iters", "getattr(b, 'iters')", "next(b.iters[0])"):
        with pytest.raises(AttributeError, match="iters"):
            session.run(program)
    assert session.run("[(int(x), int(y)) for x, y in b]") == [(n, n) for n in range(4)]


@pytest.mark.parametrize(
    "program",
    [
        "np.array(['ab']).byteswap()",
        "np.str_('ab').byteswap()",
        "np.generic.byteswap(np.str_('ab'))",
        "np.zeros(3, 'T')",
        "np.full(8, 0x7fffffff, 'u4').view('U8')",
        "np.full(8, 0x7fffffff, 'u4').view([('a', 'U2')])",
        "np.full(8, 0x7fffffff, 'u4').view((np.uint32, {'a': ('U1', 0)}))",
        "getattr(np.full(8, 0x7fffffff, 'u4'), 'view')('U8')",
        "operator.methodcaller('view', 'U8')(np.full(8, 0x7fffffff, 'u4'))",
        "np.uint32(0x7fffffff).view('U1')",
        "np.array(['ab']).view('u4')",
        "np.frombuffer(b'\\x7f' * 8, 'U2')",
        "np.frombuffer(np.array(['ab']), 'u4')",
        "torch.frombuffer(np.array(['ab']), dtype=torch.int32)",
        "torch.frombuffer(np.zeros(2, [('a', 'U2')]), dtype=torch.int32)",
        "load('<U2')",
        "load([('a', '<U2')])",
    ],
)
def test_no_text_is_made_of_numbers(program: str) -> None:
    """Python's encoders take room for characters, and write behind it what numbers beyond the last one need."""
    session = Session()
    session.run(
        "import io, numpy as np, operator, struct\na = np.array([0x7fffffff], 'u4')\n"
        "def load(dtype):\n"
        "  head = repr({'descr': dtype, 'fortran_order': False, 'shape': (1,)}).encode().ljust(117) + b'\\n'\n"
        "  return np.load(io.BytesIO(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', 118) + head + b'\\x7f' * 8))"
    )
    with pytest.raises((TypeError, AttributeError, ValueError), match="text|dtype=object|not writable|characters"):
        session.run(program)


def test_arrays_are_read_as_other_numbers() -> None:
    session = Session()
    session.run("import io, numpy as np\nb = io.BytesIO()\nnp.save(b, np.array(['é', 'zz']))")
    assert session.run("np.ones(2).view('i8').tolist(), np.float32(1).view('i4'), np.array(1.0).view('i8')[()]") == (
        [4607182418800017408] * 2,
        1065353216,
        4607182418800017408,
    )
    assert session.run("type(np.float32(1).byteswap()).__name__") == "float32"
    assert session.run("a = np.arange(2); a.view()[0] = 5; a.byteswap(True).byteswap(True).tolist()") == [5, 1]
    assert session.run("np.array(['x']).view().tolist(), np.load(io.BytesIO(b.getvalue())).tolist()") == (
        ["x"],
        ["é", "zz"],
    )


@pytest.mark.parametrize("name", ["irfft([], 5)", "irfft2(np.ones((2, 0)), (5, 5), (0, 1))", "hfft([], 5)"])
def test_nothing_is_not_transformed(name: str) -> None:
    session = Session()
    session.run("import numpy as np")
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        session.run(f"np.fft.{name}")


@pytest.mark.parametrize(
    "program",
    [
        "np.random.zipf(1 + 1e-15)",
        "np.random.default_rng(1 << 10**6)",
        "np.random.SeedSequence([1, 1 << 10**6])",
        "np.random.RandomState(1 << 10**6)",
    ],
)
def test_random_numbers_come_within_a_moment(program: str) -> None:
    session = Session()
    session.run("import numpy as np")
    with pytest.raises(ValueError):
        session.run(program)


def test_far_indices_are_wrapped_at_once() -> None:
    session = Session(timeout=20)
    session.run("import numpy as np\na = np.arange(6)\nfar = np.array([2**62, -2**63, 7, -1])")
    wanted = [2**62 % 6, -(2**63) % 6, 1, 5]
    assert session.run("a.take(far, mode='wrap').tolist(), np.take(a, far, mode='wrap').tolist()") == (wanted, wanted)
    assert session.run(
        "np.take(a.reshape(2, 3), far, 1, mode='wrap').shape, a.take(1), a.take([0, 9], mode='clip').tolist()"
    ) == (
        (2, 4),
        1,
        [0, 5],
    )
    assert session.run(
        "far.choose([10, 20, 30], mode='wrap').tolist(), np.choose([0, 1], [[1, 2], [3, 4]]).tolist()"
    ) == (
        [10 * (1 + n % 3) for n in (2**62, -(2**63), 7, -1)],
        [1, 4],
    )
    assert session.run("b = np.zeros(6); b.put(far, 1, mode='wrap'); np.put(b, [0], 5); b.tolist()") == [
        5,
        1,
        0,
        0,
        1,
        1,
    ]
    with pytest.raises(IndexError):
        session.run("a.take(far)")


ALIVE = """
class X:
    def __init__(self, n): self.n = n
    def __getitem__(self, i): return self.change()
    __len__ = __index__ = __float__ = __bool__ = __getitem__
    def __lt__(self, other): return self.change()
    __gt__ = __eq__ = __add__ = __radd__ = __lt__
    __hash__ = None
    def change(self):
        items.clear()
        a[:] = 0
        return NotImplemented
class Scaled:
    def __init__(self, n): self.n = n
    def __mul__(self, other): return Scaled(self.n * other)
    __rmul__ = __mul__
items = [X(i) for i in range(50)]
a = np.zeros(50)
"""


HIDDEN = """
class P(typing.Protocol):
    def __len__(self): return called.append(1) or 2
    def __getitem__(self, i): return [1.0, 2.0][i]
value = object.__new__(P)
---
class Protocol(tuple): pass
class T(Protocol):
    def __len__(self): return called.append(1) or 2
value = T([1, 2])
---
class U(list): _is_protocol = True
U.__len__ = lambda self: called.append(1) or 2
value = U([1, 2])
"""


@pytest.mark.parametrize("program", HIDDEN.split("---\n"))
def test_protocols_and_what_is_called_so_are_not_asked_by_numpy(program: str) -> None:
    session = Session()
    session.run("import typing\ncalled = []\n" + HIDDEN.partition("---")[0] + "called.clear()\n" + program)
    with pytest.raises(TypeError):
        session.run("np.ones(2) + value")
    assert session.run("called") == []


@pytest.mark.parametrize(
    "program",
    [
        "a = np.append(items, None)",
        "a = np.concatenate([items, [None]])",
        "a = np.where(a == 0, items, None)",
        "a = np.insert([1], 0, items)",
        "a = a + items",
        "a == items",
        "a[items]",
        "a[items] = 1",
        "a[:] = items",
        "a.put([0], items)",
        "a.searchsorted(items)",
        "np.ones(1).dot(items)",
        "np.r_[items]",
        "np.random.permutation(items)",
        "np.random.default_rng(0).choice(items)",
    ],
)
def test_numpy_holds_no_object_of_a_program(program: str) -> None:
    """It calls their methods while it reads the list or the array that they stand in, and trusts that neither changes."""
    session = Session()
    session.run("import numpy as np" + ALIVE)
    with pytest.raises(TypeError, match="makes no arrays of 'X' objects"):
        session.run(program)


def test_numbers_of_numpy_leave_operators_to_objects() -> None:
    session = Session()
    session.run("import numpy as np" + ALIVE)
    assert session.run(
        "(np.float64(2) * Scaled(3)).n, (np.float32(2) * Scaled(3)).n, (np.ones(2) * Scaled(3)).n.tolist()"
    ) == (
        6.0,
        6.0,
        [3.0, 3.0],
    )
    session.run("from enum import IntEnum\nclass Kind(IntEnum): A = 1")
    assert session.run("np.array([Kind.A]).tolist() + np.ones(2)[[Kind.A]].tolist()") == [1, 1.0]


@pytest.mark.parametrize(
    "program",
    [
        "np.random.default_rng(0).random(items)",
        "np.random.normal(size=items)",
        "a.astype(('i4', items))",
        "np.zeros(Own(items))",
        "np.broadcast_to(1.0, items)",
    ],
)
def test_sizes_are_taken_from_a_copy_of_their_list(program: str) -> None:
    session = Session()
    session.run("import numpy as np" + SIZES)
    for _ in range(20):
        session.run("items = [Size() for i in range(20)]\ntry: " + program + "\nexcept (ValueError, TypeError): pass")
    session.run("b = [3, 1, 2]; np.random.shuffle(b)")
    assert session.run("sorted(b) == [1, 2, 3]")


SIZES = """
a = np.ones(1)
class Own(list): pass
class Size:
    def __index__(self):
        items.clear()
        return 1
"""


LISTS = """
class Number:
    def __init__(self, kept): self.kept = kept
    def __index__(self): self.kept.clear(); return 1
def numbers():
    kept = []
    for _ in range(30): kept.append(Number(kept))
    return kept
class Named:
    def __init__(self): self.dtype = "i4", numbers()
class Answering:
    @property
    def dtype(self): return "i4", numbers()
class Asked:
    def __getattr__(self, name): return "i4", numbers()
class Shared:
    dtype = "i4", numbers()
import functools, io, operator, types
import numpy as np
a, b, one = np.ones((1,) * 30), np.float64(1), np.ones(1)
d = "i4", numbers()
"""


@pytest.mark.parametrize(
    "call",
    [
        "one.reshape(numbers())", "one.reshape(*[numbers()])", "a.transpose(numbers())", "b.reshape(numbers())",
        "getattr(one, 'reshape')(numbers())", "operator.methodcaller('reshape', numbers())(one)",
        "operator.attrgetter('reshape')(one)(numbers())", "functools.partial(one.reshape, numbers())()",
        "np.generic.reshape(b, numbers())", "np.float64.sum(b, 0, d)", "one.sum(dtype=d)", "one.sum(0, d)",
        "one.mean(**{'dtype': d})", "one.var(0, d)", "one.cumsum(0, d)", "one.prod(dtype=d)", "np.ones((1, 1)).trace(0, 0, 1, d)",
        "np.dtype(d)", "np.dtype([('a', *d)])", "np.dtype({'names': ['a'], 'formats': [d]})", "np.iinfo(d)", "np.finfo(d)",
        "np.zeros(3, d)", "one.astype(d)", "one.view(d)", "np.frombuffer(b'abcd', d)", "np.add(1, 2, dtype=d)",
        "np.add.reduce([1], dtype=d)", "np.add(1, 2, signature=(d, 'i4'))", "np.vectorize(abs, otypes=[d])([1])",
        "np.loadtxt(['1'], dtype=d)", "np.genfromtxt(['1'], dtype=d)", "type(np.zeros(1, 'i4,i4')[0])(3, dtype=d)",
        "type(np.iinfo('i4'))(d)", "np.random.default_rng().integers(3, dtype=d)", "np.fromiter([1], d)", "np.result_type(d)",
        "np.zeros(3, Named())", "np.zeros(3, Answering())", "np.zeros(3, Asked())", "np.zeros(3, Shared)",
        "np.dtype([('a', Named())])", "np.zeros(3, types.SimpleNamespace(dtype=d))", "np.asarray([1], dtype=Named())",
    ],
)  # fmt: skip
def test_lists_that_empty_themselves_are_copies(call: str) -> None:
    """numpy holds the list by its address alone while a program's number in it is asked."""
    session = Session()
    session.run(LISTS)
    try:
        session.run(call)
    except (TypeError, ValueError):
        pass


def test_methods_that_are_told_sizes_and_dtypes_are_numpys() -> None:
    session = Session()
    session.run("import numpy as np\na, sizes, kind = np.arange(6.0), [2, 3], 'f4'\nx = torch.arange(6.0)")
    assert session.run("a.reshape(sizes).shape, a.reshape(sizes).transpose(sizes[:0] or None).shape") == (
        (2, 3),
        (3, 2),
    )
    assert session.run("a.sum(dtype=kind).dtype, a.mean(0, kind).dtype") == (np.float32, np.float32)
    assert session.run("np.dtype(kind) is np.dtype('f4'), isinstance(a.dtype, np.dtype)") == (True, True)
    assert session.run("x.reshape(sizes).shape, x.mean.__name__, [f() for f in (x.sum, x.prod)]")[1] == "mean"


SETTERS = {
    "a store": "a.{name} = {value}",
    "by a target": "for a.{name} in [{value}]: pass",
    "setattr": "setattr(a, '{name}', {value})",
    "a method's own object": "class A:\n    def set(self): self.{name} = {value}\nA.set(a)",
    "an augmented store": "a.{name} += {value}",
    "a loop in a method": "class A:\n    def set(self):\n        for self.{name} in [{value}]: pass\nA.set(a)",
    "a deletion": "del a.{name}",
}


@pytest.mark.parametrize("way", SETTERS)
@pytest.mark.parametrize(
    "name, value", [("dtype", "np.dtype('U1')"), ("shape", "(1, 4)"), ("strides", "(0,)"), ("names", "('x',)")]
)
def test_what_an_array_is_is_not_set_in_place(name: str, value: str, way: str) -> None:
    """An iterator (`a.flat`) and numpy itself, asking an index for its number, hold an array by the form that it had."""
    session = Session()
    session.run("import numpy as np\na = " + ("np.dtype([('a', 'i4')])" if name == "names" else "np.ones(4, 'f4')"))
    before = session.run("repr(a)")
    with pytest.raises((AttributeError, TypeError), match="not set in place|[Cc]annot delete"):
        session.run(SETTERS[way].format(name=name, value=value))
    assert session.run("repr(a)") == before
    session.run(
        "class Own:\n    def __init__(self): self.shape, self.dtype, self.names = 1, 2, 3\nown = Own(); own.shape += 1"
    )
    assert session.run("own.shape, own.dtype, own.names") == (2, 2, 3)


OBJECTS = [
    "np.add(np.ones(4), 1, dtype=object)",
    "np.add.outer(np.ones(4), 1, dtype=object)",
    "np.add.accumulate(np.ones(4), dtype='O')",
    "np.where(np.ones(2), {1: 2}, 1)",
    "np.append(np.ones(2), None)",
    "np.concatenate([[None], [1]])",
    "np.stack([np.ones(2)], dtype='O', casting='unsafe')",
    "np.concatenate([np.zeros(2)], dtype=[('a', 'O'), ('b', 'i8')], casting='unsafe')",
    "np.broadcast_to(None, 3)",
    "np.take([None, 1], [0])",
    "np.apply_along_axis(lambda x: {1: 2}, 0, np.ones((2, 2)))",
    "np.loadtxt(['1 2'], dtype='O')",
    "np.genfromtxt(['1 2'], dtype='O')",
    "np.random.permutation([None, 1])",
    "np.r_[None, 1]",
    "np.poly1d([{1: 2}, 1])",
    "np.ones(4).cumsum(dtype=object)",
    "np.cumsum(np.ones(4), dtype=object)",
    "(np.ones(2) * [2**100, 1]).fill(1)",
    "(np.ones(2) * [2**100, 1]).sort()",
    "(np.ones(2) * [2**100, 1]).argsort()",
    "np.copyto(np.ones(2) * [2**100, 1], 1)",
    "np.put(np.ones(2) * [2**100, 1], 0, 1)",
    "(np.ones(2) * [2**100, 1]).put(0, {1: 2})",
    "np.multiply(1, 1, out=np.ones(2) * [2**100, 1])",
    "a = np.ones(2) * [2**100, 1]\na[0] = {1: 2}",
    "a = np.ones(2) * [2**100, 1]\na.flat[0] = {1: 2}",
    "a = np.ones(2) * [2**100, 1]\na.__setitem__(0, {1: 2})",
    "a = np.ones(2) * [2**100, 1]\na.flat.__setitem__(0, {1: 2})",
    "import operator\noperator.setitem(np.ones(2) * [2**100, 1], 0, 1)",
    "import collections\ncollections.ChainMap(np.ones(2) * [2**100, 1])[0] = 1",
    "np.ones(2, int) * [2**100, 1]",
    "[2**100, 1] + np.ones(2, int)",
    "np.ones(2, int).__radd__([2**100, 1])",
    "np.ones(2, int) ** [2**100, 1]",
    "np.ones((2, 2), int) @ [2**100, 1]",
    "np.ones((2, 2), int).dot([2**100, 1])",
    "import functools, operator\nfunctools.reduce(operator.add, [np.ones(2, int), [2**100, 1]])",
    "sum([[2**100, 1]], np.ones(2, int))",
    "class I(int):\n  def __radd__(self, o): return self\nnp.ones(2, int) + [I(2**100), 1]",
    "from fractions import Fraction\nnp.ones(2) + Fraction(1, 2)",
]


@pytest.mark.parametrize("program", OBJECTS)
def test_no_program_makes_or_writes_an_array_of_objects(program: str) -> None:
    """It would put there what its own methods, called by numpy in a sort or a sum, take away: `a.fill(A()); a.sort()` crashed, and
    so did `a + [I(2**100)]` with a class of integers whose `__gt__` says `a += 1`, asked for its `argmax()`."""
    if kernels.compiled is None and "2**100" in program:
        pytest.skip("stores are refused by a compiled module")
    session = Session()
    session.run("import numpy as np")
    with pytest.raises(TypeError, match="arrays of Python objects"):
        session.run(program)


def test_python_writes_arrays_of_objects_beside_a_session() -> None:
    Session().run("import numpy as np")
    a = np.array([None, 3])
    a[0] = 2
    a.flat[1] = 1
    a.sort()
    assert a.tolist() == [1, 2]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_what_is_shuffled_in_pieces_is_numpys_own(axis: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorsh.sandbox.modules import numpy_random

    monkeypatch.setattr(numpy_random, "MANY", 16)
    session = Session()
    session.run("a = np.arange(60).reshape(6, 10).copy()")
    own = np.arange(60).reshape(6, 10).copy()
    np.random.default_rng(3).shuffle(own, axis=axis)
    session.run(f"np.random.default_rng(3).shuffle(a, axis={axis})")
    assert session.run("a.tolist()") == own.tolist()
    found = session.run(f"np.random.default_rng(4).permuted(a, axis={axis}).tolist()")
    assert found == np.random.default_rng(4).permuted(own, axis=axis).tolist()
    state = np.random.RandomState(5)
    state.shuffle(own)
    assert session.run("np.random.seed(5)\nnp.random.shuffle(a)\na.tolist(), np.random.rand()") == (
        own.tolist(),
        state.rand(),
    )
    cube = np.random.default_rng(6).permuted(np.arange(60).reshape(3, 4, 5), axis=axis)
    assert (
        session.run(f"np.random.default_rng(6).permuted(np.arange(60).reshape(3, 4, 5), axis={axis}).tolist()")
        == cube.tolist()
    )


NAMES = """
import numpy as np
lies = False
class Name(str):
    def __eq__(self, other): return True if lies else str.__eq__(self, other)
    def __hash__(self): return 1 if lies else str.__hash__(self)
class Fields(dict):
    def items(self): return [(Name("a"), ("i4", 0))]
    def keys(self): return [Name("a"), Name("b")]
def is_plain(kind): return all(type(name) is str for name in (*kind.names, *kind.fields))
a = np.zeros(3, [("a", "i4"), ("b", "i4")])
spec = [(Name("a"), "i4"), ((Name("t"), Name("b")), "i4")]
"""


@pytest.mark.parametrize(
    "program",
    [
        "np.dtype(spec)", "np.dtype({'names': [Name('a')], 'formats': ['i4'], 'titles': [Name('t')]})", "np.zeros(2, spec).dtype",
        "np.dtype(Fields(names=[Name('a')], formats=['i4']))", "np.empty(2, spec).dtype", "np.empty_like(a, spec).dtype",
        "np.empty_like(a, dtype=spec).dtype", "a.astype(spec).dtype", "a.astype(dtype=spec).dtype", "np.asarray([(1, 2)], spec).dtype",
        "np.full(2, 0, dtype=spec).dtype", "np.frombuffer(bytes(8), spec).dtype", "np.fromiter([(1, 2)], spec).dtype",
        "np.result_type(spec)", "np.loadtxt(['1 2'], dtype=spec).dtype", "np.genfromtxt(['1 2'], names=[Name('a'), Name('b')], dtype=None).dtype",
    ],
)  # fmt: skip
def test_fields_are_named_by_plain_text(program: str) -> None:
    session = Session()
    session.run(NAMES)
    assert session.run(f"is_plain({program})") is True


def test_names_that_lie_reach_no_memory() -> None:
    session = Session()
    session.run(NAMES)
    for program in ("a[[Name('a'), Name('b')]]", "a[1:][[Name('b'), Name('a')]]"):
        assert session.run(f"is_plain({program}.dtype)") is True
    session.run("lies = True")
    for program in (
        "a.sort(order=Name('z'))", "a.argsort(order=[Name('z')])", "np.sort(a, order=Name('z'))", "a.partition(1, order=Name('z'))",
        "a.argpartition(1, 'introselect', -1, Name('z')) if False else a.argpartition(1, order=(Name('z'),))", "a.sort(-1, None, Name('z'))",
        "a[Name('z')]", "a[[Name('z')]]", "a[0][Name('z')]", "a[Name('z')] = 1",
    ):  # fmt: skip
        with pytest.raises((ValueError, KeyError)):
            session.run(program)
    assert session.run("a['a'] = [3, 1, 2]; a.sort(order=Name('a')); a['a'].tolist()") == [1, 2, 3]
    assert session.run("np.dtype(spec) == np.dtype([('a', 'i4'), (('t', 'b'), 'i4')])") is True


VOIDS = """
import numpy as np, statistics, torch
Void = np.dtype("V4").type
Pair = type(statistics.linear_regression([1, 2], [1, 2]))
"""
GAPS = {"names": ["a"], "formats": ["i1"], "offsets": [0], "itemsize": 4096}


@pytest.mark.parametrize("made", ["Void", "type(np.dtype('V4')).type", "type(np.zeros(1, 'i4,i4')[0])"])
@pytest.mark.parametrize("dtype", ["[('a', 'O')]", repr(GAPS), "np.dtype('O')", "'g'"])
def test_structures_are_made_as_their_arrays_are(made: str, dtype: str) -> None:
    session = Session()
    session.run(VOIDS)
    for program in (f"({made})(0, {dtype})", f"({made})(0, dtype={dtype})", f"({made})((print,), dtype={dtype})"):
        with pytest.raises(TypeError):
            session.run(program)
    assert session.run(
        f"({made})((1, 2), dtype=[('a', 'i4'), ('b', 'i4')]).item(), ({made})(b'abcd').tobytes(), ({made})(3).item()"
    ) == (
        (1, 2),
        b"abcd",
        bytes(3),
    )


@pytest.mark.parametrize(
    "told", ["Pair('m8[0s]', 2)", "[Pair('a', 'm8[0s]')]", "Ordered(names=['a'], formats=['m8[0s]'])"]
)
def test_times_are_counted_in_units_in_whatever_tuple(told: str) -> None:
    session = Session()
    session.run(VOIDS + "from collections import OrderedDict as Ordered")
    with pytest.raises(TypeError, match="counts times in one unit"):
        session.run(f"np.dtype({told})")


TAKEN = """
import collections, numpy as np, torch
class X:
    def __len__(self): return 2
    def __getitem__(self, i):
        lists[:] = [5]
        if i >= 2: raise IndexError
        return 1.0
def taking():
    part = collections.UserList()
    part.data = X()
    return part
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        lists[:] = [5]
        return super().__torch_function__(function, types, args, kwargs or {})
lists = []
a = np.zeros((40, 2))
"""


@pytest.mark.parametrize("part", ["taking()", "torch.ones(2).as_subclass(T)"])
def test_lists_that_shrink_while_numpy_reads_them_are_copies(part: str) -> None:
    programs = (
        "a[:] = lists", "a.flat = lists", "a.flat[:] = lists", "a.real = lists", "a + lists", "lists * a", "a == lists", "a.dot(lists)",
        "np.add(a, lists)", "np.add.reduce(lists)", "np.float64(lists)", "np.float64(1) + lists", "lists ** np.int64(2)", "np.str_('a') * lists", "np.float64(1) == lists", "np.linalg.norm(lists)", "np.fft.fft(lists)",
        "np.testing.assert_array_equal(lists, a + 1)", "np.broadcast(lists, a)", "np.ndenumerate(lists)", "np.poly1d(lists)",
        "np.array(collections.UserList([lists]))", "np.add(collections.deque([lists]), 1)", "np.vectorize(abs)(lists)", "a[lists]", "a ** lists",
    )  # fmt: skip
    body = "".join(
        f"lists[:] = [{part} for k in range(40)]\ntry: {each}\nexcept (TypeError, ValueError, IndexError, AssertionError): pass\n"
        for each in programs
    )
    source = (
        "import tensorsh; session = tensorsh.Session(); session.run("
        + repr(TAKEN + body)
        + "); print(session.run('lists'))"
    )
    command = ["env", "PYTHONMALLOC=debug", sys.executable, "-W", "ignore", "-c", source]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("[5]\n", 0), found.stderr
