"""Overlap of what is written and what is read: which calls PyTorch refuses, where memory is in two places at once.

A tensor that is written may have every element in a place of its own (`alone`), and no part of its memory in what is read
unless that is the very same elements (`apart`). What functions do otherwise is recorded (`overlap`): first
``once`` or ``twice``, how many elements of what is written may lie in one place, then for each operand ``part`` (as usual),
``any`` (not even the same elements) or ``free``. In-place forms are named with their underscore, their operands without what
is written; those that are not listed do as their functions.

As in PyTorch, memory with gaps is let through: the operands are read before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..arrays.extents import extent, meets
from ..arrays.warning import warn
from ..loading.recorded import told

REPEATED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
SHARED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
    "Please clone() the tensor before performing the operation."
)


EXPANDED = {"masked_fill": "[mask] = scalar", "index_fill": "[mask] = scalar", "index_put": "[indices] = tensor"}
"""What warns of elements in one place, with its other form."""


def rule(names: Sequence[str], inplace: bool = False) -> list[str]:
    """What a function, by the first of its names for which anything is recorded, does with overlaps."""
    for name in names:
        if inplace and (own := told(name.strip("_") + "_", "overlap")):
            return own.split()
        if found := told(name, "overlap") or told(name.strip("_"), "overlap"):
            words = found.split()
            return [words[0], *words[2:]] if inplace else words
    return ["once"]


def repeats(array: Any) -> bool:
    """Whether an array's strides of zero lay several elements in one place."""
    if not array.size:
        return False
    return any([s == 0 and n > 1 for n, s in zip(array.shape, array.strides, strict=True)])


def alone(target: Any, names: Sequence[str] = (), inplace: bool = True) -> None:
    """Refuse to write where several elements lie in one place, or warn."""
    if repeats(target):
        if rule(names, inplace)[0] == "once":
            raise RuntimeError(REPEATED)
        for name, form in EXPANDED.items() if inplace else ():
            if names and names[0].strip("_").startswith(name):
                warn(
                    f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
                    f"This also applies to advanced indexing e.g. tensor{form}"
                )


def apart(target: Any, operands: Iterable, how: Sequence[str] = (), usual: str = "any") -> None:
    """Refuse to write where an operand lies in the target's own memory. `how`: what goes for each operand; `usual`: for the
    others."""
    for at, operand in enumerate(operands):
        kind = how[at] if at < len(how) else usual
        for array in sharing(target, (operand,)) if kind != "free" else ():
            if kind == "part" and same(target, array):
                continue
            if is_in_one_piece(target) and is_in_one_piece(array):
                raise RuntimeError(SHARED)


def check_inplace(names: Sequence[str], target: Any, operands: Sequence) -> None:
    """Refuse an in-place form whose operands lie in part in the memory that it writes."""
    if sharing(target, operands):
        apart(target, operands, rule(names, True)[1:], "part")


def check_out(names: Sequence[str], operands: Sequence, targets: Any) -> None:
    """Refuse an ``out=`` that is no place for results: its elements, or what is read, lie in its own memory."""
    for place, target in enumerate(targets if isinstance(targets, (list, tuple)) else (targets,)):
        array = getattr(target, "_array", None)
        if array is None:
            continue
        twice, shared = 0 in array.strides and repeats(array), sharing(array, operands)
        if twice or shared:
            found = rule([f"{name}/{place}" for name in names] if place else names)
            if twice and found[0] == "once":
                raise RuntimeError(REPEATED)
            if shared:
                apart(array, operands, found[1:], "part")


def sharing(target: Any, operands: Sequence) -> list:
    """The arrays among operands, and in lists of them, that may have memory in common with a target."""
    found: list = []
    for x in operands:
        if type(x) is list or type(x) is tuple:
            found += sharing(target, x)
            continue
        array = getattr(x, "_array", x)  # of a tensor
        if hasattr(array, "strides") and meets(target, array):
            found.append(array)
    return found


def same(target: Any, array: Any) -> bool:
    """Whether two arrays are the same elements."""
    return target is array or (target.strides == array.strides and extent(target) == extent(array))


def is_in_one_piece(array: Any) -> bool:
    """Whether an array's elements lie in one piece of memory, each in a place of its own."""
    if array.flags.c_contiguous:
        return True
    reached = array.itemsize
    for s, n in sorted([(s, n) for n, s in zip(array.shape, array.strides, strict=True) if n > 1]):
        if s != reached:
            return False
        reached *= n
    return True
