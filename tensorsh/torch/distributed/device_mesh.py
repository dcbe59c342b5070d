"""``torch.distributed.device_mesh``: the processes as a grid, with a group along each of its dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ...sandbox.classes import allow
from ...sandbox.sealed import Sealed
from .groups import GroupMember, ProcessGroup, group_of, outside, world
from .starting import get_process_group_ranks, get_rank, get_world_size, init_process_group, is_initialized, new_group

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh(metaclass=Sealed):
    """A grid of ranks. `mesh["name"]` is a dimension of it, the one that this process is in; `get_group` the processes there.
    device_type: "cpu" or "cuda". mesh: the ranks, a tensor or nested lists. mesh_dim_names: names of its dimensions.
    RuntimeError for more ranks than there are, KeyError for a name that it has not."""

    __module__ = "torch.distributed.device_mesh"

    def __init__(
        self, device_type: str, mesh: Any = None, *, mesh_dim_names: Any = None, backend_override: Any = None,
        _init_backend: bool = True, _rank: int | None = None, _layout: Any = None,
    ) -> None:  # fmt: skip
        grid = np.asarray(mesh.tolist() if isinstance(mesh, Tensor) else mesh, dtype=np.int32)
        names = None if not mesh_dim_names else tuple(mesh_dim_names)
        strides = tuple(math.prod(grid.shape[i + 1 :]) for i in range(grid.ndim))
        self._fill(device_type, grid, names, strides, None, [])
        if not is_initialized():
            init_process_group()
        if grid.size > get_world_size():
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {get_world_size()}, but found {grid.size} ranks!"
            )
        self._groups = [self._along(grid, i) for i in range(grid.ndim)]

    def _fill(self, device: str, grid: np.ndarray, names: Any, strides: tuple, root: Any, groups: list) -> None:
        self._device, self._grid, self._names, self._strides = device, grid, names, strides
        self._root, self._groups = root, groups
        self._flat: dict[str, DeviceMesh] = {}
        self._dims: tuple[int, ...] = ()
        """Of one that was flattened, its root's dimensions."""

    def _part(self, grid: np.ndarray, names: Any, strides: tuple, groups: list) -> DeviceMesh:
        """A mesh that shares this one's groups."""
        made = DeviceMesh.__new__(DeviceMesh)
        made._fill(self._device, grid, names, strides, self._get_root_mesh(), groups)
        return made

    def _along(self, grid: np.ndarray, dim: int) -> Any:
        """This process's group along a dimension; all processes make all groups, in the same order."""
        name = f"mesh_{self._names[dim] if self._names else dim}"
        lines = np.moveaxis(grid, dim, -1).reshape(-1, grid.shape[dim])
        default = world.default
        if default is not None and lines.shape == (1, default.size()) and lines[0].tolist() == default._ranks:
            return default
        own: Any = GroupMember.NON_GROUP_MEMBER
        for line in lines.tolist():
            made = new_group(line, group_desc=name)
            own = own if outside(made) else made
        return own

    device_type = property(lambda self: self._device)
    mesh = property(lambda self: wrap(self._grid.copy()))
    mesh_dim_names = property(lambda self: self._names)
    ndim = property(lambda self: self._grid.ndim)
    shape = property(lambda self: tuple(self._grid.shape))

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of ranks, or of those along a dimension."""
        return self._grid.size if mesh_dim is None else self.shape[mesh_dim]

    def get_rank(self) -> int:
        """The number of this process among all."""
        return get_rank()

    def get_coordinate(self) -> tuple | None:
        """Where this process is in the grid; None where it is not."""
        found = np.argwhere(self._grid == world.rank)
        return tuple(map(int, found[0])) if len(found) else None

    def _check_chosen(self, mesh_dim: Any, *more: str) -> None:
        """RuntimeError where there are several dimensions and none is chosen."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.", *more,
            )  # fmt: skip

    def get_local_rank(self, mesh_dim: Any = None) -> int:
        """The number of this process along a dimension."""
        self._check_chosen(mesh_dim)
        return get_rank(self.get_group(mesh_dim or 0))

    def _get_mesh_dim_by_name(self, name: str) -> int:
        if self._names is None or name not in self._names:
            names = f"mesh_dim_names={self._names}"
            raise KeyError(f"Mesh dimension '{name}' does not exist.", f"Available mesh dimensions are: {names}")
        return self._names.index(name)

    def get_group(self, mesh_dim: Any = None) -> ProcessGroup:
        """This process's group along a dimension, by its number or name."""
        self._check_chosen(
            mesh_dim,
            "If you want to get the list of all the ProcessGroups in the DeviceMesh,please use `get_all_groups()` instead.",
        )
        if isinstance(mesh_dim, str):
            if mesh_dim in self._get_root_mesh()._flat:
                return self._get_root_mesh()._flat[mesh_dim].get_group()
            mesh_dim = self._get_mesh_dim_by_name(mesh_dim)
        return self._groups[mesh_dim or 0]

    def get_all_groups(self) -> list[ProcessGroup]:
        """This process's groups along all dimensions."""
        return list(self._groups)

    def _get_root_mesh(self) -> DeviceMesh:
        return self if self._root is None else self._root

    def __getitem__(self, mesh_dim_names: Any) -> DeviceMesh:
        if not self._names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self._names:
            return self
        flat = self._get_root_mesh()._flat
        for name in names:
            if name not in self._names and name not in flat:
                known = [*self._names, *flat]
                raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {known}.")
        if len(names) == 1 and names[0] in flat:
            return flat[names[0]]
        if self._root is not None and not set(names) <= set(self._names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {[*self._names]}.")
        parts = [flat[name]._dims if name in flat else (self._names.index(name),) for name in names]
        dims = [dim for part in parts for dim in part]
        ordered = [i for i in dims if self.shape[i] > 1]
        if ordered != sorted(ordered):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        if len(set(dims)) < len(dims):
            raise RuntimeError(f"Slicing overlapping dim_names {names} is not allowed.")
        where = self.get_coordinate() or (0,) * self.ndim
        grid = self._grid[tuple(slice(None) if i in dims else where[i] for i in range(self.ndim))]
        grid = grid.transpose([sorted(dims).index(i) for i in dims])
        grid = grid.reshape([math.prod(self.shape[i] for i in part) for part in parts])
        strides = tuple(min(self._strides[i] for i in part) for part in parts)
        groups = [
            flat[name]._groups[0] if name in flat else self._groups[part[0]]
            for name, part in zip(names, parts, strict=True)
        ]
        return self._part(grid, names, strides, groups)

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> DeviceMesh:
        """All dimensions as one, under a name by which its root finds it then."""
        name = mesh_dim_name or "_".join(self._names or ())
        root = self._get_root_mesh()
        if name in root._flat:
            return root._flat[name]
        whole = root._grid
        if root is self or self._names is None:
            dims = list(range(self.ndim))
            lines = self._grid.reshape(1, -1)
        else:
            dims = [root._names.index(each) for each in self._names]  # type: ignore[union-attr]
            lines = np.moveaxis(whole, dims, range(whole.ndim - len(dims), whole.ndim)).reshape(-1, self._grid.size)
        own: Any = GroupMember.NON_GROUP_MEMBER
        for line in lines.tolist():
            made = new_group(line, group_desc=f"mesh_{name}")
            own = own if outside(made) else made
        made = self._part(self._grid.reshape(-1), (name,), (min(self._strides),), [own])
        made._dims = tuple(dims)
        root._flat[name] = made
        return made

    def _unflatten(
        self, dim: int | str, mesh_sizes: tuple[int, ...], mesh_dim_names: tuple[str, ...], backend_override: Any = None
    ) -> DeviceMesh:
        """The mesh with several dimensions in the place of one."""
        names, root, sizes = self._names or (), self._get_root_mesh(), tuple(mesh_sizes)
        if isinstance(dim, str) and dim not in names:
            raise ValueError(f"dim {dim} specified in `_unflatten` is not in {self._names}")
        if isinstance(dim, int) and dim >= self.ndim:
            raise ValueError(f"dim {dim} specified in `_unflatten` is out of range {self.ndim}")
        if len(sizes) != len(mesh_dim_names):
            raise RuntimeError("mesh_dim_names must have same length as mesh_sizes in _unflatten!")
        at = names.index(dim) if isinstance(dim, str) else dim
        if math.prod(sizes) != self.shape[at]:
            raise ValueError(
                f"The product of mesh_sizes={sizes} is {math.prod(sizes)}, but the original dimension at dim={at} has size "
                f"{self.shape[at]}. These must be equal for unflatten to work correctly."
            )
        named = (*names[:at], *mesh_dim_names, *names[at + 1 :])
        if root is not self:  # whose groups all processes make
            return root._unflatten(names[at], sizes, mesh_dim_names)[named]
        steps = [self._strides[at] * math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        grid = self._grid.reshape(*self.shape[:at], *sizes, *self.shape[at + 1 :])
        made = self._part(grid, named, (*self._strides[:at], *steps, *self._strides[at + 1 :]), [])
        own = [made._along(grid, i) for i in range(at, at + len(sizes))]
        made._groups = [*self._groups[:at], *own, *self._groups[at + 1 :]]
        return made

    def _get_all_submeshes(self, mesh_dim_name: str) -> list[DeviceMesh]:
        """The meshes along a dimension, of all processes."""
        dim = self._get_mesh_dim_by_name(mesh_dim_name)
        lines = np.moveaxis(self._grid, dim, -1).reshape(-1, self._grid.shape[dim])
        groups = [self._groups[dim] if world.rank in line else GroupMember.NON_GROUP_MEMBER for line in lines]
        return [self._part(line, (mesh_dim_name,), (1,), [each]) for line, each in zip(lines, groups, strict=True)]

    @staticmethod
    def from_group(group: Any, device_type: str, mesh: Any = None, *, mesh_dim_names: Any = None) -> DeviceMesh:
        """The mesh of a group, or of one group for each dimension and the ranks."""
        if isinstance(group, list):
            if not group:
                raise ValueError("Expects at least one ProcessGroup to be passed")
            for name, value in (("mesh", mesh), ("mesh_dim_names", mesh_dim_names)):
                if value is None:
                    raise ValueError(f"Must pass {name} if passing multiple ProcessGroups")
            grid = np.asarray(mesh.tolist() if isinstance(mesh, Tensor) else mesh, np.int32)
            if grid.ndim != len(group):
                raise ValueError(
                    f"Expects mesh with ndim equal to number of ProcessGroups but got mesh {grid.tolist()} and {len(group)} "
                    "ProcessGroups"
                )
            groups = [group_of(each) for each in group]
        else:
            ranks = get_process_group_ranks(group)
            if mesh is not None and (mesh.tolist() if isinstance(mesh, Tensor) else mesh) != ranks:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
            grid, groups = np.asarray(ranks, np.int32), [group_of(group)]
        made = DeviceMesh.__new__(DeviceMesh)
        strides = tuple(math.prod(grid.shape[i + 1 :]) for i in range(grid.ndim))
        made._fill(device_type, grid, tuple(mesh_dim_names) if mesh_dim_names else None, strides, None, groups)
        return made

    def __getstate__(self) -> dict:
        groups = [getattr(each, "_title", None) for each in self._groups]
        return vars(self) | {"_groups": groups, "_grid": self._grid.tolist()}

    def __setstate__(self, kept: dict) -> None:
        """Its groups are those of this process that have the names of before, where there are any."""
        vars(self).update(kept, _grid=np.asarray(kept["_grid"], np.int32))
        self._groups = [world.groups.get(title, GroupMember.NON_GROUP_MEMBER) for title in kept["_groups"]]

    def __enter__(self) -> DeviceMesh:
        world.meshes = (*world.meshes, self)
        return self

    def __exit__(self, *exception: Any) -> None:
        world.meshes = world.meshes[:-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple:
        return self._device, self._names, self._grid.shape, self._grid.tobytes()

    def __repr__(self) -> str:
        sizes: Any = [str(n) for n in self.shape]
        if self._names:
            sizes = [f"{name}={n}" for name, n in zip(self._names, sizes, strict=True)]
        comma = "," if len(sizes) == 1 and not self._names else ""
        strides = tuple(() if n == 1 else s for n, s in zip(self.shape, self._strides, strict=True))
        return f"DeviceMesh(({', '.join(sizes)}{comma}), '{self._device}', stride={strides})"


allow(DeviceMesh, "_flatten", "_unflatten", "_get_root_mesh", "_get_mesh_dim_by_name")


def current_mesh() -> DeviceMesh:
    """The mesh whose `with` block the program is in."""
    if not world.meshes:
        raise RuntimeError("No device mesh is currently active!")
    return world.meshes[-1]


def init_device_mesh(
    device_type: str, mesh_shape: Any, *, mesh_dim_names: Any = None, backend_override: Any = None
) -> DeviceMesh:
    """The first ranks as a grid of a shape, in order; init_process_group is called where nobody has."""
    shape = tuple(mesh_shape)
    if mesh_dim_names is not None:
        names = tuple(mesh_dim_names)
        if len(set(names)) != len(names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}"
            )
        if len(names) != len(shape):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(names)} and len(mesh_shape):{len(shape)}."
            )
    if device_type and not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    return DeviceMesh(device_type, np.arange(math.prod(shape)).reshape(shape), mesh_dim_names=mesh_dim_names)


class _MeshResources:
    """What PyTorch asks of meshes in one place."""

    get_current_mesh = staticmethod(current_mesh)
    get_root_mesh = staticmethod(DeviceMesh._get_root_mesh)
    _get_all_submeshes = staticmethod(DeviceMesh._get_all_submeshes)


_mesh_resources = _MeshResources()
