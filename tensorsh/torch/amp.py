"""``torch.amp``: programs for mixed precision run, in full precision.

`autocast` switches itself off where its device is not there, as PyTorch's does; where it would have an effect it says that
tensorsh lacks it. `GradScaler` scales and unscales as PyTorch's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..engine.dtype import bfloat16, dtype, float16
from ..engine.tensor import Tensor
from ..sealed import Sealed
from .cuda import is_available

__all__ = ["GradScaler", "autocast", "is_autocast_available"]


class autocast(metaclass=Sealed):
    """A context, or a decorator, in which PyTorch computes in lower precision; here it can only be switched off."""

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        from ..engine.device import device

        device(device_type)
        if enabled and device_type == "cuda" and not is_available():
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and device_type == "cpu" and dtype not in (None, bfloat16, float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self.device, self.enabled = device_type, enabled

    def __enter__(self) -> autocast:
        if self.enabled:
            raise NotImplementedError(
                f"tensorsh does not compute in mixed precision: give torch.autocast('{self.device}', enabled=False)"
            )
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __call__(self, function: Callable) -> Callable:
        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` can have an effect: never."""
    return False


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether an `autocast` is in effect: never."""
    return False


class GradScaler(metaclass=Sealed):
    """Scales a loss, that small gradients of half precision do not vanish, and steps with the unscaled gradients."""

    __module__ = "torch.amp.grad_scaler"

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        if enabled and device == "cuda" and not is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._good = growth_interval, 0
        self._finite: dict[int, bool] = {}

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def get_scale(self) -> float:
        """The factor by which losses are scaled."""
        return self._scale if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """The outputs (a tensor, or sequences of them), times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        return type(outputs)(self.scale(each) for each in outputs)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale, and see whether all are finite."""
        if not self._enabled:
            return
        if id(optimizer) in self._finite:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        finite = True
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.detach().mul_(1 / self._scale)
                    finite = finite and bool(p.grad.isfinite().all())
        self._finite[id(optimizer)] = finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Step with unscaled gradients; not at all if one is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) not in self._finite:
            self.unscale_(optimizer)
        return optimizer.step(*args, **kwargs) if self._finite[id(optimizer)] else None

    def update(self, new_scale: Any = None) -> None:
        """Lower the scale after infinite gradients; raise it after a long time without."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._finite:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif not all(self._finite.values()):
            self._scale *= self._backoff_factor
            self._good = 0
        else:
            self._good += 1
            if self._good == self._growth_interval:
                raised = self._scale * self._growth_factor
                self._scale = raised if math.isfinite(raised) else self._scale
                self._good = 0
        self._finite = {}

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def state_dict(self) -> dict[str, Any]:
        """The scale and how it changes; empty when not enabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale, "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._good,
        }  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale = state_dict["scale"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._good = state_dict["growth_interval"], state_dict["_growth_tracker"]


def cuda_autocast(enabled: bool = True, dtype: dtype = float16, cache_enabled: bool = True) -> autocast:
    """``torch.cuda.amp.autocast``: the older name of ``torch.amp.autocast("cuda")``."""
    _deprecated("autocast")
    return autocast("cuda", dtype, enabled, cache_enabled)


def cuda_grad_scaler(*args: Any, **kwargs: Any) -> GradScaler:
    """``torch.cuda.amp.GradScaler``: the older name of ``torch.amp.GradScaler("cuda")``."""
    _deprecated("GradScaler")
    return GradScaler("cuda", *args, **kwargs)


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )
