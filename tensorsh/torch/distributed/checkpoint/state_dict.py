"""``torch.distributed.checkpoint.state_dict``: the state of models and optimizers by names, whatever wraps the model."""

from __future__ import annotations

from typing import Any

from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ..settings import record
from ..starting import get_rank, is_initialized
from ..tensor.dtensor import DTensor, distribute_tensor

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip


@record()
class StateDictOptions:
    """What state dicts are to hold.
    full_state_dict: whole tensors instead of parts (False). cpu_offload: on the CPU, and with whole tensors in the first
    process only (False). broadcast_from_rank0: load what the first process has (False). Others: accepted."""

    __module__ = "torch.distributed.checkpoint.state_dict"

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _plain(name: str) -> str:
    """A name without those of wrappers."""
    return name.removeprefix("module.").replace("._checkpoint_wrapped_module", "")


def _base(model: Any) -> Any:
    """The model within DistributedDataParallel."""
    return model.module if type(model).__name__ == "DistributedDataParallel" else model


def _given(value: Any, options: StateDictOptions) -> Any:
    if isinstance(value, DTensor) and options.full_state_dict:
        value = value.detach().full_tensor()
    return value


def _kept(options: StateDictOptions) -> bool:
    """Whether this process gets whole tensors."""
    return not (options.full_state_dict and options.cpu_offload and is_initialized() and get_rank())


def get_model_state_dict(model: Any, *, submodules: Any = None, options: Any = None) -> dict:
    """The state of a model by names."""
    options = options or StateDictOptions()
    with no_grad():
        found = {_plain(name): _given(value, options) for name, value in _base(model).state_dict().items()}
        if options.ignore_frozen_params:
            frozen = {_plain(name) for name, p in _base(model).named_parameters() if not p.requires_grad}
            found = {name: value for name, value in found.items() if name not in frozen}
    return found if _kept(options) else {}


def _whole(mine: Any, given: Any, options: StateDictOptions) -> Any:
    """A value for a tensor in parts, in the same parts."""
    if isinstance(mine, DTensor) and not isinstance(given, DTensor):
        if given is None:
            from ...root import torch

            given = torch.zeros(mine._shape, dtype=mine.dtype)
        source = 0 if options.broadcast_from_rank0 else None
        return distribute_tensor(given.detach(), mine._mesh, mine._placements, src_data_rank=source)
    if options.broadcast_from_rank0 and isinstance(mine, Tensor) and is_initialized():
        from ..collectives import broadcast

        given = mine.detach().clone() if given is None else given.detach().clone()
        broadcast(given, 0)
    return given


def set_model_state_dict(model: Any, model_state_dict: dict, *, options: Any = None) -> Any:
    """Load the state of a model; the names that are missing, and those that are not expected."""
    options = options or StateDictOptions()
    base = _base(model)
    mine = base.state_dict()
    wanted = {}
    for name, value in mine.items():
        if name in model_state_dict or options.broadcast_from_rank0:
            wanted[name] = _whole(value, model_state_dict.get(name), options)
    for name in model_state_dict:
        wanted.setdefault(_plain(name), model_state_dict[name])
    return base.load_state_dict(wanted, strict=options.strict)


def _names(model: Any) -> dict[int, str]:
    return {id(p): _plain(name) for name, p in _base(model).named_parameters()}


def _optimizers(optimizers: Any) -> list:
    return list(optimizers) if isinstance(optimizers, (list, tuple)) else [optimizers]


def _begin(optimizer: Any) -> None:
    """Let an optimizer that has not stepped make its state, as a step that changes nothing does."""
    trained = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    if optimizer.state or any(p.grad is not None for p in trained):
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    for p in trained:
        p.grad = p.detach() * 0
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = group["lr"] * 0 if isinstance(group["lr"], Tensor) else 0.0
    optimizer.step()
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = rates.pop(0)
    optimizer.zero_grad(set_to_none=True)


def get_optimizer_state_dict(model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None) -> dict:
    """The state of optimizers by names of the model's parameters."""
    options = options or StateDictOptions()
    names = _names(model)
    state: dict[str, Any] = {}
    groups: list[dict] = []
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
    with no_grad():
        for optimizer in _optimizers(optimizers):
            for group in optimizer.param_groups:
                rest = {key: value for key, value in group.items() if key != "params"}
                groups.append({**rest, "params": [names[id(p)] for p in group["params"]]})
                for p in group["params"]:
                    if p in optimizer.state:
                        state[names[id(p)]] = {key: _given(v, options) for key, v in optimizer.state[p].items()}
    if not _kept(options):
        return {}
    if options.flatten_optimizer_state_dict:
        flat = {f"state.{name}.{key}": v for name, values in state.items() for key, v in values.items()}
        return flat | {
            f"param_groups.{name}.{key}": v
            for g in groups
            for name in g["params"]
            for key, v in g.items()
            if key != "params"
        }
    return {"state": state, "param_groups": groups}


def set_optimizer_state_dict(model: Any, optimizers: Any, optim_state_dict: dict, *, options: Any = None) -> None:
    """Load the state of optimizers by names of the model's parameters."""
    options = options or StateDictOptions()
    names = _names(model)
    given = optim_state_dict
    if options.flatten_optimizer_state_dict or not {"state", "param_groups"} & set(given):
        given = _nested(given)
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        for group in optimizer.param_groups:
            members = {names[id(p)] for p in group["params"]}
            for saved in given.get("param_groups", ()):
                if members & set(saved["params"]):
                    group.update({key: value for key, value in saved.items() if key != "params"})
            for p in group["params"]:
                values = given.get("state", {}).get(names[id(p)])
                if values is not None:
                    optimizer.state[p] = {key: _loaded(p, v, options) for key, v in values.items()}


def _nested(flat: dict) -> dict:
    """The state of optimizers of one that stands in a row."""
    state: dict[str, dict] = {}
    groups: dict[str, dict] = {}
    for key, value in flat.items():
        kind, _, rest = key.partition(".")
        name, _, entry = rest.rpartition(".")
        (state if kind == "state" else groups).setdefault(name, {})[entry] = value
    return {"state": state, "param_groups": [{**values, "params": [name]} for name, values in groups.items()]}


def _loaded(p: Any, value: Any, options: StateDictOptions) -> Any:
    if isinstance(value, Tensor) and value.dim() and isinstance(p, DTensor):
        return _whole(p, value, options)
    return value.clone() if isinstance(value, Tensor) else value


def get_state_dict(model: Any, optimizers: Any, *, submodules: Any = None, options: Any = None) -> tuple[dict, dict]:
    """The states of a model and its optimizers by names."""
    return get_model_state_dict(model, options=options), get_optimizer_state_dict(model, optimizers, options=options)


def set_state_dict(
    model: Any, optimizers: Any, *, model_state_dict: dict, optim_state_dict: dict, options: Any = None
) -> Any:
    """Load the states of a model and its optimizers."""
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
