"""What two sessions can both reach is unchangeable, or changes for nobody else."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.sandbox import classes, gate, sealed
from tensorsh.sandbox.stores import own

from .crawl import Known, children, key_of, why_not

CONTAINERS = (dict, list, set, bytearray, deque, np.ndarray, OrderedDict)

ATOMS = (int, float, complex, str, bytes, type(None), np.generic)
Path = tuple[str, ...]


def roots(session: Session) -> dict[str, Any]:
    environment = session._environment
    found = {name: value for name, value in environment.builtins.items() if name[0] != "<"}
    return found | {f"module {name}": environment.module(name) for name in environment.modules}


def everything(session: Session, depth: int) -> list[tuple[Path, Any]]:
    """All that a fresh session leads to."""
    level: list[tuple[Path, Any]] = [((name,), value) for name, value in roots(session).items()]
    found: dict[int, tuple[Path, Any]] = {}
    visited: dict[Any, Any] = {}
    known: Known = {}
    for _ in range(depth + 1):
        following = []
        for path, value in level:
            if isinstance(value, type) or not isinstance(value, ATOMS):
                found.setdefault(id(value), (path, value))
            key = key_of(value)
            if key in visited or why_not(value) is not None:
                continue
            visited[key] = value
            for step, entry in children(value, known):
                # What is made anew for each who asks is nobody else's.
                if not isinstance(entry, CONTAINERS) or step[0] != "." or gate.get_attribute(value, step[1:]) is entry:
                    following.append(((*path, step), entry))
        level = following
    return [*found.values()]


def reached(session: Session, path: Path) -> Any:
    """What the same steps lead to in another session."""
    value = roots(session)[path[0]]
    for step in path[1:]:
        value = gate.get_attribute(value, step[1:], None) if step[0] == "." else dict(children(value)).get(step)
    return value


def changeable(value: Any) -> bool:
    """Whether a program's plain store or item assignment would succeed."""
    if isinstance(value, CONTAINERS):
        return True
    if isinstance(value, type):
        return False  # test_sealed.py
    try:
        own(value)
        value.mark = 1
    except (AttributeError, TypeError, NotImplementedError, RuntimeError):
        return False
    del value.mark
    return True


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_is_shared_can_be_changed() -> None:
    first, second = Session(), Session()
    found = first._settings.run(everything, first, 2)
    assert len(found) > 3000
    open_to_change = [(path, value) for path, value in found if changeable(value)]
    assert open_to_change  # what is the session's own
    shared = [path for path, value in open_to_change if second._settings.run(reached, second, path) is value]
    assert shared == []


def test_lists_and_tables_of_the_library_s_classes_are_copies() -> None:
    session = Session()
    session.run(
        "import torch, tensorsh\ntensorsh.datasets.CIFAR10, torch.distributed.Backend, torch.distributions.Normal"
    )
    kept = [
        (cls, n) for cls in sealed.classes() for n, v in vars(cls).items() if n[0] != "_" and isinstance(v, CONTAINERS)
    ]
    assert kept == []
    change = "tensorsh.datasets.CIFAR10.train_list[:] = ['../other']\ntorch.distributed.Backend.default_device_backend_map.clear()"
    session.run(
        f"import torch, tensorsh\n{change}\ntorch.autograd.forward_ad.UnpackedDualTensor._field_defaults['x'] = 1"
    )
    assert Session().run("import tensorsh\ntensorsh.datasets.CIFAR10.train_list[0]") == "data_batch_1"
    assert Session().run("torch.distributed.Backend.default_device_backend_map['cpu']") == "gloo"
    assert Session().run("torch.autograd.forward_ad.UnpackedDualTensor._field_defaults") == {}


SHARED = "torch.relu collections.Counter re.I torch.nn.init.normal_ textwrap.dedent dataclasses.MISSING torch.ops.aten.add".split()


@pytest.mark.parametrize("store", ["logging.Handler.setFormatter({}, 5)", "{}.formatter = 5"])
def test_what_methods_of_the_library_store_in_shared_objects_is_undone(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "_made_classes", False)
    asks = ", ".join(f"getattr({name}, 'formatter', None)" for name in SHARED)
    begin = "import collections, dataclasses, logging, re, textwrap\n"
    first = Session()
    for name in SHARED:
        try:
            first.run(begin + store.format(name))
        except (AttributeError, TypeError):
            continue
    assert 5 not in Session().run(begin + asks)


def test_what_lies_of_what_it_is_equal_to_is_in_no_cache_of_others() -> None:
    liar, other = Session(), Session()
    liar.run(
        """
import struct, typing
class Text(str):
    like = "ij->i"
    unit = 1
    def __hash__(self): return hash(self.like)
    def __eq__(self, other): return 1 / self.unit == 1
class Anything:
    def __hash__(self): return hash(int)
    def __eq__(self, other): return True
    def __call__(self): ...
text = Text("ij->ji")
torch.einsum(text, torch.arange(6.0).reshape(2, 3))
text = Text("i")
text.like = "@3d"
struct.calcsize(text)
typing.List[Anything()], typing.Optional[typing.Literal[Anything()]]
import datetime, re
class Flags(int):
    like = 0
    def __hash__(self): return hash(self.like)
    def __eq__(self, other): return other == self.like
    def __and__(self, other): return Flags(int(self) & int(other))
    def __or__(self, other): return Flags(int(self) | int(other))
    def __invert__(self): return Flags(~int(self))
    __rand__, __ror__ = __and__, __or__
re.compile("abcd", Flags(2))
class Name(str):
    def __hash__(self): return 1
try: re.compile("abcd", **{Name("flags"): Flags(2)})
except TypeError: pass
Flags.like = 10
re.RegexFlag(Flags(18))
re.I | Flags(16)
Text.like = "%Y-%m"
datetime.datetime.strptime("2020", Text("%Y"))
Text.like = "dim"
torch.logcumsumexp(torch.ones(2, 3), **{Text("dim"): 0})
Text.unit = 0
"""
    )
    assert other.run("import re\nre.compile('abcd').flags, re.I | re.M, re.RegexFlag(10)") == (32, 10, 10)
    assert other.run("import datetime\nstr(datetime.datetime.strptime('2020-12', '%Y-%m'))") == "2020-12-01 00:00:00"
    assert other.run("torch.logcumsumexp(torch.zeros(1, 3), dim=0).tolist()") == [[0.0, 0.0, 0.0]]
    assert other.run('torch.einsum("ij->i", torch.arange(6.0).reshape(2, 3)).tolist()') == [3.0, 12.0]
    assert other.run("import struct, typing\nrepr(typing.List[int]), struct.calcsize('@3d')") == (
        "typing.List[int]",
        24,
    )
