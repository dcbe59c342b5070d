"""``torch.fx.passes.dialect.common.cse_pass``: what a graph computes twice is computed once."""

from __future__ import annotations

from typing import Any

from ....._ops import Operators
from .....utils._pytree import tree_flatten
from ....graph import Graph
from ....graph_module import GraphModule
from ....node import Node, map_arg
from ...infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]

BANNED = (
    "dropout _fused_dropout _standard_gamma bernoulli multinomial native_dropout normal poisson binomial rrelu rand_like rand randint "
    "randn randperm add_ sub_ mul_ div_ pow_ lerp_ relu_ sigmoid_ tanh_"
).split()


def get_CSE_banned_ops() -> set:  # noqa: N802
    """The operators that draw, or write in place."""
    aten = Operators("aten")
    return {getattr(aten, name) for name in BANNED if hasattr(aten, name)}


class CSEPass(PassBase):
    """Gives a graph in which no two nodes call the same function of the same nodes. banned_ops: functions whose calls all stay."""

    __module__ = "torch.fx.passes.dialect.common.cse_pass"

    def __init__(self, banned_ops: set | None = None) -> None:
        self.banned_ops = banned_ops or set()
        super().__init__()

    def call(self, graph_module: Any) -> PassResult:
        """The module of the shorter graph, or the module itself where nothing is double."""
        graph = Graph()
        stands: dict[Node, Node] = {}
        seen: dict[Any, tuple[Any, Node]] = {}
        for node in graph_module.graph.nodes:
            token = self._token(node, stands)
            known = None if token is None else seen.get(token[0])
            if known is not None and known[0] == token[1]:  # type: ignore[index]
                stands[node] = known[1]
                continue
            stands[node] = made = graph.node_copy(node, stands.__getitem__)
            if token is not None and known is None:
                seen[token[0]] = token[1], made
        if len(graph.nodes) == len(graph_module.graph.nodes):
            return PassResult(graph_module, False)
        return PassResult(GraphModule(graph_module, graph), True)

    def _token(self, node: Node, stands: dict[Node, Node]) -> tuple[Any, Any] | None:
        """What a node computes: two nodes of one token compute the same. None where each is to stay."""
        if (
            node.op in ("placeholder", "output", "get_attr")
            or getattr(node.target, "overloadpacket", node.target) in self.banned_ops
        ):
            return None
        leaves, form = tree_flatten(map_arg((node.args, node.kwargs), stands.__getitem__))
        return (node.target, tuple(leaves)), (node.target, tuple(map(type, leaves)), form)
