"""Times that are counted in none of a unit, by whose number numpy divides: no program gets a dtype of them, by whatever name."""

from __future__ import annotations

import numpy as np

from tensorsh import Session

from .runner import run

NAMES = [
    "'m8[0s]'",
    "'<M8[00D]'",
    "'timedelta64[ 0s]'",
    "'datetime64[+0s]'",
    "b'm8[0s]'",
    "np.str_('m8[0s]')",
    "Text('m8[0s]')",
    "'m8[Y/0]'",
    "'m8[5Y/ 0]'",
    "'M8[Y/-12]'",
    "b'M8[Y/0]'",
    "[('a', 'm8[Y/0]')]",
    "{'names': ['a'], 'formats': [b'm8[0s]']}",
    "('m8[Y/0]', (2,))",
    "List(['i4'])",
    "Asked()",
    "Asked",
    "Number(3)",
    "[('a', Asked())]",
]
"""Of dtypes; the list, the objects and the class say another one when they are asked."""
TAKEN = [
    "np.dtype({})",
    "np.zeros(2, {})",
    "np.array([5], dtype={})",
    "np.full(2, 5, {})",
    "a.astype({})",
    "a.astype(dtype={})",
    "a.view({})",
    "a.sum(dtype={})",
    "a.sum(None, {})",
    "a.mean(dtype={})",
    "a.cumsum(0, {})",
    "np.float64(3).prod(dtype={})",
    "np.linalg.trace(np.ones((2, 2)), dtype={})",
    "np.add.reduce(a, 0, {})",
    "np.add(a, a, dtype={})",
    "np.iinfo({})",
    "np.can_cast({}, 'i4')",
    "np.result_type({})",
    "np.datetime_data({})",
    "np.frombuffer(bytes(16), {})",
    "np.loadtxt(['5'], dtype={})",
    "np.random.default_rng(0).integers(5, dtype={})",
    "np.random.RandomState(0).randint(5, dtype={})",
    "np.vectorize(abs, otypes=[{}])",
    "np.issubdtype('f4', {})",
]
"""What takes a dtype; it is tried with a few of the names, so that each of both comes."""
OTHERS = [
    "a.dtype == 'm8[Y/0]'",
    "a.dtype != b'm8[0s]'",
    "a.dtype in ['m8[Y/0]']",
    "'M8[0s]' == np.dtype('f4')",
    "a.dtype < 'M8[0s]'",
    "np.timedelta64(5, '0s')",
    "np.datetime64('2020', ' 0s')",
    "np.datetime64('2020', b'0s')",
    "np.timedelta64(np.timedelta64(5, 's'), '0s')",
    "np.timedelta64(5, Text('0s'))",
    "np.timedelta64(5, 's').astype('m8[0s]')",
    "np.load(npy(\"'m8[0s]'\"))",
    "np.load(npy(\"'m8[Y' '/0]'\"))",
    "np.load(npy(\"'\\\\x6d8[Y/0]'\"))",
    "np.load(npy(\"[('a', 'm8[Y/0]')]\"))",
    "np.load(npy(\"'m8[Y/0]', 'a': 5L\"))",
]
BEFORE = """
import io, struct, numpy as np
class Text(str):
    def __str__(self): return "s"
    def __contains__(self, other): return False
class List(list):
    def __iter__(self): return iter([("a", "m8[Y/0]")])
class Asked: dtype = "m8[Y/0]"
class Number(int): dtype = "m8[Y/0]"
def npy(descr):
    head = ("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,)}").encode()
    return io.BytesIO(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(head)) + head + bytes(16))
a = np.ones(3)
"""


def test_no_dtype_of_times_counts_none_of_a_unit() -> None:
    pairs = [call.format(NAMES[(3 * k + more) % len(NAMES)]) for k, call in enumerate(TAKEN) for more in range(3)]
    programs = [*pairs, *OTHERS]
    wrong = []
    for program, (text, harm) in zip(programs, run([BEFORE + program for program in programs]), strict=True):
        if harm or not text.startswith(("TypeError: ", "ValueError: ")):
            wrong.append(f"{program}: {text} {harm}")
    assert not wrong, "\n".join(wrong)


def test_times_are_counted_in_units_as_numpy_does() -> None:
    session = Session()
    session.run("import numpy as np")
    for name in ("m8[s]", "M8[10D]", "datetime64[ns]", "timedelta64[05m]", "m8[Y/12]", "i4,(2,)f8", "m8[100ms/10]"):
        assert session.run(f"np.dtype({name!r})") == np.dtype(name)
        assert session.run(f"np.zeros(2, {name!r}).dtype == {name!r}") is True
    assert session.run("np.timedelta64(5, '10s').astype('m8[s]')") == np.timedelta64(50, "s")
    assert session.run("np.array(['a[0]', 'm[0s]']).tolist()") == ["a[0]", "m[0s]"]
