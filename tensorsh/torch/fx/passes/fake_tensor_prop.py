"""``torch.fx.passes.fake_tensor_prop``: a tensor without elements for each node of a graph, written into its `meta`."""

from __future__ import annotations

from typing import Any

from ....engine.tensors.tensor import Tensor
from ..._subclasses.fake_tensor import FakeTensorMode
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Runs a module's graph on tensors without elements and writes `meta["val"]` of each node. mode: the FakeTensorMode (None: a new
    one). One with allow_non_fake_inputs takes the module's parameters as if they had no elements."""

    def __init__(self, module: GraphModule, mode: Any = None) -> None:
        super().__init__(module)
        self._mode = FakeTensorMode() if mode is None else mode

    def run_node(self, n: Node) -> Any:
        """Compute a node and write what is known of it."""
        result = super().run_node(n)
        found = map_aggregate(result, lambda x: self._mode.from_tensor(x) if isinstance(x, Tensor) else None)
        if found is not None:
            n.meta["val"] = found
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on tensors like `args`."""
        return self.propagate_dont_convert_inputs(
            *[self._mode.from_tensor(x) if isinstance(x, Tensor) else x for x in args]
        )

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run the graph on tensors without elements."""
        with self._mode:
            return super().run(*args)
