"""Which function a program called, under which of its names and with which arguments: what the frames of a call tell."""

from __future__ import annotations

from typing import Any


def with_elements(types: tuple, args: tuple, kwargs: dict) -> tuple:
    """The types of arguments, and of the elements of short lists among them: what decides whether they fit."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, (tuple, list)) and len(value) <= MOST:
            types += (*map(type, value),)
    return types


MOST = 16
"""Of longer lists, as of tensors, the elements do not count."""


def called(names: list[str], params: tuple, args: tuple, kwargs: dict, frame: Any) -> tuple[str, tuple, dict, Any]:
    """Under which of its names an operator was called, with which arguments, and the tensor of a method: the frame of
    what was called tells, by the name of its code (`table.titled`)."""
    # What is a method only is declared under a name with an underscore before it.
    titles = {("" if "." in name else "Tensor." + name, name) for each in names for name in {each, each.lstrip("_")}}
    for _ in range(4):
        if frame is None:
            break
        title = frame.f_code.co_qualname
        for method, name in titles:
            if title in (method, method + "_"):
                args, kwargs = as_given(params, args, kwargs, caller_of(frame), 1)
                return title, args[1:], kwargs, args[0] if args else None
            if title in ("torch." + name, "torch." + name + "_"):
                args, kwargs = as_given(params, args, kwargs, caller_of(frame), 0)
                return title[6:], args, kwargs, None
        frame = frame.f_back
    return names[0], args, kwargs, None


def caller_of(frame: Any) -> Any:
    """What called the function of a frame; one that is interposed (interposing.py) has its entry's frames in between, and
    its own name again above them."""
    title, above = frame.f_code.co_qualname, frame.f_back
    for _ in range(5):
        if above is None:
            break
        if above.f_code.co_qualname == title:
            return above.f_back
        above = above.f_back
    return frame.f_back


def as_given(params: tuple, args: tuple, kwargs: dict, caller: Any, own: int) -> tuple[tuple, dict]:
    """The arguments by position and by name as a caller has written them, where a short way took them by its own names.
    `own`: how many are not written, the tensor of a method."""
    written = arguments_written(caller) if params and caller is not None else None
    if written is None:
        return args, kwargs
    count, named = written[0] + own, written[1]
    values = dict(zip(params, args, strict=False)) | kwargs
    if (count, named) == (len(args), tuple(kwargs)) or len(args) > len(params) or not values.keys() >= set(named):
        return args, kwargs
    by_name = {name: values.pop(name) for name in named}
    if count > len(values) or any(name not in params for name in values):
        return args, kwargs
    return tuple([values[name] for name in params if name in values][:count]), by_name


def arguments_written(caller: Any) -> tuple[int, tuple] | None:
    """How many arguments stand by position, and the names of the others, in the call that a frame is at; None where its
    instructions do not tell."""
    import dis

    *before, at = [each for each in dis.get_instructions(caller.f_code) if each.offset <= caller.f_lasti]
    named: tuple = ()
    if at.opname == "CALL_KW":  # Python 3.13: the names are the constant loaded just before
        named = before[-1].argval
    elif at.opname == "CALL":
        told = [each.arg for each in before[-3:] if each.opname == "KW_NAMES" and each.arg is not None]
        named = caller.f_code.co_consts[told[0]] if told else ()
    else:
        return None
    return (at.arg - len(named), named) if isinstance(named, tuple) and at.arg is not None else None
