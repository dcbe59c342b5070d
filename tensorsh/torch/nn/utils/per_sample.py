"""Gradients of each sample of a batch: a module called with parameters of their own for each, whose gradients the parameters keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.tensors.tensor import Tensor
from ....sandbox.wrapping import wraps
from ...func import functional_call, vmap
from ...utils._pytree import tree_flatten, tree_unflatten
from ..modules.module import Module

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable:
    """The module's forward, after which `backward` leaves in each parameter's `grad_sample` the gradients of all samples.

    module: called with batches. batch_size: None takes the first size of the tensors that it is called with. loss_reduction: "mean" if
    the loss is a mean over the batch, so that the gradients are those of each sample's own loss. batch_first: the batch is the first
    dimension, or the second. A module is called once for each sample, at the same time: what looks at the whole batch, such as batch
    normalization in training, does not fit.

    >>> model = torch.nn.Linear(4, 3)
    >>> call = call_for_per_sample_grads(model)
    >>> call(torch.ones(5, 4)).sum().backward()
    >>> model.weight.grad_sample.shape, model.weight.grad
    (torch.Size([5, 3, 4]), None)
    """
    check(module, batch_size, loss_reduction)
    dim = 0 if batch_first else 1

    @wraps(module.forward)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, form = tree_flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        count = batch_size if batch_size is not None else size_of(tensors, dim)
        batched = [leaf for leaf in tensors if leaf.ndim > dim and leaf.shape[dim] == count]
        own = {name: repeated(p, count, loss_reduction) for name, p in module.named_parameters() if p.requires_grad}

        def one(weights: dict, samples: list) -> Any:
            left = iter([sample.unsqueeze(dim) for sample in samples])
            given = [next(left) if any(leaf is b for b in batched) else leaf for leaf in leaves]
            inner_args, inner_kwargs = tree_unflatten(given, form)
            found, shape = tree_flatten(functional_call(module, weights, inner_args, inner_kwargs))
            return tree_unflatten(
                [f.squeeze(dim) if isinstance(f, Tensor) and f.ndim > dim else f for f in found], shape
            )

        return vmap(one, in_dims=(0, dim), out_dims=dim, randomness="different")(own, batched)

    return wrapper


def repeated(parameter: Any, count: int, reduction: str) -> Tensor:
    """A parameter for each sample; what comes of their gradients is kept by the parameter."""
    many = parameter.detach().expand(count, *parameter.shape).requires_grad_()

    def keep(gradient: Tensor) -> None:
        found = gradient * count if reduction == "mean" else gradient
        before = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = found if before is None else before + found

    many.register_hook(keep)
    return many


def size_of(tensors: list, dim: int) -> int:
    """The size of the batch that all tensors have."""
    sizes = [t.shape[dim] for t in tensors]
    if not sizes:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so ExpandedWeights cannot compute "
            "the batch size from the inputs. Please specify it explicitly"
        )
    for before, size in zip(sizes, sizes[1:], strict=False):
        if before != size:
            raise RuntimeError(
                f"When computing batch size, found at least one input with batch size {before} and one with batch size {size}. Please "
                "specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
            )
    return sizes[0]


def check(module: Any, batch_size: Any, loss_reduction: Any) -> None:
    """RuntimeError: arguments that are none, parameters that keep gradients of a call before."""
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if batch_size is not None and not isinstance(batch_size, int):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple calls without clearing "
                f"gradients. Please clear out the grad_sample parameter of {weight} or post an issue to pytorch/pytorch to prioritize "
                "correct behavior"
            )
