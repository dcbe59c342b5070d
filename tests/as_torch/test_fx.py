"""`torch.fx` in plain Python. The texts are PyTorch's, recorded by running this program there: ``python -m tests.as_torch.test_fx``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).parents[2]
EXPECTED = TREE / "tests" / "data" / "fx.txt"
PROGRAM = """
import copy, pickle
import torch
from torch import fx, nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)
        self.w = nn.Parameter(torch.ones(4))
        self.seq = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.register_buffer("shift", torch.tensor([0.5]))
    def forward(self, x, y=2.0):
        z = self.lin(x) + self.w * y
        z = torch.relu(z).view(-1, 4) - self.shift
        a, b = z.split(2, dim=1)
        return self.seq(torch.cat([a, b], dim=-1)), z.shape[0]

torch.manual_seed(0)
net = Net()
traced = fx.symbolic_trace(net)
print(traced.graph)
print(traced)
x = torch.ones(2, 3)
print(torch.equal(traced(x)[0], net(x)[0]), type(traced).__name__, fx.Interpreter(traced).run(x))
for node in traced.graph.nodes:
    if node.op == "call_function" and node.target is torch.relu:
        with traced.graph.inserting_after(node):
            new = traced.graph.call_function(torch.tanh, node.args)
        node.replace_all_uses_with(new)
        traced.graph.erase_node(node)
traced.graph.lint()
traced.recompile()
print(traced.code)
print(fx.Transformer(traced).transform().code)
print(torch.equal(copy.deepcopy(traced)(x)[0], traced(x)[0]))

def f(x):
    return (torch.sin(x) + torch.cos(x)) ** 2 - x[0, ..., None] + -x

other = fx.symbolic_trace(f)
print(other.graph, other.code)
print(len(fx.replace_pattern(other, lambda x: torch.sin(x) + torch.cos(x), lambda x: torch.exp(x))), other.code)

graph = fx.Graph()
a = fx.Proxy(graph.placeholder("a"))
b = a.reshape(-1)
c = torch.clamp(b, min=0.0) * 2
unused = b + 1
graph.output({"c": c.node, "n": [c.node, None]})
print(graph, graph.eliminate_dead_code(), graph)
module = fx.GraphModule({}, graph)
print(module(torch.tensor([[-1.0, 2.0]])), [(n.name, n.op, len(n.users)) for n in graph.nodes])

class Leaf(fx.Tracer):
    def is_leaf_module(self, m, name):
        return isinstance(m, nn.Sequential) or super().is_leaf_module(m, name)

print(Leaf().trace(net))
for wrong in (lambda x: x if x.sum() > 0 else -x, lambda x: [i for i in x], lambda x: len(x)):
    try:
        fx.symbolic_trace(wrong)
    except Exception as error:
        print(type(error).__name__, str(error).split(". ")[0])
try:
    graph.erase_node(b.node)
except RuntimeError as error:
    print(str(error).split(":")[0])
"""


def test_graphs_are_pytorch_s() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tensorsh.as_torch", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=TREE,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == EXPECTED.read_text(encoding="utf-8")


if __name__ == "__main__":  # with a Python that has PyTorch
    EXPECTED.write_text(
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout,
        encoding="utf-8",
    )
