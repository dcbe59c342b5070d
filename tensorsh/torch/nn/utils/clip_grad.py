"""Clipping of gradients by their norm or by value."""

from __future__ import annotations

from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from ....engine.arrays.errors import unmet
from ....engine.arrays.warning import warn
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ..reach import Functions, T

linalg = Functions("linalg.")


EMPTY = unmet("!nested_tensorlist[0].empty()")


def check_alike(tensors: list, foreach: bool | None, name: str) -> None:
    """Raises where some tensors lie in parts and others do not, which PyTorch's functions of lists refuse."""
    if foreach is not False and len({hasattr(t, "placements") for t in tensors}) > 1:
        raise RuntimeError(
            f"aten.{name}.Scalar got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling "
            "distributed operators!"
        )


def listed(parameters: Any) -> list:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


@no_grad()
def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of several tensors as if they were one vector: a tensor without dimensions.

    tensors: the tensors, gradients mostly. norm_type: the order, ``inf`` for the largest absolute value. error_if_nonfinite:
    RuntimeError where it is no finite number. foreach: accepted.

    >>> nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = listed(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return T.tensor(0.0)
    check_alike(tensors, foreach, "_foreach_norm")
    norms = [linalg.vector_norm(t, norm_type) for t in tensors]
    total = linalg.vector_norm(T.stack(norms), norm_type)
    if error_if_nonfinite and not bool(T.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """The gradients are scaled so that their norm, which is known, is at most `max_norm`, in place.

    parameters: a tensor, or several; those without a gradient are left out. max_norm: the bound. total_norm: what
    `get_total_norm` gave. foreach: accepted.

    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> nn.utils.clip_grads_with_norm_(w, 1.0, torch.tensor(5.0))
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    grads = [p.grad for p in listed(parameters) if p.grad is not None]
    max_norm = float(max_norm)
    if grads:
        factor = T.clamp(max_norm / (total_norm + 1e-6), max=1.0)
        for g in grads:
            g.mul_(factor)


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Gradients scaled, in place, by max_norm / (norm + 1e-6) where that is below 1, the norm being that of all
    gradients as one vector, which is returned (Pascanu, Mikolov and Bengio, 2012).
    parameters: a tensor or an iterable of tensors. max_norm: the bound. norm_type: order of the norm, also inf (2.0).
    error_if_nonfinite: RuntimeError for a norm that is nan or inf (False). foreach: accepted (None).
    >>> x = torch.zeros(2, requires_grad=True)
    >>> x.grad = torch.tensor([3.0, 4.0])
    >>> nn.utils.clip_grad_norm_([x], max_norm=1.0), x.grad
    (tensor(5.), tensor([0.6000, 0.8000]))"""
    generated = isinstance(parameters, GeneratorType)
    parameters = listed(parameters)
    if generated and not parameters:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    grads = [p.grad for p in parameters if p.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The old name of `clip_grad_norm_`."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning
    )
    return clip_grad_norm_(*args, **kwargs)


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Gradients cut off, in place, at plus and minus `clip_value`, element by element.
    parameters: a tensor or an iterable of tensors. clip_value: the bound. foreach: accepted (None).
    >>> x = torch.zeros(2, requires_grad=True)
    >>> x.grad = torch.tensor([3.0, -0.5])
    >>> nn.utils.clip_grad_value_([x], clip_value=1.0)
    >>> x.grad
    tensor([ 1.0000, -0.5000])"""
    clip_value = float(clip_value)
    grads = [p.grad for p in listed(parameters) if p.grad is not None]
    if not grads:
        raise RuntimeError(EMPTY)
    check_alike(grads, foreach, "_foreach_clamp_min_")
    for g in grads:
        g.clamp_(min=-clip_value, max=clip_value)


for _f in (get_total_norm, clip_grads_with_norm_, clip_grad_norm_, clip_grad_norm, clip_grad_value_):
    _f.__module__ = "torch.nn.utils.clip_grad"
