"""The table of all operators: what exists under which name.

Families (the files of `ops/`) are imported when a name is first asked for that is not there yet.
"""

from __future__ import annotations

import importlib
import os
from _thread import RLock
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .signature import Form

FUNCTIONS: dict[str, Any] = {}
"""Dotted name below ``torch`` -> function."""
METHODS: dict[str, Any] = {}
"""Name of a Tensor method -> function whose first argument is the tensor."""
OPERATORS: dict[str, Any] = {}
"""Dotted name -> the record (Operator or Composite)."""

_loaded = _loading = False
watchers: list[Callable[[], None]] = []
"""Called after a family was loaded."""
_lock = RLock()
_depth = 0
"""How many loads are under way, one within the other."""


METHODS_ONLY = frozenset(
    """
    absolute add addbmm addcdiv addcmul addmm addr arctan2 atan2 baddbmm bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor copysign cumprod cumsum digamma div divide eq erfinv fill_diagonal
    float_power floor_divide fmod ge greater greater_equal gt heaviside hypot igamma igammac index_add index_copy
    index_fill index_reduce le lerp less less_equal lgamma logical_and logical_not logical_or logical_xor lt
    masked_fill masked_scatter maximum minimum mul multiply mvlgamma ne nextafter not_equal polygamma pow put
    remainder renorm scatter scatter_add scatter_reduce sgn sign sub subtract tril triu true_divide
    """.split()
)
"""In-place forms (written without their underscore) that are methods of tensors and no functions of torch."""


def add(op: Any, names: list[str], function: Callable, method: bool | str, inplace: Any) -> None:
    """Enter an operator under its names, with the forms derived from it."""
    from . import inplace as inplace_forms

    methods = method.split() if isinstance(method, str) else [n for n in names if "." not in n] if method else []
    public = together(function, names, op.packed) if getattr(op, "packed", None) is not None else function
    if type(public) is FunctionType:
        public.__code__ = public.__code__.replace(co_qualname="torch." + names[0])
    for at, name in enumerate(names):
        FUNCTIONS[name] = titled(public, "torch." + name) if at else public
        OPERATORS[name] = op
    for name in methods:
        METHODS[name] = titled(function, "Tensor." + name)
    if inplace:
        made = inplace_forms.derive(op) if not callable(inplace) else inplace
        if callable(inplace) and not hasattr(inplace, "_operator"):
            made = shielded(inplace, names)
        targets = inplace.split() if isinstance(inplace, str) else [n for n in names if "." not in n]
        made.__name__ = made.__qualname__ = targets[0] + "_" if targets else op.name + "_"
        made.__doc__ = made.__doc__ or f"In-place form of :func:`{op.name}`."
        made.__wrapped__ = Form(targets[0] if targets else op.name + "_", made, op)  # type: ignore[union-attr]
        for name in targets:
            METHODS[name + "_"] = titled(made, f"Tensor.{name}_")
            if name not in METHODS_ONLY:
                FUNCTIONS[name + "_"] = titled(made, f"torch.{name}_")
    from .tensor import Late, Tensor

    for name in [*methods, *([t + "_" for t in targets] if inplace else [])]:
        held = Tensor.__dict__.get(name)
        if held is None or type(held) is Late:
            setattr(Tensor, name, METHODS[name])


def add_method(name: str, function: Callable) -> None:
    """Enter a Tensor method that is no operator; its wrong calls are told in PyTorch's words."""
    from .tensor import Tensor

    if "__wrapped__" not in function.__dict__:
        function.__wrapped__ = Form(name, function)  # type: ignore[attr-defined]
    METHODS[name] = method = titled(shielded(function, [name]), "Tensor." + name)
    setattr(Tensor, name, method)


def titled(function: Callable, title: str) -> Callable:
    """The same function under a name of its own (``Tensor.add``, ``torch.subtract``), which its errors have."""
    if type(function) is not FunctionType:
        return function
    code = function.__code__.replace(co_qualname=title)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__doc__, made.__module__, made.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    made.__annotations__ = function.__annotations__
    return made


def also(op: Any, name: str) -> None:
    """Enter an operator under one more name, as function and as method."""
    op.names.append(name)
    FUNCTIONS[name], METHODS[name] = titled(op.function, "torch." + name), titled(op.function, "Tensor." + name)
    OPERATORS[name] = op


def together(function: Callable, names: list[str], place: int) -> Callable:
    """The function of a method that takes separate integers (``x.permute(1, 0)``): it takes them in one tuple only."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place and (len(args) > place + 1 or isinstance(args[place], int)):
            from .overloads import explain

            error = explain(names[0], args, kwargs)
            if error is not None:
                raise error
        return function(*args, **kwargs)

    return dressed(call, function)


def dressed(shown: Callable, function: Callable) -> Callable:
    """A wrapper with the names, the docstring and the record of what it wraps."""
    shown.__dict__.update(function.__dict__)
    for each in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        setattr(shown, each, getattr(function, each))
    return shown


FOLDER = os.path.join(os.path.dirname(__file__), "ops")
INDEX = os.path.join(os.path.dirname(__file__), "names.txt")
"""Which family has which names, so that a program loads only the families it uses. Made by ``python -m tensorsh.engine.index``."""

_index: tuple[dict[str, str], dict[str, str]] | None = None
_unindexed = False


def families() -> list[str]:
    return sorted(f[:-3] for f in os.listdir(FOLDER) if f.endswith(".py") and f != "__init__.py")


def fingerprint() -> str:
    """The families and the sizes of their files: what an index must have been made from."""
    with os.scandir(FOLDER) as entries:
        return " ".join(sorted(f"{e.name}:{e.stat().st_size}" for e in entries if e.name.endswith(".py")))


def read_index() -> tuple[dict[str, str], dict[str, str]] | None:
    """Functions and attributes of Tensor with their family; None when the index was made from other files than these."""
    global _index, _unindexed
    if _index is None and not _unindexed:
        functions: dict[str, str] = {}
        methods: dict[str, str] = {}
        try:
            with open(INDEX, encoding="utf-8") as lines:
                if next(lines).strip() != fingerprint():
                    raise ValueError
                for line in lines:
                    family, kind, *names = line.split()
                    (functions if kind == "functions" else methods).update(dict.fromkeys(names, family))
            _index = functions, methods
        except (OSError, ValueError, StopIteration):
            _unindexed = True
    return _index


def load(family: str) -> None:
    """Import a family. Other threads (completion has one of its own) wait until all of it is there."""
    global _depth
    with _lock:
        _depth += 1
        try:
            importlib.import_module("tensorsh.engine.ops." + family)
            sign(FUNCTIONS, 0)
            sign(METHODS, 1)
        finally:
            _depth -= 1
        for watch in watchers:
            watch()


def at_rest() -> Any:
    """A context in which no family is being loaded: where a thread may be interrupted without leaving half a family."""
    return _lock


_signed: tuple[set[str], set[str]] = set(), set()


def sign(found: dict[str, Any], kind: int) -> None:
    """Functions that are no operators get their signatures as those do, and wrong calls of them PyTorch's words (only what
    is new in the table is looked at)."""
    from .tensor import Tensor

    fresh = [name for name in found if name not in _signed[kind]]
    _signed[kind].update(fresh)
    for name in fresh:
        function = found[name]
        if getattr(function, "__doc__", "") is None and hasattr(function, "_operator"):
            function.__doc__ = function._operator.function.__doc__
        if type(function) is not FunctionType:
            continue
        if "<" in function.__qualname__ or function.__module__.startswith("tensorsh."):
            # No name of this package's own reaches a program.
            owner, _, last = name.rpartition(".")
            function.__name__ = function.__qualname__ = last
            function.__module__ = "torch." + owner if owner == "nn.functional" else "torch"
        if "__wrapped__" not in function.__dict__:
            method = "Tensor." if kind and "_guarded" in function.__dict__ else ""
            function.__wrapped__ = Form(method + name, function)  # type: ignore[attr-defined]
            if function.__doc__ is None and name[-1] == "_":
                function.__doc__ = f"In-place form of :func:`{name[:-1]}`."
        if "_operator" in function.__dict__ or "_guarded" in function.__dict__ or name.startswith("nn.functional."):
            continue
        shown = titled(shielded(function, [name]), ("Tensor." if kind else "torch.") + name)
        found[name] = function.__wrapped__.owner = shown  # type: ignore[attr-defined]
        if kind and Tensor.__dict__.get(name) is function:
            setattr(Tensor, name, shown)


def attentive(function: Callable) -> Callable:
    """A method that is called often, and itself looks at what it is given: it is not wrapped."""
    function._guarded = True  # type: ignore[attr-defined]
    return function


def shielded(function: Callable, names: list[str]) -> Callable:
    """The public form of a function of many forms: where a call fails, PyTorch's words for it are found."""
    from .guards import guarded

    return dressed(guarded(function, names), function)


def load_all() -> None:
    """Import every family."""
    global _loaded, _loading
    with _lock:
        if not _loaded and not _loading:
            _loading = True
            for family in families():
                load(family)
            _loaded = True


def _find(found: dict[str, Any], kind: int, name: str) -> Any:
    value = found.get(name)
    if value is None and not _loaded:
        index = read_index()
        if index is None:
            load_all()
        elif name in index[kind]:
            load(index[kind][name])
    elif not _depth:
        return found.get(name)  # once more: a load that has ended meanwhile may have put its public form there
    with _lock:  # what another thread is loading may stand there without its gradients
        return found.get(name)


def find_function(name: str) -> Any:
    """The function of a dotted name below ``torch``; None if there is none."""
    return _find(FUNCTIONS, 0, name)


def find_method(name: str) -> Any:
    """The Tensor method of a name; None if there is none."""
    return _find(METHODS, 1, name)


def load_attribute(name: str) -> bool:
    """Load the family that puts `name` on Tensor (an operator symbol, a property); False if there is none."""
    index = None if _loaded else read_index()
    if index is None:
        if _loaded:
            return False
        load_all()
        return True
    if name not in index[1]:
        return False
    load(index[1][name])
    return True


def has_function(name: str) -> bool:
    """Whether there is a function of a dotted name, without loading its family where the index tells."""
    if name in FUNCTIONS:
        return True
    index = None if _loaded else read_index()
    return name in index[0] if index is not None else find_function(name) is not None


def function_names() -> list[str]:
    """The dotted names of all functions."""
    index = None if _loaded else read_index()
    if index is None:
        load_all()
    return sorted(set(FUNCTIONS) | set(index[0] if index else ()))


def find_operator(name: str) -> Any:
    if find_function(name) is None:
        return None
    return OPERATORS.get(name)


def alias(name: str, *others: str) -> None:
    """Further dotted names of a function."""
    for other in others:
        FUNCTIONS[other] = FUNCTIONS[name]
        OPERATORS[other] = OPERATORS[name]
