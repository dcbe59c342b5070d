"""The functions that a recorded function may call: each gives the same for the same operands, and shapes that shapes decide."""

from __future__ import annotations

import builtins
import math
from typing import Any

from ...engine.loading import table

ELEMENTWISE = """
    abs absolute acos acosh add asin asinh atan atan2 atanh ceil clamp clamp_max clamp_min cos cosh deg2rad div divide eq erf erfc
    exp exp2 expm1 floor fmod frac ge greater greater_equal gt hypot le lerp less less_equal log log10 log1p log2 logaddexp
    logical_and logical_not logical_or lt maximum minimum mul multiply ne neg negative not_equal pow reciprocal relu remainder
    round rsqrt rsub sigmoid sign sin sinc sinh sqrt square sub subtract tan tanh true_divide trunc where xlogy
"""
SHAPES = """
    broadcast_to cat chunk concat expand expand_as flatten flip movedim narrow permute ravel reshape reshape_as roll select split
    squeeze stack swapaxes t tile transpose tril triu unbind unflatten unsqueeze view view_as
"""
REDUCTIONS = """
    all amax amin any argmax argmin cumprod cumsum log_softmax logsumexp mean prod softmax std sum var
"""
PRODUCTS = "addbmm addcdiv addcmul addmm addmv baddbmm bmm dot inner matmul mm mv outer"
FUNCTIONAL = """
    avg_pool2d celu conv1d conv2d cross_entropy dropout elu embedding gelu hardsigmoid hardswish hardtanh layer_norm leaky_relu linear l1_loss log_softmax logsigmoid max_pool2d mish mse_loss nll_loss relu relu6 selu
    scaled_dot_product_attention sigmoid silu smooth_l1_loss softmax softplus softsign tanh
"""
METHODS = frozenset((ELEMENTWISE + SHAPES + REDUCTIONS + PRODUCTS).split()) - {
    "broadcast_to", "concat", "stack", "cat", "rsub",
} | {"double", "float", "contiguous", "clone", "detach"}  # fmt: skip
"""Methods of tensors that are recorded."""
SIZES = frozenset("dim numel size stride nelement ndimension is_contiguous is_floating_point element_size".split())
"""Methods whose answers the types and shapes of the arguments decide."""
FACTS = frozenset("shape ndim dtype itemsize nbytes".split())
"""Attributes of this kind."""
VIEWS = frozenset("T mT".split())
"""Attributes that are recorded."""
OPERATORS = """
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __pow__ __rpow__ __mod__ __matmul__ __neg__ __pos__
    __abs__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__ __floordiv__
""".split()
"""Python's operators that are recorded."""
MATH = frozenset("sqrt exp log pow sin cos tan tanh atan floor ceil pi e tau inf prod isqrt".split())
BUILTINS = {
    id(each): each
    for each in (
        range,
        len,
        zip,
        enumerate,
        float,
        int,
        bool,
        abs,
        min,
        max,
        sum,
        list,
        tuple,
        dict,
        reversed,
        round,
        builtins.all,
    )
}
"""Builtins that change nothing and ask tensors for nothing but what a recording can tell."""
ONE_TENSOR = frozenset((SHAPES + REDUCTIONS).split()) - set("cat concat stack expand_as reshape_as view_as".split())
"""Functions whose other arguments decide the result's shape: these are numbers, which are known."""
BEFORE_INPLACE = {
    "celu": 2, "dropout": 3, "elu": 2, "hardsigmoid": 1, "hardswish": 1, "hardtanh": 3, "leaky_relu": 2, "mish": 1, "relu": 1, "relu6": 1,
    "selu": 1, "silu": 1,
}  # fmt: skip
"""How many arguments may stand without a name before the one by which a function writes in place."""
_known: dict[int, tuple[str, Any]] = {}


def known() -> dict[int, tuple[str, Any]]:
    """The functions of torch, torch.nn.functional and math that are recorded, with their names, by their identity."""
    if not _known:
        found = [(name, table.find_function(name)) for name in (ELEMENTWISE + SHAPES + REDUCTIONS + PRODUCTS).split()]
        found += [(name, table.find_function("nn.functional." + name)) for name in FUNCTIONAL.split()]
        found += [(name, getattr(math, name)) for name in MATH if callable(getattr(math, name))]
        _known.update({id(function): (name, function) for name, function in found if function is not None})
    return _known


def allows(name: str, args: tuple, kwargs: dict, tensors: int, first: bool) -> bool:
    """Whether a call of a function is one that can be recorded: it writes nothing, and shapes alone decide the result's.
    tensors: how many are among the arguments; first: whether the first argument is one."""
    if name == "dropout" and (args[2] if len(args) > 2 else kwargs.get("training", True)):
        return False  # which draws
    if name == "scaled_dot_product_attention" and (args[4] if len(args) > 4 else kwargs.get("dropout_p", 0)):
        return False
    if name == "embedding" and any(
        [*args[3:4], *args[5:], *[kwargs.get(each) for each in ("max_norm", "sparse", "scale_grad_by_freq")]]
    ):
        return False  # which writes, or gives sparse gradients
    if "out" in kwargs or kwargs.get("inplace") or len(args) > BEFORE_INPLACE.get(name, 99):
        return False
    if name == "where" and len(args) != 3:
        return False
    return tensors == 0 or not (name in ONE_TENSOR or name == "__getitem__") or (tensors == 1 and first)
