"""Which modules within a model are wrapped by themselves: policies, and the walk that asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ....engine.arrays.state import state
from ....sandbox.sealed import OpenSealed, all_housed
from ...nn.modules.attention import MultiheadAttention
from ...nn.modules.container import ModuleDict, ModuleList

__all__ = [
    "CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy", "size_based_auto_wrap_policy",
    "transformer_auto_wrap_policy", "wrap",
]  # fmt: skip


class _Policy(metaclass=OpenSealed):
    """What tells which modules are wrapped, all at once."""

    def _targets(self, root: Any, ignored: set[int], options: dict) -> dict[int, dict]:
        raise NotImplementedError


class ModuleWrapPolicy(_Policy):
    """Wraps every module of some classes.
    module_classes: the classes."""

    def __init__(self, module_classes: Iterable[type]) -> None:
        self._classes = tuple(set(module_classes))

    def _targets(self, root: Any, ignored: set[int], options: dict) -> dict[int, dict]:
        return {id(m): options for m in root.modules() if id(m) not in ignored and isinstance(m, self._classes)}

    def __call__(self, module: Any, recurse: bool, *rest: Any, **more: Any) -> bool:
        return recurse or isinstance(module, self._classes)

    def __repr__(self) -> str:
        return f"{object.__repr__(self)}({set(self._classes)})"


class CustomPolicy(_Policy):
    """Wraps every module for which a function says True, or gives options that differ from the outermost module's.
    lambda_fn: the function, which gets the module. ValueError: it gives something else."""

    def __init__(self, lambda_fn: Callable) -> None:
        self._function = lambda_fn

    def _targets(self, root: Any, ignored: set[int], options: dict) -> dict[int, dict]:
        found = {}
        for module in root.modules():
            if id(module) in ignored:
                continue
            told = self._function(module)
            if not isinstance(told, (dict, bool)):
                raise ValueError(
                    f"The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it returned {told}"
                )
            if told:
                found[id(module)] = options | (told if isinstance(told, dict) else {})
        return found


all_housed(globals())


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """A policy that wraps every module."""
    return True


def lambda_auto_wrap_policy(module: Any, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable) -> bool:
    """A policy that wraps the modules for which a function says so."""
    return recurse or lambda_fn(module)


def transformer_auto_wrap_policy(
    module: Any, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type]
) -> bool:
    """A policy that wraps the layers of some classes."""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: Any, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8), force_leaf_modules: Any = None,
    exclude_wrap_modules: Any = None,
) -> bool:  # fmt: skip
    """A policy that wraps modules with so many elements in parameters that are in no wrapped module yet.
    min_num_params: how many. force_leaf_modules: classes of which nothing within is wrapped (None: MultiheadAttention).
    exclude_wrap_modules: classes that are not wrapped (None: ModuleList, ModuleDict)."""
    leaves = (MultiheadAttention,) if force_leaf_modules is None else tuple(force_leaf_modules)
    left_out = (ModuleList, ModuleDict) if exclude_wrap_modules is None else tuple(exclude_wrap_modules)
    return nonwrapped_numel >= min_num_params and not isinstance(module, leaves if recurse else left_out)


def _or_policy(module: Any, recurse: bool, nonwrapped_numel: int, policies: Iterable) -> bool:
    """Whether one of several policies wraps a module."""
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


@contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """A context in which `wrap` wraps modules in a class with some options; elsewhere it leaves them."""
    own = state.__dict__
    outer, own["wrapping"] = own.get("wrapping"), (wrapper_cls, wrapper_kwargs)
    try:
        yield
    finally:
        own["wrapping"] = outer


def wrap(module: Any, **wrap_overrides: Any) -> Any:
    """A module, wrapped in what the `enable_wrap` around the call names."""
    kind, options = state.__dict__.get("wrapping") or (None, {})
    if kind is None:
        return module
    return kind(module, **{**options, **wrap_overrides})


def wrap_within(root: Any, policy: Any, kind: Any, options: dict, ignored: set[int], left: set[int]) -> None:
    """Wrap what a policy names within a module, and not the module itself. ignored: modules, left: parameters, by identity."""
    if isinstance(policy, _Policy):
        targets = policy._targets(root, ignored, options)
        targets.pop(id(root), None)
        _replace(root, targets, kind, set())
    else:
        _walk(root, policy, kind, options, ignored, left, True)


def _replace(module: Any, targets: dict[int, dict], kind: Any, seen: set[int]) -> None:
    seen.add(id(module))
    for name, child in module.named_children():
        if id(child) not in seen:
            _replace(child, targets, kind, seen)
        if id(child) in targets:
            setattr(module, name, kind(child, **targets[id(child)]))


def _walk(
    module: Any, policy: Any, kind: Any, options: dict, ignored: set[int], left: set[int], only_within: bool
) -> tuple[Any, int]:
    """A module, wrapped if the policy says so, and how many elements are in wrapped modules now."""
    count = sum(p.numel() for p in module.parameters() if id(p) not in left)
    if not policy(module=module, recurse=True, nonwrapped_numel=count):
        return module, 0
    inside = 0
    for name, child in list(module.named_children()):
        if id(child) in ignored:
            continue
        wrapped, elements = _walk(child, policy, kind, options, ignored, left, False)
        setattr(module, name, wrapped)
        inside += elements
    if not only_within and policy(module=module, recurse=False, nonwrapped_numel=count - inside):
        return kind(module, **options), count
    return module, inside
