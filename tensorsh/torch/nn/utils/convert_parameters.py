"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ....engine.tensor import Tensor
from ...settings import typename
from ..reach import T


def parameters_to_vector(parameters: Iterable) -> Tensor:
    """All parameters, one behind the other."""
    flat = []
    for p in parameters:
        p.device  # noqa: B018 - what is no tensor is found out here
        flat.append(p.view(-1))
    return T.cat(flat)


def vector_to_parameters(vec: Tensor, parameters: Iterable) -> None:
    """Give the parameters the values of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    at = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[at : at + n].view_as(p).data
        at += n


for _f in (parameters_to_vector, vector_to_parameters):
    _f.__module__ = "torch.nn.utils.convert_parameters"
