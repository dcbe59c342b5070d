"""FullyShardedDataParallel: wrapping, training, states, clipping, accumulation."""

import functools

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)
from torch.distributed.fsdp import (
    FullyShardedDataParallel as FSDP,
)
from torch.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
CPU = torch.device("cpu")
shard = functools.partial(FSDP, device_id=CPU)


class Block(nn.Module):
    def __init__(self, n=8):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(n), nn.Linear(n, 3 * n), nn.Linear(3 * n, n)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.blocks, self.head = nn.Linear(6, 8), nn.ModuleList([Block(), Block()]), nn.Linear(8, 3)

    def forward(self, x):
        x = self.embed(x)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def made():
    torch.manual_seed(1)
    return Net()


def data(step):
    g = torch.Generator().manual_seed(100 * step + rank)
    return torch.randn(5, 6, generator=g), torch.randint(0, 3, (5,), generator=g)


def train(model, steps=3, clip=None, opt=None):
    opt = opt or torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        x, y = data(step)
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x).float(), y)
        loss.backward()
        if clip:
            print("norm", f"{model.clip_grad_norm_(clip).item():.4f}")
        opt.step()
        print("loss", f"{loss.item():.4f}")
    return opt


policy = ModuleWrapPolicy({Block})
for title, kw in {
    "plain": dict(),
    "policy": dict(auto_wrap_policy=policy),
    "orig": dict(auto_wrap_policy=policy, use_orig_params=True),
    "grad_op": dict(auto_wrap_policy=policy, sharding_strategy=ShardingStrategy.SHARD_GRAD_OP),
    "no_shard": dict(sharding_strategy=ShardingStrategy.NO_SHARD),
    "size": dict(auto_wrap_policy=functools.partial(size_based_auto_wrap_policy, min_num_params=200)),
    "transformer": dict(
        auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    ),
    "custom": dict(
        auto_wrap_policy=CustomPolicy(
            lambda m: (
                {"sharding_strategy": ShardingStrategy.NO_SHARD}
                if isinstance(m, nn.LayerNorm)
                else isinstance(m, Block)
            )
        )
    ),
    "lambda": dict(
        auto_wrap_policy=functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, nn.Linear))
    ),
    "bf16": dict(
        auto_wrap_policy=policy, mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    ),
}.items():
    print("==", title)
    model = shard(made(), **kw)
    if title in ("policy", "orig", "size"):
        print(model)
    for n, p in model.named_parameters():
        print(n, tuple(p.shape), p.dtype, type(p).__name__ in ("FlatParameter",))
    train(model, clip=0.5 if title in ("policy", "orig", "no_shard") else None)
    state = model.state_dict()
    print(list(state), [f"{v.float().sum().item():.3f}" for v in state.values()])

print("== summon")
model = shard(made(), auto_wrap_policy=policy)
with FSDP.summon_full_params(model):
    print([(n, tuple(p.shape)) for n, p in model.named_parameters()])
    with torch.no_grad():
        model.head.weight.fill_(0.5)
print([f"{v.sum().item():.3f}" for n, v in model.state_dict().items() if "head" in n])
with FSDP.summon_full_params(model, writeback=False):
    with torch.no_grad():
        model.head.weight.fill_(7)
print([f"{v.sum().item():.3f}" for n, v in model.state_dict().items() if "head" in n])
m2 = shard(made(), auto_wrap_policy=policy)
with FSDP.summon_full_params(m2.blocks[0], recurse=False):
    print([(n, tuple(p.shape)) for n, p in m2.blocks[0].named_parameters()])

print("== state dict types")
print(FSDP.get_state_dict_type(model).state_dict_type)
with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig()):
    state = model.state_dict()
    print(len(state), sorted(state)[:2])
    print(FSDP.get_state_dict_type(model))
with FSDP.state_dict_type(model, StateDictType.LOCAL_STATE_DICT):
    print(list(model.state_dict()))
full = model.state_dict()
other = shard(Net(), auto_wrap_policy=policy)
print(other.load_state_dict(full))

print("== no_sync")
model = shard(made(), auto_wrap_policy=policy)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
with model.no_sync():
    for step in range(2):
        x, y = data(step)
        nn.functional.cross_entropy(model(x), y).backward()
x, y = data(2)
nn.functional.cross_entropy(model(x), y).backward()
print(f"{model.clip_grad_norm_(1e9).item():.4f}")
opt.step()
with FSDP.summon_full_params(model):
    print(f"{sum(p.abs().sum() for p in model.parameters()).item():.3f}")

print("== optim state")
model = shard(made(), auto_wrap_policy=policy)
opt = train(model, 2)
FSDP.set_state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())
osd = FSDP.optim_state_dict(model, opt)
for n, s in sorted(osd["state"].items()):
    print(n, {k: (tuple(v.shape), f"{v.float().abs().sum().item():.5f}") for k, v in s.items()})
print([{k: v for k, v in g.items() if k in ("lr", "params", "betas")} for g in osd["param_groups"]])
model2 = shard(made(), auto_wrap_policy=policy)
model2.load_state_dict(model.state_dict())
opt2 = torch.optim.Adam(model2.parameters(), lr=0.5)
opt2.load_state_dict(FSDP.optim_state_dict_to_load(model2, opt2, osd))
train(model2, 2, opt=opt2)
print("== misc")
print(
    [type(m.module).__name__ for m in FSDP.fsdp_modules(model)],
    len(FSDP.fsdp_modules(model, root_only=True)),
)
print(type(model.module).__name__, model.check_is_root())
model.apply(lambda m: nn.init.constant_(m.weight, 0.25) if isinstance(m, nn.Linear) else None)
print(f"{sum(v.sum() for v in model.state_dict().values()).item():.3f}")
print(model.blocks[0].up.in_features, len(list(model.buffers())))
with enable_wrap(wrapper_cls=FSDP, device_id=CPU):
    w = wrap(nn.Linear(3, 3))
print(type(w).__name__)
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
m[1].weight = m[0].weight
print([tuple(p.shape) for p in shard(m).parameters()])
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
f = shard(m, ignored_modules=[m[1]])
print([(n, tuple(p.shape)) for n, p in f.named_parameters()])
dist.destroy_process_group()
