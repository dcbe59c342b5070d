"""Torchvision's networks and transforms."""

import torch
from torchvision import models
from torchvision.transforms import v2

torch.manual_seed(0)
image = torch.randint(0, 256, (3, 20, 20), dtype=torch.uint8)
steps = v2.Compose(
    [
        v2.CenterCrop(16),
        v2.RandomHorizontalFlip(1.0),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.5] * 3, [0.2] * 3),
    ]
)
print(steps(image)[0, :2, :4])
for make in (models.resnet18, models.mobilenet_v3_small):
    net = make(num_classes=3).eval()
    print(net(torch.randn(2, 3, 32, 32)))
