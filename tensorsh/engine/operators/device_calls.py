"""Calls on tensors of a CUDA device that is not the current one; they run on theirs (arrays/device_guard.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.device import device
from ..arrays.device_guard import index_of, on, program_index
from ..arrays.state import here


def place_of(args: tuple, kwargs: dict) -> int:
    """The number of the device that a call is to run on: where it makes a tensor, or its tensors lie; -1 for none."""
    wanted = kwargs.get("device")
    found = index_of((*args, *kwargs.values())) if wanted is None else -1
    if found < 0:
        wanted = here.default_device if wanted is None else wanted
        wanted = device(wanted) if isinstance(wanted, (str, int)) else wanted
        if isinstance(wanted, device) and wanted.type == "cuda":
            return program_index() if wanted.index is None else wanted.index
    return found


def beside(given: Callable, form: Any, args: tuple, kwargs: dict) -> Any:
    """What a call of a form gives, which runs on the device of its tensors."""
    with on(place_of(args, kwargs)):
        return given(form, args, kwargs)
