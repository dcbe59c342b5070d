"""PyTorch's operators below autograd, by their names: which of them a call of a public function is made of.

``x @ w`` of two matrices is ``aten.mm.default``, ``torch.softmax`` is ``aten._softmax.default``, ``torch.nn.functional.linear`` is
``aten.t.default`` and ``aten.addmm.default``. Who listens below autograd (dispatching.py) hears calls by these names.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ..engine.loading.table import find_function, find_method, find_operator
from ..engine.tensors.tensor import Tensor
from .aten_layers import LAYERS
from .private_sparse import SPARSE
from .root import torch as T  # noqa: N812

SILENT = frozenset(
    """requires_grad_ backward retain_grad register_hook size dim stride numel nelement is_contiguous data_ptr storage
    untyped_storage is_floating_point is_complex is_signed element_size type get_device __repr__ __format__ __len__ tolist numpy
    is_same_size storage_offset ndimension __get__ __contains__ __deepcopy__ __reduce_ex__ __array__ is_shared share_memory_
    broadcast_shapes can_cast result_type promote_types is_inference as_subclass is_nonzero register_post_accumulate_grad_hook
    is_sparse is_pinned has_names apply_ map_ is_conj is_neg is_tensor is_storage get_default_dtype tensor as_tensor
    from_numpy asarray broadcast_tensors requires_grad __hash__ type_as align_to names unflatten frombuffer""".split()
)
"""Functions that are no operators, or are made of others."""
MAKERS = frozenset(("tensor", "as_tensor", "from_numpy"))
"""Functions that make a tensor of numbers."""
SCALARS = frozenset("eq ne lt le gt ge remainder fmod bitwise_and bitwise_or bitwise_xor floor_divide".split())
"""Operators of two operands that have a form of their own for a number."""
TENSORS = frozenset("add sub mul div rsub true_divide subtract multiply divide lerp".split()) | SCALARS
SYMBOLS = {
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__invert__": "bitwise_not", "__eq__": "eq",
    "__floordiv__": "floor_divide", "__rsub__": "rsub", "__rtruediv__": "reciprocal", "subtract": "sub", "multiply": "mul",
    "divide": "div", "true_divide": "div", "absolute": "abs", "negative": "neg", "greater": "gt", "less": "lt", "not_equal": "ne",
    "concat": "cat", "concatenate": "cat", "swapaxes": "transpose", "swapdims": "transpose",
    "softmax": "_softmax", "log_softmax": "_log_softmax", "bool": "to", "float": "to", "double": "to",
    "half": "to", "bfloat16": "to", "long": "to", "int": "to", "cpu": "to", "cuda": "to", "clip": "clamp", "__iadd__": "add_",
    "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__pow__": "pow", "layer_norm": "native_layer_norm",
    "group_norm": "native_group_norm", "max_pool2d": "max_pool2d_with_indices", "conv1d": "convolution", "conv2d": "convolution",
    "conv3d": "convolution", "arctan": "atan", "arcsin": "asin", "arccos": "acos", "fix": "trunc",
    "_pow_number": "pow", "_pow_tensor": "pow", "_convolution_backward": "convolution_backward",
    "_attention_backward": "_scaled_dot_product_flash_attention_for_cpu_backward",
}  # fmt: skip
"""Functions by the operator that they are."""
BY_DIM = {
    "sum": ("default", "dim_IntList"), "mean": ("default", "dim"), "prod": ("default", "dim_int"), "max": ("default", "dim"),
    "min": ("default", "dim"), "any": ("default", "dim"), "all": ("default", "dim"), "median": ("default", "dim"),
    "squeeze": ("default", "dim"), "nansum": ("default", "default"),
}  # fmt: skip
"""Reductions: the form of all elements, and that along a dimension."""
FORMS = {
    "transpose": "int", "select": "int", "slice": "Tensor", "unbind": "int", "var": "correction", "std": "correction",
    "split": "Tensor", "index": "Tensor", "ones": "default", "empty": "memory_format", "flip": "default", "tile": "default",
    "fill_": "Scalar", "repeat_interleave": "self_int", "scatter_add": "default", "nan_to_num": "default", "diagonal": "default",
    "var_mean": "correction", "std_mean": "correction",
}  # fmt: skip
"""Operators whose usual form has a name."""


def overload(name: str, args: tuple, kwargs: dict) -> str:
    """The name of the form of an operator that a call is."""
    found = form(name, args, kwargs)
    if kwargs.get("out") is None:
        return found
    return "out" if found in ("default", "Tensor") else f"{found.removeprefix('dim_')}_out"


def form(name: str, args: tuple, kwargs: dict) -> str:
    """The name of the form, without that it writes into a tensor."""
    plain = name[:-1] if name[-1:] == "_" and name[:1] != "_" else name
    second = args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("exponent", kwargs.get("value")))
    if plain == "pow":
        if not isinstance(args[0], Tensor):
            return "Scalar"
        return "Tensor_Tensor" if isinstance(second, Tensor) else "Tensor_Scalar"
    if plain in SCALARS:
        return "Tensor" if isinstance(second, Tensor) else "Scalar" if plain != "floor_divide" else "default"
    if plain == "rsub":
        return "Scalar"
    if plain in TENSORS:
        return "Tensor" if plain != "lerp" or isinstance(args[2], Tensor) else "Scalar"
    if plain in ("max", "min") and isinstance(second, Tensor):
        return "other"
    if plain == "split" and isinstance(second, (list, tuple)):
        return "sizes"
    if plain in BY_DIM:
        by = second is not None or "dim" in kwargs
        form = BY_DIM[plain][by]
        listed = isinstance(second if second is not None else kwargs.get("dim"), (list, tuple))
        return "dims" if plain in ("any", "all", "squeeze") and by and listed else form
    if plain == "masked_fill":
        return "Tensor" if isinstance(args[2] if len(args) > 2 else second, Tensor) else "Scalar"
    if plain == "where":
        kinds = ["" if isinstance(x, Tensor) else "Scalar" for x in args[1:3]]
        return {"": "self", "Scalar": "Scalar"}.get(
            kinds[0] if kinds[0] == kinds[1] else "mixed", "ScalarOther" if kinds[1] else "ScalarSelf"
        )
    if plain == "clamp":
        return "Tensor" if any(isinstance(x, Tensor) for x in (*args[1:], *kwargs.values())) else "default"
    if plain == "scatter":
        return "src" if isinstance(args[3] if len(args) > 3 else kwargs.get("src"), Tensor) else "value"
    if name == "fill_" and isinstance(second, Tensor):
        return "Tensor"
    if plain == "arange":
        return ("default", "default", "start", "start_step")[min(len(args), 3)]
    if plain == "view" and type(second or kwargs.get("dtype")).__name__ == "dtype":
        return "dtype"
    if plain == "set":
        return "source_Tensor" if isinstance(second, Tensor) else "source_Storage" if len(args) == 2 else "default"
    if plain in ("normal", "uniform", "bernoulli") and name[-1:] == "_":
        return "default" if plain != "bernoulli" else "float"
    return FORMS.get(name, "default")


def _sized(size: tuple) -> tuple:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)


def linear(call: Callable, input: Any, weight: Any, bias: Any = None) -> Any:
    if bias is None or input.dim() != 2 and not input.is_contiguous():
        found = matmul(call, input, call("t", weight))
        return found if bias is None else call("add", found, bias)
    flat = input if input.dim() == 2 else reshape(call, input, -1 if input.numel() else 0, input.shape[-1])
    found = call("addmm", bias, flat, call("t", weight))
    return found if input.dim() == 2 else call("view", found, [*input.shape[:-1], weight.shape[0]])


def matmul(call: Callable, input: Any, other: Any) -> Any:
    a, b = input.dim(), other.dim()
    if a < 3 and b < 3:
        if a == 1 and b == 2:
            return call("squeeze", call("mm", call("unsqueeze", input, 0), other), 0)
        return call({(1, 1): "dot", (2, 1): "mv", (2, 2): "mm"}[a, b], input, other)
    if b <= 2:
        flat = reshape(call, input, -1 if input.numel() else 0, input.shape[-1])
        if b == 1:
            return call("view", call("mv", flat, other), list(input.shape[:-1]))
        return call("_unsafe_view", call("mm", flat, other), [*input.shape[:-1], other.shape[1]])
    if a < 3 or input.shape[:-2] != other.shape[:-2]:
        return call("matmul", input, other)
    if a == 3:
        return call("bmm", input, other)
    batch = input.shape[:-2]
    left = reshape(call, call("expand", input, list(input.shape)), -1, *input.shape[-2:])
    right = reshape(call, call("expand", other, list(other.shape)), -1, *other.shape[-2:])
    return call("view", call("bmm", left, right), [*batch, input.shape[-2], other.shape[-1]])


def softmax(name: str) -> Callable:
    def of(call: Callable, input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Any:
        return call(name, input if dtype is None else input.to(dtype), input.dim() - 1 if dim is None else dim, False)

    return of


def cross_entropy(
    call: Callable, input: Any, target: Any, weight: Any = None, *args: Any, reduction: str = "mean", **more: Any
) -> Any:
    if args or more or weight is not None or input.dim() != 2 or target.dtype.is_floating_point:
        return call("cross_entropy_loss", input, target, weight, *args, reduction=reduction, **more)
    logs = call("_log_softmax", input, 1, False)
    return call("nll_loss_forward", logs, target, None, {"none": 0, "mean": 1, "sum": 2}[reduction], -100)[0]


def layer_norm(
    call: Callable, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any
) -> Any:
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    return call("native_layer_norm", input, shape, weight, bias, eps)[0]


def convolution(rank: int) -> Callable:
    def of(
        call: Callable, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        stride, padding, dilation = (
            [n] * rank if isinstance(n, int) else n if isinstance(n, str) else list(n)
            for n in (stride, padding, dilation)
        )
        return single(rank, call, input, weight, bias, stride, padding, dilation, False, [0] * rank, groups)

    return of


def transposed(rank: int) -> Callable:
    def of(
        call: Callable, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, dilation: Any = 1,
    ) -> Any:  # fmt: skip
        stride, padding, output_padding, dilation = (
            [n] * rank if isinstance(n, int) else list(n) for n in (stride, padding, output_padding, dilation)
        )
        return single(rank, call, input, weight, bias, stride, padding, dilation, True, output_padding, groups)

    return of


def single(rank: int, call: Callable, input: Any, *more: Any) -> Any:
    """A convolution; of one image, as of a batch of one."""
    if input.dim() != rank + 1:
        return call("convolution", input, *more)
    return call("squeeze", call("convolution", call("unsqueeze", input, 0), *more), 0)


def einsum(call: Callable, equation: str, *operands: Any) -> Any:
    """A sum of products of two tensors is a product of batches of matrices."""
    many = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    terms, arrow, into = equation.replace(" ", "").partition("->")
    names = terms.split(",")
    plain = arrow and len(many) == len(names) == 2 and all(len(set(x)) == len(x) for x in (*names, into))
    if not plain or not set(into) <= set("".join(names)) or "." in equation:
        return call("einsum", equation, *operands)
    (a, b), (x, y) = names, many
    sizes = dict(zip(a, x.shape, strict=True)) | dict(zip(b, y.shape, strict=True))
    both, left, right = (
        [n for n in u if n in into and (n in v) == on] for u, v, on in ((a, b, 1), (a, b, 0), (b, a, 0))
    )
    inner = [n for n in a if n in b and n not in into]
    if not inner or any(n not in into and n not in inner for n in a + b):
        return call("einsum", equation, *operands)
    length = lambda some: prod(sizes[n] for n in some)  # noqa: E731
    x = reshape(
        call, call("permute", x, [a.index(n) for n in (*both, *left, *inner)]), *map(length, (both, left, inner))
    )
    y = reshape(
        call, call("permute", y, [b.index(n) for n in (*both, *inner, *right)]), *map(length, (both, inner, right))
    )
    order = [*both, *left, *right]
    found = call("view", call("bmm", x, y), [sizes[n] for n in order])
    return call("permute", found, [order.index(n) for n in into])


def getitem(call: Callable, self: Any, index: Any) -> Any:
    dim, found = 0, self
    each = index if type(index) is tuple else (index,)
    if any(isinstance(i, (Tensor, list)) or i is ... or isinstance(i, bool) for i in each):
        places: list = []
        for i in each:
            if not isinstance(i, Tensor) and i != slice(None):
                return call("index", self, list(each))
            places.append(i if isinstance(i, Tensor) else None)
        return call("index", self, places)
    for i in each:
        if i is None:
            found, dim = call("unsqueeze", found, dim), dim + 1
        elif isinstance(i, slice):
            if i != slice(None):
                start, stop = i.start or 0, (1 << 63) - 1 if i.stop is None else i.stop
                found = call("slice", found, dim, start, stop, *([i.step] if i.step not in (None, 1) else []))
            dim += 1
        else:
            found = call("select", found, dim, int(i))
    return found


def reshape(call: Callable, self: Any, *shape: Any) -> Any:
    wanted = list(_sized(shape))
    return (
        call("view", self, wanted)
        if self.is_contiguous()
        else call("_unsafe_view", call("clone", self, memory_format=T.contiguous_format), wanted)
    )


def flatten(call: Callable, self: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    start, end = start_dim % max(self.dim(), 1), end_dim % max(self.dim(), 1)
    if start == end:
        return self
    shape = self.shape
    return reshape(call, self, [*shape[:start], -1, *shape[end + 1 :]])


def to(call: Callable, self: Any, *args: Any, **kwargs: Any) -> Any:
    options: dict = {k: v for k, v in kwargs.items() if k in ("dtype", "device")}
    for each in args:
        if isinstance(each, Tensor):
            options |= {"dtype": each.dtype, "device": each.device}
        elif type(each).__name__ == "dtype":
            options["dtype"] = each
        elif not isinstance(each, bool):
            options["device"] = each
    same = options.get("dtype") in (None, self.dtype) and str(options.get("device") or self.device) == str(self.device)
    return self if same and not kwargs.get("copy") else call("_to_copy", self, **options)


def copied(call: Callable, self: Any, dtype: Any = None, device: Any = None, *_: Any, **__: Any) -> Any:
    """The step of the engine that makes a tensor of another dtype or on another device."""
    return to(call, self, dtype=dtype or self.dtype, **({} if device is None else {"device": device}))


def dtyped(name: str) -> Callable:
    """A method that has the name of a dtype."""
    kind = {"char": "int8", "byte": "uint8"}.get(name, name)
    return lambda call, self, *_, **__: to(call, self, dtype=getattr(T, kind))


def movedim(call: Callable, input: Any, source: Any, destination: Any) -> Any:
    count = input.dim()
    pairs = [(source, destination)] if isinstance(source, int) else zip(source, destination, strict=True)
    places = {b % count: a % count for a, b in pairs}
    rest = iter([i for i in range(count) if i not in places.values()])
    return call("permute", input, [places[i] if i in places else next(rest) for i in range(count)])


def contiguous(call: Callable, self: Any, memory_format: Any = T.contiguous_format) -> Any:
    return self if self.is_contiguous(memory_format=memory_format) else call("clone", self, memory_format=memory_format)


def item(call: Callable, self: Any, *_: Any) -> Any:
    return call("_local_scalar_dense", self)


def chunk(call: Callable, input: Any, chunks: int, dim: int = 0) -> Any:
    return call("split", input, -(-input.shape[dim] // chunks), *([dim] if dim else []))


def attention(
    call: Callable, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, **more: Any,
) -> Any:  # fmt: skip
    if dropout_p or query.dim() != 4:  # made of products of matrices
        return find_operator("nn.functional.scaled_dot_product_attention").function(
            query, key, value, attn_mask, dropout_p, is_causal, **more
        )
    options = {"attn_mask": attn_mask} if attn_mask is not None else {}
    return call(
        "_scaled_dot_product_flash_attention_for_cpu", query, key, value, dropout_p, is_causal, **options, **more
    )[0]


def embedding(call: Callable, input: Any, weight: Any, padding_idx: Any = None, *_: Any, **__: Any) -> Any:
    return call("embedding", weight, input, *([] if padding_idx is None else [padding_idx]))


def drawn(name: str) -> Callable:
    return lambda call, *args, **kwargs: call(name, list(_sized(args)) if args else kwargs.pop("size"), **kwargs)


def viewed(name: str) -> Callable:
    def of(call: Callable, self: Any, *size: Any, **named: Any) -> Any:
        if len(size) == 1 and type(size[0]).__name__ == "dtype" or "dtype" in named:
            return call(name, self, *size, **named)
        return call(name, self, *([list(_sized(size))] if size else ()), **named)

    return of


def reduced(name: str) -> Callable:
    def of(call: Callable, input: Any, dim: Any = None, *args: Any, **kwargs: Any) -> Any:
        if dim is None:
            return call(name, input, *([] if not args else [None, *args]), **kwargs)
        if not kwargs.get("keepdim", True):
            del kwargs["keepdim"]  # as it is by default
        return call(name, input, [dim] if isinstance(dim, int) else list(dim), *args, **kwargs)

    return of


EXPANSIONS: dict[str, Callable] = {
    "linear": linear, "matmul": matmul, "__matmul__": matmul, "softmax": softmax("_softmax"), "log_softmax": softmax("_log_softmax"),
    "cross_entropy": cross_entropy, "layer_norm": layer_norm, "conv1d": convolution(1), "conv2d": convolution(2),
    "conv3d": convolution(3), **{f"conv_transpose{n}d": transposed(n) for n in (1, 2, 3)}, "einsum": einsum, "__getitem__": getitem, "reshape": reshape, "flatten": flatten, "movedim": movedim, "moveaxis": movedim, "to": to, "_to_copy": copied, "contiguous": contiguous,
    "item": item, "__bool__": item, "__float__": item, "__int__": item, "__index__": item, "chunk": chunk, "embedding": embedding,
    "scaled_dot_product_attention": attention, "view": viewed("view"), "expand": viewed("expand"), "permute": viewed("permute"),
    "repeat": viewed("repeat"), "view_as": lambda call, self, other: call("view", self, list(other.shape)),
    "expand_as": lambda call, self, other: call("expand", self, list(other.shape)),
    "reshape_as": lambda call, self, other: reshape(call, self, list(other.shape)),
    "__iter__": lambda call, self: iter(call("unbind", self)), "dropout": lambda call, input, p=0.5, training=True, inplace=False: (
        call("native_dropout", input, p, training)[0] if training and p else input
    ),
    **{name: dtyped(name) for name in "float double half bfloat16 long int short char byte bool cfloat cdouble".split()},
    **{name: drawn(name) for name in ("ones", "zeros", "rand", "randn", "empty")},
    "T": lambda call, self: call("permute", self, [*range(self.dim())][::-1]),
    "narrow": lambda call, input, dim, start, length: call("slice", input, dim, int(start), int(start) + length),
    "mT": lambda call, self: call("transpose", self, -2, -1),
    "data": lambda call, self: call("detach", self),
    **{name: reduced(name) for name in ("sum", "mean", "amax", "amin")},
    "__rtruediv__": lambda call, self, other: call("mul", call("reciprocal", self), other),
}  # fmt: skip
"""Functions that are several operators, or one with other arguments: each is given what calls an operator by its name."""


def _f(name: str) -> Any:
    return find_function("nn.functional." + name) or find_function(name) or find_method(name)


def _filled(found: Any, count: int) -> tuple:
    return (found, *[found.detach() for _ in range(count)])


KERNELS: dict[str, Callable] = {
    "_softmax": lambda x, dim, half=False: _f("softmax")(x, dim),
    "_log_softmax": lambda x, dim, half=False: _f("log_softmax")(x, dim),
    "_unsafe_view": lambda x, size: find_method("reshape")(x, size),
    "_to_copy": lambda x, **options: find_method("to")(x, options.get("device", x.device), options.get("dtype", x.dtype), copy=True),
    "_local_scalar_dense": lambda x: find_method("item")(x),
    "native_layer_norm": lambda x, shape, w, b, eps: (
        _f("layer_norm")(x, shape, w, b, eps),
        x.mean([-i - 1 for i in range(len(shape))], keepdim=True),
        (x.var([-i - 1 for i in range(len(shape))], keepdim=True, unbiased=False) + eps).rsqrt(),
    ),
    "convolution": lambda x, w, b, stride, padding, dilation, transposed, output_padding, groups: (
        _f(f"conv_transpose{len(stride)}d")(x, w, b, stride, padding, output_padding, groups, dilation)
        if transposed
        else _f(f"conv{len(stride)}d")(x, w, b, stride, padding, dilation, groups)
    ),
    "convolution_backward": lambda *args: _f("_convolution_backward")(*args),
    "_scaled_dot_product_flash_attention_for_cpu_backward": lambda *args, **more: _f("_attention_backward")(*args, **more),
    "index": lambda x, places: x[tuple(slice(None) if i is None else i for i in places)],
    "slice": lambda x, dim=0, start=None, end=None, step=1: x[(*[slice(None)] * (dim % x.dim()), slice(start, end, step))],
    "nll_loss_forward": lambda x, target, weight, reduction, ignore: _filled(
        _f("nll_loss")(x, target, weight, ignore_index=ignore, reduction=("none", "mean", "sum")[reduction]), 1
    ),
    "cross_entropy_loss": lambda *args, **kwargs: _f("cross_entropy")(*args, **kwargs),
    "embedding": lambda weight, input, padding_idx=-1, *_: _f("embedding")(input, weight, None if padding_idx < 0 else padding_idx),
    "_scaled_dot_product_flash_attention_for_cpu": lambda q, k, v, p=0.0, causal=False, **more: _filled(
        _f("scaled_dot_product_attention")(q, k, v, dropout_p=p, is_causal=causal, **more), 1
    ),
    "native_dropout": lambda x, p, train: _filled(_f("dropout")(x, p, train), 1),
    "_reshape_alias_copy": lambda x, size, stride: x.as_strided(size, stride, x.storage_offset()).clone(),
    "lift_fresh": lambda x: x,
    "lift_fresh_copy": lambda x: x.clone(),
    "alias": lambda x: x.detach() if x._node is None else x.view_as(x),
} | SPARSE | LAYERS  # fmt: skip
"""Operators that no public function is, in terms of those."""
