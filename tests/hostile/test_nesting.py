"""What is nested without bounds is answered or refused: Python's own stack, the walks of the library, and the process hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensorsh import Session

DEEP = """
import copy, io, json, pprint
def deep(n, make=lambda x: [x]):
    x = make(1)
    for i in range(n): x = make(x)
    return x
def tried(*calls):
    told = set()
    for call in calls:
        try:
            call()
            told.add("answered")
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError, MemoryError, KeyError, AssertionError) as e:
            told.add(type(e).__name__)
    return told
"""

PROGRAMS = {
    "lists": """
for n in [400, 20000]:
    l = deep(n); p = deep(n, lambda x: (x,)); d = deep(n, lambda x: {1: x}); x = ones(3)
    tried(lambda: torch.tensor(l), lambda: np.array(l), lambda: torch.stack(l), lambda: torch.cat(l), lambda: l == deep(n),
          lambda: repr(l), lambda: hash(p), lambda: str(d), lambda: x[l], lambda: x[p], lambda: torch.ones(l), lambda: x.view(p),
          lambda: x.sum(p), lambda: F.pad(x, p), lambda: isinstance(1, p), lambda: torch.meshgrid(l), lambda: torch.Size(l),
          lambda: torch.utils._pytree.tree_flatten(l), lambda: torch.optim.SGD(l, 0.1), lambda: torch.autograd.grad(l, l),
          lambda: nn.Module().load_state_dict(d), lambda: torch.func.vmap(lambda x: x)(l), lambda: np.block(l),
          lambda: torch.testing.assert_close(l, l), lambda: np.dtype([("a", l)]), lambda: torch.sparse_coo_tensor(l, l))
""",
    "copies": """
for n in [400, 20000]:
    l = deep(n); d = deep(n, lambda x: {1: x})
    tried(lambda: copy.deepcopy(l), lambda: copy.deepcopy(d), lambda: json.dumps(l), lambda: json.loads("[" * n + "]" * n),
          lambda: torch.save(l, io.BytesIO()), lambda: pprint.pformat(l))
""",
    "modules": """
m = nn.Linear(1, 1)
for i in range(1200): m = nn.Sequential(m)
own = nn.Module(); own.me = own
for m in (m, own):
    tried(lambda: m(ones(1, 1)), lambda: repr(m), lambda: copy.deepcopy(m), lambda: m.state_dict(), lambda: m.double(),
          lambda: m.train(), lambda: m.apply(lambda q: q), lambda: list(m.parameters()), lambda: torch.save(m, io.BytesIO()))
""",
    "graphs": """
x = ones(2, requires_grad=True)
y = x
for i in range(50000): y = y + 1
print(tried(lambda: y.sum().backward(), lambda: copy.deepcopy(x)), x.grad.tolist())
del y
""",
    "hooks": """
x = ones(2, requires_grad=True)
def hook(g):
    q = x * 1
    q.register_hook(hook)
    q.sum().backward()
class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.clone()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad(): Again.apply(ones(1, requires_grad=True)).sum().backward()
        return g
class Passed(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return func(*args)
tried(lambda: hook(None), lambda: Again.apply(x).sum().backward(), lambda: ones(2).as_subclass(Passed) + 1)
""",
    "methods": """
class R:
    def __repr__(self): return repr(self)
    def __eq__(self, o): return self == o
    def __hash__(self): return hash(self)
    def __getattr__(self, n): return getattr(self, n)
    def __len__(self): return len(self)
    def __index__(self): return self.__index__()
    def __float__(self): return float(self)
    def __iter__(self): return iter(self)
    def __getitem__(self, i): return self[i]
    def __add__(self, o): return self + o
r = R()
x = ones(3)
print(tried(lambda: repr(r), lambda: r == r, lambda: {r: 1}, lambda: r.x, lambda: len(r), lambda: torch.ones(r),
      lambda: torch.tensor([r]), lambda: list(r), lambda: x[r], lambda: x + r, lambda: torch.full((2,), r), lambda: np.array([r]),
      lambda: torch.cat(r), lambda: range(r), lambda: torch.arange(r), lambda: f"{r}"))
""",
    "partial objects": """
import functools
class Holder:
    def hold(self): self.held = 1
p = functools.partial(len)
def nest(n):
    global p
    for i in range(n):
        Holder.hold(p)
        p = functools.partial(p)
print(tried(lambda: nest(500), lambda: p([1]), lambda: nest(200000), lambda: p([1])), functools.partial(functools.partial(len)))
""",
}

CHILD = """
import sys, warnings
warnings.simplefilter("ignore")
from tensorsh import Session
session = Session(max_memory=2 << 30)
session.run("import torch.nn as nn, torch.nn.functional as F, numpy as np")
session.run(sys.stdin.read())
print("held")
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_nests_without_bounds_ends_in_one_piece(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=DEEP + PROGRAMS[name],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.splitlines()[-1] == "held"
    if name == "graphs":
        assert done.stdout.splitlines()[0] == "{'answered'} [1.0, 1.0]"
    if name == "partial objects":
        assert done.stdout.splitlines()[0].endswith("functools.partial(<built-in function len>)")


def test_what_is_ignored_at_the_limit_of_recursion_shows_no_code_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    """Generators that are freed there raise where nobody can catch it."""
    program = """
def g():
    try: yield
    finally: h()
def h():
    torch.set_grad_enabled(False); k = g(); next(k); del k
h()
"""
    limit = sys.getrecursionlimit()
    Session().run("1")
    Session().run(program)
    told = capfd.readouterr().err
    assert (
        "Exception ignored" in told
        and "setrecursionlimit" not in told
        and "sandbox" not in told
        and "session.py" not in told
    )
    assert sys.getrecursionlimit() == limit
