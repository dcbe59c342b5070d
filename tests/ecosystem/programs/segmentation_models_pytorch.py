"""A U-Net on a ResNet, losses and scores of segmentation."""

import segmentation_models_pytorch as smp
import torch

torch.manual_seed(0)
model = smp.Unet("resnet18", encoder_weights=None, classes=2, encoder_depth=3, decoder_channels=(16, 8, 4)).eval()
print(model(torch.randn(1, 3, 32, 32))[0, :, 0, :5])
guess, truth = torch.randn(2, 1, 4, 4), (torch.rand(2, 1, 4, 4) > 0.5).long()
for loss in (
    smp.losses.DiceLoss,
    smp.losses.FocalLoss,
    smp.losses.JaccardLoss,
    smp.losses.LovaszLoss,
    smp.losses.TverskyLoss,
):
    print(loss.__name__, loss("binary")(guess, truth))
counts = smp.metrics.get_stats(guess.sigmoid(), truth, mode="binary", threshold=0.5)
print(smp.metrics.iou_score(*counts, reduction="micro"), smp.metrics.f1_score(*counts, reduction="macro"))
