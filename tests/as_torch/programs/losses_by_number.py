"""The losses of torch itself, whose reduction is a number: none unless one is given."""

import torch

x, y = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]]), torch.tensor([[1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]])
pairs = torch.margin_ranking_loss, torch.triplet_margin_loss
for loss in pairs:
    print(loss(x, y, y), loss(x, y, y, 1.0), loss(x, y, y, reduction=1), loss(x, y, y, reduction=2))
for loss in torch.hinge_embedding_loss, torch.binary_cross_entropy_with_logits, torch.kl_div:
    print(loss(x, y), loss(x, y, reduction=0), loss(x, y, reduction=1), loss(x, y, reduction=2))
print(torch.cosine_embedding_loss(x, y, y[:, 0]), torch.cosine_embedding_loss(x, y, y[:, 0], 0.5, 1))
print(torch.binary_cross_entropy_with_logits(x, y, y * y), torch.poisson_nll_loss(x, y * y, True, False, 1e-8, 1))
logs, targets = torch.zeros(5, 2, 4).log_softmax(2), torch.tensor([[1, 2], [3, 1]])
print(torch.ctc_loss(logs, targets, [5, 4], [2, 2]), torch.ctc_loss(logs, targets, [5, 4], [2, 2], 0, 1))
