"""Batch and instance normalisation, with running statistics, and their lazy forms."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.state import state
from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from ..reach import F, T
from .family import family
from .lazy import LazyModuleMixin, lazy_forms
from .module import Module

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyBatchNorm1d",
    "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    "SyncBatchNorm",
    "_BatchNorm", "_InstanceNorm", "_NormBase",
]  # fmt: skip


class NormBase(Module):
    """What batch and instance normalisation share: scale and shift, running statistics, text."""

    _version = 2
    ranks: tuple[int, ...] = ()
    """The numbers of dimensions an input may have."""

    def _setup(
        self, num_features: int, eps: float, momentum: float | None, affine: bool, track_running_stats: bool, bias: bool,
        device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            if wanted:
                setattr(self, name, Parameter(T.empty(num_features, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        if track_running_stats:
            self.register_buffer("running_mean", T.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", T.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", T.tensor(0, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Scale by one, shift by zero, no running statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        ndim = input.dim()
        if all([ndim != n for n in self.ranks]):
            ranks = " or ".join([f"{n}D" for n in self.ranks])
            raise ValueError(f"expected {ranks} input (got {ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict, *rest: Any) -> None:
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class BatchNorm(NormBase):
    """Normalises each channel over the batch."""

    _owners = {"__init__": "_BatchNorm", "forward": "_BatchNorm"}

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._setup(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        tracks = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if tracks else (None, None)
        training = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, factor, self.eps)


BatchNorm1d, BatchNorm2d, BatchNorm3d = family(
    BatchNorm,
    "BatchNorm",
    """Batch normalisation of (N, C, {size}), in 1d also of (N, C), to the same shape: (x - mean) / sqrt(var + eps) * weight +
    bias, with mean and variance of each channel over all else (Ioffe and Szegedy, 2015). In training they are those of the
    input, the variance uncorrected; after `eval()` the running ones.
    num_features: the C.
    eps: added to the variance (1e-5). momentum: share of a new value, the variance corrected, in the running statistics
    (0.1); None for the mean over all batches. affine: learn weight (at first 1) and bias (at first 0), of shape (C,) (True).
    track_running_stats: keep buffers running_mean, running_var and num_batches_tracked (True); without them the input's
    statistics are used after `eval()`, too. bias: False leaves the bias out (True).
    device, dtype: those of parameters and buffers (None: the defaults).
    ValueError for other numbers of dimensions and, in training, for one value a channel.
    >>> nn.BatchNorm{n}d(3)(torch.zeros(2, 3{6s})).shape
    torch.Size([2, 3{6s}])""",
    ranks={1: (2, 3), 2: (4,), 3: (5,)},
)


class SyncBatchNorm(BatchNorm):
    """Batch normalisation over the batches of several processes; here, over the one there is: (N, C, ...), two
    dimensions or more, to the same shape, as BatchNorm2d does.
    num_features: the C. eps: added to the variance (1e-5). momentum: share of a new value in the running statistics
    (0.1); None for the mean over all batches. affine: learn weight (at first 1) and bias (at first 0) (True).
    track_running_stats: keep running_mean and running_var, and use them after `eval()` (True). process_group: kept,
    with no effect here (None).
    bias: False leaves the bias out (True). device, dtype: those of parameters and buffers (None: the defaults).
    convert_sync_batchnorm(module) puts one in the place of each BatchNorm. ValueError for fewer than 2 dimensions, and for a tensor of the
    processor in training once there are several processes.
    >>> nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(3)))[0].num_features
    3"""

    _owners = {"forward": ""}

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")
        if not input.shape[1]:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")
        if self.training and state.__dict__.get("distributed_default") is not None and input.device.type == "cpu":
            raise ValueError("SyncBatchNorm expected input tensor to be on GPU or XPU or privateuseone")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """A module with its batch normalisations replaced."""
        made = module
        if isinstance(module, BatchNorm):
            made = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group,
                bias=module.bias is not None,
            )  # fmt: skip
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(made, name, getattr(module, name))
        for name, child in list(module.named_children()):
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class InstanceNorm(NormBase):
    """Normalises each channel of each example."""

    _owners = {"__init__": "_InstanceNorm", "forward": "_InstanceNorm"}

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._setup(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def _get_no_batch_dim(self) -> int:
        """The dimensions of an input that is one example."""
        return self.ranks[0]

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channels = input.ndim - self.ranks[1] + 1
        if input.shape[channels] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channels} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[channels]}."
                )
            warn(
                f"input's size at dim={channels} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False"
            )
        if input.ndim == self.ranks[0]:
            return self._normalised(input.unsqueeze(0)).squeeze(0)
        return self._normalised(input)

    def _normalised(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip


InstanceNorm1d, InstanceNorm2d, InstanceNorm3d = family(
    InstanceNorm,
    "InstanceNorm",
    """Instance normalisation of (N, C, {size}), or without N, to the same shape: (x - mean) / sqrt(var + eps) * weight + bias,
    with mean and (uncorrected) variance of each channel of each example (Ulyanov and others, 2016).
    num_features: the C.
    eps: added to the variance (1e-5). momentum: share of a new value in the running statistics (0.1).
    affine: learn weight (at first 1) and bias (at first 0), of shape (C,) (False).
    track_running_stats: keep running_mean and running_var, and use them after `eval()` (False).
    bias: False leaves the bias out where affine is set (True). device, dtype: those of parameters and buffers (None: the
    defaults).
    ValueError for other numbers of dimensions, for another C where affine is set, and for one value a channel in training.
    >>> nn.InstanceNorm{n}d(3)(torch.zeros(2, 3{6s})).shape
    torch.Size([2, 3{6s}])""",
    ranks={1: (2, 3), 2: (3, 4), 3: (4, 5)},
)


class LazyNorm(LazyModuleMixin, NormBase):
    """A normalisation that takes the number of channels from its first input."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _setup(self, num_features: int, *rest: Any) -> None:
        eps, momentum, affine, tracks, bias, device, dtype = rest
        super()._setup(0, eps, momentum, False, False, False, None, None)
        self.affine, self.track_running_stats = affine, tracks
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if tracks:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = T.tensor(0, device=device)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the number of channels from an input."""
        self.num_features = input.shape[1]
        for entry in (self.weight, self.bias, self.running_mean, self.running_var):
            if entry is not None:
                entry.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm(LazyNorm, BatchNorm):
    """A lazy batch normalisation."""

    _owners = dict.fromkeys(("__init__", "initialize_parameters"), "_LazyNormBase")


LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = lazy_forms(
    LazyBatchNorm,
    (BatchNorm1d, BatchNorm2d, BatchNorm3d),
    "num_features",
    """>>> nn.LazyBatchNorm{n}d()(torch.zeros(2, 3{6s})).shape
    torch.Size([2, 3{6s}])""",
)


class LazyInstanceNorm(LazyNorm, InstanceNorm):
    """A lazy instance normalisation."""

    _owners = dict.fromkeys(("__init__", "initialize_parameters"), "_LazyNormBase")


LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = lazy_forms(
    LazyInstanceNorm,
    (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d),
    "num_features",
    """>>> nn.LazyInstanceNorm{n}d()(torch.zeros(2, 3{6s})).shape
    torch.Size([2, 3{6s}])""",
)

# PyTorch's names of the base classes, which programs ask for with `isinstance` and derive from.
_BatchNorm, _InstanceNorm, _NormBase = BatchNorm, InstanceNorm, NormBase

for _kind in (
    InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d,
):  # fmt: skip
    _kind.__module__ = "torch.nn.modules.instancenorm"
