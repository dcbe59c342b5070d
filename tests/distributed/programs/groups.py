"""Groups within the world, and ranks as a grid."""

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

names = "RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK".split()
print({name: os.environ.get(name) for name in names}, dist.is_available())
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def said(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


ends = dist.new_group([0, size - 1])
print("member", rank in (0, size - 1), dist.get_rank(ends), dist.get_world_size(ends))
if rank in (0, size - 1):
    x = torch.tensor([rank + 1.0])
    dist.all_reduce(x, group=ends)
    print(x, dist.get_process_group_ranks(ends), dist.get_group_rank(ends, size - 1), dist.get_global_rank(ends, 1))
    y = torch.full((2,), float(rank))
    dist.broadcast(y, src=size - 1, group=ends)
    print(y)
    dist.broadcast(y, group_src=0, group=ends)
    print(y)
else:
    print(ends)
own, every = dist.new_subgroups(2)
x = torch.tensor([float(rank)])
dist.all_reduce(x, group=own)
print("pairs", x, len(every), dist.get_process_group_ranks(own))
own, every = dist.new_subgroups_by_enumeration([[i] for i in range(size)])
dist.all_reduce(x, group=own)
print("alone", x, dist.get_rank(own))
print(said(dist.new_group, [0, size]), said(dist.new_group, [0, 0]), said(dist.new_subgroups, 3), sep="\n")
dist.destroy_process_group(own)

mesh = init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
print(mesh, mesh["dp"], mesh["tp"], mesh.shape, mesh.ndim, mesh.size(), mesh.size(1))
print(mesh.get_coordinate(), mesh.get_local_rank("tp"), mesh.get_rank(), mesh.mesh, mesh.mesh_dim_names)
x = torch.tensor([float(rank + 1)])
dist.all_reduce(x, group=mesh.get_group("tp"))
print("tp", x)
dist.all_reduce(x, group=mesh.get_group("dp"))
print("dp", x, dist.get_process_group_ranks(mesh.get_group("dp")))
print(mesh["dp", "tp"] == mesh, said(mesh.__getitem__, "x"), said(mesh.__getitem__, ("tp", "dp")), sep="\n")
print(said(mesh.get_group), said(mesh.get_local_rank), said(init_device_mesh, "cpu", (size + 1,)), sep="\n")
print(init_device_mesh("cpu", (size,)), DeviceMesh("cpu", list(range(size))), mesh._flatten("all"))
deep = init_device_mesh("cpu", (size // 2, 2, 1), mesh_dim_names=("dp", "cp", "tp"))
both = deep["dp", "cp"]._flatten()
print(
    deep["dp_cp", "tp"].mesh.tolist(), both.get_group() is deep.get_group("dp_cp"), deep["dp_cp", "tp"].mesh_dim_names
)
print(dist.get_process_group_ranks(deep["dp_cp", "tp"].get_group("dp_cp")), said(deep.__getitem__, ("dp_cp", "cp")))
print(said(DeviceMesh.from_group, dist.group.WORLD, "cpu", [0]), said(DeviceMesh.from_group, [], "cpu", [0]), sep="\n")
print(said(DeviceMesh.from_group, deep.get_all_groups(), "cpu", [0], mesh_dim_names=("a",)))
print(dist.get_backend_config(), dist.GroupMember.WORLD is dist.group.WORLD)
print(
    dist.P2POp(dist.isend, torch.ones(1), (rank + 1) % size), dist.P2POp(dist.irecv, torch.ones(1), (rank + 1) % size)
)
one = [torch.ones(1)]
print(said(dist.reduce_scatter, torch.ones(1), one * (size - 1)), said(dist.all_to_all, one * (size - 1), one * size))
print(said(dist.all_to_all, one * size, one * (size + 1)), said(dist.monitored_barrier, timeout=1))
print(said(dist.all_reduce_coalesced, [torch.ones(1), torch.ones(1, dtype=torch.int32)]))
print(said(dist.all_to_all_single, torch.ones(size, dtype=torch.int32), torch.ones(size)))
print(dist.Store, dist.HashStore, dist.PrefixStore, dist.TCPStore)
dist.destroy_process_group()
