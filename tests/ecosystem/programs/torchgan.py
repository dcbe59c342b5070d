"""A generator and its discriminator: losses, penalties, steps of training."""

import torch
from torchgan.layers import MinibatchDiscrimination1d, SelfAttention2d, SpectralNorm2d, VirtualBatchNorm
from torchgan.losses import (
    DraganGradientPenalty,
    LeastSquaresDiscriminatorLoss,
    LeastSquaresGeneratorLoss,
    MinimaxDiscriminatorLoss,
    MinimaxGeneratorLoss,
    WassersteinDiscriminatorLoss,
    WassersteinGeneratorLoss,
    WassersteinGradientPenalty,
)
from torchgan.models import DCGANDiscriminator, DCGANGenerator

torch.manual_seed(0)
maker = DCGANGenerator(encoding_dims=8, out_size=16, out_channels=1, step_channels=4)
judge = DCGANDiscriminator(in_size=16, in_channels=1, step_channels=4)
real, made = torch.rand(4, 1, 16, 16), maker(torch.randn(4, 8))
print(made[0, 0, 0, :5], judge(made))
for loss in (MinimaxGeneratorLoss(), WassersteinGeneratorLoss(), LeastSquaresGeneratorLoss()):
    print(type(loss).__name__, loss(judge(made)))
for loss in (
    MinimaxDiscriminatorLoss(label_smoothing=0.1),
    WassersteinDiscriminatorLoss(),
    LeastSquaresDiscriminatorLoss(),
):
    print(type(loss).__name__, loss(judge(real), judge(made.detach())))
between = torch.rand(4, 1, 16, 16, requires_grad=True)
for penalty in (WassersteinGradientPenalty(), DraganGradientPenalty()):
    print(type(penalty).__name__, penalty(between, judge(between)))
one = torch.optim.Adam(maker.parameters(), 2e-4, betas=(0.5, 0.99))
two = torch.optim.Adam(judge.parameters(), 2e-4)
cpu = torch.device("cpu")
for _ in range(2):
    told = MinimaxGeneratorLoss().train_ops(maker, judge, one, cpu, 4)
    print(round(told, 4), round(MinimaxDiscriminatorLoss().train_ops(maker, judge, two, real, cpu), 4))
for layer, x in (
    (SelfAttention2d(8), torch.randn(2, 8, 4, 4)),
    (SpectralNorm2d(torch.nn.Conv2d(3, 4, 3)), torch.randn(1, 3, 5, 5)),
    (MinibatchDiscrimination1d(6, 4), torch.randn(3, 6)),
    (VirtualBatchNorm(4), torch.randn(3, 4, 5, 5)),
):
    torch.manual_seed(0)
    found = layer(x)
    print(type(layer).__name__, (found[0] if isinstance(found, tuple) else found).flatten()[:5])
