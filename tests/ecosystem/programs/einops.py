"""Patches of images as words, with layers of einops in a network."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce

torch.manual_seed(0)
images = torch.randn(2, 3, 8, 8)
patches = rearrange(images, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
print(patches.shape, patches[0, 1, :5])
print(reduce(images, "b c h w -> b c", "mean"), reduce(images, "b c (h 4) (w 4) -> b h w", "max"))
print(repeat(torch.arange(3), "i -> i k", k=2))
print(einsum(patches, patches, "b i d, b j d -> b i j")[0])
packed, shapes = pack([torch.ones(2, 3), torch.zeros(2, 2, 2)], "b *")
print(packed, shapes, [t.shape for t in unpack(packed, shapes, "b *")])
net = torch.nn.Sequential(
    Rearrange("b c (h p) (w q) -> b h w (p q c)", p=4, q=4), torch.nn.Linear(48, 5), Reduce("b h w d -> b d", "mean")
)
print(net)
loss = net(images).square().sum()
loss.backward()
print(loss, net[1].weight.grad.norm())
