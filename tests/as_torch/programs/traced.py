"""Traced modules: annotations, arguments by place and by name, what is told, pickled graphs, parts that are replaced."""

# ruff: noqa: B023, F811, UP006, UP007, UP035, UP045 - as programs are written that trace what they have

import copy
import dataclasses
import enum
import pickle
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
import torch.fx as fx
import torch.utils._pytree as p
from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.fx.subgraph_rewriter import replace_pattern


def t(f):
    try:
        print(f())
    except BaseException as e:
        print(type(e).__name__, str(e)[:300])


class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(3, 2)
        self.w = torch.nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor, s: Optional[int] = None) -> torch.Tensor:
        return self.l(x) + self.w.relu()


m = fx.symbolic_trace(A())
print(m.code)
n = pickle.loads(pickle.dumps(m))
print(n.code == m.code)
print(n.graph)
x = torch.ones(1, 3)
print(torch.equal(n(x), m(x)))


def f(
    x: List[torch.Tensor],
    y: Dict[str, int],
    z: Tuple[int, ...] = (),
    w: Union[int, str] = 3,
    v: int | None = None,
    *,
    k: "torch.Tensor" = None,
) -> list[str]:
    return x


t(lambda: fx.symbolic_trace(f).code)


def f(x) -> Tuple[torch.Tensor, Any]:
    return x, x


t(lambda: fx.symbolic_trace(f).code)


def f(x, *args, **kwargs):
    return x + args[0] + kwargs["foo"]


g = fx.symbolic_trace(f)
t(lambda: g.code)
t(lambda: g(1, 2, foo=3))
print(g.graph)


class B(torch.nn.Module):
    def forward(self, *args):
        return args[0] + args[1]


g = fx.symbolic_trace(B())
t(lambda: g.code)
t(lambda: g(1, 2))
t(lambda: fx.Interpreter(g).run(1, 2))


class E(enum.Enum):
    A = 1


def ff(x, e):
    return x


fx.wrap("ff")


def f(x):
    return ff(x, E.A)


t(lambda: fx.symbolic_trace(f).graph)


@dataclasses.dataclass
class D:
    a: Any
    b: Any


def f(x):
    return D(x + 1, [x])


t(lambda: fx.symbolic_trace(f).code)
t(lambda: fx.symbolic_trace(f)(3))


class P(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        if self.w.dim() == 2 and self.w.shape[0] == 2:
            return x + self.w.size(1) + self.w.nelement()
        return x


tr = fx.Tracer(param_shapes_constant=True)
t(lambda: fx.GraphModule(P(), tr.trace(P())).code)


def f(a, b, c=None):
    return a if b else a + 1


for ca in ({"b": True}, {"b": 1, "c": None}, {"b": 2.5}, {"b": "s"}):
    t(lambda: fx.symbolic_trace(f, concrete_args=ca).code)
g = fx.symbolic_trace(f, concrete_args={"b": True})
t(lambda: g(1, True))
t(lambda: g(1, False))


def f(a, b):
    return a if b is None else a + 1


g = fx.symbolic_trace(f, concrete_args={"b": None})
t(lambda: g.code)
t(lambda: g(1, None))
t(lambda: g(1, False))

l = immutable_list([1, 2])
d = immutable_dict(a=1)
t(lambda: l.append(3))
t(lambda: d.update({}))
t(lambda: d.__setitem__("a", 2))
print(l, d)
t(lambda: l.sort())
t(lambda: l + [1])
t(lambda: type(l.copy()))

t(lambda: p.tree_flatten(l))
t(lambda: p.tree_flatten(d))
t(lambda: type(p.tree_map(lambda x: x, l)))

t(lambda: pickle.loads(pickle.dumps(l)))
t(lambda: type(copy.deepcopy(d)))


def f(x):
    torch._assert(x.sum() > 0, "m")
    torch.relu(x + 1)
    return x


g = fx.symbolic_trace(f)
g.graph.eliminate_dead_code()
print(g.graph)
n = [n for n in g.graph.nodes if n.op == "call_function"][-1]
t(lambda: type(n.args))


def f(x):
    return torch.cat([x, x])


g = fx.symbolic_trace(f)
n = list(g.graph.nodes)[1]
t(lambda: type(n.args[0]))
t(lambda: n.args[0].append(1))
t(lambda: type(n.kwargs))
t(lambda: n.kwargs.__setitem__("a", 1))


def M(x):
    a = x + 1
    b = a * 2
    c = b.relu()
    return c + a


def pat(x):
    a = x + 1
    b = a * 2
    return b, a


def rep(x):
    a = x - 1
    return a * 3, a


g = fx.symbolic_trace(M)
r = replace_pattern(g, pat, rep)
print(g.code, len(r))
print(r[0])


def pat(x, y):
    return torch.cat([x, y]).sum()


def M(x, y):
    return torch.cat([x, y]).sum() + torch.cat([y, y]).sum()


g = fx.symbolic_trace(M)
r = replace_pattern(g, pat, lambda x, y: x.sum() + y.sum())
print(g.code, len(r))
print(r, torch.func.grad(3).__qualname__)

for name in "relu dropout glu layer_norm cross_entropy embedding_bag softmax conv2d".split():
    try:
        made = torch.fx.symbolic_trace(getattr(torch.nn.functional, name))
        print(made.graph, made.code)
    except AssertionError as error:
        print(name, error)
