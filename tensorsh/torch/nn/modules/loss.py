"""Losses as modules: each keeps its options and calls the function of its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from ..reach import F
from .distance import PairwiseDistance
from .module import Module

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
    "_Loss", "_WeightedLoss",
]  # fmt: skip


class Loss(Module):
    """Base class of losses: the differences of inputs and targets, reduced to one number by `reduction`."""

    _owners = {"__init__": "_Loss"}

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            from ....engine.ops.losses.classes import legacy

            reduction = legacy(size_average, reduce, reduction)
        self.reduction = reduction


class WeightedLoss(Loss):
    """A loss with weights for the classes or elements."""

    _owners = {"__init__": "_WeightedLoss"}

    def __init__(
        self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(Loss):
    """Absolute difference abs(input - target), of input and target of one shape (...), reduced to one number.
    reduction: 'mean' (default) or 'sum' over all elements, or 'none' for the differences themselves, of shape (...).
    size_average, reduce: older forms of reduction (None). Real and complex dtypes; the loss is real. The gradient is
    the sign of the difference, 0 where there is none. UserWarning for shapes that have to be broadcast, RuntimeError
    where they cannot.
    >>> nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(Loss):
    """Squared difference (input - target) ** 2, of input and target of one shape (...), reduced to one number.
    reduction: 'mean' (default) or 'sum' over all elements, or 'none' for the squares themselves, of shape (...).
    size_average, reduce: older forms of reduction (None). Floating dtypes; the gradient of the sum is twice the
    difference.
    UserWarning for shapes that have to be broadcast, RuntimeError where they cannot.
    >>> nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class NLLLoss(WeightedLoss):
    """Negative log likelihood: minus the log probability of each target class, of log probabilities (N, C), (C,) or (N,
    C, d1, ...) and classes (N,), () or (N, d1, ...), int64. LogSoftmax makes such inputs; CrossEntropyLoss does both.
    weight: a factor for each of C classes (None); the mean is then divided by the weights that were used.
    ignore_index: a class that counts nothing (-100). reduction: 'mean' (default), 'sum' or 'none'.
    size_average, reduce: older forms of reduction (None). IndexError for a class out of range.
    >>> nn.NLLLoss()(torch.tensor([[-1.0, -2.0], [-3.0, -4.0]]), torch.tensor([0, 1]))
    tensor(2.5000)"""

    def __init__(
        self, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """NLLLoss of images under its older name: log probabilities (N, C, H, W) and classes (N, H, W), int64, to one
    number, or with reduction 'none' to (N, H, W). FutureWarning: NLLLoss does the same.
    weight: a factor for each of C classes (None). ignore_index: a class that counts nothing (-100).
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None).
    >>> issubclass(nn.NLLLoss2d, nn.NLLLoss)
    True"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )
        super().__init__(*args, **kwargs)


class CrossEntropyLoss(WeightedLoss):
    """Cross entropy of logits: minus log_softmax(input) of each target class, of logits (N, C), (C,) or (N, C, d1, ...)
    and targets that are classes (N,), () or (N, d1, ...), int64, or probabilities of the input's shape and a floating
    dtype.
    weight: a factor for each of C classes (None); the mean over classes is then divided by the weights that were used.
    ignore_index: a class that counts nothing (-100); not for probabilities.
    label_smoothing: share of the target that is spread evenly over all classes (0.0), between 0 and 1 (Szegedy and
    others, "Rethinking the Inception architecture", 2015). reduction: 'mean' (default), 'sum' or 'none'.
    size_average, reduce: older forms of reduction (None). IndexError for a class out of range, RuntimeError for other
    shapes.
    >>> nn.CrossEntropyLoss()(torch.tensor([[0.0, math.log(3)]]), torch.tensor([1]))
    tensor(0.2877)"""

    def __init__(
        self, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
        reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class PoissonNLLLoss(Loss):
    """Negative log likelihood of counts under Poisson distributions, of rates and counts of one shape (...):
    exp(input) - target * input, to which the part without input may be added.
    log_input: the input is the logarithm of the rate (True); otherwise the rate: input - target * log(input + eps).
    full: add Stirling's formula for log(target!), where target > 1 (False). eps: against log(0) where log_input is
    False (1e-8).
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None).
    >>> nn.PoissonNLLLoss()(torch.tensor([0.0]), torch.tensor([2.0]))
    tensor(1.)"""

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: Any = None, eps: float = 1e-8, reduce: Any = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(Loss):
    """Negative log likelihood under normal distributions: (log(var) + (input - target) ** 2 / var) / 2, called with
    means, targets and variances, broadcast to the means' shape (Nix and Weigend, "Estimating the mean and variance of
    the target probability distribution", 1994).
    full: add log(2 * pi) / 2 (False). eps: least variance (1e-6). reduction: 'mean' (default), 'sum' or 'none'.
    ValueError for negative variances, for variances of other shape and for another reduction.
    >>> nn.GaussianNLLLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)"""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(Loss):
    """Kullback-Leibler divergence target * (log(target) - input), of log probabilities and probabilities of one shape
    (...), reduced to one number (Kullback and Leibler, "On information and sufficiency", 1951).
    reduction: 'batchmean', the sum divided by the first size, which is the divergence; 'mean' (default) over all
    elements, which is not, with a UserWarning; 'sum' or 'none'. log_target: targets are log probabilities, too (False).
    size_average, reduce: older forms of reduction (None).
    >>> nn.KLDivLoss(reduction="batchmean")(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)"""

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(WeightedLoss):
    """Binary cross entropy -(target * log(input) + (1 - target) * log(1 - input)), of probabilities and targets in [0,
    1] of one shape (...); logarithms are at least -100. BCEWithLogitsLoss takes logits and is exact where probabilities
    round to 0 or 1.
    weight: a factor for each element (None). reduction: 'mean' (default), 'sum' or 'none'.
    size_average, reduce: older forms of reduction (None).
    RuntimeError for inputs outside [0, 1], ValueError for targets of another shape.
    >>> nn.BCELoss()(torch.tensor([0.5, 1.0]), torch.tensor([1.0, 1.0]))
    tensor(0.3466)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """Binary cross entropy of logits: log(1 + exp(-x)) where the target is 1, log(1 + exp(x)) where it is 0, between
    them in proportion; of logits and targets of one shape (...), computed without overflow.
    weight: a factor for each element (None). pos_weight: a factor for the part of target 1, broadcast to the input;
    above 1 it favours recall (None). reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of
    reduction (None).
    ValueError for targets of another shape.
    >>> nn.BCEWithLogitsLoss()(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 1.0]))
    tensor(0.3466)"""

    def __init__(
        self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
        pos_weight: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(Loss):
    """Hinge loss of distances: x where the label is 1, max(0, margin - x) where it is -1, of distances and labels of
    one shape (...); it draws similar things together and drives others a margin apart.
    margin: distance from which on unlike things count nothing (1.0). reduction: 'mean' (default), 'sum' or 'none'.
    size_average, reduce: older forms of reduction (None).
    >>> nn.HingeEmbeddingLoss()(torch.tensor([0.3, 0.4]), torch.tensor([1, -1]))
    tensor(0.4500)"""

    def __init__(
        self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """Hinge loss where several classes are right: max(0, 1 - (x[right] - x[wrong])), summed over all pairs and divided
    by the number of classes, of scores (N, C) or (C,) and classes of that shape, int64: the right ones first, then -1.
    reduction: 'mean' (default), 'sum' or 'none', which gives (N,) or ().
    size_average, reduce: older forms of reduction (None). RuntimeError for targets of another shape or out of range.
    >>> nn.MultiLabelMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """Difference d of input and target of one shape (...), squared near 0 and absolute further off: d ** 2 / (2 * beta)
    where abs(d) < beta, else abs(d) - beta / 2 (Girshick, "Fast R-CNN", 2015).
    beta: where the two meet (1.0); 0 gives L1Loss; RuntimeError where it is negative.
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None).
    UserWarning for shapes that have to be broadcast.
    >>> nn.SmoothL1Loss(reduction="none")(torch.tensor([0.5, 3.0]), torch.zeros(2))
    tensor([0.1250, 2.5000])"""

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """Difference d of input and target of one shape (...), squared near 0 and absolute further off: d ** 2 / 2 where
    abs(d) < delta, else delta * (abs(d) - delta / 2) (Huber, "Robust estimation of a location parameter", 1964).
    reduction: 'mean' (default), 'sum' or 'none'. delta: where the two meet (1.0); TypeError for what is no number,
    RuntimeError where it is not positive. UserWarning for shapes that have to be broadcast.
    >>> nn.HuberLoss("none", delta=2.0)(torch.tensor([1.0, 3.0]), torch.zeros(2))
    tensor([0.5000, 4.0000])"""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(Loss):
    """Logistic loss log(1 + exp(-target * input)) of scores and labels 1 or -1 of one shape (...): it falls as a score
    goes to its label's side.
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None). Floating
    dtypes; a large score on the wrong side costs its size, one on the right side nothing. RuntimeError for shapes that
    do not broadcast.
    >>> nn.SoftMarginLoss()(torch.tensor([0.0, 1.0]), torch.tensor([1.0, -1.0]))
    tensor(1.0032)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Binary cross entropy of each class, averaged over the classes, of logits and targets 0 or 1, both (N, C): for
    several classes that are right at once.
    weight: a factor for each of C classes (None). reduction: 'mean' (default) or 'sum' over N, or 'none', which gives
    (N,).
    size_average, reduce: older forms of reduction (None).
    >>> nn.MultiLabelSoftMarginLoss()(torch.tensor([[0.0, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MarginLoss(Loss):
    """Losses of two inputs and a margin."""

    def __init__(
        self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class CosineEmbeddingLoss(MarginLoss):
    """Loss of the angle between two vectors: 1 - cos where the label is 1, max(0, cos - margin) where it is -1, of
    inputs (N, D) and labels (N,), or (D,) and ().
    margin: cosine from which on unlike vectors cost something, between -1 and 1 (0.0). reduction: 'mean' (default),
    'sum' or 'none'. size_average, reduce: older forms of reduction (None). RuntimeError for other shapes.
    >>> nn.CosineEmbeddingLoss()(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 2.0]]), torch.tensor([1]))
    tensor(1.)"""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(MarginLoss):
    """Loss of an order: max(0, -target * (x1 - x2) + margin), of two scores and labels of one shape (...), 1 where the
    first should be larger and -1 where the second.
    margin: by how much it should be larger (0.0). reduction: 'mean' (default), 'sum' or 'none'.
    size_average, reduce: older forms of reduction (None). RuntimeError where the numbers of dimensions differ.
    >>> nn.MarginRankingLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)"""

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(WeightedLoss):
    """Hinge loss of scores (N, C) or (C,) where one class of each is right (N,) or (), int64: max(0, margin - x[right]
    + x[wrong]) ** p, summed over the wrong classes and divided by C (Crammer and Singer, 2001).
    p: the exponent, 1 (default) or 2. margin: distance that is enough (1.0). weight: a factor for each of C right
    classes (None).
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None).
    ValueError for another p and for a weight of several dimensions, RuntimeError for targets out of range.
    >>> nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3]))
    tensor(0.3250)"""

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: Any = None, reduce: Any = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.ndim}D instead")
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


def positive(name: str, margin: float) -> float:
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")
    return margin


class TripletMarginLoss(Loss):
    """Loss of three points: max(0, d(anchor, positive) - d(anchor, negative) + margin), of three inputs (N, D) or (D,);
    it draws the positive one nearer to the anchor than the negative one (Balntas and others, 2016).
    margin: by how much nearer (1.0); ValueError where it is not positive. p: order of the distance's norm (2.0). eps:
    added to each difference (1e-6). swap: take the distance of positive and negative where it is the smaller one
    (False).
    reduction: 'mean' (default), 'sum' or 'none'. size_average, reduce: older forms of reduction (None).
    >>> nn.TripletMarginLoss()(torch.tensor([[0.0]]), torch.tensor([[2.0]]), torch.tensor([[1.0]]))
    tensor(2.)"""

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: Any = None,
        reduce: Any = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = positive("TripletMarginLoss", margin)
        self.p, self.eps, self.swap = p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(Loss):
    """TripletMarginLoss with a distance of one's own: max(0, d(anchor, positive) - d(anchor, negative) + margin), of
    three inputs.
    distance_function: a function or module of two tensors that gives their distances (None: PairwiseDistance()).
    margin: by how much nearer the positive one should be (1.0); ValueError where it is not positive.
    swap: take the distance of positive and negative where it is the smaller one (False).
    reduction: 'mean' (default), 'sum' or 'none'.
    >>> loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs())
    >>> loss(torch.tensor([0.0]), torch.tensor([2.0]), torch.tensor([1.0]))
    tensor(2.)"""

    def __init__(
        self, *, distance_function: Callable | None = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = positive("TripletMarginWithDistanceLoss", margin)
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class CTCLoss(Loss):
    """Connectionist temporal classification: minus the log probability of label sequences under all their alignments
    (Graves and others, 2006). Called with log probabilities (T, N, C), targets (N, S) or all in one row, and the
    lengths (N,) of inputs and targets; or one sequence without N.
    blank: the class that stands for no label (0). reduction: 'mean' (default: losses divided by target lengths, then
    averaged), 'sum' or 'none'. zero_infinity: replace infinite losses, of targets too long for their input, and their
    gradients by 0 (False).
    RuntimeError for lengths out of range.
    >>> nn.CTCLoss()(torch.zeros(2, 1, 2).log_softmax(2), torch.tensor([[1]]), (2,), (1,))
    tensor(0.2877)"""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


# PyTorch's names of the base classes, which programs ask for with `isinstance` and derive from.
_Loss, _WeightedLoss = Loss, WeightedLoss
