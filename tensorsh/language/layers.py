"""Layers of a network that refused their input: which one, by the name that the program has for it, and the number that fits.

    `self.fc`: in_features is 7200, this input has 5408; `nn.Linear(5408, 10)` would fit

A network's layers stand between the script's frames and the operator that failed; they are known by their tables of
parameters, buffers and submodules, and read without running anything of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from . import peek
from .places import headline

MOST = 10_000
"""Layers that are looked through for a name."""


class Size(NamedTuple):
    """An argument of a layer that says how large one dimension of its input is."""

    argument: str
    inputs: tuple[str, ...]
    """The names that the input has in the layer's own functions."""
    dimension: int


SIZES = (
    Size("in_features", ("input",), -1),
    Size("in_channels", ("input",), 1),
    Size("num_features", ("input",), 1),
    Size("num_channels", ("input",), 1),
    Size("input_size", ("input",), -1),
    Size("embed_dim", ("query",), -1),
)


def misfit(error: BaseException, scopes: tuple[Mapping[str, Any], ...]) -> str | None:
    """The innermost layer whose input has another size than its argument says, in a sentence; None if there is none."""
    frames = list(_layers(error))
    for layer, known in reversed(frames):
        own = peek.instance_dict(layer)
        if not peek.is_library(type(layer)):
            return None  # a layer of the script's own: its line is the place
        said = _said(layer, own, known)
        if said is None and isinstance(error, IndexError):
            said = _range(own, known)
        elif said is None and "type" in headline(error).partition("\n")[0]:
            said = _types(own, known)
        if said is not None:
            return f"`{_name(layer, [each for each, _ in frames], scopes)}`: {said}"
    return None


def _layers(error: BaseException) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The layers that were at work, from the outermost, each with the variables of its function."""
    traceback = error.__traceback__
    while traceback is not None:
        known = traceback.tb_frame.f_locals
        layer = known.get("self")
        if isinstance(peek.instance_dict(layer).get("_modules"), dict):
            yield layer, known
        traceback = traceback.tb_next


def _said(layer: Any, own: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    for size in SIZES:
        wanted = own.get(size.argument)
        given = next((known[name] for name in size.inputs if peek.shape_of(known.get(name))), None)
        shape = peek.shape_of(given)
        if type(wanted) is not int or not shape:
            continue
        spatial = len(own["kernel_size"]) if size.argument == "in_channels" and "kernel_size" in own else None
        if spatial is not None and len(shape) not in (spatial + 1, spatial + 2):
            return None
        dimension = 0 if spatial is not None and len(shape) == spatial + 1 else size.dimension
        if not -len(shape) <= dimension < len(shape) or shape[dimension] == wanted:
            continue
        found = shape[dimension]
        said = f"{size.argument} is {wanted}, this input has {found}"
        if spatial is not None and shape[-1] == wanted:
            return f"{said}; channels come before height and width: `.movedim(-1, {dimension})` puts them there"
        if size.argument == "in_features" and (len(shape) == 4 or len(shape) == 3 and prod(shape[1:]) == wanted):
            fits = "" if prod(shape[1:]) == wanted else _fitting(layer, own, size.argument, prod(shape[1:]))
            return f"{said}; `nn.Flatten()` or `x.flatten(1)` makes rows of {prod(shape[1:])} of {list(shape)}{fits}"
        return said + _fitting(layer, own, size.argument, found)
    wanted, shape = own.get("normalized_shape"), peek.shape_of(known.get("input"))
    if type(wanted) is tuple and shape and tuple(shape[-len(wanted) :]) != wanted:
        return f"normalized_shape is {list(wanted)}, this input ends in {list(shape[-len(wanted) :])}"
    return None


def _range(own: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """Which indices there are."""
    count = own.get("num_embeddings")
    if type(count) is int and "int" in (peek.describe(known.get("input")) or ""):
        return f"num_embeddings is {count}, so that indices are 0 to {count - 1}"
    return None


def _types(own: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """What is to be converted where a layer has the size of its input, not its dtype."""
    if "num_embeddings" in own:
        return "indices are whole numbers; `.long()` makes them of others"
    parameters = own.get("_parameters")
    weight = dict.get(parameters, "weight") if isinstance(parameters, dict) else None
    has, given = ((peek.describe(value) or "").partition("[")[0] for value in (weight, known.get("input")))
    if not has or not given or has == given:
        return None
    return f"its weight is {has}, this input is {given}; `.to(torch.{has})` converts it"


def _fitting(layer: Any, own: Mapping[str, Any], argument: str, found: int) -> str:
    """The layer as one would write it for this input."""
    if argument == "in_features" and type(own.get("out_features")) is int:
        return f"; `nn.{type(layer).__name__}({found}, {own['out_features']})` would fit"
    return ""


def _name(layer: Any, within: list[Any], scopes: tuple[Mapping[str, Any], ...]) -> str:
    """`self.fc`, `net.body[0]`: the way to a layer from a variable of the place; else its class."""
    variables = {name: value for scope in reversed(scopes[:2]) for name, value in scope.items() if name[:1] != "_"}
    outer = {id(each) for each in within}
    known = [(name, value) for name, value in variables.items() if id(value) in outer]
    others = [(name, value) for name, value in variables.items() if id(value) not in outer]
    for name, value in sorted(known, key=lambda pair: pair[0] != "self") + others:
        way = _way(value, layer)
        if way is not None:
            return name + way
    return f"nn.{type(layer).__name__}"


def _way(value: Any, layer: Any) -> str | None:
    """`.body[0]`: how one layer is reached from another; None where it is not."""
    pending, seen = [("", value)], 0
    while pending and seen < MOST:
        way, current = pending.pop(0)
        seen += 1
        if current is layer:
            return way
        below = peek.instance_dict(current).get("_modules")
        if isinstance(below, dict):
            pending += [
                (f"{way}[{name}]" if name.isdigit() else f"{way}.{name}", each) for name, each in dict.items(below)
            ]
    return None
