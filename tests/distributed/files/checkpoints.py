"""Checkpoints: planners, readers, writers, states by names with options, asynchronous."""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint import DefaultLoadPlanner, DefaultSavePlanner, FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from torch.distributed.checkpoint.planner import LoadPlanner, SavePlanner
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_state_dict,
)
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.fsdp import fully_shard

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
box = [tempfile.mkdtemp() if rank == 0 else None]
dist.broadcast_object_list(box)
folder = box[0]


def made(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def stepped(model, opt, n=2):
    for i in range(n):
        g = torch.Generator().manual_seed(i * 10 + rank)
        loss = model(torch.randn(3, 4, generator=g)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss


def text(sd):
    return {
        k: (
            type(v).__name__,
            tuple(v.shape),
            f"{(v.full_tensor() if hasattr(v, 'full_tensor') else v).float().sum().item():.4f}",
        )
        if isinstance(v, torch.Tensor)
        else v
        for k, v in sd.items()
    }


def attempt(name, f):
    try:
        r = f()
        print(name, r if not isinstance(r, dict) else sorted(r))
    except BaseException as e:
        print(name, type(e).__name__, (str(e).splitlines() or [""])[0][:150])
    sys.stdout.flush()


model = fully_shard(made())
opt = torch.optim.AdamW(model.parameters(), lr=0.1)
stepped(model, opt)
msd, osd = get_state_dict(model, opt)
print(text(msd))
print(sorted(osd), {k: text(v) for k, v in sorted(osd["state"].items())})
print([{k: v for k, v in g.items() if k in ("lr", "params", "weight_decay")} for g in osd["param_groups"]])
full = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
print(text(full))
fullo = get_optimizer_state_dict(model, opt, options=StateDictOptions(full_state_dict=True))
print({k: text(v) for k, v in sorted(fullo["state"].items())})
off = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
print(len(off))
flat = get_optimizer_state_dict(model, opt, options=StateDictOptions(flatten_optimizer_state_dict=True))
print(sorted(flat)[:8], len(flat))
dcp.save({"model": msd, "optim": osd, "epoch": 3, "note": "x"}, checkpoint_id=folder + "/a")
print(sorted(f for f in os.listdir(folder + "/a") if rank == 0))


class App(Stateful):
    def __init__(self, m, o):
        self.m, self.o = m, o

    def state_dict(self):
        a, b = get_state_dict(self.m, self.o)
        return {"model": a, "optim": b}

    def load_state_dict(self, s):
        print("loaded", sorted(s))
        set_state_dict(self.m, self.o, model_state_dict=s["model"], optim_state_dict=s["optim"])


print(isinstance(App(model, opt), Stateful), isinstance(5, Stateful), isinstance(model, Stateful))
dcp.save(
    {"app": App(model, opt)},
    storage_writer=FileSystemWriter(folder + "/b", single_file_per_rank=True),
    planner=DefaultSavePlanner(),
)
m2 = fully_shard(made(5))
o2 = torch.optim.AdamW(m2.parameters(), lr=0.7)
dcp.load({"app": App(m2, o2)}, storage_reader=FileSystemReader(folder + "/b"), planner=DefaultLoadPlanner())
print(
    text(get_model_state_dict(m2)) == text(msd),
    o2.param_groups[0]["lr"],
    f"{stepped(m2, o2).item():.5f}",
    f"{stepped(model, opt).item():.5f}",
)
meta = FileSystemReader(folder + "/b").read_metadata()
print(sorted(meta.state_dict_metadata)[:4], meta.state_dict_metadata["app.model.0.weight"].size)
m3 = made(6)
attempt("set full", lambda: set_model_state_dict(m3, full, options=StateDictOptions(full_state_dict=True)))
print(text(m3.state_dict()) == text({k: v for k, v in full.items()}))
part = {"0.weight": full["0.weight"]}
attempt("strict", lambda: set_model_state_dict(made(1), part))
attempt("loose", lambda: set_model_state_dict(made(1), part, options=StateDictOptions(strict=False)))
dcp.save({"x": torch.arange(4.0) + 1, "n": 3}, checkpoint_id=folder + "/c")
got = {"x": torch.zeros(4), "n": 0}
dcp.load(got, checkpoint_id=folder + "/c")
print(got)
attempt("missing key", lambda: dcp.load({"y": torch.zeros(4)}, checkpoint_id=folder + "/c"))
attempt(
    "partial",
    lambda: dcp.load(
        {"x": torch.zeros(4), "y": torch.zeros(2)},
        checkpoint_id=folder + "/c",
        planner=DefaultLoadPlanner(allow_partial_load=True),
    ),
)
attempt("size", lambda: dcp.load({"x": torch.zeros(5)}, checkpoint_id=folder + "/c"))
attempt("no id", lambda: dcp.save({"x": torch.zeros(5)}))
if rank == 0:
    dcp_to_torch_save(folder + "/c", folder + "/c.pt")
    print({k: v for k, v in torch.load(folder + "/c.pt").items()})
    torch.save({"w": torch.ones(3), "k": 1}, folder + "/d.pt")
    torch_save_to_dcp(folder + "/d.pt", folder + "/d")
dist.barrier()
got = {"w": torch.zeros(3), "k": 0}
dcp.load(got, checkpoint_id=folder + "/d")
print(got)
frozen = made()
frozen[0].weight.requires_grad_(False)
print(sorted(get_model_state_dict(frozen, options=StateDictOptions(ignore_frozen_params=True))))
ddp = nn.parallel.DistributedDataParallel(made())
print(sorted(get_model_state_dict(ddp)))
attempt("opt", lambda: get_optimizer_state_dict(ddp, torch.optim.SGD(ddp.parameters(), lr=0.1)))
print(issubclass(DefaultSavePlanner, SavePlanner), issubclass(DefaultLoadPlanner, LoadPlanner))


class Renaming(DefaultLoadPlanner):
    pass


got = {"x": torch.zeros(4)}
dcp.load(got, checkpoint_id=folder + "/c", planner=Renaming())
print(got)
dist.destroy_process_group()
