"""The builtins of a script: Python's own where they are harmless, gated ones where they are not.

The dictionary made here is a script's `__builtins__`; nothing that is not in it can be named without an import.
Ordinary functions are the real ones, so calls cost what they cost in Python. Operators cannot be wrapped here: `10
** 10 ** 8` is stopped by the limits of a run, `pow(10, 10 ** 8)` already by its name.
"""

from __future__ import annotations

import builtins as _real
import itertools
import sys
from re import RegexFlag

from . import classes, gate, stores

try:
    # importing three of them puts functions in the place of Python's own
    from . import bounds, held, ordered, orders, unicode_errors  # type: ignore[attr-defined]  # noqa: F401
except ImportError:
    bounds = held = None  # built without a compiler
from .decoding import mend
from .integers import whole
from .iterating import adds_lists, asking, iterate, presented, steps
from .kinds import script_type
from .long_lists import in_order
from .long_texts import of_texts
from .names import is_gated
from .sealed import Super

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TextIO

    from .files import Permissions

is_instance, is_subclass = isinstance, issubclass
if bounds is not None:
    is_instance, is_subclass = bounds.isinstance, bounds.issubclass
    for name in "accumulate batched chain count cycle groupby islice pairwise zip_longest".split():
        if hasattr(itertools, name):
            held.advance_alone(getattr(itertools, name))
    held.advance_alone(itertools._grouper, itertools.groupby)  # type: ignore[attr-defined]
    held.know_classes(classes.script_classes)
    held.tell_apart(0xE0000000)
    classes.before_another = held.can_tell
    bounds.wait_for_texts(of_texts)
    orders.wait_for_orders(in_order)


def call_in_full() -> None:
    """Keeps Python from short cuts to the methods of all classes that there are, which are wrong for those without an object."""
    global _modules
    if held is not None and len(sys.modules) != _modules:
        held.call_methods_in_full()
        _modules = len(sys.modules)


_modules = 0
call_in_full()
mend()

# Joined flags of patterns are kept by the process, under their numbers: a program's own class of these would answer for another's.
_joined: Any = RegexFlag._missing_
RegexFlag._missing_ = classmethod(lambda cls, value: _joined(whole(value)))  # type: ignore[method-assign,assignment]

MAX_INTEGER_BITS = 1 << 25  # ten million digits: what Python works out in about a second

_PLAIN = """abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter
float format frozenset hash hex id int isinstance issubclass iter len list map max min next object oct ord property
range repr reversed round set slice sorted staticmethod str sum super tuple zip Ellipsis NotImplemented True False
None __debug__""".split()

_REFUSED = {
    "eval": "a script cannot run text as code", "exec": "a script cannot run text as code",
    "compile": "a script cannot run text as code", "breakpoint": "a script cannot start a debugger",
    "help": "help is a command of the shell", "memoryview": "a script has no access to raw memory",
}  # fmt: skip

_filter = asking(filter)
_PUBLIC_EXCEPTIONS = {
    name: value for name, value in vars(_real).items() if isinstance(value, type) and issubclass(value, BaseException)
}


def make_builtins(
    import_module: Callable[..., Any], permissions: Permissions, stdout: TextIO | None = None,
    stdin: TextIO | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The builtins of one session. Without `stdout`, print goes to whatever `sys.stdout` is at the time."""
    table: dict[str, Any] = {name: getattr(_real, name) for name in _PLAIN}
    table |= {name: steps(table[name], alone=name in ("min", "max")) for name in ("all", "any", "max", "min")}
    table |= {"isinstance": is_instance, "issubclass": is_subclass, "super": Super}
    table["sum"] = steps(sum, growing=adds_lists)
    table["filter"] = _filter
    table["iter"] = presented(iterate, iter)
    table |= _PUBLIC_EXCEPTIONS
    table |= {name: _refusal(name, why) for name, why in _REFUSED.items()}
    table |= {
        "__name__": "builtins",
        "__import__": import_module,
        "__build_class__": classes.build_class,
        "type": script_type,
        "getattr": gate.get_attribute,
        "hasattr": gate.has_attribute,
        "setattr": stores.set_attribute,
        "delattr": stores.delete_attribute,
        "pow": power,
        "open": _make_open(permissions),
        "print": _real.print if stdout is None else _make_print(stdout),
        "input": _make_input(stdin, stdout),
        "exit": leave,
        "quit": leave,
    }
    table |= _make_scopes(table)
    return table


def power(base: Any, exp: Any, mod: Any = None) -> Any:
    """`base ** exp`, or `base ** exp % mod`."""
    if mod is None and type(base) is int and type(exp) is int:
        check_integer(base.bit_length() * exp if abs(base) > 1 else 0, "pow()")
    return _real.pow(base, exp, mod)


def check_integer(bits: float, what: str) -> None:
    """Refuses a whole number of more bits than a session can work with."""
    if bits > MAX_INTEGER_BITS:
        digits = f"{bits * 0.30103:.0e}".replace("e+0", "e").replace("e+", "e")
        raise OverflowError(f"the result of {what} would have about {digits} digits, more than a script may make")


def leave(code: Any = None) -> NoReturn:
    """Ends the program."""
    raise SystemExit(code)


def _refusal(name: str, why: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NameError(f"name {name!r} is not available in tensorsh: {why}", name=name)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _make_open(permissions: Permissions) -> Callable[..., Any]:
    def open(
        file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, errors: str | None = None,
        newline: str | None = None,
    ) -> Any:  # fmt: skip
        return permissions.open(file, mode, buffering, encoding, errors, newline)

    return open


def _make_print(stdout: TextIO) -> Callable[..., None]:
    real = _real.print

    def print(
        *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
    ) -> None:
        real(*values, sep=sep, end=end, file=stdout if file is None else file, flush=flush)

    return print


def _make_input(stdin: TextIO | None, stdout: TextIO | None) -> Callable[..., str]:
    def input(prompt: Any = "") -> str:
        if stdin is None:
            raise EOFError("input() reads a terminal, and this program was started without one")
        if hasattr(stdin, "answer"):  # which shows the question itself
            line = stdin.answer(str(prompt))
        else:
            stream = sys.stdout if stdout is None else stdout
            stream.write(str(prompt))
            stream.flush()
            line = stdin.readline()
        if not line:
            raise EOFError("EOF when reading a line")
        return line.removesuffix("\n")

    return input


def _make_scopes(table: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """dir, vars, globals and locals: they answer copies, and only about scopes of this session's own programs."""

    def visible(scope: Any) -> dict[str, Any]:
        return {
            name: value for name, value in scope.items() if type(name) is str and name[:2] != "__" and name[0] != "<"
        }

    def frame(name: str) -> Any:
        caller = sys._getframe(2)
        # Called by library code (`contextmanager(globals)`), it would answer that module's variables.
        if caller.f_globals.get("__builtins__") is not table:
            raise RuntimeError(f"{name}() can only be called by a script itself")
        return caller

    def globals() -> dict[str, Any]:
        """A copy of the program's variables."""
        return visible(frame("globals").f_globals)

    def locals() -> dict[str, Any]:
        """A copy of the variables of the function that asks."""
        return visible(frame("locals").f_locals)

    def vars(*args: Any) -> Any:
        """An object's variables (a mapping that takes no special names), or a copy of the local variables."""
        if not args:
            return visible(frame("vars").f_locals)
        if len(args) > 1:
            raise TypeError(f"vars expected at most 1 argument, got {len(args)}")
        try:
            return gate.variables(args[0])
        except AttributeError:
            raise TypeError("vars() argument must be an object or a class that the script defines") from None

    def dir(*args: Any) -> list[str]:
        """The names of an object's attributes, or of the local variables."""
        if not args:
            return sorted(visible(frame("dir").f_locals))
        if len(args) > 1:
            raise TypeError(f"dir expected at most 1 argument, got {len(args)}")
        subject = args[0]
        return [
            name
            for name in _real.dir(subject)
            if type(name) is str
            and (name[:1] != "_" or name[:7] == "_saved_")
            and (not is_gated(name) or gate.has_attribute(subject, name))
        ]

    return {"globals": globals, "locals": locals, "vars": vars, "dir": dir}
