"""``default_hooks``: the mean as it is, or sent in half precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....engine.arrays.dtype import bfloat16, float16
from ....futures import Future
from ...collectives import all_reduce
from ...groups import group_of

__all__ = [
    "allreduce_hook", "bf16_compress_hook", "fp16_compress_hook", "fp16_compress_wrapper", "bf16_compress_wrapper",
]  # fmt: skip


def _mean(group: Any, tensor: Any) -> Any:
    found = group_of(group)
    work: Any = all_reduce(tensor.div_(found.size()), group=found, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def done(tensor: Any) -> Any:
    """A future that has its value."""
    future: Any = Future()
    future.set_result(tensor)
    return future


def allreduce_hook(process_group: Any, bucket: Any) -> Any:
    """The mean of a bucket over a group."""
    return _mean(process_group, bucket.buffer())


def _compressed(process_group: Any, bucket: Any, dtype: Any) -> Any:
    buffer = bucket.buffer()
    return _mean(process_group, buffer.to(dtype)).then(lambda future: buffer.copy_(future.value()))


def fp16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """The mean of a bucket over a group, sent as float16."""
    return _compressed(process_group, bucket, float16)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """The mean of a bucket over a group, sent as bfloat16."""
    return _compressed(process_group, bucket, bfloat16)


def _wrapped(hook: Callable, dtype: Any, name: str) -> Callable:
    def run(state: Any, bucket: Any) -> Any:
        bucket.set_buffer(bucket.buffer().to(dtype))
        return hook(state, bucket).then(lambda future: bucket.buffer().copy_(future.value()))

    run.__name__ = run.__qualname__ = f"{name}_compress_wrapper_hook"
    return run


def fp16_compress_wrapper(hook: Callable) -> Callable:
    """A hook that gets its gradients in float16."""
    return _wrapped(hook, float16, "fp16")


def bf16_compress_wrapper(hook: Callable) -> Callable:
    """A hook that gets its gradients in bfloat16."""
    return _wrapped(hook, bfloat16, "bf16")
