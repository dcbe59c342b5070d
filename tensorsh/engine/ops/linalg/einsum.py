"""einsum: sums of products named by subscripts.

The operands are brought to common dimensions (the output's first, then those summed over) and multiplied from left to right
by batched matrix products, in the steps PyTorch takes."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays.state import here
from ...arrays.type_names import type_name
from ...graph.fields import wrap
from ...loading import table
from ...numerics.complex import single_product
from ...operators.declare import composite
from ...operators.matmul import FLOAT32, FLOAT64
from ...tensors.tensor import Tensor
from .matmul import product

ELLIPSIS = 52
"""The number that stands for ``...`` among subscripts; letters are 0 to 51, capitals first."""


def subscripts(text: str, start: int, operand: str) -> list[int]:
    """The subscripts of one operand (or the output), as numbers."""
    labels: list[int] = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == ".":
            if ELLIPSIS in labels:
                shown = "but an ellipsis (...)" if operand == "output" else "for which an ellipsis"
                raise RuntimeError(f"einsum(): found '.' for {operand} {shown} was already found")
            if text[i : i + 3] != "...":
                whole = "ellipsis (...)" if operand == "output" else "ellipsis"
                raise RuntimeError(f"einsum(): found '.' for {operand} that is not part of any {whole}")
            labels.append(ELLIPSIS)
            i += 3
            continue
        if c != " ":
            if not (c.isascii() and c.isalpha()):
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {start + i} in the equation string, subscripts must be in "
                    "[a-zA-Z]"
                )
            labels.append(ord(c) - 65 if c.isupper() else ord(c) - 97 + 26)
        i += 1
    return labels


def parse(equation: str, operands: int) -> tuple[list[list[int]], list[int] | None]:
    arrow = equation.find("->")
    left = equation if arrow < 0 else equation[:arrow]
    terms = left.split(",")
    inputs, start = [], 0
    for number, term in enumerate(terms):
        if number == operands:
            raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        inputs.append(subscripts(term, start, f"operand {number}"))
        start += len(term) + 1
    if len(terms) < operands:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    output = None if arrow < 0 else subscripts(equation[arrow + 2 :], arrow + 2, "output")
    return inputs, output


def letter(label: int) -> str:
    return chr(label + 65 if label < 26 else label - 26 + 97)


def check_operand(number: int, labels: list[int], ndim: int) -> None:
    count = sum(label != ELLIPSIS for label in labels)
    if ELLIPSIS in labels:
        if count > ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({count}) is more than the number of dimensions ({ndim}) "
                f"for operand {number}"
            )
    elif count != ndim:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({count}) does not match the number of dimensions ({ndim}) "
            f"for operand {number} and no ellipsis was given"
        )


def sublist_form(args: tuple) -> tuple[str, list[Tensor]]:
    """``einsum(x, [0, 1], y, [1, 2], [0, 2])`` in the other form."""

    def text(labels: Any) -> str:
        out = ""
        for label in labels:
            if label is Ellipsis:
                out += "..."
            elif label >= 0 and label < 52:  # noqa: SIM300 - in the order in which what is no number refuses
                out += letter(label)
            else:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return out

    equation = ",".join(text(labels) for labels in args[1::2])
    if len(args) % 2:
        equation += "->" + text(args[-1])
        return equation, list(args[:-1:2])
    return equation, list(args[::2])


ALONE = "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"


@composite("einsum", method=False)
def einsum(*args: Any) -> Tensor:
    """Sums of products named by subscripts: ``einsum("ij,jk->ik", a, b)``.
    RuntimeError: one subscript for sizes that do not broadcast."""
    if len(args) < 2:
        raise ValueError(ALONE)
    if isinstance(args[0], Tensor):
        equation, operands = sublist_form(args)
    else:
        equation, operands = args[0], list[Any](args[1:])
        if not isinstance(equation, str):
            raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    for x in operands:
        if not isinstance(x, Tensor):
            raise TypeError(f"einsum(): argument 'operands' (position 2) must be tuple of Tensors, not {type_name(x)}")
    if not operands:
        raise ValueError(ALONE)
    inputs, places, ellipsis, out_count, total = plan(equation, tuple(x._array.ndim for x in operands))
    plain = len(operands) > 1 and is_plain(operands)
    if plain:
        operands = [Plain(x._array) for x in operands]
    sizes: dict[Any, int] = {}
    aligned = [align(x, i, inputs[i], places, total, ellipsis, sizes) for i, x in enumerate(operands)]
    counts = [0] * total
    for x in aligned:
        for d, n in enumerate(x._array.shape):
            counts[d] += n != 1
    result = contract(aligned, counts, out_count, total)
    return wrap(result._array) if plain else result


@lru_cache(maxsize=512)
def plan(equation: str, ndims: tuple) -> tuple:
    """What follows from an equation and the operands' numbers of dimensions."""
    inputs, output = parse(equation, len(ndims))
    ellipsis = 0
    for number, (labels, ndim) in enumerate(zip(inputs, ndims, strict=True)):
        check_operand(number, labels, ndim)
        if ELLIPSIS in labels:
            ellipsis = max(ellipsis, ndim - len(labels) + 1)
    places, out_count, total = assign_places(inputs, output, ellipsis)
    return inputs, places, ellipsis, out_count, total


class Plain:
    """An array with the few methods that a contraction calls, for operands without gradient."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def permute(self, order: Any) -> Plain:
        return Plain(self._array.transpose(order))

    def reshape(self, shape: tuple) -> Plain:
        return Plain(self._array.reshape(shape))

    view = reshape

    def unsqueeze(self, dim: int) -> Plain:
        return Plain(self._array[..., None])

    def diagonal(self, offset: int, first: int, second: int) -> Plain:
        return Plain(self._array.diagonal(offset, first, second))

    def sum(self, dims: list, keepdim: bool) -> Plain:
        return Plain(table.find_operator("sum").kernel(np, self._array, dims, keepdim))

    def bmm(self, other: Plain) -> Plain:
        return Plain(product(self._array, other._array))

    def __mul__(self, other: Plain) -> Plain:
        return Plain(single_product(np, self._array, other._array))


def is_plain(operands: list[Tensor]) -> bool:
    """Whether all are ordinary arrays of one float dtype, and nobody asks for a gradient."""
    kind = operands[0]._array.dtype
    return (
        (kind is FLOAT32 or kind is FLOAT64)
        and not here.inference
        and all(x._array.dtype is kind and type(x._array) is np.ndarray for x in operands)
        and (not here.grad_enabled or all(x._node is None for x in operands))
    )


def assign_places(inputs: list, output: list | None, ellipsis: int) -> tuple[dict, int, int]:
    """The dimension of each subscript in the aligned operands: the output's first, then those summed over."""
    seen = [label for labels in inputs for label in labels]
    places: dict[int, int] = {}
    at = 0
    if output is None:
        places[ELLIPSIS] = 0
        at = ellipsis
        for label in range(52):
            if seen.count(label) == 1:
                places[label] = at
                at += 1
    else:
        for label in output:
            if label == ELLIPSIS:
                places[label] = at
                at += ellipsis
                continue
            if label in places:
                raise RuntimeError(f"einsum(): output subscript {letter(label)} appears more than once in the output")
            if label not in seen:
                raise RuntimeError(
                    f"einsum(): output subscript {letter(label)} does not appear in the equation for any input operand"
                )
            places[label] = at
            at += 1
    out_count = at
    if ELLIPSIS not in places:
        places[ELLIPSIS] = at
        at += ellipsis
    for label in range(52):
        if label in seen and label not in places:
            places[label] = at
            at += 1
    return places, out_count, at


def align(x: Any, number: int, labels: list, places: dict, total: int, ellipsis: int, sizes: dict) -> Any:
    """An operand with all dimensions in their places: diagonals taken, missing dimensions of size one put in."""
    order: list[int | None] = [None] * total
    dim = 0
    for label in labels:
        if label == ELLIPSIS:
            after = labels[labels.index(ELLIPSIS) + 1 :]
            covered = x._array.ndim - dim - len(after)
            first = places[ELLIPSIS] + ellipsis - covered
            for i in range(covered):
                n, key = x._array.shape[dim], ("...", first + i)
                if sizes.get(key, 1) == 1:
                    sizes[key] = n
                elif n not in (1, sizes[key]):
                    raise RuntimeError(
                        f"einsum(): dimension {dim} covered by ellipsis in operand {number}has size {n} which does not "
                        f"broadcast with previously seen ellipsis with size {sizes[key]} for the respective dimension"
                    )
                order[first + i] = dim
                dim += 1
            continue
        place, n = places[label], x._array.shape[dim]
        if order[place] is None:
            if sizes.get(label, 1) == 1:
                sizes[label] = n
            elif n not in (1, sizes[label]):
                raise RuntimeError(
                    f"einsum(): subscript {letter(label)} has size {n} for operand {number} which does not broadcast with "
                    f"previously seen size {sizes[label]}"
                )
            order[place] = dim
            dim += 1
            continue
        before = order[place]
        if x._array.shape[before] != n:
            raise RuntimeError(
                f"einsum(): subscript {letter(label)} is repeated for operand {number} but the sizes don't match, {n} != "
                f"{x._array.shape[before]}"
            )
        x = x.diagonal(0, before, dim)
        last = x._array.ndim - 1
        x = x.permute([*range(before), last, *range(before, last)])
    for place in range(total):
        if order[place] is None:
            x = x.unsqueeze(-1)
            order[place] = x._array.ndim - 1
    return x.permute(order)


def contract(operands: list, counts: list[int], out_count: int, total: int) -> Any:
    """Multiply the aligned operands from left to right, summing each dimension as soon as nobody else has it."""
    result = operands[0]
    for other in operands[1:]:
        shared, left, right = [], [], []
        for d in range(out_count, total):
            a, b = result._array.shape[d], other._array.shape[d]
            if a != 1 and b != 1:
                counts[d] -= 1
                if counts[d] == 1:
                    shared.append(d)
                    counts[d] = 0
            elif counts[d] == 1:
                if a != 1:
                    left.append(d)
                    counts[d] = 0
                elif b != 1:
                    right.append(d)
                    counts[d] = 0
        if left:
            result = result.sum(left, True)
        if right:
            other = other.sum(right, True)
        result = sum_of_products(result, other, shared)
    if total > out_count:
        if len(operands) > 1:
            return result.view(result._array.shape[:out_count])
        return result.sum(list(range(out_count, total)))
    return result


def sum_of_products(left: Any, right: Any, summed: list[int]) -> Any:
    """The product of two aligned tensors, summed over some dimensions, by one batched matrix product."""
    if not summed:
        return left * right
    both: list[int] = []
    lone: list[int] = []
    rest: list[int] = []
    for d, (a, b) in enumerate(zip(left._array.shape, right._array.shape, strict=True)):
        if d not in summed:
            (both if a != 1 and b != 1 else lone if a != 1 else rest).append(d)
    if lone and rest and rest[-1] < lone[0]:
        # The other order gives a contiguous result.
        left, right, lone, rest = right, left, rest, lone
    a, b = left._array.shape, right._array.shape
    batch, rows = [a[d] for d in both], [a[d] for d in lone]
    columns = [b[d] for d in rest]
    inner = math.prod(a[d] for d in summed)
    order = [*both, *lone, *summed, *rest]
    x = left.permute(order).reshape((math.prod(batch), math.prod(rows), inner))
    y = right.permute([*both, *summed, *rest, *lone]).reshape((math.prod(batch), inner, math.prod(columns)))
    result = x.bmm(y).view((*batch, *rows, *[1] * len(summed), *columns))
    return result.permute([order.index(d) for d in range(len(order))])
