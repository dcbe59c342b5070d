"""The attribute gate: what is refused, each proven to work in plain Python, and what works as ever."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh.language.parser import TsrSyntaxError
from tensorsh.sandbox import classes

from ..support.cases import all_pass
from .running import run


class Library:
    """Stands for a class of the engine."""

    def __init__(self) -> None:
        self._secret = 1
        self.plain = 2
        self.data = np.arange(3)

    def method(self) -> int:
        return self._secret

    def _private(self) -> int:
        return 3


def library_function(x: int, keepdim: bool = False) -> int:
    return x


HOST = {"Library": Library, "thing": Library(), "function": library_function, "np_array": np.arange(4.0)}

ESCAPES = [
    "().__class__.__base__",
    "().__class__.__bases__[0].__subclasses__()",
    "().__class__.__mro__",
    "type(()).mro()",
    "object.__subclasses__()",
    "int.__subclasses__()",
    "(lambda: 0).__globals__",
    "(lambda: 0).__builtins__",
    "(lambda: 0).__closure__",
    "(lambda: 0).__code__.co_code",
    "(lambda: 0).__code__.replace()",
    "function.__globals__",
    "function.__module__.__class__.__base__",
    "thing.method.__func__.__globals__",
    "thing.method.__self__",
    "print.__self__",
    "len.__self__.__dict__",
    "(x for x in [1]).gi_frame",
    "(x for x in [1]).gi_frame.f_back.f_globals",
    "(x for x in [1]).gi_code",
    "[g.gi_frame.f_back for g in [(g for _ in [1])]]",
    "str.__reduce__",
    "'a'.__reduce_ex__(2)",
    "thing.__reduce_ex__(2)",
    "object.__getattribute__(function, '__globals__')",
    "thing.__getattribute__('_secret')",
    "type.__getattribute__(int, '__subclasses__')",
    "getattr(function, '__globals__')",
    "getattr((), '__class__').__base__",
    "getattr(getattr((), '__class__'), '__base__')",
    "list(map(getattr, [function], ['__globals__']))",
    "'{0.__globals__}'.format(function)",
    "'{f.__globals__}'.format(f=function)",
    "'{0.method.__func__.__globals__}'.format(thing)",
    "'{0:{0.__globals__}}'.format(function)",
    "'{f.__globals__}'.format_map({'f': function})",
    "str.format('{0.__globals__}', function)",
    "str.format_map('{f.__globals__}', {'f': function})",
    "list(map(str.format, ['{0.__globals__}'], [function]))",
    "getattr('{0.__globals__}', 'format')(function)",
    "getattr(str, 'format')('{0.__globals__}', function)",
    "'{0[0].__globals__}'.format([function])",
    "f = '{0.__globals__}'.format; f(function)",
    "f'{function.__globals__}'",
    "class S(str):\n  def g(self): return super().format(function)\nS('{0.__globals__}').g()",
    "class S(str): pass\nS('{0.__globals__}').format(function)",
    "class S(str): pass\nS.format('{0.__globals__}', function)",
    "thing._secret",
    "thing._private()",
    "Library._private(thing)",
    "thing.__dict__",
    "vars(thing)",
    "Library.__dict__",
    "Library.__init__.__globals__",
    "thing._secret = 2",
    "thing.__class__ = int",
    "del thing._secret",
    "thing._secret += 1",
    "setattr(thing, '_secret', 3)",
    "delattr(thing, '_secret')",
    "setattr(Library, 'method', 3)",
    "setattr(Library, '__eq__', lambda a, b: True)",
    "for thing._secret in [1]: pass",
    "[0 for thing._secret in [1]]",
    "class C:\n  def __enter__(self): return 1\n  def __exit__(self, *a): pass\nwith C() as thing._secret: pass",
    "thing._secret: int = 1",
    "(a, thing._secret) = 1, 2",
    "[*thing._secret] = 1, 2",
    "try:\n  thing.nothing\nexcept AttributeError as e:\n  x = e\nx.obj",
    "try:\n  1 / 0\nexcept Exception as e:\n  x = e\nx.__traceback__",
    "try:\n  1 / 0\nexcept Exception as e:\n  x = e\nx.with_traceback(None)",
    "class C:\n  def __enter__(self): pass\n  def __exit__(self, t, v, tb): self.f = tb.tb_frame; return True\n"
    "c = C()\nwith c: 1 / 0",
    "class C:\n  def __enter__(self): pass\n  def __exit__(self, t, v, tb): self.f = getattr(tb, 'tb_frame')\n"
    "c = C()\nwith c: 1 / 0",
    "match function:\n  case object(__globals__=g): x = g\nx",
    "match thing:\n  case Library(_secret=s): x = s\nx",
    "class C:\n  __match_args__ = ('__dict__',)",
    "class C:\n  __match_args__ = tuple(['__dict__'])",
    "class C:\n  x = 1\nC.__match_args__ = ('__init__',)",
    "class M(type): pass",
    "class C(metaclass=type): pass",
    "class C(**{'metaclass': type}): pass",
    "class C:\n  def __del__(self): pass",
    "class C:\n  def __reduce__(self): return print, ()",
    "class C:\n  def __getattribute__(self, n): return 1",
    "class C:\n  __class__ = int",
    "class C:\n  @property\n  def __class__(self): return int",
    "class C:\n  __array_interface__ = {'data': (0, False), 'shape': (1,), 'typestr': '<i8', 'version': 3}",
    "class C:\n  __slots__ = ()\n  def __array__(self): return 1",
    "class C: pass\nsetattr(C, '__array_interface__', {})",
    "class C: pass\nsetattr(C(), '__array_interface__', {})",
    "class C: pass\nC().__dict__['__array_interface__'] = {}",
    "class C: pass\nC().__dict__.update(__array_interface__={})",
    "class C: pass\nvars(C())['__array_interface__'] = {}",
    "class C:\n  def __getattr__(self, name): return 5\nC().__array_interface__",
    "class C: pass\nC.__getattr__ = lambda self, name: 5\nC().__array_interface__",
    "class C(Library): pass\nC()._secret_of_library; C().__dict__['__x__'] = 1",
    "class C(Library): pass\nC()._private()",
    "class C(Library):\n  def f(self): return super()._private()\nC().f()",
    "class C:\n  __annotations__ = {'x): pass #': int}",
    "class C: pass\nC.__annotations__['y'] = 1\nC.__annotations__['y']",
    "class C: pass\nC.__bases__ = (Library,)",
    "class C: pass\nC.__mro__",
    "class C: pass\nC().__class__.__base__",
    "class N(str): pass\ngetattr(thing, N('_secret'))",
    "class N(str):\n  def startswith(self, *a): return False\ngetattr(thing, N('_secret'))",
    "thing.＿secret",
    "getattr(thing, '＿secret')",
    "().__ｃlass__.__base__",
    "function.__ｇlobals__",
    "__builtins__",
    "__import__('os')",
    "__loader__",
    "__spec__",
    "def f(__builtins__): pass",
    "__builtins__ = {}",
    "global __builtins__",
    "import _thread",
    "import os.__x",
    "from torch import __builtins__",
    "from torch import _C",
    "from torch import x as __builtins__",
    "try: pass\nexcept Exception as __builtins__: pass",
    "np_array.tofile('/tmp/x')",
    "np_array.dump('/tmp/x')",
    "np_array.dumps()",
    "np_array.ctypes",
    "np_array.setflags(write=True)",
    "np_array.getfield('i8')",
    "np_array.setfield(1, 'i8')",
    "np_array.resize(3, refcheck=False)",
    "np_array.astype(object)",
    "np_array.astype('O')",
    "getattr(np_array, 'tofile')('/tmp/x')",
    "np_array.__array_interface__",
    "np_array.__reduce__()",
    "np_array.__setstate__(())",
    "np_array.__array_finalize__",
    "type(np_array).tofile(np_array, '/tmp/x')",
    "memoryview(bytearray(8)).cast('d')",
    "memoryview(bytearray(8)).obj",
    "type(np_array)._C",
    "super.__base__",
    "property.__get__.__class__.__base__",
    "(lambda: (yield))().gi_yieldfrom",
    "str.__init_subclass__.__self__",
    "thing.method.__get__",
    "Library.__new__.__self__.__base__",
    "class S(str):\n  def __contains__(self, x): return False\nstr.format(S('{0.__globals__}'), function)",
    "class S(str):\n  def __contains__(self, x): return False\nS('{0.__globals__}').format(function)",
    "class S(str):\n  def __str__(self): return 'x'\nS('{0.__globals__}').format(function)",
    "class P(super): pass\nclass A(Library):\n  def f(self): return P(A, self)._private()\nA().f()",
    "class P(type(list[int])): pass\nP(Library, int)._private",
    "list[int].mro()",
    "list[int].__origin__",
    "class C:\n  __getattr__ = staticmethod(lambda name: 5)\nC().__array_interface__",
    "class C(dict):\n  __getattr__ = dict.get\nC(__array_interface__=5).__array_interface__",
    "class C: pass\nC.__getattr__ = staticmethod(lambda name: 5)",
    "class A(type(np_array)):\n  def f(self): return super().tofile('/tmp/x')\nnp_array.view(A).f()",
    "class A(type(np_array)): pass\nnp_array.view(A).tofile('/tmp/x')",
    "class A(type(np_array)): pass\nnp_array.view(A).__array_interface__",
    "str.format.__get__('{0.__globals__}')(function)",
    "str.format.__call__('{0.__globals__}', function)",
    "str.format.__wrapped__",
    "function.__defaults__",
    "function.__name__ = 'other'",
    "function._note = 1",
    "setattr(function, '_note', 1)",
    "str.format.__code__.co_consts",
    "try:\n  raise StopIteration(function)\nexcept StopIteration as e: x = e.value.__globals__",
]

# `self` of a method, which is looked at once a call: whatever else stands there when its attribute is used
ESCAPES += (
    [
        f"class A:\n  def f(self, other=thing):\n{lines}\nA.f(A())\nx"
        for lines in (
            "    self = other\n    self._secret",
            "    self._x = 1\n    self, y = other, self._x\n    return self._secret",
            "    for self in [other]: self._secret",
            "    [self := other for _ in [1]]\n    self._secret",
            "    [self._secret for self in [other]]",
            "    (lambda self: self._secret)(other)",
            "    def g(self): return self._secret\n    g(other)",
            "    def g():\n      nonlocal self\n      self = other\n    g()\n    self._secret",
            "    def g():\n      nonlocal self\n      self = other\n    g()\n    self._secret = 1",
            "    def g():\n      nonlocal self\n      self = other\n    g()\n    self._secret += 1",
            "    def g():\n      def h():\n        nonlocal self\n        self = other\n      h()\n      del self._secret\n    g()",
            "    global thing\n    class B:\n      self = thing\n      self._secret",
            "    class B:\n      def g(self): return self._secret\n    B.g(other)",
            "    try:\n      raise E(1)\n    except Exception as self: self.__traceback__",
            "    import math as self\n    self._secret",
            "    match other:\n      case self: self._secret",
            "    self.__class__ = Library\n    self._secret",
            "    def self(): pass\n    self._secret",
        )
    ]
    + [
        f"class A:\n  def f(self):\n    {line}\nA.f({given})"
        for given in ("thing", "Library", "function")
        for line in (
            "return self._secret or self._private",
            "return self._private()",
            "self._secret = 1",
            "self._secret += 1",
            "del self._secret",
            "for self._secret in [1]: pass",
            "return [self._private for _ in [1]]",
            "return (lambda: self._private)()",
            "yield self._private",
        )
        if "yield" not in line
    ]
    + [
        "class A:\n  def f(self): yield self._secret\n[*A.f(thing)]",
        "class A(Library):\n  def f(self): return self._private()\nA().f()",
    ]
)


def test_escape_is_refused() -> None:
    all_pass(check_escape_is_refused, ESCAPES)


def check_escape_is_refused(text: str) -> None:
    with pytest.raises((AttributeError, TypeError, NameError, ImportError, TsrSyntaxError, KeyError)) as caught:
        run(text, **HOST)
    message = str(caught.value)
    assert "tensorsh/language" not in message


ALLOWED = [
    ("class V:\n  def __init__(self, x): self._x = x\nV(3)._x", 3),
    ("class V: pass\nv = V(); v._x = 1; v._x += 2; v._x", 3),
    ("class V:\n  _count = 0\nV._count += 2; V._count", 2),
    ("class V:\n  def __init__(self): self.__x = 5\n  def get(self): return self.__x\nV().get()", 5),
    ("class V:\n  def __init__(self): self.__x = 5\nV()._V__x", 5),
    ("class V:\n  def _f(self): return 1\nclass W(V):\n  def _f(self): return super()._f() + 1\nW()._f()", 2),
    ("class V:\n  def __init__(self, x): self.x = x\n  def __add__(self, o): return V(self.x + o.x)\n"
     "  __radd__ = __add__\n(V(1) + V(2)).x", 3),
    ("class A:\n  def __init__(self): self.a = 1\nclass B(A):\n  def __init__(self):\n    super().__init__()\n"
     "    A.__init__(self); super(B, self).__init__(); self.b = self.a\nB().b", 1),
    ("class A(Library):\n  def __init__(self):\n    super().__init__()\n    self._mine = 4\nA()._mine", 4),
    ("class A(Library):\n  def _init_weights(self): return 7\n  def f(self): return self._init_weights()\nA().f()", 7),
    ("class A: pass\nA().__class__.__name__", "A"),
    ("class A: pass\na = A(); a.__dict__.update({'x': 1}); a.x + len(a.__dict__)", 2),
    ("class A:\n  def __init__(self, **k): self.__dict__.update(k)\nA(x=2).x", 2),
    ("class A: x = 1\nA().__dict__ == {}", True),
    ("def f(a, b=1): c = 2\nf.__code__.co_varnames", ("a", "b", "c")),
    ("def f(a, b=1): c = 2\nf.__code__.co_argcount", 2),
    ("class A:\n  def f(self, x): pass\n'x' in A().f.__code__.co_varnames", True),
    ("def f(): 'doc'\nf.__name__ + f.__doc__", "fdoc"),
    ("def f(): pass\nf.__name__ = 'g'; f._calls = 1; f.__name__", "g"),
    ("def f(a=1, *, b=2): pass\nf._n = 3; f.__defaults__, f.__kwdefaults__, f._n", ((1,), {"b": 2}, 3)),
    ("type(3).__name__", "int"),
    ("[1, 2].__len__()", 2),
    ("(3).__add__(4)", 7),
    ("'{:.2f} {} {x!r:>5} {0[1]}'.format([1, 2], 'a', x='b') if 0 else '{:.2f} {}'.format(1.5, 2)", "1.50 2"),
    ("'{0[1]} {1.real:.1f} {x!r:>5}'.format([1, 2], 1.5, x='b')", "2 1.5   'b'"),
    ("'{a.plain}'.format(a=thing)", "2"),
    ("'{:{}}'.format(1, 5)", "    1"),
    ("'{:{w}.{p}f}'.format(1.0, w=8, p=2)", "    1.00"),
    ("'{0.real:{1.real}}'.format(1, 5)", "    1"),
    ("'{x.plain}'.format_map({'x': thing})", "2"),
    ("class S(str):\n  def format(self, x): return 'mine' + x\nS('a').format('b')", "mineb"),
    ("class A:\n  def dump(self): return 1\n  def mro(self): return 2\nA().dump() + A().mro()", 3),
    ("class A:\n  format = 'x'\nA().format", "x"),
    ("class A:\n  def dump(self): return 1\nclass B(A):\n  def dump(self): return super().dump() + 1\nB().dump()", 2),
    ("class S(str):\n  def format(self, *a): return super().format(*a) + '!'\nS('{} {0.real}'[:2]).format(1)", "1!"),
    ("getattr(thing, 'plain'), getattr(thing, 'no', 5), hasattr(thing, '_secret'), hasattr(thing, 'plain')",
     (2, 5, False, True)),
    ("class A: pass\na = A(); setattr(a, '_x', 1); getattr(a, '_x'), hasattr(a, '_y')", (1, False)),
    ("class A: pass\nA.__add__ = lambda s, o: 9\nA() + 1", 9),
    ("class A:\n  def __setattr__(self, n, v): super().__setattr__(n, v + 1)\na = A(); a.x = 1; a.x", 2),
    ("class A:\n  def __setattr__(self, n, v): object.__setattr__(self, n, v)\na = A(); a.x = 1; a._y = 2; a._y", 2),
    ("class A:\n  def __getattr__(self, n): return n * 2\nA().abc + A()._x", "abcabc_x_x"),
    ("class D(dict):\n  __getattr__ = dict.get\n  __setattr__ = dict.__setitem__\nd = D(a=1)\nd.b = 2\n(d.a, d.b, d.c)", (1, 2, None)),
    ("class A:\n  __slots__ = ('x', '_y')\na = A(); a._y = 1; a._y", 1),
    ("class E(Exception):\n  def __init__(self, x): super().__init__(x); self.x = x\n"
     "try: raise E(3)\nexcept E as e: y = e.x, e.args, e.__cause__\ny", (3, (3,), None)),
    ("class C:\n  __match_args__ = ('x',)\n  x = 4\nmatch C():\n  case C(y): z = y\nz", 4),
    ("class D:\n  def __enter__(self): return 1\n  def __exit__(self, *a): return True\nwith D() as d: 1 / 0\nd", 1),
    ("class P:\n  @property\n  def x(self): return 1\n  @x.setter\n  def x(self, v): self._v = v\n"
     "p = P()\np.x = 3\np._v", 3),
    ("class M:\n  def __call__(self, *a): return self.forward(*a)\nclass N(M):\n  def forward(self, x): return x\n"
     "N()(3)", 3),
    ("__name__", "__main__"),
    ("np_array.astype('int32').itemsize", 4),
    ("(x for x in [1]).send(None)", 1),
    ("class A: x: int = 1\nA.__annotations__['x'].__name__", "int"),
    ("class A: pass\nx = A(); x.obj = 1; x.cast = 2; x.obj + x.cast", 3),
    ("class A:\n  def f(self):\n    'doc'\n    self._n = 1; self._n += 2; self.__m = [self._n for _ in [1]]\n"
     "    def g(): self._n -= 1; return self._n\n    return g() + self._h(self.__m)\n  def _h(self, m): return m[0]\n"
     "a = A(); a.f(), a._n, a._A__m, A.f.__doc__, [n for n in A.f.__code__.co_varnames if n != '_']", (5, 2, [3], "doc", ["self", "g"])),
    ("class A:\n  def f(self):\n    self._n = 1\n    del self._n\n    return hasattr(self, '_n')\nA().f()", False),
    ("class A:\n  _n = 1\n  @classmethod\n  def f(cls): cls._n += 1; return cls._n\nA.f(), A._n", (2, 2)),
    ("class A:\n  def f(self): yield self._n\na = A(); a._n = 4; [*a.f()]", [4]),
    ("class A(Library):\n  def f(self):\n    self._mine = 4; self._mine += 1; return self._mine, self._own(), [self._mine]\n"
     "  def _own(self): return self._mine\nA().f()", (5, 5, [5])),
    ("list(range(3)), [*range(1, 8, 3)], range(2)[1], range(*[2, 4])[0]", ([0, 1, 2], [1, 4, 7], 1, 2)),
]  # fmt: skip


def test_ordinary_use_works() -> None:
    all_pass(check_ordinary_use_works, ALLOWED)


def check_ordinary_use_works(text: str, value: object) -> None:
    assert run(text, **HOST) == value


def test_names_that_the_engine_allows() -> None:
    class Thing:
        def __init__(self) -> None:
            self._version = 3

    with pytest.raises(AttributeError, match="not available in tensorsh"):
        run("t._version", t=Thing())
    classes.allow(Thing, "_version")
    assert run("t._version", t=Thing()) == 3
    assert run("class S(T): pass\nS()._version", T=Thing) == 3


def test_gated_stores_evaluate_in_python_s_order() -> None:
    text = """
order = []
class A: pass
a = A()
def get(n, v):
    order.append(n)
    return v
get('target', a)._x = get('value', 1)
get('augmented', a)._x += get('added', 2)
order, a._x
"""
    assert run(text) == (["value", "target", "augmented", "added"], 3)


def test_ordinary_attributes_are_native() -> None:
    import dis

    from tensorsh.language.compiler import compile_program

    def helpers(text: str) -> set[str]:
        pending, found = [compile_program(text, bound=("x", "a")).module], set()
        while pending:
            code = pending.pop()
            assert "LOAD_ATTR" in {i.opname for i in dis.get_instructions(code)} or code.co_name != "f"
            found |= {name for name in code.co_names if name.startswith("<")}
            pending += [constant for constant in code.co_consts if isinstance(constant, type(code))]
        return found

    assert helpers("y = a.b\nx.c(1)\npass") == set()
    assert helpers("class A:\n    def f(self, x):\n        self.x = x.y\n        self.x += 1\n") == set()
    assert helpers("class A:\n    def f(self):\n        return [lambda: self.x.y for _ in x.z]\n") == set()
    for store in (
        "x.y = 1",
        "x.y += a.b",
        "for x.y in a.b: pass",
        "class A:\n    def f(self):\n        self = x.z\n        self.y = 1",
    ):
        assert helpers(store) == {"<own>"}


def test_a_class_that_died_leaves_no_trace() -> None:
    import gc

    from tensorsh.sandbox import classes

    gc.collect()
    before = len(classes.script_classes)
    run("class A: pass\nA()._x = 1")
    gc.collect()
    assert len(classes.script_classes) == before


def test_numpy_never_sees_a_forged_address() -> None:
    text = """
class Lie:
    def __getattr__(self, name):
        return {'data': (4096, False), 'typestr': '<i8', 'shape': (1,), 'version': 3}
array(Lie())
"""
    with pytest.raises(TypeError, match="makes no arrays of 'Lie' objects"):
        run(text, array=np.array)
