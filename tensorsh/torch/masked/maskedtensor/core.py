"""``MaskedTensor``: a tensor some of whose elements are left out of everything that is computed with it.

It is its data, with the history that gradients need, beside a mask that says which elements count. Functions reach it as
they reach every class with ``__torch_function__``: computed on the data, the result gets the mask that belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.arrays.dtype import BY_NAME
from ....engine.arrays.layout import sparse_coo, sparse_csr, strided
from ....engine.arrays.warning import warn
from ....engine.loading.table import find_function
from ....engine.operators.hooks import stay
from ....engine.operators.torch_function import DisableTorchFunctionSubclass
from ....engine.tensors.tensor import Size, Tensor, TensorMeta
from ..where import _where
from .binary import BINARY_NAMES
from .reductions import REDUCE_NAMES
from .unary import UNARY_NAMES

__all__ = ["MaskedTensor", "is_masked_tensor"]

DTYPES = tuple(BY_NAME[name] for name in "float16 float32 float64 bool int8 int16 int32 int64".split())
UNARY = frozenset(
    """__pow__ __ipow__ __rpow__ __invert__ to type float double half int long short char bool clone detach
    ones_like""".split()
).union(UNARY_NAMES)
"""What is done to each element by itself: the result has the mask of the input."""
BINARY = frozenset(
    """__radd__ __rsub__ __rmul__ __rdiv__ __rtruediv__ __floordiv__ __rfloordiv__ __ifloordiv__ __and__ __iand__ __or__
    __ior__ __xor__ __ixor__ __eq__ __ne__ __imod__ rsub""".split()
).union(BINARY_NAMES)
"""What takes two elements to one: masks, where both have one, must be the same."""
MOVING = frozenset(
    """select transpose swapaxes swapdims split chunk t narrow expand expand_as view view_as reshape reshape_as flatten
    unflatten cat concat concatenate unsqueeze unfold stack __getitem__""".split()
)
"""What moves elements about: it is done to the mask as it is to the data."""
PLAIN = frozenset(
    """dim size numel nelement ndimension stride storage_offset is_floating_point is_complex is_same_size
    element_size __len__ __hash__ __format__ __set__ backward requires_grad_ register_hook retain_grad item __bool__
    __float__ __int__ allclose""".split()
)
"""What answers about the data, or concerns the tensor as a whole."""


class MaskedTensor(Tensor, metaclass=TensorMeta):
    """Data, and a mask of the same shape that is False where an element is left out."""

    __module__ = "torch.masked.maskedtensor.core"
    _masked_mask: Any

    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        for value, name in ((data, "data"), (mask, "mask")):
            if isinstance(value, MaskedTensor) or not isinstance(value, Tensor):
                raise TypeError(f"{name} must be a Tensor")
        warn(PROTOTYPE)
        if data.requires_grad:
            warn(OF_GRADIENT)
        data, mask = together(data.detach(), mask.detach())
        check(data, mask)
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        stay("classes")
        made = dressed(data.clone(), mask.clone(), cls)
        return made.requires_grad_() if requires_grad else made

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        pass

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.__name__
        name = name if name in KINDS else name.removesuffix("_")
        with DisableTorchFunctionSubclass():
            return KINDS.get(name, unknown)(func, name, args, kwargs or {})

    @property
    def grad(self) -> Any:
        with DisableTorchFunctionSubclass():
            found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
            if found is None or isinstance(found, MaskedTensor):
                return found
            return dressed(again(found), self._masked_mask)

    @grad.setter
    def grad(self, value: Any) -> None:
        Tensor.grad.fset(self, value)  # type: ignore[attr-defined]

    def get_data(self) -> Tensor:
        """The data, also where elements are left out."""
        with DisableTorchFunctionSubclass():
            return again(self) if self.requires_grad else self.detach()

    def get_mask(self) -> Tensor:
        """The mask: False where an element is left out."""
        return self._masked_mask

    def to_tensor(self, value: Any) -> Tensor:
        """A plain tensor with `value` where elements are left out."""
        return self.get_data().masked_fill(~self._masked_mask, value)

    def is_sparse_coo(self) -> bool:
        return False

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        return False

    def tolist(self) -> Any:
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")

    def numpy(self, *, force: bool = False) -> Any:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __iter__(self) -> Any:
        return iter(unknown(Tensor.__iter__, "unbind", (self,), {}))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self.get_data(), self._masked_mask
        if data.layout != strided:
            data, mask = data.to_dense(), mask.to_dense()
        mask = mask.tolist()
        if data.ndim == 0:
            return f"MaskedTensor({element(data.item()) if mask else '--'}, {mask})"
        return f"MaskedTensor(\n{indented(rows(data.tolist(), mask))}\n)"


def again(x: Any) -> Any:
    """Another tensor with the same data and history."""
    return x.view_as(x) if x.layout == strided else x.clone()


def together(data: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Data and a mask of one layout; sparse data with the elements that the mask has."""
    if data.layout != mask.layout:
        raise TypeError("data and mask must have the same layout.")
    if data.layout == sparse_coo:
        data, mask = data.coalesce(), mask.coalesce()  # type: ignore[attr-defined]
    if data.layout in (sparse_coo, sparse_csr) and data._nnz() != mask._nnz():  # type: ignore[attr-defined]
        data = _where(mask, data, find_function("tensor")(0))
    return data, mask


def check(data: Tensor, mask: Tensor) -> None:
    """The errors of data and a mask that do not go together."""
    if data.layout not in (strided, sparse_coo, sparse_csr):
        raise TypeError(f"data layout of {data.layout} is not supported.")
    if data.layout != strided and data.shape == mask.shape and not same_places(data, mask):
        raise ValueError(
            "data and mask are both sparse COO tensors but do not have the same indices."
            if data.layout == sparse_coo
            else "data and mask are both sparse CSR tensors but do not share either crow or col indices."
        )
    if mask.dtype is not BY_NAME["bool"]:
        raise TypeError("mask must have dtype bool.")
    if data.dtype not in DTYPES:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.ndim != mask.ndim:
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def masked(data: Any, mask: Any) -> Any:
    """A new tensor, or several, with the mask that belongs to each."""
    if isinstance(data, (list, tuple)):
        return type(data)(masked(d, m) for d, m in zip(data, mask, strict=True))
    if type(data) is Tensor:
        warn(PROTOTYPE)
        dressed(data, mask)
    return data


def dressed(data: Any, mask: Any, kind: type = MaskedTensor) -> Any:
    """The tensor itself as a masked one."""
    data.__class__, data._masked_mask = kind, mask
    return data


def mask_of(value: Any) -> Any:
    """The mask of a masked tensor; of lists and tuples, those of what is in them; anything else as it is."""
    if isinstance(value, MaskedTensor):
        return value._masked_mask
    return type(value)(map(mask_of, value)) if type(value) in (list, tuple) else value


def same_places(a: Any, b: Any) -> bool:
    """Whether two sparse tensors of one layout have elements at the same places."""
    parts = ("indices",) if a.layout == sparse_coo else ("crow_indices", "col_indices")
    return all(_tensors_match(getattr(a, part)(), getattr(b, part)()) for part in parts)


def _tensors_match(a: Tensor, b: Tensor, exact: bool = True, rtol: float = 1e-05, atol: float = 1e-08) -> bool:
    """Whether two tensors without masks have the same layout, places and numbers; nearly, unless `exact`."""
    if isinstance(a, MaskedTensor) or isinstance(b, MaskedTensor):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.layout != b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    b = b if a.dtype == b.dtype else b.to(a.dtype)
    if a.layout != strided:
        return same_places(a, b) and _tensors_match(a.values(), b.values(), exact)  # type: ignore[attr-defined]
    if a.ndim != b.ndim:
        return False
    return bool(a.eq(b).all()) if exact else a.allclose(b, rtol, atol)


def _masks_match(a: Any, b: Any) -> bool:
    """Whether two operands have the same mask; True where one has none."""
    return not (isinstance(a, MaskedTensor) and isinstance(b, MaskedTensor)) or _tensors_match(
        a.get_mask(), b.get_mask()
    )


# What each kind of function does, in the absence of overriding.


def unary(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    if len(args) > 1 and isinstance(args[1], Tensor):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    data = args[0]
    if data.layout != strided:
        found = func(data.values(), *args[1:], **kwargs)
        return masked(find_function("_with_values")(found, data.detach()), data._masked_mask)
    return masked(func(*args, **kwargs), data._masked_mask)


def laid_out(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    """In another layout: sparse tensors have the elements that the mask has, true or not."""
    data, mask = args[0], args[0]._masked_mask
    if name == "to_dense":
        return data if data.layout == strided else masked(func(data), mask.to_dense())
    wanted = sparse_csr if name == "to_sparse_csr" else sparse_coo
    if data.layout == wanted:
        return data
    if wanted == sparse_csr and data.ndim != 2:
        raise ValueError(f"Only 2D tensors can be converted to the SparseCsr layout but got shape: {Size(data.shape)}")
    kept = mask.to_sparse_csr() if wanted == sparse_csr else mask.to_sparse_coo().coalesce()
    return masked(data.sparse_mask(kept), kept)


def contiguous(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    if args[0].layout == sparse_coo:
        raise ValueError("MaskedTensors with sparse data do not have is_contiguous")
    if args[0].layout == sparse_csr:
        raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
    return (unary if name == "contiguous" else plain)(func, name, args, kwargs)


def binary(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    masks = [each._masked_mask for each in args[:2] if isinstance(each, MaskedTensor)]
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if not _masks_match(*args[:2]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    result = func(*args)
    return result if result is NotImplemented else masked(result, masks[0].expand(result.shape))


def reduction(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    data, *rest = args
    mask = data._masked_mask
    place = name == "norm"  # which takes the order first
    if name == "all":
        found = func(data.masked_fill(~mask, True), *rest, **kwargs)
    else:
        found = find_function(f"masked.{name}")(data, *rest, **kwargs, mask=mask)
    dim = kwargs.get("dim", rest[place] if len(rest) > place and type(rest[place]) is not bool else None)
    left = mask.any() if dim is None or dim == () else mask.any(dim, keepdim=found.ndim == data.ndim)
    return masked(found, left.view(found.shape))


def moving(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    masks = mask_of(args[0]), *map(mask_of, args[1:])
    return masked(func(*args, **kwargs), func(*masks, **{key: mask_of(value) for key, value in kwargs.items()}))


def attribute(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    found = func(*args)
    return masked(found, func(args[0]._masked_mask)) if type(found) is Tensor else found


def plain(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    return func(*args, **kwargs)


def softmax(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    mask = args[0]._masked_mask
    return masked(find_function("masked.softmax")(*args, **kwargs, mask=mask), mask)


def where(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    first, second, third = args if func is find_function("where") else (args[1], args[0], args[2])
    masks = [each._masked_mask if isinstance(each, MaskedTensor) else True for each in (second, third)]
    return masked(find_function("where")(first, second, third), find_function("where")(first, *masks))


def unknown(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    warn(f"{name} is not implemented in __torch_dispatch__ for MaskedTensor.\n{UNKNOWN}")
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.aten.{name}.default'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n  - tensor subclass {MaskedTensor}\n\nFor more information, try re-running with "
        "TORCH_LOGS=not_implemented"
    )


KINDS: dict[str, Callable] = {
    **dict.fromkeys(UNARY, unary), **dict.fromkeys(BINARY, binary), **dict.fromkeys(REDUCE_NAMES, reduction),
    **dict.fromkeys(MOVING, moving), **dict.fromkeys(PLAIN, plain), "softmax": softmax, "where": where,
    **dict.fromkeys(("to_dense", "to_sparse", "to_sparse_coo", "to_sparse_csr"), laid_out), **dict.fromkeys(("is_contiguous", "contiguous"), contiguous),
    "__get__": attribute,
}  # fmt: skip

PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github issue "
    "for features requests and see our documentation on the torch.masked module for further information about the project."
)
OF_GRADIENT = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid this, you can use "
    "data.detach().clone()"
)
UNKNOWN = (
    "If you would like this operator to be supported, please file an issue for a feature request at "
    "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\nIn the case that the "
    "semantics for the operator are not trivial, it would be appreciated to also include a proposal for the semantics."
)


def element(value: Any) -> str:
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def rows(data: list, mask: list) -> str:
    """The text of nested lists of elements, one row of the innermost dimension a line."""
    if data and isinstance(data[0], list):
        return "[\n" + ",\n".join(indented(rows(d, m)) for d, m in zip(data, mask, strict=True)) + "\n]"
    shown = [element(value) for value in data]
    width = max(len(text) if kept else 8 for text, kept in zip(shown, mask, strict=True))
    return "[" + ", ".join(t if kept else "--".rjust(width) for t, kept in zip(shown, mask, strict=True)) + "]"


def indented(text: str) -> str:
    return "\n".join("  " + line for line in text.split("\n"))


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a MaskedTensor."""
    return isinstance(obj, MaskedTensor)
