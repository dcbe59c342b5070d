"""Names of ``torch.nn`` that modules of other libraries use. Plain Python's alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.ops.nn.multihead import canonical, dtype_of, projected
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from .. import init
from ..reach import F

_grad_t = tuple[Tensor, ...] | Tensor


def _addindent(s_: str, numSpaces: int) -> str:  # noqa: N803 - PyTorch's name
    """A text with all lines but the first moved right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def _no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Any = None) -> Tensor:
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Any = None) -> Tensor:
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_trunc_normal_(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any = None
) -> Tensor:
    return init.trunc_normal_(tensor, mean, std, a, b, generator)


def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    with no_grad():
        return tensor.fill_(val)


def _no_grad_zero_(tensor: Tensor) -> Tensor:
    with no_grad():
        return tensor.zero_()


def _reverse_repeat_tuple(t: tuple, n: int) -> tuple:
    """The parts of a padding, the last one first, each so many times: as `pad` takes them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """A size whose parts that are None are those of another one, at its end."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size) :], strict=True)]


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> Any:
    return projected(q, k, v, w, b)


def _in_projection(
    q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor,
    b_q: Tensor | None = None, b_k: Tensor | None = None, b_v: Tensor | None = None,
) -> Any:  # fmt: skip
    return F.linear(q, w_q, b_q), F.linear(k, w_k, b_k), F.linear(v, w_v, b_v)


def _none_or_dtype(input: Any) -> Any:  # noqa: A002
    return dtype_of(input)


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    return canonical(mask, mask_name, other_type, other_name, target_type, check_other)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension of a softmax that was given none."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """A tensor's slices in another order."""
    text = "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead"
    warn(text, FutureWarning)
    return tensor.index_select(dim, permutation)
