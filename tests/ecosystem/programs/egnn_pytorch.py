"""Graph networks that turn with their coordinates."""

import torch
from egnn_pytorch import EGNN_Network

torch.manual_seed(0)
m = EGNN_Network(
    num_tokens=21, num_positions=12, dim=16, depth=2, num_nearest_neighbors=3, coor_weights_clamp_value=2.0
)
features, coordinates = m(torch.randint(0, 21, (1, 12)), torch.randn(1, 12, 3), mask=torch.ones(1, 12).bool())
(features.pow(2).mean() + coordinates.pow(2).mean()).backward()
print(features.detach().sum(), coordinates.detach())
print([round(p.grad.abs().sum().item(), 4) for p in m.parameters() if p.grad is not None][:6])
