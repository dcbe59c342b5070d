"""Parameters: leaf tensors that a module registers when they are assigned to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.arrays.device_guard import copied
from ...engine.arrays.dtype import numpy_of
from ...engine.arrays.state import state
from ...engine.arrays.type_names import type_name
from ...engine.graph.fields import new, wrap
from ...engine.graph.nodes import AccumulateGrad
from ...engine.operators.hooks import made, unmade
from ...engine.operators.torch_function import disabled
from ...engine.tensors.sizes import size_of
from ...engine.tensors.tensor import Size, Tensor, TensorMeta, wanting
from ...engine.tensors.text import parameter_text
from ...sandbox.sealed import Sealed

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class ParameterMeta(TensorMeta):
    """A tensor of a class of one's own stays of that class as a parameter."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or (
            cls is Parameter
            and type(instance) is not Tensor
            and issubclass(type(instance), Tensor)
            and getattr(instance, "_is_param", False)
        )


class Parameter(Tensor, metaclass=ParameterMeta):
    """Tensor that a module registers as its parameter when it is assigned to it, and that optimizers change: a leaf of
    the graph.
    It shares the memory of `data`.
    data: the tensor (None: an empty one). requires_grad: whether gradients are computed for it (True); RuntimeError
    where the dtype is neither floating nor complex.
    >>> nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)"""

    __module__ = "torch.nn.parameter"
    __torch_function__ = staticmethod(disabled)
    _is_parameter = True

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = wrap(np.empty(0, state.default_dtype.numpy))
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        if requires_grad is not True and requires_grad is not False:
            refuse(requires_grad)
        in_parts = getattr(type(data), "_as_parameter", None)
        if in_parts is not None:
            return in_parts(data, requires_grad)
        if type(data) is not Tensor and not issubclass(type(data), (Parameter, Buffer, Uninitialized)):
            answered = data.detach().requires_grad_(requires_grad)
            if type(answered) is not type(data):
                raise RuntimeError(
                    f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                    f"instance of the same type, but return type {type(answered).__name__} was found instead. To use the type "
                    "as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
                )
            answered._is_param = True
            return answered
        made = new(cls)
        made._array = data._array
        if requires_grad:
            if made._array.dtype.kind not in "fcV":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            made._node = AccumulateGrad(made)
        return made

    def __repr__(self) -> str:  # type: ignore[override]
        return parameter_text(Tensor.__repr__(self))

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(wrap(copied(self._array)), self.requires_grad)
        return memo[id(self)]


def unpickled(array: np.ndarray, requires_grad: bool) -> Parameter:
    """The parameter that was pickled."""
    return Parameter(wrap(array), requires_grad)


Parameter._unpickled = staticmethod(unpickled)  # type: ignore[attr-defined]


def refuse(requires_grad: Any) -> None:
    """Raise PyTorch's error for what is not true or false."""
    if not isinstance(requires_grad, np.bool_):
        kind = type_name(requires_grad)
        raise TypeError(f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {kind}")


class BufferMeta(TensorMeta):
    """Buffers are ordinary tensors that say so."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or (
            cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        )


class Buffer(Tensor, metaclass=BufferMeta):
    """Tensor that a module registers as its buffer when it is assigned to it: state that no optimizer changes, as
    running means.
    It shares the memory of `data`.
    data: the tensor (None: an empty one). persistent: whether the state dict has it (True).
    >>> module = nn.Module()
    >>> module.count = nn.Buffer(torch.zeros(1))
    >>> list(module.state_dict())
    ['count']"""

    __module__ = "torch.nn.parameter"
    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = wrap(np.empty(0, state.default_dtype.numpy))
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        made = wanting(data.detach(), data.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


UNMADE = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you are using a `LazyModule` or explicitly "
    "manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy batch to initialize the "
    "parameters before calling torch functions"
)
ALLOWED = frozenset(
    "__hash__ size copy_ is_complex is_floating_point half float double char short int long cuda cpu to get_device __get__ T mT H mH real imag".split()
)
"""What a parameter without a shape answers, beside its attributes."""
ASKED_NOWHERE = (
    ("<method '{}' of 'torch._C.TensorBase' objects>",
     "numel item tolist dim numpy detach retain_grad __bool__ __float__ __int__ __index__ __complex__ __eq__ __ne__ __lt__ __le__"
     " __gt__ __ge__ __iter__:dim __iadd__:add_ __isub__:sub_ __imul__:mul_ __itruediv__:div_"),
    ("<slot wrapper '{}' of 'torch._C.TensorBase' objects>", "__getitem__ __setitem__"),
    ("<function Tensor.{} at 0x7f0000000000>", "backward register_hook register_post_accumulate_grad_hook __len__ __contains__ __format__"),
)  # fmt: skip
"""Methods that have no form to ask at the door, and how PyTorch tells the function that each of them calls."""


class Uninitialized(metaclass=Sealed):
    """What lazy parameters and buffers share: no shape until the first input is seen. While there are any, all functions ask
    whether they are given one."""

    @classmethod
    def __torch_function__(cls, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func.__name__ in ALLOWED or isinstance(Tensor.__dict__.get(func.__name__), property):
            return disabled(func, types, args, kwargs)
        raise ValueError(UNMADE.format(func, cls.__name__))

    @property
    def shape(self) -> Size:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
            "initialize the parameters before accessing their attributes."
        )

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter or buffer of a shape, with values yet to be filled in."""
        made_of = np.zeros(size_of("empty", (shape,)), self._array.dtype if dtype is None else numpy_of(dtype))
        Tensor.data.fset(self, wrap(made_of))  # type: ignore[attr-defined]
        self.__class__ = Parameter if isinstance(self, Parameter) else Tensor
        made(id(self))

    def size(self, dim: Any = None) -> Any:
        return Size((0,)) if dim is None else Size((0,))[dim]

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
            "calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def refusing(told: str) -> Any:
    """A method that says what it is asked of: a parameter without a shape."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(UNMADE.format(told, type(self).__name__))

    return method


for told, methods in ASKED_NOWHERE:
    for entry in methods.split():
        method, _, called = entry.partition(":")
        setattr(Uninitialized, method, refusing(told.format(called or method)))


class UninitializedParameter(Uninitialized, Parameter):
    """Parameter of a lazy module whose shape is not known yet: RuntimeError for its shape,
    until ``materialize(shape)`` makes it an ordinary one whose values are yet to be filled in.
    requires_grad: whether gradients are computed for it (True). device, dtype: those of the parameter to be (None: the
    defaults).
    >>> p = nn.UninitializedParameter()
    >>> p.materialize((2, 3))
    >>> p.shape
    torch.Size([2, 3])"""

    __module__ = "torch.nn.parameter"

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        param = Parameter.__new__(cls, wrap(np.empty(0, numpy_of(dtype or state.default_dtype))), requires_grad)
        unmade(param)
        return param

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = UninitializedParameter(self.requires_grad)
        return memo[id(self)]


class UninitializedBuffer(Uninitialized, Tensor):
    """Buffer of a lazy module whose shape is not known yet: RuntimeError for its shape, until
    ``materialize(shape)`` makes it an ordinary tensor whose values are yet to be filled in.
    requires_grad: kept for its looks (False). device, dtype: those of the buffer to be (None: the defaults).
    persistent: whether the state dict has it (True).
    >>> b = nn.UninitializedBuffer()
    >>> b.materialize((2, 3))
    >>> b.shape
    torch.Size([2, 3])"""

    __module__ = "torch.nn.parameter"

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        buffer = new(cls)
        buffer._array = np.empty(0, numpy_of(dtype or state.default_dtype))
        buffer.persistent, buffer._is_buffer = persistent, True
        unmade(buffer)
        return buffer


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, Uninitialized)
