"""Completion, inspection, hints and diagnostics look at values without running anything of a program's."""

from __future__ import annotations

import pytest

from tensorsh import Session
from tensorsh.assist.about import inspect
from tensorsh.editor.running import described
from tensorsh.editor.world import told
from tensorsh.language import peek

PROGRAM = """
ran = []
class E:
    def __repr__(self):
        ran.append('repr'); return 'E'
    def __getattr__(self, name):
        ran.append('getattr ' + name); return 3
    @property
    def p(self): ran.append('p'); return 3
    def __dir__(self): ran.append('dir'); return []
    def __len__(self): ran.append('len'); return 3
    def __eq__(self, o): ran.append('eq'); return False
    def __hash__(self): ran.append('hash'); return 1
    def __iter__(self): ran.append('iter'); return iter([])
    def __bool__(self): ran.append('bool'); return True
    def __call__(self, x): ran.append('call')
    def __getitem__(self, i): ran.append('getitem'); return 3
e = E()
class D:
    def __get__(self, i, o): ran.append('get'); return 3
class F:
    d = D()
    __slots__ = ('x',)
    def __str__(self): ran.append('str'); return ''
f = F()
l = [e]; t = (e, [e]); d = {'a': e, e: 1}; ss = {e}
from collections import OrderedDict, defaultdict, Counter, deque
from functools import partial
o = OrderedDict(a=e); dd = defaultdict(list, a=e); c = Counter(a=e); dq = deque([e])
pp = partial(e, e)
m = torch.nn.Linear(2, 2)
class M(torch.nn.Module):
    def extra_repr(self): ran.append('extra'); return ''
    def __repr__(self): ran.append('mrepr'); return ''
mm = M(); seq = torch.nn.Sequential(M())
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        ran.append('tf ' + func.__name__); return super().__torch_function__(func, types, args, kwargs or {})
    def __repr__(self): ran.append('trepr'); return ''
tt = torch.ones(2).as_subclass(T)
def fun(a=e, *, b=l): pass
class S(str):
    def __repr__(self): ran.append('srepr'); return ''
fun.__doc__ = S('x')
lam = lambda x=e: 1
import types, argparse, numpy as np
ns = types.SimpleNamespace(a=e); an = argparse.Namespace(a=e)
it = iter(l); gen = (x for x in [e]); r = range(3); sl = slice(e, e)
err = ValueError(e)
opt = torch.optim.SGD([tt.detach().as_subclass(T).requires_grad_()], 0.1)
dl = torch.utils.data.DataLoader([e])
pl = torch.nn.ParameterList([torch.ones(2)])
ran.clear()
class Claims:
    __module__ = "torch"
    def __repr__(self): ran.append('claims'); return ''
    shape = dtype = property(lambda self: ran.append('shape'))
Claims.__name__ = "Tensor"
cl = Claims(); lc = [cl]
np.set_printoptions(formatter={"all": lambda x: ran.append("formatter") or "x"})
la = [np.ones(3), {"a": np.ones(2)}]
def fa(x=np.ones(2)): pass
ran.clear()
"""


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    made.run(PROGRAM)
    return made


def test_looking_runs_nothing(session: Session) -> None:
    ran = session.variables["ran"]
    for name in list(session):
        session.inspect(name)
        for text in (name + ".", name + '["', name + "(", name[:1]):
            session.complete(text, len(text))
        described(session[name])
        peek.text_of(session[name])
        assert ran == [], name
    told(session)
    with pytest.raises(RuntimeError):
        session.run("tt + torch.ones(3)")
    ran.clear()
    try:
        session.run("tt @ torch.ones(3)")
    except RuntimeError as error:
        ran.clear()
        assert "[2]" in session.diagnose(error)
    assert ran == []


def test_texts_of_values(session: Session) -> None:
    session.run(
        "plain = [1, (2.5,), {'a': None}, set(), {3}, frozenset(), torch.ones(1), torch.float32, range(3), 'x', ()]"
    )
    assert peek.text_of(session["plain"]) == session.run("repr(plain)")
    assert (
        peek.text_of(session["l"]) == "[<E object>]"
        and peek.text_of(session["d"]) == "{'a': <E object>, <E object>: 1}"
    )
    found = inspect(session, "fun")
    assert found is not None and found.signature == "(a=..., *, b=[<E object>])"
