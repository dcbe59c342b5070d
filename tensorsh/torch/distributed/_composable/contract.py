"""``torch.distributed._composable.contract``: functions that change modules, once each, and leave all names as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....sandbox.wrapping import wraps
from ...nn.modules.module import Module

__all__ = ["contract"]
APPLIED = (
    "Each distinct composable distributed API can only be applied to a module once. {} has already been applied to the "
    "following module:\n{}"
)
STATES, REGISTRY = "_composable_states", "_composable_registry"


class RegistryItem:
    """What is known of one application."""


class _State:
    """What a function keeps of a module."""


def roots(modules: list) -> list:
    """The modules of a list that are in none of the others."""
    within = {id(m) for each in modules for m in each.modules() if m is not each}
    return [each for each in modules if id(each) not in within]


def _names(modules: list) -> list[tuple[list[str], list[str], list[str]]]:
    """The names of parameters, buffers and modules in each module."""
    return [
        ([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()], [n for n, _ in m.named_modules()])
        for m in modules
    ]


def _same_names(before: list, after: list) -> None:
    """RuntimeError where names have changed."""
    for number, kind in enumerate(("parameters", "buffers", "modules")):
        for one, other in zip(before, after, strict=True):
            old, new = one[number], other[number]
            if old != new:
                only, news = set(old) - set(new), set(new) - set(old)
                told = f"Checking {kind}: Composable distributed API implementations cannot modify "
                if only or news:
                    raise RuntimeError(f"{told}FQNs.\nFQNs only in original: {only}\nFQNs only in new: {news}")
                raise RuntimeError(f"{told}the order of FQNs.\nOriginal FQNs: {only}\nNew FQNs: {news}")


def contract(state_cls: type = _State) -> Callable:
    """A decorator of functions of a module, or of a list of modules; ``function.state(module)`` is what it keeps of one."""

    def inner(func: Callable) -> Any:
        @wraps(func)
        def wrapper(module: Any, *args: Any, **kwargs: Any) -> Any:
            modules = [module] if isinstance(module, Module) else roots(list(module))
            state, item = state_cls(), RegistryItem()
            for each in modules:
                states, registry = vars(each).setdefault(STATES, {}), vars(each).setdefault(REGISTRY, {})
                if func in states or func.__name__ in registry:
                    raise AssertionError(APPLIED.format(func.__name__, each))
                states[func], registry[func.__name__] = state, item
            before = _names(modules)
            changed = func(module, *args, **kwargs)
            changed = module if changed is None else changed
            after = _names([changed] if isinstance(changed, Module) else roots(list(changed)))
            if len(before) != len(after):
                raise AssertionError(
                    f"{func.__name__} should return the same number of modules as input modules"
                    f"Inputs: {len(before)} modules\nOutputs: {len(after)} modules"
                )
            _same_names(before, after)
            return changed

        wrapper.state = lambda module: vars(module).setdefault(STATES, {}).get(func)  # type: ignore[attr-defined]
        return wrapper

    return inner


def _get_registry(module: Any) -> dict[str, RegistryItem] | None:
    """What was applied to a module, by the names of the functions; None where nothing was."""
    return vars(module).get(REGISTRY)
