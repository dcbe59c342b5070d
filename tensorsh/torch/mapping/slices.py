"""Slices that `vmap` gives a function, of which all are computed at once: their class, and what they may not be asked.

A `Batched` tensor has the shape of one slice; its `_whole` has all slices along the first dimension. The calls that it takes part in
are answered by its level (levels.py). What PyTorch refuses, since no branch, Python number, array or shape can depend on a slice, is
refused in its words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.cupy_module import nowhere
from ...engine.arrays.dtype import numpy_of
from ...engine.arrays.state import here
from ...engine.graph.fields import new
from ...engine.operators.torch_function import DisableTorchFunctionSubclass
from ...engine.ops.creation.text_parts import TRACKING, nested
from ...engine.tensors.tensor import Tensor

ISSUE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues ."
)
NUMBER = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try "
    "to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a "
    "bug report."
)
MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. "
    + ISSUE
)
REFUSED = {
    "__bool__": BRANCH, "item": NUMBER, "__float__": NUMBER, "__int__": NUMBER, "__complex__": NUMBER, "__index__": NUMBER,
    "__contains__": NUMBER, "data_ptr": MEMORY, "tolist": MEMORY, "numpy": MEMORY, "nonzero": DYNAMIC.format("nonzero"), "argwhere": DYNAMIC.format("nonzero"),
    "unique": DYNAMIC.format("_unique2"),
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
    "each batch this would return a differently shaped Tensor. " + ISSUE,
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "allclose": "vmap over torch.allclose isn't supported yet. " + ISSUE,
    "backward": "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms.",
}  # fmt: skip
"""What is said to a function of a tensor that depends on a slice."""
INTO = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements than "
    "`self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}. Please try to use out-of-place "
    "operators instead of {0}. If said operator is being called inside the PyTorch framework, please file a bug report instead."
)
ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
    "`gen_vmap_plumbing` Please file an issue if it looks like the latter"
)
WRITING = "Batching rule not implemented for aten::{}.out; the fallback path doesn't work on out= or view ops."
QUERIED = "NYI: querying is_contiguous inside of vmap for memory_format other than torch.contiguous_format"
FORMATS = {
    "contiguous": QUERIED,
    "is_contiguous": QUERIED,
    "clone": "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format torch.preserve_format or "
    "torch.contiguous_format (got {})",
}
"""What is said to orders of memory that a slice cannot have."""
USUAL_FORMATS = frozenset(("None", "torch.preserve_format", "torch.contiguous_format"))
ARITHMETIC = frozenset("sub_ mul_ div_ copy_ masked_fill_ __setitem__ __isub__ __imul__ __itruediv__".split())
OWN_NAMES = frozenset("fill_ index_add_ index_fill_ index_put_ scatter_add_".split())
"""Writes that PyTorch names without their namespace."""
MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a "
    "boolean mask."
)
STATISTICS = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, were not "
    "batched.\nPlease see https://pytorch.org/functorch/stable/batch_norm.html"
)
NEITHER = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap staticmethod or set "
    "generate_vmap_rule=True. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
)
BOTH = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set "
    "generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
TWO = "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the output. "
UNLIKE = (
    "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected out_dims={} to be compatible with the "
    "structure of `output`. out_dims has structure {} but output has structure {}. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)


class Batched(Tensor):
    """A slice, of which all are computed at once: its shape and dtype, the tensor of all slices, and the level it belongs to."""

    __module__ = "torch"
    __torch_function__ = None
    _whole: Tensor
    _level: Any
    _given: tuple | None = None
    """The tensor of all slices as a program gave it, and the dimension along which they lie, where that is not the first."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Tensor() makes no tensor of this class")

    @classmethod
    def _of(cls, level: Any, whole: Tensor, array: Any = None) -> Any:
        """A slice of a level, of the tensor of all; `array`: its shape and dtype, where another slice has them."""
        made = new(cls)
        if array is None:
            every = whole._array
            array = nowhere().MetaArray(tuple(whole.shape)[1:], numpy_of(whole.dtype), None, every.strides[1:])
        made._array = array
        made._whole, made._level = whole, level
        return made

    @property
    def data(self) -> Any:
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    @data.setter
    def data(self, value: Tensor) -> None:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")

    def as_given(self) -> tuple:
        """The tensor of all slices, and the dimension along which they lie."""
        return self._given or (self._whole, 0)

    dims = property(lambda self: len(self._array.shape), doc="The dimensions of a slice.")


Batched.__name__ = Batched.__qualname__ = "Tensor"


class Escaped(Batched):
    """A slice that a program still has when its level is over: it shows itself, and takes part in nothing."""

    @classmethod
    def __torch_function__(cls, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.__name__
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", name)
        own = isinstance(args[0], Escaped) if args else False
        if own and name in SHOWN:
            return SHOWN[name](*args, **(kwargs or {}))
        if own and name in PLAIN:
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        raise RuntimeError(MEMORY if name in ("tolist", "numpy", "data_ptr") else ESCAPED)


Escaped.__qualname__ = "Tensor"


class Own(Batched):
    """A slice as a rule is given it: of the level that the rule works for, and of no other."""


def whole(x: Any) -> Any:
    """The tensor of all slices, or what is the same for all."""
    return x._whole if isinstance(x, Own) else x


def wholes(tensors: Any) -> list | None:
    """Tensors of all slices, also of those that are the same for all; None where none of them is a slice."""
    size = next((len(x._whole) for x in tensors if isinstance(x, Own)), None)
    return None if size is None else [x._whole if isinstance(x, Own) else x.expand(size, *x.shape) for x in tensors]


def base(x: Any) -> Any:
    """The tensor of all slices of all levels."""
    while isinstance(x, Batched):
        x = x._whole
    return x


def spoken(order: Any) -> str:
    """PyTorch's C++ name of an order of memory: ChannelsLast."""
    return "".join(part.title() for part in str(order).rpartition(".")[2].split("_"))


def masks(index: Any) -> bool:
    """Whether an index, or one of several, is a tensor of booleans."""
    if isinstance(index, Tensor):
        return index.dtype.short == "Bool"
    return type(index) in (tuple, list) and any(masks(each) for each in index)


def _text(x: Batched, *_: Any, **__: Any) -> str:
    within, whole = [], x
    while isinstance(whole, Batched):
        number, (whole, dim) = whole._level.number, whole.as_given()
        within.append((number, f"BatchedTensor(lvl={{}}, bdim={dim}, value=\n{{}}\n)"))
    within += [(depth, TRACKING) for number, depth in here.gradients if whole._born >= number]
    return nested(whole, within)


def _formatted(x: Batched, spec: str) -> str:
    if not x.dims:
        raise RuntimeError(NUMBER)
    return object.__format__(x, spec)


PLAIN = frozenset(
    """shape dtype ndim dim size numel nelement ndimension __len__ is_floating_point is_complex is_signed __hash__ is_quantized
    itemsize element_size nbytes layout is_sparse is_inference type names has_names is_mkldnn is_nested storage_offset stride""".split()
)
"""What a slice's own shape and dtype answer."""
SHOWN: dict[str, Callable] = {
    "__repr__": _text, "__str__": _text, "__format__": _formatted,
    **{name: lambda x, name=name: getattr(x._whole, name) for name in
    ("device", "requires_grad", "grad_fn", "is_leaf", "is_cuda", "is_cpu", "is_meta", "retains_grad", "_version", "output_nr")},
    **{name: lambda x, *args, name=name: getattr(x._whole, name)(*args) for name in
    ("get_device", "register_hook", "retain_grad", "is_conj", "is_neg")},
    "grad": lambda x: None if x._whole.grad is None else x._level.slice_of(x._whole.grad),
}  # fmt: skip
"""What the tensor of all slices answers for each."""
