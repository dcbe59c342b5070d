"""What of Python's library writes into memory or reads it at places that a program chooses."""

from __future__ import annotations

import array
import subprocess
import sys

import pytest

from tensorsh import Session

PROGRAMS = {
    "an index that shortens the array": """
import array
a = array.array('q', range(1000))
class X:
    def __index__(self): del a[:]; return 7
    __float__ = __index__
def tried(f):
    a[:] = array.array('q', range(1000))
    try: f()
    except IndexError: pass
def store(): a[900] = X()
def store_at(): a[X()] = 1
for f in (store, store_at, lambda: a.append(X()), lambda: a.insert(900, X()), lambda: a.insert(X(), 1),
          lambda: a.extend([X()] * 9), lambda: a.fromlist([X()] * 9)):
    tried(f)
""",
    "numbers that shorten an array of floats": """
import array, copy
class Y:
    def __float__(self): del a[:]; return 7.
for made in (lambda a: a[:], lambda a: a + a, lambda a: 2 * a, lambda a: a * 2, copy.copy, copy.deepcopy):
    a = made(array.array('d', range(1000)))
    try: a[900] = Y()
    except IndexError: pass
""",
    "keys that take entries of an ordered dictionary away": """
from collections import OrderedDict
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return 1
    def __eq__(self, other):
        global n
        n += 1
        if n == at: od.clear()
        return self.v == other.v
for at in range(1, 30):
    for f in (lambda: od.pop(K(3)), lambda: od.pop(K(9), None), lambda: od.popitem(), lambda: od.popitem(last=False), lambda: od.copy(),
              lambda: od.move_to_end(K(3)), lambda: od.setdefault(K(2), 4), lambda: od.update({K(3): 1, K(9): 2})):
        n = -100
        od = OrderedDict((K(i), i) for i in range(4))
        n = 0
        try: f()
        except (KeyError, RuntimeError): pass
class OD(OrderedDict):
    def __getitem__(self, key): OrderedDict.clear(self); return 1
try: OD((i, i) for i in range(10)).copy()
except KeyError: pass
od = OrderedDict(a=1, b=2, c=3)
assert od.pop("b") == 2 and od.pop("z", default=5) == 5 and list(od.items()) == [("a", 1), ("c", 3)]
assert od.popitem() == ("c", 3) and od.copy() == OrderedDict(a=1) and type(od.copy()) is OrderedDict and od.popitem(last=False) == ("a", 1)
for f in (lambda: od.pop("b"), lambda: od.popitem()):
    try: f()
    except KeyError as e: told = str(e)
    else: raise AssertionError
assert told == "'dictionary is empty'"
""",
    "a struct that is made anew": """
import struct
s = struct.Struct('i' * 500)
class X:
    def __index__(self):
        try: type(s).__init__(s, '1s')
        except TypeError: pass
        return 1
s.pack(*[X() for i in range(500)])
""",
    "errors of text far from their text": """
for kind, what in ((UnicodeDecodeError, b'abc'), (UnicodeEncodeError, 'abc')):
    for start in (-1, -10**6, -10**15, -2**63, 2**63 - 2):
        for e in (kind('x', what, start, start + 1, 'no'), UnicodeTranslateError('abc', start, start + 1, 'no')):
            assert 'position' in str(e) and 'position' in type(e).__str__(e)
    e = kind('x', what, 0, 1, 'no')
    for e.object in (5, object(), what): str(e)
    class Own(kind): pass
    e = Own('x', what, 0, 1, 'no'); e.start = -10**15; e.end = e.start + 1; str(e)
class Text(str):
    def __str__(self): e.start = -10**15; e.end = e.start + 1; return 'no'
e = UnicodeDecodeError('x', b'abc', 0, 1, Text()); str(e)
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_memory_is_reached(program: str) -> None:
    command = [sys.executable, "-c", "import sys; from tensorsh import Session; Session().run(sys.stdin.read())"]
    done = subprocess.run(command, input=PROGRAMS[program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_errors_of_text_say_what_pythons_do() -> None:
    program = (
        "found = []\n"
        "for e in (UnicodeEncodeError('x', 'a\\xe9\\u20ac\\U0001f600', k, k + n, 'no') for k in range(5) for n in (0, 1, 2)): found += [e]\n"
        "for k in range(5): found += [UnicodeTranslateError('a\\xe9\\u20ac\\U0001f600', k, k + 1, 'no')]\n"
        "for k in range(5): found += [UnicodeDecodeError('x', b'ab\\xff\\0', k, k + 1, 'no')]\n"
        "print(*map(str, found), sep='\\n')"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    ours = Session()
    assert (
        ours.run(program.replace("print(*map(str, found), sep='\\n')", "'\\n'.join(map(str, found)) + '\\n'")) == told
    )


def test_arrays_are_pythons() -> None:
    session = Session()
    session.run("import array, struct, numpy as np, torch\na = array.array('i', [1, 2, 3])")
    expressions = "a, a[1:], a + a, 2 * a, a == a[:], a.tolist(), bytes(a), a.index(2), a.typecode, len(a), 2 in a"
    assert session.run(f"repr(({expressions}))") == repr(eval(f"({expressions})", {"a": array.array("i", [1, 2, 3])}))
    assert session.run("type(a) is array.array, isinstance(a[1:], array.array), np.frombuffer(a, 'i4').tolist()") == (
        True,
        True,
        [1, 2, 3],
    )
    assert session.run("torch.frombuffer(a, dtype=torch.int32).tolist(), struct.Struct('<i').pack(7)") == (
        [1, 2, 3],
        b"\x07\0\0\0",
    )
    for bad in (
        "a[0] = 1.5",
        "a[0] = 'x'",
        "a.fromlist((1,))",
        "array.array('i', [1.5])",
        "super(type(a), a).append",
        "class A(array.array): pass",
    ):
        with pytest.raises(TypeError):
            session.run(bad)
    with pytest.raises(OverflowError):
        session.run("a.append(2**40)")


RESIZES = """
class Asked(str):
    def __index__(self): return self.act(0)
    def __len__(self): return self.act(1)
    def __repr__(self): return self.act("x")
    def __iter__(self): return self.act(iter(()))
    def act(self, answer):
        b.clear(); kept.extend(bytes([65]) * 1000 for _ in range(50))
        return answer
kept, b = [], bytearray(b"%a" + b"B" * 998)
"""


@pytest.mark.parametrize(
    "call",
    [f"b.{name}(b'A', Asked())" for name in "find rfind index rindex count startswith endswith".split()]
    + ["b.hex(Asked(':'))", "b % (Asked(),)", "b.join(b.clear() for _ in 'ab')"],
)
def test_a_bytearray_stays_where_it_is_while_a_program_is_asked(call: str) -> None:
    session = Session()
    session.run(RESIZES)
    with pytest.raises(BufferError, match="cannot be re-sized"):
        session.run(call)
    assert session.run("b.clear(), b.append(3), b")[2] == b"\x03"


def test_values_that_say_that_they_are_none_go_into_a_bytearray() -> None:
    got = Session().run(
        "class A:\n    def __iter__(self): return self\n    n = 0\n    def __length_hint__(self): return 0\n"
        "    def __next__(self):\n        self.n += 1\n        if self.n > 3: raise StopIteration\n        return 88\n"
        "b = bytearray(); b.extend(A()); b, bytearray()"
    )
    assert got == (b"XXX", b"")
    with pytest.raises(TypeError, match="can't extend bytearray with int"):
        Session().run("bytearray().extend(3)")


def test_values_that_take_places_of_a_list_away() -> None:
    with pytest.raises(ValueError, match="attempt to assign sequence of size 10 to extended slice of size 0"):
        Session().run("l = list(range(10))\ndef g():\n    l.clear()\n    yield from range(10)\nl[::-1] = g()")
    got = Session().run("l = list(range(6)); l[::2] = (x for x in 'abc'); l[4:] = {7: 1}; l")
    assert got == ["a", 1, "b", 3, 7]
    with pytest.raises(TypeError, match="must assign iterable to extended slice"):
        Session().run("l = [1, 2]; l[::2] = 3")
