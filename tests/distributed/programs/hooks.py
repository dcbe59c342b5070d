"""Communication hooks of DistributedDataParallel, what a bucket tells, averagers."""

import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed import GradBucket
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from torch.distributed.algorithms.model_averaging import averagers
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def made():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def train(model, opt=None, steps=3):
    opt = opt or torch.optim.SGD(model.parameters(), lr=0.5)
    out = []
    for s in range(steps):
        g = torch.Generator().manual_seed(s * 7 + rank)
        x, y = torch.randn(4, 6, generator=g), torch.randint(0, 3, (4,), generator=g)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        out.append(f"{loss.item():.5f}")
    return out, f"{sum(p.sum() for p in model.parameters()).item():.5f}"


def attempt(name, f):
    try:
        print(name, f())
    except BaseException as e:
        print(name, type(e).__name__, (str(e).splitlines() or [""])[0][:150])
    sys.stdout.flush()


print(train(DDP(made())))
for name in ("allreduce_hook", "fp16_compress_hook"):
    m = DDP(made())
    m.register_comm_hook(None, getattr(default, name))
    print(name, train(m))
m = DDP(made())
m.register_comm_hook(None, default.fp16_compress_wrapper(default.allreduce_hook))
print("wrapper", train(m))
seen = []


def mine(state: object, bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    seen.append(
        (
            bucket.index(),
            tuple(bucket.buffer().shape),
            bucket.is_last(),
            [tuple(g.shape) for g in bucket.gradients()],
            len(bucket.parameters()),
        )
    )
    t = bucket.buffer().div_(size)
    return dist.all_reduce(t, async_op=True).get_future().then(lambda f: f.value()[0])


m = DDP(made())
m.register_comm_hook(state=None, hook=mine)
print(train(m, steps=2))
print(seen[-1][3:])


def local(state, bucket):
    f = torch.futures.Future()
    f.set_result(bucket.buffer())
    return f


m = DDP(made())
m.register_comm_hook(None, local)
train(m, steps=1)
print("local", f"{m.module[0].weight.grad.sum().item():.5f}")

m = DDP(made())
m.register_comm_hook(None, mine)
attempt("twice", lambda: m.register_comm_hook(None, mine))
attempt("not callable", lambda: DDP(made()).register_comm_hook(None, 3))


def bad(state, bucket: int):
    return None


attempt("annotation", lambda: DDP(made()).register_comm_hook(None, bad))


def bad2(state, bucket: GradBucket) -> int:
    return None


attempt("annotation2", lambda: DDP(made()).register_comm_hook(None, bad2))


def average():
    m = DDP(made())
    av = averagers.PeriodicModelAverager(period=2, warmup_steps=1)
    opt = torch.optim.SGD(m.parameters(), lr=0.1)
    out = []
    from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook

    m.register_comm_hook(
        PostLocalSGDState(
            process_group=None,
            subgroup=dist.new_subgroups(1)[0] if False else dist.new_subgroups(group_size=1)[0],
            start_localSGD_iter=2,
        ),
        post_localSGD_hook,
    )
    for _ in range(5):
        out.append(train(m, opt, 1)[1])
        av.average_parameters(m.parameters())
    return out


attempt("averager", average)

m = DDP(made())
o = PostLocalSGDOptimizer(
    torch.optim.SGD(m.parameters(), lr=0.3), averagers.PeriodicModelAverager(period=2, warmup_steps=1)
)
m.register_comm_hook(None, local)
for _ in range(4):
    print(train(m, o, 1)[1])
print(sorted(o.state_dict()), o.state_dict()["step"])
attempt("period", lambda: averagers.PeriodicModelAverager(period=0))


class Unordered(nn.Module):
    """Its gradients come in another order than its parameters were made in."""

    def __init__(self):
        super().__init__()
        self.last, self.first, self.norm, self.third = (
            nn.Linear(8, 3),
            nn.Linear(6, 8),
            nn.LayerNorm(8),
            nn.Linear(8, 8),
        )

    def forward(self, x):
        return self.last(self.third(self.norm(self.first(x).relu())))


for cap, unused, views in ((25, False, False), (0.0005, False, True), (0.0005, True, False)):
    torch.manual_seed(0)
    m = DDP(Unordered(), bucket_cap_mb=cap, find_unused_parameters=unused, gradient_as_bucket_view=views)
    m.register_comm_hook(None, mine)
    for _ in range(3):
        seen.clear()
        print(cap, unused, views, train(m, steps=1), sorted(seen, key=lambda each: each[0]))
dist.destroy_process_group()
