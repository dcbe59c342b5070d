"""A loop of one's own, with Lightning's Fabric around it."""

import torch
from lightning.fabric import Fabric

fabric = Fabric(accelerator="cpu", devices=1)
fabric.seed_everything(0, verbose=False)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
net, optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=0.01))
x = torch.randn(16, 3)
data = fabric.setup_dataloaders(
    torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :1] ** 2), batch_size=4)
)
for batch, target in data:
    loss = torch.nn.functional.mse_loss(net(batch), target)
    optimizer.zero_grad()
    fabric.backward(loss)
    fabric.clip_gradients(net, optimizer, max_norm=1.0)
    optimizer.step()
    print(loss)
