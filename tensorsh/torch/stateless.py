"""Modules called with other parameters than their own, and the parameters of several modules as one."""

from __future__ import annotations

from typing import Any

from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other tensors in the place of some of its parameters and buffers."""
    dicts = parameter_and_buffer_dicts
    if not isinstance(dicts, (dict, list, tuple)):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    given: dict = {}
    for each in [dicts] if isinstance(dicts, dict) else dicts:
        if not isinstance(each, dict):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        if twice := [key for key in each if key in given]:
            raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given.update(each)
    for value in given.values():
        if not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
    if tie_weights:
        for group in _tied(module):
            value = next((given[n] for n in group if n in given), None)
            if value is not None:
                given.update(dict.fromkeys(group, value))
    before = []
    try:
        for name, value in given.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            registry = next((r for r in (owner._parameters, owner._buffers) if last in r), None)
            if registry is None:
                continue
            before.append((registry, last, registry[last]))
            registry[last] = value
        args = () if args is None else args if isinstance(args, tuple) else (args,)
        return module(*args, **(kwargs or {}))
    finally:
        for registry, last, value in reversed(before):
            registry[last] = value


def _tied(module: Any) -> list:
    """Names of the same parameter or buffer."""
    groups: dict = {}
    for walk in (module.named_parameters, module.named_buffers):
        for name, value in walk(remove_duplicate=False):
            groups.setdefault(id(value), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def stack_module_state(models: Any) -> tuple[dict, dict]:
    """The parameters and the buffers of several modules of one kind, stacked."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    stack = find_function("stack")
    tables: list = []
    for walk in ("named_parameters", "named_buffers"):
        each = [dict(getattr(model, walk)()) for model in models]
        tables.append({key: stack([own[key] for own in each]).detach() for key in each[0]})
    for key, value in tables[0].items():
        value.requires_grad_(dict(models[0].named_parameters())[key].requires_grad)
    return tables[0], tables[1]
