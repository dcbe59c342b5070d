"""Wrong calls of functions that PyTorch has written in Python: what Python says of their arguments, and the first of the
builtin functions they call that does not take theirs.

Their records in `overloads.txt` are parameters and, behind `>`, the steps: what such a function does with its arguments
until these are known to fit.
"""

from __future__ import annotations

from typing import Any

from .overloads import explain, recorded


def of_python(name: str, text: str, method: bool, args: tuple, kwargs: dict) -> Exception | None:
    """What Python itself says of arguments that a function written in Python does not take, or the first of the steps
    that it takes with them."""
    parameters, _, steps = text.partition(" > ")
    space: dict[str, Any] = {}
    exec(f"def {name}({parameters}): return locals()", space)
    stand_in = space[name]
    if method:
        stand_in.__qualname__ = "Tensor." + name
    else:
        args = args[1:]
    try:
        given = stand_in(*args, **kwargs)
        if steps:
            eval(
                f"({steps},)",
                {"pair": pair, "triple": triple, "several": several, "chosen": chosen, "method": method_step},
                Steps(given),
            )
    except Exception as error:
        return error.with_traceback(None)
    return None


class Steps(dict):
    """The names in the steps of a function: its arguments, and the builtin functions that it calls with some of them."""

    def __missing__(self, name: str) -> Any:
        dotted = "_nn." + name[1:]
        if not recorded(dotted)[0]:
            raise KeyError(name)

        def step(*args: Any, **kwargs: Any) -> None:
            error = explain(dotted, args, kwargs)
            if error is not None:
                raise error

        return step


def pair(value: Any) -> tuple:
    """A setting for two dimensions."""
    return tuple(value) if hasattr(value, "__iter__") else (value, value)


def triple(value: Any) -> tuple:
    """A setting for three dimensions."""
    return tuple(value) if hasattr(value, "__iter__") else (value, value, value)


def chosen(args: tuple, kwargs: dict, first: tuple, second: tuple, forms: tuple) -> Any:
    """The step of a function that is written as four, for two settings (name and place) that are on or off."""
    on = [bool(kwargs.get(name, at < len(args) and args[at])) for name, at in (first, second)]
    return forms[2 * on[0] + on[1]](*args, **kwargs)


def method_step(tensor: Any, name: str, *args: Any, **kwargs: Any) -> None:
    """A step that calls a method of a tensor."""
    error = explain("Tensor." + name, args, kwargs, tensor)
    if error is not None:
        raise error


def several(wanted: Any, sizes: tuple) -> Any:
    """The output sizes of an adaptive pooling, those of the input where none is given."""
    if isinstance(wanted, int):
        return wanted
    if len(sizes) <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    return [n if w is None else w for w, n in zip(wanted, sizes[-len(wanted) :], strict=False)]


def with_indices(text: str, args: tuple, kwargs: dict) -> bool:
    """Whether a pooling is told to return indices, too, which is a function of its own."""
    names = [each.partition("=")[0] for each in text[7:].partition(" > ")[0].split(", ")]
    place = names.index("return_indices")
    return bool(kwargs.get("return_indices", args[place] if place < len(args) else False))
