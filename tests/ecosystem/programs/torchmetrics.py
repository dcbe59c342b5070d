"""Metrics of classification, regression and retrieval, gathered over batches."""

import torch
import torchmetrics
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix, MulticlassF1Score

torch.manual_seed(0)
metrics = torchmetrics.MetricCollection([MulticlassAccuracy(4), MulticlassF1Score(4), MulticlassConfusionMatrix(4)])
for _ in range(3):
    metrics.update(torch.randn(20, 4), torch.randint(0, 4, (20,)))
print(metrics.compute())
x, y = torch.randn(30), torch.randn(30)
for kind in (
    torchmetrics.MeanSquaredError,
    torchmetrics.R2Score,
    torchmetrics.PearsonCorrCoef,
    torchmetrics.SpearmanCorrCoef,
):
    metric = kind()
    print(kind.__name__, metric(x, y))
auroc = torchmetrics.AUROC(task="binary")
auroc.update(torch.rand(40), torch.randint(0, 2, (40,)))
print(auroc.compute(), torchmetrics.functional.cosine_similarity(torch.randn(3, 4), torch.randn(3, 4)))
