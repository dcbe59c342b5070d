"""Stand-ins for sys, gc, warnings and inspect: what harmless programs ask of them, and nothing of the process.

The real ones lead to frames, loaded modules and every object there is.
"""

from __future__ import annotations

import sys as _sys
from typing import Any, NoReturn

from ..copying import same
from ..kinds import Final, make
from ..sealed import unguarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment


class Output(metaclass=Final):
    """A standard stream that can only be written to."""

    __slots__ = ("_name", "_stream")

    encoding = "utf-8"
    errors = "strict"
    mode = "w"
    closed = False

    def _current(self) -> Any:
        return getattr(_sys, self._name) if self._stream is None else self._stream

    name = property(lambda self: f"<{self._name}>")

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._current().write(text)
        return len(text)

    def writelines(self, lines: Any, /) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._current().flush()

    def isatty(self) -> bool:
        return bool(self._current().isatty())

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self._name}>"


def sys(environment: Environment) -> dict[str, Any]:
    from ..builtins import leave

    def setrecursionlimit(limit: int, /) -> None:
        """Accepted and ignored: a higher limit turns an endless recursion into a crash."""
        if not isinstance(limit, int):
            raise TypeError(f"'{type(limit).__name__}' object cannot be interpreted as an integer")

    def exc_info() -> tuple:
        """The class and the error that is being handled; no traceback, which would hold frames."""
        error = _sys.exc_info()[1]
        return type(error) if error is not None else None, error, None

    names = """byteorder copyright float_info float_repr_style getrecursionlimit getsizeof hash_info hexversion int_info
    intern maxsize maxunicode platform version version_info"""
    table = {name: getattr(_sys, name) for name in names.split()}
    return table | {
        "argv": environment.argv,
        "path": [],
        "exc_info": exc_info,
        "exit": leave,
        "setrecursionlimit": setrecursionlimit,
        "stdout": make(Output, _stream=environment.stdout, _name="stdout"),
        "stderr": make(Output, _stream=environment.stderr, _name="stderr"),
    }


def gc(environment: Environment) -> dict[str, Any]:
    def collect(generation: int = 2) -> int:
        import gc as real

        return real.collect(generation)

    return {"collect": collect}


def warnings(environment: Environment) -> dict[str, Any]:
    """The real filters: the session puts its own in place while a program runs. Nothing that replaces or shows them."""
    import warnings as real

    def warn(message: Any, category: Any = None, stacklevel: int = 1, source: object = None) -> None:
        real.warn(message, category, stacklevel + 1)

    def catch_warnings(*, record: bool = False) -> Any:
        return make(CatchWarnings, _real=real.catch_warnings(record=bool(record)))

    table: dict[str, Any] = {name: getattr(real, name) for name in ("filterwarnings", "resetwarnings", "simplefilter")}
    return table | {"warn": warn, "catch_warnings": catch_warnings}


class CatchWarnings(metaclass=Final):
    """A context that restores the filters. The real one's `__init__` leaves the module in any object it is given."""

    __slots__ = ("_real",)

    def __enter__(self) -> Any:
        return self._real.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._real.__exit__(*error)


class Parameter(metaclass=Final):
    """One parameter of a signature."""

    __slots__ = ("_real",)
    __deepcopy__ = same

    class empty(metaclass=Final):  # noqa: N801
        """Stands for a default or an annotation that there is not."""

        __module__, __qualname__ = "inspect", "_empty"

    name = property(lambda self: self._real.name)
    kind = property(lambda self: self._real.kind)
    default = property(lambda self: _shown(self._real.default))
    annotation = property(lambda self: _shown(self._real.annotation))

    def __str__(self) -> str:
        return str(self._real)

    def __repr__(self) -> str:
        return f'<Parameter "{self._real}">'


class Signature(metaclass=Final):
    """The parameters of a function. inspect's own can be told to evaluate annotations."""

    __slots__ = ("_real",)
    __deepcopy__ = same
    empty = Parameter.empty

    parameters = property(
        lambda self: {name: make(Parameter, _real=real) for name, real in self._real.parameters.items()}
    )
    return_annotation = property(lambda self: _shown(self._real.return_annotation))

    def __str__(self) -> str:
        return str(self._real)

    def __repr__(self) -> str:
        return f"<Signature {self._real}>"


_FUNCTION = type(lambda: None)


def _shown(value: Any) -> Any:
    """A default or an annotation; 'none given' in our own spelling."""
    import inspect as real

    return Parameter.empty if value is real.Parameter.empty else value


def inspect(environment: Environment) -> dict[str, Any]:
    import inspect as real

    def function_of(subject: Any) -> tuple[Any, bool]:
        """The Python function behind a callable, and whether its first parameter is already given."""
        if type(subject) is _FUNCTION:
            return subject, False
        if real.ismethod(subject):
            return subject.__func__, True
        if isinstance(subject, type):
            return subject.__init__, True
        return getattr(type(subject), "forward", None) or getattr(type(subject), "__call__", None), True  # noqa: B004

    def signature(obj: Any, /) -> Signature:
        if not callable(obj):
            raise TypeError(f"{obj!r} is not a callable object")
        function, bound = function_of(obj)
        if type(function) is not _FUNCTION:
            return _no_signature(obj)
        found = real.signature(unguarded(function), follow_wrapped=False)
        if function.__module__ != "__main__":  # a library's: its defaults may be objects of its own
            found = found.replace(parameters=[_reduced(p) for p in found.parameters.values()])
        if bound:
            found = found.replace(parameters=list(found.parameters.values())[1:])
        return make(Signature, _real=found)

    def _reduced(parameter: Any) -> Any:
        plain = (type(None), bool, int, float, str, tuple)
        if parameter.default is parameter.empty or type(parameter.default) in plain:
            return parameter.replace(annotation=parameter.empty)
        return parameter.replace(default=None, annotation=parameter.empty)

    def _no_signature(obj: Any) -> NoReturn:
        raise ValueError(f"no signature found for {obj!r}")

    return {
        "Parameter": Parameter,
        "Signature": Signature,
        "isclass": lambda obj: isinstance(obj, type),
        "isfunction": lambda obj: type(obj) is _FUNCTION,
        "ismethod": real.ismethod,
        "isgeneratorfunction": real.isgeneratorfunction,
        "signature": signature,
    }
