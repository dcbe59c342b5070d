"""``torch.__future__``: how modules take over converted parameters."""

from __future__ import annotations

from .nn.modules.convert import ON_CONVERSION


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to` and its like make new parameters instead of changing those that are there."""
    ON_CONVERSION["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    return ON_CONVERSION["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to`, `load_state_dict` and their like put a new tensor in a parameter's place by `swap_tensors`."""
    ON_CONVERSION["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    return ON_CONVERSION["swap"]
