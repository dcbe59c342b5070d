"""Parts of a graph that look like a pattern, replaced by other parts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..nn.modules.module import Module
from .graph import Graph
from .graph_module import GraphModule, _assign_attr
from .node import Node, nodes_in
from .tracer import symbolic_trace

__all__ = ["InternalMatch", "Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """A part that looked like the pattern: the pattern's last node, and which node stood for which."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A part that was replaced: the pattern's last node, which node stood for which, and the nodes that came."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


@dataclass
class InternalMatch:
    """A part that looks like a pattern: the pattern's last nodes, which node stands for which, its inputs and its results."""

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)


class Matcher:
    """Finds what looks like a pattern."""

    def __init__(self, pattern: Graph, ignore_literals: bool = False) -> None:
        self.nodes, self.ignore_literals = list(pattern.nodes), ignore_literals
        self.inputs = [n for n in self.nodes if n.op == "placeholder"]
        self.returned = nodes_in([n.args for n in self.nodes if n.op == "output"])
        self.inner = [n for n in self.nodes if n.op not in ("placeholder", "output")]
        self.anchors = [n for n in self.returned if all(u.op == "output" for u in n.users)]

    def matches(self, graph: Graph, alone: bool = True) -> list[InternalMatch]:
        """The parts of a graph that look like the pattern. alone: of those that have nodes in common, the first."""
        found: list[InternalMatch] = []
        used: set[Node] = set()
        for mapped in self._whole(list(graph.nodes), self.anchors, {}):
            parts = {mapped[n] for n in self.inner}
            if alone and parts & used or not self._closed(mapped):
                continue
            used |= parts
            inputs, results = [mapped.get(n) for n in self.inputs], [mapped[n] for n in self.returned]
            found.append(
                InternalMatch(list(self.anchors), mapped, inputs, results, {n.name: v for n, v in mapped.items()})
            )
        return found

    def _whole(self, nodes: list[Node], anchors: list[Node], mapped: dict) -> Iterator[dict]:
        """What stands for which, where the rest of the anchors is found among these nodes."""
        if not anchors:
            if mapped:
                yield mapped
            return
        for node in nodes:
            more = dict(mapped)
            if self._same(anchors[0], node, more):
                yield from self._whole(nodes, anchors[1:], more)

    def _closed(self, mapped: dict) -> bool:
        """Whether only the part itself uses what it computes and does not give back."""
        hidden = [n for n in self.inner if n not in self.returned]
        return all(n in mapped and len(mapped[n].users) == len(n.users) for n in hidden)

    def _same(self, pattern: Any, found: Any, mapped: dict) -> bool:
        """Whether what stands in a graph looks like the pattern; which node stands for which goes into `mapped`."""
        if isinstance(pattern, Node):
            if pattern in mapped:
                return mapped[pattern] is found
            if isinstance(found, Node) and any(each is found for each in mapped.values()):
                return False
            mapped[pattern] = found
            return pattern.op == "placeholder" or isinstance(found, Node) and self._same_call(pattern, found, mapped)
        if isinstance(pattern, tuple | list) and isinstance(found, tuple | list):
            pairs = zip(pattern, found, strict=False)
            return len(pattern) == len(found) and all(self._same(p, f, mapped) for p, f in pairs)
        if isinstance(pattern, dict) and isinstance(found, dict):
            return pattern.keys() == found.keys() and all(self._same(pattern[k], found[k], mapped) for k in pattern)
        return self.ignore_literals or type(pattern) is type(found) and pattern == found

    def _same_call(self, pattern: Node, found: Node, mapped: dict) -> bool:
        if pattern.op != found.op:
            return False
        if pattern.op in ("call_module", "get_attr"):
            mine, other = attribute(pattern), attribute(found)
            if type(mine) is not type(other) or mine is None and pattern.target != found.target:
                return False
        elif pattern.target != found.target:
            return False
        return self._same(pattern.args, found.args, mapped) and self._same(pattern.kwargs, found.kwargs, mapped)


def attribute(node: Node) -> Any:
    """The module or the value that a node names; None where its graph has no module."""
    return attribute_of(node.graph.owning_module, node.target)


def attribute_of(module: Any, target: str) -> Any:
    for name in target.split("."):
        module = getattr(module, name, None)
    return module


def graph_of(given: Any) -> Graph:
    if isinstance(given, GraphModule):
        return given.graph
    return given if isinstance(given, Graph) else symbolic_trace(given).graph


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace each part of a module's graph that computes what `pattern` does by what `replacement` does; the parts that were."""
    return [Match(each.anchor, each.nodes_map) for each in replace_pattern_with_filters(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: list[Callable] | None = None,
    ignore_literals: bool = False, replacement_callback: Callable | None = None, node_name_match: str = "",
) -> list[ReplacedPatterns]:  # fmt: skip
    """Replace each part of a module's graph that computes what `pattern` does, and of which all filters hold.
    replacement: what computes the same otherwise. match_filters: functions of (match, graph, pattern's graph).
    ignore_literals: whether numbers and the like may be others than the pattern's. replacement_callback: a function of
    (match, graph, pattern's graph) that gives the graph to put there."""
    graph, wanted = gm.graph, graph_of(pattern)
    assert replacement is not None or replacement_callback is not None, (
        "Must provide either a replacement GraphModule or a replacement callback"
    )
    other = None if replacement is None else graph_of(replacement)
    found = [
        match
        for match in Matcher(wanted, ignore_literals).matches(graph)
        if all(each(match, graph, wanted) for each in match_filters or ())
        and (not node_name_match or any(node_name_match in match.nodes_map[n].name for n in match.anchors))
    ]
    changed: dict[Any, Any] = {}
    made = []
    for match in found:
        new = other if replacement_callback is None else replacement_callback(match, graph, wanted)
        made.append(_replaced(graph, match, new, wanted, changed))
    gm.recompile()
    if isinstance(replacement, Module):
        _take_attributes(gm, replacement)
    return made


def _replaced(graph: Graph, match: InternalMatch, new: Any, wanted: Graph, changed: dict) -> ReplacedPatterns:
    """Puts a graph in the place of one part; `changed` tells what stands for the nodes that others have replaced."""
    match.placeholder_nodes = [changed.get(n, n) for n in match.placeholder_nodes]
    match.nodes_map = {n: changed.get(v, v) for n, v in match.nodes_map.items()}
    inputs = [n for n in new.nodes if n.op == "placeholder"]
    assert len(inputs) == len(match.placeholder_nodes), (
        f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}"
    )
    values = dict(zip(inputs, match.placeholder_nodes, strict=True))
    users = {user for n in match.returning_nodes for user in n.users}
    before = next((n for n in graph.nodes if n in users), None) or max(match.returning_nodes).next
    with graph.inserting_before(before):
        results = graph.graph_copy(new, values)
    results = results if isinstance(results, tuple | list) else (results,)
    assert len(results) == len(match.returning_nodes), (
        f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}"
    )
    for old, result in zip(match.returning_nodes, results, strict=True):
        old.replace_all_uses_with(result)
        changed[old] = result
    for node in reversed(list(wanted.nodes)):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    came = [v for v in values.values() if not any(v is n for n in match.placeholder_nodes)]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, came)


def _take_attributes(gm: GraphModule, replacement: Module) -> None:
    """Gives a module what the nodes that came name of the module they came from."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or attribute_of(gm, node.target) is not None:
            continue
        value = attribute_of(replacement, node.target)
        if value is None:
            raise RuntimeError(
                'Attempted to create a "', node.op, '" node during subgraph rewriting '
                f"with target {node.target}, but the referenced attribute does not exist in the replacement GraphModule",
            )  # fmt: skip
        if isinstance(value, Module):
            gm.add_submodule(node.target, copy.deepcopy(value))
        else:
            _assign_attr(copy.deepcopy(value), gm, node.target)
    gm.graph.lint()
