"""How a tensor lies along one dimension of a mesh: in parts, whole everywhere, or as terms to be reduced."""

from __future__ import annotations

from functools import partial
from typing import Any

from ....engine.loading.table import find_function
from ....sandbox.sealed import Frozen, all_housed


def pad_tensor(tensor: Any, pad_dim: int, pad_size: int) -> Any:
    """A tensor with zeros at the end of a dimension."""
    if not pad_size:
        return tensor
    return find_function("nn.functional.pad")(tensor, [0, 0] * (tensor.ndim - pad_dim - 1) + [0, pad_size])


class Placement(Frozen):
    """The base of placements."""

    __slots__ = ()

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is in parts, along a dimension of its own."""
        return isinstance(self, Shard) and (dim is None or self.dim == dim)

    def is_replicate(self) -> bool:
        """Whether the tensor is whole everywhere."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether there are terms to be reduced."""
        return isinstance(self, Partial) and (reduce_op is None or self.reduce_op == reduce_op)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple:
        return type(self), tuple(getattr(self, name) for name in type(self).__slots__)


class Shard(Placement):
    """In parts along a dimension of the tensor, as `chunk` cuts it.
    dim: the dimension."""

    __slots__ = ("dim",)
    dim: int

    def __init__(self, dim: int) -> None:
        object.__setattr__(self, "dim", int(dim))

    def _split_tensor(
        self, tensor: Any, num_chunks: int, *, with_padding: bool = True, contiguous: bool = True
    ) -> tuple[list, list]:
        """The parts of a tensor, all as large as the first where they are padded; and how much each was padded."""
        if self.dim > tensor.ndim:
            raise AssertionError(f"Sharding dim {self.dim} greater than tensor ndim {tensor.ndim}")
        size = tensor.shape[self.dim]
        step = -(-size // num_chunks)
        parts, pads = [], []
        for number in range(num_chunks):
            low, high = min(step * number, size), min(step * (number + 1), size)
            part = tensor.narrow(self.dim, low, high - low)
            if with_padding:
                pads.append(step - (high - low))
                part = pad_tensor(part, self.dim, pads[-1])
            parts.append(part.contiguous() if contiguous else part)
        return parts, pads

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class _StridedShard(Shard):
    """In parts along a dimension that later dimensions of the mesh cut first, as FSDP cuts the parts of tensor parallelism.
    dim: the dimension. split_factor: in how many parts it is before this cut."""

    __slots__ = ("split_factor",)
    split_factor: int

    def __init__(self, dim: int, *, split_factor: int) -> None:
        super().__init__(dim)
        object.__setattr__(self, "split_factor", int(split_factor))

    def __reduce__(self) -> tuple:
        return partial(type(self), self.dim, split_factor=self.split_factor), ()

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


class Replicate(Placement):
    """Whole in every process."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """A term in each process, of which the tensor is the sum, mean, greatest or least.
    reduce_op: "sum", "avg", "max", "min" or "product" ("sum")."""

    __slots__ = ("reduce_op",)
    reduce_op: str

    def __init__(self, reduce_op: str = "sum") -> None:
        object.__setattr__(self, "reduce_op", reduce_op)

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


all_housed(globals())


REPLICATE = Replicate()
_Partial = Partial  # its older name


def cutting(placements: Any) -> list[int]:
    """The dimensions of a mesh in the order in which they cut a tensor."""
    return sorted(range(len(placements)), key=lambda i: isinstance(placements[i], _StridedShard))


def normal(placements: Any, ndim: int, mesh: Any, way: str) -> tuple[Any, ...]:
    """Placements as given, one for each dimension of the mesh; negative dimensions counted from the end.
    way: how the tensor comes to lie so: "distributed" or "redistributed", of "local" parts, "made"."""
    given = [REPLICATE] * mesh.ndim if placements is None else placements
    if len(given) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: {len(given)}, and "
            f"device_mesh.ndim: {mesh.ndim}."
        )
    given = list(given)
    for i, each in enumerate(given):
        if not isinstance(each, Placement):
            raise RuntimeError(
                f"Trying to distribute tensor with unsupported placements {each} on device mesh dimension {i}!"
            )
        if isinstance(each, Shard):
            if each.dim < 0 and way != "made":
                given[i] = Shard(each.dim + ndim)
            if not 0 <= given[i].dim < max(ndim, 1):
                raise _refused(given, i, ndim, way)
    return tuple(given)


def _refused(given: list, i: int, ndim: int, way: str) -> Exception:
    """PyTorch's error for a dimension that the tensor has not."""
    dim, told = given[i].dim, f"Sharding dim {given[i].dim} greater than tensor ndim {ndim}"
    counted = AssertionError(f"Shard dim {dim} in placements {tuple(given)} must be normalized")
    if way == "made":
        return counted if -ndim <= dim < 0 else IndexError("tuple index out of range")
    if way == "local":
        negative = f"Shard placements should have negative dims normalized in the user-facing APIs: {given[i]}"
        return RuntimeError(negative if dim < 0 else f"{told} for placement number {i}")
    if dim > ndim:
        return AssertionError(told)
    if dim < 0 and (way == "redistributed" or -ndim <= dim):
        return counted
    if not ndim:
        return AssertionError("Expected tensor.dim() > 0, got 0")
    return IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
