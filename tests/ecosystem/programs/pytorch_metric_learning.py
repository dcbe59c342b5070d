"""Losses and miners of metric learning."""

import torch
from pytorch_metric_learning import distances, losses, miners

torch.manual_seed(0)
vectors, labels = torch.randn(12, 6, requires_grad=True), torch.randint(0, 3, (12,))
pairs = miners.MultiSimilarityMiner()(vectors, labels)
print([p.shape for p in pairs])
for loss in (
    losses.TripletMarginLoss(),
    losses.ContrastiveLoss(),
    losses.NTXentLoss(),
    losses.MultiSimilarityLoss(),
    losses.ArcFaceLoss(3, 6),
):
    vectors.grad = None
    value = loss(vectors, labels)
    value.backward()
    print(type(loss).__name__, value, vectors.grad.norm())
print(distances.CosineSimilarity()(vectors)[0, :4])
