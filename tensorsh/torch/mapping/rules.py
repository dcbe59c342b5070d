"""The rules by which a call is made for all slices of a `vmap` at once: on tensors whose first dimension is that of the slices.

A rule takes the function and its arguments, an `Own` for each that is of the slices, and gives the results for all of them. A
call without a rule, or in a form that its rule leaves to the `Loop`, is made slice by slice (levels.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.loading.elementwise import elementwise, steps
from . import layer_rules as layers
from . import matrix_rules as matrices
from . import tensor_rules as tensors
from .tensor_rules import Loop

OVER_ALL = frozenset(
    "sum mean amax amin prod all any var std logsumexp nansum nanmean norm count_nonzero max min argmax argmin median".split()
)
"""Reductions, which also take all elements."""
ALONG = frozenset(
    "softmax log_softmax cumsum cumprod sort argsort topk flip roll unbind chunk split tensor_split narrow diff cummax cummin select unsqueeze softmin normalize logcumsumexp".split()
)
DRAWN = frozenset(
    """rand_like randn_like randint_like bernoulli bernoulli_ normal normal_ poisson uniform_ dropout dropout_ exponential_ geometric_
    cauchy_ log_normal_ random_ rrelu binomial
    _standard_gamma _sample_dirichlet _dirichlet""".split()
)
"""Functions that draw each element alike, in slices as in all of them."""


def made(level: Any, name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
    """A call for all slices."""
    name = name.removeprefix("linalg_")
    rule = RULES.get(name)
    if rule is not None:
        return rule(func, *args, **kwargs)
    if name in WRITES or name[-1] == "_" and name[:-1] in elementwise():
        return tensors.written(func, args, kwargs)
    if name in elementwise() or name in DRAWN or name in steps():
        return tensors.pointwise(func, args, kwargs)
    if name in OVER_ALL:
        return tensors.reduced(name, func, *args, **kwargs)
    if name in ALONG:
        return tensors.along(name, func, *args, **kwargs)
    if name in LIFTED:
        return LIFTED[name](level, func, *args, **kwargs)
    raise Loop


WRITES = frozenset(
    "__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ fill_ zero_ copy_ masked_fill_ requires_grad_ detach_".split()
)
"""Writes into a slice, element by element."""
CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
LIFTED: dict[str, Callable] = {
    **dict.fromkeys(CONVOLUTIONS, layers.filtered), "scaled_dot_product_attention": layers.attended, "index_select": tensors.chosen, "embedding": layers.embedded,
    **dict.fromkeys(("gather", "scatter", "scatter_add", "take_along_dim_"), tensors.at_places),
}  # fmt: skip
"""Rules that also take the level, which gives what is the same for all slices to each."""
RULES: dict[str, Callable] = {
    **dict.fromkeys(("matmul", "mm", "mv", "dot", "bmm", "inner", "__matmul__"), tensors.matmul), "linear": layers.linear,
    **dict.fromkeys(("layer_norm", "rms_norm"), layers.normalized), "batch_norm": layers.batch_normed, "group_norm": layers.group_normed, "unflatten": tensors.unflattened, "einsum": tensors.summed, "pad": tensors.padded,
    **dict.fromkeys(("view", "reshape"), tensors.shaped), "expand": tensors.expanded, "permute": tensors.permuted, "t": tensors.turned, "movedim": tensors.moved_dim, "moveaxis": tensors.moved_dim, "T": tensors.turned,
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), tensors.transposed), "flatten": tensors.flattened, "squeeze": tensors.squeezed, "repeat": tensors.repeated,
    "diagonal": tensors.diagonal, "unfold": tensors.unfolded, "as_strided": tensors.strided,
    "hsplit": tensors.cut(1), "vsplit": tensors.cut(0), "dsplit": tensors.cut(2), **dict.fromkeys(("view_as_real", "view_as_complex"), tensors.on_whole),
    **dict.fromkeys(("mH", "adjoint"), lambda func, input: input._whole.mH), "mT": lambda func, input: input._whole.mT, **dict.fromkeys(("cat", "concat", "stack", "concatenate"), tensors.joined),
    "__getitem__": tensors.indexed, "__setitem__": tensors.assigned, **dict.fromkeys(("mse_loss", "l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "smooth_l1_loss", "huber_loss"), layers.mean_loss),
    "cross_entropy": layers.cross_entropy, **{n: tensors.pairs(n) for n in ("max", "min")}, "view_as": tensors.like, "reshape_as": tensors.like,
    "expand_as": tensors.expanded_as,
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty"), tensors.fresh), "new_full": tensors.filled,
    **dict.fromkeys(("max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d", "adaptive_avg_pool2d"), layers.convolved),
    **dict.fromkeys(("inv", "det", "cholesky", "eigvalsh", "svdvals", "slogdet", "matrix_exp", "tril", "triu", "qr", "eigh", "eig", "eigvals", "svd", "pinv", "logdet", "inverse"), tensors.on_matrix),
    **dict.fromkeys("cpu data detach contiguous type requires_grad_ double".split(), tensors.on_whole),
    **matrices.RULES, "multinomial": tensors.drawn_rows, "__iter__": lambda func, input: iter(tensors.unbound(input)),
}  # fmt: skip
"""How a call is made for all slices, by its name: given the function and its arguments, an `Own` for each that is of the slices."""
