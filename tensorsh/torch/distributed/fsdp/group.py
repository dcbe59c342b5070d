"""A group of parameters that are gathered, used and reduced together."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np

from ....engine.arrays.device import absent
from ....engine.arrays.dtype import numpy_of
from ....engine.graph.fields import wrap
from ....engine.tensors.resizing import hold
from ...nn.parameter import Parameter
from ..collectives import all_gather, all_reduce
from ..exchanges import reduce_scatter_single
from ..tensor.dtensor import DTensor, distribute_tensor
from ..tensor.moving import cut, share
from ..tensor.parts import placed_tensor
from ..tensor.placement_types import Replicate, Shard, _StridedShard
from .gathered import Gathered, added, forget


class Entry:
    """One parameter: its part, its whole while it is used, and the modules that have it."""

    __slots__ = ("memory", "owners", "part", "shape", "step", "whole")

    def __init__(self, parameter: Any, owners: list[tuple[Any, str]], mesh: Any, dtype: Any) -> None:
        self.owners = owners
        parallel = isinstance(parameter, DTensor)
        self.shape = tuple(parameter._array.shape)
        if not self.shape:
            raise ValueError("fully_shard doesn't support scalar parameters. Change scalar parameters to 1D.")
        copies = [Replicate()] * (mesh.ndim - 1)
        if parallel:
            self.part = cut_again(parameter, mesh, copies)
        else:
            self.part = distribute_tensor(parameter, mesh, [*copies, Shard(0)], src_data_rank=None)
        parts = mesh.size(mesh.ndim - 1)
        self.step = share(self.shape[0], parts, 0)[1] * math.prod(self.shape[1:])
        """Elements of the first part, which is the largest."""
        form = numpy_of(dtype or parameter.dtype)
        size = max(math.prod(self.shape) * form.itemsize, 1)
        self.memory = mmap.mmap(-1, size)
        count = math.prod(self.shape)
        array = hold(np.frombuffer(self.memory, form, count)) if count else np.zeros(0, form)
        whole = wrap(array.reshape(self.shape))
        if parallel:
            self.whole = parameter._beside(whole)._as_parameter(parameter.requires_grad)
        else:
            self.whole = Parameter(whole, parameter.requires_grad)

    def show(self, parameter: Any) -> None:
        """Give the modules the part, or the whole."""
        for module, name in self.owners:
            module._parameters[name] = parameter

    def take(self) -> None:
        """Take another part that a module was given, as a state that was loaded with `assign=True` gives."""
        module, name = self.owners[0]
        given = module._parameters[name]
        if given is not self.part and isinstance(given, DTensor):
            self.part = given
            for other, title in self.owners:
                other._parameters[title] = given


def cut_again(parameter: Any, mesh: Any, copies: list) -> Any:
    """A parameter in parts of tensor parallelism, each in parts along its first dimension."""
    root, own = mesh._get_root_mesh(), parameter._mesh
    if own._get_root_mesh() is not root or not mesh._names or not own._names:
        raise RuntimeError(
            f"fully_shard wants a dimension of the mesh that the parameters are in parts of already, but got {mesh} and {own}: make "
            "one mesh by init_device_mesh with mesh_dim_names, and take both from it by name"
        )
    before = math.prod(own.size(i) for i, each in enumerate(parameter._placements) if each.is_shard(0))
    first = Shard(0) if before == 1 else _StridedShard(0, split_factor=before)
    array = cut(parameter._array, 0, mesh.get_group(mesh.ndim - 1))
    both = root[(*mesh._names, *own._names)]
    made = placed_tensor(wrap(array), both, (*copies, first, *parameter._placements), parameter._shape)
    return made._as_parameter(parameter.requires_grad)


class Group(Gathered):
    """The parameters of one call of `fully_shard`."""

    def __init__(self, found: list[tuple[Any, list]], mesh: Any, policy: Any) -> None:
        self.mesh, self.policy = mesh, policy
        self.entries = [Entry(parameter, owners, mesh, policy.param_dtype) for parameter, owners in found]
        self.group = mesh.get_group(mesh.ndim - 1)
        self.reduces_all = True
        for entry in self.entries:
            entry.show(entry.part)
        super().__init__([entry for entry in self.entries if entry.whole.requires_grad])

    def unshard(self) -> None:
        """Gather the parts."""
        if self.is_whole:
            return
        nowhere = [name for entry in self.entries if absent(entry.part._array) for _, name in entry.owners]
        if nowhere:
            raise RuntimeError(
                "FSDP parameters should be materialized from meta device before training, but the following were still on meta "
                f"device: {nowhere}\nFor example, call module.to_empty(device) to materialize to device and call "
                "module.reset_parameters() on each module to initialize values."
            )
        for entry in self.entries:
            entry.take()
        self.is_whole = True
        for form, members in alike(self.entries, lambda entry: entry.whole._array.dtype).items():
            length = sum(entry.step for entry in members)
            mine, at = np.zeros(length, form), 0
            for entry in members:
                part = entry.part._array.reshape(-1)
                mine[at : at + part.size] = part
                at += entry.step
            rows = [wrap(np.empty(length, form)) for _ in range(self.group.size())]
            all_gather(rows, wrap(mine), group=self.group)
            at = 0
            for entry in members:
                whole = entry.whole._array.reshape(-1)
                for number, row in enumerate(rows):
                    low = min(entry.step * number, whole.size)
                    high = min(low + entry.step, whole.size)
                    whole[low:high] = row._array[at : at + high - low]
                at += entry.step
        for entry in self.entries:
            entry.show(entry.whole)

    def _part(self) -> None:
        for entry in self.entries:
            entry.show(entry.part)
            forget(entry.memory)

    def _reduce(self, entries: list[Entry]) -> None:
        dtype = self.policy.reduce_dtype
        parts, size = self.group.size(), self.mesh.size()
        reduced_in = lambda entry: entry.whole._grad._array.dtype if dtype is None else numpy_of(dtype)
        for form, members in alike(entries, reduced_in).items():
            length = sum(entry.step for entry in members)
            rows, at = np.zeros((parts, length), form), 0
            for entry in members:
                flat = np.zeros(entry.step * parts, form)
                gradient = entry.whole._grad._array.reshape(-1)
                flat[: gradient.size] = gradient
                rows[:, at : at + entry.step] = flat.reshape(parts, entry.step)
                entry.whole._grad = None
                at += entry.step
            rows *= np.asarray(1.0 / size).astype(form)
            mine = wrap(np.empty(length, form))
            reduce_scatter_single(mine, wrap(rows.reshape(-1)), group=self.group)
            if self.reduces_all:
                for dim in range(self.mesh.ndim - 1):
                    all_reduce(mine, group=self.mesh.get_group(dim))
            at = 0
            for entry in members:
                part = entry.part._array
                new = mine._array[at : at + part.size].reshape(part.shape).astype(part.dtype)
                at += entry.step
                added(entry.part, new)


def alike(entries: list[Entry], of: Any) -> dict[Any, list[Entry]]:
    """Parameters by what a function gives of each."""
    found: dict[Any, list[Entry]] = {}
    for entry in entries:
        found.setdefault(of(entry), []).append(entry)
    return found
