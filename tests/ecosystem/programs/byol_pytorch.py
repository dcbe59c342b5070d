"""Two views of a picture that predict each other."""

import torch
from byol_pytorch import BYOL

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, stride=2),
    torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(8, 8),
)
learner = BYOL(
    net,
    image_size=16,
    hidden_layer=-1,
    projection_size=6,
    projection_hidden_size=10,
    augment_fn=torch.nn.Identity(),
    augment_fn2=lambda x: x.flip(-1),
)
optimizer = torch.optim.Adam(learner.parameters(), lr=1e-2)
x = torch.randn(4, 3, 16, 16)
for _ in range(3):
    loss = learner(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    learner.update_moving_average()
    print(loss)
