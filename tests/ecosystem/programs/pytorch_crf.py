"""A conditional random field over a sequence: likelihood, gradient, the best path."""

import torch
from torchcrf import CRF

torch.manual_seed(0)
crf = CRF(4, batch_first=True)
scores = torch.randn(3, 6, 4, requires_grad=True)
tags = torch.randint(0, 4, (3, 6))
mask = torch.arange(6)[None] < torch.tensor([6, 4, 2])[:, None]
for reduction in ("sum", "mean", "token_mean", "none"):
    print(reduction, crf(scores, tags, mask=mask, reduction=reduction))
(-crf(scores, tags, mask=mask)).backward()
print(scores.grad[0, 0], crf.transitions.grad)
print(crf.decode(scores, mask=mask), crf)
