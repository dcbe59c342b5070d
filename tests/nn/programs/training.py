# ruff: noqa
"""A small convolutional network trained on noise."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 10)
        self.drop = nn.Dropout(0.25)
        self._hidden = 3

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(self.drop(x))


net = LeNet()
print(net)
x = torch.randn(64, 1, 28, 28)
y = torch.randint(0, 10, (64,))
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
opt = optim.Adam(net.parameters(), lr=1e-3)
sch = StepLR(opt, 1, 0.5)
crit = nn.CrossEntropyLoss()
for epoch in range(2):
    for xb, yb in loader:
        opt.zero_grad()
        loss = crit(net(xb), yb)
        loss.backward()
        opt.step()
        print(f"{epoch} {loss.item():.4f}")
    sch.step()
net.eval()
with torch.no_grad():
    print((net(x).argmax(1) == y).float().mean())
print(sum(p.numel() for p in net.parameters()), net._modules.keys(), net._hidden)
print(type(net.fc1), isinstance(net.fc1.weight, nn.Parameter))
for name, p in net.named_parameters():
    print(name, p.shape, p.requires_grad)
