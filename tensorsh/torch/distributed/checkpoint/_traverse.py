"""``torch.distributed.checkpoint._traverse``: nested dicts and lists, by the paths of their values, and flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....engine.tensors.tensor import Tensor


def _whole(value: Any) -> bool:
    """Whether a value is one, and no dict or list of others."""
    if isinstance(value, Mapping):
        return False
    return not isinstance(value, list) or all(_whole(each) and not isinstance(each, Tensor) for each in value)


def walk(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """The values in nested dicts and lists, with their paths."""
    if _whole(value):
        yield path, value
        return
    for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from walk(each, (*path, str(key) if isinstance(value, Mapping) else key))


def traverse_state_dict(state_dict: Any, visitor: Callable[[tuple, Any], None], keep_traversing: Any = None) -> None:
    """Call a function with the path and the value of each value."""
    for path, value in walk(state_dict):
        visitor(path, value)


def _key(container: Any, step: Any) -> Any:
    """The key of a dict that is written as a step of a path; the step itself where there is none."""
    if not isinstance(container, Mapping) or step in container:
        return step
    return next((key for key in container if str(key) == str(step)), step)


def set_element(root_dict: Any, path: tuple, value: Any) -> None:
    """Put a value at a path, with dicts and lists on the way; tuples stay as they are."""
    at = root_dict
    for number, step in enumerate(path):
        step = _key(at, step)
        if isinstance(at, list):
            at.extend([None] * (step + 1 - len(at)))
        if number == len(path) - 1:
            if not isinstance(at, tuple):
                at[step] = value
        elif isinstance(at, dict) and step not in at or not isinstance(at, dict) and at[step] is None:
            at[step] = {} if type(path[number + 1]) is str else []
        at = at[step]


def get_element(root_dict: Any, path: tuple, default_value: Any = None) -> Any:
    """The value at a path, or another where there is none."""
    at = root_dict
    for step in path:
        if isinstance(step, int):
            if not isinstance(at, list) or len(at) <= step:
                return default_value
        elif not isinstance(at, Mapping) or step not in at:
            return default_value
        at = at[step]
    return at


def flatten_state_dict(state_dict: Any) -> tuple[dict, dict]:
    """A dict of all values by names, which are their paths joined by dots, and the paths of those names."""
    flat: dict[str, Any] = {}
    paths: dict[str, tuple] = {}
    for path, value in walk(state_dict):
        name = ".".join(map(str, path))
        if name in flat:
            raise ValueError(f"duplicated flatten key {name}")
        flat[name], paths[name] = value, path
    return flat, paths


def unflatten_state_dict(state_dict: dict, mapping: dict) -> dict:
    """A nested dict of values by names, as `flatten_state_dict` found them."""
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
