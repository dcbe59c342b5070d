"""``torch.sparse.FloatTensor`` and its like: sparse tensors made in the old way. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any

from ..engine.arrays.dtype import BY_NAME
from ..engine.tensors.tensor import Tensor
from .root import torch as T  # noqa: N812

__all__: list[str] = []

KINDS = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16", "LongTensor": "int64",
    "IntTensor": "int32", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8",
}  # fmt: skip


class Typed(type):
    """The class of those classes: a sparse tensor of its dtype is an instance."""

    _name: str

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor) and value.is_sparse and value.dtype.name == cls._name

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """``(indices, values[, size])``, or sizes."""
        kind = BY_NAME[cls._name]
        if args and isinstance(args[0], Tensor):
            return T.sparse_coo_tensor(*args, dtype=kind, **kwargs)
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return T.sparse_coo_tensor(tuple(size), dtype=kind, **kwargs)


for _title, _kind in KINDS.items():
    globals()[_title] = Typed(_title, (), {"_name": _kind, "__module__": "torch.sparse"})
