"""``torch.cuda.FloatTensor`` and its like: the constructors of old of tensors on a GPU."""

from __future__ import annotations

from typing import Any

from ...engine.arrays.dtype import BY_NAME, dtype
from ...engine.tensors.tensor import Tensor

__all__: list[str] = []


class TypedCuda(type):
    """The class of such constructors: called they make tensors, isinstance asks for the dtype and the device."""

    element: dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        from ...engine.ops.creation.legacy import construct
        from . import is_available

        if not is_available():
            raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")
        return construct(Tensor, cls.element, args, kwargs).to("cuda")

    def __instancecheck__(cls, obj: Any) -> bool:
        return isinstance(obj, Tensor) and obj.dtype is cls.element and obj.is_cuda

    def __repr__(cls) -> str:
        return f"<class 'torch.cuda.{cls.__name__}'>"


def _typed(name: str) -> TypedCuda:
    element = BY_NAME[name]
    return TypedCuda(
        element.short + "Tensor",
        (),
        {
            "element": element,
            "dtype": element,
            "is_cuda": True,
            "__module__": "torch.cuda",
            "__doc__": f"A tensor of {element} on a GPU.",
        },
    )


(
    FloatTensor, DoubleTensor, HalfTensor, BFloat16Tensor, LongTensor, IntTensor, ShortTensor, CharTensor, ByteTensor,
    BoolTensor,
) = map(_typed, ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"))  # fmt: skip
