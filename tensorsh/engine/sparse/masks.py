"""Elements of one array at the places of another."""

from __future__ import annotations

from typing import Any

from .arrays import Compressed, Coo, Sparse, prod
from .conversion import coo_from_compressed
from .folding import places


def looked_up(x: Any, indices: Any) -> Any:
    """The elements of an array at some coordinates; zero where it has none."""
    xp, x = x.xp, x.coalesce()
    at, wanted = x.places(), places(indices, x.shape[: x.sparse_dim])
    values = xp.zeros((wanted.size, *x.values.shape[1:]), x.dtype)
    if at.size:
        found = xp.searchsorted(at, wanted)
        found[found == at.size] = 0
        there = at[found] == wanted
        values[there] = x.values[found[there]]
    return values


def masked(x: Any, mask: Any) -> Any:
    """The elements of an array where a sparse one has any."""
    if x.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(x.shape)} but mask has size {list(mask.shape)}"
        )
    if type(mask) is Coo:
        if type(x) is Compressed:
            x = coo_from_compressed(x)
        at = mask.indices
        values = looked_up(x, at) if isinstance(x, Sparse) else x[tuple(at)] if at.shape[0] else x[None]
        return Coo(at, values.copy(), x.shape, mask.coalesced)
    if isinstance(x, Sparse):
        x = x.dense()
    return mask.with_values(at_places(x, mask))


def at_places(x: Any, mask: Compressed) -> Any:
    """The elements (or blocks) of a dense array at the places of a compressed one."""
    batch = mask.batch
    height, width = mask.block
    rest = x.shape[batch + 2 :]
    n, m = x.shape[batch : batch + 2]
    many = prod(x.shape[:batch])
    grid = x.reshape(many, n // height, height, m // width, width, *rest).swapaxes(2, 3)
    rows, columns = (each.reshape(many, mask.nnz) for each in mask.coordinates())
    return grid[mask.xp.arange(many)[:, None], rows, columns].reshape(mask.values.shape)
