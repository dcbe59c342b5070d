"""``torch._subclasses.fake_tensor``: names alone; what makes such tensors says what to do instead."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


class FakeTensor:
    """A tensor without data; none is ever made."""


class FakeTensorMode:
    """A context in which tensors have no data: refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("tensorsh has no FakeTensorMode: make tensors without data with device='meta'")


class FakeTensorConverter(FakeTensorMode):
    """What makes tensors without data of others: refused."""


def _is_tensor_constructor(func: Any) -> bool:
    return False
