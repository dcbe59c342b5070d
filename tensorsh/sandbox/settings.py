"""Settings of the process that are a session's while one of its programs runs.

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

from . import process
from .whole import whole, whole_alone

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


_state: Any = None


def _engine() -> Any:
    """The engine's state, or None as long as nothing has loaded the engine."""
    global _state
    if _state is None:
        _state = getattr(sys.modules.get("tensorsh.engine.arrays.state"), "state", None)
    return _state


ROOM = 400
"""Frames beyond the limit of recursion for what has to be done where a program may have come to it."""

_aside: Any = None
"""The settings that `_apart` put aside."""


def _default(variable: ContextVar) -> Any:
    """The value of a variable where nobody set it; None if there is none."""
    try:
        return Context().run(variable.get)
    except LookupError:
        return None


@whole
def has_room(limit: int) -> bool:
    """Raises the limit of recursion, where it can be put back."""
    try:
        sys.setrecursionlimit(limit - 1)  # refused at this depth, one below the caller's
        sys.setrecursionlimit(limit + ROOM)
    except RecursionError:
        return False
    return True


@whole
def _apart(phase: str, _: object) -> None:
    """Keeps from whoever runs then the changes that generators make when Python collects them (`finally: np.seterr(...)`).

    It may be interrupted at every step, for signals that arrive in a collection are heeded here (`heal`).
    """
    global _aside
    limit = sys.getrecursionlimit()
    if not has_room(limit):
        return
    try:
        if phase == "start":
            engine, mine = None, False
            if _turn._is_owned() or (  # type: ignore[attr-defined]
                mine := _turn.acquire(blocking=False)
            ):  # else the settings are in the hands of another thread
                engine = _engine()
            before = engine.settings() if engine is not None else None
            _aside = mine, engine, before, copy_context(), warnings.filters[:]
            if engine is not None:
                engine.use(engine.fresh())
        elif _aside is not None:
            mine, engine, before, variables, filters = _aside
            if before is not None:
                engine.use(before)
            if warnings.filters != filters:
                warnings.filters[:] = filters  # type: ignore[index]
            for variable, value in copy_context().items():
                old = variables[variable] if variable in variables else _default(variable)
                if old is not value:
                    variable.set(old)
            _aside = None
            if mine:
                _turn.release()
    finally:
        sys.setrecursionlimit(limit)


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
        self.show, self._show_ignored = show, show_ignored
        self._untold: Any = None
        self.engine: tuple[dict, Any] | None = None
        self.filters: list[Any] = list(_SCRIPT_FILTERS)
        self.context: Context = Context()
        self.depth = 0
        self.is_quiet = False
        self.memory: MemoryBound | None = None

    @whole_alone
    def show_ignored(self, told: Any) -> None:
        """Says what was raised where nobody can catch it; where there is no room for it, when the program has ended. Python itself
        would say what was raised here."""
        limit = sys.getrecursionlimit()
        if not has_room(limit):
            self._untold = told
            return
        try:
            self._show_ignored(told)
        except RecursionError:
            self._untold = told
        finally:
            sys.setrecursionlimit(limit)

    @whole_alone
    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls the function with the session's settings in place."""
        _turn.acquire()
        try:
            if self.depth:  # a program of this session that runs another one
                return function(*arguments)
            self.depth = 1
            outside = self._enter()
            try:
                if self.memory is not None:
                    self.memory.enter()
                return self.context.run(function, *arguments)
            finally:
                self._leave(*outside)
                self.depth = 0
        finally:
            _turn.release()

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

    @whole_alone
    def glance(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that only looks: with the settings in place, or as it is while a program is running."""
        if not _turn.acquire(blocking=False):
            return function(*arguments)
        try:
            return self.run(function, *arguments)
        finally:
            _turn.release()

    @whole
    def _enter(self) -> tuple[Any, ...]:
        engine, outside = _engine(), None
        if engine is not None:
            outside = engine.settings()
            engine.use(engine.fresh() if self.engine is None else self.engine)
            if not self.is_quiet:  # as the engine asks of numpy when it is loaded, there for the context of that moment
                self.is_quiet = True
                self.context.run(sys.modules["numpy"].seterr, all="ignore")
        shown = _filter(self.filters, self.show, warnings._showwarnmsg_impl)  # type: ignore[attr-defined]
        ignored, sys.unraisablehook = sys.unraisablehook, self.show_ignored
        return outside, shown, ignored

    @whole
    def _leave(self, outside: tuple[dict, Any] | None, shown: tuple[Any, ...], ignored: Any) -> None:
        if self._untold is not None:
            told, self._untold = self._untold, None
            self._show_ignored(told)
        sys.unraisablehook = ignored
        if not process.one_program and _apart not in gc.callbacks:  # from now on there is somebody else
            gc.callbacks.append(_apart)
        if self.memory is not None:
            self.memory.leave()
        restored = sys.modules.get("tensorsh.sandbox.restored")
        if restored is not None:
            restored.restore()
        self.filters = warnings.filters  # type: ignore[assignment]
        _filter(*shown)
        engine = _engine()
        if engine is not None:
            self.engine = engine.at_rest()
            engine.use(engine.fresh() if outside is None else outside)


def _filter(filters: list[Any], show: Any, show_unless: Any) -> tuple[Any, ...]:
    """Sets how warnings are filtered and shown, as `warnings.catch_warnings` does; how they were before."""
    before = warnings.filters, warnings.showwarning, warnings._showwarnmsg_impl  # type: ignore[attr-defined]
    warnings.showwarning, warnings._showwarnmsg_impl = show, show_unless  # type: ignore[attr-defined]
    warnings.filters = []
    try:
        warnings.resetwarnings()  # what was said once is said again
    finally:
        warnings.filters = filters
    return before
