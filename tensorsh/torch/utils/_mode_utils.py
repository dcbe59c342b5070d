"""``torch.utils._mode_utils``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...engine.operators.torch_function import DisableTorchFunctionSubclass


def all_same_mode(modes: Any) -> bool:
    """Whether all modes are one."""
    return all(mode == modes[0] for mode in modes)


@contextmanager
def no_dispatch() -> Iterator[None]:
    """A context in which no class is asked by ``__torch_dispatch__``."""
    from ..dispatching import silence

    with silence(), DisableTorchFunctionSubclass():
        yield
