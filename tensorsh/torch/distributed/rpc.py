"""``torch.distributed.rpc``: calls of functions in other processes, which tensorsh does not have."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown"]


def _refused(name: str) -> Any:
    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        """A call of a function in another process, which tensorsh does not have."""
        raise NotImplementedError(
            f"tensorsh does not have torch.distributed.rpc.{name}: call the function in the process that needs its result, and pass "
            "tensors on by torch.distributed.send and recv, objects by send_object_list and recv_object_list"
        )

    refused.__name__ = refused.__qualname__ = name
    refused.__module__ = "torch.distributed.rpc"
    return refused


init_rpc, remote, rpc_async, rpc_sync, shutdown = map(_refused, __all__)


def is_available() -> bool:
    """Whether there are such calls: there are none."""
    return False
