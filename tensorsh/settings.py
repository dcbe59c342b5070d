"""What of the process belongs to a session while one of its programs runs.

The engine's settings, the warning filters and the context variables (numpy keeps its print options and its handling of
errors there) are put in place before a program runs and taken out again after it, also when it raises. Sessions of
several threads take turns, for the process has only one of each.
"""

from __future__ import annotations

import gc
import sys
import warnings
from _thread import RLock  # threading adds nothing but its import
from contextvars import Context, ContextVar, copy_context
from time import sleep

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .limits import MemoryBound

_turn = RLock()
_SCRIPT_FILTERS = [
    ("default", None, DeprecationWarning, None, 0),
    ("ignore", None, PendingDeprecationWarning, None, 0),
    ("ignore", None, ImportWarning, None, 0),
    ("ignore", None, ResourceWarning, None, 0),
]


def _engine() -> Any:
    """The engine's state, or None as long as nothing has loaded the engine."""
    module = sys.modules.get("tensorsh.engine.state")
    return getattr(module, "state", None)


def _take() -> Any:
    """The lock of the turn, held. While it was waited for, another may have taken its place (`Settings.give_up`)."""
    while True:
        lock = _turn
        lock.acquire()
        if lock is _turn:
            return lock
        lock.release()


def borrow() -> Callable[[], None]:
    """Waits for a turn, and returns the function that ends it and undoes what was changed of the process meanwhile."""
    lock, engine = _take(), _engine()
    before = engine.snapshot() if engine is not None else None
    guard = warnings.catch_warnings()
    guard.__enter__()

    def back() -> None:
        guard.__exit__(None, None, None)
        if before is not None:
            engine.restore(before)
        lock.release()

    return back


one_program = False
"""Whether the process serves one program only: no other is there to be kept apart from it."""
_aside: Any = None
"""What `_apart` put aside."""


def _default(variable: ContextVar) -> Any:
    """What a variable is where nobody set it; None if that is nothing."""
    try:
        return Context().run(variable.get)
    except LookupError:
        return None


def _apart(phase: str, _: object) -> None:
    """What generators still do when Python collects them (`finally: np.seterr(...)`) is not seen by whoever runs then.

    It may be interrupted at every step, for signals that arrive in a collection are heeded here (`heal`).
    """
    global _aside
    if phase == "start":
        lock, engine, mine = _turn, None, False
        if lock._is_owned() or (
            mine := lock.acquire(blocking=False)
        ):  # else the settings are in the hands of another thread
            engine = _engine()
        before = engine.snapshot() if engine is not None else None
        _aside = lock if mine else None, engine, before, copy_context(), warnings.filters[:]
        if engine is not None:
            engine.restore(engine.fresh())
    elif _aside is not None:
        lock, engine, before, variables, filters = _aside
        if before is not None:
            engine.restore(before)
        if warnings.filters != filters:
            warnings.filters[:] = filters  # type: ignore[index]
        for variable, value in copy_context().items():
            old = variables[variable] if variable in variables else _default(variable)
            if old is not value:
                variable.set(old)
        _aside = None
        if lock is not None:
            lock.release()


def heal(told: Any) -> bool:
    """Whether what `sys.unraisablehook` was told of interrupted a collection of cycles, where it is lost; what it kept `_apart`
    from is done."""
    trace = told.exc_traceback
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    if code is _apart.__code__ and trace.tb_frame.f_locals.get("phase") == "stop":
        _apart("stop", None)
    return any(getattr(callback, "__code__", None) is code for callback in gc.callbacks)


def before_collecting(call: Callable[[], object], again: bool) -> None:
    """A call made before Python collects again, if it does: what the call raises in another thread would be lost there."""
    try:
        sleep(0.001)  # the steps until that thread is out of the collection
        call()
        sleep(0.01)  # the steps until it looks for signals
    finally:
        if again:
            gc.enable()


class Settings:
    """One session's share of the process."""

    def __init__(self, show: Callable[..., None], show_ignored: Callable[[Any], None]) -> None:
        self.show, self.show_ignored = show, show_ignored
        self.engine: dict[str, Any] | None = None
        self.filters: list[Any] = list(_SCRIPT_FILTERS)
        self.context: Context = Context()
        self.depth = 0
        self.is_quiet = False
        self.memory: MemoryBound | None = None
        self.outside: tuple[Any, ...] | None = None
        """What the program that runs found, and leaves behind it."""

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function with the session's settings in place."""
        lock = _take()
        try:
            if self.depth:  # a program of this session that runs another one
                return function(*arguments)
            self.depth = 1
            outside = self.outside = self._enter()
            try:
                if self.memory is not None:
                    self.memory.enter()
                return self.context.run(function, *arguments)
            finally:
                if self.outside is outside:  # else it was given up
                    self._leave(*outside)
                    self.outside, self.depth = None, 0
        finally:
            lock.release()

    def bound(self, memory: MemoryBound) -> None:
        """Bounds the memory of the session's programs."""
        self.memory = memory
        self.context.run(memory.count)

    def explain(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """As `run`, with some memory beyond the bound: the program may have taken all."""
        if self.memory is None:
            return self.run(function, *arguments)
        from .limits import SPARE

        self.memory.raise_by(SPARE)
        try:
            return self.run(function, *arguments)
        finally:
            self.memory.raise_by(-SPARE)

    def give_up(self) -> None:
        """Ends the turn of a program that is stuck in compiled code, from another thread; its settings are as before it.

        When the compiled code has ended, that thread has to `borrow` a turn to unwind.
        """
        global _turn
        if self.outside is not None:
            outside, self.outside = self.outside, None
            engine, filters = self.engine, self.filters
            self._leave(*outside)
            self.engine, self.filters = engine, filters
            self.context = self.context.copy()  # that thread stays in the other one
            self.depth = 0
        _turn = RLock()

    def glance(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that only looks: with the settings in place, or as it is while a program is running."""
        lock = _turn
        if not lock.acquire(blocking=False):
            return function(*arguments)
        try:
            return self.run(function, *arguments)
        finally:
            lock.release()

    def _enter(self) -> tuple[Any, ...]:
        engine = _engine()
        before = engine.snapshot() if engine is not None else None
        if engine is not None:
            engine.restore(engine.fresh() if self.engine is None else self.engine)
            if not self.is_quiet:  # as the engine asks of numpy when it is loaded, there for the context of that moment
                self.is_quiet = True
                self.context.run(sys.modules["numpy"].seterr, all="ignore")
        guard = warnings.catch_warnings()
        guard.__enter__()
        warnings.resetwarnings()
        warnings.filters[:] = self.filters  # type: ignore[index]
        warnings.showwarning = self.show
        ignored, sys.unraisablehook = sys.unraisablehook, self.show_ignored
        return before, guard, ignored

    def _leave(self, before: dict[str, Any] | None, guard: Any, ignored: Any) -> None:
        sys.unraisablehook = ignored
        if not one_program and _apart not in gc.callbacks:  # from now on there is somebody else
            gc.callbacks.append(_apart)
        if self.memory is not None:
            self.memory.leave()
        restored = sys.modules.get("tensorsh.modules.restored")
        if restored is not None:
            restored.restore()
        self.filters = list(warnings.filters)
        guard.__exit__(None, None, None)
        engine = _engine()
        if engine is not None:
            self.engine = engine.snapshot()
            engine.restore(engine.fresh() if before is None else before)
