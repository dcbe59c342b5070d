# ruff: noqa
"""Distributions, transforms and optimizers of one's own; what warns; what ``torch.func`` refuses."""

import torch, torch.distributions as D, warnings
from torch.distributions import constraints


class T(D.Transform):
    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = 1

    def __init__(self, k, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.k = k

    def _call(self, x):
        return (self.k * x).exp()

    def _inverse(self, y):
        return y.log() / self.k

    def log_abs_det_jacobian(self, x, y):
        return self.k * x + torch.tensor(float(self.k)).log()

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else T(self.k, cache_size)


t = T(2)
print(
    t.inv(t(torch.tensor(1.0))),
    t,
    D.TransformedDistribution(D.Normal(0.0, 1.0), t).log_prob(torch.tensor(2.0)),
    t.with_cache()._cache_size,
)


class Half(D.Distribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale, validate_args=None):
        (self.scale,) = D.utils.broadcast_all(scale)
        super().__init__(self.scale.shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Half, _instance)
        new.scale = self.scale.expand(batch_shape)
        super(Half, new).__init__(batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def rsample(self, shape=torch.Size()):
        return self.scale * torch.ones(self._extended_shape(shape)).abs()

    def log_prob(self, v):
        if self._validate_args:
            self._validate_sample(v)
        return -self.scale.log().expand_as(v)


h = Half(torch.tensor([1.0, 2.0]))
print(
    h,
    h.rsample((2,)),
    h.sample((3,)).shape,
    h.log_prob(torch.ones(2)),
    h._batch_shape,
    h._event_shape,
    h.expand((3, 2)).rsample().shape,
)


class LogU(D.TransformedDistribution):
    arg_constraints = {"low": constraints.positive}

    def __init__(self, low):
        self.low = low
        super().__init__(D.Uniform(low.log(), torch.ones_like(low)), D.ExpTransform())

    @property
    def support(self):
        return constraints.positive


print(LogU(torch.tensor([0.5])).log_prob(torch.ones(1)))


class Opt(torch.optim.Optimizer):
    def __init__(self, p):
        super().__init__(p, dict(lr=1.0))

    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                self.state[p].setdefault("step", 0)
                self.state[p]["step"] += 1


w = torch.ones(1, requires_grad=True)
o = Opt([w])
o.step()
o2 = Opt([w])
o2.load_state_dict(o.state_dict())
print(o2.state_dict())


class A2(torch.optim.Adam):
    pass


a = A2([w])
a.load_state_dict(
    {
        "state": {0: {"step": 3, "exp_avg": torch.zeros(1), "exp_avg_sq": torch.zeros(1)}},
        "param_groups": a.state_dict()["param_groups"],
    }
)
print(a.state[w])
with warnings.catch_warnings(record=True) as ws:
    warnings.simplefilter("always")
    torch.utils.data.DataLoader([1], num_workers=500)
    torch.nn.Linear(1, 1).state_dict({})
    for q in ws:
        print(q.category.__name__, str(q.message).split("Our suggested")[0])
for f in (
    lambda: torch.func.jvp(lambda a: a, (w,), (w, w)),
    lambda: torch.func.jvp(lambda a: a, (), ()),
    lambda: torch.func.jvp(lambda a: 3, (w,), (w,)),
    lambda: torch.func.jacfwd(lambda a: 3)(w),
    lambda: torch.func.jacrev(lambda a: a.long())(w),
    lambda: torch.func.jacrev(lambda a: a, chunk_size=-1)(w),
    lambda: torch.func.jacfwd(lambda a: a, randomness="a")(w),
    lambda: torch.vmap(lambda a: a)(),
    lambda: torch.vmap(lambda a: a, chunk_size=0)(w),
    lambda: torch.func.grad(lambda a: a.sum(), argnums="a")(w),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
padded = torch.tensor([[1, 2], [3, 0]])
print(torch.nn.utils.rnn.unpad_sequence(padded, torch.tensor([2, 1])), padded)
wide = torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(3)], padding_side="left")
print(torch.nn.utils.rnn.unpad_sequence(wide, torch.tensor([2, 3])), wide.shape)
