"""Between dtypes, devices, numpy and Python: ``to`` and its kin, ``item``, ``numpy``, text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import cupy_module
from ...arrays.backend import check_device, move
from ...arrays.deferred import bits, resolved
from ...arrays.device import CPU, absent, as_device
from ...arrays.device import device as device_type
from ...arrays.device_guard import on
from ...arrays.door import answers_below
from ...arrays.dtype import (
    BY_NAME,
    COMPLEX,
    COMPLEX_HALF,
    FLOAT,
    INTEGER,
    PYTHON,
    dtype,
    float8_e4m3fn,
    float8_e8m0fnu,
    given_dtype,
)
from ...arrays.layout import copied_as, is_expanded, lies_as, sparse_coo, sparse_csr, strided, type_named, type_of
from ...arrays.parallel import listed
from ...arrays.state import here, state
from ...arrays.type_names import type_name
from ...arrays.warning import warn, warn_of_old
from ...graph.cut import detached_in_place
from ...graph.fields import wrap
from ...loading import table
from ...numerics.halves import between_floats, cast
from ...operators.declare import Array, operator
from ...operators.registration import add_method, method
from ...tensors import sharing
from ...tensors.duplicates import __copy__, __deepcopy__
from ...tensors.tensor import IN_TRANSFORM, Tensor
from ...tensors.text import format_tensor, python_number
from ...wording.overloads import refuse
from .copying import laid_out
from .text_parts import text_of


@operator("_to_copy", node="ToCopyBackward0", method=False)
def to_copy(xp, input: Array, dtype=None, device=None, source=None):
    """A copy in another dtype or on another device; `source`: the input's, where the gradient is to go back."""
    target = input.dtype if dtype is None else dtype.numpy
    if device is not None and (device.type != "cpu" or not isinstance(input, np.ndarray)):
        with on(-1 if device.index is None else device.index):
            return converted(move(input, device), dtype, target)
    return converted(input, dtype, target)


def converted(input: Any, dtype: Any, target: Any) -> Any:
    """A copy of an array in a dtype, which numpy knows as `target`."""
    if dtype is float8_e4m3fn and input.dtype.kind in "fiu":
        input = input.clip(-448, 448)  # its largest numbers: PyTorch does not overflow to NaN
    elif dtype is float8_e8m0fnu:
        input = np.abs(input.astype(np.float32)).clip(2.0**-127)  # it has neither signs nor zero
    changes = input.dtype != target or target is COMPLEX_HALF or input.dtype is COMPLEX_HALF
    if input.dtype.kind == "c" and dtype is not None and dtype.category in (INTEGER, FLOAT):
        warn_of_old("complex")
    if changes and is_expanded(input):
        input = copied_as(input)
    return cast(input, target) if changes else laid_out(input)


to_copy.fast = between_floats
to_copy.gradient(
    input=lambda t, g, device, source: g if source is None or source == device else t._to_copy(g, None, source, device)
)


def _same(t: Tensor, d: Any, device: Any) -> bool:
    return (d is None or t.dtype is d) and (device is None or same_device(t.device, device))


def same_device(a: device_type, b: device_type) -> bool:
    return a.type == b.type and (b.index is None or a.index == b.index or a.type == "cpu")


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor in a dtype, on a device, or as another tensor is; itself when nothing changes.
    ``x.to(torch.float64)``, ``x.to('cuda')``, ``x.to(device, dtype)`` and ``x.to(other)``; `copy` makes a new tensor
    in any case. The shape stays; gradients flow back through it where both dtypes are floating-point. RuntimeError:
    no such device."""
    if not kwargs and len(args) == 1 and isinstance(args[0], dtype):
        return self if self.dtype is args[0] else to_copy.function(self, args[0])
    d = kwargs.pop("dtype", None)
    if d is not None:
        d = given_dtype(d, "to")
    device = kwargs.pop("device", None)
    copy = kwargs.pop("copy", False)
    kwargs.pop("non_blocking", None)
    layout = kwargs.pop("memory_format", None)
    other = kwargs.pop("other", None)
    if kwargs:
        raise TypeError(f"to() received an invalid combination of arguments - got ({', '.join(kwargs)}=...)")
    rest = list(args)
    if rest:
        first = rest.pop(0)
        if isinstance(first, Tensor):
            other = first
        elif isinstance(first, dtype):
            d = first
        elif first in PYTHON:
            d = PYTHON[first]
        elif first is None or isinstance(first, (str, int, device_type)):
            device = first if first is not None else device
            if rest and (isinstance(rest[0], dtype) or rest[0] is None):
                d = rest.pop(0) or d
        else:
            raise TypeError(
                "to() received an invalid combination of arguments - got ("
                + type_name(first)
                + "), but expected one of:\n"
                " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, "
                "torch.memory_format memory_format = None)\n * (torch.dtype dtype, bool non_blocking = False, bool copy = "
                "False, *, torch.memory_format memory_format = None)\n * (Tensor tensor, bool non_blocking = False, bool copy "
                "= False, *, torch.memory_format memory_format = None)\n"
            )
        if len(rest) > 1:
            copy = rest[1]
    if other is not None:
        d, device = other.dtype, other.device
    if device is not None:
        device = checked(as_device(device))
    if not copy and _same(self, d, device) and (layout is None or lies_as(self._array, layout)):
        return self
    made = to_copy.function(self, d, device, None if device is None else self.device)
    if layout is not None:
        made._array = laid_out(made._array, layout)
    return made


def checked(device: device_type) -> device_type:
    """A device that exists; PyTorch's error otherwise."""
    if device.type == "cpu":
        return device
    return check_device(device)


def _caster(name: str, d: dtype) -> Any:
    def method(self: Tensor, *args: Any, memory_format: Any = None, **kwargs: Any) -> Tensor:
        if args or kwargs:
            refuse("Tensor." + name, args, kwargs)
        if memory_format is not None:
            refuse("Tensor." + name, (), {"memory_format": memory_format})
            return to(self, d, memory_format=memory_format)
        return self if self.dtype is d else to_copy.function(self, d, None)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"This tensor as torch.{d.name}; itself if it is that already."
    return method


CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
    "chalf": "complex32",
}  # fmt: skip
for _name, _dtype in CASTS.items():
    table.METHODS[_name] = table.attentive(_caster(_name, BY_NAME[_dtype]))


@method
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """This tensor on the CPU.
    Itself where it is there already, else a copy of the same shape and dtype; gradients flow back through it."""
    if memory_format is None and self._array.__class__ is np.ndarray:
        return self
    return to(self, CPU, memory_format=memory_format)


@method
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """This tensor on a CUDA device.
    `device` is an index or a device (None: the current one); a tensor that is there already is itself returned,
    others are copied, dtype and shape stay. Gradients flow back through the copy. AssertionError or RuntimeError:
    there is no such device."""
    return to(self, as_device("cuda" if device is None else device))


@method
def type(self: Tensor, dtype: Any = None, non_blocking: bool = False, *, memory_format: Any = None) -> Any:
    """The name of the tensor's type, ``'torch.FloatTensor'``; with an argument, the tensor cast to it.
    `dtype` is such a name or a dtype; the shape stays, and a tensor that has the dtype already is itself returned.
    ValueError: no name of a type."""
    if dtype is None:
        return type_of(self._array)
    name = dtype if isinstance(dtype, str) else getattr(dtype, "type_name", None)
    if name is not None:
        found = type_named(name)
        if found is None:
            raise ValueError(f"invalid type: '{name}'")
        return to(self, found[1], found[0])
    if dtype is Tensor:
        dtype = state.default_dtype
    elif any(dtype is kind for kind in PYTHON):
        raise ValueError(f"invalid type: '{dtype.__name__}'")
    elif not any(dtype is kind for kind in BY_NAME.values()):
        raise TypeError("dtype must be a type, str, or dtype object")
    return to(self, dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype and on the device of another."""
    a, b = self._array, other._array
    if a.__class__ is b.__class__ is np.ndarray and a.dtype is b.dtype:
        return self
    return to(self, other)


@method
@table.attentive
def item(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The one element as a Python number.
    A bool, int, float or complex by the dtype, cut from the graph. RuntimeError: a tensor of none or of several
    elements, for which there is `tolist`."""
    if args or kwargs:
        refuse("Tensor.item", args, kwargs)
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return python_number(self._array)


@method
@table.attentive
def tolist(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The elements as nested lists of Python numbers; a number for a tensor without dimensions.
    As deep as the tensor has dimensions; the numbers are bool, int, float or complex by the dtype. What a float32
    holds is written out: 0.1 comes back as 0.10000000149011612."""
    if args or kwargs:
        refuse("Tensor.tolist", args, kwargs)
    if answers_below(self.__class__):
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {self.__class__.__name__}")
    array = move(self._array, CPU)
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    return listed(array)


def _host(self: Tensor) -> np.ndarray:
    if not isinstance(self._array, np.ndarray):
        if self.layout is not strided:
            self._array.__array__()
        if answers_below(self.__class__):
            raise RuntimeError(".numpy() is not supported for tensor subclasses.")
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    return self._array


BITS = {"conj": "conjugate", "neg": "negative"}


@method
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The tensor's memory as a numpy array (one of its own: whoever gives it another shape changes no tensor).
    Writing to the array writes to the tensor; of memory that processes share it is a copy, which cannot be written.
    RuntimeError: a tensor that requires a gradient (``x.detach().numpy()``), unless `force` is given. TypeError: bfloat16,
    which numpy lacks."""
    if force:
        return numpy(wrap(resolved(self.cpu()._array)))
    array = _host(self)
    for name, turned in zip(("conj", "neg"), bits(array), strict=True):
        if turned:
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {BITS[name]} bit set. Use tensor.resolve_{name}().numpy() instead."
            )
    if self._node is not None and here.grad_enabled:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if array.dtype.kind == "V" or array.dtype.name == "bfloat16" or array.dtype is COMPLEX_HALF:
        raise TypeError(f"Got unsupported ScalarType {self.dtype.short}")
    return sharing.lent(array)


def __array__(self: Tensor, dtype: Any = None, copy: Any = None) -> np.ndarray:
    return np.array(numpy(self), dtype, copy=copy or None)


def __array_wrap__(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
    array = np.asarray(array)
    return wrap(array.astype(np.uint8) if array.dtype.kind == "b" else array)


def __bool__(self: Tensor) -> bool:
    if self._array.size != 1:
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    a = self._array
    return bool(a.item() if a.__class__ is np.ndarray and a.dtype.kind != "V" else python_number(a))


_WARNING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def _converter(name: str, kind: Any) -> Any:
    warns = kind is not int

    def convert(self: Tensor) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if warns and self._node is not None and here.grad_enabled and "scalar" not in state.warned:
            state.warned.add("scalar")
            warn(_WARNING)
        value = python_number(self._array)
        if isinstance(value, complex) and kind is not complex:
            if value.imag:
                raise RuntimeError(
                    f"value cannot be converted to type {'double' if kind is float else 'int64_t'} without overflow"
                )
            value = value.real
        return kind(value)

    convert.__name__ = convert.__qualname__ = name
    return convert


def __index__(self: Tensor) -> int:
    if self._array.dtype.kind not in "iub" or self._array.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item() if self._array.__class__ is np.ndarray else python_number(self._array))


def __len__(self: Tensor) -> int:
    if self._array.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


def __repr__(self: Tensor, *, tensor_contents: Any = None) -> str:
    return text_of(self, tensor_contents)


def __format__(self: Tensor, spec: str) -> str:
    title = "Parameter" if self._is_parameter else self.__class__.__name__
    return format_tensor(self._array, spec, lambda: repr(self), title)


for _f in (__array__, __array_wrap__, __bool__, __index__, __len__, __repr__, __format__, __deepcopy__, __copy__):
    setattr(Tensor, _f.__name__, _f)
Tensor.__float__ = _converter("__float__", float)
Tensor.__int__ = _converter("__int__", int)
Tensor.__complex__ = _converter("__complex__", complex)


TRANSFORMED = IN_TRANSFORM.format("requires_grad_", " (or perhaps using torch.autograd.functional.* APIs)")


@method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Whether operations on this leaf are to be recorded.
    True when left out; the tensor itself is returned. RuntimeError: integers or booleans, which have no gradients;
    False for a tensor that is no leaf, which `detach` cuts off."""
    if requires_grad and self._array.dtype.kind not in "fcV":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if here.transforms:
        raise RuntimeError(TRANSFORMED)
    self.requires_grad = requires_grad
    return self


@method
def detach_(self: Tensor) -> Tensor:
    """Cut this tensor from its history.
    The tensor itself is returned, as a leaf that wants no gradient. RuntimeError: a view, for which there is
    `detach`."""
    if self._root is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    if not self.is_leaf:
        self._cell = detached_in_place(self._cell)
    self._node = None
    return self


@method
@table.attentive
def is_floating_point(self: Tensor, *args: Any, **kwargs: Any) -> bool:
    """Whether the dtype is a floating-point one."""
    if args or kwargs:
        refuse("Tensor.is_floating_point", args, kwargs)
    return self.dtype.category == FLOAT


@method
def is_complex(self: Tensor) -> bool:
    """Whether the dtype is complex."""
    return self.dtype.category == COMPLEX


@method
def is_signed(self: Tensor) -> bool:
    """Whether the dtype has negative values."""
    return self.dtype.is_signed


@method
def get_device(self: Tensor) -> int:
    """The number of the CUDA device; -1 on the CPU."""
    return -1 if self.device.type != "cuda" else self.device.index or 0


@method
def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return self._inference


def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether the shapes are equal."""
    return self._array.shape == other._array.shape


@method
@table.attentive
def numel(self: Tensor, *args: Any, **kwargs: Any) -> int:
    """The number of elements."""
    if args or kwargs:
        refuse("Tensor.numel", args, kwargs)
    return self._array.size


def exported(self: Tensor) -> Any:
    """The array that other libraries are shown. BufferError: a tensor that would lose what makes it so."""
    if self._node is not None:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if bits(self._array)[0]:
        raise BufferError("Can't export tensors with the conjugate bit set")
    if hasattr(self._array, "layout"):
        raise BufferError("Can't export tensors with layout other than torch.strided")
    return resolved(self._array)


@method
def __dlpack__(self: Tensor, **options: Any) -> Any:
    array, stream = exported(self), options.get("stream", -1)
    if stream is not None and stream.__class__ is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream == -1:
        options.pop("stream", None)
    elif stream is not None and not isinstance(array, cupy_module.array_class or ()):
        raise AssertionError("stream should be None on cpu.")
    sharing.check_own(array)
    return array.__dlpack__(**options)


@method
def __dlpack_device__(self: Tensor) -> Any:
    return self._array.__dlpack_device__()


def cuda_array_interface(self: Tensor) -> dict:
    if self.is_cpu:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: torch.{self.dtype.short}Tensor If CUDA data is "
            "required use tensor.cuda() to copy tensor to device memory."
        )
    if self._node is not None:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad."
        )
    return self._array.__cuda_array_interface__


Tensor.__cuda_array_interface__ = property(cuda_array_interface)  # type: ignore[attr-defined]


def _flags() -> None:
    for name, test in {
        "is_cuda": lambda t: t.device.type == "cuda", "is_cpu": lambda t: t.device.type == "cpu",
        "is_meta": lambda t: absent(t._array), "is_sparse": lambda t: t.layout is sparse_coo, "is_quantized": lambda t: False,
        "is_mps": lambda t: False, "is_xpu": lambda t: False, "is_mkldnn": lambda t: False,
        "is_sparse_csr": lambda t: t.layout is sparse_csr, "is_nested": lambda t: False,
        "itemsize": lambda t: t.dtype.itemsize, "nbytes": lambda t: t._array.nbytes if t.layout is strided else t._array.tensor_nbytes,
        "layout": lambda t: getattr(t._array, "layout", strided),
    }.items():  # fmt: skip
        setattr(Tensor, name, property(test))


_flags()
for _f in (to, requires_grad_, type_as, is_same_size):
    add_method(_f.__name__, _f)
