"""``torch._dynamo.exc``: the errors of the compiler."""

from ..replay.errors import BackendCompilerFailed, InvalidBackend, TorchDynamoException, Unsupported

__all__ = ["BackendCompilerFailed", "InvalidBackend", "TorchDynamoException", "Unsupported"]
