"""``torch.distributed._composable.replicate``: DistributedDataParallel by hooks, which leave a module's class and names."""

from __future__ import annotations

from typing import Any, NoReturn
from weakref import ref

from ....engine.arrays.device import device
from ...nn.modules.container import ParameterList
from ...nn.parallel.distributed import DistributedDataParallel
from .contract import _get_registry, _State, contract

__all__ = ["replicate"]


class _ReplicateState(_State):
    """The DistributedDataParallel of a module, made in its first call."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.ignored: set[Any] = set()
        self.hooks: list[tuple] = []
        self._ddp: Any = None
        self._no_sync = False

    def parameters(self, module: Any) -> list[Any]:
        """Those of a module that are not of modules to be left out, or in parts already."""
        if module in self.ignored or _is_fully_sharded(module):
            return []
        found = list(module.parameters(recurse=False))
        return found + [p for child in module.children() for p in self.parameters(child)]

    def before(self, module: Any, args: tuple, kwargs: dict) -> None:
        if self._ddp is None:
            self._ddp = DistributedDataParallel(ParameterList(self.parameters(module)), **self.options)
            self._ddp_weakref = ref(self._ddp)
        while self.hooks:
            hook_args, hook_kwargs = self.hooks.pop(0)
            self._ddp.register_comm_hook(*hook_args, **hook_kwargs)
        self._ddp.require_backward_grad_sync = not self._no_sync
        self._ddp._pre_forward()

    def after(self, module: Any, inputs: tuple, output: Any) -> Any:
        return self._ddp._post_forward(output)


class DDP:
    """What a replicated module has beside its own."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        own = cls.__mro__[2]
        return own.__new__(own, *args, **kwargs)

    def set_requires_gradient_sync(self, requires_gradient_sync: bool) -> None:
        """Whether the next backward passes reduce gradients."""
        replicate.state(self)._no_sync = not requires_gradient_sync

    def register_comm_hook(self, *args: Any, **kwargs: Any) -> None:
        """As that of DistributedDataParallel."""
        replicate.state(self).hooks.append((args, kwargs))


def _no_copy(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError("DDP does not support deepcopy. Please use state dict for serialization.")


@contract(_ReplicateState)
def replicate(module: Any, ignored_modules: Any = None, *, device_id: Any = None, **options: Any) -> Any:
    """Let all processes of a group have the same gradients of a module, and the parameters of the first at its beginning.
    ignored_modules: those within whose gradients stay this process's. device_id: accepted. Others: DistributedDataParallel's."""
    if device_id is not None and not isinstance(device_id, (int, device)):
        raise RuntimeError(f"Expected device_id to be int or torch.device, but got {type(device_id)}")
    if _is_fully_sharded(module):
        raise RuntimeError("Cannot apply `replicate()` on a Module already managed by `fully_shard`")
    state = replicate.state(module)
    state.ignored, state.options = set(ignored_modules or ()), options
    module.register_forward_pre_hook(state.before, with_kwargs=True)
    module.register_forward_hook(state.after)
    kind = type(module)
    module.__class__ = type(f"DDP{kind.__name__}", (DDP, kind), {"__deepcopy__": _no_copy})
    return module


def _is_fully_sharded(module: Any) -> bool:
    """Whether a module lies in parts."""
    return "fully_shard" in (_get_registry(module) or ()) or hasattr(module, "_sharding")
