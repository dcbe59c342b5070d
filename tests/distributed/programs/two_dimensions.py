"""FSDP over tensor parallelism: parameters in parts twice, along the two dimensions of a mesh."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

torch.set_num_threads(1)
dist.init_process_group("gloo")
size = dist.get_world_size()
mesh = init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.width = width // heads

    def forward(self, x):
        q, k, v = (each(x).unflatten(-1, (-1, self.width)).transpose(1, 2) for each in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, 2)
        self.up, self.down = nn.Linear(width, 12), nn.Linear(12, width)

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.down(F.gelu(self.up(self.two(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layers, self.out = (
            nn.Embedding(11, 8),
            nn.ModuleList(Block(8) for _ in range(2)),
            nn.Linear(8, 3),
        )

    def forward(self, x):
        x = self.words(x)
        for layer in self.layers:
            x = layer(x)
        return self.out(x.mean(1))


PLAN = {
    "attention.q": ColwiseParallel(), "attention.k": ColwiseParallel(), "attention.v": ColwiseParallel(),
    "attention.o": RowwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel(),
}  # fmt: skip
torch.manual_seed(0)
model = Net()
for layer in model.layers:
    parallelize_module(layer, mesh["tp"], PLAN)
    fully_shard(layer, mesh=mesh["dp"])
fully_shard(model, mesh=mesh["dp"])
for name, p in model.named_parameters():
    print(name, tuple(p.shape), p.placements, tuple(p.to_local().shape), p.device_mesh)
print(model.layers[0].up.bias, str(model.layers[0].up.bias.placements[0]))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
torch.manual_seed(10 + mesh["dp"].get_local_rank())
for _ in range(3):
    x, y = torch.randint(0, 11, (4, 5)), torch.randint(0, 3, (4,))
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    up = model.layers[1].up.weight.grad
    print(f"{loss.item():.5f}", up.placements, f"{up.full_tensor().abs().sum().item():.4f}")
    twice = [p for p in model.parameters() if p.device_mesh.ndim == 2]
    print(f"{nn.utils.clip_grad_norm_(twice, 0.1).full_tensor().item():.4f}")
    optimizer.step()
    optimizer.zero_grad()
whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
for name in ("words.weight", "layers.0.attention.q.weight", "layers.0.attention.o.weight", "layers.1.down.bias"):
    print(name, tuple(whole[name].shape), [round(n, 4) for n in whole[name].flatten()[:6].tolist()])
other = {name: torch.arange(float(value.numel())).reshape(value.shape) for name, value in whole.items()}
set_model_state_dict(model, dict(other), options=StateDictOptions(full_state_dict=True))
for name, p in model.named_parameters():
    assert torch.equal(p.full_tensor(), other[name]), name
print(model.layers[0].up.weight.to_local()[:, 0], model.layers[0].attention.o.weight.to_local()[0])
n = dist.get_world_size()
apart = init_device_mesh("cpu", (n,), mesh_dim_names=("all",))._unflatten("all", (n // 2, 2), ("p", "q"))
x = torch.tensor(float(dist.get_rank()))
dist.all_reduce(x, group=apart.get_group("q"))
print(apart, apart.mesh.tolist(), apart["q"], apart["p"].mesh.tolist(), apart.get_coordinate(), x)
for wrong in ((2, (n,), ("a",)), ("z", (n,), ("a",)), (1, (1, 3), ("a", "b")), (1, (1, 2), ("a",))):
    try:
        apart._unflatten(*wrong)
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, error)

dist.destroy_process_group()
