"""``torch.fx.passes.infra.pass_base``: a pass over a graph, and what it gives."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The module that a pass gives, and whether it is another than before."""

    graph_module: Any
    modified: bool


PassResult.__module__ = "torch.fx.passes.infra.pass_base"


class PassBase(abc.ABC):
    """A pass: what it needs is checked before `call`, what it promises behind it."""

    __module__ = "torch.fx.passes.infra.pass_base"

    def __call__(self, graph_module: Any) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: Any) -> PassResult | None:
        """The pass itself: a class of one's own says what it does."""

    def requires(self, graph_module: Any) -> None:  # noqa: B027
        """Raises where a module is none for this pass."""

    def ensures(self, graph_module: Any) -> None:  # noqa: B027
        """Raises where the pass has not done what it promises."""
