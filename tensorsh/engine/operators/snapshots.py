"""Copies of operands that lie in memory which other processes write into, for functions whose operands say where memory is read.

A number that was checked and then changed leads anywhere: numpy looks at an index twice, at a mask first to count and then to fill,
at what it sorts as often as it likes. Whatever a function computes with such operands, it computes with numbers that nobody else
can change. The first operand is what is read or written, and stays, but for the functions below."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.extents import owner
from ..graph.fields import wrap
from ..tensors.segments import is_open
from ..tensors.tensor import Tensor

ALL = frozenset(
    """
    argsort argwhere bincount bucketize coalesce embedding embedding_bag grid_sample grid_sampler grid_sampler_2d grid_sampler_3d
    histc histogram histogramdd isin kthvalue median mode msort multinomial nanmedian nanquantile nonzero nonzero_static one_hot
    quantile repeat_interleave searchsorted sort sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor
    sparse_csc_tensor sparse_csr_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr topk
    unique unique_consecutive unravel_index where
    """.split()
)
"""Functions that sort, count or look up their first operand, by their names."""
STAYING = frozenset("atleast_1d atleast_2d atleast_3d broadcast_tensors is_set_to meshgrid set_ share_memory_".split())
"""Functions that give the memory of other operands than the first on, or ask for it."""
FIRST = frozenset(("input", "self"))
"""Names of the first operand."""


def taken(x: Any, every: bool) -> Any:
    """A tensor in memory that is this process's alone; numbers that are no indices only with `every`."""
    if isinstance(x, Tensor):
        array = x._array
        if type(array) is np.ndarray and array.size and (every or array.dtype.kind in "biu") and is_open(owner(array)):
            made = wrap(array.copy())
            made._node = x._node
            return made
    elif type(x) is list or type(x) is tuple:
        found = [taken(each, every) for each in x]
        if any([new is not old for new, old in zip(found, x, strict=True)]):
            return found if type(x) is list else tuple(found)
    return x


def settled(title: str, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a function, none of which another process can change while it decides where memory is read; the same
    objects, if there is nothing to copy."""
    name = title.rpartition(".")[2]
    every = name in ALL
    if name in STAYING or not every and len(args) == 1 and not kwargs:
        return args, kwargs
    found = [taken(x, every) if i or every else x for i, x in enumerate(args)]
    if any([new is not old for new, old in zip(found, args, strict=True)]):
        args = tuple(found)
    named = {key: x if key == "out" or key in FIRST and not every else taken(x, every) for key, x in kwargs.items()}
    return args, named if any([named[key] is not x for key, x in kwargs.items()]) else kwargs
