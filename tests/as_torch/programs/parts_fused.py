"""Parts of graphs that a backend takes, as modules of their own, and tensors without elements for each node."""

import operator

import torch
import torch.nn as nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import symbolic_trace
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupport, OpSupports, any_chain, chain, create_op_support
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.tools_common import get_node_target, legalize_graph
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions, topo_sort, validate_partition
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, y):
        a = x + y
        b = torch.relu(a)
        c = self.linear(b) * self.scale
        d = (a * 2).sum(0)
        spread, middle = torch.std_mean(c + d)
        return c - spread, d.neg() + middle


class Support(OperatorSupport):
    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node.target in (
            operator.add,
            operator.mul,
            operator.sub,
            torch.relu,
            torch.std_mean,
        )


torch.manual_seed(0)
model, x, y = Model(), torch.arange(8.0).view(2, 4), torch.ones(2, 4)
wanted = model(x, y)
for single in (True, False):
    traced = symbolic_trace(model)
    partitioner = CapabilityBasedPartitioner(traced, Support(), allows_single_node_partition=single)
    parts = partitioner.propose_partitions()
    print([sorted(node.name for node in part.nodes) for part in parts])
    fused = partitioner.fuse_partitions(parts)
    print(fused.code.strip())
    print([(name, type(child).__name__) for name, child in fused.named_children()])
    print([torch.equal(a, b) for a, b in zip(fused(x, y), wanted, strict=True)])

traced = symbolic_trace(model)
nodes = {node.name: node for node in traced.graph.nodes}
print([node.name for node in topo_sort([nodes["relu"], nodes["add"], nodes["linear"]])])
print(
    validate_partition([nodes["add"], nodes["linear"]]),
    validate_partition([nodes["add"], nodes["relu"], nodes["linear"]]),
)
fused = fuse_by_partitions(
    traced, [dict.fromkeys([nodes["linear"], nodes["relu"]])], prefix="part_", always_return_tuple=True
)
print(fused.code.strip(), fused.part_0.code.strip(), sep="\n")
print([torch.equal(a, b) for a, b in zip(fused(x, y), wanted, strict=True)])
for wrong in (["add", "linear"], ["relu", "sub"]):
    traced = symbolic_trace(model)
    nodes = {node.name: node for node in traced.graph.nodes}
    try:
        fuse_by_partitions(traced, [dict.fromkeys(nodes[name] for name in wrong)])
    except AssertionError as error:
        print(error)

part = Partition(id=3, nodes=[nodes["add"]])
part.add_node(nodes["relu"])
part.remove_node(nodes["add"])
print(part.id, part.size(), part)
modules = dict(traced.named_modules())
print([get_node_target(modules, node) for node in traced.graph.nodes if node.op.startswith("call")])
table = OperatorSupport(
    {
        "torch.relu": None,
        "_operator.add": (([torch.float32], [torch.float32]), {}),
        "_operator.mul": (([torch.int64],), {}),
    }
)
FakeTensorProp(traced, FakeTensorMode(allow_non_fake_inputs=True)).propagate(x, y)
print(
    [
        (node.name, tuple(node.meta["val"].shape))
        for node in traced.graph.nodes
        if "val" in node.meta and hasattr(node.meta["val"], "shape")
    ]
)
ShapeProp(traced).propagate(x, y)
named = OpSupports.decline_if_node_in_names({"relu", "neg"})
floats = OpSupports.decline_if_input_dtype(torch.float32)
never = create_op_support(lambda submodules, node: False)
for support in (table, named, floats, chain(table, named), any_chain(named, never)):
    print(
        [
            node.name
            for node in traced.graph.nodes
            if node.op == "call_function" and support.is_node_supported(modules, node)
        ]
    )

graph = symbolic_trace(lambda a: torch.add(torch.neg(a), torch.neg(a).relu()))
for pattern in (
    lambda a: torch.neg(a),
    lambda a, b: torch.add(a, b),
    lambda a: torch.add(torch.neg(a), torch.neg(a).relu()),
):
    shape = symbolic_trace(pattern)
    for output in (True, False):
        found = SubgraphMatcher(shape.graph, match_output=output).match(graph.graph)
        print(len(found), [sorted(n.name for n in match.nodes_map) for match in found])
print([node.name for node in legalize_graph(graph).graph.nodes])
