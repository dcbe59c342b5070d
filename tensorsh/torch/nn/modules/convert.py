"""``Module.to``: what its arguments ask of each parameter and buffer."""

from __future__ import annotations

from collections.abc import Callable

from ....engine.arrays.device import device as device_type
from ....engine.arrays.dtype import COMPLEX, FLOAT
from ....engine.arrays.dtype import dtype as dtype_type
from ....engine.arrays.errors import combination_error
from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor

ON_CONVERSION = {"overwrite": False, "swap": False}
"""What ``torch.__future__`` says of parameters that are converted or loaded."""


def converter(args: tuple, kwargs: dict) -> Callable:
    """The function that ``to(*args, **kwargs)`` applies to each tensor; non-floating tensors keep their dtype."""
    given, kwargs = kwargs, dict(kwargs)
    if len(args) > 4:
        raise combination_error("to", *args, **given)
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    memory_format = kwargs.pop("memory_format", None)
    for name in ("non_blocking", "copy"):
        kwargs.pop(name, None)
    other = kwargs.pop("tensor", None)
    flags = False
    for value in args:
        if flags if not isinstance(value, bool) else dtype is None and other is None:
            raise combination_error("to", *args, **given)
        flags = isinstance(value, bool)
        if isinstance(value, Tensor):
            other = value
        elif isinstance(value, dtype_type):
            dtype = value
        elif isinstance(value, (str, int, device_type)) and not isinstance(value, bool):
            device = value
        elif value is not None and not isinstance(value, bool):
            raise combination_error("to", *args, **given)
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if other is not None:
        device, dtype = other.device, other.dtype
    if dtype is not None and dtype.category not in (FLOAT, COMPLEX):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype!r}")

    if dtype is not None and dtype.category == COMPLEX:
        warn(
            "Complex modules are a new feature under active development whose design may change, and some modules might not work "
            "as expected when using complex tensors as parameters or buffers. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected.",
        )

    def convert(t: Tensor) -> Tensor:
        if t.is_meta and device is not None and device_type(device).type != "meta":
            raise NotImplementedError(
                "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
                "moving module from meta to a different device."
            )
        laid = memory_format if t.ndim in (4, 5) else None
        return t.to(device, dtype if t.dtype.category in (FLOAT, COMPLEX) else None, memory_format=laid)

    return convert
