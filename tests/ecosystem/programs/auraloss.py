"""Filters and resampling by julius, losses of sound by auraloss."""

import auraloss
import julius
import torch

torch.manual_seed(0)
x = torch.randn(2, 1, 2048)
y = x + 0.1 * torch.randn_like(x)
print(
    julius.resample_frac(x, 4, 3).shape,
    julius.lowpass_filter(x, 0.1).std(),
    julius.bandpass_filter(x, 0.1, 0.3).std(),
    julius.split_bands(x, 100, n_bands=3).shape,
    julius.fft_conv1d(x, torch.ones(1, 1, 64)).mean(),
)
print(julius.LowPassFilters([0.1, 0.2]), julius.ResampleFrac(2, 1))
for loss in (
    auraloss.time.SISDRLoss(),
    auraloss.time.SNRLoss(),
    auraloss.time.ESRLoss(),
    auraloss.time.LogCoshLoss(),
    auraloss.time.DCLoss(),
    auraloss.freq.STFTLoss(fft_size=256, hop_size=64, win_length=256),
    auraloss.freq.MultiResolutionSTFTLoss(fft_sizes=[256, 128], hop_sizes=[64, 32], win_lengths=[256, 128]),
):
    z = y.clone().requires_grad_()
    v = loss(z, x)
    v.backward()
    print(type(loss).__name__, f"{v.item():.5f} {z.grad.abs().sum().item():.5f}")
