"""Settings after an interrupt: wherever Ctrl-C or a time limit may leave the library, all settings are as the program had them."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from tensorsh import Session
from tensorsh.engine.arrays import door
from tensorsh.sandbox.limits import Timeout
from tensorsh.sandbox.sealed import program_frame
from tensorsh.sandbox.whole import may_be_left

PREPARED = """
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})
class M(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
import torch.nn as nn
import torch.utils.checkpoint as cp
from torch.func import vmap, grad, jvp
t = ones(3).as_subclass(T)
x = ones(3, requires_grad=True)
"""
PROGRAMS = {
    "a class": "t + t",
    "a mode": "with M():\n  t.sum()\n  x + 1",
    "without gradients": "with torch.no_grad(): x + 1",
    "set for a block": "with torch.set_grad_enabled(False): x + 1",
    "inference": "with torch.inference_mode(): x + 1",
    "mixed precision": "with torch.autocast('cpu', torch.bfloat16): x @ x",
    "a profile": "with torch.profiler.profile(): x + 1",
    "a backward pass": "(x * x).sum().backward()",
    "a checkpoint": "cp.checkpoint(lambda a: a.sin(), x, use_reentrant=False).sum().backward()",
    "a mapped function": "vmap(lambda a: a.sin())(ones(3, 3))",
    "a gradient": "grad(lambda a: a.sin().sum())(ones(3))",
    "a derivative": "jvp(lambda a: a.sin(), (ones(3),), (ones(3),))",
    "hooks": "with torch.autograd.graph.saved_tensors_hooks(lambda a: a, lambda a: a): (x * x).sum().backward()",
    "checks": "with torch.autograd.set_detect_anomaly(True): (x * x).sum().backward()",
    "a device": "with torch.device('meta'): ones(3)",
    "a parameter without a shape": "nn.LazyLinear(3)(ones(2, 2))",
    "random numbers": "with torch.random.fork_rng(): torch.rand(2)",
}
CHANGING = {"warned", "generator", "print_options", "device_generators"}


def interrupted(session: Session, program: str, step: int) -> bool:
    """Whether a program was interrupted at a step at which Python hears of signals: of those at which it may be left."""
    left = step

    def hear(frame: Any, event: str, told: Any) -> None:
        nonlocal left
        if event in ("call", "c_return") and program_frame(frame) is not None and may_be_left(frame):
            left -= 1
            if left < 0:
                raise Timeout

    sys.setprofile(hear)
    try:
        session.run(program)
    except Timeout:
        pass
    finally:
        sys.setprofile(None)
    return left < 0


def settings(session: Session) -> dict[str, Any]:
    """A session's settings, and its modes, by their names."""
    own, modes = session._settings.engine or ({}, None)
    return own | {name: getattr(modes, name) for name in dir(modes) if name[0] != "_"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupt_leaves_no_setting_behind(name: str) -> None:
    session = Session()
    session.run(PREPARED)
    session.run(PROGRAMS[name])
    before = settings(session)
    lasting = set(door.lasting)
    step = 0
    while step < 1000 and interrupted(session, PROGRAMS[name], step):
        after = settings(session)
        assert {n for n in before if n not in CHANGING and after[n] != before[n]} == set(), step
        gc.collect(0)
        assert door.lasting <= lasting | {"classes"}, step
        step += 1 + step // 5
    assert step > 3


def test_a_context_that_does_not_end_is_left() -> None:
    session = Session()
    session.run("from torch.profiler import profile\nimport itertools, functools, operator")
    begin = time.monotonic()
    with pytest.raises(Timeout):
        session.run(
            "with profile(on_trace_ready=functools.partial(functools.reduce, operator.is_, itertools.repeat(0))): pass",
            timeout=0.3,
        )
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("wrong", ["dtype='x'", "requires_grad=[]"])
def test_a_parameter_without_a_shape_that_is_refused_leaves_nobody_at_the_door(wrong: str) -> None:
    session = Session()
    with pytest.raises((AttributeError, TypeError)):
        session.run(f"nn.UninitializedParameter({wrong})")
    session.run("p = nn.UninitializedParameter()")
    assert "unmade" in door.lasting
    session.run("p.materialize((2,))")
    assert "unmade" not in door.lasting


def test_ctrl_c_in_a_callback_comes_again() -> None:
    class Object:
        pass

    told: list[Callable] = []

    def lose() -> None:
        held = Object()
        told.append(weakref.ref(held, press))
        del held

    def press(_: Any) -> None:  # as Python's own handler does, wherever the program is
        raise KeyboardInterrupt

    session = Session()
    session.variables["lose"] = lose
    with pytest.raises(KeyboardInterrupt):
        session.run("lose()\nfor i in range(10**9): pass", timeout=20)
    assert session.run("1 + 1") == 2
