"""Lots: what is known of a memory beside its bytes, so that a storage is one object for all tensors that lie in it.

A lot is found by the array that owns the memory, and goes with it. When a storage moves to another memory, larger or smaller,
`move` takes along all tensors known to lie in it. A tensor that reaches beyond a memory made smaller keeps the old one, alive
and as large as it was, until the storage is large enough again: no tensor ever reaches beyond its memory."""

from __future__ import annotations

import gc
import sys
import weakref
from itertools import count
from typing import Any

from ..arrays.deferred import as_read
from ..arrays.extents import address, extent, limits, owner, strided
from ..graph.fields import Fields

numbers = count(1)
readers: dict[type, Any] = {}
"""The classes of storages, and what makes a new array of the elements in one."""


class Lot:
    """The storage object of a memory, the attributes it was given, tensors in it, its memory where others keep an older one."""

    __slots__ = ("attributes", "memory", "number", "storage", "tenants")

    def __init__(self) -> None:
        self.storage: Any = None
        self.attributes: dict[str, Any] = {}
        self.tenants: list[weakref.ref] = []
        self.memory: Any = None
        self.number = next(numbers)


class Place(weakref.ref):
    """A memory's owner, and its lot."""

    __slots__ = ("key", "lot")
    key: int
    lot: Lot


places: dict[int, Place] = {}
"""The lots by the owners of their memory, as objects."""


def forget(gone: Any) -> None:
    if gone.key in places and places[gone.key] is gone:
        del places[gone.key]
    gone.lot.memory = None


def put(root: Any, lot: Lot) -> None:
    place: Any = Place(root, forget)
    place.key, place.lot = id(root), lot
    places[id(root)] = place


def known(root: Any) -> Lot | None:
    """The lot of the memory that an array owns, where there is one."""
    place = places.get(id(root))
    return place.lot if place is not None else None


def lot_of(root: Any) -> Lot:
    """The lot of the memory that an array owns."""
    found = known(root)
    if found is None:
        found = Lot()
        put(root, found)
    return found


def enter(lot: Lot, tensor: Any) -> None:
    """Remember that a tensor, and so its base and the views of that, lies in a memory."""
    root = tensor if tensor._root is None else tensor._root
    living = [each for each in lot.tenants if each() is not None]
    if not any(each() is root or each() is tensor for each in living):
        living += [weakref.ref(each) for each in ((root,) if root is tensor else (root, tensor))]
    lot.tenants = living


def family(tensor: Any) -> list:
    """The living tensors known to share a tensor's storage."""
    root = tensor if tensor._root is None else tensor._root
    members = [root, *(v for v in (r() for r in root._views or ()) if v is not None)]
    if not any(m is tensor for m in members):
        members.append(tensor)
    lot = known(owner(tensor._array))
    return members if lot is None or not lot.tenants else joined(members, inhabitants(lot))


def inhabitants(lot: Lot) -> list:
    """The living tensors that are known to lie in a lot."""
    found: list = []
    for tenant in lot.tenants:
        tensor = tenant()
        if tensor is not None:
            root = tensor if tensor._root is None else tensor._root
            found = joined(found, [tensor, root, *(v for v in (r() for r in root._views or ()) if v is not None)])
    return found


def joined(first: list, second: list) -> list:
    """Two lists of tensors as one without doubles."""
    return list({id(each): each for each in (*first, *second)}.values())


def detached(members: list) -> list:
    """Tensors, and those that share a version counter with one: `detach` gives such, and nobody keeps a list of them."""
    cells = {id(each._cell): each._cell for each in members if each._cell is not None}
    for number in list(cells):
        cell = cells.pop(number)
        if sys.getrefcount(cell) > sum(each._cell is cell for each in members) + 2:  # here, and as an argument
            sharing = [each for each in gc.get_referrers(cell) if issubclass(type(each), Fields)]
            members = joined(members, [each for each in sharing if each._cell is cell])
    return members


def move(root: Any, memory: Any, members: list) -> None:
    """Let the tensors that lie in the memory of `root`, and its storage, lie in another, at the same distance from its beginning."""
    size = memory.nbytes
    lot = known(root)
    left = False
    for member in detached(members):
        array = member._array
        home = owner(array)
        if home is not root and (lot is None or known(home) is not lot):
            continue
        at = address(array) - extent(home)[0]
        low, high = limits(array.shape, array.strides, array.itemsize)
        if at + low < 0 or at + high > size:
            left = True
        else:
            member._array = as_read(strided(memory, array.shape, array.strides, at, array.dtype), array)
    if lot is None:
        return
    if not left:
        places.pop(id(root), None)
        lot.memory = None
    put(memory, lot)
    if left:
        lot.memory = memory
    storage = lot.storage and lot.storage()
    if storage is not None:
        storage._owner = memory
