"""``torch.fx.passes.infra.partitioner``: the largest parts of a graph that a backend takes, as modules of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...graph_module import GraphModule
from ...node import Node, _get_qualified_name
from ..operator_support import OperatorSupportBase
from ..tools_common import comes_back
from ..utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]

NOTHING_COMPUTED = ("torch.ops.aten.view", "_operator.getitem")


class Partition:
    """Nodes of a graph that go together. id: its number. nodes: its nodes."""

    def __init__(self, id: int | None = None, nodes: Iterable[Node] | None = None) -> None:  # noqa: A002
        self.id, self.nodes = id, dict.fromkeys(nodes or ())

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node) -> None:
        """Take a node in."""
        self.nodes[node] = None

    def remove_node(self, node: Node) -> None:
        """Leave a node out."""
        del self.nodes[node]

    def size(self) -> int:
        """How many nodes it has."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Finds the parts of a graph that a backend takes.

    graph_module: the module whose graph it is. operator_support: says which nodes are taken. allows_single_node_partition: whether a
    part may be of one node. non_compute_ops: names of functions that compute nothing. allowed_single_node_partition_ops: names of
    functions that are a part of their own all the same.
    """

    def __init__(
        self, graph_module: GraphModule, operator_support: OperatorSupportBase, allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None, allowed_single_node_partition_ops: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops or []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []

    def propose_partitions(self) -> list[Partition]:
        """The parts, as large as they can be without needing what needs them."""
        modules = dict(self.graph_module.named_modules())
        parts: dict[int, Partition] = {}
        assigned: dict[Node, int] = {}

        def beside(node: Node) -> Iterable[Node]:
            return parts[assigned[node]].nodes if node in assigned else (node,)

        for node in reversed(list(self.graph_module.graph.nodes)):
            candidates = sorted(parts)
            if self.operator_support.is_node_supported(modules, node):
                number = max(parts, default=-1) + 1
                parts[number], assigned[node] = Partition(number, [node]), number
                candidates.insert(0, number)
            for other in candidates[1:]:
                first = candidates[0]
                together = [*parts[first].nodes, *parts[other].nodes]
                if not comes_back(together, beside):
                    parts[first].nodes = dict.fromkeys(together)
                    assigned.update(dict.fromkeys(parts.pop(other).nodes, first))
        self._with_producers(parts, assigned)
        return [
            each
            for each in parts.values()
            if each.size() and (self.allows_single_node_partition or self._computes(each))
        ]

    def _with_producers(self, parts: dict[int, Partition], assigned: dict[Node, int]) -> None:
        """What takes an item of a result goes where the result is computed."""
        for node in self.graph_module.graph.nodes:
            if all(
                u.op == "call_function" and _get_qualified_name(u.target) == "_operator.getitem" for u in node.users
            ):
                home = assigned.get(node)
                for user in node.users:
                    before = assigned.get(user)
                    if before == home:
                        continue
                    if before is not None:
                        parts[before].remove_node(user)
                    if home is None:
                        assigned.pop(user, None)
                    else:
                        assigned[user] = home
                        parts[home].add_node(user)

    def _computes(self, partition: Partition) -> bool:
        names = [_get_qualified_name(n.target) for n in partition.nodes if n.op == "call_function"]
        idle = {*NOTHING_COMPUTED, *self.non_compute_ops}
        return sum((name not in idle) + (name in self.allowed_single_node_partition_ops) for name in names) > 1

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """The graph with modules in place of the parts. prefix: of their names."""
        return fuse_by_partitions(self.graph_module, [each.nodes for each in partitions], prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Leave out what computes nothing where a part begins or ends."""
        for partition in partitions:
            gone: set[Node] = set()

            def at_border(node: Node, ahead: bool, partition: Partition = partition, gone: set[Node] = gone) -> bool:
                if node.op == "placeholder" or node not in partition.nodes or node in gone:
                    return True
                next_ones = node.users if ahead else node.all_input_nodes
                return self._is_idle(node) and all(at_border(each, ahead) for each in next_ones)

            for node in partition.nodes:
                if self._is_idle(node) and (at_border(node, False) or at_border(node, True)):
                    gone.add(node)
            for node in gone:
                partition.remove_node(node)

    def _is_idle(self, node: Node) -> bool:
        return node.op == "call_function" and _get_qualified_name(node.target) in self.non_compute_ops

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """The graph with modules in place of all parts that the backend takes."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)
