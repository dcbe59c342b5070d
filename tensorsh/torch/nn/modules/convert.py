"""``Module.to`` and its like: what the arguments ask of each parameter and buffer, and how they take its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.arrays.device import as_device
from ....engine.arrays.device import device as device_type
from ....engine.arrays.dtype import COMPLEX, FLOAT, PYTHON
from ....engine.arrays.dtype import dtype as dtype_type
from ....engine.arrays.errors import combination_error
from ....engine.arrays.warning import warn
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....engine.wording.overloads import refuse
from ....sandbox.copying import another

ON_CONVERSION = {"overwrite": False, "swap": False}
"""What ``torch.__future__`` says of parameters that are converted or loaded."""


def converter(args: tuple, kwargs: dict) -> Callable:
    """The function that ``to(*args, **kwargs)`` applies to each tensor; non-floating tensors keep their dtype."""
    refuse("Tensor.to", args, kwargs)
    given, kwargs = kwargs, dict(kwargs)
    if len(args) > 4:
        raise combination_error("to", *args, **given)
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    memory_format = kwargs.pop("memory_format", None)
    kwargs.pop("non_blocking", None)
    copy = kwargs.pop("copy", False)
    other = kwargs.pop("tensor", None)
    flags = False
    for value in args:
        if flags if not isinstance(value, bool) else dtype is None and other is None:
            raise combination_error("to", *args, **given)
        copy, flags = copy or flags and value, isinstance(value, bool)
        if isinstance(value, Tensor):
            other = value
        elif isinstance(value, dtype_type) or value in PYTHON:
            dtype = PYTHON.get(value, value)
        elif isinstance(value, (str, int, device_type)) and not isinstance(value, bool):
            device = value
        elif value is not None and not isinstance(value, bool):
            raise combination_error("to", *args, **given)
    if kwargs:
        raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if copy:
        raise RuntimeError(".to() does not accept copy argument")
    if other is not None:
        device, dtype = other.device, other.dtype
    device = None if device is None else as_device(device)
    if dtype is not None and dtype.category not in (FLOAT, COMPLEX):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype!r}")

    if dtype is not None and dtype.category == COMPLEX:
        warn(
            "Complex modules are a new feature under active development whose design may change, and some modules might not work "
            "as expected when using complex tensors as parameters or buffers. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected."
        )

    def convert(t: Tensor) -> Tensor:
        if t.is_meta and device is not None and device.type != "meta":
            raise NotImplementedError(
                "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
                "moving module from meta to a different device."
            )
        laid = memory_format if t.ndim in (4, 5) else None
        return t.to(device, dtype if t.dtype.category in (FLOAT, COMPLEX) else None, memory_format=laid)

    return convert


def applied(module: Any, fn: Callable) -> Any:
    """The module, its own parameters, their gradients and its buffers replaced by what `fn` makes of them.

    A parameter stays the object that it is and gets other memory, unless ``torch.__future__`` says otherwise or its memory is of
    another kind: on the meta device or sparse. RuntimeError: a parameter that is to be swapped and that a graph holds."""
    from ..parameter import Parameter

    for name, param in module._parameters.items():
        if param is None:
            continue
        with no_grad():
            made = fn(param)
        held, title = param._grad, f"{module._get_name()}.{name}"
        swap = ON_CONVERSION["swap"]
        if swap:
            param._grad = None
            try:
                swap_into(param, Parameter(made, param.requires_grad), title)
            except RuntimeError:
                param._grad = held
                raise
        elif keeps(param, made):
            param.data = made
        else:
            param = module._parameters[name] = Parameter(made, param.requires_grad)
        if held is None:
            continue
        with no_grad():
            made = fn(held)
        if swap:
            swap_into(held, made.requires_grad_(held.requires_grad), title + ".grad")
            param.grad = held
        elif keeps(held, made):
            held.data = made
            param._grad = held
        else:
            param.grad = made.requires_grad_(held.requires_grad)
    for name, buffer in list(module._buffers.items()):
        if buffer is not None:
            module._buffers[name] = fn(buffer)
    return module


def keeps(old: Tensor, made: Tensor) -> bool:
    """Whether a tensor is to get the memory of another, and not to be replaced by it. Those in parts stay themselves."""
    if hasattr(type(old), "_as_parameter"):
        return True
    return not ON_CONVERSION["overwrite"] and old.layout is made.layout and old.is_meta is made.is_meta


def swap_into(old: Tensor, made: Tensor, title: str) -> None:
    """Let a tensor of a module become another. RuntimeError: a graph holds it."""
    from ...utils import swap_tensors

    try:
        swap_tensors(old, made)
    except Exception as problem:
        raise RuntimeError(f"_apply(): Couldn't swap {title}") from problem


def replica(module: Any) -> Any:
    """A copy of a module without parameters, whose buffers and submodules are its own lists of the same objects: what is run on
    another device."""
    made = another(type(module))
    own = {**module.__dict__, "_parameters": {}, "_is_replica": True}
    made.__setstate__(own | {kind: dict(own[kind]) for kind in ("_buffers", "_modules")})
    return made
