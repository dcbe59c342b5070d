"""Invertible networks of FrEIA: there and back, and their determinant."""

import FrEIA.framework as Ff
import FrEIA.modules as Fm
import numpy as np
import torch

torch.manual_seed(0)
np.random.seed(0)


def part(a, b):
    return torch.nn.Sequential(torch.nn.Linear(a, 8), torch.nn.ReLU(), torch.nn.Linear(8, b))


for kind, words in (
    (Fm.AllInOneBlock, dict(subnet_constructor=part)),
    (Fm.GLOWCouplingBlock, dict(subnet_constructor=part)),
    (Fm.NICECouplingBlock, dict(subnet_constructor=part)),
    (Fm.RNVPCouplingBlock, dict(subnet_constructor=part)),
    (Fm.GINCouplingBlock, dict(subnet_constructor=part)),
    (Fm.ActNorm, {}),
    (Fm.PermuteRandom, dict(seed=1)),
    (Fm.HouseholderPerm, dict(n_reflections=2)),
):
    torch.manual_seed(0)
    np.random.seed(0)
    net = Ff.SequenceINN(4)
    for _ in range(2):
        net.append(kind, **words)
    x = torch.randn(5, 4)
    z, jac = net(x)
    back, _ = net(z, rev=True)
    print(kind.__name__, z[0], torch.as_tensor(jac).reshape(-1)[:2], (back - x).abs().max() < 1e-4)
nodes = [Ff.InputNode(3, 4, 4, name="in")]
nodes.append(Ff.Node(nodes[-1], Fm.IRevNetDownsampling, {}))
nodes.append(Ff.Node(nodes[-1], Fm.Flatten, {}))
condition = Ff.ConditionNode(2)
nodes.append(Ff.Node(nodes[-1], Fm.AllInOneBlock, dict(subnet_constructor=part), conditions=condition))
nodes.append(Ff.OutputNode(nodes[-1]))
graph = Ff.GraphINN(nodes + [condition])
z, jac = graph(torch.randn(2, 3, 4, 4), c=[torch.ones(2, 2)])
print(z[0, :5], jac, graph)
