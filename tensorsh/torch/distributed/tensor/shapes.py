"""What becomes of the parts of a tensor where its shape changes: dimensions in another order, other shapes, pieces, indices."""

from __future__ import annotations

import math
from typing import Any

from .parts import placed_tensor
from .placement_types import REPLICATE, Partial, Shard
from .rules import Call, rule


@rule("t", "transpose", "permute", "swapaxes", "swapdims", "mT", "T", "movedim", "moveaxis", "unsqueeze", "numpy_T")
def reordered(call: Call) -> Any:
    """Dimensions in another order."""
    x = call.argument(0, "input")
    ndim, rest = len(x._shape), [a for a in call.args[1:]] or list(call.kwargs.values())
    if call.name == "unsqueeze":
        dim = rest[0] % (ndim + 1)
        order: list = [*range(dim), None, *range(dim, ndim)]
    elif call.name in ("t", "T", "mT"):
        order = list(range(ndim))
        order[-2:] = order[-2:][::-1]
    elif call.name in ("transpose", "swapaxes", "swapdims"):
        order = list(range(ndim))
        one, other = rest[0] % ndim, rest[1] % ndim
        order[one], order[other] = other, one
    elif call.name == "permute":
        given = rest[0] if isinstance(rest[0], (list, tuple)) else rest
        order = [d % ndim for d in given]
    else:
        source, target = ([d % ndim for d in ([a] if isinstance(a, int) else a)] for a in rest[:2])
        rest = [d for d in range(ndim) if d not in source]
        order = [source[target.index(d)] if d in target else rest.pop(0) for d in range(ndim)]
    out = tuple(Shard(order.index(p.dim)) if isinstance(p, Shard) else p for p in x._placements)
    shape = tuple(1 if d is None else x._shape[d] for d in order)
    return call.run({id(x): x._placements}, out, shape)


@rule("view", "reshape", "flatten", "unflatten", "squeeze")
def reshaped(call: Call) -> Any:
    """Another shape: parts along a dimension stay parts along the first of those that it becomes."""
    x = call.args[0]
    shape = new_shape(call, x._shape)
    if shape is None:
        return NotImplemented
    wanted, out, local = [], [], list(shape)
    for i, p in enumerate(x._placements):
        after: Any = p
        if isinstance(p, Shard):
            before = math.prod(x._shape[: p.dim])
            dim = next((d for d in range(len(shape)) if math.prod(shape[:d]) == before and shape[d] != 1), None)
            n = call.mesh.size(i)
            if dim is None or shape[dim] % n or x._shape[p.dim] % n:
                p = after = REPLICATE
            else:
                after = Shard(dim)
                local[dim] //= n
        wanted.append(p)
        out.append(after)
    part = call.part(x, tuple(wanted), tuple(out))
    return placed_tensor(part.reshape(local), call.mesh, tuple(out), shape)


def new_shape(call: Call, old: tuple) -> tuple | None:
    """The shape that a call asks for."""
    rest = [*call.args[1:], *call.kwargs.values()]
    if call.name in ("view", "reshape"):
        given = rest[0] if rest and isinstance(rest[0], (list, tuple)) else rest
        if not all(isinstance(n, int) for n in given):
            return None
        total, known = math.prod(old), math.prod(n for n in given if n != -1)
        return tuple(total // max(known, 1) if n == -1 else n for n in given)
    if call.name == "flatten":
        first, last = (*rest, 0, -1)[: max(2, len(rest))][:2] if len(rest) != 1 else (rest[0], -1)
        first, last = first % len(old), last % len(old)
        return (*old[:first], math.prod(old[first : last + 1]), *old[last + 1 :])
    if call.name == "squeeze":
        dims = range(len(old)) if not rest else [rest[0]] if isinstance(rest[0], int) else rest[0]
        gone = {d % max(len(old), 1) for d in dims}
        return tuple(n for d, n in enumerate(old) if n != 1 or d not in gone)
    if call.name == "unflatten":
        dim, sizes = rest[0] % len(old), list(rest[1])
        known = math.prod(n for n in sizes if n != -1)
        return (*old[:dim], *(old[dim] // known if n == -1 else n for n in sizes), *old[dim + 1 :])
    return None


@rule("split", "chunk", "cat", "concat")
def pieces(call: Call) -> Any:
    """Pieces along one dimension, of tensors in parts along others."""
    x = call.tensors[0]
    dim = call.argument(2 if call.name in ("split", "chunk") else 1, "dim", 0) % max(len(x._shape), 1)
    if any(t._placements != x._placements for t in call.tensors):
        return NotImplemented
    if any(isinstance(p, Partial) or isinstance(p, Shard) and p.dim == dim for p in x._placements):
        return NotImplemented
    sizes = {p.dim: x._shape[p.dim] for p in x._placements if isinstance(p, Shard)}
    return call.run({id(t): t._placements for t in call.tensors}, x._placements, sizes=sizes)


@rule("stack")
def stack(call: Call) -> Any:
    """A new dimension before or behind those in parts."""
    x = call.tensors[0]
    if any(t._placements != x._placements for t in call.tensors):
        return NotImplemented
    dim = call.argument(1, "dim", 0) % (len(x._shape) + 1)
    shape = (*x._shape[:dim], len(call.args[0]), *x._shape[dim:])
    out = tuple(Shard(p.dim + (p.dim >= dim)) if isinstance(p, Shard) else p for p in x._placements)
    return call.run({id(t): t._placements for t in call.tensors}, out, shape)


@rule("unbind")
def unbind(call: Call) -> Any:
    """Each along a dimension, of parts along others."""
    x = call.args[0]
    dim = call.argument(1, "dim", 0) % max(len(x._shape), 1)
    if any(p.is_shard(dim) for p in x._placements):
        raise RuntimeError(
            f"Attempted to unbind along the sharded dimension {dim}. ",
            "It cannot be performed without redistribution, which is disallowed by the current operator.",
        )
    out = tuple(Shard(p.dim - (p.dim > dim)) if isinstance(p, Shard) else p for p in x._placements)
    return call.run({id(x): x._placements}, out, x._shape[:dim] + x._shape[dim + 1 :])


@rule("expand")
def expand(call: Call) -> Any:
    """New dimensions in front, and old ones of size 1 repeated; parts stay parts."""
    x = call.args[0]
    given = list(call.args[1]) if isinstance(call.args[1], (list, tuple)) else list(call.args[1:])
    new = len(given) - len(x._shape)
    if call.kwargs or new < 0 or not all(isinstance(n, int) for n in given):
        return NotImplemented
    shape = [x._shape[i - new] if n == -1 and i >= new else n for i, n in enumerate(given)]
    if any(isinstance(p, Shard) and x._shape[p.dim] != shape[p.dim + new] for p in x._placements):
        return NotImplemented
    out = tuple(Shard(p.dim + new) if isinstance(p, Shard) else p for p in x._placements)
    part = call.part(x, x._placements, out)
    local = [part.shape[i - new] if i >= new and shape[i] == x._shape[i - new] else n for i, n in enumerate(shape)]
    return placed_tensor(part.expand(local), call.mesh, out, tuple(shape))


@rule("getitem")
def getitem(call: Call) -> Any:
    """Numbers, slices and new dimensions; dimensions in parts are taken whole, or the tensor is brought together."""
    x, index = call.args
    entries = list(index) if isinstance(index, tuple) else [index]
    if not all(e is None or e is ... or type(e) is int or isinstance(e, slice) for e in entries):
        return NotImplemented
    rest = len(x._shape) - sum(e is not None and e is not ... for e in entries)
    if rest < 0 or entries.count(...) > 1:
        return NotImplemented
    if ... not in entries:
        entries.append(...)
    at = entries.index(...)
    entries[at : at + 1] = [slice(None)] * rest
    wanted, out, sizes = [], [], {}
    for p in x._placements:
        if isinstance(p, Shard):
            after, dim, kept = 0, 0, None
            for e in entries:
                if e is None:
                    after += 1
                    continue
                if dim == p.dim:
                    kept = after if e == slice(None) else None
                after += not isinstance(e, int)
                dim += 1
            if kept is None:
                p, place = REPLICATE, REPLICATE
            else:
                place = Shard(kept)
                sizes[kept] = x._shape[p.dim]
        else:
            place = p
        wanted.append(p)
        out.append(place)
    return call.run({id(x): tuple(wanted)}, tuple(out), sizes=sizes)


@rule("new_full", "new_zeros", "new_ones", "new_empty", "new_empty_strided")
def made_anew(call: Call) -> Any:
    """Of the tensor's own shape: in its parts; whole elsewhere."""
    x, size = call.args[0], call.argument(1, "size")
    shape = tuple([size, *call.args[2:]] if isinstance(size, int) else size)
    local = shape if shape != x._shape else tuple(x._array.shape)
    strides = call.name == "new_empty_strided" and call.argument(2, "stride")
    more = call.args[2:] if call.name == "new_full" else (list(strides),) if strides and local == shape else ()
    named = {k: v for k, v in call.kwargs.items() if k not in ("size", "stride")}
    made = x._local_tensor.new_empty if strides and local != shape else getattr(x._local_tensor, call.title)
    placed = x._placements if shape == x._shape else (REPLICATE,) * call.mesh.ndim
    return placed_tensor(made(local, *more, **named), call.mesh, placed, shape)
