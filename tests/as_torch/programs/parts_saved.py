"""Meshes, placements and tensors in parts: pickled and saved, and where older programs find them."""

import copy
import io
import os
import pickle

import torch
import torch.distributed as dist
from torch.distributed._tensor.placement_types import Shard as Older
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.distributed.tensor.placement_types import Shard as Typed

os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29571", RANK="0", WORLD_SIZE="1")
dist.init_process_group("gloo")
print(Older is Shard, Typed is Shard)
print(pickle.loads(pickle.dumps([Shard(1), Replicate(), Partial("avg")])))
mesh = init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))
again = pickle.loads(pickle.dumps(mesh))
print(again == mesh, again.get_group().size(), again, copy.deepcopy(mesh) == mesh)
x = distribute_tensor(torch.arange(4.0), mesh, [Shard(0)])


def saved(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)


y = saved(x)
print(type(y).__name__, y.placements, y.full_tensor(), y.device_mesh == mesh)
w = saved({"w": torch.nn.Parameter(x)})["w"]
print(isinstance(w, torch.nn.Parameter), w.requires_grad, w.placements, w.full_tensor())
buffer = io.BytesIO()
torch.save({"w": torch.nn.Parameter(x), "v": x}, buffer)
buffer.seek(0)
print(torch.load(buffer))
dist.destroy_process_group()
