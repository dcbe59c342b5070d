"""The errors of ``torch.compile``, and what ``fullgraph=True`` refuses."""

from __future__ import annotations

from typing import Any

from ...sandbox.sealed import Sealed

MODULE = "torch._dynamo.exc"


class TorchDynamoException(RuntimeError, metaclass=Sealed):
    """An error of the compiler."""

    __module__ = MODULE


class InvalidBackend(TorchDynamoException):
    """A name that is no compiler's."""

    __module__ = MODULE

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    """A function that was to make a program of a graph raised an error, or made none."""

    __module__ = MODULE

    def __init__(self, backend: Any, error: Exception) -> None:
        name = getattr(backend, "__name__", "?")
        super().__init__(f"backend={name!r} raised:\n{type(error).__name__}: {error}")
        self.backend_name, self.inner_exception = name, error


class Unsupported(TorchDynamoException):
    """A function that is not one graph, and was to be."""

    __module__ = MODULE


BRANCH = """Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing dynamic control flow.
  Hint: This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace through your code. Consider finding a workaround.
  Hint: Use `torch.cond` to express dynamic control flow.
"""
PRINT = """Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`.
  Hint: Avoid calling builtin `print`. Consider using an equivalent alternative function/method to `print`.
"""
