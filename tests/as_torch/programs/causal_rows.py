"""Attention of many rows to few columns, one triangle: forward and backward against the formula, in mathematics."""

import torch
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
for rows, columns in ((1030, 17), (770, 1), (1025, 5), (200, 3), (40, 100)):
    sizes = (rows, columns, columns)
    q, k, v = (torch.randn(1, 2, n, 8, requires_grad=True) for n in sizes)
    triangle = torch.ones(rows, columns, dtype=torch.bool).tril()
    scores = (q @ k.transpose(-2, -1) * 8**-0.5).masked_fill(~triangle, float("-inf"))
    wanted = scores.softmax(-1) @ v
    found = scaled_dot_product_attention(q, k, v, is_causal=True)
    print(rows, columns, torch.allclose(found, wanted, atol=1e-5))
    g = torch.randn_like(found)
    for one, other in zip(
        torch.autograd.grad(found, (q, k, v), g), torch.autograd.grad(wanted, (q, k, v), g), strict=True
    ):
        print(torch.allclose(one, other, rtol=1e-4, atol=1e-4))
