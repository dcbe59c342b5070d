"""``torch.distributed._composable_state``: what a function that wraps modules in place keeps of each of them. Plain Python's alone."""

from __future__ import annotations

from weakref import WeakKeyDictionary, ref


class _State:
    """What is kept; a module may itself be it."""


_module_state_mapping: WeakKeyDictionary = WeakKeyDictionary()


def _insert_module_state(module: object, state: _State) -> None:
    if module in _module_state_mapping:
        raise AssertionError(f"Inserting {module} more than once.")
    _module_state_mapping[module] = ref(state)


def _get_module_state(module: object) -> _State | None:
    if isinstance(module, _State):
        return module
    kept = _module_state_mapping.get(module)
    found = kept() if kept is not None else None
    if kept is not None and found is None:
        raise AssertionError("State has already been garbage collected")
    return found
