"""A compiled function: programs of a function's operators, each for the types, shapes and values that steered the recording.

There is none for objects and dicts, or while somebody has a say in calls: the function runs as it stands. So it does, too, where a
program fails, and says what its line says.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any
from weakref import WeakSet

from ...engine.arrays.backend import on_gpu
from ...engine.arrays.state import here, state
from ...sandbox.wrapping import wraps
from ..nn.modules.module import Module
from .acting import Acting, Pending
from .errors import Unsupported
from .guards import OTHER, Guards, given
from .program import Program, program_of
from .reading import Refused, globals_of
from .recording import ORIGINALS, Recording
from .slots import Slot, numbers_in
from .trial import alike, drawing, holds, others, undrawn, wanting, weight
from .writing import Writer

HEAVY = 1 << 28
"""So many bytes of results are kept for gradients at most while a program is tried beside its function."""
PATIENCE = 100
"""After so many calls without a program a function has none."""
EAGER: Any = type("Eager", (), {"__repr__": lambda self: "<eager>"})()
"""What a program gives for calls that are known to have none."""
MOST = 8
"""So many descriptions of calls have a program; calls of others run as they stand."""


class Programs:
    """A function's programs, each with the guards that say which calls are its own."""

    raises = False
    """Whether an error of a program is the program's, and not to be looked for in the function."""

    def __init__(self, function: Any, fullgraph: bool = False, most: int | None = None) -> None:
        """function: it, or a module. fullgraph: say what is not one graph. most: so many programs at most."""
        self.function = function
        self.fullgraph = fullgraph
        self.most = most
        self.known: list[Callable] = []
        self.refused = self.idled = 0
        self.useful = self.untried = False

    def other(self, args: tuple, kwargs: dict) -> Any:
        """The answer to a call that no program knows; the next of its kind may have one. Calls that can have none are looked at
        ever more seldom."""
        if self.fullgraph:
            self.look_through(args, kwargs)
        result = self.function(*args, **kwargs)
        if len(self.known) < (self.most or MOST) and not self.refused & (self.refused - 1):
            self.learn(args, kwargs, result)
        else:
            self.refused += 1
        return result

    def look_through(self, args: tuple, kwargs: dict) -> None:
        """Raise Unsupported where a call would not be one graph."""
        broken, _ = self.explained(args, kwargs)
        if broken is not None:
            raise Unsupported(broken)

    def traced(self, args: tuple, kwargs: dict) -> tuple[Guards | None, Recording | None, list]:
        """A call without gradients: its guards, its recording as far as it came, and a list of its result's tree, which is empty
        where the function's own Python goes on."""
        guards = recording = None
        trees: list = []
        try:
            guards = Guards(Writer(), args, kwargs)
            self.guard(guards)
            recording = Recording(guards.tensors)
            before, here.grad_enabled = here.grad_enabled, False
            try:
                trees.append(recording.of_call(self.function, args, kwargs))
            finally:
                here.grad_enabled = before
        except Exception:
            pass
        return guards, recording, trees

    def explained(self, args: tuple, kwargs: dict) -> tuple[str | None, int]:
        """Why a call is not one graph, if it is not; how many operators it has."""
        _, recording, _ = self.traced(args, kwargs)
        return (None, 0) if recording is None else (recording.broken, len(recording.nodes))

    def guard(self, guards: Guards) -> None:
        """Guard the function itself."""
        if isinstance(self.function, Module):
            guards.module(guards.writer.name(self.function), self.function)
        else:
            guards.function(self.function)

    def idle(self) -> None:
        """Count a call that has no program; after many, and none that had one, no call is looked at any more."""
        self.idled += 1
        if self.idled == PATIENCE and not self.useful:
            self.known[:] = [lambda args, kwargs: EAGER]

    def learn(self, args: tuple, kwargs: dict, result: Any) -> None:
        """Add a program for calls like one that gave a result; one that says that they have none, where they cannot."""
        if here.door or here.inference or state.dual or here.places:
            return
        writer = Writer()
        try:
            guards = Guards(writer, args, kwargs)
            self.guard(guards)
        except Exception:  # also of a variable that has no value yet, of a list within itself
            self.refused += 1
            return
        guarded = len(writer.lines)
        names = given() | {"EAGER": EAGER}
        try:
            program = self.recorded(guards, args, kwargs)
            if program is not None and (self.untried or alike(program(args, kwargs), result)):
                self.known.append(program)
                self.useful = True
                return
        except Exception:
            pass  # the function's own Python goes on
        writer.lines[guarded:] = ["    return EAGER"]
        self.known.append(writer.compiled(names))

    def recorded(self, guards: Guards, args: tuple, kwargs: dict) -> Callable | None:
        """The program of a call; None where it is not worth it, or gives other bits."""
        recording = Recording(guards.tensors, guards.tracked)
        before, here.grad_enabled = here.grad_enabled, False
        try:
            tree = recording.of_call(self.function, args, kwargs)
        finally:
            here.grad_enabled = before
        self.untried = bool(recording.effects) or recording.drawn is not None
        if recording.drawn is None:
            return self.planned(guards, recording, tree)
        return undrawn(self.planned, guards, recording, tree)

    def planned(self, guards: Guards, recording: Recording, tree: Any) -> Callable | None:
        """The program of what was recorded."""
        tensors, nodes = guards.tensors, recording.nodes
        if recording.effects:
            return self.acting(guards, recording, tree)
        if guards.tracked and weight(nodes) > HEAVY:
            return None
        if any(on_gpu(t._array) for t in tensors):
            run = None if guards.tracked or drawing(nodes) else _captured(nodes, tree, tensors)
            if run is None or not holds(run, nodes, tree, tensors, set()):
                return None
            return finished(guards, recording, run)
        run = tried(nodes, tree, tensors, guards.tracked)
        return None if run is None else finished(guards, recording, run)

    def acting(self, guards: Guards, recording: Recording, tree: Any) -> Callable | None:
        """The program of a call that does more than compute: its operators first, then the rest in order."""
        tensors, nodes, effects = guards.tensors, recording.nodes, recording.effects
        read = numbers_in(tree).union(*[numbers_in(each.args) | numbers_in(each.kwargs) for each in effects])
        made = set().union(*[numbers_in(each.result) for each in nodes])
        wanted = [Slot(number) for number in sorted(read & made)]
        written = recording.written
        if written:
            guards.apart(written)
            kept = {stand._number for stand in written.values()}
            if guards.tracked & written.keys() or kept & wanting(nodes, tensors, guards.tracked):
                return None
        run = tried(nodes, wanted, tensors, guards.tracked) if weight(nodes) <= HEAVY else None
        return None if run is None else finished(guards, recording, Acting(run, wanted, effects, tree))


def tried(nodes: list, tree: Any, tensors: list, tracked: set[int]) -> Program | None:
    """The program of calls, where there is one and it gives their bits for two sets of numbers."""
    run = program_of(nodes, tree, tensors, tracked)
    good = run is not None and all([holds(run, nodes, tree, each, tracked) for each in (tensors, others(tensors))])
    return run if good else None


def finished(guards: Guards, recording: Recording, run: Callable) -> Callable:
    """The program of the calls that pass the guards."""
    guards.attributes(recording.read, recording.absent)
    if recording.compares:
        guards.distinct()
    inputs = "(" + "".join([f"v{k}, " for k in range(len(guards.tensors))]) + ")"
    guards.writer.lines.append(f"    return {guards.writer.name(run)}({inputs}, None)")
    return guards.writer.compiled(given())


def _captured(nodes: list, tree: Any, tensors: list) -> Callable | None:
    from .captured import captured  # with it comes torch.cuda

    return captured(nodes, tree, tensors)


everyone: WeakSet[Programs] = WeakSet()
"""The programs of all functions."""


def reset() -> None:
    """Forget all programs: functions are recorded anew."""
    for each in list(everyone):
        each.known.clear()
        each.refused = each.idled = 0
        each.useful = each.untried = False


def compiled(function: Any, fullgraph: bool = False, most: int | None = None, programs: Programs | None = None) -> Any:
    """A function that gives what another, or a module, gives, by programs of its operators where it can; the other itself, where
    its Python does more than compute. programs: others than those of its recordings."""
    if isinstance(function, Module):
        dressed: Any = lambda call: call
    else:
        try:
            globals_of(function.__code__)
        except Refused:
            return function
        dressed = wraps(function)
    programs = programs or Programs(function, fullgraph, most)
    everyone.add(programs)
    known = programs.known

    @dressed
    def call(*args: Any, **kwargs: Any) -> Any:
        for program in known:
            try:
                result = program(args, kwargs)
            except Exception:
                if programs.raises:
                    raise
                return function(*args, **kwargs)  # which has the words
            if result is EAGER:
                programs.idle()
                return function(*args, **kwargs)
            if result is not OTHER:
                return result.finish() if type(result) is Pending else result
        return programs.other(args, kwargs)

    if type(function) is FunctionType:
        ORIGINALS[call] = function
    return call
