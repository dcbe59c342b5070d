"""Medical pictures: networks, losses, metrics and transforms of MONAI."""

import numpy as np
import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, DiceLoss, FocalLoss, TverskyLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, EnsureType, RandFlip, RandRotate90, Resize, ScaleIntensity

torch.manual_seed(0)
net = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,), num_res_units=1)
x = torch.randn(2, 1, 16, 16)
y = torch.randint(0, 2, (2, 1, 16, 16))
o = net(x)
for loss in (
    DiceLoss(to_onehot_y=True, softmax=True),
    FocalLoss(to_onehot_y=True),
    DiceCELoss(to_onehot_y=True, softmax=True),
    TverskyLoss(to_onehot_y=True, softmax=True),
):
    print(type(loss).__name__, f"{loss(o, y).item():.5f}")
loss.forward(o, y).backward()
print(f"{sum(p.grad.abs().sum().item() for p in net.parameters()):.4f}")
print(f"{sliding_window_inference(torch.randn(1, 1, 32, 32), (16, 16), 2, net).double().sum().item():.4f}")
m = DiceMetric()
m(
    torch.nn.functional.one_hot(o.argmax(1), 2).permute(0, 3, 1, 2),
    torch.nn.functional.one_hot(y[:, 0], 2).permute(0, 3, 1, 2),
)
print(m.aggregate())
t = Compose([ScaleIntensity(), RandRotate90(prob=1.0), RandFlip(prob=1.0), Resize((8, 8)), EnsureType()])
t.set_random_state(0)
r = t(np.arange(256.0).reshape(1, 16, 16))
print(type(r).__name__, r.shape, f"{float(r.sum()):.4f}")
