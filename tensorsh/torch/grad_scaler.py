"""``torch.amp.GradScaler``: losses scaled so that small gradients of half precision do not vanish."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from ..engine.arrays.warning import warn
from ..engine.loading.table import find_function
from ..engine.tape.grad_modes import no_grad
from ..engine.tensors.tensor import Tensor
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import signature
from .cuda import is_available

HINT = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
NO_SCALE = (
    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
)


class OptState(Enum):
    """What was done with an optimizer since the last update."""

    READY, UNSCALED, STEPPED = range(3)


OptState.__module__ = "torch.amp.grad_scaler"


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def number(value: float, device: Any, dtype: Any = None) -> Tensor:
    """A tensor of one number without dimensions."""
    return find_function("full")((), value, dtype=dtype or find_function("empty")(0).dtype, device=device)


def unscale(grads: Iterable[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply gradients in place, and set `found_inf` to 1 where one is not finite."""
    with no_grad():
        for grad in grads:
            if not bool(grad.isfinite().all()):
                found_inf.fill_(1.0)
            grad.mul_(inv_scale.to(device=grad.device).item())


def update_scale(
    scale: Tensor, growth_tracker: Tensor, found_inf: Tensor, growth_factor: float, backoff_factor: float, interval: int
) -> Tensor:
    """Change a scale in place: lower after gradients that are not finite, higher after so many steps without."""
    if found_inf.item():
        scale.mul_(backoff_factor)
        growth_tracker.fill_(0)
        return scale
    successful = growth_tracker.item() + 1
    if successful == interval:
        grown = scale * growth_factor
        if math.isfinite(grown.item()):
            scale.copy_(grown)
        successful = 0
    growth_tracker.fill_(successful)
    return scale


class GradScaler(metaclass=Sealed):
    """Scales a loss, that small gradients of half precision do not vanish, and steps with the unscaled gradients."""

    __module__ = "torch.amp.grad_scaler"

    _scale: Tensor | None
    _growth_tracker: Tensor | None

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        if enabled and device == "cuda" and not is_available():
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            enabled = False
        self._device, self._enabled = device, enabled
        if enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale, self._scale = init_scale, None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval, self._init_growth_tracker = growth_interval, 0
            self._growth_tracker = None
        self._per_optimizer_states: dict[int, Any] = defaultdict(_refresh_per_optimizer_state)

    def _started(self, function: str) -> tuple[Tensor, Tensor]:
        """The scale and the count of good steps, which `scale` makes."""
        if self._scale is None or self._growth_tracker is None:
            missing = "_scale" if self._scale is None else "_growth_tracker"
            raise AssertionError(f"Attempted {function} but {missing} is None.  {HINT}")
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev: Any) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = number(self._init_scale, dev, dtype=find_function("zeros")(0).float().dtype)
        self._growth_tracker = number(self._init_growth_tracker, dev, dtype=find_function("zeros")(0).int().dtype)

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def get_scale(self) -> float:
        """The factor by which losses are scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def scale(self, outputs: Any) -> Any:
        """The outputs (a tensor, or sequences of them), times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale.to(outputs.device)  # type: ignore[union-attr]
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled  # type: ignore[call-arg]
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads_(self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool) -> dict:
        """Unscale the gradients of an optimizer; for each of their devices, whether one is not finite."""
        found: dict[Any, Tensor] = {}
        for group in optimizer.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if not allow_fp16 and grad.dtype.name == "float16":
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.is_sparse:
                    if grad.dtype.name == "float16":
                        grad = p.grad = grad.coalesce()
                    grad = grad._values()
                mark = found.setdefault(grad.device, found_inf.to(grad.device, copy=True))
                unscale([grad.detach()], mark, inv_scale)
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divide the optimizer's gradients by the scale, and see whether all are finite."""
        if not self._enabled:
            return
        scale, _ = self._started("unscale_")
        known = self._per_optimizer_states[id(optimizer)]
        if known["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if known["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        known["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, number(0.0, scale.device), False)
        known["stage"] = OptState.UNSCALED

    def _check_inf_per_device(self, optimizer: Any) -> dict:
        scale, _ = self._started("_check_inf_per_device")
        known = self._per_optimizer_states[id(optimizer)]
        one, zero = number(1.0, scale.device), number(0.0, scale.device)
        known["found_inf_per_device"] = self._unscale_grads_(optimizer, one, zero, True)
        return known["found_inf_per_device"]

    def _found_inf_per_device(self, optimizer: Any) -> dict:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if any(found.item() for found in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Step with unscaled gradients; not at all if one is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        scale, _ = self._started("step")
        known = self._per_optimizer_states[id(optimizer)]
        if known["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._left_to(optimizer, scale, known, args, kwargs)
        if known["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not known["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        found = self._maybe_opt_step(optimizer, known, *args, **kwargs)
        known["stage"] = OptState.STEPPED
        return found

    def _left_to(self, optimizer: Any, scale: Tensor, known: dict, args: tuple, kwargs: dict) -> Any:
        """A step of an optimizer that looks after the scale itself."""
        takes = "grad_scaler" in signature(optimizer.step).parameters
        if takes:
            warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
                "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the "
                "optimizer use them directly.",
                FutureWarning,
            )
            kwargs = kwargs | {"grad_scaler": self}
        else:
            if known["stage"] is OptState.READY:
                self._check_inf_per_device(optimizer)
            before = getattr(optimizer, "grad_scale", None)
            unscaled = known["stage"] == OptState.UNSCALED
            optimizer.grad_scale = before if unscaled else scale * (1 if before is None else before)
            optimizer.found_inf = sum(t.to(scale.device) for t in known["found_inf_per_device"].values())
        found = optimizer.step(*args, **kwargs)
        known["stage"] = OptState.STEPPED
        if not takes:
            del optimizer.grad_scale, optimizer.found_inf
        return found

    def update(self, new_scale: Any = None) -> None:
        """Lower the scale after infinite gradients; raise it after a long time without."""
        if not self._enabled:
            return
        scale, tracker = self._started("update")
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
        elif new_scale is not None:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(NO_SCALE)
            scale.copy_(new_scale)
        else:
            states = self._per_optimizer_states.values()
            found = [mark.to(scale.device) for each in states for mark in each["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            factors = self._growth_factor, self._backoff_factor
            update_scale(scale, tracker, sum(found[1:], found[0]), *factors, self._growth_interval)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The scale and how it changes; empty when not enabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker(),
        }  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self) -> dict[str, Any]:
        found = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            found["_init_scale"], found["_init_growth_tracker"] = self.get_scale(), self._get_growth_tracker()
            found["_scale"] = found["_growth_tracker"] = None
        return found

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
