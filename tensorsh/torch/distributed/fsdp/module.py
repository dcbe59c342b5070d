"""`fully_shard`: a module's parameters in parts, gathered before its forward and backward and forgotten after."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.state import here
from ....engine.tape.backward import at_end
from ....sandbox.classes import is_script_class, register_class
from ....sandbox.named import read_named, write_named
from ....sandbox.sealed import OpenSealed, joined
from ...containers import cast, tensors_in
from ...nn.modules.module import Module
from .._composable.contract import APPLIED
from ..device_mesh import init_device_mesh
from ..starting import get_world_size
from .group import Group
from .policies import MixedPrecisionPolicy, OffloadPolicy

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]


class Sharding:
    """What a sharded module keeps: its group of parameters, and how it takes turns."""

    def __init__(self, group: Group, policy: Any, after_forward: Any) -> None:
        self.group, self.policy, self.after_forward = group, policy, after_forward
        self.root: Any = None
        """The outermost sharded module, known from the first forward on."""

    @property
    def reshards(self) -> bool:
        """Whether parts are all that is kept between forward and backward."""
        return self.root is not self if self.after_forward is None else bool(self.after_forward)


class UnshardHandle(metaclass=OpenSealed):
    """What `unshard(async_op=True)` gives back."""

    __module__ = "torch.distributed.fsdp"

    def wait(self) -> None:
        """Wait until the parameters are whole: they are."""


class FSDPModule(metaclass=OpenSealed):
    """What the class of a module becomes by `fully_shard`."""

    __module__ = "torch.distributed.fsdp"
    _sharding: Sharding

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters."""
        self._sharding.group.unshard()
        return UnshardHandle() if async_op else None

    def reshard(self) -> None:
        """Keep the parts of the parameters only."""
        self._sharding.group.reshard()

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Whether backward passes sum the gradients of the processes; else they are added up in each."""
        for each in self._sharded(recurse):
            each.group.reduces = each.group.reduces_all = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """The same for the copies of a mesh of two dimensions."""
        for each in self._sharded(recurse):
            each.group.reduces_all = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Whether parts are all that is kept between forward and backward."""
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for each in self._sharded(recurse):
            each.after_forward = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Whether parts are all that is kept after backward."""
        for each in self._sharded(recurse):
            each.group.reshards = reshard_after_backward

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Accepted: each backward pass ends by itself."""

    def set_modules_to_forward_prefetch(self, modules: list) -> None:
        """Accepted: parameters are gathered when they are needed."""

    def set_modules_to_backward_prefetch(self, modules: list) -> None:
        """Accepted: parameters are gathered when they are needed."""

    def _sharded(self, recurse: bool = True) -> list[Sharding]:
        modules: Any = self.modules() if recurse else [self]  # type: ignore[attr-defined]
        return [each._sharding for each in modules if isinstance(each, FSDPModule)]

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state with the parameters as they are between uses: in parts."""
        for each in self._sharded():
            each.group.reshard()
        return super().state_dict(*args, **kwargs)  # type: ignore[misc]


def fully_shard(
    module: Any, *, mesh: Any = None, reshard_after_forward: Any = None, shard_placement_fn: Any = None, mp_policy: Any = None,
    offload_policy: Any = None, ignored_params: Any = None,
) -> Any:  # fmt: skip
    """A module whose parameters lie in parts in the processes of a mesh, as DTensors, and are gathered while it computes. Modules
    within that were sharded before keep theirs.
    module: the module, which is changed and becomes an FSDPModule; or several. mesh: the processes; of two dimensions, the first
    holds copies (None: all). reshard_after_forward: keep parts only between forward and backward (None: but the outermost).
    mp_policy: dtypes (MixedPrecisionPolicy()). offload_policy: accepted. ignored_params: parameters that stay.
    ValueError for a ModuleList or a ModuleDict, which have no forward, and for parameters without dimensions."""
    modules = [module] if isinstance(module, Module) else list(module)
    for each in modules:
        if type(each).__name__ in ("ModuleList", "ModuleDict") and type(each).forward is Module.forward:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {each}")
        if isinstance(each, FSDPModule):
            raise AssertionError(APPLIED.format("fully_shard", each))
    if shard_placement_fn is not None:
        raise ValueError("fully_shard cuts parameters along their first dimension here: leave out shard_placement_fn")
    if mesh is None:
        mesh = init_device_mesh("cpu", (get_world_size(),))
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    if type(reshard_after_forward) is int and mesh.size(mesh.ndim - 1) % max(reshard_after_forward, 1):
        raise ValueError(
            f"If passing reshard_after_forward as an int, it should be a factor of {mesh.size(mesh.ndim - 1)}, not {reshard_after_forward}"
        )
    policy = MixedPrecisionPolicy() if mp_policy is None else mp_policy
    assert offload_policy is None or isinstance(offload_policy, OffloadPolicy)
    parameters = own_parameters(modules, {id(p) for p in ignored_params or ()}, FSDPModule)
    sharding = Sharding(Group(parameters, mesh, policy), policy, reshard_after_forward)
    for each in modules:
        each.__dict__["_sharding"] = sharding
        each.__class__ = sharded_class(type(each))
    first, last = modules[0], modules[-1]
    first.register_forward_pre_hook(_before, prepend=True, with_kwargs=True)
    last.register_forward_hook(_after, prepend=False)
    return module


def own_parameters(modules: list, ignored: set[int], sharded: type) -> list[tuple[Any, list]]:
    """The parameters of modules that none of a sharded class within has, and who has them; `ignored` by their identities."""
    found: dict[int, tuple[Any, list]] = {}
    seen: set[int] = set()
    ahead = modules[::-1]
    while ahead:
        module = ahead.pop()
        if module is None or id(module) in seen or isinstance(module, sharded):
            continue
        seen.add(id(module))
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in ignored:
                found.setdefault(id(parameter), (parameter, []))[1].append((module, name))
        ahead += list(module._modules.values())[::-1]
    return list(found.values())


_classes: dict[type, type] = {}


def sharded_class(kind: type) -> type:
    """The class of sharded modules of a class."""
    made = _classes.get(kind)
    if made is None:
        bases = (FSDPModule, kind)
        made = (joined(bases) or type(kind))(f"FSDP{kind.__name__}", bases, {"__module__": kind.__module__})
        if is_script_class(kind):
            register_class(made)
        _classes[kind] = made
    return made


def _before(module: Any, args: tuple, kwargs: dict) -> tuple:
    sharding = module._sharding
    if sharding.root is None:
        for each in module._sharded():
            each.root = sharding
    sharding.group.unshard()
    dtype = sharding.policy.param_dtype
    if dtype is not None and sharding.policy.cast_forward_inputs:
        args, kwargs = cast(args, dtype), cast(kwargs, dtype)
    return args, kwargs


def _after(module: Any, args: tuple, output: Any) -> Any:
    sharding = module._sharding
    dtype = sharding.policy.output_dtype
    if dtype is not None:
        output = cast(output, dtype)
    if sharding.reshards:
        sharding.group.reshard()
    if here.grad_enabled:
        for t in tensors_in(output):
            if t._node is not None:
                t.register_hook(lambda gradient: _prepare(sharding))
    return output


def _prepare(sharding: Sharding) -> None:
    """Gather the parameters for a backward pass, and see that it is ended well."""
    sharding.group.unshard()

    def finish() -> None:
        group = sharding.group
        if group.arrived or group.is_whole:  # not all parameters were used
            group.finish()

    at_end(finish)


def register_fsdp_forward_method(module: Any, method_name: str) -> None:
    """Let another method of a sharded module be used as its forward is: with whole parameters."""
    if not isinstance(module, FSDPModule):
        return
    method = read_named(module, method_name)

    def called(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _before(module, args, kwargs)
        return _after(module, args, method(*args, **kwargs))

    write_named(module, method_name, called)


for _f in (fully_shard, register_fsdp_forward_method):
    _f.__module__ = "torch.distributed.fsdp"
