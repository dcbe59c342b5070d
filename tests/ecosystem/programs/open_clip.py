"""CLIP made small: pictures and words in one space."""

import torch
from open_clip.loss import ClipLoss, SigLipLoss
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg

torch.manual_seed(0)
model = CLIP(
    8,
    CLIPVisionCfg(layers=1, width=16, head_width=8, patch_size=8, image_size=16),
    CLIPTextCfg(context_length=6, vocab_size=20, width=16, heads=2, layers=1),
)
pictures, words = torch.randn(3, 3, 16, 16), torch.randint(1, 20, (3, 6))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(3):
    image, text, scale = model(pictures, words)
    loss = ClipLoss()(image, text, scale)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss, scale)
print(image @ text.T, SigLipLoss()(image, text, scale, torch.tensor(-10.0)))
