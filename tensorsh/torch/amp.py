"""``torch.amp``: computing in lower precision where it does no harm (`autocast`), and the scaling of losses for it.

On the CPU `autocast` casts as PyTorch's lists say. On a GPU tensorsh has no mixed precision; there it says so, and where no
GPU is there it switches itself off as PyTorch does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..engine.arrays.device import device
from ..engine.arrays.dtype import bfloat16, dtype, float16, float64
from ..engine.arrays.state import here
from ..engine.arrays.warning import warn
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import wraps
from .containers import cast
from .cuda import is_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


class autocast(metaclass=Sealed):
    """A context, or a decorator, in which matrix products and convolutions are computed in bfloat16 or float16.
    device_type: 'cpu'. dtype: bfloat16 (None) or float16. enabled: False does nothing. cache_enabled: keep the casts of
    parameters within the context. Parameters stay float32, and so do sums, losses and norms.
    >>> layer = nn.Linear(3, 2)
    >>> with torch.autocast("cpu"):
    ...     y = layer(torch.ones(1, 3))
    >>> y.dtype, layer.weight.dtype
    (torch.bfloat16, torch.float32)
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        from ..engine.arrays.device import device

        device(device_type)
        if enabled and device_type == "cuda" and not is_available():
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and device_type == "cpu" and dtype not in (None, bfloat16, float16):
            warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self.device, self._enabled = device_type, enabled
        self.fast_dtype = dtype or get_autocast_dtype(device_type)
        self._cache_enabled = True if cache_enabled is None else cache_enabled

    def __enter__(self) -> autocast:
        self._before = here.autocast
        if self.device != "cpu":
            if self._enabled:
                raise NotImplementedError(
                    f"tensorsh does not compute in mixed precision: give torch.autocast('{self.device}', enabled=False)"
                )
            return self
        if not self._enabled:
            here.autocast = None
            here.settle()
            return self
        from ..engine.operators.autocast import Precision
        from ..engine.operators.hooks import attend

        attend()
        casts = {} if self._before is None else self._before.casts
        here.autocast = Precision(self.fast_dtype, self._cache_enabled, casts)
        here.settle()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.device == "cpu":
            here.autocast = self._before
            here.settle()

    def __call__(self, function: Callable) -> Callable:
        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside


def is_autocast_available(device_type: str) -> bool:
    """Whether there is an `autocast` for a kind of device, which may be none of this machine's. RuntimeError: no such kind."""
    return device(device_type).type in "cpu cuda xla mps xpu hpu mtia ipu privateuseone maia".split()


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether an `autocast` for a kind of device is in effect."""
    return device_type == "cpu" and here.autocast is not None


def get_autocast_dtype(device_type: str) -> dtype:
    """The type that an `autocast` computes in."""
    if device_type == "cpu" and here.autocast is not None:
        return here.autocast.type
    usual = bfloat16 if device_type == "cpu" else float16
    return here.__dict__.get("autocast_dtypes", {}).get(device_type, usual)


def is_autocast_cache_enabled() -> bool:
    """Whether an `autocast` casts each weight once only."""
    return here.__dict__.get("autocast_cache", True) if here.autocast is None else here.autocast.cache


def clear_autocast_cache() -> None:
    """Forget the weights that were cast."""
    if here.autocast is not None:
        here.autocast.casts.clear()


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: dtype | None = None) -> Callable:
    """A decorator of a custom function's ``forward``: it runs in the precision in effect, or with its inputs cast."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        on = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *cast(args, cast_inputs, float64), **cast(kwargs, cast_inputs, float64))

    return forward


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable:
    """A decorator of a custom function's ``backward``: it runs in the precision that ``forward`` ran in."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return partial(custom_bwd, device_type=device_type)

    @wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, ctx._dtype, ctx._fwd_used_autocast):
            return bwd(ctx, *args, **kwargs)

    return backward


def cuda_custom_fwd(fwd: Callable | None = None, *, cast_inputs: dtype | None = None) -> Callable:
    """``torch.cuda.amp.custom_fwd``: the older name of ``torch.amp.custom_fwd(..., device_type="cuda")``."""
    _deprecated("custom_fwd", arguments="args..., device_type='cuda'")
    return custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def cuda_custom_bwd(bwd: Callable) -> Callable:
    """``torch.cuda.amp.custom_bwd``: the older name of ``torch.amp.custom_bwd(..., device_type="cuda")``."""
    _deprecated("custom_bwd", arguments="args..., device_type='cuda'")
    return custom_bwd(bwd, device_type="cuda")


def cuda_autocast(enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True) -> autocast:
    """``torch.cuda.amp.autocast``: the older name of ``torch.amp.autocast("cuda")``."""
    _deprecated("autocast")
    return autocast("cuda", dtype, enabled, cache_enabled)


def cpu_autocast(enabled: bool = True, dtype: dtype = bfloat16, cache_enabled: bool = True) -> autocast:
    """``torch.cpu.amp.autocast``: the older name of ``torch.amp.autocast("cpu")``."""
    _deprecated("autocast", "cpu")
    return autocast("cpu", dtype, enabled, cache_enabled)


class CudaGradScaler(GradScaler):
    """``torch.cuda.amp.GradScaler``: the older name of ``torch.amp.GradScaler("cuda")``."""

    __module__, __qualname__ = "torch.cuda.amp.grad_scaler", "GradScaler"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", *args, **kwargs)


class CpuGradScaler(GradScaler):
    """``torch.cpu.amp.GradScaler``: the older name of ``torch.amp.GradScaler("cpu")``."""

    __module__, __qualname__ = "torch.cpu.amp.grad_scaler", "GradScaler"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _deprecated("GradScaler", "cpu")
        super().__init__("cpu", *args, **kwargs)


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU to which mixed precision could apply."""
    return not is_available()


def _deprecated(name: str, device: str = "cuda", arguments: str | None = None) -> None:
    new = arguments or f"'{device}', args..."
    warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}({new})` instead.",
        FutureWarning,
    )
