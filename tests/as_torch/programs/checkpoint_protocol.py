"""Checkpoints by a program's own planners and storage."""

import dataclasses
import tempfile
import warnings

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.metadata import MetadataIndex, TensorProperties
from torch.distributed.checkpoint.planner import LoadItemType, WriteItemType
from torch.distributed.checkpoint.storage import WriteResult
from torch.futures import Future

warnings.simplefilter("ignore")
KEPT = {}


def done(value):
    future = Future()
    future.set_result(value)
    return future


class InMemory(dcp.StorageWriter):
    def reset(self, checkpoint_id=None):
        print("reset", checkpoint_id)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        return True

    def set_up_storage_writer(self, is_coordinator):
        print("set up", is_coordinator)

    def prepare_local_plan(self, plan):
        print("local", [(item.index.fqn, item.index.offset, item.type.name) for item in plan.items])
        return plan

    def prepare_global_plan(self, plans):
        print("global", len(plans), [item.index.index for item in plans[0].items])
        return plans

    def write_data(self, plan, planner):
        found = []
        for item in plan.items:
            data = planner.resolve_data(item)
            KEPT[item.index] = data.clone() if item.type != WriteItemType.BYTE_IO else data.getvalue()
            found.append(WriteResult(index=item.index, size_in_bytes=1, storage_data=item.index.fqn))
        return done(found)

    def finish(self, metadata, results):
        metadata.storage_data = {each.index: each.storage_data for each in results[0]}
        KEPT["metadata"] = metadata
        print("finish", sorted(metadata.state_dict_metadata), sorted(metadata.storage_data.values()))


class FromMemory(dcp.StorageReader):
    def reset(self, checkpoint_id=None): ...

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        return True

    def read_metadata(self):
        return KEPT["metadata"]

    def set_up_storage_reader(self, metadata, is_coordinator):
        print("set up", type(metadata).__name__, is_coordinator)

    def prepare_local_plan(self, plan):
        for item in plan.items:
            print(item.type.name, item.dest_index.fqn, item.storage_index.offset, item.dest_offsets, item.lengths)
        return plan

    def prepare_global_plan(self, plans):
        return plans

    def read_data(self, plan, planner):
        import io

        for item in plan.items:
            value = KEPT[item.storage_index]
            if item.type == LoadItemType.BYTE_IO:
                planner.load_bytes(item, io.BytesIO(value))
            else:
                target = planner.resolve_tensor(item)
                target.copy_(value)
                planner.commit_tensor(item, target)
        return done(None)


class Halving(dcp.DefaultSavePlanner):
    def transform_object(self, write_item, object):
        object = super().transform_object(write_item, object)
        return object.to(torch.float16) if write_item.type == WriteItemType.TENSOR else object


state = {
    "w": torch.arange(4.0),
    "nested": {"b": torch.ones(2, 3), "n": 5},
    "list": [torch.zeros(1), 7],
    "plain": [1, 2],
}
about = dcp.save(state, storage_writer=InMemory(), checkpoint_id="one")
print(about.planner_data)
print(about.state_dict_metadata["nested.b"])
wanted = {"w": torch.zeros(4), "nested": {"b": torch.zeros(2, 3), "n": 0}, "list": [torch.ones(1), 0], "plain": []}
dcp.load(wanted, storage_reader=FromMemory())
print(wanted)

with tempfile.TemporaryDirectory() as folder:
    dcp.save({"w": torch.arange(4.0) / 3}, checkpoint_id=folder, planner=Halving())
    wanted = {"w": torch.zeros(4)}
    dcp.load(wanted, checkpoint_id=folder)
    print(wanted)


class Failing(InMemory):
    def write_data(self, plan, planner):
        raise ValueError("no room")


try:
    dcp.save(state, storage_writer=Failing())
except dcp.CheckpointException as error:
    print({rank: repr(each[0]) for rank, each in error.failures.items()})
index = MetadataIndex("a", [1, 2], 5)
print(index, index == MetadataIndex("a", torch.Size([1, 2])), dataclasses.replace(index, index=None))
print(TensorProperties.create_from_tensor(torch.ones(1, dtype=torch.int8)))
try:
    index.fqn = "b"
except dataclasses.FrozenInstanceError as error:
    print(error)
