"""The guard in front of a function's forms: arguments that fit none are refused before anything is computed, once for each
tuple of types; what fails later is worded by PyTorch's rules, too."""

from __future__ import annotations

import sys
from typing import Any

from .calls import called, with_elements
from .overloads import LISTS, explain, overloads, recorded, unbound, worded
from .refusals import refuse_call


def checked(
    fitting: set, types: tuple, names: list[str], args: tuple, kwargs: dict, frame: Any, params: tuple = ()
) -> tuple[tuple, dict]:
    """Raise PyTorch's error for arguments that fit no overload, else the arguments to go on with. Types that are known to
    fit stay in `fitting`: alone, or with the title of the function that was called where they fit that one only."""
    called_so = types, frame.f_code.co_qualname
    if called_so in fitting:
        return args, kwargs
    found = fit(names, args, kwargs, frame, params)
    if found:
        fitting.add(types if found == "all" else called_so)
        return args, kwargs
    return settled(names, args, kwargs, frame, params)


def fit(names: list[str], args: tuple, kwargs: dict, frame: Any, params: tuple = ()) -> str:
    """Raise PyTorch's error for arguments that fit no overload. What their types alone say: "all", that they fit the function
    under each of its names; "one", under that of the frame; "", nothing: a tensor may stand for a number or not, as its shape
    and dtype are."""
    dotted, args, kwargs, own = called(names, params, args, kwargs, frame)
    error = unbound(dotted, own) or explain(dotted, args, kwargs, own)
    if error is not None:
        raise error
    text = recorded(dotted)[1]
    if ("layout" in kwargs or "pin_memory" in kwargs) and not text.startswith("python "):
        from .layout import check_options

        check_options(dotted, kwargs.get("layout"), kwargs.get("pin_memory"))
        return ""
    if (
        not text.startswith("python ")
        and text
        and not any(o.fits_types(recorded(dotted)[0], args, kwargs) for o in overloads(text))
    ):
        return ""
    everything = (own, *args) if dotted.startswith("Tensor.") else args
    for title, given in [pair for n in names for pair in ((n, everything), (f"Tensor.{n}", everything[1:]))]:
        is_method = title[:7] == "Tensor." and recorded(title)[1]
        bare = is_method and unbound(title, everything[0] if everything else None)
        if title != dotted and (bare or explain(title, given, kwargs, own) is not None):
            # What fits a function need not fit its method.
            return (
                "one"
                if frame.f_code.co_qualname.rstrip("_") in (dotted.rstrip("_"), f"torch.{dotted}".rstrip("_"))
                else ""
            )
    return "all"


def settled(names: list[str], args: tuple, kwargs: dict, frame: Any, params: tuple = ()) -> tuple[tuple, dict]:
    """The arguments of a call with Python numbers in place of tensors that stand for settings."""
    from .tensor import Tensor

    dotted = called(names, params, args, kwargs, frame)[0]
    text = recorded(dotted)[1]
    if not text or text.startswith("python "):
        return args, kwargs
    places = [o.parameters for o in overloads(text)]
    first = 1 if dotted.startswith("Tensor.") else 0

    def plain(value: Any, kinds: set) -> Any:
        if not kinds or not kinds <= SETTINGS:
            return value
        if isinstance(value, (list, tuple)):
            return type(value)([plain(v, kinds) for v in value])
        if value is True or value is False:
            return int(value) if kinds <= LISTS else value
        return value.item() if isinstance(value, Tensor) and value._array.size == 1 else value

    by_place = [plain(v, {p[i - first].kind for p in places if 0 <= i - first < len(p)}) for i, v in enumerate(args)]
    return tuple(by_place), {
        k: plain(v, {p.kind for ps in places for p in ps if p.name == k}) for k, v in kwargs.items()
    }


SETTINGS = {"int", "float", "bool", "Number", *LISTS}
"""Kinds of parameters that a tensor of one element may stand for."""


def takes_lists(names: list[str]) -> bool:
    """Whether a parameter of a function is a list of one kind; what is in data of any kind is for the function to refuse."""
    texts = [text for name in names for title in (name, "Tensor." + name) if (text := recorded(title)[1])]
    return not texts or any(
        text.startswith("python ") or any(p.kind in LISTED for o in overloads(text) for p in o.parameters)
        for text in texts
    )


LISTED = {"Tensors", "floats", "Numbers", "names", *LISTS}


def guarded(function: Any, names: list[str]) -> Any:
    """A function of many forms, whose wrong calls are explained by PyTorch's rules."""
    fitting: set[tuple] = set()
    limited: Any = True
    lists: bool | None = None  # whether what is in a list counts, once that was asked

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal limited, lists
        try:
            types = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else (*map(type, args),)
            if lists is not False and (tuple in types or list in types):
                if lists is None:
                    lists = takes_lists(names)
                if lists:
                    types = with_elements(types, args, kwargs)
            if types not in fitting:
                args, kwargs = checked(fitting, types, names, args, kwargs, sys._getframe())
            if "out" in kwargs:
                from . import outs

                if outs.left_to_guard(names, function, kwargs["out"]):
                    return outs.delivered(names, function, args, kwargs)
            result = function(*args, **kwargs)
            array = getattr(args[0], "_array", None) if limited and args else None
            if array is not None and array.dtype.kind in "biuc" and kwargs.get("dtype") is None:
                limited = refuse_call(limited, names, args, result)
            return result
        except Exception as error:
            form = error.form_of(names) if hasattr(error, "form_of") else None
            if form is not None:
                return form(*args, **kwargs)
            told = worded(names, args, kwargs, error, sys._getframe())
            if told is error:
                raise
            raise told from None

    call._guarded = True  # type: ignore[attr-defined]
    return call
