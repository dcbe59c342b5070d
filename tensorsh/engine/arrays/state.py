"""The engine's settings that a program can change, in one object.

A session has its own: they are put in place while the session runs and taken out again afterwards, so that seed,
default dtype, print options and grad mode of one session are never seen by another."""

from __future__ import annotations

import os
from typing import Any

from . import door
from . import dtype as _dtype
from .switches import Switches

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""How many processors this process may use."""


def told_threads() -> int:
    """How many threads large arrays are worked on by, unless a program says otherwise: as many as there are processors, or as the
    environment says."""
    for name in ("MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        first = os.environ.get(name, "").partition(",")[0].strip()
        if first.isdecimal() and int(first) > 0:
            return min(int(first), CORES)
    return CORES


THREADS = told_threads()


ATTENTION = frozenset({"math", "flash", "mem_efficient", "cudnn", "overrideable"})
"""The ways of attention; a program may rule some out."""


class State(Switches):
    """Everything that ``torch.set_...`` and ``manual_seed`` change. Read on every call, so plain attributes."""

    default_dtype: _dtype.dtype
    default_device: Any
    anomaly: bool
    check_nan: bool
    inducing: Any
    """The node whose gradients are computed under anomaly detection: that of operations that are recorded meanwhile."""
    flow: Any
    """Called with each node of a backward pass and the gradient that arrived there; what it gives is called with the node's
    own gradients, unless that is None. None, usually."""
    packing: tuple
    """The hooks for saved tensors, the innermost last."""
    multithreading: bool
    walk: Any
    """The roots of the backward pass under way, the nodes whose gradients are wanted (None: all leaves), a list for its number."""
    packing_refused: str | None
    """Why there may be none just now."""
    retain_graph: bool
    """Whether no graph is freed, whatever a backward pass says: `vmap` walks one graph for several slices."""
    deterministic: bool
    warns_of_chance: bool
    threads: int
    warned: set
    outermost: bool
    """Whether a call is the program's own: none is under way."""
    passing: Any
    """The form that goes on once more, after those who have a say were asked."""
    autocast: Any
    """The `Precision` in effect, if any."""
    profile: Any
    """What counts the calls of operators, if anything does."""
    overriding: bool
    """Whether subclasses of Tensor may override functions."""
    skips_override: bool
    """Whether the next function of a program that asks is not overridden: it was called by what overrides it."""
    stepping: Any
    """The slices for all of which a walk backwards is under way: they answer for the engine's own steps, too."""
    function_modes: tuple
    """The modes that override all functions, the innermost last."""
    generator: Any
    """The session's generator of random numbers, once there is one (`random/generator.py`)."""
    print_options: Any
    """How tensors are printed, once that was asked (`tensors/text.py`)."""
    device_generators: dict
    """The default generators of CUDA devices, by their numbers, as far as numbers were drawn there."""
    matmul_precision: str
    attention: frozenset
    """The ways in which PyTorch's attention may be computed (`ops/nn/attention.py`)."""
    device_seed: int | None
    """What those not yet made are to be seeded with."""

    dual: int
    """How often forward differentiation was begun: from the first time on nodes may lead to tangents alone."""
    dual_level: int
    """The level of forward differentiation; -1 outside."""
    sparse_invariants: bool
    """Whether the parts of sparse tensors are checked when these are made."""
    transforms: int
    """How many transforms of `torch.func` are under way, one in another."""
    gradients: tuple
    """The transforms of `torch.func` under way that are no `vmap`, the outermost first: their numbers, and how deep each lies."""
    tangents: int
    """In how many forward differentiations, one in another, the program is; calls under ``no_grad`` ask at the door then."""
    pushing: bool
    """Whether a walk looks for tangents: it ends at dual tensors."""

    def __init__(self) -> None:
        for name, value in self.fresh().items():
            setattr(self, name, value)

    def fresh(self) -> dict[str, Any]:
        """A new session's settings."""
        return {
            "grad_enabled": True, "inference": False, "default_dtype": _dtype.float32, "default_device": None,
            "anomaly": False, "check_nan": True, "inducing": None, "places": False, "deterministic": False, "warns_of_chance": False, "threads": THREADS, "flow": None,
            "warned": set(), "retain_graph": False, "packing": (), "packing_refused": None, "walk": None,
            "multithreading": True, "outermost": True, "passing": None, "autocast": None, "profile": None, "overriding": True,
            "function_modes": (), "skips_override": False, "stepping": None, "dual": 0, "dual_level": -1, "pushing": False,
            "device_generators": {}, "device_seed": None, "matmul_precision": "highest",
            "attention": ATTENTION, "sparse_invariants": False, "generator": None, "print_options": None, "transforms": 0,
            "tangents": 0, "born": 0, "gradients": (),
        }  # fmt: skip

    def at_rest(self) -> dict[str, Any]:
        """The settings in effect when no call is under way, whatever interrupted the last one."""
        door.forget_made()
        found = self.settings()
        found.update(AT_REST)
        return found

    def given_back(self, function: Any, *args: Any) -> Any:
        """What a function of the program gives that is called in the middle of an operation: its calls are the program's own."""
        if self.outermost:
            return function(*args)
        try:
            self.outermost = True
            self.settle()
            return function(*args)
        finally:
            self.outermost = False
            self.settle()

    def settle(self) -> None:
        """Open or close the door for those who have a say in calls, after one of them came or went."""
        door.settle(self.__dict__, self.tangents > 0 and not self.grad_enabled)


AT_REST = {"outermost": True, "passing": None, "walk": None, "pushing": False, "retain_graph": False, "skips_override": False, "stepping": None, "packing_refused": None, "transforms": 0, "tangents": 0, "born": 0, "gradients": ()}  # fmt: skip
"""What holds within a call alone."""
state = State()


def heeds_steps() -> bool:
    """Whether the innermost mode answers for the engine's own steps, too: slices in a walk backwards for all of them, no program's."""
    modes = state.function_modes
    return state.stepping is not None and bool(modes) and modes[-1] is state.stepping
