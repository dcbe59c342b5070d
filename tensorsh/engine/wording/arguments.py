"""Arguments of public forms: those that fit no overload are refused before a call, once for each tuple of types; the error of
a call that failed is PyTorch's."""

from __future__ import annotations

from typing import Any

from ...sandbox.integers import is_derived, plain, whole
from ..arrays.layout import check_options
from ..arrays.numbers import check_width
from ..arrays.type_names import type_name
from ..tensors.inplace import check
from ..tensors.tensor import Tensor
from .overloads import LISTS, PYTHON, is_wide, misfits, overloads, parameter_text, spoken_name, wide_among
from .steps import misbound

MOST = 16
"""Of longer lists, as of tensors, the elements do not count."""
SETTINGS = {"int", "dim", "float", "bool", "Number", *LISTS}
"""Kinds of parameters that a tensor of one element may stand for."""
LISTED = {"Tensors", "floats", "Numbers", "names", *LISTS}


def types_of(args: tuple, kwargs: dict) -> tuple:
    """The types of arguments, the names of those by name, and the types of the elements of short lists among them: what
    decides whether they fit."""
    kinds: list = []
    lists = False
    for x in args:
        kind = type(x)
        if kind is tuple or kind is list:
            lists = True
        kinds.append(kind)
    if kwargs:
        kinds.extend(kwargs)
        for x in kwargs.values():
            kind = type(x)
            if kind is tuple or kind is list:
                lists = True
            kinds.append(kind)
    if lists:
        for value in (*args, *kwargs.values()):
            if isinstance(value, (tuple, list)) and len(value) <= MOST:
                kinds.extend([type(x) for x in value])
    return tuple(kinds)


def split(title: str, args: tuple) -> tuple[str, tuple, Any]:
    """The recorded name of a form, its arguments as they are written, and the tensor of a method."""
    if title.startswith("Tensor."):
        return title, args[1:], args[0] if args else None
    return title.removeprefix("torch."), args, None


def mismatch(title: str, args: tuple, kwargs: dict) -> Exception | None:
    """PyTorch's error for arguments that a form (``torch.add``, ``Tensor.add_``) does not take; None where it does."""
    dotted, given, own = split(title, args)
    if parameter_text(dotted).startswith(PYTHON):
        return misbound(dotted, args, kwargs)
    if title.startswith("Tensor.") and not isinstance(own, Tensor):
        name = title[7:]
        if own is None:
            return TypeError(f"unbound method TensorBase.{name}() needs an argument")
        kind = type_name(own)
        return TypeError(f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object")
    return misfits(dotted, given, kwargs)


def checked(title: str, known: set, types: tuple, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Raise PyTorch's error for arguments that fit no overload, else the arguments to go on with. Types that fit whatever the
    values are stay in `known`; a program's own classes of integers and of names never do, and become plain ones."""
    error = mismatch(title, args, kwargs)
    if error is not None:
        error._title = title  # type: ignore[attr-defined]
        raise error
    dotted, given, _ = split(title, args)
    text = parameter_text(dotted)
    python = text.startswith(PYTHON)
    options = ("layout" in kwargs or "pin_memory" in kwargs) and not python
    if options:
        check_options(dotted, kwargs.get("layout"), kwargs.get("pin_memory"))
    if any(is_derived(kind) if isinstance(kind, type) else type(kind) is not str for kind in types):
        args, kwargs = tuple([plain(v) for v in args]), {str.__str__(key): plain(v) for key, v in kwargs.items()}
    elif not options and (
        not text or python or any(o.fits_types(spoken_name(dotted), given, kwargs) for o in overloads(text))
    ):
        known.add(types)
        return args, kwargs
    return (args, kwargs) if python or not text else settled(dotted, text, args, kwargs)


def settled(dotted: str, text: str, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call with Python numbers in place of tensors that stand for settings."""
    places = [o.parameters for o in overloads(text)]
    first = 1 if dotted.startswith("Tensor.") else 0

    def number(value: Any, kinds: set) -> Any:
        if not kinds or not kinds <= SETTINGS:
            return value
        if isinstance(value, (list, tuple)):
            return type(value)([number(v, kinds) for v in value])
        if value is True or value is False:
            return int(value) if kinds <= LISTS else value
        return value.item() if isinstance(value, Tensor) and value._array.size == 1 else value

    by_place = [number(v, {p[i - first].kind for p in places if 0 <= i - first < len(p)}) for i, v in enumerate(args)]
    return tuple(by_place), {
        k: number(v, {p.kind for ps in places for p in ps if p.name == k}) for k, v in kwargs.items()
    }


def takes_lists(title: str) -> bool:
    """Whether a parameter of a function is a list of one kind; what is in data of any kind is for the function to refuse."""
    text = parameter_text(title.removeprefix("torch."))
    if not text or text.startswith(PYTHON):
        return True
    return any(p.kind in LISTED for o in overloads(text) for p in o.parameters)


def explain(title: str, args: tuple, kwargs: dict, error: Exception) -> Exception:
    """The error of a call that failed, as PyTorch words it. title: the form's, as for `mismatch`."""
    if getattr(error, "_title", None) == title:
        return error  # the form refused the arguments itself
    try:
        dotted, given, _ = split(title, args)
        told = mismatch(title, args, kwargs) or too_wide(title, args, kwargs)
        told = told or unwritable(title, args) or overflow(error, args)
        if told is None and hasattr(error, "worded"):
            told = error.worded([dotted.removeprefix("Tensor.")])
        return told or error
    except Exception:
        return error


def too_wide(title: str, args: tuple, kwargs: dict) -> Exception | None:
    """PyTorch's error for an integer of more than 64 bits among the arguments of a form; None where there is none."""
    if title.startswith("Tensor.__"):
        try:
            for value in args:
                if is_wide(value):
                    check_width(whole(value))
        except OverflowError as error:
            return error
        return None
    dotted, given, _ = split(title, args)
    python = parameter_text(dotted).startswith(PYTHON)
    return misbound(dotted, args, kwargs) if python else wide_among(dotted, given, kwargs)


UNCHECKED = frozenset("requires_grad_ resize_ resize_as_ detach_ share_memory_ rename_ set_ apply_ map_".split())
"""Methods that look at what they are given before they look whether they may write."""


def unwritable(title: str, args: tuple) -> Exception | None:
    """Why a method's tensor may not be written in place, which is found out before the kernel looks at its operands."""
    if not title.startswith("Tensor.") or title[-1] != "_" or title[-2] == "_" or title[7:] in UNCHECKED:
        return None
    try:
        if args[0]._node is not None:
            check(args[0], True, ("zero",))  # whose elements may lie in one place: that is found out later
    except RuntimeError as error:
        return error
    return None


def overflow(error: Exception, args: tuple) -> Exception | None:
    """The words for a number that a kernel cannot take for its setting."""
    if type(error) is OverflowError and str(error).startswith("Python integer "):
        kind = str(error).rpartition(" ")[2] + "_t"
    elif type(error) is TypeError and str(error).endswith("or a real number, not 'complex'"):
        wide = any(getattr(getattr(x, "dtype", None), "name", "") == "float64" for x in args)
        kind = "double" if wide else "float"
    else:
        return None
    return RuntimeError(f"value cannot be converted to type {kind} without overflow")
