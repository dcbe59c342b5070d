"""`contextlib`, whose classes that hold errors do not hold one that ends the program.

redirect_stdout and redirect_stderr are left out: they change the process.
"""

from __future__ import annotations

import contextlib as real
import functools
from typing import Any

from ..builtins import is_subclass
from ..sealed import OpenSealed, keep_private
from ..thrown import kept_out
from ..wrapping import wraps as dressed
from .definitions import plain_function
from .standard import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment


def contextlib(environment: Environment) -> dict[str, Any]:
    return take(real, "closing nullcontext") | {"contextmanager": contextmanager} | leaving()


def contextmanager(func: Any) -> Any:
    """Makes a generator function a context manager."""
    return real.contextmanager(plain_function(func))


@functools.cache
def leaving() -> dict[str, Any]:
    """contextlib's classes that hold errors, which do not hold one that ends the program."""

    def suppresses(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        if kind is not None:
            is_subclass(kind, self._exceptions)  # which refuses tuples of tuples without end
        return real.suppress.__exit__(self, kind, error, trace)

    def around(self: Any, func: Any) -> Any:
        @dressed(plain_function(func))
        def within(*args: Any, **kwargs: Any) -> Any:
            with found["ExitStack"]() as stack:
                stack.enter_context(self)
                return func(*args, **kwargs)

        return within

    def pop_all(self: Any) -> Any:
        """Its entries in another stack, and not in what else a program's `__new__` makes."""
        made = type(self)()
        if not isinstance(made, real.ExitStack):
            raise TypeError(f"an 'ExitStack' object is expected, not '{type(made).__name__}'")
        made._exit_callbacks, self._exit_callbacks = self._exit_callbacks, type(self._exit_callbacks)()  # type: ignore[attr-defined]
        return made

    found = {}
    body = {"__call__": around, "__module__": "contextlib", "__doc__": real.ContextDecorator.__doc__}
    found["ContextDecorator"] = OpenSealed("ContextDecorator", (), body)
    kinds: tuple[Any, ...] = (real.suppress, real.ExitStack)
    for kind in kinds:
        leave = suppresses if kind is real.suppress else kind.__exit__
        body = {"__exit__": kept_out(leave), "__module__": "contextlib", "__doc__": kind.__doc__}
        found[kind.__name__] = OpenSealed(kind.__name__, (kind,), body)
    found["ExitStack"].pop_all = pop_all  # type: ignore[attr-defined]
    keep_private(*real.ExitStack.__mro__[:2])
    return found
