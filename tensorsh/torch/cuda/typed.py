"""``torch.cuda.FloatTensor`` and its like: the constructors of old of tensors on a GPU."""

from __future__ import annotations

from typing import Any

from ...engine.ops.creation.legacy import TypedMeta, construct, typed
from ...engine.tensors.tensor import Tensor
from . import is_available

__all__: list[str] = []


class TypedCuda(TypedMeta):
    """The class of such constructors: called they make tensors on the device."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        if not is_available():
            raise TypeError(f"type {cls.type_name} not available. Torch not compiled with CUDA enabled.")
        return construct(Tensor, cls.element, args, kwargs).to("cuda")


globals().update(typed(TypedCuda, "torch.cuda"))
