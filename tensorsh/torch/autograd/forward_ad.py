"""``torch.autograd.forward_ad``: tensors with tangents (dual tensors), from which results have tangents too."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ...engine.arrays.state import everywhere, here, state
from ...engine.graph.dual import DualLeaf, outside
from ...engine.graph.fields import detached
from ...engine.ops.shapes.views import alias
from ...engine.tape.forward_mode import make, tangent_of
from ...engine.tape.grad_modes import Mode
from ...engine.tensors.tensor import Tensor
from ...engine.wording.overloads import refuse
from ...sandbox.namespace import Linked
from ...sandbox.sealed import Sealed

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


SWITCHES = {"_current_level": Linked(lambda: here.dual_level, lambda level: everywhere(dual_level=level))}
"""The level of forward differentiation, by the name that programs ask for; -1 outside."""


class UnpackedDualTensor(namedtuple("UnpackedDualTensor", ["primal", "tangent"]), metaclass=Sealed):
    """What a dual tensor consists of."""

    __module__ = "torch.autograd.forward_ad"

    __slots__ = ()


def enter_dual_level() -> int:
    """Begin forward differentiation; the level's number."""
    if here.dual_level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    state.dual, here.tangents = state.dual + 1, here.tangents + 1
    everywhere(dual_level=0)
    here.settle()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End forward differentiation: no tensor has a tangent any more."""
    if level is not None and level != here.dual_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if here.dual_level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    here.tangents = max(here.tangents - 1, 0)
    everywhere(dual_level=-1)
    here.settle()


class dual_level(Mode):
    """A context for forward differentiation: within it tensors can have tangents."""

    __module__ = "torch.autograd.forward_ad"

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def _level(level: int | None) -> int:
    return here.dual_level if level is None else level


def check_dtype(role: str, value: Tensor) -> None:
    """ValueError where a value, or the direction it moves in, is of a dtype without derivatives."""
    if not (value.is_floating_point() or value.is_complex()):
        raise ValueError(f"Expected {role} to be floating point or complex, but got: {value.dtype}")


def check_dual(primal: Tensor, tangent: Tensor) -> None:
    """An error where a tensor cannot have a tangent, or not this one."""
    check_dtype("primal", primal)
    check_dtype("tangent", tangent)
    if primal.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of a tensor that has a tangent."""
    if _level(level) < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    check_dual(tensor, tangent)
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    if tangent_of(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    # A write into a dual tensor changes the history of its primal only where that has one: the primal has no tangent.
    view = detached(tensor) if tensor._node is None else alias.run([tensor])
    return make(tensor, view, tangent, _level(level))


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A dual tensor's primal and its tangent (None where it has none)."""
    at = _level(level)
    if at < 0:
        return UnpackedDualTensor(tensor, None)
    refuse("_nn._unpack_dual", (tensor,), {"level": at})
    tangent = tangent_of(tensor)
    return UnpackedDualTensor(tensor if tangent is None else plain(tensor), tangent)


def plain(tensor: Tensor) -> Tensor:
    """The primal of a dual tensor."""
    made: Any = tensor.detach()
    if tensor.requires_grad:
        node = tensor._node
        made._node = outside("Identity")(node._edges[0] if type(node) is DualLeaf else node)
    return made
