"""torch.fx: passes over graphs in an order, graphs in parts, constants computed once, and source that is rewritten."""

import operator

import torch
from torch import fx, nn
from torch.fx.annotate import annotate  # noqa: F401 - what rewritten source calls
from torch.fx.experimental.const_fold import split_const_subgraphs
from torch.fx.experimental.rewriter import RewritingTracer
from torch.fx.passes.dialect.common.cse_pass import CSEPass
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper, this_before_that_pass_constraint
from torch.fx.passes.split_module import split_module
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher


class AddToMul(PassBase):
    def requires(self, module):
        print("requires", type(module).__name__)

    def call(self, module):
        changed = False
        for node in module.graph.nodes:
            if node.target in (operator.add, torch.add):
                node.target, changed = torch.mul, True
        return PassResult(module, changed)


def noted(module):
    print("noted", len(module.graph.nodes))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(4.0))
        self.lin = nn.Linear(4, 4)
        self.deep = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x, y=None):
        c = self.w + self.w
        z = self.lin(x + c)
        return self.deep(z) * c, z


torch.manual_seed(0)
net = Net()
traced = fx.symbolic_trace(net)
first, second = AddToMul(), pass_result_wrapper(noted)
manager = PassManager([second, first], [this_before_that_pass_constraint(first, second)], steps=2)
result = manager(fx.symbolic_trace(net))
print(result.modified, result.graph_module.code, [type(p).__name__ for p in manager.passes])
for passes, rules in (
    (
        [second, first],
        [this_before_that_pass_constraint(first, second), this_before_that_pass_constraint(second, first)],
    ),
    ([lambda module: 3], []),
):
    try:
        PassManager(passes, rules)(fx.symbolic_trace(net))
    except Exception as error:
        print(type(error).__name__, str(error).partition(": [")[0], str(error.__cause__)[-60:])
try:
    PassManager([second, first], [this_before_that_pass_constraint(first, second)]).validate_constraints()
except RuntimeError as error:
    print(str(error).partition(".")[0])

x = torch.ones(2, 4)
numbers = iter(range(100))
old_names = {}
split = split_module(traced, net, lambda node: next(numbers) // 3, old_names)
print(split.code, old_names, torch.equal(split(x)[0], traced(x)[0]))
for name, part in split.named_children():
    print(name, part.code)
try:
    split_module(traced, net, lambda node: int(node.name in ("add_1", "deep_0")))
except RuntimeError as error:
    print(error)

folded = split_const_subgraphs(traced)
print(folded.code, folded.const_subgraph_module.code, folded.has_folding_been_run)
print(torch.equal(folded(x)[1], traced(x)[1]), folded.has_folding_been_run, len(folded._FX_CONST_FOLDED_ATTRS))
print(split_const_subgraphs(fx.symbolic_trace(lambda x: x + 1)).const_subgraph_module)


def twice(x):
    return torch.sin(x) + torch.sin(x) + torch.sum(x, dim=[0]) + torch.sum(x, dim=[0])


short = CSEPass()(fx.symbolic_trace(twice))
print(short.modified, short.graph_module.code, CSEPass()(short.graph_module).modified)


def local():
    def checked(x):
        assert x.shape[0] == 2, "two rows"
        return x + 1

    return checked


kept = fx.GraphModule(nn.Module(), fx.Tracer().trace(lambda x: x)).code
rewritten = fx.GraphModule(nn.Module(), RewritingTracer().trace(local()))
print(kept, rewritten.code, rewritten(x))
try:
    rewritten(torch.ones(3))
except AssertionError as error:
    print(error)


def whole(x, y):
    a = torch.relu(x + y)
    return torch.relu(a + 2) * a


def part(x, y):
    total = x + y
    return torch.relu(total)


target = fx.symbolic_trace(whole).graph
for matcher in (
    SubgraphMatcher(fx.symbolic_trace(part).graph),
    SubgraphMatcher(fx.symbolic_trace(part).graph, match_placeholder=True),
    SubgraphMatcher(fx.symbolic_trace(lambda x: torch.relu(x + 3)).graph),
    SubgraphMatcher(fx.symbolic_trace(lambda x: torch.relu(x + 3)).graph, ignore_literals=True),
):
    for match in matcher.match(target):
        print(match.placeholder_nodes, match.returning_nodes, match.nodes_map)


try:
    SubgraphMatcher(fx.Graph())
except ValueError as error:
    print(error)
print(fx.symbolic_trace(net).print_readable(print_output=False))
