"""Sparse transformations of scores to probabilities, and their losses."""

import torch
from entmax import Entmax15Loss, SparsemaxLoss, entmax15, entmax_bisect, sparsemax

torch.manual_seed(0)
scores = torch.randn(3, 6, requires_grad=True)
print(sparsemax(scores, dim=-1), entmax15(scores, dim=-1), entmax_bisect(scores, 1.3), sep="\n")
target = torch.tensor([0, 3, 5])
for loss in (SparsemaxLoss(), Entmax15Loss()):
    scores.grad = None
    value = loss(scores, target).mean()
    value.backward()
    print(value, scores.grad)
