"""All slices of a `vmap` computed at once: the calls that two slices made are made again, on tensors of all slices.

A mapped function cannot branch on a slice (batched.py refuses it), so that all slices make the same calls. Each call has a rule
that says how it is made where the first dimension is that of the slices; a call without a rule, a tensor that came by no call
(a gradient), a write in place, and numbers that differ from those of the two slices leave the work to the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.loading.table import find_function
from ..engine.operators.torch_function import DisableTorchFunction
from ..engine.tensors.tensor import Tensor

POINTWISE = frozenset(
    """abs absolute acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or
    bitwise_xor ceil clamp clip clone conj contiguous copysign cos cosh deg2rad detach digamma div divide double elu eq erf erfc
    erfinv exp exp2 expm1 float float_power floor floor_divide fmax fmin fmod frac ge gelu gt half hardsigmoid hardswish
    hardtanh heaviside hypot i0 int isfinite isinf isnan le leaky_relu lerp lgamma log log10 log1p log2 logaddexp logaddexp2
    logical_and logical_not logical_or logical_xor logit logsigmoid long lt masked_fill maximum minimum mish mul multiply
    nan_to_num ne neg negative ones_like positive pow rad2deg real imag reciprocal relu relu6 remainder round rsqrt rsub selu
    sgn sigmoid sign signbit silu sin sinc sinh softplus softsign special_expit sqrt square sub subtract tan tanh
    tanhshrink to true_divide trunc type_as where xlogy zeros_like __rsub__ __rdiv__ __rtruediv__ __rpow__ __and__ __or__ __xor__
    __invert__ __floordiv__ bfloat16 bool""".split()
)
OVER_ALL = frozenset(
    "sum mean amax amin prod all any var std logsumexp nansum nanmean norm count_nonzero max min argmax argmin median".split()
)
"""Reductions, which also take all elements."""
FLAT = frozenset("max min argmax argmin prod median".split())
"""Those that take one dimension at a time."""
ALONG = frozenset(
    "softmax log_softmax cumsum cumprod sort argsort topk flip roll unbind chunk split narrow diff cummax cummin select unsqueeze softmin normalize logcumsumexp".split()
)
DIM_AT = {"select": 1, "narrow": 1, "topk": 2, "split": 2, "chunk": 2, "flip": 1, "roll": 2, "diff": 2, "normalize": 2}
"""The place of the dimension among the arguments; 1 for the others."""


class Loop(Exception):
    """This is to be computed slice by slice."""


class Slot:
    """A tensor of all slices; the first dimension is theirs."""

    __slots__ = ("whole",)

    def __init__(self, whole: Tensor) -> None:
        self.whole = whole

    @property
    def dims(self) -> int:
        """The dimensions of a slice."""
        return self.whole.dim() - 1


def at_once(traces: list, moved: list[Tensor], columns: list[list]) -> list | None:
    """The results for all slices; None where the loop has to compute them."""
    first, second = traces
    if len(first.steps) != len(second.steps) or len(first.slices) != len(moved):
        return None
    whole = [Slot(x) for x in moved]
    slots = [{id(a): x for a, x in zip(t.slices, whole, strict=True)} for t in traces]
    try:
        for one, two in zip(first.steps, second.steps, strict=True):
            if not _tensors(one[3]):
                continue
            if one[0] is not two[0] and one[0] != two[0]:
                return None
            args = tuple(_met(a, b, slots, traces) for a, b in zip(one[1], two[1], strict=True))
            if one[2].keys() != two[2].keys():
                return None
            kwargs = {k: _met(v, two[2][k], slots, traces) for k, v in one[2].items()}
            found = made(one[0], args, kwargs)
            _kept(one[3], two[3], found, slots)
        results = []
        for a, b in zip(*columns, strict=True):
            slot = slots[0].get(id(a))
            if slot is None or slots[1].get(id(b)) is not slot:
                return None
            results.append(slot.whole)
            for at, each in enumerate((a, b)):
                if not _alike(slot.whole[at], each):
                    return None
        return results
    except (Loop, RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError):
        return None


def _tensors(value: Any) -> bool:
    return isinstance(value, Tensor) or isinstance(value, (tuple, list)) and any(map(_tensors, value))


def _met(a: Any, b: Any, slots: list[dict], traces: list) -> Any:
    """An argument of both slices' calls: the tensor of all slices, or what they have in common."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        slot = slots[0].get(id(a))
        if slot is not None:
            if slots[1].get(id(b)) is slot:
                return slot
        elif a is b or id(a) in traces[0].constants and id(b) in traces[1].constants:
            return a
        raise Loop
    if type(a) is not type(b):
        raise Loop
    if type(a) in (tuple, list):
        if len(a) != len(b):
            raise Loop
        return type(a)(_met(x, y, slots, traces) for x, y in zip(a, b, strict=True))
    if (
        a is b
        or isinstance(a, (int, float, complex, str, slice, type(None)))
        and a == b
        or type(a).__name__ == "Size"
        and a == b
    ):
        return a
    raise Loop


def _kept(a: Any, b: Any, found: Any, slots: list[dict]) -> None:
    """Note what both slices' results are, of all slices."""
    if isinstance(a, Tensor):
        if not isinstance(found, Tensor) or found.shape[1:] != a.shape or found.dtype is not a.dtype:
            raise Loop
        slots[0][id(a)] = slots[1][id(b)] = Slot(found)
    elif isinstance(a, (tuple, list)):
        for x, y, z in zip(a, b, found, strict=True):
            _kept(x, y, z, slots)


def _alike(a: Tensor, b: Tensor) -> bool:
    """Whether numbers are those of a slice, to their last digits."""
    with DisableTorchFunction():
        return _equal(a.detach(), b.detach())


def _equal(x: Tensor, y: Tensor) -> bool:
    if x.shape != y.shape or x.dtype is not y.dtype:
        return False
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        return bool((x == y).all())
    wide = find_function("complex128") if x.dtype.is_complex else find_function("float64")
    left, right = (t.to(wide).numpy() if wide is not None else t.numpy() for t in (x, y))
    rough = 1e-2 if x.dtype.itemsize == 2 else 1e-4
    return bool(np.allclose(left, right, rough, rough, equal_nan=True))


def made(func: Any, args: tuple, kwargs: dict) -> Any:
    """A call for all slices."""
    name = func.__name__
    if name == "__get__":
        name = getattr(getattr(func, "__self__", None), "__name__", name)
    rule = RULES.get(name)
    if rule is not None:
        return rule(func, *args, **kwargs)
    if name in POINTWISE:
        return pointwise(func, args, kwargs)
    if name in OVER_ALL:
        return reduced(name, func, *args, **kwargs)
    if name in ALONG:
        return along(name, func, *args, **kwargs)
    raise Loop


def _plain(*values: Any) -> None:
    """Leave to the loop what is of all slices where no rule expects it."""
    for each in values:
        if isinstance(each, Slot) or type(each) in (tuple, list) and any(isinstance(x, Slot) for x in each):
            raise Loop


def pointwise(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Elementwise: dimensions are aligned from behind, so that each slice has as many as the largest."""
    every = [x for x in (*args, *kwargs.values()) if isinstance(x, (Slot, Tensor))]
    dims = max(x.dims if isinstance(x, Slot) else x.dim() for x in every)

    def aligned(x: Any) -> Any:
        if not isinstance(x, Slot):
            _plain(x)
            return x
        missing = dims - x.dims
        shape = x.whole.shape
        return x.whole.reshape(shape[0], *[1] * missing, *shape[1:]) if missing else x.whole

    return func(*map(aligned, args), **{k: aligned(v) for k, v in kwargs.items()})


def _dim(dim: int, dims: int) -> int:
    if not -max(dims, 1) <= dim < max(dims, 1):
        raise Loop
    return dim % max(dims, 1) + 1


def reduced(name: str, func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A reduction of each slice."""
    _plain(*args, *kwargs.values())
    if not isinstance(input, Slot):
        raise Loop
    x, at = input.whole, 1 if name == "norm" else 0
    dim = args[at] if len(args) > at else kwargs.pop("dim", None)
    if input.dims == 0:
        x = x.reshape(-1, 1)
    if dim is None:
        if name in FLAT:
            found = func(x.flatten(1), *args, dim=1, **kwargs)
            return found[0] if isinstance(found, tuple) else found
        dim = list(range(1, x.dim()))
    else:
        dim = [_dim(d, input.dims) for d in dim] if isinstance(dim, (tuple, list)) else _dim(dim, input.dims)
    rest = args[at + 1 :]
    return func(x, *args[:at], dim, *rest, **kwargs) if args[:at] or name != "norm" else func(x, dim=dim, **kwargs)


def along(name: str, func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What is done along one dimension of each slice."""
    _plain(*args, *kwargs.values())
    if not isinstance(input, Slot) or input.dims == 0 and name != "unsqueeze":
        raise Loop
    at = DIM_AT.get(name, 1) - 1
    default = {
        "sort": -1,
        "argsort": -1,
        "topk": -1,
        "diff": -1,
        "normalize": 1,
        "unbind": 0,
        "chunk": 0,
        "split": 0,
    }.get(name)
    given = list(args)
    dim = given[at] if len(given) > at else kwargs.pop("dim", default)
    if dim is None:
        raise Loop
    dims = input.dims + (name == "unsqueeze")
    shifted = [_dim(d, dims) for d in dim] if isinstance(dim, (tuple, list)) else _dim(dim, dims)
    if len(given) > at:
        given[at] = shifted
        return func(input.whole, *given, **kwargs)
    return func(input.whole, *given, dim=shifted, **kwargs)


def matmul(func: Callable, input: Any, other: Any) -> Any:
    """A product of each slice's vectors and matrices."""
    product = find_function("matmul")
    if isinstance(input, Slot) and isinstance(other, Slot):
        a, b = input.whole, other.whole
        if input.dims < 3 and other.dims < 3:
            left = a.unsqueeze(1) if input.dims == 1 else a
            right = b.unsqueeze(2) if other.dims == 1 else b
            found = product(left, right)
            found = found.squeeze(2) if other.dims == 1 else found
            return found.squeeze(1) if input.dims == 1 else found
        raise Loop
    if isinstance(input, Slot):
        if other.dim() > 2:
            raise Loop
        return product(input.whole, other)
    if other.dims == 1:
        if input.dim() > 2:
            raise Loop
        return product(other.whole, input.mT if input.dim() == 2 else input)
    if input.dim() > 2 and input.dim() != other.whole.dim():
        raise Loop
    return product(input, other.whole)


def linear(func: Callable, input: Any, weight: Any, bias: Any = None) -> Any:
    """A linear layer: the input, its weight and bias, or all are of the slices."""
    if isinstance(input, Slot) and not isinstance(weight, Slot) and not isinstance(bias, Slot):
        return func(input.whole, weight, bias)
    if not isinstance(weight, Slot) or (input.dims if isinstance(input, Slot) else input.dim()) > 2:
        raise Loop
    found = matmul(func, input, Slot(weight.whole.mT))
    if bias is None:
        return found
    return pointwise(find_function("add"), (Slot(found), bias), {})


def rows(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """What works on the last dimensions of any tensor, with arguments of no slice."""
    _plain(*args, *kwargs.values())
    return func(input.whole, *args, **kwargs)


def shaped(func: Callable, input: Any, *size: Any, **kwargs: Any) -> Any:
    """Another shape of each slice."""
    _plain(*size)
    if kwargs:
        raise Loop
    wanted = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    if wanted and not all(isinstance(n, int) for n in wanted):
        raise Loop
    return input.whole.reshape(input.whole.shape[0], *wanted)


def expanded(func: Callable, input: Any, *size: Any) -> Any:
    """Each slice expanded."""
    _plain(*size)
    wanted = list(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else list(size)
    x = input.whole
    return x.reshape(x.shape[0], *[1] * (len(wanted) - input.dims), *x.shape[1:]).expand(-1, *wanted)


def permuted(func: Callable, input: Any, *dims: Any) -> Any:
    """The dimensions of each slice in another order."""
    order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return input.whole.permute(0, *[_dim(d, input.dims) for d in order])


def moved_dim(func: Callable, input: Any, source: int, destination: int) -> Any:
    """A dimension of each slice at another place."""
    return func(input.whole, _dim(source, input.dims), _dim(destination, input.dims))


def transposed(func: Callable, input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions of each slice exchanged."""
    return input.whole.transpose(_dim(dim0, input.dims), _dim(dim1, input.dims))


def turned(func: Callable, input: Any, *_: Any) -> Any:
    """The transpose of each slice."""
    return input.whole.permute(0, *range(input.dims, 0, -1))


def flattened(func: Callable, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions of each slice joined."""
    if input.dims == 0:
        return input.whole.reshape(-1, 1)
    return input.whole.flatten(_dim(start_dim, input.dims), _dim(end_dim, input.dims))


def squeezed(func: Callable, input: Any, dim: Any = None) -> Any:
    """Each slice without dimensions of size 1."""
    x = input.whole
    if dim is None:
        return x.reshape(x.shape[0], *[n for n in x.shape[1:] if n != 1])
    return x.squeeze(_dim(dim, input.dims)) if isinstance(dim, int) else x.squeeze([_dim(d, input.dims) for d in dim])


def joined(func: Callable, tensors: Any, dim: int = 0, **kwargs: Any) -> Any:
    """Slices joined or stacked."""
    size = next((x.whole.shape[0] for x in tensors if isinstance(x, Slot)), None)
    if size is None or kwargs:
        raise Loop
    many = [x.whole if isinstance(x, Slot) else x.expand(size, *x.shape) for x in tensors]
    dims = many[0].dim() - 1 + (func.__name__ == "stack")
    return func(many, _dim(dim, dims))


def indexed(func: Callable, input: Any, index: Any) -> Any:
    """A part of each slice: by numbers, ranges and new dimensions."""
    each = index if type(index) is tuple else (index,)
    if not isinstance(input, Slot) or any(isinstance(i, (Slot, Tensor, list, bool, np.ndarray)) for i in each):
        raise Loop
    return input.whole[(slice(None), *each)]


def mean_loss(name: str) -> Callable:
    def of(
        func: Callable,
        input: Any,
        target: Any,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        **more: Any,
    ) -> Any:
        """A loss of each slice."""
        if (
            size_average is not None
            or reduce is not None
            or more.get("weight") is not None
            or reduction not in ("mean", "sum", "none")
        ):
            raise Loop
        each = pointwise(func, (input, target), more | {"reduction": "none"})
        return each if reduction == "none" else reduced(reduction, find_function(reduction), Slot(each))

    of.__name__ = name
    return of


def cross_entropy(
    func: Callable, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
    reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """The cross entropy of each slice, where no class is ignored."""
    if (
        weight is not None
        or size_average is not None
        or reduce is not None
        or ignore_index >= 0
        or reduction not in ("mean", "sum", "none")
    ):
        raise Loop
    if (
        not isinstance(input, Slot)
        or not isinstance(target, Slot)
        or input.dims not in (1, 2)
        or target.dims != input.dims - 1
    ):
        raise Loop
    with DisableTorchFunction():
        if bool((target.whole < 0).any()):
            raise Loop
    x, y = input.whole, target.whole
    each = func(x.flatten(0, -2), y.flatten(), reduction="none", label_smoothing=label_smoothing).reshape(y.shape)
    return each if reduction == "none" or input.dims == 1 else reduced(reduction, find_function(reduction), Slot(each))


def convolved(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """A convolution or pooling with weights of no slice: all slices' images as one batch."""
    _plain(*args, *kwargs.values())
    x = input.whole
    rank = {"1d": 1, "2d": 2, "3d": 3}[func.__name__[-2:]]
    if input.dims != rank + 2:
        raise Loop
    found = func(x.flatten(0, 1), *args, **kwargs)
    return found.reshape(*x.shape[:2], *found.shape[1:])


def embedded(func: Callable, input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    """Rows of a table of no slice."""
    _plain(weight)
    return func(input.whole, weight, *args, **kwargs)


RULES: dict[str, Callable] = {
    **dict.fromkeys(("matmul", "mm", "mv", "dot", "bmm", "inner", "__matmul__"), matmul), "linear": linear, "layer_norm": rows,
    **dict.fromkeys(("view", "reshape"), shaped), "expand": expanded, "permute": permuted, "t": turned, "movedim": moved_dim, "moveaxis": moved_dim, "T": turned,
    "rms_norm": rows, **dict.fromkeys(("transpose", "swapaxes", "swapdims"), transposed), "flatten": flattened, "squeeze": squeezed,
    "mT": lambda func, input: input.whole.mT, **dict.fromkeys(("cat", "concat", "stack", "concatenate"), joined),
    "__getitem__": indexed, **{n: mean_loss(n) for n in ("mse_loss", "l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "smooth_l1_loss", "huber_loss")},
    "cross_entropy": cross_entropy, "embedding": embedded,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d", "adaptive_avg_pool2d"), convolved),
    **dict.fromkeys(("inv", "det", "solve_triangular", "cholesky", "eigvalsh", "svdvals", "slogdet", "matrix_exp", "trace_"), rows),
}  # fmt: skip
"""How a call is made for all slices, by its name: given the function and its arguments, a `Slot` for each that is of the slices."""
