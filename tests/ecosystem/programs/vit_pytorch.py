"""Vision transformers on small images."""

import torch
from vit_pytorch import SimpleViT, ViT

torch.manual_seed(0)
images = torch.randn(2, 3, 32, 32)
net = ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=4, mlp_dim=64)
loss = torch.nn.functional.cross_entropy(net(images), torch.tensor([1, 3]))
loss.backward()
print(loss, net.mlp_head.weight.grad.norm())
simple = SimpleViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=64)
print(simple(images))
