"""``torch.sparse.FloatTensor`` and its like: sparse tensors made in the old way. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import warnings
from typing import Any

from ..engine.arrays.dtype import TYPED, bool_, dtype
from ..engine.ops.creation.legacy import construct_sparse
from ..engine.tensors.tensor import Tensor

__all__: list[str] = []
OLD = "torch.sparse.SparseTensor({}) is deprecated.  Please use torch.sparse_coo_tensor({})."
warned: set[str] = set()
"""The forms of which a program was told."""


class Typed(type):
    """The class of those classes: a sparse tensor of its dtype is an instance."""

    _element: dtype

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor) and value.is_sparse and value.dtype is cls._element

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """``(indices, values[, size])``, or sizes."""
        made = construct_sparse(cls._element, args, dict(kwargs), "torch.sparse.SparseTensor")
        named = [name for name in ("indices", "values") if name in kwargs]
        count = len(args) + len(named) + ("size" in kwargs)
        parts = count > 1 and (bool(named) or isinstance(args[0], Tensor))
        form = ("indices, values, shape" if count == 3 else "indices, values") if parts else "shape" if count else ""
        if form not in warned:
            warned.add(form)
            warnings.warn(
                OLD.format(
                    form + ", *, device=" if form else "", form + ", dtype=, device=" if form else "(0,), dtype="
                ),
                stacklevel=2,
            )
        return made


for _title, _dtype in TYPED.items():
    if _dtype is not bool_:
        globals()[_title] = Typed(_title, (), {"_element": _dtype, "__module__": "torch.sparse"})
