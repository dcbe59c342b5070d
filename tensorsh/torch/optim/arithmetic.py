"""How steps of optimizers are taken: on pieces of the parameters that stay in the cache, or on a GPU; what options they refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...engine.arrays import cupy_module
from ...engine.arrays.device import absent
from ...engine.arrays.door import answers_below
from ...engine.operators.hooks import below

ndarray = np.ndarray
PIECE = 16384


def pieces(*arrays: Any, size: int = PIECE) -> Iterator[tuple]:
    """The arrays, or, where they are large, flat views of so many elements at a time."""
    count = arrays[0].size
    if count <= size or not all(type(a) is ndarray and a.flags.c_contiguous for a in arrays):
        yield arrays
        return
    flat = [a.reshape(-1) for a in arrays]
    for at in range(0, count, size):
        yield tuple([a[at : at + size] for a in flat])


def take(steps: Iterable[tuple] | None) -> None:
    """Take the steps of parameters: of each its `Step`, its arrays and numbers. A GPU takes those of a group together."""
    launches: Any = None
    for step, arrays, numbers in steps or ():
        if type(arrays[0]) is ndarray:
            step.take(arrays, *numbers)
        elif not absent(arrays[0]):  # else there is nothing to step
            if launches is None:
                from ...engine.cuda.optimizer import Launches

                launches = Launches()
            launches.add(step.on_gpu, arrays, numbers)
    if launches is not None:
        launches.run()


def check_capture(optimizer: Any, group: dict) -> None:
    """Refuse to be captured in a CUDA graph: what a step multiplies with is counted on the host, and would stay as it was."""
    if cupy_module.array_class is None or "capturable" not in group:
        return
    if not cupy_module.cupy().cuda.get_current_stream().is_capturing():
        return
    name = type(optimizer).__name__
    if not group["capturable"]:
        raise RuntimeError(
            f"Attempting CUDA graph capture of step() for an instance of {name} but param_groups' capturable is False."
        )
    raise RuntimeError(
        f"Steps of {name} count on the host and cannot be captured: capture the forward and backward passes, and call step() "
        "after replay()."
    )


def check_fused(options: dict[str, Any]) -> None:
    """Refuse options that go against one another."""
    if options["fused"] and options["differentiable"]:
        raise RuntimeError("`fused` does not support `differentiable`")
    if options["fused"] and options["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]
"""Where PyTorch has fused steps."""


def check_fitting(params: list) -> None:
    """Refuse parameters of which PyTorch's fused steps are not."""
    for p in params:
        if p._grad is not None and (p.is_meta or not p.is_floating_point()):
            raise RuntimeError(
                f"`fused=True` requires all the params to be floating point Tensors of supported devices: {DEVICES} but "
                f"{p.dtype} and {p.device.type}"
            )


def overriding(params: list) -> bool:
    """Whether a parameter is of a class that answers below autograd (``__torch_dispatch__``)."""
    return bool(below) and any(answers_below(p.__class__) for p in params)
