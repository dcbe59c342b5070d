"""Softmax over many classes of unequal frequency, in clusters of falling size."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ....engine.arrays.dtype import int64
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import Sealed
from ..reach import F, T
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(namedtuple("_ASMoutput", ["output", "loss"]), metaclass=Sealed):
    """What the layer returns."""

    __slots__ = ()
    __module__ = "torch.nn.modules.adaptive"


ASMoutput = _ASMoutput


ASMoutput.__module__ = "torch.nn.modules.adaptive"


class AdaptiveLogSoftmaxWithLoss(Module):
    """Softmax over many classes of unequal frequency: frequent classes by one softmax, which also chooses among
    clusters of rarer ones, each with a smaller space (Grave and others, "Efficient softmax approximation for GPUs",
    2016). Called with features (N, in_features) and classes (N,), int64, both maybe without N, it gives (output, loss):
    the log probabilities (N,) of the classes and minus their mean. log_prob gives those of all classes (N, n_classes),
    predict the most probable.
    in_features: size of the features. n_classes: number of classes, the most frequent first. cutoffs: increasing
    numbers of classes at which a cluster begins. div_value: each cluster has in_features / div_value ** i features
    (4.0).
    head_bias: a learned number for each class of the first softmax (False). device, dtype: those of the parameters
    (None: the defaults). ValueError for other cutoffs, RuntimeError for classes and shapes that do not fit.
    >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4])
    >>> layer.log_prob(torch.zeros(3, 8)).shape
    torch.Size([3, 10])"""

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(cutoffs)
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
            or len(set(cutoffs)) != len(cutoffs)
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                "between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        options = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **options), Linear(hidden, size, bias=False, **options)
                )
            )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> Any:
        dims = target_.dim()
        if dims > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if dims and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != dims + 1:
            raise RuntimeError(
                f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size {input_.size()}"
            )
        single = not dims
        x, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        bounds = [0, *self.cutoffs]
        used = 0
        where = T.empty(target.shape, dtype=int64)
        output = T.zeros(target.shape[0], dtype=x.dtype, device=x.device)
        for i in range(len(bounds) - 1):
            rows = ((target >= bounds[i]) & (target < bounds[i + 1])).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            used += rows.numel()
            if i == 0:
                where = where.index_copy(0, rows, target[rows])
                continue
            found = F.log_softmax(self.tail[i - 1](x.index_select(0, rows)), dim=1)
            chosen = found.gather(1, (target[rows] - bounds[i]).unsqueeze(1))
            output = output.index_copy(0, rows, chosen.squeeze(1))
            where = where.index_fill(0, rows, self.shortlist_size + i - 1)
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(x), dim=1)
        output = output + head.gather(1, where.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return ASMoutput(output.squeeze(0) if single else output, loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes."""
        head = F.log_softmax(self.head(input), dim=1)
        n = self.shortlist_size
        parts = [head[:, :n]]
        for i, module in enumerate(self.tail):
            parts.append(F.log_softmax(module(input), dim=1) + head[:, n + i].unsqueeze(1))
        return T.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row."""
        return self.log_prob(input).argmax(dim=1)
