"""Filterbanks that are learned: encoders, decoders and their inverses."""

import torch
from asteroid_filterbanks import (
    STFTFB,
    AnalyticFreeFB,
    Decoder,
    Encoder,
    FreeFB,
    ParamSincFB,
    make_enc_dec,
)
from asteroid_filterbanks.transforms import angle, from_magphase, mag, to_torchaudio

torch.manual_seed(0)
sound = torch.randn(2, 1, 160)
encoder, decoder = make_enc_dec("stft", n_filters=32, kernel_size=32, stride=16)
spectrum = encoder(sound)
print(spectrum.shape, spectrum[0, :3, 2])
print(torch.allclose(decoder(spectrum)[..., 32:-32], sound[..., 32:128], atol=1e-5))
print(mag(spectrum)[0, 0, :4], angle(spectrum)[0, 0, :4], to_torchaudio(spectrum).shape)
print(from_magphase(mag(spectrum), angle(spectrum))[0, :2, :3])
for kind, words in (
    (FreeFB, {}),
    (AnalyticFreeFB, {}),
    (ParamSincFB, dict(sample_rate=8000.0)),
    (STFTFB, {}),
):
    encoder = Encoder(kind(n_filters=16, kernel_size=17 if kind is ParamSincFB else 16, stride=8, **words))
    found = encoder(sound)
    decoder = Decoder(encoder.filterbank)
    back = decoder(found)
    loss = (back[..., :144] - sound[..., :144]).square().mean()
    print(
        kind.__name__,
        found.shape,
        found[0, 0, :3],
        back.shape,
        f"{loss.item():.4f}",
        encoder.filterbank.get_config()["n_filters"],
    )
    if list(encoder.parameters()):
        loss.backward()
        print([(n, round(p.grad.abs().sum().item(), 4)) for n, p in encoder.named_parameters()])
