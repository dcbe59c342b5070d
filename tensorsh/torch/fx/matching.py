"""Parts of a graph that look like a pattern, replaced by another part."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .tracer import symbolic_trace

__all__ = ["Match", "replace_pattern"]

Match = namedtuple("Match", "anchor nodes_map")


def same(pattern: Any, found: Any, mapped: dict) -> bool:
    """Whether what stands in a graph looks like a pattern; which node stands for which goes into `mapped`."""
    if isinstance(pattern, Node) != isinstance(found, Node):
        return isinstance(pattern, Node) and pattern.op == "placeholder" and mapped.setdefault(pattern, found) == found
    if not isinstance(pattern, Node):
        if isinstance(pattern, tuple | list) and isinstance(found, tuple | list):
            return len(pattern) == len(found) and all(same(p, f, mapped) for p, f in zip(pattern, found, strict=True))
        if isinstance(pattern, dict) and isinstance(found, dict):
            return pattern.keys() == found.keys() and all(same(pattern[k], found[k], mapped) for k in pattern)
        return type(pattern) is type(found) and pattern == found
    if pattern in mapped:
        return mapped[pattern] is found
    mapped[pattern] = found
    if pattern.op == "placeholder":
        return True
    return (
        pattern.op == found.op
        and pattern.target == found.target
        and same(pattern.args, found.args, mapped)
        and same(pattern.kwargs, found.kwargs, mapped)
    )


def graph_of(given: Any) -> Graph:
    return (
        given.graph
        if isinstance(given, GraphModule)
        else given
        if isinstance(given, Graph)
        else symbolic_trace(given).graph
    )


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace each part of a module's graph that computes what `pattern` does by what `replacement` does; the parts that were."""
    wanted, other = graph_of(pattern), graph_of(replacement)
    inputs = [n for n in wanted.nodes if n.op == "placeholder"]
    anchor = next(n for n in wanted.nodes if n.op == "output").args[0]
    inner = {n for n in wanted.nodes if n.op not in ("placeholder", "output")}
    found: list[Match] = []
    used: set[Node] = set()
    for node in list(gm.graph.nodes):
        mapped: dict = {}
        if node._erased or not isinstance(anchor, Node) or not same(anchor, node, mapped):
            continue
        parts = {mapped[n] for n in inner if n in mapped}
        outside = any(u not in parts for n in inner - {anchor} for u in mapped[n].users)
        if parts & used or outside:
            continue
        used |= parts
        values = dict(
            zip([n for n in other.nodes if n.op == "placeholder"], [mapped.get(n) for n in inputs], strict=True)
        )
        with gm.graph.inserting_before(node):
            result = gm.graph.graph_copy(other, values)
        if isinstance(result, Node):
            node.replace_all_uses_with(result)
        for each in sorted(parts, reverse=True):
            if not each.users:
                gm.graph.erase_node(each)
        found.append(Match(node, mapped))
    gm.recompile()
    return found
