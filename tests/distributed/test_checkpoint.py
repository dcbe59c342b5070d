"""Checkpoints: written by 2 processes and read by 4; one that PyTorch wrote is read, too. The settings of what they hold."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tensorsh.torch.distributed.fsdp import api, policies

from ..support.ranks import by_rank, tensorsh

PROGRAM = """\
import sys
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
dist.init_process_group("gloo")
def make(seed):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 3))
    fully_shard(model)
    return model, torch.optim.Adam(model.parameters(), lr=0.1)
def step(model, optimizer):
    model(torch.ones(2, 5)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
def total(model): return round(sum(v.full_tensor().sum().item() for v in model.state_dict().values()), 3)
path, mode = sys.argv[1:]
model, optimizer = make(0 if mode == "save" else 1)
step(model, optimizer)
if mode == "save": step(model, optimizer)
weights, state = get_state_dict(model, optimizer)
given = {"model": weights, "optim": state, "step": 7, "extra": {"t": torch.arange(4), "lst": [1, 2]}}
if mode == "save":
    dcp.save(given, checkpoint_id=path)
else:
    given["step"], given["extra"] = 0, {"t": torch.zeros(4, dtype=torch.int64), "lst": []}
    dcp.load(given, checkpoint_id=path)
    set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=state)
print(total(model), given["step"], given["extra"])
step(model, optimizer)
print(total(model))
for wrong in ({"nope": torch.zeros(1)}, {"extra": {"t": torch.zeros(3)}}):
    try: dcp.load(wrong, checkpoint_id=path)
    except BaseException as e: print(type(e).__name__)
"""
SAID = ["-2.591 7 {'t': tensor([0, 1, 2, 3]), 'lst': [1, 2]}", "-2.888", "CheckpointException", "CheckpointException"]
"""What PyTorch prints."""


def run(tmp_path: Path, size: int, folder: Path, mode: str, *options: str) -> list[list[str]]:
    program = tmp_path / "program.tsr"
    program.write_text(PROGRAM)
    done = tensorsh("run", *options, "-n", str(size), str(program), str(folder), mode)
    assert done.returncode == 0, done.stderr
    return by_rank(done.stdout, size)


def test_another_number_of_processes_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    permitted = (f"--allow-write={folder}", f"--allow-read={folder}")
    assert run(tmp_path, 2, folder, "save", *permitted) == [SAID] * 2
    assert sorted(path.name for path in folder.iterdir()) == [".metadata", "__0_0.distcp", "__1_0.distcp"]
    assert run(tmp_path, 3, folder, "load", *permitted) == [SAID] * 3


def test_one_of_pytorchs_is_read(tmp_path: Path) -> None:
    folder = Path(__file__).parents[1] / "data" / "checkpoint"
    assert run(tmp_path, 2, folder, "load", f"--allow-read={folder}") == [SAID] * 2


def test_nothing_is_written_without_permission(tmp_path: Path) -> None:
    program = tmp_path / "program.tsr"
    program.write_text(PROGRAM)
    done = tensorsh("run", "-n", "1", str(program), str(tmp_path / "out"), "save")
    assert done.returncode == 1 and "PermissionError" in done.stderr and not (tmp_path / "out").exists()


BESIDE = """\
import sys
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
if len(sys.argv) > 2: dist.init_process_group("gloo")
weight = torch.zeros(1000, 100)
saved = []
for i in range(3):
    weight += 1
    saved.append(dcp.async_save({"weight": weight, "i": i}, checkpoint_id=f"{sys.argv[1]}/{i}"))
    if dist.is_initialized():
        x = torch.ones(2)
        dist.all_reduce(x)
print(*(each.result() is not None and each.done() for each in saved), type(saved[0]).__module__)
for i in range(3):
    state = {"weight": torch.zeros(1000, 100), "i": None}
    dcp.load(state, checkpoint_id=f"{sys.argv[1]}/{i}")
    assert (state["weight"] == i + 1).all() and state["i"] == i
wrong = dcp.async_save({"weight": weight}, checkpoint_id=sys.argv[1] + "x")
try: wrong.result()
except BaseException as e: print("PermissionError" in type(e).__name__ + str(e), wrong.done(), wrong.exception() is e)
dcp.async_save({"weight": weight}, checkpoint_id=sys.argv[1] + "/last")
if dist.is_initialized(): dist.destroy_process_group()
"""


def test_the_program_goes_on_while_a_state_is_saved(tmp_path: Path) -> None:
    """As it was when that was asked for, with the permissions of who asked, and to its end though nobody waits."""
    program, folder = tmp_path / "program.tsr", tmp_path / "checkpoint"
    program.write_text(BESIDE)
    permitted = (f"--allow-write={folder}", f"--allow-read={folder}")
    said = ["True True True concurrent.futures._base", "True True True"]
    done = tensorsh("run", *permitted, "-n", "2", str(program), str(folder), "many")
    assert (done.returncode, by_rank(done.stdout, 2)) == (0, [said] * 2), done.stderr
    assert sorted(path.name for path in (folder / "last").iterdir()) == [".metadata", "__0_0.distcp"]
    done = tensorsh("run", *permitted, str(program), str(folder))
    assert (done.returncode, done.stdout.splitlines()) == (0, said), done.stderr


SETTINGS = {
    api.CPUOffload: "CPUOffload(offload_params=False)",
    api.StateDictConfig: "StateDictConfig(offload_to_cpu=False)",
    api.FullStateDictConfig: "FullStateDictConfig(offload_to_cpu=False, rank0_only=False)",
    api.LocalOptimStateDictConfig: "LocalOptimStateDictConfig(offload_to_cpu=False)",
    api.ShardedOptimStateDictConfig: "ShardedOptimStateDictConfig(offload_to_cpu=True, _use_dtensor=False)",
    policies.MixedPrecisionPolicy: "MixedPrecisionPolicy(param_dtype=None, reduce_dtype=None, output_dtype=None, "
    "cast_forward_inputs=True)",
    policies.OffloadPolicy: "OffloadPolicy()",
}
"""The settings of sharding that nobody gives, from PyTorch 2.13."""


def test_settings_are_dataclasses() -> None:
    for kind, shown in SETTINGS.items():
        made: Any = kind()
        assert repr(made) == shown and made == kind() and dataclasses.replace(made) == made
        assert [field.name for field in dataclasses.fields(made)] == list(vars(made))
    with pytest.raises(dataclasses.FrozenInstanceError):
        policies.MixedPrecisionPolicy().param_dtype = 1  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 3 required positional arguments: 'state_dict_type'"):
        api.StateDictSettings()  # type: ignore[call-arg]
