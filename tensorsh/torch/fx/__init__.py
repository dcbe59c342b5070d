"""``torch.fx``: programs as graphs that programs change: traced with proxies, kept as nodes, run as the Python that is written of
them. For plain Python alone (`tensorsh.as_torch`): a graph calls any function and reads any attribute by name."""

from __future__ import annotations

from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .matching import Match, replace_pattern
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy, TraceError
from .tracer import ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .trees import PH

__all__ = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Match", "Node", "PH", "Proxy", "ProxyableClassMeta", "TraceError", "Tracer",
    "Transformer", "has_side_effect", "map_arg", "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip
