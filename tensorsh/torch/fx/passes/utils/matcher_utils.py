"""``torch.fx.passes.utils.matcher_utils``: the parts of a graph that look like a pattern."""

from __future__ import annotations

from typing import Any

from ...graph import Graph
from ...matching import InternalMatch, Matcher
from ...node import nodes_in

__all__ = ["InternalMatch", "SubgraphMatcher"]


class SubgraphMatcher(Matcher):
    """Finds the parts of graphs that look like a pattern. match_output: whether the part
    is to give what the whole graph gives.
    match_placeholder: whether its inputs stand for inputs alone. remove_overlapping_matches: whether of parts that have nodes in
    common the first is given alone. ignore_literals: whether numbers and the like may be others than the pattern's."""

    __module__ = "torch.fx.passes.utils.matcher_utils"

    def __init__(
        self, pattern: Graph, match_output: bool = False, match_placeholder: bool = False,
        remove_overlapping_matches: bool = True, ignore_literals: bool = False,
    ) -> None:  # fmt: skip
        if not len(pattern.nodes):
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            assert node.op == "output" or node.users or node.is_impure(), (
                "SubgraphMatcher cannot be initialized with an pattern with dead code"
            )
        super().__init__(pattern, ignore_literals)
        self.pattern, self.match_placeholder, self.alone = pattern, match_placeholder, remove_overlapping_matches
        self.match_output = match_output

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The parts of a graph that look like the pattern. node_name_match: what stands in the name of their last node."""
        found = self.matches(graph, self.alone)
        if self.match_output:
            ends = [
                next(node for node in reversed(list(g.nodes)) if node.op == "output") for g in (self.pattern, graph)
            ]
            found = [each for each in found if each.returning_nodes == nodes_in(ends[1].args)]
            for each in found:
                each.nodes_map[ends[0]] = ends[1]
        if node_name_match:
            found = [each for each in found if any(node_name_match in each.nodes_map[n].name for n in each.anchors)]
        if self.match_placeholder:
            found = [each for each in found if all(_is_input(n) for n in each.placeholder_nodes)]
        return found


def _is_input(node: Any) -> bool:
    return getattr(node, "op", None) == "placeholder"
