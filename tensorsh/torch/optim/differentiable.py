"""Steps of optimizers that are differentiated in turn (`differentiable=True`): the formulas on tensors, recorded.

The parameters, gradients and what the optimizer keeps may all have a history, as in learning to learn. Parameters of classes that
answer below autograd (``__torch_dispatch__``) are changed by the same formulas, unrecorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.arrays.door import answers_below
from ...engine.loading.table import find_function
from ...engine.tape.grad_modes import enable_grad, no_grad
from ...engine.tensors.tensor import Tensor
from .optimizer import scalar
from .optimizer import zeros as plain_zeros

PARTS = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "exp_inf", "square_avg", "acc_delta", "sum", "grad_avg", "ax", "prev",
         "step_size", "momentum_buffer")  # fmt: skip
"""What is kept in the shape of the parameter."""


def recorded(formula: Callable) -> Callable:
    """The method that makes a step of a group's parameters by a formula."""

    def step(optimizer: Any, group: dict) -> None:
        if group.get("differentiable"):
            run(formula, optimizer, group)
            return
        many = group["params"]
        run(formula, optimizer, {**group, "params": [p for p in many if answers_below(type(p))]}, no_grad)
        try:
            group["params"] = [p for p in many if not answers_below(type(p))]
            optimizer._apart(group)
        finally:
            group["params"] = many

    return step


def zeros(p: Tensor) -> Tensor:
    """A tensor of zeros like a parameter, of its class where that answers below autograd."""
    return find_function("zeros_like")(p.detach()) if answers_below(type(p)) else plain_zeros(p)


def run(formula: Callable, optimizer: Any, group: dict, recording: Callable = enable_grad) -> None:
    with recording():
        for p in group["params"]:
            if p._grad is None:
                continue
            kept, grad = optimizer.state[p], -p._grad if group["maximize"] else p._grad
            if not kept and "lr_decay" in group:
                kept |= {"step": scalar(0.0)(p), "sum": optimizer._start(p)}
            real = kept
            if p.is_complex():
                parts = find_function("view_as_real")
                real = {k: parts(v) if k in PARTS and isinstance(v, Tensor) else v for k, v in kept.items()}
                formula(group, parts(p), parts(grad), real)
                whole = find_function("view_as_complex")
                kept |= {k: whole(v) if k in PARTS and k not in kept else kept.get(k, v) for k, v in real.items()}
            else:
                formula(group, p, grad, kept)


def begin(kept: dict, p: Tensor, **fresh: Callable) -> None:
    """What an optimizer keeps, from its first step on."""
    if not kept:
        for name, make in fresh.items():
            kept[name] = make(p)


def decayed(group: dict, p: Tensor, grad: Tensor) -> Tensor:
    """A gradient with the decay of weights in it."""
    decay = group["weight_decay"]
    if isinstance(decay, Tensor) and decay.requires_grad:
        return grad.addcmul(p.clone(), decay)
    return grad.add(p, alpha=float(decay)) if decay else grad


def moved(p: Tensor, change: Tensor, lr: Any) -> None:
    """``p -= lr * change``, where the rate may have a history, too."""
    if isinstance(lr, Tensor):
        p.addcmul_(change, lr, value=-1)
    else:
        p.add_(change, alpha=-lr)


def counted(kept: dict) -> float:
    """The number of this step."""
    kept["step"] += 1
    return float(kept["step"])


def sgd(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    grad, momentum = decayed(group, p, grad), group["momentum"]
    if momentum:
        buffer = kept.get("momentum_buffer")
        if buffer is None:
            buffer = kept["momentum_buffer"] = grad.detach().clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
    moved(p, grad, group["lr"])


def means(group: dict, p: Tensor, grad: Tensor, kept: dict, **more: Callable) -> tuple:
    """The running means of Adam and its kin, after the decay of weights: the number of the step, the means, the gradient."""
    begin(kept, p, step=scalar(0.0), **more, exp_avg=zeros, exp_avg_sq=zeros)
    count, (beta1, beta2) = counted(kept), group["betas"]
    if group["decoupled_weight_decay"]:
        p.mul_(1 - group["lr"] * group["weight_decay"])
    else:
        grad = decayed(group, p, grad)
    mean, square = kept["exp_avg"], kept["exp_avg_sq"]
    mean.lerp_(grad, 1 - beta1)
    square.mul_(beta2).addcmul_(grad, grad, value=1 - float(beta2))
    return count, mean, square, grad


def adam(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    more = {"max_exp_avg_sq": zeros} if group["amsgrad"] else {}
    count, mean, square, _ = means(group, p, grad, kept, **more)
    beta1, beta2 = group["betas"]
    if group["amsgrad"]:
        most = kept["max_exp_avg_sq"]
        most.copy_(find_function("maximum")(most.clone(), square))
        square = most
    size = group["lr"] / (1 - beta1**count)
    root = square.sqrt() / (1 - beta2**count) ** 0.5 + group["eps"]
    moved(p, mean.clone() / root, size)


def adamax(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    begin(kept, p, step=scalar(0.0), exp_avg=zeros, exp_inf=zeros)
    count, (beta1, beta2), mean, most = counted(kept), group["betas"], kept["exp_avg"], kept["exp_inf"]
    grad = decayed(group, p, grad)
    mean.lerp_(grad, 1 - beta1)
    both = find_function("stack")([most * beta2, grad.abs() + group["eps"]])
    most.copy_(both.amax(0))
    moved(p, mean / most, group["lr"] / (1 - beta1**count))


def nadam(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    count, mean, square, grad = means(group, p, grad, kept, mu_product=scalar(1.0))
    (beta1, beta2), slowing, lr = group["betas"], group["momentum_decay"], group["lr"]
    mu, after = (beta1 * (1.0 - 0.5 * 0.96 ** (n * slowing)) for n in (count, count + 1))
    product = kept["mu_product"]
    product *= mu
    root = (square / (1 - beta2**count)).sqrt() + group["eps"]
    p.addcdiv_(grad * (-lr * (1.0 - mu) / (1.0 - product)), root)
    p.addcdiv_(mean * (-lr * after / (1.0 - product * after)), root)


def radam(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    count, mean, square, _ = means(group, p, grad, kept)
    beta1, beta2 = group["betas"]
    correction, change = 1 - beta2**count, mean / (1 - beta1**count)
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * count * beta2**count / correction
    if length > 5.0:
        scale = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        change = change * (correction**0.5 / (square.sqrt() + group["eps"])) * scale**0.5
    moved(p, change, group["lr"])


def adagrad(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    count, grad, total = counted(kept), decayed(group, p, grad), kept["sum"]
    total.addcmul_(grad, grad)
    moved(p, grad / (total.sqrt() + group["eps"]), group["lr"] / (1 + (count - 1) * group["lr_decay"]))


def adadelta(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    begin(kept, p, step=scalar(0.0), square_avg=zeros, acc_delta=zeros)
    counted(kept)
    grad, rho, eps = decayed(group, p, grad), group["rho"], group["eps"]
    square, changes = kept["square_avg"], kept["acc_delta"]
    square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    change = (changes + eps).sqrt() / (square + eps).sqrt() * grad
    changes.mul_(rho).addcmul_(change, change, value=1 - rho)
    moved(p, change, group["lr"])


def asgd(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    lr, lambd = group["lr"], group["lambd"]
    begin(kept, p, step=scalar(0.0), eta=scalar(float(lr)), mu=scalar(1.0), ax=zeros)
    count, eta, mean = counted(kept), float(kept["eta"]), kept["ax"]
    grad = decayed(group, p, grad)
    p.mul_(1 - lambd * eta)
    p.add_(grad, alpha=-eta)
    if float(kept["mu"]) == 1:
        mean.copy_(p)
    else:
        mean.add_((p - mean) * kept["mu"])
    kept["eta"].copy_(scalar(float(lr / (1 + lambd * lr * count) ** group["alpha"]))(p))
    kept["mu"].copy_(scalar(1 / max(1, count - group["t0"]))(p))


def rmsprop(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    more = {"momentum_buffer": zeros} if group["momentum"] > 0 else {}
    more |= {"grad_avg": zeros} if group["centered"] else {}
    begin(kept, p, step=scalar(0.0), square_avg=zeros, **more)
    counted(kept)
    grad, alpha, square = decayed(group, p, grad), group["alpha"], kept["square_avg"]
    square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    if group["centered"]:
        mean = kept["grad_avg"]
        mean.lerp_(grad, 1 - alpha)
        square = square.addcmul(mean, mean, value=-1)
    change = grad / (square.sqrt() + group["eps"])
    if group["momentum"] > 0:
        change = kept["momentum_buffer"].mul_(group["momentum"]).add_(change)
    moved(p, change, group["lr"])


def rprop(group: dict, p: Tensor, grad: Tensor, kept: dict) -> None:
    (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
    begin(kept, p, step=scalar(0.0), prev=zeros, step_size=lambda p: find_function("full_like")(p, float(group["lr"])))
    counted(kept)
    where, turn = find_function("where"), (grad * kept["prev"].clone()).sign()
    factor = where(turn.gt(0), grow, where(turn.lt(0), shrink, 1.0)).to(p.dtype)
    kept["step_size"].mul_(factor).clamp_(least, most)
    grad = where(turn.lt(0), 0.0, grad)
    p.addcmul_(grad.sign(), kept["step_size"], value=-1)
    kept["prev"].copy_(grad)
