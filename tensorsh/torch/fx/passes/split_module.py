"""``torch.fx.passes.split_module``: a graph in parts, each a module of its own that the new graph calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...nn.modules.module import Module
from ..graph import Graph
from ..graph_module import GraphModule
from ..matching import attribute_of
from ..node import Node, map_arg
from ..proxy import Proxy

__all__ = ["Partition", "split_module"]


class Partition:
    """A part: its nodes, what comes in and goes out, which parts it needs and which need it."""

    __module__ = "torch.fx.passes.split_module"

    def __init__(self, name: str) -> None:
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[Node, None] = {}
        self.outputs: dict[Node, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"name: {self.name},\n nodes: {self.node_names},\n inputs: {list(self.inputs)},\n outputs: {list(self.outputs)}"


def split_module(
    m: GraphModule, root_m: Any, split_callback: Callable, qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False, keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True, *, partition_affix: str | None = None, tuple_return: bool = False,
) -> GraphModule:  # fmt: skip
    """A module that calls parts of another, one behind the other. m: the module. root_m: not used. split_callback: a function of
    a node, which part it is in. qualname_map: a dict that is told the old name of each module in a part. keep_original_order:
    whether the parts are called in the order of their first nodes. keep_original_node_name: whether nodes of the parts keep
    their names. keep_original_input_name: whether their inputs do. partition_affix: what stands in the names of the parts.
    tuple_return: whether a part gives a tuple also of one result."""
    affix = "" if partition_affix is None else f"{partition_affix}_"
    of_node = {
        n: f"{affix}{split_callback(n)}" for n in m.graph.nodes if n.op not in ("placeholder", "get_attr", "output")
    }
    parts = {name: Partition(name) for name in dict.fromkeys(of_node.values())}
    for node in m.graph.nodes:
        if node in of_node:
            parts[of_node[node]].node_names.append(node.name)
        if node in of_node or node.op == "output":
            for each in node.all_input_nodes:
                _crossing(parts, of_node.get(each), of_node.get(node), each)
    order = list(parts)
    called = [*map(parts.__getitem__, order if keep_original_order else _order(parts))]
    for part in map(parts.__getitem__, _order(parts)):
        _enter_inputs(part, m, bool(keep_original_input_name))
    for node, name in of_node.items():
        _enter_node(parts[name], node, m, qualname_map, bool(keep_original_node_name))
    return _joined(m, called, tuple_return, bool(keep_original_node_name))


def _crossing(parts: dict[str, Partition], made: str | None, used: str | None, node: Node) -> None:
    """Enters that a node of one part is used in another."""
    if made == used:
        return
    if made is not None:
        parts[made].outputs[node] = None
        if used is not None:
            parts[made].dependents[used] = None
            parts[used].dependencies[made] = None
    if used is not None:
        parts[used].inputs[node] = None


def _order(parts: dict[str, Partition]) -> list[str]:
    """The parts so that each comes behind those that it needs."""
    waits = {name: set(part.dependencies) for name, part in parts.items()}
    ready, found = [name for name in parts if not waits[name]], []
    while ready:
        here = ready.pop()
        found.append(here)
        for each in parts[here].dependents:
            waits[each].discard(here)
            if not waits[each]:
                ready.append(each)
    if len(found) != len(parts):
        raise RuntimeError("cycle exists between partitions!")
    return found


def _enter_inputs(part: Partition, m: GraphModule, named: bool) -> None:
    """The inputs of a part: placeholders, but for modules, which it has itself."""
    module_of = {n: attribute_of(m, n.target) for n in part.inputs if n.op == "get_attr"}
    own = [n for n, value in module_of.items() if isinstance(value, Module)]
    part.inputs = {n: None for n in part.inputs if n not in own}
    for number, node in enumerate(part.inputs):
        part.environment[node] = part.graph.placeholder(node.name if named else f"arg_{number}", type_expr=node.type)
    for node in own:
        part.environment[node] = part.graph.get_attr(node.target)
        part.targets[node.target] = module_of[node]
    for node, made in part.environment.items():
        made.meta = node.meta.copy()


def _enter_node(part: Partition, node: Node, m: GraphModule, old_names: dict | None, named: bool) -> None:
    args, kwargs = (map_arg(each, part.environment.__getitem__) for each in (node.args, node.kwargs))
    target = node.target
    if node.op == "call_module":
        target = node.target.replace(".", "_")
        part.targets[target] = attribute_of(m, node.target)
        if old_names is not None:
            old_names[f"{part.submod_name}.{target}"] = node.target
    made = part.graph.create_node(node.op, target, args, kwargs, node.name if named else None, node.type)
    made.meta = node.meta.copy()
    part.environment[node] = made


def _joined(m: GraphModule, parts: list[Partition], as_tuple: bool, named: bool) -> GraphModule:
    """The module that calls the parts."""
    graph, stands, root = Graph(), dict[Node, Node](), dict[str, Any]()
    for node in m.graph.nodes:
        if node.op == "placeholder":
            default = node.args[0] if node.args else ...
            stands[node] = graph.placeholder(node.name if named else node.target, node.type, default)
        elif node.op == "get_attr":
            stands[node] = graph.get_attr(node.target)
            root[node.target] = attribute_of(m, node.target)
        if node in stands:
            stands[node].meta = node.meta.copy()
    for part in parts:
        results = tuple(part.environment[node] for node in part.outputs)
        single = len(results) == 1 and not as_tuple
        part.graph.output(results[0] if single else results)
        root[part.submod_name] = GraphModule(part.targets, part.graph)
        call = graph.call_module(part.submod_name, tuple(stands[node] for node in part.inputs))
        for i, node in enumerate(part.outputs):
            stands[node] = call if single else Proxy(call)[i].node  # type: ignore[index]
    for node in m.graph.nodes:
        if node.op == "output":
            graph.output(map_arg(node.args[0], stands.__getitem__))
    made = GraphModule(root, graph)
    made.meta["partition_names"] = {part.submod_name for part in parts}
    return made
