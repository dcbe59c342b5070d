"""The `pickle` module of programs: what it reads of others, and what it refuses."""

from __future__ import annotations

import io
import pickle
import pickletools
import random
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import pytest

from tensorsh.session import Session

VALUES: dict[str, Any] = {
    "plain": [1, -2, 1 << 3000, 2.5, True, None, "é\n", b"\x00\xff", (1, (2,)), {"a": {1, 2}}, frozenset([3]), 3 + 4j],
    "containers": [
        Counter("abca"),
        defaultdict(list, {1: [2]}),
        deque([1, 2], 5),
        range(3),
        slice(1, 2),
        bytearray(b"x"),
    ],
    "ordered": OrderedDict(b=1, a=[2]),
    "arrays": [
        np.arange(6.0).reshape(2, 3),
        np.array(["a", "bc"]),
        np.asfortranarray(np.ones((2, 2), np.int8)),
        np.float32(2),
    ],
}
CIFAR = (
    b"\x80\x02}(U\x06labels](K\x01K\x02eU\x04datacnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
    b"(K\x01K\x02K\x02\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"
    b"U\x04\x01\x02\xfe\xfftbu."
)
"""Such bytes as Python 2 wrote."""


def session(**variables: Any) -> Session:
    made = Session()
    made.run("import pickle, io, torch")
    for name, value in variables.items():
        made[name] = value
    return made


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", VALUES)
def test_what_python_writes_is_read(name: str, protocol: int) -> None:
    found = session(data=pickle.dumps(VALUES[name], protocol)).run("pickle.loads(data)")
    assert repr(found) == repr(VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_python_reads_what_is_written(name: str) -> None:
    found = session(value=VALUES[name]).run("pickle.dumps(value)")
    assert repr(pickle.loads(found)) == repr(VALUES[name])


@pytest.mark.parametrize("encoding", ["bytes", "latin1"])
def test_arrays_of_python_2(encoding: str) -> None:
    found = session(data=CIFAR).run(f"pickle.loads(data, encoding='{encoding}')")
    assert repr(found) == repr(pickle.loads(CIFAR, encoding=encoding))


def test_arrays_of_python_2_need_an_encoding() -> None:
    with pytest.raises(UnicodeDecodeError, match="'ascii' codec can't decode byte 0xfe in position 2"):
        session(data=CIFAR).run("pickle.loads(data)")


def test_several_values_in_a_file() -> None:
    file = io.BytesIO(b"".join(pickle.dumps(each) for each in (1, "two", [3])))
    assert session(data=file.getvalue()).run(
        "f = io.BytesIO(data); [pickle.load(f), pickle.load(f), pickle.load(f)]"
    ) == [
        1,
        "two",
        [3],
    ]


REFUSED = {
    "a call": b"cos\nsystem\n(S'true'\ntR.",
    "an import": b"cbuiltins\n__import__\n(S'os'\ntR.",
    "an attribute": b"cbuiltins\ngetattr\n(cbuiltins\nint\nS'real'\ntR.",
    "a class of the library": b"ctorch\nTensor\n)\x81.",
    "an instance": b"(itensorsh.session\nSession\n.",
    "a member of a range": b"c__builtin__\nset\nc__builtin__\nxrange\nJ\xff\xff\xff\x7f\x85R\x85R.",
    "a text of an object": b"c__builtin__\nstr\nc__builtin__\nslice\nN\x85R\x85R.",
    "a text of what has no end": b"]q\x00" + b"(h\x00h\x00lq\x00" * 60 + b"0c__builtin__\nstr\n(h\x00tR.",
    "an array that has no end": b"cnumpy.core.numeric\n_frombuffer\n(C\x00cnumpy\ndtype\n(VS0\ntR(L1099511627776\nttR.",
    "a state of the library's": b"c__builtin__\nslice\nN\x85R}S'x'\nI1\nsb.",
    "a persistent key": b"I1\nQ.",
    "an extension": b"\x82\x01.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_plain_data_is_refused(name: str) -> None:
    with pytest.raises(pickle.UnpicklingError):
        session(data=REFUSED[name]).run("pickle.loads(data)")


def test_damaged_bytes_give_an_error_or_a_value() -> None:
    made, chosen = session(), random.Random(4)
    whole = [made.run("pickle.dumps([torch.ones(2), {'a': (1, 'b')}, {2}])")]
    whole += [pickle.dumps(value, protocol) for value in VALUES.values() for protocol in range(6)]
    for _ in range(3000):
        data = bytearray(chosen.choice(whole))
        for _ in range(chosen.randint(1, 4)):
            place = chosen.randrange(len(data))
            data[place : place + chosen.randint(0, 2)] = bytes([chosen.randrange(256)])
        made["data"] = bytes(data)
        try:
            made.run("pickle.loads(data)")
        except (pickle.UnpicklingError, EOFError, UnicodeDecodeError):
            pass
        except RuntimeError as error:  # of what torch.save has written within
            assert str(error).startswith("PytorchStreamReader failed")


INERT = (
    "numpy\nndarray", "numpy\ndtype", "torch._utils\n_rebuild_tensor_v2", "torch.storage\n_load_from_bytes", "torch\ndevice",
    "torch\nFloatStorage", "torch\nSize", "builtins\nset", "collections\nCounter", "collections\ndefaultdict",
)  # fmt: skip


@pytest.mark.parametrize("name", INERT)
def test_what_a_file_calls_is_no_value_of_a_program(name: str) -> None:
    made = session(data=f"c{name}\n.".encode())
    assert made.run("found = pickle.loads(data); (callable(found), [n for n in dir(found) if n[0] != '_'])") == (
        False,
        [],
    )
    for change in ("found.kind = 1", "found.dtype = 'int8'", "found._made = 1", "class X(type(found)): pass"):
        with pytest.raises((AttributeError, TypeError)):
            made.run(change)
    if name != "builtins\nset":  # what is missing is made by a plain container alone
        made["data"] = f"ccollections\ndefaultdict\nc{name}\n\x85R.".encode("latin1")
        with pytest.raises(pickle.UnpicklingError):
            made.run("pickle.loads(data)")


def test_functions_of_the_engines_own_have_no_name() -> None:
    with pytest.raises(pickle.UnpicklingError, match="torch._index_erase"):
        session(data=b"ctorch\n_index_erase\n.").run("pickle.loads(data)")
    assert session(data=b"ctorch\nadd\n.").run("pickle.loads(data) is torch.add")


NESTING = {"tuple": b"(]h\x00atR", "frozenset": b"(]h\x00atR", "slice": b"(NNh\x00tR"}


@pytest.mark.parametrize("kind", NESTING)
def test_nesting_by_calls_has_a_bound(kind: str) -> None:
    step = f"cbuiltins\n{kind}\n".encode() + NESTING[kind] + b"q\x00"
    made = session(data=b"Nq\x00" + step * 400 + b"0}K\x01h\x00s.")
    made.run("pickle.loads(data)")
    made["data"] = b"Nq\x00" + step * 100_000 + b"0}K\x01h\x00s."
    with pytest.raises(pickle.UnpicklingError, match="nested too deep"):
        made.run("pickle.loads(data)")


LYING = """
class Lying(bytes):
    def __bytes__(self): return self
    def __len__(self): return 1 << 60
    def __getitem__(self, index): raise RuntimeError("asked")
class File(io.BytesIO):
    def read(self, *size): return Lying(super().read(*size))
file = io.BytesIO()
torch.save([1, 2], file)
"""


@pytest.mark.parametrize(
    "call", ["pickle.loads(Lying(pickle.dumps([1, 2])))", "pickle.load(File(pickle.dumps([1, 2])))",
             "torch.load(File(file.getvalue()))", "[*gzip.decompress(Lying(gzip.compress(Lying(b'\\1\\2'))))]"],
)  # fmt: skip
def test_bytes_of_a_programs_own_class_are_not_asked(call: str) -> None:
    made = session()
    made.run("import gzip" + LYING)
    assert made.run(call) == [1, 2]


def test_text_that_is_none_is_nowhere_left() -> None:
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntVb\ntRq\x02"
    state = b"(I1\n(I4\ntcnumpy\ndtype\n(VU1\ntRI00\nC\x10" + b"\xff\xff\xff\x7f" * 4 + b"t"
    data = b"c__main__\nKey\n)\x81q\x01}(Va\n" + array + b"ub0}h\x01K\x01s0h\x02" + state + b"b."
    made = session(data=data)
    made.run("""
seen = []
class Key:
    def __hash__(self):
        seen.append(self.a)
        return 1
""")
    with pytest.raises(pickle.UnpicklingError, match="text that is not made of characters"):
        made.run("pickle.loads(data)")
    assert made.run("(str(seen[0].dtype), seen[0].size)") == ("int8", 0)


def test_what_the_library_keeps_is_not_written() -> None:
    found = session().run("""
from tqdm import tqdm
class Bar(tqdm):
    pass
bar = Bar([1, 2])
bar.mine = 3
pickle.dumps(bar)
""")
    texts = [value for _, value, _ in pickletools.genops(found) if isinstance(value, str)]
    assert "mine" in texts and not [text for text in texts if text[:1] == "_" and text[:8] != "__main__"]
