"""Spectrograms as layers of convolution."""

import torch
from nnAudio import features

torch.manual_seed(0)
x = torch.randn(1, 4096)
for layer in (
    features.STFT(n_fft=256, hop_length=64, output_format="Magnitude", verbose=False),
    features.MelSpectrogram(sr=8000, n_fft=256, n_mels=16, hop_length=64, verbose=False),
    features.MFCC(sr=8000, n_mfcc=8, n_fft=256, n_mels=16, hop_length=64, verbose=False),
    features.CQT1992v2(sr=8000, fmin=110, n_bins=24, hop_length=64, verbose=False),
    features.Gammatonegram(sr=8000, n_fft=256, n_bins=8, hop_length=64, verbose=False),
):
    y = layer(x)
    print(type(layer).__name__, y.shape, f"{y.double().mean().item():.5f} {y.double().std().item():.5f}")
