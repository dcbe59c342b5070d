"""``torch.__future__``: how modules take over converted parameters."""

from __future__ import annotations

__all__: list[str] = []

_overwrite = _swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to` and its like make new parameters instead of changing those that are there."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to`, `load_state_dict` and their like put a new tensor in a parameter's place by `swap_tensors`."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    return _swap
