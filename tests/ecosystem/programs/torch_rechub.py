"""Ranking and matching for recommendations."""

import torch
from torch_rechub.basic.features import DenseFeature, SequenceFeature, SparseFeature
from torch_rechub.models.matching import DSSM
from torch_rechub.models.ranking import DCN, DIN, DeepFM, WideDeep

torch.manual_seed(0)
dense, sparse = [DenseFeature("price")], [SparseFeature("user", 10, 4), SparseFeature("item", 12, 4)]
x = {
    "price": torch.rand(6),
    "user": torch.randint(0, 10, (6,)),
    "item": torch.randint(0, 12, (6,)),
    "past": torch.randint(0, 12, (6, 3)),
}
y = torch.tensor([1.0, 0, 1, 0, 0, 1])
past = [SequenceFeature("past", 12, 4, pooling="concat", shared_with="item")]
for make in (
    lambda: WideDeep(dense, sparse, dict(dims=[8], dropout=0.0, activation="relu")),
    lambda: DeepFM(dense + sparse, sparse, dict(dims=[8], dropout=0.0, activation="relu")),
    lambda: DCN(dense + sparse, 2, dict(dims=[8], dropout=0.0)),
    lambda: DIN(sparse[:1], past, sparse[1:], dict(dims=[8], dropout=0.0), dict(dims=[4], use_softmax=False)),
    lambda: DSSM(sparse[:1], sparse[1:], dict(dims=[8, 4]), dict(dims=[8, 4])),
):
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = torch.nn.functional.binary_cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(type(model).__name__, loss)
