"""Wavelets: one dimension, two, packets and the continuous kind."""

import ptwt
import pywt
import torch

torch.manual_seed(0)
x = torch.randn(2, 32, dtype=torch.double).requires_grad_()
for wavelet in ("haar", "db3", "sym4"):
    parts = ptwt.wavedec(x, pywt.Wavelet(wavelet), mode="reflect", level=2)
    back = ptwt.waverec(parts, pywt.Wavelet(wavelet))
    print(wavelet, [p.shape for p in parts], parts[0][0, :3], (back[..., :32] - x).abs().max() < 1e-8)
picture = torch.randn(1, 16, 16, dtype=torch.double)
found = ptwt.wavedec2(picture, "db2", level=2)
print(found[0][0, 0, :3], (ptwt.waverec2(found, "db2")[..., :16, :16] - picture).abs().max() < 1e-8)
print(ptwt.WaveletPacket(x, "haar", maxlevel=2)["ad"][0, :4])
c, f = ptwt.cwt(x.detach(), torch.arange(1, 5).numpy(), "gaus1")
print(c[:, 0, :3], f)
matrix = ptwt.MatrixWavedec("db2", level=2)
print(matrix(x)[1][0, :3], ptwt.swt(x, "haar", level=2)[0][0, :3])
parts[0].square().sum().backward()
print(x.grad[0, :4])
