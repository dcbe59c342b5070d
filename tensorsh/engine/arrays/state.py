"""The engine's settings that a program can change: those of all its threads in `state`, those of each thread in `here`.

A session has its own: they are put in place while the session runs and taken out again afterwards, so that seed,
default dtype, print options and grad mode of one session are never seen by another."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

from ...sandbox.long_calls import handed
from . import door
from . import dtype as _dtype
from .switches import Here, Switches, holder

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


class Modes(Switches):
    """What a thread has for itself, as its own in PyTorch, and where it is in a call: plain attributes, read on every call."""

    common: dict
    """What all threads of a program have from the beginning, as `everywhere` says."""
    noting: Any = False
    """What tells places, if anybody wants to know them."""
    inducing: Any = None
    """The node whose gradients are computed under anomaly detection: that of operations that are recorded meanwhile."""
    flow: Any = None
    """Called with each node of a backward pass and the gradient that arrived there; what it gives is called with the node's
    own gradients, unless that is None. None, usually."""
    outer_devices: tuple = ()
    """The default devices of the contexts around that of the innermost device."""
    packing_refused: str | None = None
    """Why there may be none just now."""
    multithreading: bool = True
    retain_graph: bool = False
    """Whether no graph is freed, whatever a backward pass says: `vmap` walks one graph for several slices."""
    overriding: bool = True
    """Whether subclasses of Tensor may override functions."""
    skips_override: bool = False
    """Whether the next function of a program that asks is not overridden: it was called by what overrides it."""
    stepping: Any = None
    """The slices for all of which a walk backwards is under way: they answer for the engine's own steps, too."""
    generator: Any = None
    """What stands in the place of the session's generator of random numbers, if anything."""
    ending: tuple = ()
    """What is to be done once the walk under way has ended, by those whom it came by."""
    under_end: bool = False
    """Whether it is being done just now: what is asked for then is done, too."""
    below_autograd: int = 0
    """Within how many contexts below the recording of operations the program is."""
    dispatching: tuple = ()
    """The modes below autograd that the program is in, those that answer just now among them."""
    quiet: int = 0
    """More than 0 while an answer to them is worked out by the engine alone."""
    outer: bool | None = None
    """Whether operations were recorded where the classes that answer just now were asked."""
    gradients: tuple = ()
    """The transforms of `torch.func` under way that are no `vmap`, the outermost first: their numbers, and how deep each lies."""

    def __init__(self, common: dict | None = None) -> None:
        super().__init__()
        self.common = state.common if common is None else common
        for name, value in self.common.items():
            setattr(self, name, value)
        place = id(self)
        known[place] = ref(self, lambda gone: known.pop(place, None))
        self.settle()

    def rest(self) -> None:
        """Be as when no call is under way, whatever interrupted the last one."""
        self.outermost, self.passing, self.walk, self.pushing, self.retain_graph = True, None, None, False, False
        self.skips_override, self.stepping, self.packing_refused = False, None, None
        self.transforms = self.tangents = self.born = self.quiet = 0
        self.gradients = ()

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
        """Open or close the door for those who have a say in calls, after one of them came or went. Nodes report to the hooks for
        saved tensors where they note their place."""
        self.places = self.noting or (nowhere if self.packing else False)
        self.door = door.level(self, self.tangents > 0 and not self.grad_enabled)
        if self.door or self.places:
            holder.mark()


def nowhere() -> None:
    """The place of an operation when nobody wants to know it."""


known: dict[int, Callable[[], Any]] = {}
"""Weak references to the modes of all threads, also of those of sessions at rest, by their places in memory."""
here: Modes = Here()  # type: ignore[assignment]
"""The modes of the thread that asks."""


def settle_all() -> None:
    """Open or close the door for all threads, after somebody came or went who has a say everywhere."""
    here.settle()  # which may have had no modes
    for each in list(known.values()):
        modes = each()
        if modes is not None:
            modes.settle()


def everywhere(**values: Any) -> None:
    """Give modes of all threads of a program values, also of those to come: what PyTorch has once for all threads, where tensorsh
    looks at it beside what each has for itself."""
    state.common.update(values)
    for each in list(known.values()):
        modes = each()
        if modes is not None and modes.common is state.common:
            for name, value in values.items():
                setattr(modes, name, value)
            modes.settle()


class State:
    """Everything that ``torch.set_...`` and ``manual_seed`` change for all threads: plain attributes, read on every call."""

    common: dict
    default_dtype: _dtype.dtype
    anomaly: bool
    check_nan: bool
    deterministic: bool
    warns_of_chance: bool
    threads: int
    warned: set
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
    sparse_invariants: bool | None
    """Whether the parts of sparse tensors are checked when these are made; None where nobody has said."""

    def __init__(self) -> None:
        self.__dict__ = self.new()

    def new(self) -> dict[str, Any]:
        """What a new session has."""
        return {
            "common": {}, "default_dtype": _dtype.float32, "anomaly": False, "check_nan": True, "deterministic": False,
            "warns_of_chance": False, "threads": THREADS, "warned": set(), "device_generators": {}, "device_seed": None,
            "matmul_precision": "highest", "attention": ATTENTION, "sparse_invariants": None, "generator": None,
            "print_options": None, "dual": 0,
        }  # fmt: skip

    def fresh(self) -> tuple[dict, Modes]:
        """A new session's settings, and the modes of the thread that it runs in."""
        made = self.new()
        return made, Modes(made["common"])

    def settings(self) -> tuple[dict, Modes]:
        """The settings and modes in effect: no copies, they change until others are used."""
        return self.__dict__, holder.enter()

    def use(self, settings: tuple[dict, Modes]) -> None:
        """Put settings in the place of those in effect."""
        self.__dict__ = settings[0]
        holder.use(settings[1])
        here.settle()

    def at_rest(self) -> tuple[dict, Modes]:
        """The settings in effect when no call is under way, whatever interrupted the last one."""
        door.forget_made()
        here.rest()
        return self.settings()


state = State()
holder.make = Modes
handed[:] = [lambda: partial(holder.use, holder.enter())]


def heeds_steps() -> bool:
    """Whether the innermost mode answers for the engine's own steps, too: slices in a walk backwards for all of them, no program's."""
    modes = here.function_modes
    return here.stepping is not None and bool(modes) and modes[-1] is here.stepping
