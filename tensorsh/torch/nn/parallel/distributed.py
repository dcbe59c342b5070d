"""``torch.nn.parallel.distributed``: a module in several processes, each with data of its own and the same gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....engine.arrays.state import here
from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ...containers import values_in
from ...distributed.algorithms.join import Join, Joinable, JoinHook
from ...distributed.collectives import all_gather, all_reduce, broadcast
from ...distributed.grad_bucket import GradBucket
from ...distributed.groups import group_of
from ...distributed.reduce_ops import ReduceOp
from ..modules.batchnorm import SyncBatchNorm
from ..modules.module import Module
from ..modules.sparse import Table
from .buckets import Reducer

__all__ = ["DistributedDataParallel"]

UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your "
    "module has parameters that were not used in producing loss. "
)
FIND = (
    "You can enable unused parameter detection by passing the keyword argument `find_unused_parameters=True` to "
    "`torch.nn.parallel.DistributedDataParallel`, and by \nmaking sure all `forward` function outputs participate in calculating "
    "loss. \n"
)
FOUND = (
    "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs participate in computing "
    "loss. You can fix this by \nmaking sure all `forward` function outputs participate in calculating loss. \n"
)
REST = (
    "If you already have done the above, then the distributed data parallel module wasn't able to locate the output tensors in "
    "the return value of your module's `forward` function. Please include the loss function and the structure of the return "
    "value of `forward` of your module when reporting this issue (e.g. list, dict, iterable).\nParameter indices which did not "
    "receive grad for rank {rank}: {indices}\n In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to "
    "either INFO or DETAIL to print out information about which particular parameters did not receive gradient on this rank as "
    "part of this error"
)


class DistributedDataParallel(Module, Joinable):
    """The module within, in each process of a group: parameters begin as those of rank 0, gradients are the mean over all
    processes, reduced in buckets while the backward pass goes on.
    module: the module. device_ids, output_device, dim: accepted (None, None, 0). broadcast_buffers: before each forward,
    buffers become those of rank 0 (True). process_group: the processes (None: all). bucket_cap_mb: size of a bucket (25).
    find_unused_parameters: look in each forward which parameters its result does not come from (False).
    gradient_as_bucket_view: gradients lie in the buckets (False). static_graph: the same parameters are used each time
    (False). Others: accepted.
    RuntimeError for a module without parameters to train, shapes that differ among processes, a backward pass that left
    parameters out; ValueError before init_process_group.
    >>> model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))  # doctest: +SKIP"""

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0, broadcast_buffers: bool = True,
        init_sync: bool = True, process_group: Any = None, bucket_cap_mb: float | None = None, find_unused_parameters: bool = False,
        check_reduction: bool = False, gradient_as_bucket_view: bool = False, static_graph: bool = False,
        delay_all_reduce_named_params: Any = None, param_to_hook_all_reduce: Any = None, mixed_precision: Any = None,
        device_mesh: Any = None, skip_all_reduce_unused_params: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if device_mesh is not None:
            if process_group is not None:
                raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
            process_group = device_mesh.get_group()
        self.process_group = group_of(process_group)
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._trained = [p for n, p in module.named_parameters() if p.requires_grad and n not in ignored]
        if not self._trained:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
            )
        if any(type(p).__name__ in ("UninitializedParameter",) for p in self._trained):
            raise RuntimeError(
                "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward pass to "
                "correctly initialize the modules"
            )
        devices = {p.device for p in module.parameters()}
        on_processor = self._trained[0].device.type == "cpu"
        if on_processor and any(isinstance(each, SyncBatchNorm) for each in module.modules()):
            raise ValueError("SyncBatchNorm layers only work with GPU modules")
        check_devices(devices, device_ids, output_device)
        self.module, self.dim = module, dim
        self.device, self.device_ids, self.output_device = self._trained[0].device, None, None
        self.device_type, self.is_multi_device_module = self.device.type, len(devices) > 1
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.bucket_bytes_cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * 1024 * 1024)
        self._states = [t for n, t in module.named_buffers() if n not in ignored]
        if init_sync:
            self._check_shapes()
            self._sync([p for n, p in module.named_parameters() if n not in ignored] + self._states, 0)
        sparse = {id(each.weight) for each in module.modules() if isinstance(each, Table) and each.sparse}
        self.reducer = Reducer(
            self._trained, self.process_group, self.bucket_bytes_cap, gradient_as_bucket_view, find_unused_parameters,
            sparse, static_graph,
        )  # fmt: skip
        self._join = None

    def _check_shapes(self) -> None:
        mine = [list(p.shape) for p in self._trained]
        counts = [wrap(np.zeros(1, np.int64)) for _ in range(self.process_group.size())]
        all_gather(counts, wrap(np.array([len(mine)], np.int64)), group=self.process_group)
        me = self.process_group.rank()
        for rank, count in enumerate(counts):
            if count.item() != len(mine):
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {me} has {len(mine)} params, while rank {rank} has "
                    "inconsistent {} params.".format(count.item())
                )
        sizes = wrap(np.array([n for shape in mine for n in (len(shape), *shape)], np.int64))
        length = wrap(np.array([sizes._array.size], np.int64))
        first = wrap(length._array.copy())
        broadcast(first, group_src=0, group=self.process_group)
        model = wrap(sizes._array.copy() if me == 0 else np.zeros(first.item(), np.int64))
        broadcast(model, group_src=0, group=self.process_group)
        theirs, at = [], 0
        while at < model._array.size:
            n = int(model._array[at])
            theirs.append(model._array[at + 1 : at + 1 + n].tolist())
            at += n + 1
        for i, (one, other) in enumerate(zip(mine, theirs, strict=False)):
            if one != other:
                raise RuntimeError(
                    f"[{me}]: params[{i}] in this process with sizes {one} appears not to match sizes of the same param in process 0."
                )

    def _sync(self, tensors: list[Any], source: int) -> None:
        """Give all processes the values of one, of each dtype in a row."""
        by_dtype: dict[Any, list[Any]] = {}
        for t in tensors:
            by_dtype.setdefault(t.dtype, []).append(t)
        for members in by_dtype.values():
            flat = wrap(np.concatenate([np.asarray(t._array).reshape(-1) for t in members]))
            broadcast(flat, group_src=source, group=self.process_group)
            at = 0
            if self.process_group.rank() == source:
                continue
            for t in members:
                n = t._array.size
                t._array[...] = flat._array[at : at + n].reshape(t._array.shape)
                at += n

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        self._pre_forward()
        return self._post_forward(self.module(*inputs, **kwargs))

    def _pre_forward(self) -> None:
        """What comes before a call of the module."""
        if self.reducer.active and self.reducer.lacking():
            self._refuse()
        if self._join is not None:
            Join._told(self, self._grows())
        if self.broadcast_buffers and self.require_forward_param_sync and self._states:
            self._sync(self._states, self._source(True))

    def _grows(self) -> bool:
        """Whether a backward pass will reduce gradients."""
        return here.grad_enabled and self.require_backward_grad_sync

    def _post_forward(self, output: Any) -> Any:
        """What follows a call of the module."""
        self.require_forward_param_sync = self._grows()
        if self._grows():
            self.reducer.prepare_for_backward(self._unused(output) if self.find_unused_parameters else [])
        return output

    def _refuse(self) -> None:
        lacking = " ".join(map(str, self.reducer.lacking()))
        rank = self.process_group.rank()
        how = FOUND if self.find_unused_parameters else FIND
        raise RuntimeError(UNFINISHED + how + REST.format(rank=rank, indices=lacking))

    def _source(self, active: bool) -> int:
        """The rank whose buffers all get: the first, or, of those that are not through, the last."""
        if self._join is None:
            return 0
        found = wrap(np.array([self.process_group.rank() if active else -1], np.int64))
        all_reduce(found, ReduceOp.MAX, self.process_group)
        return int(found.item())

    def _unused(self, output: Any) -> list[Any]:
        """The parameters that no tensor of an output comes from."""
        ahead = [t._node for t in tensors_of(output) if t._node is not None]
        seen, leaves = set(map(id, ahead)), set()
        while ahead:
            node = ahead.pop()
            variable = getattr(node, "variable", None)
            if variable is not None:
                leaves.add(id(variable))
            for edge in node._edges:
                target = edge[0] if isinstance(edge, tuple) else edge
                if target is not None and id(target) not in seen:
                    seen.add(id(target))
                    ahead.append(target)
        return [p for p in self._trained if id(p) not in leaves]

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which gradients are added up in each process by itself; the next backward pass outside reduces them."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Join:
        """A context for processes that have more or fewer batches than others: who is through takes part with zeros."""
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What this process does for those that are not through."""
        return Shadow(self, kwargs.get("divide_by_initial_world_size", True))

    join_device = property(lambda self: self._trained[0].device)
    join_process_group = property(lambda self: self.process_group)

    def register_comm_hook(self, state: Any, hook: Callable) -> None:
        """Let `hook(state, bucket)` reduce the gradients of each bucket: it gives back a Future of them."""
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        annotations = getattr(hook, "__annotations__", {})
        told, result = annotations.get("bucket"), annotations.get("return")
        if isinstance(told, type) and told is not GradBucket:
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if isinstance(result, type) and "Future" not in repr(result):
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
        brief = getattr(hook, "__name__", "") in ("bf16_compress_hook", "bf16_compress_wrapper_hook")
        if brief and self.device_type == "cpu":
            raise TypeError("BF16 all reduce communication hook required CUDA 11+ and NCCL 2.10+ or XPU and XCCL")
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = state, hook

    def _set_static_graph(self) -> None:
        self.static_graph = self.reducer.static = True

    def train(self, mode: bool = True) -> Any:
        super().train(mode)
        return self


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"


def check_devices(devices: set[Any], ids: Any, output: Any) -> None:
    """A module of several devices, or of none but the processor, has no device to be told."""
    ids = list(ids) if ids is not None else None
    if ids is not None and len(ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    if (ids or output is not None) and (len(devices) > 1 or {device.type for device in devices} == {"cpu"}):
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-device GPU "
            f"modules or CPU modules, but got device_ids {ids}, output_device {output}, and module parameters {devices}."
        )


class Shadow(JoinHook):
    """What a process that is through does in the others' iterations."""

    def __init__(self, ddp: Any, divides: bool) -> None:
        self._ddp, self._divides = ddp, divides

    def main_hook(self) -> None:
        """Take part in one iteration of the others."""
        ddp = self._ddp
        if ddp.broadcast_buffers and ddp._states and ddp.require_forward_param_sync:
            ddp._sync(ddp._states, ddp._source(False))
        if ddp._join.growing:
            if not self._divides:
                ddp.reducer.divisor = ddp._join.active
            ddp.reducer.launch_empty()

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take the parameters of one that came last."""
        ddp = self._ddp
        ddp._sync([*ddp.module.parameters(), *ddp._states], ddp._source(is_last_joiner))


def tensors_of(value: Any) -> list[Tensor]:
    """The tensors in containers and in objects with attributes."""
    found = []
    for each in values_in(value):
        fields = getattr(each, "__dataclass_fields__", ())
        found += [each] if isinstance(each, Tensor) else tensors_of([getattr(each, name) for name in fields])
    return found
