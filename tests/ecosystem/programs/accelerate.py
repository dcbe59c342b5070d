"""A training loop prepared by Accelerate."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
net = torch.nn.Linear(3, 1)
x = torch.randn(16, 3)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
net, optimizer, data = accelerator.prepare(net, torch.optim.SGD(net.parameters(), lr=0.1), data)
for batch, target in data:
    with accelerator.accumulate(net):
        loss = torch.nn.functional.mse_loss(net(batch), target)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    print(loss, accelerator.gather_for_metrics(loss))
print(accelerator.unwrap_model(net).weight)
