"""Embeddings of a graph of knowledge, and their margins."""

import torch
from torchkge.models import ComplExModel, DistMultModel, HolEModel, RESCALModel, TransEModel, TransHModel, TransRModel
from torchkge.utils import LogisticLoss, MarginLoss

torch.manual_seed(0)
h, t, nh, nt, r = (torch.randint(0, k, (8,)) for k in (10, 10, 10, 10, 3))
for make in (
    lambda: TransEModel(6, 10, 3, dissimilarity_type="L2"),
    lambda: TransHModel(6, 10, 3),
    lambda: TransRModel(6, 4, 10, 3),
    lambda: DistMultModel(6, 10, 3),
    lambda: ComplExModel(6, 10, 3),
    lambda: RESCALModel(6, 10, 3),
    lambda: HolEModel(6, 10, 3),
):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    for _ in range(3):
        optimizer.zero_grad()
        positive, negative = model(h, t, r, nh, nt)
        loss = MarginLoss(0.5)(positive, negative)
        loss.backward()
        optimizer.step()
        model.normalize_parameters()
    print(type(model).__name__, loss, LogisticLoss()(positive, negative))
    print(model.scoring_function(h[:3], t[:3], r[:3]))
