"""PowerSGD: gradients of matrices that are sent as products of thin ones."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.ddp_comm_hooks import debugging_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel as DDP

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()


def train(**settings):
    torch.manual_seed(0)
    layers = (nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 40), nn.Linear(40, 2))
    model = DDP(nn.Sequential(*layers))
    state = powerSGD_hook.PowerSGDState(process_group=None, **settings)
    model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    print(settings)
    for step in range(5):
        torch.manual_seed(rank * 100 + step)
        opt.zero_grad()
        loss = (model(torch.randn(4, 24)) - 1).pow(2).mean()
        loss.backward()
        opt.step()
        norms = [f"{p.grad.norm():.4f}" for p in model.module[0].parameters()]
        print(f"{loss.item():.4f}", norms, f"{model.module[4].weight.grad.norm():.4f}")
    rate, before, after = state.compression_stats()
    print(f"{rate:.4f}", before, after, state.iter)


train(matrix_approximation_rank=1, start_powerSGD_iter=2)
train(matrix_approximation_rank=2, start_powerSGD_iter=3, warm_start=False)
train(matrix_approximation_rank=3, start_powerSGD_iter=2, use_error_feedback=False)
train(matrix_approximation_rank=2, start_powerSGD_iter=2, batch_tensors_with_same_shape=True, random_seed=4)
train(start_powerSGD_iter=2, orthogonalization_epsilon=1e-8, min_compression_rate=9)
try:
    powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=1)
except ValueError as error:
    print(error)

model = DDP(nn.Linear(2, 2))
model.register_comm_hook(None, debugging_hooks.noop_hook)
model(torch.ones(1, 2) * rank).sum().backward()
print(model.module.weight.grad)
dist.destroy_process_group()
