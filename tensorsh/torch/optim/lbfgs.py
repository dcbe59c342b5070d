"""L-BFGS, with or without a line search by the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...engine.tape.grad_modes import enable_grad, no_grad
from ...engine.tensors.tensor import Tensor
from ..nn.reach import T
from .optimizer import Optimizer, number, options, rate, real_parts

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Limited-memory method of Broyden, Fletcher, Goldfarb and Shanno, which learns curvature from the last steps (Liu
    and Nocedal, 1989). `step` needs a closure that clears the gradients, computes the loss and its gradients, and gives
    the loss.
    params: tensors, in one group. lr: length of steps (1). max_iter: iterations in a step (20). max_eval: calls of the
    closure in a step (None: 1.25 * max_iter). tolerance_grad: end where no gradient is larger (1e-7). tolerance_change:
    end where loss or parameters change less (1e-9). history_size: steps to learn from (100). line_search_fn: None, or
    'strong_wolfe' to look for good lengths of steps.
    ValueError for several groups and for a negative lr, RuntimeError for another line search.
    >>> x = torch.ones(2, requires_grad=True)
    >>> solver = optim.LBFGS([x])
    >>> def closure():
    ...     solver.zero_grad()
    ...     loss = ((x - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> solver.step(closure)
    tensor(8., grad_fn=<SumBackward0>)
    >>> x
    tensor([3., 3.], requires_grad=True)"""

    def __init__(
        self, params: Any, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        order = "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn"
        super().__init__(params, options(locals(), order, lr=rate))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def _gather_flat_grad(self) -> Tensor:
        """All gradients as one vector."""
        flat = []
        for p in self.param_groups[0]["params"]:
            gradient = T.zeros_like(p) if p.grad is None else p.grad.to_dense()
            flat.append(real_parts(gradient).reshape(-1))
        return T.cat(flat, 0)

    def _add_grad(self, step_size: Any, direction: Tensor) -> None:
        """Move all parameters along a direction."""
        at = 0
        for p in map(real_parts, self.param_groups[0]["params"]):
            n = p.numel()
            p.add_(direction[at : at + n].view_as(p), alpha=number(step_size))
            at += n

    def _direction(self, state: dict, gradient: Tensor, history_size: int) -> Tensor:
        """The gradient turned by what the last steps taught of the curvature."""
        y = gradient.sub(state["prev_flat_grad"])
        s = state["d"].mul(state["t"])
        ys = y.dot(s)
        steps, changes, rho = state["old_stps"], state["old_dirs"], state["ro"]
        if ys > 1e-10:
            if len(changes) == history_size:
                for kept in (changes, steps, rho):
                    kept.pop(0)
            changes.append(y)
            steps.append(s)
            rho.append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        al = state.setdefault("al", [None] * history_size)
        q = gradient.neg()
        for i in range(len(changes) - 1, -1, -1):
            al[i] = steps[i].dot(q) * rho[i]
            q.add_(changes[i], alpha=-al[i].item())
        r = T.mul(q, state["H_diag"])
        for i in range(len(changes)):
            r.add_(steps[i], alpha=(al[i] - changes[i].dot(r) * rho[i]).item())
        return r

    @no_grad()
    def step(self, closure: Callable) -> Any:  # type: ignore[override]
        """Up to `max_iter` iterations; `closure` clears the gradients, computes the loss and its gradients."""
        closure = self._before_step(closure)
        loss = self._iterate(closure)
        self._after_step(closure)
        return loss

    def _directional_evaluate(self, closure: Callable, x: list, t: Any, d: Tensor) -> tuple[float, Tensor]:
        """The loss and the gradient a step further; the parameters stay what they were, which is `x`."""
        self._add_grad(t, d)
        loss = float(closure())
        found = self._gather_flat_grad()
        for p, before in zip(self.param_groups[0]["params"], x, strict=True):
            p.copy_(before)
        return loss, found

    def _iterate(self, closure: Callable) -> Any:
        closure = enable_grad()(closure)
        self._opt_called = True
        group = self.param_groups[0]
        lr, tolerance = number(group["lr"]), group["tolerance_change"]
        params = group["params"]
        state = self.state[params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._gather_flat_grad()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                state.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            else:
                state["d"] = self._direction(state, gradient, group["history_size"])
            d = state["d"]
            state["prev_flat_grad"] = gradient.clone()
            state["prev_loss"] = loss
            t = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            state["t"] = t
            slope = gradient.dot(d)
            if slope > -tolerance:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                evaluate, start = partial(self._directional_evaluate, closure), [p.clone() for p in params]
                left = group["max_eval"] - evaluations
                loss, gradient, t, used = strong_wolfe(evaluate, start, t, d, loss, gradient, slope, max_ls=left)
                state["t"] = t
                self._add_grad(t, d)
            else:
                self._add_grad(t, d)
                if iteration != group["max_iter"]:
                    loss = float(closure())
                    gradient = self._gather_flat_grad()
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or gradient.abs().max() <= group["tolerance_grad"]
                or d.mul(t).abs().max() <= tolerance
                or abs(loss - state["prev_loss"]) < tolerance
            ):
                break
        for name in ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"):
            state[name] = state.pop(name)  # in the order in which PyTorch stores them
        return first_loss


def cubic(x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple | None = None) -> Any:
    """The place of the least value of the cubic through two points with their slopes, kept within bounds."""
    low, high = bounds or ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(
    obj_func: Callable, x: Any, t: Any, d: Tensor, f: float, g: Tensor, gtd: Any, c1: float = 1e-4, c2: float = 0.9,
    tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple:  # fmt: skip
    """A step length that decreases the loss and the slope enough: loss, gradient, length, evaluations.

    obj_func: of the start `x`, a length and the direction `d`, loss and gradient there. t: the first length. f, g, gtd: loss,
    gradient and slope at the start. c1, c2: what part of the slope the loss must fall by, and the slope may keep.
    """
    size = d.abs().max()
    g = g.clone()

    def look(length: Any) -> tuple:
        value, gradient = obj_func(x, length, d)
        return length, value, gradient, gradient.dot(d)

    before, now = (0, f, g, gtd), look(t)
    done, tries = False, 0
    bracket: list = []
    while tries < max_ls:
        if now[1] > f + c1 * now[0] * gtd or (tries > 1 and now[1] >= before[1]):
            bracket = [before, now]
            break
        if abs(now[3]) <= -c2 * gtd:
            bracket, done = [now], True
            break
        if now[3] >= 0:
            bracket = [before, now]
            break
        bounds = (now[0] + 0.01 * (now[0] - before[0]), now[0] * 10)
        t = cubic(before[0], before[1], before[3], now[0], now[1], now[3], bounds)
        before, now = now, look(t)
        tries += 1
    evaluations = tries + 1
    if tries == max_ls:
        bracket = [(0, f, g, gtd), now]
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and tries < max_ls:
        ends = (bracket[0][0], bracket[1][0])
        if abs(ends[1] - ends[0]) * size < tolerance_change:
            break
        t = cubic(*(bracket[0][i] for i in (0, 1, 3)), *(bracket[1][i] for i in (0, 1, 3)))
        # A place near an end twice in a row is moved a tenth of the way inwards.
        margin = 0.1 * (max(ends) - min(ends))
        if min(max(ends) - t, t - min(ends)) < margin:
            if stuck or t >= max(ends) or t <= min(ends):
                t = max(ends) - margin if abs(t - max(ends)) < abs(t - min(ends)) else min(ends) + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = look(t)
        evaluations += 1
        tries += 1
        if now[1] > f + c1 * t * gtd or now[1] >= bracket[low][1]:
            bracket[high] = now
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(now[3]) <= -c2 * gtd:
                done = True
            elif now[3] * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
    t, value, gradient, _ = bracket[low]
    return value, gradient, t, evaluations
