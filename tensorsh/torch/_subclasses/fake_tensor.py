"""``torch._subclasses.fake_tensor``: tensors that have a shape, a dtype and the device they are said to lie on, and no elements.

A mode answers every operator with what the meta device makes of it. For plain Python alone (`tensorsh.as_torch`).
"""

from __future__ import annotations

import weakref
from typing import Any

from ...engine.arrays.cupy_module import nowhere
from ...engine.arrays.device import device as device_type
from ...engine.arrays.dtype import float32
from ...engine.arrays.state import here
from ...engine.graph.fields import wrap
from ...engine.tensors.tensor import Tensor
from ..containers import mapped, tensors_in, values_in
from ..dispatching import TorchDispatchMode, wrapper
from ..utils.weak import WeakIdKeyDictionary

__all__: list[str] = []

SIZED_BY_ELEMENTS = frozenset("nonzero masked_select unique unique_consecutive _unique2 argwhere bincount".split())
LIFTED = frozenset("lift lift_fresh lift_fresh_copy".split())
"""What a constant that a program makes of numbers comes by."""
READ = frozenset("item _local_scalar_dense equal tolist is_nonzero".split())


class UnsupportedFakeTensorException(RuntimeError):
    """What no tensor without elements can stand for."""


class DynamicOutputShapeException(RuntimeError):
    """An operator whose result has a size that its elements decide."""

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class DataDependentOutputException(RuntimeError):
    """An operator that gives an element's value."""

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class FakeTensor(Tensor):
    """A tensor without elements, made by a `FakeTensorMode`."""

    def __new__(cls, fake_mode: Any, elem: Tensor, device: Any, constant: Any = None, **_: Any) -> Any:
        if not elem.is_meta:
            raise AssertionError(f"expected elem to be a meta tensor, got {elem.device}")
        with unset_fake_temporarily():
            made = wrapper(cls, elem.shape, elem.stride(), dtype=elem.dtype, device=placed(device))
            made.fake_mode, made.fake_device, made.elem, made.constant = (
                fake_mode,
                placed(device),
                elem.detach(),
                constant,
            )
            return made.requires_grad_() if elem.requires_grad else made

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    @staticmethod
    def from_tensor(t: Tensor, fake_mode: Any) -> Any:
        """A tensor like another, without its elements."""
        return fake_mode.from_tensor(t)

    def __getattr__(self, name: str) -> Any:
        if name == "fake_device":
            return self.device
        if name == "elem":  # of a view that the engine made
            self.elem = bare(self)
            return self.elem
        if name == "fake_mode":
            self.fake_mode = (
                next((m for m in reversed(here.listening) if isinstance(m, FakeTensorMode)), None) or FakeTensorMode()
            )
            return self.fake_mode
        raise AttributeError(f"'FakeTensor' object has no attribute '{name}'", name=name, obj=self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        parts = ["..."]
        if self.fake_device.type != "cpu":
            parts.append(f"device='{self.fake_device}'")
        parts.append(f"size={tuple(self.shape)}")
        if self.dtype is not float32:
            parts.append(f"dtype={self.dtype}")
        if self.grad_fn is not None:
            parts.append(f"grad_fn=<{self.grad_fn.name()}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        return f"FakeTensor({', '.join(parts)})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = fakes(args, kwargs or {})
        return found[0].fake_mode.answer(func, args, kwargs or {})


def placed(device: Any) -> device_type:
    """A device with its number."""
    device = device_type(device)
    return device_type(device.type, 0) if device.type not in ("cpu", "meta") and device.index is None else device


def fakes(*values: Any) -> list:
    """The tensors of this kind among arguments and lists of them."""
    return [each for each in values_in(values) if isinstance(each, FakeTensor)]


def known(value: Any) -> Any:
    """An argument with the elements that are known."""
    return value.constant if isinstance(value, FakeTensor) else value


def place_of(func: Any, found: list) -> device_type:
    """The device of a result: that of the arguments, of which those of the CPU without dimensions do not count."""
    devices = {str(x.fake_device): x.fake_device for x in found if x.ndim or x.fake_device.type != "cpu"}
    if len(devices) > 1:
        devices.pop("meta", None)  # a view that the engine made
    if len(devices) > 1:
        names = ", ".join(sorted(devices))
        raise RuntimeError(f"Unhandled FakeTensor Device Propagation for {func}, found two different devices {names}")
    return next(iter(devices.values()), found[0].fake_device if found else device_type("cpu"))


class FakeTensorMode(TorchDispatchMode):
    """A context in which operators compute shapes, dtypes and devices, and no elements.

    allow_non_fake_inputs: tensors with elements are taken as if they had none; otherwise they are refused.
    """

    def __init__(
        self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False, shape_env: Any = None,
        static_shapes: Any = None, export: bool = False,
    ) -> None:  # fmt: skip
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes, self.export = shape_env, static_shapes, export
        self.known: Any = WeakIdKeyDictionary()
        self.constants: list = []

    def from_tensor(self, tensor: Tensor, **_: Any) -> Any:
        """A tensor like another, without its elements; the same each time."""
        if isinstance(tensor, FakeTensor):
            if tensor.fake_mode is not self:
                raise AssertionError("Mixing fake modes NYI")
            return FakeTensor(self, tensor.elem, tensor.fake_device)
        found = self.known.get(tensor)
        if found is None:
            found = self.known[tensor] = FakeTensor(self, bare(tensor), tensor.device)
            if tensor.requires_grad:
                found.requires_grad_()
        return found

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.answer(func, args, kwargs or {})

    def answer(self, func: Any, args: Any, kwargs: dict) -> Any:
        """What an operator gives, by the meta device."""
        name = str(func).partition(".")[2].partition(".")[0]
        found = fakes(args, kwargs)
        if name in LIFTED and args and not isinstance(args[0], FakeTensor):
            made = FakeTensor(self, bare(args[0]), args[0].device, args[0])
            return self.remembered(made)
        constant = self.constant(func, name, args, kwargs, found)
        if name in READ and found and constant is not None:
            return constant
        if name in READ and found:
            if name != "equal" and found[0].numel() != 1:
                raise RuntimeError(f"a Tensor with {found[0].numel()} elements cannot be converted to Scalar")
            raise DataDependentOutputException(func)
        if name in SIZED_BY_ELEMENTS and found:
            raise DynamicOutputShapeException(func)
        device = kwargs.get("device", next((x for x in args if isinstance(x, device_type)), None))
        device = "cpu" if name == "to" and len(args) == 1 and not kwargs else device  # x.cpu()
        device = place_of(func, found) if device is None else placed(device)
        given: dict[int, Any] = {}

        def strip(x: Any) -> Any:
            if not isinstance(x, Tensor):
                return device_type("meta") if isinstance(x, device_type) else x
            if not isinstance(x, FakeTensor):
                if x.ndim and not self.allow_non_fake_inputs:
                    shown = [
                        repr(x)
                        if isinstance(x, FakeTensor) or not isinstance(x, Tensor)
                        else f"tensor([...], size={tuple(x.shape)})"
                        for x in args
                    ]
                    shown += [f"{key}={value}" for key, value in kwargs.items()]
                    raise AssertionError(
                        "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                        f"'allow_non_fake_inputs'. Found in {func}({', '.join(shown)})"
                    )
                return bare(x)
            given[id(x.elem)] = x
            return x.elem

        plain = mapped(strip, kwargs)
        if "device" in plain or not found and not any(isinstance(x, Tensor) for x in args):
            plain["device"] = "meta"
        before, here.listening = here.listening, ()
        try:
            made = func(*mapped(strip, args), **plain)
        finally:
            here.listening = before
        made = mapped(lambda x: self.dressed(x, given, device), made)
        if isinstance(constant, Tensor) and isinstance(made, FakeTensor) and made.constant is not constant:
            made.constant = constant
            self.remembered(made)
        return made

    def remembered(self, made: Any) -> Any:
        """A tensor whose elements are known: they are forgotten when memory that it shares is written to."""
        self.constants = [ref for ref in self.constants if ref() is not None]
        self.constants.append(weakref.ref(made))
        return made

    def constant(self, func: Any, name: str, args: Any, kwargs: dict, found: list) -> Any:
        """What an operator gives where the elements of all its tensors are known, and the result is small."""
        writes = name[-1:] == "_" and name[-2:] != "__"
        every = [x for x in tensors_in((args, kwargs)) if not isinstance(x, FakeTensor)]
        if found and not every and all(x.constant is not None for x in found):
            with unset_fake_temporarily():
                try:
                    made = func(*mapped(known, args), **mapped(known, kwargs))
                except Exception:  # the meta device says it
                    made = None
            if isinstance(made, Tensor) and made.numel() <= 1 or name in READ:
                return made
        if writes and found:
            self.forget(found[0])
        return None

    def forget(self, written: Any) -> None:
        """Elements of what shares memory with a tensor are known no more."""
        if written.constant is None:
            return
        owner = written.constant.untyped_storage()._owner
        for each in [ref() for ref in self.constants]:
            if each is not None and each.constant is not None and each.constant.untyped_storage()._owner is owner:
                each.constant = None

    def dressed(self, made: Any, given: dict, device: Any) -> Any:
        """A result of the meta device as a tensor of this mode."""
        if not isinstance(made, Tensor):
            return made
        same = given.get(id(made))
        return same if same is not None and same.fake_device == device else FakeTensor(self, made, device)


def bare(tensor: Tensor) -> Tensor:
    """A tensor of the meta device like another."""
    array = tensor._array
    return wrap(nowhere().MetaArray(array.shape, array.dtype, None, array.strides))


class FakeTensorConverter:
    """Makes tensors without elements of others, for a mode."""

    def from_real_tensor(self, fake_mode: Any, t: Tensor, **_: Any) -> Any:
        return fake_mode.from_tensor(t)

    def from_meta_and_device(self, fake_mode: Any, t: Tensor, device: Any) -> Any:
        return FakeTensor(fake_mode, t, device)


def is_fake(x: Any) -> bool:
    """Whether a value is a tensor without elements."""
    return isinstance(x, FakeTensor)


class unset_fake_temporarily:  # noqa: N801 - PyTorch's name
    """A context in which no mode answers."""

    def __enter__(self) -> Any:
        self.before = here.listening
        here.listening = tuple(m for m in self.before if not isinstance(m, FakeTensorMode))
        return next((m for m in self.before if isinstance(m, FakeTensorMode)), None)

    def __exit__(self, *error: Any) -> None:
        here.listening = self.before


def _is_tensor_constructor(func: Any) -> bool:
    """Whether an operator takes no tensor and makes one."""
    return not isinstance(func, str) and str(func).partition(".")[2].partition(".")[0] in (
        "empty", "zeros", "ones", "full", "rand", "randn", "randint", "arange", "eye", "linspace", "logspace", "empty_strided",
    )  # fmt: skip
