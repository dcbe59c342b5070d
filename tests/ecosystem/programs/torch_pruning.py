"""Channels pruned with all that depends on them."""

import torch
import torch_pruning as tp
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, padding=1)
        self.b = nn.BatchNorm2d(8)
        self.c2 = nn.Conv2d(8, 8, 3, padding=1)
        self.f = nn.Linear(8, 4)

    def forward(self, x):
        x = self.b(self.c1(x)).relu()
        x = x + self.c2(x).relu()
        return self.f(x.mean((2, 3)))


net = Net()
x = torch.randn(1, 3, 8, 8)
DG = tp.DependencyGraph().build_dependency(net, example_inputs=x)
group = DG.get_pruning_group(net.c1, tp.prune_conv_out_channels, idxs=[2, 6])
print(group)
group.prune()
print(net, net(x))
pruner = tp.pruner.MagnitudePruner(
    net, x, importance=tp.importance.MagnitudeImportance(p=2), pruning_ratio=0.5, ignored_layers=[net.f]
)
pruner.step()
print(net, net(x).shape, tp.utils.count_ops_and_params(net, x))
