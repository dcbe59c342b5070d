"""The optimizer that keeps signs."""

import torch
from lion_pytorch import Lion

torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
optimizer = Lion(model.parameters(), lr=1e-2, weight_decay=1e-2, decoupled_weight_decay=True)
for _ in range(4):
    optimizer.zero_grad()
    model(torch.randn(5, 4)).pow(2).sum().backward()
    optimizer.step()
print(model.weight, model.bias)
