"""``torch.fx.passes.shape_prop``: the shape and dtype of each node of a graph, written into its `meta` by running it once."""

from __future__ import annotations

from typing import Any, NamedTuple

from ....engine.tensors.tensor import Tensor
from ...root import torch as T  # noqa: N812
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


TensorMetadata.__module__ = "torch.fx.passes.shape_prop"


def _extract_tensor_metadata(result: Any, include_contiguity: bool = True) -> TensorMetadata:
    """The metadata of a tensor."""
    formats = (T.contiguous_format, T.channels_last, T.channels_last_3d) if include_contiguity else ()
    found = None
    for each in formats:
        suits = {T.channels_last: 4, T.channels_last_3d: 5}.get(each, result.dim()) == result.dim()
        if suits and result.is_contiguous(memory_format=each):
            found = each
            break
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), found, False, {})


class ShapeProp(Interpreter):
    """Runs a module's graph and writes `meta["tensor_meta"]` and `meta["type"]` of each node."""

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        self.module, self.fake_mode = gm, fake_mode

    def run_node(self, n: Node) -> Any:
        """The value of a node; what is known of it is written down."""
        try:
            result = super().run_node(n)
        except Exception as error:
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        tensors: list = []

        def known(x: Any) -> Any:
            if isinstance(x, Tensor):
                tensors.append(x)
                return _extract_tensor_metadata(x)
            return x

        meta = map_aggregate(result, known)
        if tensors:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the module with these arguments; its result."""
        return super().run(*args)
