"""`copy.deepcopy`: what a program sees of the memo, and what it can put into it."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tensorsh import Permissions, Session
from tensorsh.sandbox import kinds, sealed

SPY = """
import copy, argparse, io, logging, numpy as np, torch, torch.multiprocessing as mp
got = []
class Spy:
    def __deepcopy__(self, memo):
        got.extend(memo.values())
        for key in list(memo.keys()) + [id(memo), "own"]: got.append(memo.get(key))
        return self
class Memo(dict):
    def get(self, key, default=None):
        got.append(default)
        return dict.get(self, key, default)
    def __setitem__(self, key, value): got.append(value)
    setdefault = __getitem__ = get
parser = argparse.ArgumentParser()
"""
LIBRARY = [
    "np.random.default_rng(0)", "np.random.RandomState(3)", "np.random.PCG64()", "np.errstate()", "np.finfo('f4')", "np.add",
    "parser", "parser.add_argument_group('x')", "parser.add_subparsers()", "logging.getLogger('x')", "logging.StreamHandler()",
    "mp.Queue()", "mp.SimpleQueue()", "mp.Event()", "mp.Process(target=print)", "torch.optim.SGD([torch.ones(1)], 0.1)",
    "iter(torch.utils.data.DataLoader([1]))", "torch.Generator()", "torch.no_grad()", "(torch.ones(1).requires_grad_() * 1).grad_fn",
    "torch.distributions.Normal(0., 1.)", "torch.futures.Future()", "torch.profiler.profile()", "np.ndenumerate(np.ones(2))",
]  # fmt: skip


def is_open(value: Any) -> bool:
    """Whether a program may hold a value: plain, a tensor or module, of its own class."""
    kind = type(value)
    home = kind.__module__
    return value is None or home in ("torch", "torch.storage", "__main__") or home.startswith("torch.nn.")


@pytest.mark.parametrize("made", LIBRARY)
def test_a_memo_shows_nothing_of_the_librarys(made: str) -> None:
    session = Session()
    session.run(SPY + f"x = {made}")
    session.run("try: copy.deepcopy([x, Spy(), x, Spy()])\nexcept (TypeError, RuntimeError, AttributeError): pass")
    session.run("try: copy.deepcopy([x, Spy()], Memo())\nexcept (TypeError, RuntimeError, AttributeError): pass")
    session.run("m = {}\ntry: copy.deepcopy([x, Spy()], m)\nexcept (TypeError, RuntimeError, AttributeError): pass")
    found = [*session.variables["got"], *session.variables["m"].values()]
    assert [type(value) for value in found if not is_open(value) and type(value).__name__ != "Memo"] == []


def test_a_file_is_not_copied(tmp_path: Path) -> None:
    session = Session(permissions=Permissions(write=[str(tmp_path / "a.txt")]))
    session.run(
        f"import copy\nf = open({str(tmp_path / 'a.txt')!r}, 'w')\nb = open({str(tmp_path / 'a.txt')!r}, 'wb')\n"
        "class Memo(dict):\n"
        "    def __setitem__(self, key, value):\n"
        f"        if isinstance(value, dict) and '_path' in value: value['_path'] = {str(tmp_path / 'b.txt')!r}\n"
        "        dict.__setitem__(self, key, value)\n"
    )
    for program in ("copy.deepcopy(f, Memo())", "copy.deepcopy(b, Memo())", "copy.copy(f)", "f.__deepcopy__({})"):
        with pytest.raises(TypeError, match="cannot pickle"):
            session.run(program)
    session.run("f.close(); b.close()")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("value", ["'text'", "torch.ones(1).numpy()", "[1]", "type('x')", "print", "Text('evil')"])
def test_nothing_is_exchanged_by_a_memo(value: str) -> None:
    """An entry stands for the object that is copied, for itself, or is a tensor, a module, an object of the program."""
    session = Session()
    session.run(
        f"import copy, torch\nclass Text(str): pass\nclass A:\n    def __deepcopy__(self, memo): memo[5] = {value}"
    )
    for program in (
        "copy.deepcopy(A())",
        f"copy.deepcopy([1], {{5: {value}}})",
        f"torch.ones(1).__deepcopy__({{5: {value}}})",
    ):
        with pytest.raises(TypeError, match="a memo of deepcopy takes"):
            session.run(program)


def test_programs_copy_as_in_python() -> None:
    session = Session()
    session.run(
        "import copy, logging, torch\nfrom torch import nn\n"
        "class A:\n"
        "    def __init__(self): self.x = torch.ones(2); self.list = [1, self.x]; self.me = self\n"
        "    def __deepcopy__(self, memo):\n"
        "        if id(self) in memo: return memo[id(self)]\n"
        "        new = memo[id(self)] = type(self).__new__(type(self))\n"
        "        for k, v in self.__dict__.items(): setattr(new, k, copy.deepcopy(v, memo))\n"
        "        return new\n"
        "class D(dict):\n"
        "    def __deepcopy__(self, memo):\n"
        "        new = memo[id(self)] = D()\n"
        "        for k, v in self.items(): new[k] = copy.deepcopy(v, memo)\n"
        "        return new\n"
        "class L(nn.Linear):\n"
        "    def __deepcopy__(self, memo):\n"
        "        new = memo[id(self)] = L(2, 2)\n"
        "        new.weight = copy.deepcopy(self.weight, memo)\n"
        "        return new\n"
        "a = A(); b = copy.deepcopy([a, a])\n"
        "d = D(a=[1]); d['me'] = d; e = copy.deepcopy(d)\n"
        "l = L(2, 2); k = copy.deepcopy(nn.ModuleList([l, l]))\n"
        "m = nn.Sequential(nn.Linear(2, 2)); memo = {}; n = copy.deepcopy(m, memo); w = m[0].weight"
    )
    assert session.run("b[0] is b[1], b[0].me is b[0], b[0].list[1] is b[0].x, b[0].x is a.x") == (
        True,
        True,
        True,
        False,
    )
    assert session.run("e['me'] is e, e['a'] is d['a'], k[0] is k[1], k[0].weight is l.weight") == (
        True,
        False,
        True,
        False,
    )
    assert session.run(
        "memo[id(w)] is n[0].weight, copy.deepcopy(m, memo) is n, copy.deepcopy(m[0], memo) is n[0]"
    ) == (
        True,
        True,
        True,
    )
    assert session.run(
        "copy.deepcopy(m, {id(w): w})[0].weight is w, copy.deepcopy(logging.getLogger()) is logging.getLogger()"
    )
    session.run("x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2)")
    with pytest.raises(TypeError, match="the copy of a gradient must be a Tensor"):
        session.run("copy.deepcopy(x, {id(x.grad): a})")


def test_classes_without_heirs_say_how_they_are_copied() -> None:
    Session().run("import argparse, logging, inspect, warnings, numpy")
    for cls in sealed.classes():
        if isinstance(cls, kinds.Final):
            assert isinstance(cls.__deepcopy__, FunctionType), cls


STATES = """
import copy, io
import numpy as np
class Descent(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})
    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("nesterov", True)
class Point:
    def __setstate__(self, state):
        states.append(state)
        self.x = state["x"]
class Number(int):
    def __setstate__(self, state): states.append(state)
class Linear(torch.nn.Linear):
    def __setstate__(self, state): states.append(state)
states = []
there = {"data": (4096, False), "shape": (4,), "typestr": "<i8", "version": 3}
"""


def test_a_program_gives_its_objects_their_state() -> None:
    session = Session()
    session.run(STATES)
    session.run("first = Descent([torch.nn.Parameter(torch.ones(2))]); other = copy.deepcopy(first)")
    assert session.run("first.param_groups[0].keys() ^ other.param_groups[0].keys()") == {"nesterov"}
    session.run("first.load_state_dict(first.state_dict())")
    assert session.run("first.param_groups[0]['nesterov']") is True
    session.run("p = Point(); p.x, p._y = [1], 2; q = copy.copy(p)")
    assert session.run("states[-1], vars(q)") == ({"x": [1], "_y": 2}, {"x": [1]})
    assert session.run("f = io.BytesIO(); torch.save(p, f); f.seek(0); torch.load(f, weights_only=False).x") == [1]


@pytest.mark.parametrize(
    "program",
    [
        "super(Descent, Descent([torch.ones(1)])).__setstate__({'__array_interface__': there})",
        "torch.optim.Optimizer.__setstate__",
        "torch.optim.SGD.__setstate__(torch.nn.Linear(1, 1), {'_parameters': 1})",
        "torch.nn.Linear(1, 1).__setstate__",
        "super(Linear, Linear(1, 1)).__setstate__",
        "torch.amp.GradScaler('cpu').__setstate__",
        "type('A', (torch.nn.Linear,), {})(1, 1).__setstate__({'_parameters': {}})",
        "Point.__setstate__ = dict.update",
        "n = Number(5); n.x = 1; copy.copy(n); states[-1]['__array_interface__'] = there; assert n + 0 == np.asarray(n); 1 / 0",
        "p = Point(); p.x = 1; copy.copy(p); states[-1]['__array_interface__'] = there; np.asarray(p)",
    ],
)
def test_no_state_reaches_what_the_library_keeps(program: str) -> None:
    session = Session()
    session.run(STATES)
    with pytest.raises((AttributeError, KeyError, TypeError, ZeroDivisionError)):
        session.run(program)


OTHER = """
import collections, copy, enum, logging, struct, torch
instead = []
class X:
    def __new__(cls, *a): return instead[0] if instead else object.__new__(cls)
class Y(X): __slots__ = ("level", "_journal", "_array")
class Layer(torch.nn.Module):
    def __new__(cls, *a): return instead[0] if instead else super().__new__(cls)
class Normal(torch.distributions.Normal):
    def __new__(cls, *a): return instead[0] if instead else super().__new__(cls)
x, y, layer, normal = X(), Y(), Layer(), Normal(0.0, 1.0)
for each in (x, y, layer, normal): each.level = 99
relu = torch.relu
x.relu = 5
"""


@pytest.mark.parametrize(
    "made", ["torch", "torch.nn", "logging.getLogger('a')", "torch.nn.Linear(1, 1)", "torch.relu", "torch.Generator()"]
)
def test_what_a_class_makes_instead_of_its_copy_is_not_filled(made: str) -> None:
    session = Session()
    session.run(OTHER)
    before = session.run(f"other = {made}; (getattr(other, 'level', 0), getattr(other, 'relu', 0))")
    session.run("instead.append(other)")
    for call in (
        "copy.copy(x)", "copy.copy(y)", "copy.deepcopy(x)", "copy.deepcopy([y])", "copy.deepcopy(layer)", "copy.copy(layer)",
        "normal.expand([2])", "copy.deepcopy(normal)",
    ):  # fmt: skip
        with pytest.raises(TypeError, match="a copy of|should have made|expected"):
            session.run(call)
    assert session.run("getattr(other, 'level', 0), getattr(other, 'relu', 0)") == before
    assert session.run("instead.clear(); copy.copy(x).relu, copy.deepcopy(y).level, copy.deepcopy(layer).level") == (
        5,
        99,
        99,
    )


def test_a_member_of_an_enumeration_is_made_by_it() -> None:
    session = Session()
    session.run(OTHER + "layer = torch.nn.Linear(1, 1)")
    for bases in ("enum.Enum", "N, enum.Enum"):
        text = f"class N:\n    def __new__(cls, *a): return layer\nclass E({bases}):\n    __new__ = N.__new__\n    A = (3, 4)"
        with pytest.raises(TypeError, match="should have made"):
            session.run(text)
    assert session.run("layer.in_features, hasattr(layer, '_value_')") == (1, False)
    session.run(
        "class M(int):\n    def __new__(cls, v): return int.__new__(cls, 2 * v)\nclass F(M, enum.Enum):\n    A = 1"
    )
    assert session.run("F.A.value, F(2) is F.A") == (2, True)


def test_a_method_is_not_copied_to_an_object_of_another_class() -> None:
    session = Session()
    session.run(
        OTHER + "class D(dict):\n    def __deepcopy__(self, memo): return other\n    def own(self): return self\n"
        "class S(logging.StreamHandler):\n    def __deepcopy__(self, memo): return other\nother = struct.Struct('I')\nd = D()"
    )
    assert session.run(
        "copy.deepcopy(d.__init__).__eq__(d.__init__), copy.deepcopy(d.__len__)(), copy.copy(d.__len__)()"
    ) == (True, 0, 0)
    assert session.run("copy.deepcopy(d.own)() is other") is True
    for call in ("copy.deepcopy(S().__init__)", "copy.deepcopy([S().setLevel])"):
        with pytest.raises(TypeError, match="a copy of"):
            session.run(call)
    assert session.run("h = logging.StreamHandler(); copy.deepcopy(h.setLevel)(30)") is None


def test_a_dataclass_gives_state_to_its_own_objects() -> None:
    session = Session()
    session.run(
        "import copy, dataclasses\n@dataclasses.dataclass(frozen=True, slots=True)\nclass D:\n    x: int\n"
        "@dataclasses.dataclass\nclass E:\n    x: int\nd, e = D(1), E(1)\nD.__setstate__(d, [5])"
    )
    assert session.run("d.x, copy.copy(d).x, copy.deepcopy(d).x") == (5, 5, 5)
    with pytest.raises(TypeError, match="requires a 'D' object"):
        session.run("D.__setstate__(e, [9])")
