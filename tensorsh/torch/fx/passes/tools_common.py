"""``torch.fx.passes.tools_common``: the name of what a node calls, the nodes of a graph in an order in which they can be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import Any

from ..node import Node, _get_qualified_name

__all__ = ["get_node_target", "legalize_graph", "stable_topological_sort"]

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_node_target(submodules: Mapping[str, Any], node: Node) -> str:
    """What a node calls: the name of a method, of a function with its module, or of the class of a module."""
    assert node.op in CALLABLE_NODE_OPS, (
        f"Expect op types of {', '.join(sorted(CALLABLE_NODE_OPS))}, but found {node.op}"
    )
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_function":
        return _get_qualified_name(node.target)
    kind = type(submodules[str(node.target)])
    return f"{kind.__module__}.{kind.__name__}"


def in_order(nodes: list[Node], stable: bool = True) -> list[Node]:
    """Nodes so that none comes before one that it needs. stable: in the order in which they stood where they may."""
    places = {node: i for i, node in enumerate(nodes)}
    left = {node: sum(each in places for each in node.all_input_nodes) for node in nodes}
    ready = [(i, i) for node, i in places.items() if not left[node]]
    found: list[Node] = []
    while ready:
        found.append(nodes[heappop(ready)[1]])
        for user in found[-1].users:
            if user in left:
                left[user] -= 1
                if not left[user]:
                    heappush(ready, (places[user] if stable else len(nodes) + len(found), places[user]))
    return found


def legalize_graph(gm: Any) -> Any:
    """A module with the nodes of its graph in an order in which they can be computed."""
    return sorted_graph(gm, False)


def stable_topological_sort(gm: Any) -> Any:
    """A module with the nodes of its graph in an order in which they can be computed, as they stood where they may."""
    return sorted_graph(gm, True)


def sorted_graph(gm: Any, stable: bool) -> Any:
    nodes = list(gm.graph.nodes)
    found = in_order(nodes, stable)
    if len(found) < len(nodes):
        raise AssertionError(
            f"Input graph has cycles, unable to add {[node for node in nodes if node not in set(found)]}"
        )
    for before, node in zip(found, found[1:], strict=False):
        before.append(node)
    gm.recompile()
    return gm


def comes_back(nodes: Iterable[Node], beside: Callable[[Node], Iterable[Node]] = lambda node: (node,)) -> bool:
    """Whether a path leaves the nodes and comes back to them. beside: of a node, those that are computed at once with it."""
    inside = set(nodes)
    waiting = [user for node in inside for user in node.users if user not in inside]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in inside:
            return True
        if node not in seen:
            together = beside(node)
            seen.update(together)
            waiting += [user for each in together for user in each.users if user not in seen]
    return False
