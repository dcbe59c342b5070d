"""Spiking neurons of norse: leaky, adaptive, recurrent."""

import norse.torch as norse
import torch

torch.manual_seed(0)
spikes = (torch.rand(10, 2, 6) < 0.3).float()
model = norse.SequentialState(
    torch.nn.Linear(6, 8), norse.LIFCell(), torch.nn.Linear(8, 4), norse.LIFRecurrentCell(4, 4), norse.LICell()
)
state, outs = None, []
for step in spikes:
    out, state = model(step, state)
    outs.append(out)
outs = torch.stack(outs)
print(outs[-1], outs.shape)
outs.square().sum().backward()
print(
    [(n, tuple(p.shape), f"{p.grad.abs().sum().item():.4g}") for n, p in model.named_parameters() if p.grad is not None]
)
out, state = norse.LIF()(spikes)
print(out.sum(), type(state).__name__)
out, state = norse.LIFRecurrent(6, 5)(spikes)
print(out.sum((0, 1)), state.v)
print(norse.ConstantCurrentLIFEncoder(5)(torch.tensor([0.5, 2.0, 9.0])))
