"""States of optimizers of wrapped models: whole, by the names of parameters, and in parts again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.graph.fields import wrap
from ....engine.tensors.tensor import Tensor
from ..objects import all_gather_object
from .flat import INSIDE


def places(model: Any, wrapped: list) -> dict[int, tuple[Any, list]]:
    """What optimizers see of a model -> its row (None where it lies in none), and the names and pieces in it."""
    prefixes = {id(module): name for name, module in model.named_modules()}

    def name_of(piece: Any) -> str:
        module, name = piece.owners[0]
        steps = [step for step in prefixes[id(module)].split(".") if step and step != INSIDE]
        return ".".join([*steps, name])

    found: dict[int, tuple[Any, list]] = {}
    for each in wrapped:
        flat = each._flat
        if flat is not None and flat.original:
            found |= {id(piece.part): (flat, [(name_of(piece), piece)]) for piece in flat.pieces}
        elif flat is not None:
            found[id(flat.part)] = flat, [(name_of(piece), piece) for piece in flat.pieces]
    for name, parameter in model.named_parameters():
        clean = ".".join(step for step in name.split(".") if step != INSIDE)
        found.setdefault(id(parameter), (None, [(clean, None)]))
    return found


def gathered(model: Any, wrapped: list, optim: Any, given: Any) -> dict:
    """A state with whole tensors, by names."""
    where, states = places(model, wrapped), (optim.state_dict() if given is None else given)
    state: dict[str, dict] = {}
    groups, number = [], 0
    for group, about in zip(optim.param_groups, states["param_groups"], strict=True):
        names: list[str] = []
        for parameter in group["params"]:
            flat, members = where[id(parameter)]
            values = states["state"].get(number, {})
            number += 1
            names += [name for name, _ in members]
            if flat is None:
                if values:
                    state[members[0][0]] = dict(values)
                continue
            kinds, others = kinds_of(values, flat, parameter)
            rows = {key: row_of(values.get(key), flat, members, form) for key, form in kinds.items()}
            for name, piece in members:
                own = {key: wrap(row[piece.low : piece.high].reshape(piece.shape).copy()) for key, row in rows.items()}
                own |= {key: value.clone() if isinstance(value, Tensor) else value for key, value in others.items()}
                if own:
                    state[name] = own
        groups.append({**about, "params": names})
    return {"state": state, "param_groups": groups}


def kinds_of(values: dict, flat: Any, parameter: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states that are tensors as large as the parameter, of any process that has some, with their dtypes; the other states."""
    size = parameter._array.size
    mine = {
        key: str(value._array.dtype)
        for key, value in values.items()
        if isinstance(value, Tensor) and value.dim() and value._array.size == size
    }
    others = {key: value for key, value in values.items() if key not in mine}
    everybody: list[Any] = [None] * flat.group.size()
    all_gather_object(everybody, (mine, others), group=flat.group)
    kinds = {key: np.dtype(form) for each, _ in everybody for key, form in each.items()}
    return kinds, {key: value for _, each in everybody for key, value in each.items()}


def row_of(value: Any, flat: Any, members: list, form: Any) -> Any:
    """The whole row of a state of which each process has its part."""
    part = np.zeros(flat.step, form)
    if value is not None:
        if len(members) == len(flat.pieces) and value._array.size == flat.step:
            part[...] = value._array
        else:
            low, high = flat.within(members[0][1])
            part[low:high] = value._array
    return flat.gathered(form, part)


def parted(model: Any, wrapped: list, optim: Any, whole: dict) -> dict:
    """The state of an optimizer with this process's parts of whole tensors, by numbers."""
    where = places(model, wrapped)
    state: dict[int, dict] = {}
    groups, number = [], 0
    for position, group in enumerate(optim.param_groups):
        numbers = []
        for parameter in group["params"]:
            flat, members = where[id(parameter)]
            found = [(whole["state"][name], piece) for name, piece in members if name in whole["state"]]
            if found:
                state[number] = {key: part_of(key, found, flat, parameter) for key in found[0][0]}
            numbers.append(number)
            number += 1
        about = whole["param_groups"][position] if position < len(whole["param_groups"]) else group
        groups.append({**{key: value for key, value in about.items() if key != "params"}, "params": numbers})
    return {"state": state, "param_groups": groups}


def part_of(key: str, found: list, flat: Any, parameter: Any) -> Any:
    """This process's part of a state."""
    value, piece = found[0][0][key], found[0][1]
    if flat is None or not isinstance(value, Tensor) or tuple(value.shape) != piece.shape or not value.dim():
        return value.clone() if isinstance(value, Tensor) else value
    row = np.zeros(flat.length, value._array.dtype)
    for values, each in found:
        row[each.low : each.high] = values[key]._array.reshape(-1)
    part = row[flat.start : flat.start + flat.step]
    if flat.original:
        low, high = flat.within(piece)
        part = part[low:high]
    return wrap(part.reshape(parameter._array.shape).copy())
