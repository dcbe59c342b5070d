"""``torch._dynamo.testing``: a backend that counts what it is given. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from ...sandbox.wrapping import wraps


class CompileCounter:
    """A backend of ``torch.compile`` that counts graphs and their calls; here it is given none."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: list) -> Any:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Begin again."""
        self.frame_count = self.op_count = 0


def make_test_cls_with_patches(
    cls: type, cls_prefix: str, fn_suffix: str, *patches: tuple, xfail_prop: str | None = None, decorator: Callable = lambda x: x
) -> type:  # fmt: skip
    """A class with the tests of another, run under other settings. patches: a module of settings, a name, a value each."""
    from unittest import expectedFailure
    from unittest.mock import patch

    def changed(function: Callable) -> Callable:
        @wraps(function)
        def test(*args: Any, **kwargs: Any) -> Any:
            with ExitStack() as stack:
                for place, name, value in patches:
                    stack.enter_context(patch.object(place, name, value))
                return function(*args, **kwargs)

        return expectedFailure(test) if xfail_prop is not None and hasattr(function, xfail_prop) else test

    made = type(cls_prefix + cls.__name__, cls.__bases__, {})
    for name in dir(cls):
        value = getattr(cls, name)
        if not name.startswith("test_"):
            if not hasattr(made, name):
                setattr(made, name, value)
            continue
        if callable(value):
            name += fn_suffix
            value = changed(value)
            value.__name__ = name
            value = decorator(value)
        setattr(made, name, value)
    return made
