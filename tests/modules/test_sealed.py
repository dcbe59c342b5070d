"""What a program cannot change: library classes and functions, for itself and for every other session."""

from __future__ import annotations

import collections
import json
import random
import typing
from typing import Any

import pytest

from tensorsh import Session, torch
from tensorsh.sandbox.sealed import is_sealed

REFUSED = (
    """
torch.Tensor.add = 1
setattr(torch.Tensor, "add", 1)
del torch.Tensor.add
delattr(torch.nn.Linear, "forward")
torch.nn.Linear.forward = lambda self, x: 0
nn.Module.__call__ = lambda self: 0
L = nn.Linear; L.forward = 1
type(nn.Linear(2, 2)).forward = 1
nn.Linear(2, 2).__class__.forward = 1
for torch.nn.Linear.forward in [1]: pass
[0 for torch.nn.Linear.forward in [1]]
with torch.no_grad() as torch.nn.Linear.forward: pass
torch.nn.Linear.forward: int = 1
torch.nn.Linear.forward += 1
(torch.nn.Linear.forward, y) = 1, 2
torch.no_grad()(nn.Linear)
torch.optim.SGD.step = 1
torch.optim.lr_scheduler.StepLR.step = 1
torch.autograd.Function.apply = 1
torch.utils.data.Dataset.__len__ = lambda self: 0
torch.utils.data.DataLoader.x = 1
torch.utils.data.Sampler.x = 1
torch.Size.numel = lambda self: 0
torch.dtype.x = 1
torch.device.x = 1
torch.finfo.x = 1
torch.Generator.seed = 1
torch.no_grad.x = 1
torch.FloatTensor.x = 1
torch.nn.Parameter.x = 1
kind = type(ones(1, requires_grad=True).exp().grad_fn); kind.name = 1
kind = type(ones(2).max(0)); kind.values = 1
torch.relu.x = 1
torch.float32.name = "x"
torch.float32.itemsize = 3
torch.contiguous_format.name = "x"
torch.strided.x = 1
d = ones(1).device; d.type = "cuda"
del torch.float32.name
torch.exp = 1
torch.nn.functional.relu = 1
import collections; collections.Counter.update = 1
from collections import ChainMap; ChainMap.get = 1
import typing; typing.Counter.update = 1
import json; json.JSONEncoder.encode = 1
import math; math.pi = 3
np.pi = 3
np.poly1d.x = 1
import random; random.random = 1
vars(nn.Linear)["forward"] = 1
nn.Linear.__dict__["forward"] = 1
object.__setattr__(nn.Linear, "forward", 1)
type.__setattr__(nn.Linear, "forward", 1)
def method(self): self.forward = 1
method(nn.Linear)
class A: [A0 := nn.Linear]; A0.forward = 1
""".strip()
    .replace("method(self): self.forward = 1\nmethod", "method(self): self.forward = 1;\nmethod")
    .split("\n")
)
REFUSED = [line for line in REFUSED if not line.startswith(("def method", "method"))]
REFUSED.append("def method(self): self.forward = 1\nmethod(nn.Linear)")


@pytest.mark.parametrize("source", REFUSED)
def test_refused(source: str) -> None:
    with pytest.raises((TypeError, AttributeError, SyntaxError)):
        Session().run(source)
    assert callable(torch.nn.Linear.forward) and callable(torch.Tensor.add)
    assert "x" not in vars(torch.relu)


def test_a_program_may_change_what_it_derives() -> None:
    session = Session()
    got = session.run("""
import abc
class Base(nn.Module, abc.ABC):
    count = 0
    registry = []
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.known = True
        Base.registry.append(cls.__name__)
    @classmethod
    def more(cls): cls.count += 1
    @abc.abstractmethod
    def forward(self, x): ...
class Net(Base):
    def __init__(self):
        super().__init__()
        Net.count += 1
        self.layer = nn.Linear(2, 2)
    def forward(self, x): return self.layer(x)
class T(torch.Tensor): pass
T.mark = 1
class D(torch.utils.data.Dataset): pass
D.mark = 1
class F(torch.autograd.Function): pass
F.mark = 1
net = Net(); Net.more(); Net.twice = lambda self: 2
net.note = 3; nn.Linear(1, 1).note = 4
(Net.count, Net.known, Base.registry, net.twice(), net.note, isinstance(net, Base), T.mark + D.mark + F.mark)
""")
    assert got == (2, True, ["Net"], 2, 3, True, 3)
    with pytest.raises(TypeError, match="abstract"):
        session.run("Base()")


FUNCTIONS = (
    "torch.relu np.sum np.linalg.norm nn.Linear.forward torch.Tensor.add getattr re.I dataclasses.dataclass".split()
)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("store", ["f = {}; f.mark = 1", "setattr({}, 'mark', 1)", "def g(f): f.mark = 1\ng({})",
     "for {}.mark in [1]: pass", "class A:\n    @staticmethod\n    def g(f): f.mark = 1\nA.g({})",
     "nn.Module.__setattr__({}, 'mark', 1)", "f = {}; f._mark = 1", "f = {}; f.__doc__ = 'x'"])  # fmt: skip
def test_functions_take_no_attributes(name: str, store: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        Session().run("import re, dataclasses\n" + store.format(name))


def test_what_is_changed_by_a_detour_is_restored() -> None:
    before = collections.Counter.update, json.JSONEncoder.default
    session = Session()
    session.run(f"""
import collections, dataclasses, json, re
class Change:
    def note(self): self.note = 1
    def replace(self): self.update = self.default = lambda *a: None
Change.replace(collections.Counter); Change.replace(json.JSONEncoder); Change.note(collections.Counter)
for each in ({", ".join(FUNCTIONS)}): Change.note(each)
""")
    assert (collections.Counter.update, json.JSONEncoder.default) == before
    assert not hasattr(collections.Counter, "note")
    noted = f"import re, dataclasses\n[f for f in ({', '.join(FUNCTIONS)}) if hasattr(f, 'note')]"
    assert session.run(noted) == Session().run(noted) == []


def test_plain_python_may_change_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.nn.Linear, "note", 1, raising=False)
    assert torch.nn.Linear.note == 1


def classes(value: Any, seen: set[int], depth: int = 0) -> Any:
    for name in dir(value):
        try:
            found = getattr(value, name)
        except (AttributeError, RuntimeError, ImportError):
            continue
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, type):
            yield found
        elif type(found) is type(torch):
            yield from classes(found, seen, depth + 1)


def test_every_class_below_torch_is_sealed() -> None:
    open_classes = []
    for kind in classes(torch, set()):
        home = getattr(kind, "__module__", "")
        if not kind.__flags__ & 1 << 9 or home.partition(".")[0] not in ("torch", "tensorsh"):
            continue
        if not is_sealed(kind):
            open_classes.append(f"{home}.{kind.__name__}")
    assert open_classes == []


def test_a_context_keeps_private_names_of_the_program() -> None:
    got = Session().run("""
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx._by = 3
        return x * ctx._by
    @staticmethod
    def backward(ctx, g):
        return g * ctx._by
x = ones(2, requires_grad=True)
Scale.apply(x).sum().backward()
x.grad.tolist()
""")
    assert got == [3.0, 3.0]
    for name in ("_operator", "__dict__", "__class__"):
        with pytest.raises((AttributeError, SyntaxError)):
            Session().run(
                "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
                f"        ctx.{name} = 1\n        return x * 1\nF.apply(ones(1, requires_grad=True))"
            )


def test_library_code_that_a_program_calls_changes_no_class() -> None:
    library: dict = {}
    exec("def put(owner, name, value): setattr(owner, name, value)", {"__name__": "library"}, library)
    session = Session()
    session.variables["put"] = library["put"]
    for owner in ("torch.Tensor", "torch.Size", "nn.Module"):
        with pytest.raises(TypeError, match="of immutable type"):
            session.run(f"put({owner}, 'add', 3)")
    assert session.run("torch.ones(2).add(1).tolist()") == [2, 2]


@pytest.mark.parametrize(
    "call",
    [
        "typing.Protocol.__init_subclass__()",
        "getattr(typing.Protocol, '__init_subclass__')()",
        "super(typing.Generic, typing.Protocol).__init_subclass__()",
    ],
)
def test_a_class_of_the_library_is_not_told_that_it_is_derived(call: str) -> None:
    before = [dict(vars(kind)) for kind in (typing.Protocol, typing.Generic)]
    with pytest.raises(AttributeError, match="__init_subclass__"):
        Session().run("import typing\n" + call)
    assert [dict(vars(kind)) for kind in (typing.Protocol, typing.Generic)] == before


LAST = """
torch.float32=torch.dtype torch.device('cpu')=torch.device torch.strided=torch.layout torch.contiguous_format=torch.memory_format
torch.finfo()=torch.finfo torch.iinfo(torch.int32)=torch.iinfo torch.per_tensor_affine=torch.qscheme torch.Size()=torch.Size
node=ExpBackward0 node.next_functions[0][0]=AccumulateGrad
"""


@pytest.mark.parametrize("case", LAST.split())
def test_no_class_is_derived_from_those_whose_objects_are_believed(case: str) -> None:
    value, _, title = case.rpartition("=")
    start = "import torch\nnode = torch.ones(1, requires_grad=True).exp().grad_fn\n"
    with pytest.raises(TypeError, match=f"type '{title}' is not an acceptable base type"):
        Session().run(f"{start}class A(type({value})): pass")
    with pytest.raises(TypeError, match=f"type '{title}' is not an acceptable base type"):
        Session().run(f"{start}type('A', (type({value}),), {{}})")


def test_objects_of_a_program_s_classes_are_made_by_the_library_s() -> None:
    program = """
import enum, torch
made = []
class A(torch.nn.Module):
    def __init_subclass__(cls): made.append(cls())
    def __init__(self): torch.nn.Module.__init__(self); self.layer = torch.nn.Identity()
class B(A): pass
class C(B):
    def __init__(self): super().__init__(); super(A, self).__init__()
class E(enum.Enum):
    ONE = 1
    def __init__(self, value): super().__init__(); enum.Enum.__init__(self); made.append(value)
made
"""
    b, c, one = Session().run(program)
    assert repr(b) == "B(\n  (layer): Identity()\n)" and repr(c) == "C()" and one == 1


def test_a_program_s_classes_are_told_through_super() -> None:
    program = (
        "import typing\nmade = []\nclass A(typing.Protocol):\n    def __init_subclass__(cls, **named):\n"
        "        super().__init_subclass__(**named); made.append(cls.__name__)\n"
        "class B(A): ...\nB.__init_subclass__()\nobject.__init_subclass__()\nmade"
    )
    assert Session().run(program) == ["B", "B"]


def test_classes_of_python_are_not_marked() -> None:
    program = (
        "import typing, random\ntyping.runtime_checkable(typing.Protocol)\ntyping.final(random.Random)\n"
        "@typing.runtime_checkable\nclass P(typing.Protocol):\n    def f(self): ...\n"
        "@typing.final\nclass A:\n    def f(self): return 1\nisinstance(A(), P), isinstance(1, P)"
    )
    assert Session().run(program) == (True, False)
    assert not getattr(typing.Protocol, "_is_runtime_protocol", False)
    assert not getattr(random.Random, "__final__", False)


def test_functions_of_the_library_serve_every_class_of_a_program() -> None:
    program = (
        "import functools\nf = nn.functional.normalize\nclass A: _f = __call__ = f\nclass B(nn.Module): f = _f = f\n"
        "made = [C._f(ones(1, 1)).item() for C in (A, B)] + [B.f(ones(1, 1)).item()]\nfor _ in range(2):\n"
        "  @functools.total_ordering\n  class D:\n    def __lt__(self, other): return True\n"
        "  made.append(D.__gt__(D(), D()))\nmade"
    )
    assert Session().run(program) == [1.0, 1.0, 1.0, False, False]
    assert "_guard" not in vars(torch.nn.functional.normalize)


MARKED = """typing.Literal dataclasses.KW_ONLY np.exceptions.AxisError np.linalg.LinAlgError
fractions.Fraction.conjugate torch.autograd.Function.forward torch.distributed.ProcessGroup.barrier torch.Tensor.add_
torch.Size.numel torch.Generator.seed nn.Transformer.generate_square_subsequent_mask"""


def test_what_a_method_marks_in_the_library_is_not_seen_by_another_session() -> None:
    # From 3.12 on nobody can list the attributes of a TypeVar (typing.AnyStr): its marks stay.
    start = f"import dataclasses, fractions, typing\nfound = [{', '.join(MARKED.split())}]\n"
    mark = "class A:\n  def mark(self): self.mark = 1\nfor each in found: A.mark(each)\n"
    count = "[hasattr(each, 'mark') for each in found].count(True)"
    session = Session()
    assert session.run(start + mark + count) == 11
    assert session.run(count) == Session().run(start + count) == 0
