"""Names of ``torch.nn`` that modules of other libraries use. Plain Python's alone."""

from __future__ import annotations

from typing import Any

from ....engine.ops.nn.multihead import canonical, dtype_of
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from .. import init


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


def _reverse_repeat_tuple(t: tuple, n: int) -> tuple:
    """The parts of a padding, the last one first, each so many times: as `pad` takes them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _none_or_dtype(input: Any) -> Any:  # noqa: A002
    return dtype_of(input)


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    return canonical(mask, mask_name, other_type, other_name, target_type, check_other)
