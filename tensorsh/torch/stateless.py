"""Modules called with other parameters than their own, and the parameters of several modules as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..engine.loading.table import find_function
from ..engine.tensors.tensor import Tensor
from ..sandbox.named import delete_named, read_named, write_named


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """The result of a module with other tensors in the place of some of its parameters and buffers, which keeps its own.

    module: the module. parameter_and_buffer_dicts: a dict of tensors by their names in the module, or a tuple of such. args: a tuple
    of arguments, or one. kwargs: those by name. tie_weights: what shares a parameter gets the same tensor. strict: RuntimeError for
    names that are missing or unknown. Gradients reach the tensors that were given.

    >>> layer = nn.Linear(2, 1)
    >>> tensors = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, tensors, (torch.tensor([1.0, 2.0]),))
    tensor([3.])
    """
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
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, dicts if isinstance(dicts, dict) else given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def reparametrized(
    module: Any, parameters_and_buffers: dict, tie_weights: bool = False, strict: bool = False, stack_weights: bool = False
) -> Iterator[None]:  # fmt: skip
    """Other tensors in the place of some of a module's parameters and buffers; what the module assigned to them meanwhile is in
    the dict afterwards. `stack_weights` is PyTorch's, which puts its own back in the order of the names without it."""
    untied = _untied(module, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        _check_keys(module, untied)
    before = []
    try:
        for name, value in untied.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            before.append((owner, last, name, _put(owner, last, value)))
        yield
    finally:
        for owner, last, name, value in reversed(before):
            now = _put(owner, last, value)
            if name in parameters_and_buffers:
                parameters_and_buffers[name] = now


ABSENT: Any = object()


def _put(owner: Any, name: str, value: Any) -> Any:
    """Put a tensor under a name of a module; what was there before."""
    for registry in (owner._parameters, owner._buffers):
        if name in registry:
            before = registry[name]
            if value is ABSENT:
                del registry[name]
            else:
                registry[name] = value
            return before
    before = read_named(owner, name, ABSENT)
    if before is not ABSENT and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if value is not ABSENT:
        write_named(owner, name, value)
    elif before is not ABSENT:
        delete_named(owner, name)
    return before


def _untied(module: Any, given: dict) -> dict:
    """The tensors that were given, also under the other names of the same parameters."""
    found = dict(given)
    for group in _tied(module):
        values = [given[name] for name in group if name in given]
        if len({id(value) for value in values}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(group)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if values:
            found.update(dict.fromkeys(group, values[0]))
    return found


def _check_keys(module: Any, given: dict) -> None:
    """RuntimeError unless the names are those of all parameters and buffers."""
    names = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    names |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    messages = []
    if unexpected := sorted(given.keys() - names):
        messages.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing := sorted(names - given.keys()):
        messages.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
    if messages:
        told = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{told}")


def _tied(module: Any) -> list:
    """Names of the same parameter or buffer."""
    groups: dict = {}
    for walk in (module.named_parameters, module.named_buffers):
        for name, value in walk(remove_duplicate=False):
            groups.setdefault(id(value), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def stack_module_state(models: Any) -> tuple[dict, dict]:
    """The parameters and the buffers of several modules of one kind, stacked along a new first dimension: a pair of dicts.

    models: modules of the same class and mode. Together with `functional_call` and `vmap` it runs an ensemble in one call.
    RuntimeError: none, or modules of different kinds.

    >>> parameters, buffers = torch.func.stack_module_state([nn.Linear(2, 1), nn.Linear(2, 1)])
    >>> {name: tensor.shape for name, tensor in parameters.items()}, buffers
    ({'weight': torch.Size([2, 1, 2]), 'bias': torch.Size([2, 1])}, {})
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    tables: list = []
    for walk in ("named_parameters", "named_buffers"):
        each = [dict(getattr(model, walk)()) for model in models]
        tables.append({key: _stacked([own[key] for own in each], key) for key in each[0]})
    return tables[0], tables[1]


def _stacked(tensors: list, name: str) -> Tensor:
    """One tensor of several modules' as a leaf."""
    trains = [each.requires_grad for each in tensors]
    if any(trains) and not all(trains):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    found = find_function("stack")(tensors)
    return found.detach().requires_grad_() if all(trains) else found
