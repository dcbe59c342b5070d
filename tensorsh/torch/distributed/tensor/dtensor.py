"""DTensor: a tensor that lies in parts in the processes of a mesh. To the engine it is the part that is here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ....engine.arrays.device import absent
from ....engine.arrays.warning import warn
from ....engine.graph.fields import wrap
from ....engine.graph.nodes import AccumulateGrad
from ....engine.operators.torch_function import DisableTorchFunctionSubclass, stay
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.shape import Size
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ...makers import OWN
from ...nn.parameter import Parameter
from ..collectives import broadcast
from ..device_mesh import DeviceMesh, current_mesh
from ..objects import all_gather_object
from ..starting import get_world_size
from . import products, shapes  # noqa: F401  their rules
from .moving import Guard, cut, moved
from .parts import _ToTorchTensor, bind, gradient_placements, local_of, placed_tensor
from .placement_types import Partial, Replicate, Shard, cutting, normal
from .rules import dispatch

stay("classes")


class DTensor(Tensor):
    """A tensor whose parts lie in the processes of a mesh, as its placements say. Functions of torch take it as any tensor, and
    move parts among the processes where they must.
    It is made by `distribute_tensor` of a whole tensor, or by `DTensor.from_local` of parts."""

    __module__ = "torch.distributed.tensor"
    _mesh: DeviceMesh
    _placements: tuple
    _shape: tuple

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("DTensor is not constructed: use distribute_tensor or DTensor.from_local")

    @classmethod
    def __torch_function__(cls, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        if getattr(func, "__module__", None) == "torch.nn.init":  # which writes by methods that are answered here
            with no_grad():
                return func.__wrapped__(*args, **kwargs or {})
        return dispatch(func, args, kwargs or {})

    @staticmethod
    def from_local(
        local_tensor: Tensor, device_mesh: Any = None, placements: Any = None, *, run_check: bool = False, shape: Any = None,
        stride: Any = None, grad_placements: Any = None,
    ) -> DTensor:  # fmt: skip
        """The tensor of which each process has a part.
        local_tensor: the part. stride: of the whole, with shape. device_mesh: the processes. placements: how the parts make up the whole (None: all are the same).
        run_check: broadcast what should be the same from the first process (False). shape: of the whole, where parts differ in
        size."""
        mesh = current(device_mesh)
        if bool(shape) != bool(stride):
            raise RuntimeError(
                f"Found shape:{shape}, stride:{stride}.", "Please pass both shape and stride at the same time."
            )
        placed = normal(placements, local_tensor.dim(), mesh, "local")
        if run_check:
            _same_everywhere(local_tensor, not shape)
        if run_check and any(isinstance(each, Replicate) for each in placed):
            local_tensor = local_tensor.clone()
            for i, each in enumerate(placed):
                if isinstance(each, Replicate):
                    broadcast(local_tensor, group_src=0, group=mesh.get_group(i))
        if shape is None:
            sizes = list(local_tensor.shape)
            for i, each in enumerate(placed):
                if each.is_shard():
                    sizes[each.dim] *= mesh.size(i)
            shape = sizes
        made = placed_tensor(local_tensor, mesh, placed, tuple(shape))
        if stride:
            made.__dict__["_steps"] = tuple(stride)
        return made

    def to_local(self, *, grad_placements: Any = None) -> Tensor:
        """The part that is here.
        grad_placements: how gradients of the part make up that of the whole, where not as the tensor itself (None)."""
        local = local_of(self)
        for i, each in enumerate(grad_placements or ()):
            if isinstance(each, Partial) and not isinstance(self._placements[i], Partial):
                local = Guard.apply(local, self._mesh.get_group(i))  # type: ignore[attr-defined]
        return local if local._node is None else _ToTorchTensor.apply(local)  # type: ignore[attr-defined]

    def redistribute(
        self, device_mesh: Any = None, placements: Any = None, *, async_op: bool = False, forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> DTensor:  # fmt: skip
        """The same tensor in other placements."""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        wanted = normal(placements, len(self._shape), self._mesh, "redistributed")
        for before, after in zip(self._placements, wanted, strict=True):
            if isinstance(after, Partial) and before != after:
                raise RuntimeError(
                    f"Can not redistribute from {before} to {after}, redistributing to Partial is for internal use only!"
                )
        return placed_tensor(
            moved(local_of(self), self._mesh, self._placements, wanted, self._shape), self._mesh, wanted, self._shape
        )

    def full_tensor(self, *, grad_placements: Any = None) -> Tensor:
        """The whole, in every process."""
        whole = self.redistribute(placements=[Replicate()] * self._mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    device_mesh = property(lambda self: self._mesh)
    placements = property(lambda self: self._placements)

    @property
    def _local_tensor(self) -> Tensor:
        local = wrap(self._array)
        if self.__dict__.get("_leaf") and type(self._node) is AccumulateGrad:  # as the part that it was made of
            local._node = AccumulateGrad(local)
        return local

    shape = property(lambda self: Size(self._shape))
    ndim = property(lambda self: len(self._shape))

    @property
    def data(self) -> Any:
        return placed_tensor(wrap(self._array), self._mesh, self._placements, self._shape)

    @data.setter
    def data(self, value: Any) -> None:
        Tensor.data.fset(self, value)  # type: ignore[attr-defined]

    @property
    def grad(self) -> Any:
        gradient = self._grad
        if gradient is None or isinstance(gradient, DTensor):
            return gradient
        return placed_tensor(gradient, self._mesh, gradient_placements(self._placements), self._shape)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
            )
        self._grad = None if value is None else wrap(value._array)

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def size(self, dim: int | None = None) -> Any:
        """The sizes of the whole, or one of them."""
        return Size(self._shape) if dim is None else self._shape[dim]

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    ndimension = dim

    def numel(self) -> int:
        """The number of elements of the whole."""
        return int(np.prod(self._shape, dtype=np.int64))

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """The strides of the whole, whose dimensions follow each other as those of the part."""
        steps = self.__dict__.get("_steps")
        if steps is None:
            here, size, found = wrap(self._array).stride(), 1, [0] * len(self._shape)
            for i in sorted(range(len(found)), key=lambda i: (here[i], -i)):
                if here[i] or self._shape[i] < 2:
                    found[i], size = size, size * max(self._shape[i], 1)
            steps = tuple(found)
        return steps if dim is None else steps[dim]

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of a 0-d tensor")
        return self._shape[0]

    def detach(self, *args: Any, **kwargs: Any) -> Any:
        """The same memory, without history."""
        return placed_tensor(local_of(self).detach(), self._mesh, self._placements, self._shape)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Whether gradients are computed for it."""
        self.requires_grad = requires_grad
        return self

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """The gradient of this tensor with respect to the leaves of its graph, added to their `grad`."""
        whole = [Replicate() if isinstance(each, Partial) else each for each in self._placements]
        local = local_of(self.redistribute(placements=whole))
        if isinstance(gradient, DTensor):
            gradient = local_of(gradient.redistribute(placements=whole))
        local.backward(gradient, retain_graph, create_graph, inputs)

    def register_hook(self, hook: Callable) -> Any:
        """Call a function with the gradient, a tensor in parts, before it is kept.
        hook: what it gives takes the gradient's place, None nothing."""
        mesh, placements, shape = self._mesh, gradient_placements(self._placements), self._shape

        def called(gradient: Tensor) -> Any:
            found = hook(placed_tensor(gradient, mesh, placements, shape))
            return local_of(found.redistribute(placements=placements)) if isinstance(found, DTensor) else found

        with DisableTorchFunctionSubclass():
            return super().register_hook(called)

    def item(self) -> Any:
        """The number of a tensor of one element; of one in terms the term that is here."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self._local_tensor.item()

    def tolist(self) -> Any:
        """Refused, as by PyTorch: the part or the whole is meant."""
        raise RuntimeError(".tolist() is not supported for tensor subclasses, got DTensor")

    def numpy(self, *, force: bool = False) -> Any:
        """Refused, as by PyTorch: the part or the whole is meant."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __bool__(self) -> bool:
        return bool(self._local_tensor)

    def __float__(self) -> float:
        return float(self._local_tensor)

    def __int__(self) -> int:
        return int(self._local_tensor)

    def __repr__(self, *args: Any, **kwargs: Any) -> str:
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._mesh}, placements={self._placements})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError("unsupported format string passed to DTensor.__format__")
        return repr(self)

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            made = placed_tensor(wrap(self._array.copy()), self._mesh, self._placements, self._shape, type(self))
            memo[id(self)] = made.requires_grad_(self.requires_grad)
        return memo[id(self)]

    def _beside(self, local: Tensor) -> Any:
        """A tensor in the same parts."""
        return placed_tensor(local, self._mesh, self._placements, self._shape)

    def _as_parameter(self, requires_grad: bool) -> Any:
        """A parameter in the same placements."""
        made = placed_tensor(wrap(self._array), self._mesh, self._placements, self._shape, DTensorParameter)
        if requires_grad:
            made._node = AccumulateGrad(made)
        return made


bind(DTensor)
allow(DTensor, "_local_tensor")
OWN.update(
    {f"{kind.__module__}.{kind.__qualname__}": kind for kind in (DeviceMesh, DTensor, Shard, Replicate, Partial)}
)


class DTensorParameter(DTensor, Parameter):
    """A parameter in parts."""

    __module__ = "torch.distributed.tensor"
    __torch_function__ = DTensor.__torch_function__

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return Parameter, (self.detach(), self.requires_grad)


DTensorParameter.__name__ = DTensorParameter.__qualname__ = "DTensor"


def _same_everywhere(local: Tensor, sizes: bool) -> None:
    """ValueError where parts are not of one dtype, and of the same sizes where those are not told."""
    mine = (local.dtype.name, local.requires_grad, *([tuple(local.shape), local.stride()] if sizes else []))
    found: list[Any] = [None] * get_world_size()
    all_gather_object(found, mine)
    if any(each != mine for each in found):
        raise ValueError("Inconsistent tensor metadata (including shape and stride) across ranks.")


def current(mesh: Any) -> Any:
    """The mesh given; for None the one whose block the program is in."""
    return current_mesh() if mesh is None else mesh


def distribute_tensor(
    tensor: Tensor, device_mesh: Any = None, placements: Any = None, *, src_data_rank: int | None = 0
) -> Any:
    """A whole tensor, as the first process has it, in parts.
    tensor: the whole. device_mesh: the processes (None: those of `with mesh:`). placements: how it is to lie, one for each dimension of the mesh
    (None: whole everywhere). src_data_rank: whose values count (0); None: each process cuts its own.
    >>> distribute_tensor(torch.ones(4), mesh, [Shard(0)])  # doctest: +SKIP"""
    mesh = current(device_mesh)
    if not isinstance(tensor, DTensor) and tensor._node is not None and type(tensor._node) is not AccumulateGrad:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    wanted = normal(placements, tensor.dim(), mesh, "distributed")
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh {mesh}."
            )
        if tensor.placements != wanted:
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements "
                f"{list(placements)}. do you want to call `redistribute` instead?"
            )
        return tensor
    nowhere = absent(tensor._array)
    array = tensor._array if nowhere else np.ascontiguousarray(tensor._array)
    if src_data_rank is not None and not nowhere:
        array = array.copy()
        for i in range(mesh.ndim):
            broadcast(wrap(array), group_src=src_data_rank, group=mesh.get_group(i))
    for i in cutting(wanted):
        each = wanted[i]
        if each.is_shard():
            array = cut(array, each.dim, mesh.get_group(i))
        elif each.is_partial("sum"):
            array = array / array.dtype.type(mesh.size(i))
    made = placed_tensor(wrap(array), mesh, wanted, tuple(tensor.shape))
    if isinstance(tensor, Parameter):
        return made._as_parameter(tensor.requires_grad)
    made.__dict__["_leaf"] = tensor.requires_grad
    return made.requires_grad_() if tensor.requires_grad else made


def distribute_module(
    module: Any, device_mesh: Any = None, partition_fn: Callable | None = None, input_fn: Callable | None = None,
    output_fn: Callable | None = None,
) -> Any:  # fmt: skip
    """A module with its parameters in parts.
    module: the module, which is changed. device_mesh: the processes (None: those of `with mesh:`). partition_fn: called with the name of each module
    within, the module and the mesh; what it leaves whole is replicated. input_fn, output_fn: called with the module, its inputs
    or outputs, and the mesh, around each call."""
    mesh = current(device_mesh)
    for name, each in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, each, mesh)
        replicate(each, mesh)
    if input_fn is not None:
        before = of_module(input_fn, "input_fn")
        module.register_forward_pre_hook(lambda mod, inputs: before(mod, inputs, mesh))
    if output_fn is not None:
        after = of_module(output_fn, "output_fn")
        module.register_forward_hook(lambda mod, inputs, outputs: after(mod, outputs, mesh))
    return module


def of_module(function: Callable, name: str) -> Callable:
    """A function around a module's calls, which may be one of older programs that is not given the module."""
    count = len(inspect.signature(function).parameters)
    if count == 2:
        warn(
            f"Deprecating {name} that takes two arguments (inputs, device_mesh), please use {name} that takes in (module, inputs, "
            "device_mesh) instead!",
            FutureWarning,
        )
        return lambda mod, values, mesh: function(values, mesh)
    if count != 3:
        raise ValueError(f"{name} should take in 3 arguments, but got {count} arguments!")
    return function


def replicate(module: Any, mesh: Any) -> None:
    """Make the plain parameters and buffers of a module whole DTensors."""
    whole = [Replicate()] * mesh.ndim
    for name, parameter in list(module._parameters.items()):
        if parameter is not None and not isinstance(parameter, DTensor):
            module.register_parameter(name, distribute_tensor(parameter, mesh, whole))
    for name, buffer in list(module._buffers.items()):
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, whole)
