"""``torch.distributed._composable.checkpoint``: a module whose tensors backward computes again, by hooks."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import Any

from ...utils.checkpoint import _checkpoint_without_reentrant_generator
from .contract import _State, contract

__all__ = ["checkpoint"]


class _CheckpointState(_State):
    enable_hook = False
    _ac_generator: Any = None


@contextmanager
def _no_hook(module: Any, within: Any) -> Any:
    """A context of the second run, which is not to begin a third."""
    state = checkpoint.state(module)
    with within:
        before, state.enable_hook = state.enable_hook, False
        try:
            yield
        finally:
            state.enable_hook = before


@contract(_CheckpointState)
def checkpoint(
    module: Any, *, use_reentrant: bool = False, preserve_rng_state: bool = True, context_fn: Any = None,
    determinism_check: str = "default", debug: bool = False, early_stop: bool = True, **others: Any,
) -> Any:  # fmt: skip
    """Let backward compute again what a module keeps, as `torch.utils.checkpoint` does with a call."""
    if use_reentrant:
        raise NotImplementedError(
            "use_reentrant=True is not supported in composable checkpoint. "
            "Please use torch.utils.checkpoint.checkpoint instead."
        )
    if others:
        raise ValueError("Unexpected keyword arguments: " + ",".join(others))

    def contexts() -> tuple:
        first, second = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
        return first, _no_hook(module, second)

    def before(module: Any, args: tuple, kwargs: dict) -> None:
        state = checkpoint.state(module)
        if state.enable_hook:
            state._ac_generator = _checkpoint_without_reentrant_generator(
                module, preserve_rng_state, contexts, determinism_check, debug, early_stop, *args, **kwargs
            )
            next(state._ac_generator)

    def after(module: Any, inputs: tuple, output: Any) -> None:
        state = checkpoint.state(module)
        running, state._ac_generator = state._ac_generator, None
        if state.enable_hook and next(running, None) is not None:
            raise RuntimeError(
                "Expected non-reentrant activation checkpoint generator to be exhausted, but it was not!"
            )

    checkpoint.state(module).enable_hook = True
    module.register_forward_pre_hook(before, with_kwargs=True)
    module.register_forward_hook(after, prepend=True, always_call=True)
    return module
