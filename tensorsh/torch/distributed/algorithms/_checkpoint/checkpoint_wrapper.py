"""``checkpoint_wrapper``: modules whose calls are computed again in the backward pass, or kept in the processor's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

from ....autograd.graph import save_on_cpu
from ....nn.attention import SealedEnum
from ....nn.modules.module import Module
from ....utils.checkpoint import checkpoint
from ...around import Around
from ...fsdp.wrap import lambda_auto_wrap_policy, wrap_within

__all__ = [
    "CheckpointImpl",
    "CheckpointWrapper",
    "apply_activation_checkpointing",
    "checkpoint_wrapper",
    "offload_wrapper",
]

INSIDE = "_checkpoint_wrapped_module"


class CheckpointImpl(Enum, metaclass=SealedEnum):
    """How a call is computed again: by a backward pass within the backward pass, or by hooks of what is saved."""

    __module__ = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(Around):
    """A module around another, whose parameters and state keep their names.
    mod: the other."""

    __module__ = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"
    _inside = INSIDE

    def __init__(self, mod: Module) -> None:
        super().__init__()
        setattr(self, INSIDE, mod)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("Subclasses should implement forward().")

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(INSIDE + ".", ""), parameter

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """The state of the module within, under its own names."""
        inside: Any = self._modules[INSIDE]
        return inside.state_dict(*args, destination=destination, prefix=prefix, keep_vars=keep_vars)

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *rest: Any) -> None:
        for name in [name for name in state_dict if name.startswith(prefix) and not name.startswith(prefix + INSIDE)]:
            state_dict[f"{prefix}{INSIDE}.{name[len(prefix) :]}"] = state_dict.pop(name)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class OffloadWrapper(ActivationWrapper):
    """A module whose saved tensors are kept in the processor's memory."""

    __module__ = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu(pin_memory=True):
            return self._modules[INSIDE](*args, **kwargs)  # type: ignore[misc]


class CheckpointWrapper(ActivationWrapper):
    """A module that keeps no tensors of its calls, and is called again in the backward pass.
    mod: the module within. checkpoint_impl: how. checkpoint_fn: a function in the place of `torch.utils.checkpoint.checkpoint` (None).
    checkpoint_fn_kwargs: its options."""

    __module__ = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"

    def __init__(
        self, mod: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT, checkpoint_fn: Callable | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            reentrant = checkpoint_impl is CheckpointImpl.REENTRANT
            self.checkpoint_fn = partial(checkpoint, use_reentrant=reentrant, **checkpoint_fn_kwargs)
        else:
            self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        inside: Any = self._modules[INSIDE]
        if self.checkpoint_impl is CheckpointImpl.REENTRANT and kwargs:  # which takes tensors by position alone
            count, names = len(args), list(kwargs)
            return self.checkpoint_fn(
                lambda *given: inside(*given[:count], **dict(zip(names, given[count:], strict=True))),
                *args,
                *kwargs.values(),
            )
        return self.checkpoint_fn(inside, *args, **kwargs)


def offload_wrapper(module: Module) -> Module:
    """A module whose saved tensors are kept in the processor's memory.
    module: what is called."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT, checkpoint_fn: Callable | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:  # fmt: skip
    """A module that keeps no tensors of its calls, and is called again in the backward pass.
    module: what is called. checkpoint_impl: how. checkpoint_fn: a function in the place of `torch.utils.checkpoint.checkpoint` (None).
    checkpoint_fn_kwargs: its options."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: Module, checkpoint_wrapper_fn: Callable = checkpoint_wrapper, check_fn: Callable = lambda _: True,
    auto_wrap_policy: Any = None,
) -> None:  # fmt: skip
    """Wrap modules within a model, in place.
    model: it, not wrapped itself. checkpoint_wrapper_fn: what wraps. check_fn: tells of a module whether it is wrapped.
    auto_wrap_policy: a policy that tells (None: check_fn)."""
    policy = partial(lambda_auto_wrap_policy, lambda_fn=check_fn) if auto_wrap_policy is None else auto_wrap_policy
    wrap_within(model, policy, checkpoint_wrapper_fn, {}, set(), set())
