"""The functions that a recorded function may call: each gives the same for the same operands, and shapes that shapes decide."""

from __future__ import annotations

import builtins
import math
from typing import Any

from ...engine.loading import table

ELEMENTWISE = frozenset(
    """
    abs absolute acos acosh add asin asinh atan atan2 atanh ceil clamp clamp_max clamp_min cos cosh deg2rad div divide eq erf erfc
    exp exp2 expm1 floor fmod frac ge greater greater_equal gt hypot le lerp less less_equal log log10 log1p log2 logaddexp
    logical_and logical_not logical_or lt masked_fill maximum minimum mul multiply nan_to_num ne neg negative not_equal pow reciprocal relu remainder
    round rsqrt rsub sigmoid sign sin sinc sinh sqrt square sub subtract tan tanh true_divide trunc where xlogy
    """.split()
)
SHAPES = frozenset(
    """
    broadcast_to cat chunk concat diagonal expand expand_as flatten flip full_like gather index_select movedim narrow ones_like permute ravel reshape reshape_as roll select split
    squeeze stack swapaxes t tile transpose tril triu unbind unflatten unsqueeze view view_as zeros_like
    """.split()
)
REDUCTIONS = frozenset(
    """
    all amax amin aminmax any argmax argmin argsort cummax cummin cumprod cumsum kthvalue log_softmax logsumexp max mean median min mode norm
    prod softmax sort std std_mean sum topk var var_mean
    """.split()
)
PRODUCTS = frozenset("addbmm addcdiv addcmul addmm addmv baddbmm bmm dot einsum inner matmul mm mv outer".split())
CREATION = frozenset("arange eye full linspace ones zeros".split())
"""Functions of numbers alone, whose results are new with each call."""
RANDOM = frozenset("rand rand_like randint randn randn_like randperm".split())
"""Functions that draw from the generator."""
MAKING = CREATION | RANDOM
"""Those whose results are tensors where no argument is one."""
FUNCTIONAL = frozenset(
    """
    adaptive_avg_pool2d avg_pool1d avg_pool2d batch_norm binary_cross_entropy_with_logits celu conv1d conv2d cosine_similarity cross_entropy dropout elu embedding gelu glu group_norm hardsigmoid hardswish hardtanh huber_loss layer_norm leaky_relu linear l1_loss log_softmax logsigmoid max_pool1d max_pool2d mish mse_loss nll_loss normalize pad prelu relu relu6 rms_norm selu
    scaled_dot_product_attention sigmoid silu smooth_l1_loss softmax softplus softsign tanh
    """.split()
)
RECURRENT = frozenset("lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell".split())
"""Whole recurrent networks, and a step of one."""
METHODS = (ELEMENTWISE | SHAPES | REDUCTIONS | PRODUCTS) - {
    "broadcast_to", "concat", "stack", "cat", "rsub", "einsum", "full_like", "ones_like", "zeros_like",
} | {"double", "float", "contiguous", "clone", "detach"}  # fmt: skip
"""Methods of tensors that are recorded."""
OVER = frozenset("copy_ fill_ zero_ index_add_ index_copy_ index_fill_ masked_scatter_ scatter_ scatter_add_".split())
"""Methods that write over a tensor and are recorded as such."""
SIZES = frozenset("dim numel size stride nelement ndimension is_contiguous is_floating_point element_size".split())
"""Methods whose answers the types and shapes of the arguments decide."""
FACTS = frozenset("shape ndim dtype device itemsize nbytes".split())
"""Attributes of this kind."""
VIEWS = frozenset("T mT".split())
"""Attributes that are recorded."""
OPERATORS = frozenset(
    """
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __pow__ __rpow__ __mod__ __matmul__ __neg__ __pos__
    __abs__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__ __floordiv__
    """.split()
)
"""Python's operators that are recorded."""
MATH = frozenset("sqrt exp log pow sin cos tan tanh atan floor ceil pi e tau inf prod isqrt".split())
BUILTINS = {
    id(each): each
    for each in (
        range, len, zip, enumerate, float, int, bool, abs, min, max, sum, list, tuple, dict, reversed, round,
        builtins.all, NotImplementedError, RuntimeError, TypeError, ValueError,
    )
}  # fmt: skip
"""Builtins that change nothing and ask tensors for nothing but what a recording can tell."""
ONE_TENSOR = (SHAPES | REDUCTIONS | {"pad"}) - set(
    "cat concat stack expand_as gather index_select max min reshape_as view_as".split()
)
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
        found = [
            (name, table.find_function(name))
            for name in sorted(ELEMENTWISE | SHAPES | REDUCTIONS | PRODUCTS | MAKING | RECURRENT)
        ]
        found += [(name, table.find_function("nn.functional." + name)) for name in sorted(FUNCTIONAL)]
        found += [(name, getattr(math, name)) for name in sorted(MATH) if callable(getattr(math, name))]
        _known.update({id(function): (name, function) for name, function in found if function is not None})
    return _known


def written_by(name: str, args: tuple, kwargs: dict) -> tuple[int, ...]:
    """The places of the arguments that a function writes over, where they stand without names."""
    training = args[5] if len(args) > 5 else kwargs.get("training", False)
    return (1, 2) if name == "batch_norm" and training and len(args) > 2 and args[1] is not None else ()


def draws(name: str, args: tuple, kwargs: dict) -> bool:
    """Whether a call of a function draws random numbers."""
    if name == "dropout":
        return bool(args[2] if len(args) > 2 else kwargs.get("training", True))
    if name == "scaled_dot_product_attention":
        return bool(args[4] if len(args) > 4 else kwargs.get("dropout_p", 0))
    if name in RECURRENT and len(args) > 6:
        return bool(args[5] and args[6])
    return name in RANDOM


def allows(name: str, args: tuple, kwargs: dict, tensors: int, first: bool) -> bool:
    """Whether a call of a function is one that can be recorded: it writes nothing, and shapes alone decide the result's.
    tensors: how many are among the arguments; first: whether the first argument is one."""
    if name == "embedding" and any(
        [*args[3:4], *args[5:], *[kwargs.get(each) for each in ("max_norm", "sparse", "scale_grad_by_freq")]]
    ):
        return False  # which writes, or gives sparse gradients
    if "out" in kwargs or kwargs.get("inplace"):
        return False
    if name == "batch_norm" and "running_mean" in kwargs:
        return False
    if any([each is not False for each in args[BEFORE_INPLACE.get(name, 99) :]]):
        return False
    if name == "where" and len(args) != 3:
        return False
    return tensors == 0 or not (name in ONE_TENSOR or name == "__getitem__") or (tensors == 1 and first)
