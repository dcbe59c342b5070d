"""Models of timm, made small, with its optimizers and schedules."""

import timm
import torch
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler

torch.manual_seed(0)
images = torch.randn(2, 3, 64, 64)
for name in ("resnet10t", "mobilenetv3_small_050"):
    model = timm.create_model(name, num_classes=4).eval()
    print(name, sum(p.numel() for p in model.parameters()), model(images))
model = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=4, depth=2)
optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
schedule = CosineLRScheduler(optimizer, t_initial=5, warmup_t=2, warmup_lr_init=1e-5)
for epoch in range(3):
    loss = torch.nn.functional.cross_entropy(model(images), torch.tensor([0, 2]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step(epoch + 1)
    print(loss, optimizer.param_groups[0]["lr"])
