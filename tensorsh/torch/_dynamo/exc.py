"""``torch._dynamo.exc``: the errors of the compiler."""

from ..replay.errors import InvalidBackend, TorchDynamoException, Unsupported

__all__ = ["InvalidBackend", "TorchDynamoException", "Unsupported"]
