"""A Perceiver and a Perceiver IO on small inputs."""

import torch
from perceiver_pytorch import Perceiver, PerceiverIO

torch.manual_seed(0)
model = Perceiver(
    input_channels=3,
    input_axis=2,
    num_freq_bands=4,
    max_freq=10.0,
    depth=2,
    num_latents=8,
    latent_dim=16,
    cross_heads=1,
    latent_heads=2,
    cross_dim_head=8,
    latent_dim_head=8,
    num_classes=5,
    attn_dropout=0.0,
    ff_dropout=0.0,
    weight_tie_layers=True,
)
images = torch.randn(2, 8, 8, 3)
out = model(images)
loss = torch.nn.functional.cross_entropy(out, torch.tensor([1, 3]))
loss.backward()
print(out)
print(loss)
print(
    sum(p.numel() for p in model.parameters()),
    round(sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None), 3),
)
io = PerceiverIO(
    dim=12,
    queries_dim=10,
    logits_dim=7,
    depth=2,
    num_latents=6,
    latent_dim=16,
    cross_heads=1,
    latent_heads=2,
    cross_dim_head=8,
    latent_dim_head=8,
    seq_dropout_prob=0.0,
)
print(io(torch.randn(1, 9, 12), queries=torch.randn(4, 10)))
