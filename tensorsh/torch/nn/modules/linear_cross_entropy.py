"""LinearCrossEntropyLoss: a linear map to logits and their cross entropy in one module."""

from __future__ import annotations

from math import prod
from typing import Any

from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import Sealed
from ..reach import F
from .linear import Linear
from .loss import WeightedLoss

__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]


class LinearCrossEntropyOptions(metaclass=Sealed):
    """Options by which PyTorch cuts the logits of a LinearCrossEntropyLoss into pieces; accepted and checked, with no
    effect here, where all logits are computed at once.
    allow_retain_graph: a graph that is used twice (False). batch_chunk_size: rows at once (None). chunking_method:
    'auto', 'aspect_ratio' or 'aspect_ratio:factor', or None. acc_policy: 'auto', 'accurate', 'balanced' or 'compact'.
    acc_dtype: dtype of sums (None). ValueError for others.
    >>> nn.LinearCrossEntropyOptions(batch_chunk_size=4).batch_chunk_size
    4"""

    def __init__(
        self, allow_retain_graph: bool = False, batch_chunk_size: int | None = None, chunking_method: str | None = "auto",
        acc_policy: str = "auto", acc_dtype: Any = None,
    ) -> None:  # fmt: skip
        if acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {acc_policy!r}")
        if chunking_method not in (None, "auto"):
            name, _, factor = str(chunking_method).partition(":")
            if name != "aspect_ratio" or not (factor or "1").isdigit() or int(factor or 1) < 1:
                raise ValueError(f"invalid chunking_method: {chunking_method!r}")
        if batch_chunk_size is not None and not (isinstance(batch_chunk_size, int) and batch_chunk_size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {batch_chunk_size!r}")
        self.allow_retain_graph, self.batch_chunk_size = allow_retain_graph, batch_chunk_size
        self.chunking_method, self.acc_policy, self.acc_dtype = chunking_method, acc_policy, acc_dtype

    def __repr__(self) -> str:
        return f"LinearCrossEntropyOptions({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class LinearCrossEntropyLoss(WeightedLoss):
    """Linear map to logits and their cross entropy in one: features (N, in_features) and classes (N,) to the loss, as
    CrossEntropyLoss gives it of ``linear(features)``.
    in_features, num_classes: sizes of the map. out_features: more dimensions of the logits, for targets (N,
    *out_features) (()).
    bias: a learned number for each logit (False). device, dtype: those of the parameters (None: the defaults), drawn as
    a Linear's. reduction: 'mean' (default), 'sum' or 'none'. weight: a factor for each class (None). ignore_index: a
    class that counts nothing (None). label_smoothing: share of the loss that is spread over all classes (0.0).
    options: LinearCrossEntropyOptions (None). RuntimeError for a weight of other shape and a label_smoothing outside
    [0, 1].
    >>> nn.LinearCrossEntropyLoss(4, 3)(torch.zeros(2, 4), torch.tensor([0, 2])).shape
    torch.Size([])"""

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple = (), bias: bool = False, device: Any = None,
        dtype: Any = None, reduction: str = "mean", weight: Any = None, ignore_index: int | None = None,
        label_smoothing: float = 0.0, options: Any = None,
    ) -> None:  # fmt: skip
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.linear = Linear(in_features, num_classes * prod(out_features), bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape(*shape, -1), target,
            linear_bias=None if bias is None else bias.reshape(shape), weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        options = "num_classes out_features bias reduction ignore_index label_smoothing options".split()
        values = {name: getattr(self, name, None) for name in options} | {"bias": self.linear.bias is not None}
        return ", ".join([f"in_features={self.linear.in_features}", *(f"{k}={v}" for k, v in values.items())])


LinearCrossEntropyLoss.__module__ = "torch.nn.modules.loss"
LinearCrossEntropyOptions.__module__ = "torch.nn.modules.linear_cross_entropy_options"
