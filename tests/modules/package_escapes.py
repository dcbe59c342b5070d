"""A package that is careless in every way, and programs that break out through it: `result` is then a function, a class or a
variable of a module that the package has only imported.

Those of ESCAPES work in plain Python; those of INWARD try what stands in a package's place here.
"""

PACKAGE = {
    "lent/leaky.py": """
import contextlib, functools, operator, os, subprocess, types

NESTED = {"a": {"b": [os.urandom]}}


class Box:
    def __init__(self):
        self.inner = {"x": {"y": os.urandom}}

    def get(self):
        return os.urandom

    def __getitem__(self, key):
        return os.urandom

    def __iter__(self):
        yield os.urandom

    def __call__(self):
        return os.urandom

    def __enter__(self):
        return os.urandom

    def __exit__(self, *error):
        pass

    def __add__(self, other):
        return os.urandom


def give(name="urandom"):
    return getattr(os, name)


def many():
    return [os.urandom, open, eval]


def each(function):
    return function(os.urandom)


def stream():
    got = yield 1
    yield os.urandom


def give_partial():
    return functools.partial(functools.partial(os.urandom), 1)


def give_cached():
    return functools.lru_cache(os.urandom)


def give_getter():
    return operator.attrgetter("urandom")


def give_code():
    return give.__code__


def give_type():
    return type


def give_makers():
    return types.FunctionType, types.CodeType, subprocess.Popen


def context():
    return contextlib.nullcontext(os.urandom)
""",
    "lent/__init__.py": '''
"""A package with all kinds of ways out."""
import os, sys, subprocess, functools, collections, pickle, builtins
from os import system, environ, path
from sys import modules
from sys import path as search
from subprocess import Popen
from . import sub
from .sub import deep, Thing, Meta, WithMeta, Base, Opener, Lazy, Color, Wide

__version__ = "1.5"
__all__ = ["os", "add", "Thing", "PI", "sub", "environ"]
PI = 3.25
TABLE = {"system": os, "x": 1}
NAMES = ["a", "b"]
run = functools.partial(os.system)
add_one = functools.partial(sub.add, 1)
_hidden = 7


def add(a, b):
    """The sum."""
    return a + b


def give():
    return os


def gives():
    return [os], {"os": os}, (sys, os)


def call(function, *args):
    return function(*args)


def call_with_frame(function):
    return function(sys._getframe())


def call_with_module(function):
    return function(os)


def fail():
    raise ValueError("from lent")


def numbers(n):
    for i in range(n):
        yield i


@functools.wraps(add)
def wrapped(*args):
    return add(*args)


def keep(holder):
    holder.os = os
    return holder


def lost():
    return os.nothing
''',
    "lent/sub/__init__.py": '''
import enum, functools, operator, os, subprocess
import os as system_calls


def add(a, b):
    return a + b


class Thing:
    """Holds what it should not."""

    module = os
    opener = open
    run = os.system
    popen = os.popen
    process = subprocess.Popen
    kind = type
    functions = {"system": os.system}
    listed = [open]
    later = functools.partial(os.system)
    getter = operator.attrgetter("__globals__")
    caller = operator.methodcaller("system", "true")
    environ = os.environ
    variable = os.environ.get

    def __init__(self, x=0):
        self.x, self.os, self._os = x, os, os

    def double(self):
        return 2 * self.x

    def __add__(self, other):
        return Thing(self.x + getattr(other, "x", other))

    def __repr__(self):
        return f"Thing({self.x})"

    @property
    def lazily(self):
        return os

    @staticmethod
    def add(a, b):
        return a + b

    @classmethod
    def made(cls, x):
        return cls(x)


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


class Base:
    def __init__(self):
        self._own, self.shown = os, os

    def hello(self):
        return "hello " + self.name()

    def name(self):
        return "base"


class Opener:
    __call__ = staticmethod(open)


class Lazy:
    def __getattr__(self, name):
        return getattr(os, name)


class Color(enum.Enum):
    RED = 1


class Wide(dict):
    pass
''',
    "lent/sub/deep.py": """
import os
import lent
def depth():
    return 3
""",
    "lent/layers.py": """
import torch
from torch import nn
import torch.nn.functional as F
import os


class Double(nn.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor))
        self.os = os

    def forward(self, x):
        return F.relu(x) * self.factor


def save(x, path):
    torch.save(x, path)
""",
}

ESCAPES = r"""
import lent; result = lent.os
---
import lent; result = lent.sys.modules
---
import lent; result = lent.system
---
from lent import os; result = os
---
from lent import system as result
---
from lent import *; result = os
---
from lent import Popen; result = Popen
---
import lent; result = lent.Popen
---
import lent.sub; result = lent.sub.subprocess
---
import lent.sub as sub; result = sub.os
---
import lent.sub; result = lent.sub.system_calls
---
import lent.sub.deep; result = lent.sub.deep.lent.os
---
from lent.sub.deep import os; result = os
---
from lent.sub import enum; result = enum
---
import lent; result = lent.modules["os"]
---
import lent; lent.modules.clear; result = True
---
import lent; lent.search.append("/tmp/x"); result = True
---
import lent; result = lent.environ
---
import lent; result = lent.path.os
---
import lent; result = lent.builtins.eval
---
import lent; result = lent.TABLE["system"]
---
import lent; lent.run("true"); result = True
---
import lent; result = lent.functools.partial
---
import lent; result = lent.__dict__["os"]
---
import lent; result = vars(lent)["os"]
---
import lent; result = lent.__builtins__
---
import lent; result = lent.__spec__
---
import lent; result = lent.__loader__
---
import lent; result = lent._hidden == 7
---
from lent import _hidden; result = _hidden == 7
---
import lent; result = getattr(lent, "os")
---
import lent; result = getattr(lent, "_hidden") == 7
---
import lent; result = "{0.os.sep}".format(lent) == "/"
---
import lent, operator; result = operator.attrgetter("os.system")(lent)
---
import lent; result = list(map(lambda name: getattr(lent, name), ["os"]))[0]
---
import lent
match lent:
    case object(os=found): result = found
---
import lent; result = lent.add.__globals__
---
import lent; result = lent.add.__code__.co_consts
---
import lent; result = lent.add.__builtins__
---
import lent; result = lent.wrapped.__wrapped__
---
import lent; result = lent.wrapped.__closure__
---
import lent; result = lent.Thing.double.__globals__
---
import lent; result = lent.Thing().double.__func__
---
import lent; result = lent.Thing().double.__self__.__class__.__dict__
---
import lent; result = lent.Thing().os.system
---
import lent; result = lent.Thing().module.system
---
import lent; result = lent.Thing.module.system
---
import lent; result = lent.Thing()._os
---
import lent; result = lent.Thing().lazily.system
---
import lent; lent.Thing().opener("/etc/hostname"); result = True
---
import lent; result = lent.Thing.opener
---
import lent; result = lent.Thing.run
---
import lent; result = lent.Thing().popen
---
import lent; result = lent.Thing.process
---
import lent; result = lent.Thing.functions["system"]
---
import lent; result = lent.Thing().listed[0]
---
import lent; lent.Thing().later("true"); result = True
---
import lent; result = lent.Thing().later.func
---
import lent; result = lent.Thing.getter(lent.add)
---
import lent; result = lent.Thing.caller(lent.give()) == 0
---
import lent; result = lent.Thing().environ
---
import lent; result = lent.Thing.variable("PATH")
---
import lent; result = lent.Thing().kind("A", (), {})
---
import lent; result = lent.Thing.__dict__["module"]
---
import lent; result = lent.Thing.__init__.__globals__
---
import lent; result = lent.Thing.__subclasses__
---
import lent; result = lent.Thing.mro()
---
import lent; result = lent.give().system
---
import lent; result = getattr(lent.give(), "system")
---
import lent; result = lent.gives()[0][0].system
---
import lent; (a,), b, (c, d) = lent.gives(); result = d.system
---
import lent; result = [each.system for each in lent.gives()[1].values()][0]
---
import lent; result = "{0.sep}".format(lent.give()) == "/"
---
import lent; result = f"{lent.give().sep}" == "/"
---
import lent, operator; result = operator.attrgetter("system")(lent.give())
---
import lent, operator; operator.methodcaller("system", "true")(lent.give()); result = True
---
import lent
match lent.give():
    case object(system=found): result = found
---
import lent
class Told:
    def __eq__(self, other):
        self.other = other
        return True
told = Told()
match told:
    case lent.system: result = told.other
---
import lent
class Told:
    def __eq__(self, other):
        self.other = other
        return True
told, m = Told(), lent.give()
match [told]:
    case [m.system]: result = told.other
---
import lent
class Told:
    def __radd__(self, other): return other
m = lent.give(); m.system += Told(); result = m.system
---
import lent
match lent.Thing():
    case lent.Thing(run=found): result = found
---
import lent
match lent.Thing():
    case lent.Thing(os=found) if found.system: result = found.system
---
import lent
class Told:
    def __eq__(self, other):
        self.other = other
        return True
class Holder: told = Told()
match lent.Thing():
    case lent.Thing(run=Holder.told): result = Holder.told.other
---
import lent
match lent.Thing():
    case lent.Thing(os=object(system=found)): result = found
---
import lent; m = lent.give(); m.sep = "x"; result = True
---
import lent; m = lent.give(); setattr(m, "sep", "x"); result = True
---
import lent; m = lent.give(); del m.sep; result = True
---
import lent
class A:
    def set(self): self.sep = "x"
A.set(lent.give()); result = True
---
import lent
class A:
    def set(self): self.double = lambda self: 3
A.set(lent.Thing); result = lent.Thing().double() == 3
---
import lent; lent.Thing.double = lambda self: 3; result = True
---
import lent; setattr(lent.Thing, "double", None); result = True
---
import lent; lent.PI = 4; result = True
---
import lent; lent.add.note = 4; result = True
---
import lent; lent.add.__code__ = lent.give.__code__; result = True
---
import lent; lent.Color.RED.value2 = 1; result = True
---
import lent; result = lent.call_with_frame(lambda frame: frame.f_globals)
---
import lent; result = lent.call_with_frame(lambda frame: frame.f_back)
---
import lent; result = lent.call_with_frame(lambda frame: getattr(frame, "f_builtins"))
---
import lent; result = lent.call_with_module(lambda module: module.system)
---
import lent; result = lent.call(lambda: open("/etc/passwd").read())
---
import lent
def f(): return __import__("os")
result = lent.call(f)
---
import lent
try: lent.fail()
except ValueError as error: result = error.__traceback__
---
import lent
try: lent.fail()
except ValueError as error: result = error.__traceback__.tb_frame.f_globals
---
import lent
try: lent.lost()
except AttributeError as error: result = error.obj
---
import lent; result = lent.numbers(3).gi_frame
---
import lent; g = lent.numbers(3); next(g); result = getattr(g, "gi_frame")
---
import lent; result = lent.numbers(3).gi_code
---
import lent; result = lent.Meta("A", (), {"__array_interface__": 1})
---
import lent; result = type(lent.WithMeta)("A", (), {"__array_interface__": 1})
---
import lent; result = lent.WithMeta.__class__("A", (), {})
---
import lent; result = lent.Thing().__class__.__class__("A", (), {})
---
import lent; result = type(lent)("made")
---
import lent; result = type(lent.give())("made")
---
import lent; result = type(lent.add)(lent.give.__code__, {})
---
import lent; result = lent.Lazy().system
---
import lent; result = lent.Lazy().popen
---
import lent; result = lent.Lazy().path.os
---
import lent
class Mine(lent.Base):
    def find(self): return self._own
result = Mine().find().system
---
import lent
class Mine(lent.Base):
    def find(self): return self.shown
result = Mine().find().system
---
import lent
class Mine(lent.Base): pass
result = vars(Mine())["_own"].system
---
import lent
class Mine(lent.Base):
    def find(self): return super().__init__.__globals__
result = Mine().find()
---
import lent
class Holder: pass
result = lent.keep(Holder()).os.system
---
import lent
class Holder: pass
result = vars(lent.keep(Holder()))["os"].system
---
import lent.layers; result = lent.layers.torch
---
import lent.layers; result = lent.layers.F
---
from lent.layers import nn; result = nn
---
from lent.layers import Double; result = Double().os.system
---
from lent.layers import Double; result = Double().get_submodule("os")
---
from lent.layers import Double; result = Double().forward.__globals__
---
from lent.layers import Double; result = Double().__dict__["os"].system
---
from lent.layers import Double; result = vars(Double())["os"].system
---
from lent.layers import save; save(1, "file.pt"); result = True
---
import importlib; result = importlib.import_module("lent").os
---
import importlib; result = importlib.import_module("lent.sub").os
---
import importlib, lent; result = importlib.reload(lent)
---
import lent.os; result = lent.os
---
import lent.sub.os as result
---
import lent._private_of_nobody as result
---
import subprocess as result
""".strip().split("\n---\n")

INWARD = r"""
import lent; result = lent.__getattr__("os")
---
import lent; result = lent.__class__.__getattr__(lent, "os")
---
import lent; result = object.__getattribute__(lent, "_real")
---
import lent; result = lent._real
---
import lent; result = lent._packages
---
import lent
class Like:
    __match_args__ = ("system",)
match lent.give():
    case Like(found): result = found
    case [Like(found)]: result = found
    case {"os": object(system=found)}: result = found
result = found
""".strip().split("\n---\n")

LEAKS = """
leaky.NESTED["a"]["b"][0](1)
leaky.Box().inner["x"]["y"](1)
leaky.Box().get()(1)
leaky.Box()[0](1)
[f for f in leaky.Box()][0](1)
leaky.Box()()(1)
(leaky.Box() + 1)(1)
leaky.each(lambda f: f(1))
leaky.give()(1)
leaky.give().__call__(1)
leaky.many()[0](1)
leaky.many()[1]("/etc/hostname")
leaky.many()[2]("1")
leaky.give_partial()()
leaky.give_cached()(1)
leaky.give_getter()(3)
leaky.give_code().replace(co_name="x")
leaky.give_type()("X", (), {})
leaky.give_makers()[0](1, {})
leaky.give_makers()[1](1)
leaky.give_makers()[2]("true")
list(map(leaky.give(), [1]))
sorted([1], key=leaky.give())
(lambda *a: a[0](1))(*leaky.many())
(lambda f: f(1))(**{"f": leaky.give()})
import functools; functools.partial(leaky.give(), 1)()
[f, *rest] = leaky.many(); f(1)
g = leaky.stream(); next(g); g.send(1)(1)
torch.ones(1).apply_(leaky.give())
(leaky.give() if True else 1)(1)
(f := leaky.give())(1)
x = {"k": leaky.give()}; x["k"](1)
""".strip().splitlines()
"""Functions of the interpreter's that a package hands out by calls, indices, iterators and arguments: called, they are refused."""
