"""``torch.fx.passes.utils.fuser_utils``: parts of a graph as modules of their own."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from ...proxy import Proxy
from ..tools_common import comes_back, in_order, stable_topological_sort

__all__ = [
    "erase_nodes", "fuse_as_graphmodule", "fuse_by_partitions", "insert_subgm", "topo_sort", "validate_partition",
]  # fmt: skip


def topo_sort(nodes: list[Node]) -> list[Node]:
    """Nodes in an order in which they can be computed."""
    found = in_order(nodes)
    assert len(found) == len(nodes), "topological sorted nodes doesn't have same length as input nodes"
    return found


def validate_partition(partition: Iterable[Node]) -> bool:
    """Whether no path leaves the nodes and comes back to them."""
    return not comes_back(partition)


def fuse_as_graphmodule(
    gm: GraphModule, nodes: list[Node], module_name: str, partition_lookup_table: Any = None, *, always_return_tuple: bool = False
) -> tuple:  # fmt: skip
    """A module of some nodes of a graph, in the order in which they are computed, the nodes that are its inputs, and those of its
    results. module_name: the name of its class. always_return_tuple: one result is a tuple, too."""
    for node in nodes:
        assert node.graph.owning_module is gm, f"{node} doesn't belong to passed in graph module {gm._get_name()}"
        assert node in set(gm.graph.nodes), f"{node} is not found in graph module {gm._get_name()}"
    assert validate_partition(nodes), "Invalid partition, found dependency cycles"
    part, inside = Graph(), set(nodes)
    inputs: dict[Node, Node] = {}
    copies: dict[Node, Node] = {}

    def of(node: Node) -> Node:
        if node in inside:
            return copies[node]
        if node not in inputs:
            inputs[node] = part.placeholder(node.name, type_expr=node.type)
            inputs[node].meta = copy.copy(node.meta)
        return inputs[node]

    for node in nodes:
        copies[node] = part.node_copy(node, of)
    results = [node for node in nodes if any(user not in inside for user in node.users)]
    given = tuple([copies[node] for node in results])
    part.output(given[0] if len(given) == 1 and not always_return_tuple else given)
    part.lint()
    return GraphModule(gm, part, module_name), tuple(inputs), tuple(results)


def insert_subgm(
    gm: GraphModule, sub_gm: GraphModule, orig_inputs: tuple, orig_outputs: tuple, insertion_point: Node | None = None
) -> GraphModule:
    """Let a module that was made of nodes compute them. insertion_point: the node behind which it is called (None: its last result)."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    place = insertion_point or next(node for node in reversed(list(gm.graph.nodes)) if node in orig_outputs)
    with gm.graph.inserting_after(place):
        call = gm.graph.call_module(name, args=orig_inputs)
    given = next(node for node in sub_gm.graph.nodes if node.op == "output").args[0]
    if len(orig_outputs) == 1 and not isinstance(given, tuple):
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    with gm.graph.inserting_before(call.next):
        for i, each in enumerate(orig_outputs):
            each.replace_all_uses_with(Proxy(call)[i].node, propagate_meta=True)
    call.meta["val"] = tuple([each.meta.get("val") for each in orig_outputs])
    return gm


def erase_nodes(gm: GraphModule, nodes: list[Node]) -> None:
    """Take nodes out of a graph, the last first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule, partitions: list, prefix: str = "fused_", always_return_tuple: bool = False
) -> GraphModule:
    """A graph with modules in place of parts of it. partitions: the nodes of each. prefix: of the names of the modules.
    always_return_tuple: one result is a tuple, too."""
    for i, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        part, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{i}", partition, always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, part, inputs, outputs, nodes[-1])
        erase_nodes(gm, nodes)
    return stable_topological_sort(gm)
