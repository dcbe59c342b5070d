"""Programs that break out in plain Python: `result` is then something that no script may hold, or True."""

ESCAPES = r"""
import collections; result = collections.UserString("{0.__init__.__self__}").format(1) == "1"
---
import random; result = random._os
---
import typing; result = typing.sys
---
import re; result = re._compiler
---
import collections; result = collections._sys
---
import json; result = json.decoder.scanner
---
import textwrap; result = textwrap.re
---
import contextlib; result = contextlib.sys
---
import dataclasses; result = dataclasses.sys
---
import enum; result = enum.sys
---
import warnings; result = warnings.sys
---
import fractions; result = fractions.sys
---
import statistics; result = statistics.sys
---
import string; result = string._string
---
import pprint; result = pprint._sys
---
import argparse; result = argparse._sys
---
import traceback; result = traceback.sys
---
import traceback; result = traceback.linecache
---
import sys
try: 1 / 0
except Exception: result = sys.exc_info()[2]
---
import argparse
p = argparse.ArgumentParser(fromfile_prefix_chars="@")
result = bool(p.parse_known_args(["@/etc/hostname"])[1])
---
import argparse
class A: pass
class B: caught = True
p = argparse.ArgumentParser()
p.add_argument("--__class__", type=lambda text: B)
result = p.parse_args(["--__class__", "x"], A()).caught
---
import argparse
def f(): return 1
def g(): return True
argparse.Namespace.__init__(f, __code__=g.__code__)
result = f()
---
import timeit; result = timeit.timeit("1", number=1) >= 0
---
import logging; result = logging.os
---
import logging; result = logging.getLogger().manager.root is logging.root
---
import types; result = types.FunctionType
---
import shutil; result = shutil.os
---
import tempfile; result = bool(tempfile.mkdtemp())
---
import glob; result = bool(glob.glob("/*"))
---
import numpy as np; result = np.f2py
---
import numpy as np; result = np.lib
---
from numpy import ctypeslib as result
---
import numpy.ctypeslib as result
---
import subprocess as result
---
import os; result = os.system
---
from os import popen as result
---
import sys; result = sys.modules['os']
---
import sys; result = sys._getframe()
---
import math; result = math.__spec__ is not None
---
import math; result = type(math)
---
result = (__builtins__ if isinstance(__builtins__, dict) else vars(__builtins__))['eval']
---
result = __import__('os')
---
result = eval('().__class__')  and eval
---
exec('import os as result')
---
result = compile('1', 'f', 'eval')
---
result = ().__class__.__base__.__subclasses__
---
result = getattr((), '__class__').__base__.__subclasses__
---
result = getattr(object, '__subclasses__')
---
result = type(lambda: 0)
---
def f(): pass
result = f.__globals__ and type(f.__code__)
---
def f(): pass
result = getattr(f, '__code__').replace and type(getattr(f, '__code__'))
---
def f(): yield
result = f().gi_frame
---
def f(): yield
result = getattr(f(), 'gi_code')
---
def f(): yield
result = '{0.gi_frame}'.format(f()) and f().gi_frame
---
result = '{0.__init__.__self__}'.format(1) == '1'
---
result = '{0.__init__.__globals__}'.format(__import__('random').Random()) != ''
---
result = '{x.__init__.__self__}'.format_map({'x': 1}) == '1'
---
result = str.format('{0.__init__.__self__}', 1) == '1'
---
result = list(map(str.format, ['{0.__init__.__self__}'], [1])) == ['1']
---
import string
result = string.Formatter().get_field('0.__class__.__base__', [1], {})[0].__subclasses__
---
try: 1 / 0
except ZeroDivisionError as e: result = e.__traceback__.tb_frame
---
try: 1 / 0
except ZeroDivisionError as e: result = getattr(e, '__traceback__')
---
class C:
    def __enter__(self): return self
    def __exit__(self, kind, error, traceback):
        self.frame = traceback.tb_frame
        return True
c = C()
with c: 1 / 0
result = c.frame
---
import operator; result = operator.attrgetter('__class__.__base__.__subclasses__')(())
---
import operator; result = operator.methodcaller('__subclasses__')(int) != []
---
import functools; result = functools.reduce(getattr, ['__class__', '__base__', '__subclasses__'], ())
---
import functools
class W:
    def __setattr__(self, name, value): seen[name] = value
seen = {}
def f(): pass
functools.update_wrapper(W(), f, assigned=['__globals__'], updated=())
result = seen['__globals__'] is f.__globals__
---
import functools, numpy as np
def f(): pass
functools.update_wrapper(f, np.ndarray, assigned=())
result = f.__dict__['tofile'] is not None
---
import functools, numpy as np
result = 'tofile' in vars(functools.lru_cache(np.ndarray))
---
import contextlib, numpy as np
result = 'tofile' in vars(contextlib.contextmanager(np.ndarray))
---
import functools
@functools.singledispatch
def f(x): pass
@f.register
def g(x: '[__import__("builtins").__dict__.__setitem__("planted", 1), int][1]'): pass
import builtins
result = builtins.planted == 1
---
import typing
seen = []
def f(x: '[seen.append(1), int][1]'): pass
typing.get_type_hints(f)
result = seen == [1]
---
import inspect
def f(x: '__import__("os")'): pass
result = inspect.signature(f, eval_str=True).parameters['x'].annotation
---
import inspect
def f(x: '__import__("os")'): pass
result = inspect.signature(f).from_callable(f, eval_str=True).parameters['x'].annotation
---
import inspect; result = inspect.currentframe()
---
import gc; result = gc.get_objects
---
result = type('A', (), {'__array_interface__': 1}).__array_interface__ == 1
---
result = type(int)
A = result('A', (), {})
---
class A: pass
result = A.__class__
---
import typing; result = typing.get_origin(typing.Type[int])
---
import typing; result = typing.Type.mro and typing.Type[int].__origin__
---
import abc; result = abc.ABCMeta
---
import collections.abc; result = type(collections.abc.Sequence)
---
import enum; result = type(enum.Enum)
---
import enum
E = enum.Enum('E', {'__array_interface__': {'shape': (1,)}, 'A': 1})
result = E.A.__array_interface__['shape'] == (1,)
---
import enum, numpy as np
result = enum.Enum('E', {'A': ((1,),)}, type=np.ndarray).A.shape == (1,)
---
import dataclasses
D = dataclasses.make_dataclass('D', [('__array_interface__', dict, dataclasses.field(default=1))])
result = D.__array_interface__ == 1
---
import dataclasses
D = dataclasses.make_dataclass('D', [('x', int)], namespace={'__array_interface__': 1})
result = D.__array_interface__ == 1
---
result = ().__ｃlass__.__ｂase__.__ｓubclasses__
---
result = getattr((), '__ｃlass__'.translate({0xFF43: 'c'})).__base__.__subclasses__
---
import dataclasses
class Base: pass
option = dataclasses.field(default=1)
@dataclasses.dataclass
class Base:
    x: int = option
option.name = 'other'
@dataclasses.dataclass
class Sub(Base): pass
result = Sub(other=3).other == 3
---
import dataclasses
@dataclasses.dataclass
class Base:
    x: int = 1
dataclasses.fields(Base)[0].name = '__class__'
result = dataclasses.asdict(Base())['__class__'] is Base
---
import functools, numpy as np
class A:
    @functools.cached_property
    def x(self): return {'shape': (1,)}
A.x.attrname = '__array_interface__'
A.y = A.x
a = A()
a.x
result = a.__array_interface__ == {'shape': (1,)}
---
class A: pass
a = A()
vars(a)['__array_interface__'] = 1
result = a.__array_interface__ == 1
---
class A: pass
a = A()
setattr(a, '__array_interface__', 1)
result = a.__array_interface__ == 1
---
import numpy as np
class A:
    def __getattr__(self, name):
        if name == '__array_interface__':
            return {'shape': (1,), 'typestr': '<i8', 'data': (id(self), False), 'version': 3}
        raise AttributeError(name)
result = int(np.asarray(A())[0]) >= 1
---
class Name(str):
    def startswith(self, *args): return False
    def isascii(self): return True
result = getattr(object, Name('__subclasses__'))
---
import numpy as np; result = np.ndarray
---
import numpy as np; result = type(np.zeros(1))
---
import numpy as np; result = np.zeros(1).__class__
---
import numpy as np; result = np.r_.makemat
---
import numpy as np; result = type(np.r_['r', 1, 2])
---
import numpy as np, numpy.typing; result = numpy.typing.NDArray[np.float64]((1,), buffer=bytearray(8)).shape == (1,)
---
import numpy as np
result = np.ndarray((1,), dtype=object, buffer=np.zeros(1, np.int64))[0] is None
---
import numpy as np
a = np.array([None, 1], dtype=object)
result = np.frombuffer(a, dtype=np.int64).size == 2
---
import numpy as np
a = np.arange(2).astype(object)
result = np.frombuffer(a, dtype=np.int64).size == 2
---
import numpy as np, fractions
a = np.ones(1) * fractions.Fraction(1, 2)
result = np.frombuffer(a, dtype=np.int64).size == 1
---
import numpy as np, fractions, io
a = np.ones(1) * fractions.Fraction(1, 2)
result = io.BytesIO(b'').readinto(a) == 0
---
import numpy as np, fractions
a = np.ones(1) * fractions.Fraction(1, 2)
result = np.frombuffer(a.data, dtype=np.int64).size == 1
---
import numpy as np
a = np.zeros(4)
b = a[:]
a.resize(1, refcheck=False)
result = a.size == 1
---
import numpy as np; result = np.zeros(1).ctypes.data > 0
---
import numpy as np; result = np.lib.stride_tricks.as_strided(np.zeros(1), (9,), (8,)).size == 9
---
import numpy as np; np.zeros(1).tofile('tensorsh-escape'); result = True
---
import numpy as np; getattr(np.zeros(1), 'dump')('tensorsh-escape'); result = True
---
import numpy as np; result = np.fromfile('/etc/hostname', dtype=np.uint8).size > 0
---
import numpy as np; result = np.memmap('/etc/hostname', mode='r').size > 0
---
import numpy as np; result = np.genfromtxt('/etc/passwd', dtype=str, delimiter='\n').size > 0
---
import numpy as np; result = len(np.loadtxt('/etc/passwd', dtype=str, delimiter=':', usecols=0)) > 0
---
import numpy as np; np.savetxt('tensorsh-escape', [1.0]); result = True
---
import numpy as np; np.savez('tensorsh-escape', a=[1.0]); result = True
---
import numpy as np; result = np.random.normal.func_globals['np']
---
import numpy as np; result = np.random.SeedSequence(1).spawn.func_globals['np']
---
import numpy as np; result = np.random.default_rng().normal.__self__
---
import numpy as np; result = np.random.default_rng().bit_generator.ctypes.state_address > 0
---
import numpy as np; result = np.random.default_rng().bit_generator.lock.acquire() is True
---
import numpy as np
s = list(np.random.RandomState(0).get_state()); s[2] = 700  # what lies close behind is mapped
r = np.random.RandomState(0); r.set_state(tuple(s)); r.randint(9)
result = True
---
import numpy as np
class A(np.ndarray): pass
result = A((1,), buffer=bytearray(8)).size == 1
---
import warnings
class A: pass
a = A()
type(warnings.catch_warnings()).__init__(a)
result = a._module
---
import numpy as np; result = np.bmat.__globals__ is not None
---
import numpy as np; result = np.vectorize(lambda x: x).__init__.__globals__ is not None
---
import numpy as np; result = np.testing.assert_allclose.__globals__ is not None
---
result = open('/etc/hostname').read() != ''
---
result = open(0, closefd=False).buffer is not None
---
result = open(b'/etc/hostname').read() != ''
---
class P:
    def __fspath__(self): return '/etc/hostname'
result = open(P()).read() != ''
---
import pathlib; result = pathlib.Path('/etc/hostname').read_text() != ''
---
import pathlib; result = list(pathlib.Path('/').iterdir()) != []
---
import os; result = os.listdir('/') != []
---
import os; result = 'PATH' in os.environ
---
import io; result = io.open
---
import io; result = io.FileIO
---
import sys; result = sys.stdout.buffer
---
import sys; result = type(sys.stdout)
---
import sys; result = sys.stdout.fileno() == 1
---
result = print.__self__
---
result = [].append.__self__ == []
---
class A:
    def m(self): pass
result = A().m.__func__.__globals__ is not None
---
import contextlib; result = contextlib.contextmanager(globals)().gen['sys']
---
import functools; result = functools.partial(print).func.__self__
---
import random; result = random.random.__self__ is not None
---
import random; result = random.SystemRandom().random() >= 0
---
import warnings; result = warnings.catch_warnings()._module
---
import copy
class A:
    def __reduce_ex__(self, protocol): return (eval, ('[].__class__',))
result = copy.copy(A()) is list
---
class Meta(type):
    def __call__(cls): return 1
class A(metaclass=Meta): pass
result = A() == 1
---
class A(type): pass
result = A
---
class A:
    __array_interface__ = 1
result = A.__array_interface__ == 1
---
class A:
    __class__ = int
result = isinstance(A(), int)
---
match 1:
    case int(__class__=kind): result = kind is int
---
match len:
    case object(__self__=result): pass
---
def f(): pass
f.__code__ = (lambda: 1).__code__
result = f() == 1
---
import math
math.sqrt = 1
result = math.sqrt == 1
---
import math
for math.pi in [3]: pass
result = math.pi == 3
---
import math
setattr(math, 'pi', 3)
result = math.pi == 3
---
import math
math.__dict__['pi'] = 3
result = math.pi == 3
---
int.mro()[1].__subclasses__
result = int.mro() != []
---
result = help.__class__.__call__.__globals__ is not None
---
result = memoryview(bytearray(8)).cast('q')[0] == 0
---
import fractions, numpy as np
result = np.add.__class__.__name__ and getattr(np.add, '__reduce__')
---
import re; result = re.compile('a').__reduce__
---
import argparse; result = argparse.Namespace(**{'__array_interface__': 1}).__array_interface__ == 1
---
import types; result = types.SimpleNamespace(**{'__array_interface__': 1}).__array_interface__ == 1
---
import pickle as result
---
import ctypes as result
---
import builtins; result = builtins.eval
---
import importlib as result
---
import numpy as np, fractions
a = np.ones(2) * fractions.Fraction(1, 2); b = np.ones(2) * fractions.Fraction(1, 2)
a.data[:] = b.data
result = all(x is y for x, y in zip(a, b))
---
import numpy as np, fractions
class M:
    def __rmatmul__(self, memory): seen.append(memory); return memory
seen = []
a = np.ones(2) * fractions.Fraction(1, 2)
try: a.data @= M()
except AttributeError: pass
result = seen[0].format == 'O'
---
import numpy as np, fractions
a = np.ones(1) * fractions.Fraction(1, 2)
match a:
    case object(data=found): result = found.format == 'O'
---
import numpy as np, fractions
result = '{0.data.format}'.format(np.ones(1) * fractions.Fraction(1, 2)) == 'O'
---
import operator, numpy as np, fractions
result = operator.attrgetter('data')(np.ones(1) * fractions.Fraction(1, 2)).format == 'O'
---
import struct, numpy as np, fractions
a = np.ones(2) * fractions.Fraction(1, 2)
struct.Struct('q').pack_into(a, 0, id(a[1])); struct.Struct('q').pack_into(a, 0, id(a[1]))
result = a[0] is a[1] or True
---
import struct, numpy as np, fractions
a = np.ones(1) * fractions.Fraction(1, 2)
struct.Struct.pack_into(struct.Struct('q'), a, 0, id(a[0]))
result = True
---
import struct, numpy as np
struct.pack_into('q', np.zeros(1), 0, 1)
result = True
---
import dataclasses
f = dataclasses.dataclass; f.mark = 1
result = dataclasses.dataclass.mark == 1
---
import numpy as np
f = np.linalg.norm; f.mark = 1
result = np.linalg.norm.mark == 1
---
import numpy as np
def g(f): f.mark = 1
g(np.add)
result = np.add.mark == 1
---
import re
flag = re.I; flag.mark = 1
result = re.I.mark == 1
---
import textwrap
class A:
    @staticmethod
    def g(f): f.mark = 1
A.g(textwrap.dedent)
result = textwrap.dedent.mark == 1
---
import abc, textwrap
abc.abstractmethod(textwrap.dedent)
result = textwrap.dedent.__isabstractmethod__
---
import typing, textwrap
typing.final(textwrap.dedent)
result = textwrap.dedent.__final__
---
import collections
K = collections.Counter
K.mark = 1
result = collections.Counter.mark == 1
---
import functools
class A:
    @functools.cached_property
    def x(self): return 1
result = A.x.func.__globals__ is not None
---
import functools
result = functools.partialmethod(print).func.__self__
---
def f(): return f
result = '{0.__globals__[f]}'.format(f) != ''
---
class F:
    def __format__(self, spec): return spec
result = '{0:{1.__class__.__base__}}'.format(F(), 1) == "<class 'object'>"
---
result = f'{().__class__.__base__.__subclasses__()}' != ''
---
result = f'{(lambda: 0).__globals__ is None!r:>{(1).__class__.__base__.__basicsize__}}' != ''
---
def f(x=().__class__.__base__): return x
result = f().__subclasses__
---
def f(x: ().__class__.__base__.__subclasses__): pass
result = f.__annotations__['x']
---
@(lambda f: f.__globals__)
def result(): pass
result = result is globals() and result['__builtins__'] is not None
---
class A:
    def __init_subclass__(cls): seen.append(cls.__mro__[-1].__subclasses__)
seen = []
class B(A): pass
result = seen[0]
---
class D:
    def __set_name__(self, owner, name): seen.append(owner.__base__.__subclasses__)
seen = []
class A: d = D()
result = seen[0]
---
class A:
    def __class_getitem__(cls, key): return cls.__base__.__subclasses__
result = A[0]
---
class D:
    def __get__(self, instance, owner): return owner.__mro__[-1].__subclasses__
class A: d = D()
result = A.d
---
class A:
    def f(self): return super().__self_class__.__mro__[-1].__subclasses__
result = A().f()
---
class A:
    def f(self): return super().__init__.__self__.__class__.__base__.__subclasses__
result = A().f()
---
class A:
    def f(self): return __class__.__base__.__subclasses__
result = A().f()
---
class A:
    __x = ().__class__.__base__
    def f(self): return self.__x.__subclasses__
result = A().f()
---
class A:
    def __prepare__(name, bases): return {}
class B(type): __prepare__ = A.__prepare__
result = B
---
class A:
    def __mro_entries__(self, bases): seen.append(bases); return (int,)
seen = []
class B(A()): pass
result = issubclass(B, int)
---
class A:
    def __getattribute__(self, name): return 1
result = A().anything == 1
---
class A:
    def __del__(self): seen.append(1)
seen = []
a = A()
del a
result = seen == [1]
---
class A:
    def __reduce__(self): return (len, ((),))
import copy
result = copy.copy(A()) == 0
---
class A:
    def __getstate__(self): return {'__class__': 1}
import copy
result = isinstance(copy.copy(A()), A)
---
class A:
    def __buffer__(self, flags): return b''
result = A().__buffer__(0) == b''
---
class A:
    def __fspath__(self): return seen.pop()
seen = ['/etc/hostname', '.']
import os
result = os.path.exists(A()) and open(A()).read() != ''
---
class A:
    def __array_ufunc__(self, ufunc, method, *inputs, **options): return ufunc.__class__.__base__.__subclasses__
import numpy as np
result = np.add(A(), 1)
---
def g():
    try: yield 1
    except GeneratorExit as error: seen.append(error.__traceback__)
seen = []
x = g(); next(x); x.close()
result = seen[0]
---
def g(): yield x.gi_frame.f_back
x = g()
result = next(x)
---
g = (g.gi_frame.f_back for _ in [1])
result = next(g)
---
def g(): yield from h()
def h(): yield 1
x = g(); next(x)
result = x.gi_yieldfrom.gi_frame
---
try: ().nothing
except AttributeError as error: result = error.obj.__class__.__base__.__subclasses__
---
try: nothing_of_the_kind
except NameError as error: result = error.__traceback__.tb_frame.f_builtins['eval']
---
error = ValueError()
error.__traceback__ = None
result = error.with_traceback(None) is error
---
try:
    try: 1 / 0
    finally: [][0]
except IndexError as error: result = error.__context__.__traceback__
---
try: raise ExceptionGroup('g', [ValueError(1)])
except Exception as error: result = error.split(ValueError)[0].__traceback__
---
try: next(iter([]))
except StopIteration as error:
    error.__cause__ = None
    result = error.__traceback__.tb_next is None and error.__traceback__
---
import contextlib
@contextlib.contextmanager
def m():
    try: yield
    except ZeroDivisionError as error: seen.append(error.__traceback__)
seen = []
with m(): 1 / 0
result = seen[0]
---
import contextlib
stack = contextlib.ExitStack()
stack.push(lambda kind, error, traceback: seen.append(traceback.tb_frame) or True)
seen = []
with stack: 1 / 0
result = seen[0]
---
import re
result = re.sub('a', lambda m: str(m.__class__.__base__), 'a') == "<class 'object'>"
---
import re; result = re.compile('a').__class__.__mro__[-1].__subclasses__
---
import collections; result = collections.namedtuple('A', 'x').__new__.__globals__ is not None
---
import collections
A = collections.namedtuple('A', 'x', module='builtins')
result = A.__module__ == 'builtins'
---
import collections
d = collections.defaultdict(lambda: 1)
result = d.__missing__.__self__.default_factory.__globals__ is not None
---
import typing
class N(typing.NamedTuple):
    x: '__import__("os")'
result = typing.get_type_hints(N)['x']
---
import typing; result = typing.List[int].__origin__.__base__.__subclasses__
---
import typing; result = typing.Annotated[int, 1].__origin__.__base__.__subclasses__
---
import types; result = types.FunctionType
---
import types; result = types.CodeType
---
import numpy as np; result = np.vectorize(print).pyfunc.__self__
---
import numpy as np; result = np.frompyfunc(lambda x: x, 1, 1)(np.ones(1)).dtype == object
---
import numpy as np
np.set_printoptions(formatter={'all': lambda x: str(x.__class__.__mro__)})
result = 'object' in str(np.ones(1))
---
import numpy as np; result = np.zeros(1, dtype=[('a', 'O')])[0]['a'] is not print and np.zeros(1, dtype=[('a', 'O')]).dtype.hasobject
---
import numpy as np; result = np.load(__import__('io').BytesIO(b'\x80\x04\x8c\x08builtins\x8c\x04eval\x93.'), allow_pickle=True)
---
import io, numpy as np
file = io.BytesIO(); np.save(file, np.array([print], dtype=object), allow_pickle=True); file.seek(0)
result = np.load(file, allow_pickle=True)[0] is print
---
import numpy as np; result = np.nditer(np.ones(1), op_flags=['readwrite']).operands[0].ctypes.data > 0
---
import numpy as np; result = np.asarray(memoryview(bytearray(8))).base.obj is not None
---
import numpy as np
a = np.ones(4); a.setflags(write=False); a.flags.writeable = True
result = a.__array_interface__['data'][0] > 0
---
import numpy as np; result = np.ones(1).__array_struct__ is not None
---
import numpy as np; result = np.ones(1).dtype.__reduce__()[0] is np.dtype
---
import numpy as np; result = np.dtype('f8').type.__mro__[-1].__subclasses__
---
import numpy as np; result = np.errstate(call=print).__exit__.__func__.__globals__ is not None
---
import numpy as np; result = np.ma.masked_array
---
import numpy as np; result = np.char.__name__ == 'numpy.char'
---
import numpy as np; result = np.polynomial.polynomial.np
---
from numpy import *
result = __builtins__ is not None
---
from os import *
result = system
---
import math as m, os as result
---
import os.path as p
result = p.os
---
import random; result = random.Random.__init__.__globals__ is not None
---
import random
class R(random.Random): pass
result = R.__mro__[-1].__subclasses__
---
import json
result = json.loads('{"a": 1}', object_hook=lambda d: d.__class__.__base__.__subclasses__)
---
import json
class E(json.JSONEncoder):
    def default(self, value): return self.__class__.__mro__[1].default.__globals__ is not None
result = json.dumps({1, 2}, cls=E) == 'true'
---
import statistics; result = statistics.NormalDist.__init__.__globals__ is not None
---
import sys; sys.stdout.close = print; result = sys.stdout.close is print
---
import sys; result = sys.exc_info
---
import sys; result = sys.settrace
---
import sys; sys.displayhook = print; result = sys.displayhook is print
---
import sys; result = sys.stdin.buffer
---
import datetime; result = datetime.sys
---
del __builtins__
result = True
---
__builtins__ = {}
result = True
---
def __import__(*a): return 1
import os
result = True
---
def __build_class__(*a): return a
result = True
---
(__debug__x := 1, [__import__ for _ in [1]])
result = __import__('os')
---
def f(__import__=print): return __import__
result = f() is print
---
lambda __builtins__: 1
result = True
---
for __name__ in ['builtins']: pass
result = __name__ == 'builtins'
---
def f():
    global __builtins__
    return __builtins__
result = f() is not None
---
try: pass
except* ValueError: pass
result = True
---
async def f(): pass
c = f()
result = c.cr_frame
---
async def g(): yield 1
result = g().ag_frame
---
result = (lambda: (yield))().gi_frame
---
result = vars(int)['__add__'].__objclass__.__base__.__subclasses__
---
result = [*map(lambda c: c.__subclasses__, [object])][0]
---
result = sorted([object], key=lambda c: 0)[0].__subclasses__
---
result = dir.__self__.eval
---
result = property(lambda self: 1).fget.__globals__ is not None
---
result = classmethod(print).__func__.__self__
---
result = staticmethod(print).__wrapped__.__self__
---
result = slice(1).__reduce__()[0] is slice
---
result = object.__init_subclass__.__self__.__subclasses__
---
result = object.__getattribute__((), '__class__').__base__.__subclasses__
---
result = type.__getattribute__(int, '__subclasses__')
---
result = super(int, True).__getattribute__('__class__').__base__.__subclasses__
---
result = super(type, int).__getattribute__('__subclasses__') if False else object.__subclasses__
---
result = hasattr((), '__class__') and getattr(getattr((), '__class__'), '__base__').__subclasses__
---
object.__setattr__(lambda: 0, '__defaults__', (1,))
result = True
---
def f(): pass
delattr(f, '__code__') if False else setattr(f, '__code__', (lambda: 1).__code__)
result = f() == 1
---
def f(a=1): return a
f.__defaults__ = (2,)
result = f() == 2
---
def f(): pass
f.__builtins__['planted'] = 1
result = planted == 1
---
def f(): pass
f.__dict__['x'] = 1
f.__globals__['y'] = 2
result = y == 2
---
x = 1
def f(): return x
result = f.__closure__ is None and f.__code__.co_consts is not None
---
def outer():
    secret = 1
    return lambda: secret
result = outer().__closure__[0]
---
result = 'x'.format.__self__ == 'x'
---
class S(str):
    def __format__(self, spec): return self.__class__.__mro__[-1].__subclasses__.__name__
result = '{}'.format(S()) == '__subclasses__'
---
import string
class F(string.Formatter): pass
result = F().format('{0.__class__.__base__}', 1) == "<class 'object'>"
---
import string; result = string.Template('$x').__class__.__mro__[-1].__subclasses__
---
import inspect; result = inspect.getsource(inspect.signature) != ''
---
import inspect; result = inspect.stack()[0].frame
---
import weakref as result
---
import threading as result
---
import socket as result
---
import asyncio as result
---
import codecs as result
---
import shelve as result
---
import tempfile as result
---
import marshal as result
---
import site; result = site
---
import numpy as np
from dataclasses import dataclass
got = []
class F:
    def __call__(self, *a): return self
    def __eq__(self, other):
        got.append(other)
        return False
    __hash__ = None
try:
    @dataclass
    class C:
        __new__ = F()
        x: int = 3
except Exception: pass
result = got[-2]
---
import collections
from dataclasses import dataclass
@dataclass
class M:
    marked: object
M.__init__(collections.Counter, 5)
result = collections.Counter.marked == 5
---
import logging
class Code:
    co_filename, co_name, co_qualname = '/etc/hostname', 'f', 'f'
    def co_positions(self): return iter([(1, 1, 0, 1)])
class Frame: f_code, f_lineno, f_globals, f_locals = Code(), 1, {}, {}
class Trace: tb_frame, tb_lineno, tb_lasti, tb_next = Frame(), 1, 0, None
class Record:
    exc_info, exc_text, stack_info, args = (None, ValueError('x'), Trace()), None, None, ()
    def getMessage(self): return 'm'
result = 'line 1, in f\n    ' in logging.Formatter().format(Record())
---
from abc import ABCMeta
from collections.abc import Sequence
class A(Sequence, metaclass=ABCMeta): pass
A.register(dict)
result = isinstance({}, Sequence)
---
import numbers
A = type("A", (numbers.Number,), {})
A.register(dict)
result = isinstance({}, numbers.Number)
---
from collections.abc import Sequence
A = type("A", (Sequence,), {})
del A._abc_impl
A.register(dict)
result = isinstance({}, Sequence)
---
from abc import ABC
A = type("A", (ABC,), {})
A._abc_impl = 1
try: isinstance(1, ABC)
except TypeError: result = True
---
from abc import ABCMeta
result = "__del__" in dir(ABCMeta("A", (), {"__del__": print}))
---
result = type("A", (), {"__array_interface__": {"data": (1 << 20, False), "shape": (4,), "typestr": "|u1", "version": 3}})
result = "__array_interface__" in dir(result)
---
result = type("A", (), {"__\u1d48el__": print, "__de\u02e1__": print})
result = "__del__" in [__import__("unicodedata").normalize("NFKC", name) for name in dir(result)]
---
got = []
class Named:
    def __set_name__(self, owner, name): got.append(owner)
try: type("A", (type,), {"named": Named()})
except TypeError: pass
result = got[0]
---
got = []
class Named:
    def __set_name__(self, owner, name): got.append(owner)
try:
    class A(type(type)):
        named = Named()
except TypeError: pass
result = got[0]
---
import abc, enum, types
got = []
class Spy:
    def __get__(self, instance, owner): return 1
    def __set_name__(self, owner, name): got.append(owner.A)
class E(enum.Enum):
    spy = Spy()
    A = 1
class M:
    _value_ = 1
    def __init__(self, *told): pass
class C(abc.ABC):
    __match_args__ = ()
    _member_type_, _use_args_, _member_names_, _member_map_ = object, False, [], {}
    _value2member_map_ = {1: ("gi_frame",)}
    def _new_member_(cls): return M()
    _add_member_ = classmethod(lambda cls, name, member: setattr(cls, name, member))
type(got[0]).__set_name__(got[0], C, "__match_args__")
C.register(types.GeneratorType)
match (lambda: (yield))():
    case C(frame): result = frame
---
import enum
class A(enum.Enum): B = 1
result = list(A._convert_("C", "os", lambda name: name == "system"))[0].value
---
import enum
class A(enum.Enum): B = 1
def convert(cls): return cls._convert_("C", "os", lambda name: name == "_exit")
result = list(convert(A))[0].value
---
import operator, enum
class A(enum.Enum): B = 1
result = list(operator.attrgetter("_convert_")(A)("C", "os", lambda name: name == "abort"))[0].value
---
import abc, re
got = []
class W:
    def write(self, text): got.append(text)
class A(abc.ABC): pass
A._dump_registry(W())
result = bool(got)
---
import copy, types, textwrap
def f(self): pass
f.__name__ = "__globals__"
result = copy.copy(types.MethodType(f, textwrap.wrap))["re"]
---
import copy
class A:
    def f(self): pass
A.f.__name__ = "__dict__"
copy.copy(A().f)["__array_interface__"] = 1
result = True
---
import copy, types
def f(self): pass
f.__name__ = "__subclasses__"
result = len(copy.copy(types.MethodType(f, object))()) > 9
---
import copy, struct
class D(dict):
    def __deepcopy__(self, memo): return struct.Struct("i")
result = type(copy.deepcopy(D().__init__).__self__) is struct.Struct
---
import collections, copy
class X:
    def __new__(cls): return collections.Counter if x else object.__new__(cls)
x = None
x = X()
x.__dict__["most_common"] = 5
try: copy.copy(x)
except AttributeError: pass
class Kept: pass
kept = Kept()
class X:
    def __new__(cls): return kept if x else object.__new__(cls)
x = None
x = X()
x.secret = 5
copy.copy(x)
result = kept.secret == 5
---
import abc, collections, types
class Anything(abc.ABC): pass
class G(collections.namedtuple("G", "gi_frame"), Anything): pass
G.register(types.GeneratorType)
match (x for x in [1]):
    case G(frame): result = frame
---
import abc, dataclasses, types
@dataclasses.dataclass
class D(abc.ABC):
    gi_frame: object
D.register(types.GeneratorType)
match (x for x in [1]):
    case D(frame): result = frame
---
import abc, dataclasses, types
class G(abc.ABC): pass
D = dataclasses.make_dataclass("D", ["gi_code"], bases=(G,))
D.register(types.GeneratorType)
match (x for x in [1]):
    case D(code): result = code
---
import abc, dataclasses, types
got = []
class Looks:
    def __get__(self, instance, owner):
        if "D" in globals():
            match (x for x in [1]):
                case D(frame): got.append(frame)
class Base(abc.ABC):
    @abc.abstractmethod
    def looks(self): pass
class D(Base):
    looks = Looks()
    gi_frame: object
D.register(types.GeneratorType)
dataclasses.dataclass(D)
result = got[0]
---
import dataclasses
got = []
@dataclasses.dataclass
class D:
    format: object
    def __init_subclass__(cls):
        match cls("{0.__class__}"):
            case D(method): got.append(method)
class E(D, str):
    def __init__(self, text): pass
result = got[0](1) == "<class 'int'>"
---
import dataclasses
got = []
@dataclasses.dataclass
class D:
    format: object
    def __init_subclass__(cls): got.append(cls)
try:
    class E(D, str):
        def __new__(cls, text="", **options): return str.__new__(cls, text)
        def __init__(self, text="", **options): got.append(options)
except TypeError: pass
dataclasses.replace(got[0]("{0.__class__}"))
result = got[-1]["format"](1) == "<class 'int'>"
---
import copy
class A: pass
a = A()
A.__slots__ = ("__setattr__",)
vars(copy.copy(a))["__setattr__"]("__array_interface__", 1)
result = True
---
import copy
names = {"x": ""}
class A:
    __slots__ = names
class B(A): pass
names["__setattr__"] = ""
vars(copy.copy(B()))["__setattr__"]("__array_interface__", 1)
result = True
---
import copy
got = []
class A(str):
    def __setstate__(self, state): got.append(state[1])
a = A("{0.__class__}")
A.__slots__ = ("format",)
copy.copy(a)
result = got[0]["format"](1) == "<class 'int'>"
---
import logging
got = []
class H(logging.Handler):
    def emit(self, record): got.append(record)
log = logging.getLogger("escape")
log.addHandler(H())
class Key(str):
    def isidentifier(self): return True
    def __getitem__(self, place): return "x"
log.error("x", extra={Key("__array_interface__"): 5})
result = hasattr(type("", (), {}), "__array_interface__") or "__array_interface__" in dir(got[0]) or got[0].__dict__["__array_interface__"] == 5
---
import argparse
class B: caught = True
p = argparse.ArgumentParser(prefix_chars="@")
p.add_argument("@@__class__", type=lambda text: B)
result = p.parse_args(["@@__class__", "x"]).caught
---
import argparse, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(argparse), False), "version": 3}
p = argparse.ArgumentParser(prefix_chars="-x")
p.add_argument("-x__array_interface__", type=lambda text: FORGED)
result = (np.zeros(1, int) + p.parse_args(["-x__array_interface__", "x"])).shape == (1,)
---
import collections.abc
class A: pass
collections.abc.Sequence[int].register(A)
result = isinstance(A(), collections.abc.Sequence)
---
import typing, collections.abc
class A: pass
typing.Sequence.register(A)
result = isinstance(A(), collections.abc.Sequence)
---
import typing, numbers
class A: pass
typing.Annotated[numbers.Number, 1].register(A)
result = isinstance(A(), numbers.Number)
---
import abc, types
class Told:
    def __get__(self, instance, owner): return ("gi_frame",)
class D(abc.ABC):
    @(lambda function: Told())
    def __match_args__(self): pass
D.register(types.GeneratorType)
match (x for x in [1]):
    case D(frame): result = frame
---
import abc, types
class D(abc.ABC):
    @(lambda function: ("gi_frame",))
    def __match_args__(self): pass
D.register(types.GeneratorType)
match (x for x in [1]):
    case D(frame): result = frame
---
import argparse
got = []
class Help(str):
    def __mod__(self, told): got.append(told["container"])
parser = argparse.ArgumentParser()
parser.add_argument("--a", help=Help("a"))
try: parser.format_help()
except TypeError: pass
result = callable(got[0].add_argument)
---
import argparse
got = []
class Help:
    def __mod__(self, told): got.append(told["container"])
    def strip(self): return "a"
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(help=Help())
try: parser.format_help()
except TypeError: pass
result = callable(got[0].add_argument)
---
import logging
got = []
class Code:
    co_filename, co_name, co_qualname = "/etc/passwd", "f", "f"
    def co_positions(self): return iter([(1, 1, 0, 1)])
class Frame: f_code, f_globals, f_locals = Code(), {}, {}
class Trace: tb_frame, tb_lineno, tb_lasti, tb_next = Frame(), 1, 0, None
class Form(str):
    def __str__(self): return self
    def __mod__(self, told):
        told["exc_info"] = ValueError, ValueError(), Trace()
        return ""
class H(logging.Handler):
    def emit(self, record): got.append(self.format(record))
handler = H()
handler.setFormatter(logging.Formatter(Form("%(message)s")))
logging.getLogger("escape").addHandler(handler)
logging.getLogger("escape").error("x")
result = "root:" in got[0]
---
import textwrap
got = []
class Text(str):
    def expandtabs(self, size): return self
    def translate(self, table):
        got.append(table)
        return self
try: textwrap.fill(Text("a"))
except TypeError: pass
result = got[0][9] == 32
---
import textwrap
got = []
class Text:
    def expandtabs(self, size): return self
    def translate(self, table): got.append(table)
try: textwrap.fill(Text())
except TypeError: pass
result = got[0][9] == 32
---
import re
got = []
class Text(str):
    def translate(self, table): got.append(table)
re.escape(Text("a"))
result = got[0][45] == "\\-"
---
import contextlib, textwrap
class Stack(contextlib.ExitStack):
    def __new__(cls): return made[0] if made else super().__new__(cls)
made = []
stack = Stack()
made.append(textwrap.indent)
stack.pop_all()
result = True
---
import warnings
got = []
class S:
    def __new__(cls, *told): return got.pop() if told else object.__new__(cls)
def own(kind):
    got.append(kind)
    class A(S()): pass
c = warnings.catch_warnings()
own(type(c))
c = getattr(c, "_real", c)
own(type(c))
result = c._module
---
import enum, warnings
got = []
class E(enum.Enum): pass
E._create_ = staticmethod(lambda *told, **named: got.pop())
def own(kind):
    got.append(kind)
    E("N", ["a"])
c = warnings.catch_warnings()
own(type(c))
c = getattr(c, "_real", c)
own(type(c))
result = c._module
---
import abc, dataclasses, warnings
class Told:
    def __enter__(self): return True
@dataclasses.dataclass
class D(abc.ABC):
    _real: object
c = warnings.catch_warnings()
D.register(type(c))
D.__init__(c, Told())
result = c.__enter__() is True or c._real.__enter__()
---
import collections, copy
class X(collections.UserDict):
    def __new__(cls): return L[0] if L else super().__new__(cls)
L = []
x = X()
x.secret = 5
L.append(collections.Counter.most_common)
copy.copy(x)
result = L[0].secret == 5
---
import collections
class X:
    def __new__(cls): return L[0] if L else object.__new__(cls)
L = []
x = X()
x.data, x.secret = [], 5
L.append(collections.Counter.most_common)
collections.UserList.__copy__(x)
result = L[0].secret == 5
---
import argparse, numpy as np
try: del argparse.Namespace.__setattr__
except AttributeError: pass
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(argparse), False), "version": 3}
p = argparse.ArgumentParser(prefix_chars="@")
p.add_argument("@@--array-interface--", type=lambda text: FORGED)
result = (np.zeros(1, int) + p.parse_args(["@@--array-interface--", "x"])).shape == (1,)
---
import contextlib, enum
class E(enum.Enum): A = 1
result = type(vars(E)["_new_member_"](contextlib.closing)) is contextlib.closing
---
import typing
type(typing.Counter).__init__(typing.Counter, dict, 1, name="Own")
result = repr(typing.Counter) == "typing.Own"
---
import copy, typing
result = copy.copy(type(typing.List[int])(list, ("eval",), name="__builtins__"))
---
import collections, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(collections), False), "version": 3}
result = (np.zeros(1, int) + collections.Counter.copy(int)("A", (), {"__array_interface__": FORGED})()).shape == (1,)
---
import typing, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(typing), False), "version": 3}
class Name:
    def copy(self): return "A"
class A: maps = [Name(), (), {"__array_interface__": FORGED}]
result = (np.zeros(1, int) + typing.ChainMap.copy(A)()).shape == (1,)
---
import abc, statistics, numpy as np
FORGED = {"shape": (1,), "typestr": "<i8", "data": (id(abc), False), "version": 3}
class V(abc.ABC): pass
class P(int):
    def as_integer_ratio(self): raise OverflowError
    def __add__(self, other): return self
    __radd__ = __add__
    def is_finite(self): return False
    def __truediv__(self, other): return V
class X: as_integer_ratio = staticmethod(lambda: (1, 1))
result = (np.zeros(1, int) + statistics.mean([P(1), X])("A", (), {"__array_interface__": FORGED})()).shape == (1,)
---
import enum, typing
try:
    class E(enum.Enum):
        __new__ = staticmethod(lambda cls, *told: typing.ChainMap)
        A = (dict, 1)
except TypeError: pass
result = repr(typing.ChainMap) == "typing.dict"
---
import argparse, enum
got = [argparse.BooleanOptionalAction]
class R:
    prefix_chars = "-"
    def add_mutually_exclusive_group(self, **options): return self
    def add_argument(self, *flags, **options): got.append(options["action"])
class X: _real = R()
group = argparse.ArgumentParser().add_argument_group()
try: type(group).add_mutually_exclusive_group(X()).add_argument("--x", action=got[0])
except AttributeError: pass
got[-1](["--x"], "named")(None, enum.STRICT, 1, "--x")
result = enum.STRICT.named
---
import collections, contextlib
@contextlib.contextmanager
def f(): yield
result = callable(f()(collections.Counter).most_common)
---
import statistics
class B: _mu = True
result = statistics.NormalDist.mean.fget(B())
---
import argparse
got = []
class Action:
    def __init__(self, told): self.__dict__.update(told)
    def __call__(self, parser, *told): got.append(parser)
class Made:
    def __eq__(self, other): return True
    def __hash__(self): return 5
    def __call__(self, **told): return Action(dict.fromkeys("default const type choices metavar required deprecated".split()) | told | {"nargs": 0})
p = argparse.ArgumentParser()
p.add_argument("--x", action=Made())
p.parse_args(["--x"])
got[0].fromfile_prefix_chars = "@"
result = bool(got[0].parse_known_args(["@/etc/hostname"])[1])
---
import argparse
class K(str):
    def __eq__(self, other): return str.__eq__(self, other) or other == "add_help"
    __hash__ = str.__hash__
p = argparse.ArgumentParser(**{K("fromfile_prefix_chars"): "@"})
result = bool(p.parse_known_args(["@/etc/hostname"])[1])
---
import argparse
got = []
class Action:
    option_strings, dest, nargs, required, deprecated = ["--y"], "y", 0, False, False
    default = const = type = choices = metavar = None
    def __init__(self, **told): self.__dict__.update(told)
    def __call__(self, parser, *told): got.append(parser)
class Real:
    _action_groups, _mutually_exclusive_groups, _defaults = [], [], {}
    _actions = [Action()]
PLAIN = isinstance(argparse.ArgumentParser, type)
class Parent(argparse.ArgumentParser if PLAIN else object):
    _real, _action_groups, _mutually_exclusive_groups, _defaults, _actions = Real(), [], [], {}, Real._actions
    def __init__(self): pass
class Parents:
    count = 0
    def __iter__(self):
        Parents.count += 1
        return iter([Parent()] if PLAIN or Parents.count > 1 else [])
p = argparse.ArgumentParser(parents=Parents())
Real._actions[0].container.add_argument("--z", action=Action)
p.parse_args(["--z"])
got[0].fromfile_prefix_chars = "@"
result = bool(got[0].parse_known_args(["@/etc/hostname"])[1])
---
import dataclasses
class B: pass
class Bases(tuple):
    def __iter__(self): return iter((B,))
result = issubclass(dataclasses.make_dataclass("A", [], bases=Bases((B, super))), super)
---
import numpy as np
got = []
class Same:
    def __eq__(self, other): got.append(other)
a = np.zeros(2, [("a", "i4")])
a.dtype.fields == Same()
got[0]["a"] = np.dtype("i8"), 4
result = a[:1]["a"].dtype == "i8"
---
import re
got = []
class Joined:
    def __ror__(self, other): got.append(other)
re.compile("(?P<own>x)").groupindex | Joined()
got[0]["own"] = 0
result = re.compile("(?P<own>x)").groupindex["own"] == 0
---
import dataclasses
got = []
class Other:
    def __ne__(self, other): got.append(other)
def metadata(): return dataclasses.fields(dataclasses.make_dataclass("A", ["x"]))[0].metadata
metadata() != Other()
got[0]["own"] = 5
result = metadata() == {"own": 5}
""".strip().split("\n---\n")
