"""Adam and AdamW."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from .arithmetic import addcdiv, addcmul, in_one_pass, lerp, pieces, plus
from .optimizer import Optimizer, advance, check, check_betas, number, scalar, zeros

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps scaled by running means of the gradients and of their squares."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0,
        amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
            if lr.numel() != 1:
                raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        check(epsilon_value=eps)
        check_betas(betas)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        kinds = {isinstance(b, Tensor) for b in betas}
        if kinds != {True} and not all(isinstance(b, float) for b in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {
            "lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        if fused and differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _update_sparse(self, group: dict, params: list) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def _update(self, group: dict) -> None:
        lr, decay, eps = number(group["lr"]), group["weight_decay"], group["eps"]
        beta1, beta2 = map(number, group["betas"])
        amsgrad, maximize, decoupled = group["amsgrad"], group["maximize"], group["decoupled_weight_decay"]
        fresh = {"step": scalar(0.0), "exp_avg": zeros, "exp_avg_sq": zeros}
        if amsgrad:
            fresh["max_exp_avg_sq"] = zeros
        steps: Any = None
        for _, array, gradient, state in self._each(group, **fresh):
            step = advance(state)
            step_size = lr / (1 - beta1**step)
            correction = (1 - beta2**step) ** 0.5
            arrays = [array, gradient, state["exp_avg"]._array, state["exp_avg_sq"]._array]
            if amsgrad:
                arrays.append(state["max_exp_avg_sq"]._array)
            if type(array) is not np.ndarray:
                from ...engine.cuda import optimizer

                steps = steps or optimizer.Steps()
                steps.add(
                    optimizer.AMSGRAD if amsgrad else optimizer.ADAM, arrays, 1 - lr * decay if decoupled else 1.0,
                    0.0 if decoupled else decay, -1.0 if maximize else 1.0, 1 - beta1, beta2, 1 - beta2, correction, eps,
                    step_size,
                )  # fmt: skip
                continue
            numbers = (
                -step_size, 0.0 if decoupled else decay, 1 - lr * decay if decoupled else 1.0, -1.0 if maximize else 1.0,
                1 - beta1, 1 - beta2, correction, eps, beta2,
            )  # fmt: skip
            if in_one_pass("adam_step", arrays, *numbers):
                continue
            for x, g, m, v, *most in pieces(*arrays):
                kind = x.dtype.type
                if maximize:
                    g = -g
                if decay:
                    if decoupled:
                        x *= kind(1 - lr * decay)
                    else:
                        g = plus(g, x, decay)
                lerp(m, g, 1 - beta1)
                v *= kind(beta2)
                addcmul(v, g, g, 1 - beta2)
                if most:
                    v = np.maximum(most[0], v, out=most[0])
                root = np.sqrt(v)
                root /= kind(correction)
                root += kind(eps)
                addcdiv(x, m, root, -step_size)
        if steps is not None:
            steps.run()


class AdamW(Adam):
    """Adam with weight decay apart from the gradient."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2,
        amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


AdamW.__module__ = "torch.optim.adamw"
