"""Ways from torch to the engine, to Python and to files: none of them leads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorsh import Session

from .test_crawl_torch import why_not
from .test_escapes import REFUSALS
from .torch_escapes import ESCAPES, ONCE

ATTEMPTS = r"""
torch.float32.name = 3
torch.float32.itemsize = 3
torch.float32.numpy = None
torch.strided.x = 1
torch.contiguous_format.name = "a"
torch.device("cpu").type = "cuda"
d = ones(1).device; d.type = "x"
torch.Generator().core
torch.Size.__init__.__globals__
torch.add.__globals__
torch.add.__code__.co_consts
torch.add.__closure__
torch.add.operator
torch.add._operator
torch.Tensor.add.__globals__
ones(1).add.__func__
nn.Linear.forward.__globals__
nn.functional.relu.__globals__
torch.os
torch.sys
torch.np
torch.numpy
from torch import os
from torch.nn import math
import torch.nn.functional as F; F.np
import torch.utils.data as d; d.os
torch.nn.modules.sys
torch._table
torch.nn._table
torch.nn.functional._table
torch._missing
torch.load("/etc/passwd")
torch.save(ones(1), "/tmp/escape.pt")
torch.hub.load("a", "b")
torch.utils.data.DataLoader([1], num_workers=1).worker_init_fn.x
torch.ops.load_library("x")
torch.classes.load_library("x")
torch.jit.load("x")
torch.jit.script(nn.Linear(1, 1)).save("/tmp/escape.pt")
torch.jit.script(lambda x: x).__wrapped__
torch.jit.script(lambda x: x).__call__.__globals__
type(torch.jit.script(nn.Linear(1, 1))).__mro__
torch.serialization.skip_data().__enter__.__globals__
torch.from_file("/etc/passwd")
torch.UntypedStorage.from_file("/etc/passwd")
torch.as_strided(ones(2), (100,), (1,))
ones(2).as_strided((10,), (1,), 5)
ones(2).storage()._owner
ones(2).untyped_storage()._owner
ones(2).untyped_storage().__init__
ones(2).numpy().ctypes
ones(2).numpy().tofile("/tmp/x")
ones(2).numpy().setflags(write=True)
ones(2).__array_interface__
ones(2).__dlpack__
type(ones(2).numpy())((1,), dtype=object, buffer=bytearray(8))
torch.tensor([object()])
torch.from_numpy(np.array([1], dtype=object))
torch.frombuffer(print, dtype=torch.uint8)
ones(2).__reduce__
ones(2).__reduce_ex__(2)
import copy; copy.copy(torch)._table
nn.Linear(1,1).__dict__
nn.Module.__subclasses__()
torch.Tensor.__subclasses__()
torch.Tensor.mro()
type(torch)("x", {})
torch.relu.__self__
ones(1, requires_grad=True).exp().grad_fn._operator
ones(1, requires_grad=True).exp().grad_fn._backward_cls
torch.autograd.Function._backward_cls
torch.optim.SGD.__init__.__globals__
torch.no_grad()(lambda: 1).__wrapped__
torch.no_grad()(lambda: 1).__closure__
torch.utils.checkpoint.checkpoint.__globals__
torch.nn.init.xavier_uniform_.__globals__
torch.autograd.grad_mode.sys
torch.distributions.kl.register_kl.__globals__
torch.testing.assert_close.__globals__
torch.cuda.nvtx.x
torch.compile(lambda: 1).__closure__
"{0.__class__.__mro__}".format(ones(1))
"{0._operator}".format(torch.add)
f"{ones(1).__class__.__mro__}"
getattr(ones(1), "_cell")
getattr(torch.add, "__glo" + "bals__")
import operator; operator.attrgetter("__globals__")(torch.add)
match torch.add:\n    case object(__globals__=g): pass
import functools; functools.partial(torch.add).func.__globals__
vars(torch)["x"]
vars(ones(1))
torch.__dict__
torch.__loader__
torch.__spec__
torch.nn.__path__
torch.return_types.__dict__
nn.Linear(1,1).register_forward_hook(print).hooks.x
class A(torch.Tensor):\n    __array_interface__ = 1
class A(nn.Module):\n    def __getattribute__(self, n): return 1
class A:\n    @classmethod\n    def __torch_function__(c, f, t, a=(), k=None): return f.__globals__\ntorch.add(A(), 1)
class A(torch.Tensor):\n    @classmethod\n    def __torch_function__(c, f, t, a=(), k=None): return f.__closure__\nA([1.]) + 1
class A(torch.Tensor): pass\nA([1.])._array
class A(torch.Tensor): pass\nA([1.])._array = 1
class A(type(nn.Module)): pass
class A(torch): pass
import functools; functools.wraps(torch.relu)(lambda x: x)._operator
import functools; functools.update_wrapper(lambda x: x, torch.relu)._operator
torch.vmap(np.generic).tofile(np.float64(1), "leak")
torch.func.grad(np.generic).dump(np.float64(1), "leak")
torch.func.jacrev(np.generic).dumps(np.float64(1))
torch.autocast("cpu")(np.generic).dump(np.float64(1), "leak")
torch.overrides.wrap_torch_function(lambda *a: ())(np.generic).dump(np.float64(1), "leak")
ones(1, requires_grad=True).exp().grad_fn.apply
ones(1, requires_grad=True).exp().grad_fn._step
class P(nn.Parameter): pass\nP(ones(2))._array
class P(nn.Parameter): pass\nP(ones(2))._array = 3
class P(nn.Parameter): pass\ngetattr(P(ones(2)), "_node")
class T(torch.Tensor):\n    _array = property(lambda s: s.seen)
class T(torch.Tensor):\n    __slots__ = ("_node",)
class T(torch.Tensor):\n    def __setattr__(self, name, value): print(value)
class T(torch.Tensor): pass\nT._cell = 3
class T(torch.Tensor): pass\nT.__setattr__ = print
class T(torch.Tensor): pass\nfor T._node in [3]: pass
class M: pass\nclass T(M, torch.Tensor): pass\nM._array = property(lambda s: 1)
class M: pass\nclass T(M, torch.Tensor): pass\nsetattr(M, "_array", 1)
class M:\n    _cell = 3\nclass T(M, torch.Tensor): pass
class A:\n    def __init_subclass__(c): c._array = 1\nclass T(A, torch.Tensor): pass
class A:\n    def __set_name__(s, c, n): c._array = 1\nclass T(torch.Tensor): x = A()
class F(torch.autograd.Function): pass\nF._backward_cls = int
class N(type(ones(1, requires_grad=True).exp().grad_fn)):\n    def _step(s, g, world): return world
import dataclasses\n@dataclasses.dataclass\nclass T(torch.Tensor):\n    _node: int = 3
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", ATTEMPTS)
def test_refused(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        (
            AttributeError,
            ImportError,
            NameError,
            PermissionError,
            RuntimeError,
            SyntaxError,
            TypeError,
            ValueError,
            NotImplementedError,
            OSError,
        )
    ) as caught:
        Session().run(source.replace("\\n", "\n"))
    assert str(caught.value)
    assert not Path("/tmp/escape.pt").exists()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", ESCAPES + ONCE, ids=range(len(ESCAPES + ONCE)))
def test_they_do_not_work_here(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session()
    try:
        session.run(source)
    except (*REFUSALS, NotImplementedError) as error:
        assert str(error)
    assert not list(tmp_path.iterdir())
    result = session["result"] if "result" in session else None
    assert result is not True and why_not(result) is None, f"{source}\n-> {result!r}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "change", ["n.shape = (2, 2)", "n.dtype = np.int16", "n.strides = (0,)", "n.flags.writeable = False"]
)
@pytest.mark.parametrize(
    "array",
    [
        "t.numpy()",
        "t.numpy().base",
        "t.detach().numpy(force=True)",
        "np.asarray(t)",
        "np.atleast_1d(t)",
        "t[:].numpy().base",
    ],
)
def test_what_is_done_to_an_array_is_not_done_to_the_tensor(array: str, change: str) -> None:
    got = Session().run(
        f"t = torch.tensor([1., 2., 3., 4.])\nn = {array}\ntry:\n  if n is not None: {change}\nexcept AttributeError: pass\n"
        "t.add_(1), t.stride()"
    )
    assert got[0].tolist() == [2.0, 3.0, 4.0, 5.0] and got[1] == (1,)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", ["from_numpy", "as_tensor", "asarray", "utils.data.default_convert"])
def test_what_is_done_to_an_array_is_not_done_to_a_tensor_on_it(make: str) -> None:
    got = Session().run(
        f"n = np.ones(4, 'f4')\nt = torch.{make}(n)\nn[0] = 5\n"
        "for change in (('shape', (2, 2)), ('dtype', np.int32)):\n  try: setattr(n, *change)\n  except AttributeError: pass\nt"
    )
    assert got.tolist() == [5.0, 1.0, 1.0, 1.0]
