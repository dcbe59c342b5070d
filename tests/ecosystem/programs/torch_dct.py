"""Cosine transforms, there and back, and as layers."""

import torch
import torch_dct as dct

torch.manual_seed(0)
x = torch.randn(3, 8, dtype=torch.double, requires_grad=True)
for name in ("dct", "dct1", "dct_2d", "dct_3d"):
    y = x if name != "dct_3d" else x[None]
    z = getattr(dct, name)(y)
    back = getattr(dct, "i" + name)(z)
    print(name, z.flatten()[:4], (back - y).abs().max() < 1e-9)
print(dct.dct(x, norm="ortho")[0, :3], dct.LinearDCT(8, "dct").weight[0, :3])
dct.dct(x).square().sum().backward()
print(x.grad[0])
