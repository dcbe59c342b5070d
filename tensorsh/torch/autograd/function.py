"""``torch.autograd.function``."""

from ...engine.tape.function import Function, FunctionNode, once_differentiable

__all__ = ["Function", "once_differentiable"]

BackwardCFunction = FunctionNode
"""The class of nodes of such functions, by the name that programs ask for."""


class InplaceFunction(Function):
    """A function that may write into its arguments."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A function of nested arguments and results, of old; no longer used."""

    __module__ = "torch.autograd.function"
