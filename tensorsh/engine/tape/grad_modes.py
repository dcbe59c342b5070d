"""Grad modes as context managers and decorators."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from ...sandbox import process
from ...sandbox.sealed import Sealed, is_own, is_sealed
from ...sandbox.wrapping import builtin, wraps
from ..arrays.state import everywhere, here, state
from ..arrays.switches import record
from ..arrays.type_names import type_name
from ..arrays.warning import warn

OF_A_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or methods. To "
    "preserve the current behavior of class decoration, you can directly decorate the `__init__` method and nothing else."
)


class Mode(metaclass=Sealed):
    """Something entered and left that also decorates functions (and generator functions, entered at each step)."""

    __module__ = "torch.autograd.grad_mode"
    _owner: Any = None
    """What only this session's threads have: a generator that holds a mode may end in another one's program."""
    before: Any = ()
    """What is put back at the end."""
    _put: Any

    def __call__(self, function: Any) -> Any:
        if isinstance(function, type):
            warn(OF_A_CLASS, FutureWarning)
            if is_sealed(function):
                raise TypeError(f"cannot set '__init__' attribute of immutable type '{function.__name__}'")
            function.__init__ = self(function.__init__)  # type: ignore[misc]
            return function
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & 0x20:

            @wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Any:
                steps = function(*args, **kwargs)
                step, given = steps.send, None
                while True:
                    try:
                        with self.clone():
                            value = step(given)
                    except StopIteration as stop:
                        return stop.value
                    try:
                        step, given = steps.send, (yield value)
                    except GeneratorExit:
                        with self.clone():
                            steps.close()
                        raise
                    except BaseException as error:
                        step, given = steps.throw, error

            return generator

        @wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return decorated

    def clone(self) -> Any:
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        if self._owner is here.common:
            self._put(*self.before)


class no_grad(Mode):
    """Operations inside are not recorded.
    Their results want no gradient, and nothing is kept for a backward pass; for evaluation, and for steps that change
    parameters. A context (``with torch.no_grad():``) or a decorator (``@torch.no_grad()``, or without brackets, which
    gives `function`).
    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = w * 2
    >>> y.requires_grad, (w * 2).requires_grad
    (False, True)
    """

    __module__ = "torch.autograd.grad_mode"

    _wanted = False
    _put = staticmethod(record)

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        return made if function is None else made(function)

    __new__.__qualname__ = "_NoParamDecoratorContextManager.__new__"

    def __enter__(self) -> None:
        self._owner = here.common
        self.before = (record(self._wanted),)


class enable_grad(no_grad):
    """Operations inside are recorded, also within no_grad.
    A context (``with torch.enable_grad():``) or a decorator, also without brackets, which gives `function`.
    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     with torch.enable_grad():
    ...         y = w * 2
    >>> y.requires_grad
    True
    """

    __module__ = "torch.autograd.grad_mode"

    _wanted = True


class set_grad_enabled(Mode):
    """Recording on or off, at once; as a context manager until its end.
    mode: True records, False does not; a condition of a program decides between `enable_grad` and `no_grad`.
    >>> w = torch.ones(2, requires_grad=True)
    >>> training = False
    >>> with torch.set_grad_enabled(training):
    ...     y = w * 2
    >>> y.requires_grad
    False
    """

    __module__ = "torch.autograd.grad_mode"

    _put = staticmethod(record)

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(mode)}")
        self._owner = here.common
        self.before = (record(mode),)
        self.mode = mode

    def __call__(self, function: Any) -> Any:
        record(*self.before)
        return super().__call__(function)

    def clone(self) -> Any:
        return set_grad_enabled(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __enter__(self) -> None:
        record(self.mode)


class inference_mode(Mode):
    """A context or decorator like `no_grad`, whose tensors can never take part in a graph afterwards.

    mode: False turns it off for a block within. RuntimeError: a backward pass, or an in-place change outside, that would need one
    of these tensors. For evaluation; `x.clone()` outside makes an ordinary tensor.

    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    ...     y = w * 2
    >>> y.requires_grad, y.is_inference()
    (False, True)
    """

    __module__ = "torch.autograd.grad_mode"

    _put = staticmethod(record)

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made.mode = True
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> Any:
        return inference_mode(self.mode)

    def __enter__(self) -> None:
        self._owner = here.common
        inference = here.inference
        self.before = (record(not self.mode, bool(self.mode)), inference)


def detect(anomaly: bool, check_nan: bool) -> None:
    """Look for anomalies from now on, or do not; in plain Python each operation then notes the lines that led to it."""
    for name, given in (("enabled", anomaly), ("check_nan", check_nan)):
        if not isinstance(given, bool):
            place = "(position 1) " if name == "enabled" else "(position 2) "
            raise TypeError(f"set_anomaly_enabled(): argument '{name}' {place}must be bool, not {type(given).__name__}")
    state.anomaly, state.check_nan = anomaly, check_nan
    if process.plain and anomaly and not here.noting:
        everywhere(noting=lines_of_program)
    elif not anomaly and here.noting is lines_of_program:
        everywhere(noting=False)


def lines_of_program() -> str:
    """The lines of the program that led here, as a traceback shows them."""
    frames = [(frame, line) for frame, line in traceback.walk_stack(sys._getframe(1)) if not is_own(frame)]
    return "".join(traceback.StackSummary.extract(reversed(frames)).format())


class set_detect_anomaly(Mode):
    """Look for NaN after every step of a backward pass."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool = True, check_nan: bool = True) -> None:
        self._owner = here.common
        self.before = (state.anomaly, state.check_nan)
        self.mode, self.check_nan = mode, check_nan
        detect(mode, check_nan)

    def __exit__(self, *exception: object) -> None:
        if self._owner is state.common:  # while another session has its turn its setting is not touched
            detect(*self.before)

    def clone(self) -> Any:
        return type(self)(self.mode, self.check_nan)

    def __enter__(self) -> None:
        detect(self.mode, self.check_nan)


class detect_anomaly(set_detect_anomaly):
    """`set_detect_anomaly(True)` for a block."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
        )
        self._owner = here.common
        self.before = (state.anomaly, state.check_nan)
        self.mode, self.check_nan = True, check_nan

    def clone(self) -> Any:
        return set_detect_anomaly(True, self.check_nan)


class set_multithreading_enabled(Mode):
    """Accepted for programs that ask for it: a backward pass runs in one thread."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        self._owner = here.common
        self.before, self.mode = (here.multithreading,), mode
        self._put(mode)

    @staticmethod
    def _put(mode: bool) -> None:
        here.multithreading = mode

    def clone(self) -> Any:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        pass


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` said last."""
    return here.multithreading


@builtin("torch")
def is_grad_enabled() -> bool:
    """Whether operations are being recorded for a backward pass: False within `no_grad`, `inference_mode` and after
    ``set_grad_enabled(False)``.

    >>> torch.is_grad_enabled()
    True
    >>> with torch.no_grad():
    ...     print(torch.is_grad_enabled())
    False
    """
    return here.grad_enabled


@builtin("torch")
def is_inference_mode_enabled() -> bool:
    """Whether the program is within `inference_mode`."""
    return here.inference


@builtin("torch")
def is_anomaly_enabled() -> bool:
    """What `set_detect_anomaly` said last."""
    return state.anomaly
