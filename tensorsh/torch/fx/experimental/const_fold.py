"""``torch.fx.experimental.const_fold``: what a graph computes of constants alone is computed once, before its first call."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from ....engine.tensors.tensor import Tensor
from ...nn.modules.container import ParameterList
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ...root import torch as T  # noqa: N812
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ..passes.split_module import split_module
from ..tracer import symbolic_trace

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A module with a graph of its constants, which runs before the first call."""

    __module__ = "torch.fx.experimental.const_fold"

    def __init__(
        self, root: Module, graph: Graph, const_subgraph: Graph | None = None, fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ) -> None:  # fmt: skip
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args)

    def run_folding(self) -> None:
        """Compute what is constant."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        assert not self.has_folding_been_run, "Folding has already been run"
        self.has_folding_been_run = True
        found = self.const_subgraph_module()
        made = ParameterList(map(self._parameter, found)) if isinstance(found, tuple) else self._parameter(found)
        setattr(self, self.fx_const_folded_attrs_name, made)

    def _parameter(self, value: Any) -> Parameter:
        if isinstance(value, Tensor):
            return Parameter(value.detach().clone(), requires_grad=value.requires_grad)
        return Parameter(T.Tensor([value]).to(device=self.device_for_folded_attrs), requires_grad=False)


def _inline_module(gm: GraphModule, inline_mod_name: str, run_dce: bool = True) -> dict[Node, Any]:
    """Puts the nodes of a module's graph in the place of its call; which node stands for which. run_dce: whether nodes that
    nobody uses go."""
    call = next(n for n in gm.graph.nodes if n.op == "call_module" and n.target == inline_mod_name)
    inner: Any = gm.get_submodule(inline_mod_name)
    given = iter(call.args)
    stands: dict[Node, Any] = {}

    def placed(node: Node) -> Node:
        stands[node].meta = node.meta.copy()
        return stands[node]

    for node in inner.graph.nodes:
        if node.op == "placeholder":
            at = next(given, None)
            stands[node] = call.kwargs.get(node.name, at)
        elif node.op == "output":
            _take_place(gm.graph, call, map_arg(node.args[0], placed), stands)
        else:
            with gm.graph.inserting_before(call):
                stands[node] = gm.graph.node_copy(node, placed)
    gm.graph.erase_node(call)
    if run_dce:
        gm.graph.eliminate_dead_code()
    return stands


def _take_place(graph: Graph, call: Node, result: Any, stands: dict[Node, Any]) -> None:
    """Lets who uses a call use its result; of a tuple, who takes one of its members."""
    if isinstance(result, Node):
        call.replace_all_uses_with(result)
        return
    for user in list(call.users):
        if user.op == "call_function" and user.target is operator.getitem and isinstance(user.args[1], int):
            stands[user] = result[user.args[1]]
            user.replace_all_uses_with(stands[user])
            graph.erase_node(user)
    whole = lambda n: result if n is call else n  # noqa: E731
    for user in list(call.users):
        user._set(map_arg(user.args, whole), map_arg(user.kwargs, whole))


def get_unique_attr_name_in_module(mod_traced: Any, name: str) -> str:
    """A name that a module has not. mod_traced: the module. name: what it is to be like."""
    name = re.sub("[^0-9a-zA-Z_]+", "_", name)
    name = "_" * name[0].isdigit() + name
    while hasattr(mod_traced, name):
        found = re.match(r"(.*)_(\d+)$", name)
        name = f"{name}_1" if found is None else f"{found[1]}_{int(found[2]) + 1}"
    return name


def has_effects(module: Any) -> bool:
    """Whether a module's graph has a node that is to stay, although nobody uses it."""
    for node in module.graph.nodes if isinstance(module, GraphModule) else ():
        if node.op == "call_function" and node.is_impure():
            return True
        if node.op == "call_module" and has_effects(module.get_submodule(node.target)):
            return True
    return False


def constants(module: GraphModule, skipped: Callable | None) -> set[Node]:
    """The nodes that are computed of attributes alone."""
    found: set[Node] = set()
    for node in module.graph.nodes:
        if node.op in ("placeholder", "output") or node.op != "get_attr" and not set(node.all_input_nodes) <= found:
            continue
        if skipped is not None and skipped(node) or node.is_impure():
            continue
        if node.op != "call_module" or not has_effects(module.get_submodule(node.target)):
            found.add(node)
    return found


def split_const_subgraphs(
    module: Any, skip_folding_node_fn: Callable | None = None, device_for_folded_attrs: str = "cpu"
) -> FoldedGraphModule:
    """A module whose constants are computed once. module: the module. skip_folding_node_fn: a function of a node, whether it
    stays where it is. device_for_folded_attrs: where numbers go."""
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    found = constants(traced, skip_folding_node_fn)
    if all(node.op == "get_attr" for node in found):
        return FoldedGraphModule(traced, traced.graph)
    split = split_module(traced, module, lambda node: 0 if node in found else 1)
    for part in (split.submod_0, getattr(split, "submod_1", None)):
        for node in () if part is None else part.graph.nodes:
            if node.op == "call_module":
                setattr(split, node.target, getattr(part, node.target))
    call = next(n for n in split.graph.nodes if n.op == "call_module" and n.target == "submod_0")
    constant = GraphModule(split, split.submod_0.graph)
    _attributes_for_inputs(constant.graph, call.args)
    many = any(n.op == "output" and isinstance(n.args[0], tuple) for n in constant.graph.nodes)
    name = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")
    setattr(split, name, ParameterList() if many else Parameter())
    with split.graph.inserting_before(call):
        folded = split.graph.get_attr(name)
    folded.meta = call.meta.copy()
    call.replace_all_uses_with(folded)
    if hasattr(split, "submod_1"):
        _inline_module(split, "submod_1")
    split.graph.eliminate_dead_code()
    return FoldedGraphModule(split, split.graph, constant.graph, name, device_for_folded_attrs)


def _attributes_for_inputs(graph: Graph, given: tuple) -> None:
    """Lets a graph read the attributes that it was given."""
    inputs = [n for n in graph.nodes if n.op == "placeholder"]
    for node, value in zip(inputs, given, strict=True):
        with graph.inserting_before(node):
            made = graph.get_attr(value.target)
        made.meta = node.meta.copy()
        node.replace_all_uses_with(made)
        graph.erase_node(node)
