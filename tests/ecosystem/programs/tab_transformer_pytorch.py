"""Transformers for tables: categories and numbers."""

import torch
from tab_transformer_pytorch import FTTransformer, TabTransformer

torch.manual_seed(0)
numbers, categories = torch.randn(3, 4), torch.randint(0, 3, (3, 5))
model = TabTransformer(
    categories=(3, 4, 5, 6, 7),
    num_continuous=4,
    dim=16,
    dim_out=1,
    depth=2,
    heads=2,
    attn_dropout=0.1,
    ff_dropout=0.1,
    mlp_hidden_mults=(4, 2),
    mlp_act=torch.nn.ReLU(),
    continuous_mean_std=torch.randn(4, 2),
)
print(model(categories, numbers))
ft = FTTransformer(
    categories=(3, 4, 5, 6, 7), num_continuous=4, dim=16, dim_out=2, depth=2, heads=2, attn_dropout=0.1, ff_dropout=0.1
)
opt = torch.optim.AdamW(ft.parameters(), lr=1e-2)
for _ in range(3):
    opt.zero_grad()
    loss = ft(categories, numbers).square().mean()
    loss.backward()
    opt.step()
    print(loss.item())
