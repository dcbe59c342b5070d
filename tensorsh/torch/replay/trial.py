"""A trial: a program against the calls that it was made of, one by one, before it answers for them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...engine.arrays.backend import fetched, on_gpu
from ...engine.graph.fields import wrap
from ...engine.random.generator import default_generator
from ...engine.random.marks import go_back
from ...engine.tape.backward import grad
from ...engine.tensors.tensor import Tensor
from ..containers import mapped, tensors_in
from .names import draws
from .slots import Node, Slot, numbers_in


def leaves(tensors: list[Any], tracked: set[int]) -> list[Any]:
    """Tensors on the memory of others, of which some want a gradient."""
    return [t.detach().requires_grad_(k in tracked) for k, t in enumerate(tensors)]


def weight(nodes: list[Node]) -> int:
    """The bytes of all results of calls."""
    numbers = {number: like for node in nodes for number, like in node.likes.items()}
    return sum([dtype.itemsize * prod(shape) for dtype, shape in numbers.values()])


def drawing(nodes: list[Node]) -> bool:
    """Whether a call among them draws random numbers."""
    return any([draws(node.name, node.args, node.kwargs) for node in nodes])


def undrawn(function: Callable, *args: Any, start: Any = None) -> Any:
    """What a function gives, after which the generator is as it was before. start: a mark that it draws from."""
    generator = default_generator()
    before = generator.get_state()
    try:
        if start is not None:
            go_back(generator, start)
        return function(*args)
    finally:
        generator.set_state(before)


def one_by_one(nodes: list[Node], tensors: list[Any], tree: Any = None, told: Any = None) -> dict[int, Any]:
    """The results of calls, by their numbers. tree: what is read in the end, where nothing else is to be kept. told: called with each
    number and tensor."""
    values: dict[int, Any] = dict(enumerate(tensors))
    last: dict[int, int] = {}
    if tree is not None:
        for at, node in enumerate(nodes):
            last.update(dict.fromkeys(numbers_in(node.args) | numbers_in(node.kwargs) | numbers_in(node.result), at))
        last = {number: at for number, at in last.items() if number not in numbers_in(tree)}
    over: dict[int, list[int]] = {}
    for number, at in last.items():
        over.setdefault(at, []).append(number)
    for at, node in enumerate(nodes):
        kwargs = {name: opened(each, values) for name, each in node.kwargs.items()}
        bind(node.result, (node.over or node.function)(*opened(node.args, values), **kwargs), values)
        for number in numbers_in(node.result) if told is not None else ():
            told(number, values[number])
        for number in over.get(at, ()):
            del values[number]
    return values


def opened(value: Any, values: dict[int, Any]) -> Any:
    """A tree of values with tensors in place of slots."""
    return mapped(lambda each: values[each.number] if type(each) is Slot else each, value)


def bind(place: Any, result: Any, values: dict[int, Any]) -> None:
    """Put a result, or those of several, at their numbers."""
    if type(place) is Slot:
        values[place.number] = result
    else:
        for at, each in zip(place, result, strict=True):
            bind(at, each, values)


def wanting(nodes: list[Node], tensors: list[Any], tracked: set[int]) -> set[int]:
    """The numbers of all tensors that have a node if those of `tracked` do."""
    if not tracked:
        return tracked
    values = one_by_one(nodes, leaves(tensors, tracked))
    return {number for number, t in values.items() if t._node is not None}


def holds(run: Callable, nodes: list[Node], tree: Any, tensors: list[Any], tracked: set[int]) -> bool:
    """Whether a program gives the results and gradients of calls to the bit."""
    found, drawn = [], drawing(nodes)
    for program in (False, True):
        inputs = leaves(tensors, tracked)
        asked: Any = (run, tuple(inputs), None) if program else (one_by_one, nodes, inputs, tree)
        made = undrawn(*asked) if drawn else asked[0](*asked[1:])
        made = made if program else opened(tree, made)
        results = [t for t in tensors_in(made) if t._node is not None]
        gradients: Any = ()
        if results:
            wanted = [t for k, t in enumerate(inputs) if k in tracked]
            gradients = grad(results, wanted, [weights(t) for t in results], allow_unused=True)
        found.append((made, gradients))
    return alike(*found)


def others(tensors: list[Any]) -> list[Any]:
    """Tensors of the same kinds whose floats are others: of both signs, with zeros of both, infinite ones and NaN among them."""
    found = []
    for t in tensors:
        a = np.array(t._array, copy=True)
        if a.dtype.kind == "f":
            flat = a.reshape(-1)
            flat[:] = (
                np.resize(np.array([1.25, -0.5, 0.0, 3.0, -2.5, -0.0, 0.7, 40.0, -0.001, -60.0]), flat.shape) * 0.7
            )
            if flat.size > 20:
                flat[7], flat[11], flat[17] = np.inf, np.nan, -np.inf
        found.append(wrap(a))
    return found


def weights(t: Any) -> Any:
    """A gradient that differs from element to element."""
    a = t._array
    return wrap(np.resize(np.array([0.75, -1.5, 2.25, 0.3, -0.7]), a.shape).astype(a.dtype))


def alike(a: Any, b: Any) -> bool:
    """Whether two results are the same to the bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Tensor):
        x, y = a._array, b._array
        if (a._node is None) != (b._node is None):
            return False
        if (x.dtype, x.shape, x.strides) != (y.dtype, y.shape, y.strides):
            return False
        if on_gpu(x) and on_gpu(y):
            x, y = fetched(x), fetched(y)
        x, y = np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(y).reshape(-1)
        return bool((x.view(np.uint8) == y.view(np.uint8)).all())
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(alike, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(map(alike, a.values(), b.values()))
    return a is b or bool(a == b)
