"""Metrics that are updated, computed, and merged with those of others."""

import torch
from torcheval import metrics
from torcheval.metrics import functional
from torcheval.metrics.toolkit import clone_metric

torch.manual_seed(0)
scores, classes = torch.rand(10, 4).softmax(1), torch.randint(0, 4, (10,))
chances, truths = torch.rand(12), torch.randint(0, 2, (12,))
for metric, given in (
    (metrics.MulticlassAccuracy(num_classes=4, average="macro"), (scores, classes)),
    (metrics.MulticlassF1Score(num_classes=4, average=None), (scores, classes)),
    (metrics.MulticlassConfusionMatrix(4), (scores, classes)),
    (metrics.MulticlassAUROC(num_classes=4), (scores, classes)),
    (metrics.BinaryAUROC(), (chances, truths)),
    (metrics.BinaryAUPRC(), (chances, truths)),
    (metrics.BinaryPrecisionRecallCurve(), (chances, truths)),
    (metrics.BinaryNormalizedEntropy(), (chances.double(), truths.double())),
    (metrics.BinaryRecallAtFixedPrecision(min_precision=0.5), (chances, truths)),
    (metrics.BinaryBinnedAUROC(threshold=5), (chances, truths)),
    (metrics.TopKMultilabelAccuracy(k=2), (torch.rand(5, 4), torch.randint(0, 2, (5, 4)))),
    (metrics.MeanSquaredError(), (chances, chances * 2)),
    (metrics.R2Score(), (chances, chances + 0.1 * torch.randn(12))),
    (metrics.Perplexity(), (torch.randn(2, 3, 5), torch.randint(0, 5, (2, 3)))),
    (metrics.HitRate(k=2), (scores, classes)),
    (metrics.ReciprocalRank(), (scores, classes)),
    (metrics.RetrievalPrecision(k=2), (chances, truths)),
    (metrics.WindowedMeanSquaredError(max_num_updates=2, enable_lifetime=False), (chances, chances * 2)),
):
    metric.update(*given)
    print(type(metric).__name__, metric.compute(), sorted(metric.state_dict())[:3])
    print(metric.merge_state([clone_metric(metric)]).compute())
print(functional.word_error_rate(["a b c"], ["a b d"]), functional.bleu_score(["a b c d e"], [["a b c d f"]], n_gram=4))
