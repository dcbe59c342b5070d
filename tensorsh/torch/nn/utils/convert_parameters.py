"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ....engine.tensors.tensor import Tensor
from ...questions import typename
from ..reach import T


def parameters_to_vector(parameters: Iterable) -> Tensor:
    """All elements of some tensors, one behind the other, as one vector that gradients pass.
    parameters: an iterable of tensors of one device. vector_to_parameters(vec, parameters) puts them back.
    >>> nn.utils.parameters_to_vector([torch.ones(1, 2), torch.zeros(1)])
    tensor([1., 1., 0.])"""
    flat = []
    for p in parameters:
        p.device  # noqa: B018 - what is no tensor is found out here
        flat.append(p.view(-1))
    return T.cat(flat)


def vector_to_parameters(vec: Tensor, parameters: Iterable) -> None:
    """The parameters get the values of a vector, one after the other: what `parameters_to_vector` gave, put back.

    vec: a tensor of one dimension, whose pieces take the parameters' shapes. parameters: the parameters. TypeError: no tensor.

    >>> layer = nn.Linear(2, 1)
    >>> nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight.data, layer.bias.data
    (tensor([[1., 2.]]), tensor([3.]))
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    at = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[at : at + n].view_as(p).data
        at += n


for _f in (parameters_to_vector, vector_to_parameters):
    _f.__module__ = "torch.nn.utils.convert_parameters"
