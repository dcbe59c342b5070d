"""Questions to tensors, dtypes and other objects that no operator answers: kinds, sizes, promotion, names."""

from __future__ import annotations

from typing import Any

from ..engine.arrays.dtype import COMPLEX, FLOAT, dtype
from ..engine.arrays.type_names import type_name
from ..engine.tensors.storage import UntypedStorage
from ..engine.tensors.tensor import Tensor
from ..engine.tensors.typed_storage import TypedStorage
from ..sandbox.wrapping import wraps

__all__ = [
    "is_tensor", "is_floating_point", "is_complex", "is_storage", "numel", "can_cast", "promote_types", "result_type", "typename",
]  # fmt: skip


def overridden(function: Any, input: Any) -> Any:
    """The answer of a class that overrides functions; NotImplemented of any other."""
    if not hasattr(type(input), "__torch_function__"):
        return NotImplemented
    from ..engine.operators.torch_function import override

    return override(function, (input,), {})


def worded(function: Any) -> Any:
    """A decorator for functions that refuse what fits none of their recorded overloads."""

    def call(*args: Any, **kwargs: Any) -> Any:
        from ..engine.wording.overloads import refuse

        refuse(function.__name__, args, kwargs)
        return function(*args, **kwargs)

    return wraps(function)(call)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.
    obj: anything; parameters are tensors, arrays and lists are none. The same as ``isinstance(obj, torch.Tensor)``.
    >>> torch.is_tensor(torch.ones(2)), torch.is_tensor([1., 1.])
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether a tensor's dtype is a floating-point one: float16, bfloat16, float32 or float64, and those of eight bits.

    input: a tensor of any shape; complex ones and integers say False. Also as the method `x.is_floating_point`. TypeError: no tensor.

    >>> torch.is_floating_point(torch.ones(2)), torch.is_floating_point(torch.ones(2, dtype=torch.int64))
    (True, False)
    """
    if type(input) is not Tensor and (answer := overridden(is_floating_point, input)) is not NotImplemented:
        return answer
    return _tensor("is_floating_point", input).dtype.category == FLOAT


def is_complex(input: Tensor) -> bool:
    """Whether a tensor's dtype is complex: complex32, complex64 or complex128.

    input: a tensor of any shape. Also as the method `x.is_complex`. TypeError: no tensor.

    >>> torch.is_complex(torch.tensor(1j)), torch.is_complex(torch.tensor(1.0))
    (True, False)
    """
    if type(input) is not Tensor and (answer := overridden(is_complex, input)) is not NotImplemented:
        return answer
    return _tensor("is_complex", input).dtype.category == COMPLEX


def is_storage(obj: Any) -> bool:
    """Whether an object is a tensor's storage."""
    return isinstance(obj, (TypedStorage, UntypedStorage))


def numel(input: Tensor) -> int:
    """The number of elements, as a Python number: the product of the shape's sizes, 1 for a tensor without dimensions.

    input: a tensor. Also as the method `x.numel`. TypeError: no tensor.

    >>> torch.numel(torch.zeros(2, 3)), torch.numel(torch.tensor(5)), torch.numel(torch.zeros(0, 3))
    (6, 1, 0)
    """
    if type(input) is not Tensor and (answer := overridden(numel, input)) is not NotImplemented:
        return answer
    return _tensor("numel", input)._array.size


def _tensor(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(value)}")
    return value


@worded
def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether values of one dtype may be stored in another by an in-place operation: never from complex to real, from
    floating point to integers, from numbers to booleans.

    from_, to: the dtypes. The precision does not matter.

    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    from ..engine.arrays.dtype import can_hold, given_dtype

    return can_hold(given_dtype(from_, "can_cast"), given_dtype(to, "can_cast"))


@worded
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that holds the values of both: that of an operation on tensors of these dtypes.

    type1, type2: the dtypes. The kind counts first (booleans, integers, floating point, complex), then the size; uint8 with a
    signed integer gives the next larger signed one.

    >>> torch.promote_types(torch.int64, torch.float16), torch.promote_types(torch.uint8, torch.int8)
    (torch.float16, torch.int16)
    """
    from ..engine.arrays.dtype import given_dtype
    from ..engine.arrays.promotion import promote_types

    return promote_types(given_dtype(type1, "promote_types"), given_dtype(type2, "promote_types"))


@worded
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of an operation on two operands.

    tensor1, tensor2: tensors or Python numbers. A number, and a tensor without dimensions, only counts where its kind is above
    that of the other: ``int32 + 2`` stays int32, ``int32 + 2.5`` is the default dtype.

    >>> x = torch.ones(2, dtype=torch.int32)
    >>> torch.result_type(x, 2), torch.result_type(x, 2.5), torch.result_type(x, torch.ones(2, dtype=torch.int64))
    (torch.int32, torch.float32, torch.int64)
    """
    from ..engine.arrays import promotion

    return promotion.result_type([x._array if isinstance(x, Tensor) else x for x in (tensor1, tensor2)])


def typename(obj: Any) -> str:
    """The name of an object's type; of a tensor the old name with its dtype.

    obj: anything.

    >>> torch.typename(torch.ones(2)), torch.typename(nn.Linear(1, 1)), torch.typename(3)
    ('torch.FloatTensor', 'torch.nn.modules.linear.Linear', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    if type_name(obj) == "builtin_function_or_method":
        return f"torch._VariableFunctionsClass.{obj.__name__}"
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = named.__module__ or "builtins"
    return named.__qualname__ if module == "builtins" else f"{module}.{named.__qualname__}"
