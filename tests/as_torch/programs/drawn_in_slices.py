# ruff: noqa
"""Random numbers in functions that vmap maps, by the three modes of randomness; trees of classes as arguments; what is refused."""

import torch
from functorch.experimental import chunk_vmap
from torch import vmap
from torch.nn import functional as F
from torch.utils import _pytree


def t(name, f):
    torch.manual_seed(0)
    own.manual_seed(0)
    try:
        print(name, f())
    except Exception as e:
        print(name, "ERR", type(e).__name__, str(e).split("\n")[0][:200])


own = torch.Generator()
x = torch.ones(4, 3)
OPS = dict(
    bernoulli=lambda t: torch.bernoulli(t / 2),
    bernoulli_=lambda t: t.clone().bernoulli_(),
    by=lambda t: t.clone().bernoulli_(t / 3),
    normal_=lambda t: t.clone().normal_(),
    twice=lambda t: t.clone().normal_() + t.clone().normal_(),
    own=lambda t: torch.randn(3, generator=own) + t,
    with_own=lambda t: torch.bernoulli(t / 2, generator=own),
    multinomial=lambda t: torch.multinomial(t, 2),
    multinomial_own=lambda t: torch.multinomial(t, 2, generator=own),
    dropout=lambda t: F.dropout(t),
    evaluated=lambda t: F.dropout(t, training=False),
    rand_like=torch.rand_like,
    poisson=torch.poisson,
    normal=lambda t: torch.normal(t, t),
    of_mean=lambda t: torch.normal(t, 1.0),
    of_std=lambda t: torch.normal(1.0, t),
    permuted=lambda t: t[torch.randperm(3)],
    binomial=lambda t: torch.binomial(t * 5, t / 2),
    gamma=lambda t: torch._standard_gamma(t),
    dirichlet=lambda t: torch._sample_dirichlet(t),
    apart=lambda t: torch.ones(3).normal_() + t,
    apart_by=lambda t: torch.bernoulli(torch.ones(3) / 2) + t,
    init=lambda t: torch.nn.init.xavier_uniform_(torch.empty(2, 2)).sum() + t,
    distribution=lambda t: torch.distributions.Gamma(t, t).rsample(),
)
for mode in ("error", "same", "different"):
    for name, op in OPS.items():
        t(f"{mode} {name}", lambda: vmap(op, randomness=mode)(x))

images = torch.ones(3, 3, 14, 14, 4)
for mode in ("same", "different"):
    t(mode, lambda: vmap(lambda i: i.clone().normal_().sum(), -1, randomness=mode)(images))
    t(mode, lambda: vmap(lambda i, u: torch.normal(0.0, i).sum(), (None, 0), randomness=mode)(images, x))
t("chunks", lambda: chunk_vmap(lambda i: i * 2, chunks=3)(x).shape)


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


_pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda c, _: Pair(*c))
found = vmap(lambda p: Pair(p.a + p.b, p.b))(Pair(torch.ones(3), torch.arange(3.0)))
print(type(found).__name__, found.a, found.b)
print(torch.func.grad(lambda p: (p.a * p.b).sum())(Pair(torch.ones(2), torch.ones(2))).a)
print(vmap(lambda y: y.max(0))(torch.arange(6.0).reshape(2, 3)))
part = torch.arange(12.0).reshape(3, 2, 2)
print(vmap(vmap(lambda s: s.as_strided([2], [1])), in_dims=1)(part))
print(vmap(lambda s: torch.tensor(float(s.is_contiguous())), in_dims=2)(part))

t("float", lambda: vmap(torch.sin, in_dims=1.0)(x))
t("text", lambda: vmap(torch.sin, in_dims=("a",))(x))
t("list", lambda: vmap(torch.sin, in_dims=[0])(x))
t("none", lambda: vmap(torch.sin, in_dims=None)(x))
t("many", lambda: vmap(torch.mul, in_dims=(0, 0, 0))(x, x))
t("into", lambda: vmap(torch.sin, out_dims="a")(x))
t("into many", lambda: vmap(torch.sin, out_dims=(0, 0))(x))
t("into one", lambda: vmap(torch.sin, out_dims=(1,))(x).shape)
t("into pair", lambda: vmap(lambda y: (y, y), out_dims=(0, 0, 0))(x))
t("partial", lambda: vmap(__import__("functools").partial(torch.sin), in_dims=3)(x))
