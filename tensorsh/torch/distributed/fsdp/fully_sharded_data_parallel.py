"""`FullyShardedDataParallel`: a module around another, whose parameters lie in a row of which each process keeps a part."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ....engine.arrays.extents import owner
from ....engine.arrays.state import here
from ....engine.arrays.warning import DEPRECATED, warn
from ....engine.graph.fields import wrap
from ....engine.tape.backward import at_end
from ....engine.tensors.tensor import Tensor
from ...containers import cast, tensors_in
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ..around import Around
from ..collectives import all_reduce, broadcast
from ..device_mesh import init_device_mesh
from ..groups import group_of
from ..reduce_ops import ReduceOp
from ..starting import get_rank, new_group
from ..tensor.dtensor import distribute_tensor
from ..tensor.placement_types import Shard
from .api import CONFIGS, ShardingStrategy, StateDictSettings, StateDictType
from .flat import INSIDE, Flat
from .module import own_parameters
from .optimizers import gathered, parted
from .wrap import wrap_within

__all__ = ["FullyShardedDataParallel"]

PREFIX = INSIDE + "."


class FullyShardedDataParallel(Around):
    """A module around another in each process of a group, which keeps a part of its parameters and of their gradients: they are
    gathered while the module computes. New programs use `fully_shard`.
    module: the module. process_group: the processes, or for hybrid strategies a pair of groups (None: all). sharding_strategy: what
    is kept in parts (ShardingStrategy.FULL_SHARD). auto_wrap_policy: which modules within are wrapped by themselves (None: none).
    mixed_precision: a MixedPrecision. ignored_modules, ignored_states: what is left as it is. param_init_fn: makes modules on the
    meta device real. sync_module_states: begin with rank 0's values (False). use_orig_params: optimizers see each parameter's part,
    not a flat one (False). device_mesh: the processes, instead. cpu_offload, backward_prefetch, device_id, forward_prefetch,
    limit_all_gathers: accepted.
    ValueError for parameters of several dtypes in one row.
    >>> model = torch.distributed.fsdp.FullyShardedDataParallel(nn.Linear(2, 1))  # doctest: +SKIP"""

    _inside = INSIDE

    def __init__(
        self, module: Module, process_group: Any = None, sharding_strategy: Any = None, cpu_offload: Any = None,
        auto_wrap_policy: Any = None, backward_prefetch: Any = None, mixed_precision: Any = None, ignored_modules: Any = None,
        param_init_fn: Any = None, device_id: Any = None, sync_module_states: bool = False, forward_prefetch: bool = False,
        limit_all_gathers: bool = True, use_orig_params: bool = False, ignored_states: Any = None, device_mesh: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if ignored_modules is not None and ignored_states is not None:
            raise ValueError("Cannot pass both ignored_modules and ignored_states at the same time")
        if auto_wrap_policy is not None:
            for name, each in module.named_modules():
                if isinstance(each, FullyShardedDataParallel):
                    where = f"Found {name} in the submodules." if name else "Nested wrapping is not supported."
                    raise ValueError(
                        f"FSDP auto wrapping requires modules to not already have FSDP applied but found {name} in\n{module}"
                        if name
                        else where
                    )
        if param_init_fn is not None:
            for each in module.modules():
                if any(p.is_meta for p in each._parameters.values() if p is not None):
                    param_init_fn(each)
        states = list(ignored_states or [])
        roots = list(ignored_modules or []) + [each for each in states if isinstance(each, Module)]
        ignored = {id(each) for root in roots for each in root.modules()}
        left = {id(p) for root in roots for p in root.parameters()} | {
            id(p) for p in states if isinstance(p, Parameter)
        }
        strategy = ShardingStrategy.FULL_SHARD if sharding_strategy is None else sharding_strategy
        if strategy == ShardingStrategy.NO_SHARD:
            warn(DEPRECATED["NO_SHARD"], FutureWarning)
        group, copies = groups(process_group, device_mesh, strategy)
        if sync_module_states:
            for t in [*module.parameters(), *module.buffers()]:
                broadcast(t.detach(), group_src=0, group=group)
        if auto_wrap_policy is not None:
            options = {
                "process_group": (group, copies) if copies is not None else group, "sharding_strategy": strategy,
                "mixed_precision": mixed_precision, "use_orig_params": use_orig_params,
            }  # fmt: skip
            wrap_within(module, auto_wrap_policy, FullyShardedDataParallel, options, ignored, left)
        self.process_group, self.sharding_strategy, self.mixed_precision = group, strategy, mixed_precision
        self._modules[INSIDE] = module
        found = own_parameters([module], left, FullyShardedDataParallel)
        self._flat = (
            Flat(found, module, group, copies, strategy != ShardingStrategy.NO_SHARD, mixed_precision, use_orig_params)
            if found
            else None
        )
        self.__dict__["_root"] = None  # the outermost wrapped module, which is no module within
        self._settings = settings(StateDictType.FULL_STATE_DICT)
        self._clean = False

    module = property(lambda self: self._modules[INSIDE], doc="The module within.")

    def check_is_root(self) -> bool:
        """Whether this is the outermost wrapped module."""
        self._begin()
        return self._root is self

    def _begin(self) -> None:
        """The first module that is used is the outermost."""
        if self._root is None:
            for each in FullyShardedDataParallel.fsdp_modules(self):
                each.__dict__["_root"] = self
                dtype = getattr(each.mixed_precision, "buffer_dtype", None)
                if dtype is not None:
                    for t in each._modules[INSIDE].buffers():
                        if t.is_floating_point():
                            t.data = t.to(dtype)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        self._begin()
        flat, precision = self._flat, self.mixed_precision
        if flat is None:
            return self._modules[INSIDE](*args, **kwargs)
        flat.unshard()
        dtype = None if precision is None else precision.param_dtype
        if dtype is not None and (
            precision.cast_root_forward_inputs if self._root is self else precision.cast_forward_inputs
        ):
            args, kwargs = cast(args, dtype), cast(kwargs, dtype)
        output = self._modules[INSIDE](*args, **kwargs)
        keeps = self.sharding_strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2)
        if not here.grad_enabled or not (keeps or self._root is self):
            flat.reshard()
        if here.grad_enabled:
            for t in tensors_in(output):
                if t._node is not None:
                    t.register_hook(lambda gradient: self._prepare())
        return output

    def _prepare(self) -> None:
        flat = self._flat
        flat.unshard()

        def finish() -> None:
            if flat.arrived or flat.is_whole:  # not all parameters were used
                flat.finish()

        at_end(finish)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which gradients are added up in each process; the next backward pass outside sums them."""
        self._begin()
        if self._root is not self:
            raise RuntimeError(
                "`no_sync()` on inner FSDP instances is not supported. Please call `no_sync()` on root FSDP module."
            )
        flats = [each._flat for each in FullyShardedDataParallel.fsdp_modules(self) if each._flat is not None]
        before = [flat.reduces for flat in flats]
        for flat in flats:
            flat.reduces = False
        try:
            yield
        finally:
            for flat, reduces in zip(flats, before, strict=True):
                flat.reduces = reduces

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Bound the norm of all gradients together, those of other processes, too; the norm that they had.
        max_norm: the bound. norm_type: which norm (2). RuntimeError: this is not the outermost wrapped module."""
        self._begin()
        if self._root is not self:
            raise RuntimeError("`clip_grad_norm_()` should only be called on the root FSDP instance")
        norm_type, groups_of = float(norm_type), {}
        for each in FullyShardedDataParallel.fsdp_modules(self):
            if each._flat is not None:
                parts = [p.part for p in each._flat.pieces] if each._flat.original else [each._flat.part]
                for p in parts:
                    groups_of[id(p)] = each._flat
        gradients, sharded, others = [], [], []
        for p in self.parameters():
            if p._grad is not None:
                gradients.append(p._grad)
                flat = groups_of.get(id(p))
                (sharded if flat is not None and flat.parts > 1 else others).append(p._grad._array.astype(np.float32))
        if not gradients and not groups_of:
            warn(
                f"Called FSDP.clip_grad_norm_() on rank {get_rank()} with no gradients -- returning the total norm in the default dtype torch.float32"
            )
            return wrap(np.zeros((), np.float32))
        largest = norm_type == float("inf")
        local = wrap(np.asarray(measure(sharded, norm_type), np.float32))
        if any(flat.parts > 1 for flat in groups_of.values()):
            all_reduce(local, ReduceOp.MAX if largest else ReduceOp.SUM, self.process_group)
        rest = np.float32(measure(others, norm_type))
        total = max(local._array, rest) if largest else (local._array + rest) ** (1.0 / norm_type)
        factor = min(float(max_norm) / (float(total) + 1e-6), 1.0)
        for g in gradients:
            g._array[...] *= np.asarray(factor).astype(g._array.dtype)
        return wrap(np.asarray(total, np.float32))

    def apply(self, fn: Any) -> Any:
        """Call a function with each module within, parameters whole and what is written into them kept."""
        with FullyShardedDataParallel.summon_full_params(self, recurse=False):
            return super().apply(fn)

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield (name.replace(PREFIX, "") if self._clean else name), parameter

    def named_buffers(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        for name, buffer in super().named_buffers(*args, **kwargs):
            yield (name.replace(PREFIX, "") if self._clean else name), buffer

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """The state, of the type that was set (whole tensors)."""
        own: Any = OrderedDict()
        own._metadata = OrderedDict()
        kind, flat, inside = self._settings.state_dict_type, self._flat, self._modules[INSIDE]
        if flat is None or kind == StateDictType.LOCAL_STATE_DICT:
            inside.state_dict(destination=own, prefix=prefix, keep_vars=keep_vars)
        else:
            with whole(flat, False) as row:
                inside.state_dict(destination=own, prefix=prefix, keep_vars=keep_vars)
            for name, t in own.items():
                if isinstance(t, Tensor) and owner(t._array) is owner(row):
                    own[name] = self._part(t) if kind == StateDictType.SHARDED_STATE_DICT else t
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        config = self._settings.state_dict_config
        if kind != StateDictType.FULL_STATE_DICT or not config.rank0_only or self.process_group.rank() == 0:
            destination.update(own)
            destination._metadata.update(own._metadata)
        return destination

    def _part(self, t: Tensor) -> Any:
        """A tensor in parts of a whole one."""
        if not t.dim():
            return t
        mesh = init_device_mesh("cpu", (self.process_group.size(),))
        return distribute_tensor(t.clone(), mesh, [Shard(0)], src_data_rank=None)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Take a state of the type that was set."""
        if self._settings.state_dict_type == StateDictType.LOCAL_STATE_DICT:
            return super().load_state_dict(named_within(self, state_dict), strict, assign)
        state_dict = {k: v.full_tensor() if hasattr(v, "full_tensor") else v for k, v in state_dict.items()}
        with FullyShardedDataParallel.summon_full_params(self):
            self._clean = False
            try:
                found = super().load_state_dict(named_within(self, state_dict), strict)
            except RuntimeError as error:
                raise RuntimeError(str(error).replace(PREFIX, "")) from None
        for names in found:
            names[:] = [name.replace(PREFIX, "") for name in names]
        return found

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[Any]:
        """The wrapped modules in a module, itself too. root_only: those that lie in no other (False)."""
        found = [each for each in module.modules() if isinstance(each, FullyShardedDataParallel)]
        if root_only:
            inner = {id(m) for each in found for m in each._modules[INSIDE].modules()}
            found = [each for each in found if id(each) not in inner]
        return found

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module, recurse: bool = True, writeback: bool = True, rank0_only: bool = False, offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:  # fmt: skip
        """A context in which parameters are whole, under their own names.
        module: whose. recurse: those of wrapped modules within, too (True). writeback: keep what is written into them (True).
        rank0_only, offload_to_cpu, with_grads: accepted."""
        found = FullyShardedDataParallel.fsdp_modules(module) if recurse else [module]
        with ExitStack() as stack:
            for each in found:
                if isinstance(each, FullyShardedDataParallel):
                    if each._flat is not None:
                        stack.enter_context(whole(each._flat, writeback))
                    stack.callback(setattr, each, "_clean", each._clean)
                    each._clean = True
            yield

    @staticmethod
    def set_state_dict_type(
        module: Module, state_dict_type: Any, state_dict_config: Any = None, optim_state_dict_config: Any = None
    ) -> Any:
        """Choose the type of state that the wrapped modules in a module give; the settings of before."""
        before = None
        warn(DEPRECATED["state_dict_type"], FutureWarning)
        for each in FullyShardedDataParallel.fsdp_modules(module):
            before, each._settings = (
                each._settings,
                settings(state_dict_type, state_dict_config, optim_state_dict_config),
            )
        return before

    @staticmethod
    def get_state_dict_type(module: Module) -> Any:
        """The settings of the wrapped modules in a module."""
        found = FullyShardedDataParallel.fsdp_modules(module)
        return found[0]._settings if found else StateDictSettings()

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module, state_dict_type: Any, state_dict_config: Any = None, optim_state_dict_config: Any = None
    ) -> Iterator[None]:
        """A context in which `set_state_dict_type` holds."""
        before = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            if before is not None:
                FullyShardedDataParallel.set_state_dict_type(
                    module, before.state_dict_type, before.state_dict_config, before.optim_state_dict_config
                )

    @staticmethod
    def optim_state_dict(model: Module, optim: Any, optim_state_dict: Any = None, group: Any = None) -> dict:
        """The state of an optimizer with whole tensors, by the names of the parameters."""
        found = gathered(model, FullyShardedDataParallel.fsdp_modules(model), optim, optim_state_dict)
        config = FullyShardedDataParallel.get_state_dict_type(model).optim_state_dict_config
        return {} if getattr(config, "rank0_only", False) and get_rank() else found

    @staticmethod
    def optim_state_dict_to_load(
        model: Module, optim: Any, optim_state_dict: dict, is_named_optimizer: bool = False, load_directly: bool = False, group: Any = None
    ) -> dict:  # fmt: skip
        """What an optimizer of a wrapped model loads, made of the state that `optim_state_dict` gave."""
        found = parted(model, FullyShardedDataParallel.fsdp_modules(model), optim, optim_state_dict)
        if load_directly:
            optim.load_state_dict(found)
        return found

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> dict:
        """`optim_state_dict`, by its old name. rank0_only: only the first process gets it (True)."""
        found = FullyShardedDataParallel.optim_state_dict(model, optim)
        return {} if rank0_only and get_rank() else found


FullyShardedDataParallel.__module__ = "torch.distributed.fsdp.fully_sharded_data_parallel"


def settings(kind: Any, config: Any = None, optim_config: Any = None) -> StateDictSettings:
    """Settings of states, with those that are not given."""
    one, other = CONFIGS[kind]
    for given, wanted in ((config, one), (optim_config, other)):
        if given is not None and type(given) is not wanted:
            raise RuntimeError(
                f"Expected {'state_dict_config' if given is config else 'optim_state_dict_config'} of type {wanted} but got {type(given)}"
            )
    return StateDictSettings(
        kind, one() if config is None else config, other() if optim_config is None else optim_config
    )


def groups(process_group: Any, mesh: Any, strategy: Any) -> tuple[Any, Any]:
    """The group among which parts lie, and that of copies."""
    if mesh is not None:
        return (mesh.get_group(1), mesh.get_group(0)) if mesh.ndim == 2 else (mesh.get_group(0), None)
    if isinstance(process_group, tuple):
        return process_group
    found = group_of(process_group)
    if strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2):
        return found, new_group([get_rank()])  # one machine holds all parts
    return found, None


@contextmanager
def whole(flat: Flat, keeps: bool) -> Iterator[Any]:
    """A context in which modules have whole parameters in memory of their own; the row of that memory."""
    was_whole, row = flat.is_whole, flat.gathered(flat.form)
    made = {}
    for piece in flat.pieces:
        made[id(piece)] = Parameter(wrap(row[piece.low : piece.high].reshape(piece.shape)), piece.trained)
    flat.show(lambda piece: made[id(piece)])
    if not flat.original:
        for piece in flat.pieces:
            for module, name in piece.owners:
                module.__dict__.pop(name, None)
    try:
        yield row
    finally:
        if keeps:
            for piece in flat.pieces:
                row[piece.low : piece.high] = made[id(piece)]._array.reshape(-1)
            flat.mine[...] = row[flat.start : flat.start + flat.step]
        flat.hide()
        flat.is_whole = False
        if was_whole:
            flat.unshard()


def named_within(model: Module, state_dict: Any) -> dict:
    """A state with the names that parameters have in wrapped modules."""
    names = {
        name.replace(PREFIX, ""): name for name, _ in [*Module.named_parameters(model), *Module.named_buffers(model)]
    }
    return {names.get(name, name): value for name, value in state_dict.items()}


def measure(arrays: list, norm_type: float) -> float:
    """The sum of powers of the elements of arrays; the largest for the norm of infinity."""
    found = [np.abs(a).reshape(-1) for a in arrays if a.size]
    if norm_type == float("inf"):
        return max((a.max() for a in found), default=0.0)
    return sum(np.linalg.norm(a, norm_type) ** norm_type for a in found)
