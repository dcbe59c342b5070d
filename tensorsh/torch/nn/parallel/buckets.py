"""Gradients in buckets: reduced among processes while the backward pass still makes the others."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ....engine.graph.fields import wrap
from ....engine.tape.backward import queue_callback
from ...distributed.collectives import all_reduce, broadcast
from ...distributed.grad_bucket import GradBucket
from ...distributed.groups import world

FIRST = 1 << 20
"""Bytes of the first bucket, which is full soon: reducing begins early."""


class Bucket:
    """The gradients of some parameters, in a row."""

    def __init__(self, index: int, parameters: list[Any]) -> None:
        self.index, self.parameters = index, parameters
        self.places: list[tuple[int, int]] = []
        at = 0
        for parameter in parameters:
            self.places.append((at, at + parameter._array.size))
            at += parameter._array.size
        self.flat = wrap(np.zeros(at, parameters[0]._array.dtype))
        self.views = [
            self.flat._array[low:high].reshape(p._array.shape)
            for p, (low, high) in zip(parameters, self.places, strict=True)
        ]
        self.missing = len(parameters)
        self.handle: Any = None

    def result(self) -> Any:
        """The reduced gradients in a row, once they are there."""
        handle, self.handle = self.handle, None
        if hasattr(handle, "then"):
            found = handle.wait()
            found = found[0] if isinstance(found, (list, tuple)) else found
        else:
            handle.wait()
            found = self.flat
        return found._array


def filled(parameters: list[Any], first: float, others: float) -> list[Bucket]:
    """Buckets of parameters, of each dtype apart: full with the bytes of the first limit, those after it with those of the other."""
    open_: dict[Any, tuple[list[Any], int]] = {}
    groups: list[list[Any]] = []
    limits: dict[Any, float] = {}
    for parameter in parameters:
        key = parameter.dtype
        members, size = open_.get(key, ([], 0))
        if not members:
            groups.append(members)
        members.append(parameter)
        size += parameter._array.nbytes
        if size >= limits.get(key, first):
            open_.pop(key, None)
            limits[key] = others
        else:
            open_[key] = members, size
    return [Bucket(i, members) for i, members in enumerate(groups)]


class Reducer:
    """Reduces the gradients of parameters over a group, bucket by bucket, as they are ready."""

    def __init__(
        self, parameters: list[Any], group: Any, cap: float, views: bool, finds_unused: bool, sparse: set[int] = frozenset(),
        static: bool = False,
    ) -> None:  # fmt: skip
        self.group, self.views, self.finds_unused, self.static = group, views, finds_unused, static
        self.parameters = parameters
        self.sparse = [p for p in parameters if id(p) in sparse]
        """Parameters whose gradients keep some elements alone: each is reduced by itself, behind the buckets."""
        self.cap = cap
        self.order: list[int] | None = None if finds_unused else []
        """The numbers of parameters in the order in which their gradients came, until the buckets are laid out by it."""
        self.number = {id(p): i for i, p in enumerate(parameters)}
        first = (min(FIRST, cap), cap) if finds_unused else (math.inf, math.inf)
        self._lay_out(filled([p for p in parameters if id(p) not in sparse], *first)[::-1])
        self.divisor = group.size()
        self.hook: tuple[Any, Callable] | None = None
        self.active = False
        self.unused: list[Any] = []
        """Parameters of this pass that no gradient comes to: marked at the first that comes to another."""
        self.used = np.zeros(len(parameters), np.int32)
        self.ready: set[int] = set()
        self.next = 0
        this = weakref.ref(self)  # a module that is wrapped anew has nothing to do with this one any more
        handles = [p.register_post_accumulate_grad_hook(lambda p: _arrived(this(), p)) for p in parameters]
        weakref.finalize(self, lambda: [handle.remove() for handle in handles]).atexit = False

    def _lay_out(self, buckets: list[Bucket]) -> None:
        """Take other buckets, which are reduced in this order."""
        self.buckets = buckets
        for i, bucket in enumerate(buckets):
            bucket.index = i
        self.place = {id(p): (b, i) for b in buckets for i, p in enumerate(b.parameters)}

    def _learn(self) -> None:
        """After the first pass: lay out the buckets in the order in which gradients came on the first process."""
        if self.order is None:
            return
        came, self.order = self.order, None
        numbers = wrap(np.array([*came, *sorted(set(self.number.values()) - set(came))[::-1]], np.int64))
        broadcast(numbers, group_src=0, group=self.group)
        ordered = [self.parameters[i] for i in numbers._array.tolist()]
        self._lay_out(filled([p for p in ordered if id(p) in self.place], min(FIRST, self.cap), self.cap))

    def prepare_for_backward(self, unused: list[Any]) -> None:
        """Expect the gradients of a backward pass, but those of unused parameters."""
        self.active, self.next = True, 0
        self.ready.clear()
        if self.order is not None:
            self.order.clear()
        self.used[:] = 0
        for bucket in self.buckets:
            bucket.missing = len(bucket.parameters)
        self.unused = unused
        if len(unused) == len(self.parameters):  # no gradient will come
            self._mark_unused()

    def _mark_unused(self) -> None:
        unused, self.unused = self.unused, []
        for parameter in unused:
            self._mark(parameter, None)

    @property
    def some_unused(self) -> bool:
        """Whether parameters may go without a gradient, so that processes tell each other which were used."""
        return self.finds_unused or self.static

    def _mark_rest(self) -> None:
        """At the end of a backward pass of a graph that stays: no gradient comes to the others."""
        for i in self.lacking():
            self._mark(self.parameters[i], None)

    def lacking(self) -> list[int]:
        """The numbers of the parameters whose gradients a pass that has begun still waits for."""
        began = self.active and self.ready
        return [i for i, p in enumerate(self.parameters) if id(p) not in self.ready] if began else []

    def arrived(self, parameter: Any) -> None:
        """Take the gradient of a parameter, if it is waited for."""
        if self.active:
            if self.static and not self.ready:
                queue_callback(self._mark_rest)
            if self.unused:
                self._mark_unused()
            self._mark(parameter, parameter._grad)

    def _mark(self, parameter: Any, gradient: Any) -> None:
        key = id(parameter)
        if key in self.ready:
            raise RuntimeError(TWICE.format(index=self.number[key]))
        self.ready.add(key)
        if self.order is not None:
            self.order.append(self.number[key])
        if key not in self.place:
            self.used[self.number[key]] = gradient is not None
            self._go_on()
            return
        bucket, place = self.place[key]
        view = bucket.views[place]
        if gradient is None:
            view[...] = 0
        else:
            self.used[self.number[key]] = 1
            if hasattr(gradient._array, "layout"):
                raise RuntimeError("sparse gradients are reduced of embeddings with sparse=True alone")
            if self.hook is None and self.divisor > 1:  # a hook sees what was not divided
                np.multiply(gradient._array, view.dtype.type(1.0 / self.divisor), out=view)
            elif gradient._array is not view:
                view[...] = gradient._array
        bucket.missing -= 1
        self._go_on()

    def _go_on(self) -> None:
        if self.next and world.progress is not None:
            world.progress.help()
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self._launch(self.buckets[self.next])
            self.next += 1
        if self.next == len(self.buckets) and len(self.ready) == len(self.parameters):
            self._finish()

    def _launch(self, bucket: Bucket) -> None:
        if self.hook is not None:
            state, hook = self.hook
            bucket.handle = hook(state, GradBucket(bucket, bucket is self.buckets[-1]))
            return
        bucket.handle = all_reduce(bucket.flat, group=self.group, async_op=True)

    def launch_empty(self) -> None:
        """Take part in the reductions of others, with zeros."""
        for bucket in self.buckets:
            bucket.flat._array[...] = 0
            self._launch(bucket)
        self.used[:] = 0
        if self.some_unused:
            all_reduce(wrap(self.used.copy()), group=self.group)
        for bucket in self.buckets:
            bucket.result()
        for parameter in self.sparse:
            self._sum_sparse(parameter, None)
        self._learn()

    def _sum_sparse(self, parameter: Any, gradient: Any) -> Any:
        part = nothing(parameter) if gradient is None else gradient.detach() * (1.0 / self.divisor)
        all_reduce(part, group=self.group)
        return part

    def _finish(self) -> None:
        """Give the parameters their gradients; those that nobody used keep what they have."""
        self.active = False
        everywhere = np.ones(len(self.parameters), np.int32)
        if self.some_unused:
            everywhere = self.used.copy()
            all_reduce(wrap(everywhere), group=self.group)
        for bucket in self.buckets:
            reduced = bucket.result()
            if reduced is not bucket.flat._array:
                bucket.flat._array[...] = reduced
            for parameter, view in zip(bucket.parameters, bucket.views, strict=True):
                if not everywhere[self.number[id(parameter)]]:
                    continue
                gradient = parameter._grad
                if gradient is None:
                    parameter._grad = wrap(view if self.views else view.copy())
                elif self.views:
                    gradient._array = view
                elif gradient._array is not view:
                    gradient._array[...] = view
        for parameter in self.sparse:
            here, number = parameter._grad, self.number[id(parameter)]
            reduced = self._sum_sparse(parameter, here if self.used[number] else None)
            if everywhere[number]:
                parameter._grad = reduced
        self._learn()


def nothing(parameter: Any) -> Any:
    """A sparse gradient of zeros."""
    from ....engine.ops.sparse.tensors import sparse_coo_tensor

    rows = parameter.detach()[:0]
    return sparse_coo_tensor(rows.new_empty((1, 0)).long(), rows, tuple(parameter.shape))


def _arrived(reducer: Reducer | None, parameter: Any) -> None:
    if reducer is not None:
        reducer.arrived(parameter)


TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a module "
    "parameter outside the `forward` function. Please make sure model parameters are not shared across multiple concurrent "
    "forward-backward passes. or try to use _set_static_graph() as a workaround if this module graph does not change during "
    "training loop.2) Reused parameters in multiple reentrant backward passes. For example, if you use multiple `checkpoint` "
    "functions to wrap the same part of your model, it would result in the same set of parameters been used by different "
    "reentrant backward passes multiple times, and hence marking a variable ready multiple times. DDP does not support such "
    "use cases in default. You can try to use _set_static_graph() as a workaround if your module graph does not change over "
    "iterations.\nParameter at index {index} has been marked as ready twice. This means that multiple autograd engine  hooks have "
    "fired for this particular parameter during this iteration. You can set the environment variable TORCH_DISTRIBUTED_DEBUG to "
    "either INFO or DETAIL to print parameter names for further debugging."
)
