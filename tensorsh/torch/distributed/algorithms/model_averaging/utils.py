"""The mean of parameters over processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .....engine.graph.fields import wrap
from ....nn.parameter import Parameter
from ....nn.reach import T
from ...collectives import all_reduce
from ...groups import group_of

__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]


def average_parameters(params: Iterable, process_group: Any) -> None:
    """Make parameters the mean of all processes, sent in a row.
    params: the parameters. process_group: the processes (None: all)."""
    members, group = list(params), group_of(process_group)
    row = T.cat([p.detach().reshape(-1) for p in members])._array
    row /= np.asarray(group.size(), row.dtype)
    all_reduce(wrap(row), group=group)
    at = 0
    for p in members:
        p._array[...] = row[at : at + p._array.size].reshape(p._array.shape)
        p._bump()
        at += p._array.size


def get_params_to_average(params: Iterable) -> list:
    """The parameters that have gradients.
    params: parameters, or groups of an optimizer's."""
    found = []
    for each in params:
        if not isinstance(each, (Parameter, dict)):
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
        found += [p for p in (each["params"] if isinstance(each, dict) else [each]) if p.grad is not None]
    return found


def average_parameters_or_parameter_groups(params: Iterable, process_group: Any) -> None:
    """Make parameters, or those of groups of an optimizer's, the mean of all processes.
    params: those. process_group: the processes (None: all)."""
    average_parameters(get_params_to_average(params), process_group)
