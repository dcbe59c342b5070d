"""Transformers for tables."""

import torch
from rtdl_revisiting_models import FTTransformer

torch.manual_seed(0)
m = FTTransformer(
    n_cont_features=5, cat_cardinalities=[3, 4], d_out=1, **FTTransformer.get_default_kwargs(n_blocks=1)
).eval()
y = m(torch.randn(4, 5), torch.randint(0, 3, (4, 2)))
y.pow(2).mean().backward()
print(y.detach(), [round(p.grad.abs().sum().item(), 4) for p in m.parameters()][:6])
