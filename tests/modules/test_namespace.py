"""Namespaces, the import statement and the builtins."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest

from tensorsh.sandbox.environment import make_environment
from tensorsh.sandbox.namespace import Lazy, Namespace, nearest, public_names

from .test_escapes import run


def test_a_namespace_is_a_read_only_module() -> None:
    made: list[int] = []
    inner = Namespace("m.inner", {"x": 1})
    table: dict[str, Any] = {"a": 1, "b": Lazy(lambda: made.append(1) or "b"), "inner": inner, "_hidden": 3}
    m = Namespace("m", lambda: table, doc="Words.")
    assert (m.a, m.b, m.b, m.inner.x, made) == (1, "b", "b", 1, [1])
    assert repr(m) == "<module 'm'>" and m.__name__ == "m" and m.__doc__ == "Words."
    assert dir(m) == ["_hidden", "a", "b", "inner"] and m.__all__ == ["a", "b", "inner"] == public_names(m)
    assert copy.copy(m) is m and copy.deepcopy(m) is m
    table["later"] = 2
    assert m.later == 2
    for change in ("m.a = 2", "m.new = 1", "del m.a", "m.__class__ = int"):
        with pytest.raises(AttributeError, match="read-only"):
            exec(change, {"m": m})
    with pytest.raises(AttributeError) as caught:
        m.inne  # noqa: B018
    assert str(caught.value) == "module 'm' has no attribute 'inne'" and caught.value.name == "inne"
    assert nearest(m, "inne") == ["inner"]
    with pytest.raises(TypeError):
        type("Sub", (Namespace,), {"__module__": "__main__"})


def test_missing_names_may_be_made() -> None:
    def missing(name: str) -> int:
        if name == "made":
            return 5
        raise AttributeError(f"not yet: {name}")

    m = Namespace("m", {}, missing=missing, public=["made"])
    assert m.made == 5 and m.__dict__["made"] == 5 and m.__all__ == ["made"]
    with pytest.raises(AttributeError, match="not yet: other"):
        m.other  # noqa: B018


def torch() -> Namespace:
    functional = Namespace("torch.nn.functional", {"relu": len})
    nn = Namespace("torch.nn", {"Linear": int, "functional": functional})
    return Namespace("torch", {"nn": nn, "pi": 3, "__version__": "2"})


def test_imports() -> None:
    scope = run(
        """
import torch, math as m
import torch.nn as nn
import torch.nn.functional as F
from torch import nn as n2, pi
from torch.nn import functional, Linear
from torch import *
import torch.nn.functional
r = [torch.nn is nn, nn.functional is F, n2 is nn, pi, functional is F, Linear, m.pi]
class A:
    import math
r.append(A.math.e)
def later():
    from transformers import GPT2LMHeadModel
""",
        modules={"torch": torch},
    )
    import math

    assert scope["r"] == [True, True, True, 3, True, int, math.pi, math.e]
    assert "nn" in scope


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("import transformers", ModuleNotFoundError, "No module named 'transformers'"),
        ("from transformers import x", ModuleNotFoundError, "No module named 'transformers'"),
        ("import os.path2", ModuleNotFoundError, "No module named 'os.path2'"),
        ("import math.x", ModuleNotFoundError, "No module named 'math.x'; 'math' is not a package"),
        ("import torch.nn.Linear", ModuleNotFoundError, "No module named 'torch.nn.Linear'"),
        ("from torch import softmax", ImportError, "cannot import name 'softmax' from 'torch' (unknown location)"),
        ("from numpy import f2py", ImportError, "cannot import name 'f2py' from 'numpy' (unknown location)"),
        ("eval('1')", NameError, "name 'eval' is not available in tensorsh: a script cannot run text as code"),
        ("memoryview(b'')", NameError, "name 'memoryview' is not available"),
        ("undefined", NameError, "name 'undefined' is not defined"),
        ("type('A', (), {'__del__': len})", AttributeError, "'__del__' cannot be defined in a class in tensorsh"),
        ("input()", EOFError, "input() reads a terminal"),
        ("exit(3)", SystemExit, "3"),
        ("import sys\nsys.exit('bye')", SystemExit, "bye"),
        ("import math\nmath.sqrtt", AttributeError, "module 'math' has no attribute 'sqrtt'"),
        ("import numpy as np\nnp.zeros(3, dtype=object)", TypeError, "arrays of Python objects (dtype=object)"),
        ("class A(type(lambda: 0)): pass", TypeError, "type 'function' is not an acceptable base type"),
        ("import numpy as np\nclass A(np.ndarray): pass", TypeError, "type 'ndarray' is not an acceptable base type"),
        ("open('x')", PermissionError, "reading 'x' needs --allow-read=x"),
    ],
)  # fmt: skip
def test_errors(source: str, kind: type[BaseException], message: str) -> None:
    with pytest.raises(kind) as caught:
        run(source, modules={"torch": torch})
    assert type(caught.value) is kind
    assert str(caught.value).startswith(message)


def test_builtins() -> None:
    out = io.StringIO()
    scope = run(
        """
class Base: pass
class A(Base):
    def __init__(self): super().__init__(); self.x = 1; self._y = 2
def f(a):
    b = 2
    return sorted(locals()), sorted(dir())
print("a", 1, sep="-", end="!")
print("b", file=None, flush=True)
name = input("name? ")
vars(A())["x"]
r = [type(1), type(A()) is A, isinstance(A, type), isinstance(int, type), type(int) is type,
     type(type) is type, str(type),
     issubclass(A, Base), f(1), "r" in globals(), sorted(vars(A()))[:2], [n for n in dir(A()) if n == "x"],
     "format" in dir(""), "tofile" in dir(""),
     getattr(A(), "x"), getattr(A(), "zz", 5), hasattr(A(), "zz"), pow(2, 5), name, __name__, callable(print),
     list[int], type[int]]
def typed(cls: type) -> type[A]: return cls
case = match_type = None
match 3:
    case int(): case = "int"
""",
        stdout=out,
        stdin=io.StringIO("Ada\nrest"),
    )
    assert [repr(x) for x in scope["r"]] == [
        "<class 'int'>", "True", "True", "True", "True", "True", '"<class \'type\'>"', "True", 
        "(['a', 'b'], ['a', 'b'])", "False",
        "['_y', 'x']", "['x']", "True", "False", "1", "5", "False", "32", "'Ada'", "'__main__'", "True",
        "list[int]", "type[int]",
    ]  # fmt: skip
    assert out.getvalue() == "a-1!b\nname? "
    assert scope["case"] == "int"


def test_print_is_pythons_own_without_a_stream() -> None:
    assert make_environment().builtins["print"] is print


def test_output_streams() -> None:
    out, err = io.StringIO(), io.StringIO()
    run(
        "import sys\nsys.stdout.write('a')\nprint('b', file=sys.stderr)\nsys.stdout.flush()\nprint('c')",
        stdout=out,
        stderr=err,
    )
    assert (out.getvalue(), err.getvalue()) == ("ac\n", "b\n")


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nnp.finfo.eps = 1",
        "import numpy as np\nnp.ndarray.sum = 1",
        "import numpy as np\nnp.random.RandomState.rand = 1",
        "import numpy as np\nnp.random.rand.__self__.x = 1",
        "import numpy as np\nnp.random.default_rng(0).normal = 1",
        "import inspect\ninspect.Signature.parameters = 1",
        "import enum\nenum.Enum.extra = 1",
        "import dataclasses\ndataclasses.Field.name = 1",
        "import sys\nsys.stdout.write = 1",
        "import sys\ntype(sys.stdout).write = 1",
        "import math\ntype(math).__repr__ = 1",
        "import functools\nfunctools.cached_property.x = 1",
        "type.x = 1",
        "int.x = 1",
        "import collections.abc\ncollections.abc.Sequence.register(int)",
        "import collections.abc\nclass A(collections.abc.Sequence): pass\nA.register(int)",
        "import abc\nclass A(abc.ABC): pass\ndel A._abc_impl",
    ],
)
def test_library_objects_cannot_be_changed(source: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        run(source)


def test_types_of_modules_have_a_stand_in() -> None:
    class Special(Namespace):
        __module__ = "tensorsh.torch"

    source = "import math, t\nr = [type(t), type(t) is type(math), isinstance(t, type(math))]"
    scope = run(source, modules={"t": Special("t", {})})
    assert str(scope["r"]) == "[<class 'module'>, True, True]"


@pytest.mark.parametrize(
    "source",
    [
        "type(np.r_)('ndarray')",
        "class X(type(np.r_)): pass",
        "type(sys.stdout)(None, '__stdout__')",
        "type(sys.stdout).__init__(sys.stdout, None, '__stdout__')",
        "class X(np.random.RandomState): __module__ = 'numpy.random'",
        "class X(np.random.BitGenerator): pass\nX()",
        "class A: pass\nnp.random.RandomState.__new__(A)",
        "class A: pass\nnp.random.RandomState.__init__(A(), 0)\nA()._real",
        "class A: pass\nnp.random.PCG64.__new__(A)",
        "np.random.RandomState(0)._real",
        "np.finfo(float)._real",
        "type(np.random.RandomState).x",
        "np.random.BitGenerator()",
    ],
)
def test_stand_ins_lend_nothing_of_what_they_hide(source: str) -> None:
    with pytest.raises((AttributeError, TypeError)):
        run(f"import numpy as np, sys\n{source}")


def test_annotations_as_text_mark_fields_of_dataclasses() -> None:
    """`from __future__ import annotations` makes texts of ClassVar, InitVar and KW_ONLY; as in Python they still count."""
    source = """from __future__ import annotations
import collections, dataclasses
from dataclasses import dataclass, InitVar, KW_ONLY
from typing import ClassVar
@dataclass
class P:
    x: float
    scale: InitVar[float] = 1.0
    _: KW_ONLY = None
    tag: str = 'p'
    D: ClassVar[int] = 2
    def __post_init__(self, scale): self.x *= scale
class Registry(collections.UserDict):
    def register(self, f): self[f.__name__] = f; return f
r = Registry()
@r.register
def f(): pass
seen = [str(P(2, 3.0, tag='q')), [f.name for f in dataclasses.fields(P)], list(r)]"""
    assert run(source)["seen"] == ["P(x=6.0, tag='q')", ["x", "tag"], ["f"]]
