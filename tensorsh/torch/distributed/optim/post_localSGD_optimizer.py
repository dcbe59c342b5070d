"""`PostLocalSGDOptimizer`: an optimizer whose parameters are averaged over processes after each step."""

from __future__ import annotations

from typing import Any

from ...optim.optimizer import Optimizer

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(Optimizer):
    """Another optimizer, and an averager that is asked after each of its steps.
    optim: the optimizer. averager: the averager."""

    __module__ = "torch.distributed.optim.post_localSGD_optimizer"

    def __init__(self, optim: Any, averager: Any) -> None:
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups

    state = property(lambda self: self.optim.state, doc="The state of the optimizer.")

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict:
        """The state of the optimizer, with the averager's count of steps."""
        found = self.optim.state_dict()
        found["step"] = self.averager.step
        return found

    def load_state_dict(self, state_dict: dict) -> None:
        """Take a state.
        state_dict: what `state_dict()` gave."""
        self.optim.load_state_dict(state_dict)
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:  # type: ignore[override]
        """A step of the optimizer, and the averager's turn."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict) -> None:
        """Take more parameters."""
        self.optim.add_param_group(param_group)
