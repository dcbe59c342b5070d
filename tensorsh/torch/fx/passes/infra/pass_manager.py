"""``torch.fx.passes.infra.pass_manager``: several passes, in an order that rules of which comes first allow."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable
from typing import Any

from .....sandbox.wrapping import wraps
from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def name_of(function: Any) -> str:
    return function.__name__ if inspect.isfunction(function) else type(function).__name__


def pass_result_wrapper(fn: Any) -> Any:
    """A pass of a function that changes a module in place or gives another. fn: the function."""
    if fn is None:
        return None

    @wraps(fn)
    def call(gm: Any) -> PassResult:
        result = fn(gm)
        return result if isinstance(result, PassResult) else PassResult(gm if result is None else result, True)

    if not inspect.isfunction(fn):
        call.__name__ = type(fn).__name__
    return call


def this_before_that_pass_constraint(this: Callable, that: Callable) -> Callable:
    """The rule that one pass comes before another. this: the earlier one. that: the later one."""
    return lambda a, b: a != that or b != this


def _validate_pass_schedule_constraint(constraint: Callable, passes: list) -> None:
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at index {j} "
                    "in pass list."
                )


def _topological_sort_passes(passes: list, constraints: list) -> list:
    """The passes in an order that all rules allow; RuntimeError where there is none."""
    if not constraints:
        return passes
    after: dict[Any, list] = {p: [] for p in passes}
    waits = dict.fromkeys(passes, 0)
    for a in passes:
        for b in passes:
            for rule in constraints if a != b else ():
                if not rule(a, b):
                    after[b].append(a)
                    waits[a] += 1
    ready, found = deque(p for p in passes if not waits[p]), []
    while ready:
        here = ready.popleft()
        found.append(here)
        for each in after[here]:
            waits[each] -= 1
            if not waits[each]:
                ready.append(each)
    circle = [p for p, count in waits.items() if count]
    if circle:
        raise RuntimeError(f"Circular dependency detected within the following passes: {circle}")
    return found


class PassManager:
    """Passes over a module, one behind the other. passes: functions that give a `PassResult`. constraints: rules of two passes,
    whether the first may come before the second. steps: how often all run, while they change anything.
    run_checks_after_each_pass: whether `check` is asked behind each. suppress_check_failures: not used."""

    __module__ = "torch.fx.passes.infra.pass_manager"

    def __init__(
        self, passes: list | None = None, constraints: list | None = None, steps: int | None = None,
        run_checks_after_each_pass: bool = False, suppress_check_failures: bool = False,
    ) -> None:  # fmt: skip
        self.passes, self.constraints, self.steps = passes or [], constraints or [], steps or 1
        self.run_checks_after_each_pass, self.suppress_check_failures = (
            run_checks_after_each_pass,
            suppress_check_failures,
        )
        self._validated = False

    def add_pass(self, _pass: Callable) -> None:
        """One pass more."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable) -> None:
        """One rule more."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """RuntimeError where the order of the passes is against a rule."""
        for rule in () if self._validated else self.constraints:
            _validate_pass_schedule_constraint(rule, self.passes)
        self._validated = True

    def solve_constraints(self) -> None:
        """Put the passes into an order that all rules allow."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable) -> None:
        """Let a function look at the module. check: a function of the module."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check  # type: ignore[method-assign]

    def check(self, module: Any) -> None:
        """Looks at the module: nothing, unless `add_checks` says more."""

    def __call__(self, module: Any) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        ever = False
        for _ in range(self.steps):
            changed = False
            for i, function in enumerate(self.passes):
                try:
                    module, did = self._run(function, module)
                except Exception as error:
                    before = [name_of(p) for p in self.passes[:i]]
                    words = f"An error occurred when running the '{name_of(function)}' pass after the following passes: {before}"
                    raise Exception(words) from error  # noqa: TRY002
                changed = changed or did
            ever = ever or changed
            if not changed:
                break
        return PassResult(module, ever)

    def _run(self, function: Callable, module: Any) -> tuple[Any, bool]:
        result: Any = function(module)
        if not hasattr(result, "graph_module"):
            raise TypeError(
                f"The result of the pass {name_of(function)} should be type PassResult.Please wrap it with pass_result_wrapper()"
            )
        if isinstance(result.graph_module, GraphModule):
            result.graph_module.recompile()
        if self.run_checks_after_each_pass:
            self.check(result.graph_module)
        return result.graph_module, result.modified
