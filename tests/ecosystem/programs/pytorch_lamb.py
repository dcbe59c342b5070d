"""An optimizer whose steps are scaled layer by layer."""

import torch
from pytorch_lamb import Lamb

torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
optimizer = Lamb(model.parameters(), lr=1e-2, weight_decay=0.01)
for _ in range(4):
    optimizer.zero_grad()
    model(torch.randn(5, 4)).pow(2).sum().backward()
    optimizer.step()
print(model.weight, model.bias)
