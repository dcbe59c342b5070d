"""Writing where an index says, when the index, or what is written, lies in the target's own memory: PyTorch refuses.

A kernel that followed an index which it overwrites would read and write anywhere.
PyTorch looks at storages and so misses memory that came through numpy; here the memory itself counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine import kernels

SHARED = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"


def numbers(*values: int) -> Any:
    return torch.tensor(values or (0, 1, 2, 3, 1))


def doubles() -> tuple:
    target = torch.zeros(5, dtype=torch.float64)
    return target, target.view(torch.int64)


def within(start: int, stop: int | None, first: int, last: int | None) -> tuple:
    whole = numbers(0, 1, 2, 3, 1, 2, 0)
    return whole[start:stop], whole[first:last]


KINDS: dict[str, Callable] = {
    "itself": lambda: (x := numbers(), x),
    "view": lambda: (x := numbers(), x.view(5)),
    "detached": lambda: (x := numbers(), x.detach()),
    "through numpy": lambda: (x := numbers(), torch.from_numpy(x.numpy())),
    "overlapping parts": lambda: within(0, 5, 2, None),
    "a part": lambda: within(0, None, 2, 4),
    "another dtype": doubles,
}


def ones(x: Any, index: Any) -> Any:
    return torch.ones(index.shape, dtype=x.dtype)


WRITES: dict[str, Callable] = {
    "index_put_": lambda x, i: x.index_put_((i,), ones(x, i)),
    "index_put_ of a number": lambda x, i: x.index_put_((i,), ones(x, i)[0]),
    "index_put_ accumulate": lambda x, i: x.index_put_((i,), ones(x, i), True),
    "index_put_ accumulate a number": lambda x, i: x.index_put_((i,), ones(x, i)[0], True),
    "setitem": lambda x, i: x.__setitem__(i, ones(x, i)),
    "setitem of a number": lambda x, i: x.__setitem__(i, 1),
    "index_add_": lambda x, i: x.index_add_(0, i, ones(x, i)),
    "index_copy_": lambda x, i: x.index_copy_(0, i, ones(x, i)),
    "index_fill_": lambda x, i: x.index_fill_(0, i, 1),
    "index_reduce_": lambda x, i: x.index_reduce_(0, i, ones(x, i), "prod"),
    "scatter_": lambda x, i: x.scatter_(0, i, ones(x, i)),
    "scatter_ of a number": lambda x, i: x.scatter_(0, i, 1),
    "scatter_add_": lambda x, i: x.scatter_add_(0, i, ones(x, i)),
    "scatter_reduce_": lambda x, i: x.scatter_reduce_(0, i, ones(x, i), "sum"),
    "put_": lambda x, i: x.put_(i, ones(x, i)),
    "put_ accumulate": lambda x, i: x.put_(i, ones(x, i), True),
    # what is written lies in the target's memory
    "index_put_ from itself": lambda x, i: x.index_put_((torch.arange(len(x)),), x, True),
    "index_add_ from itself": lambda x, i: x.index_add_(0, torch.arange(len(x)), x),
    "index_copy_ from itself": lambda x, i: x.index_copy_(0, torch.arange(len(x)), x),
    "scatter_ from itself": lambda x, i: x.scatter_(0, torch.arange(len(x)), x),
    "scatter_add_ from itself": lambda x, i: x.scatter_add_(0, torch.arange(len(x)), x),
    "put_ from itself": lambda x, i: x.put_(torch.arange(len(x)), x, True),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_shared_memory_is_refused(name: str, kind: str) -> None:
    x, index = KINDS[kind]()
    before = x.tolist()
    with pytest.raises(RuntimeError, match=SHARED):
        WRITES[name](x, index)
    assert x.tolist() == before


def test_masks_may_be_their_own_target() -> None:
    mask = torch.tensor([True, False, True])
    mask[mask] = False
    assert mask.tolist() == [False] * 3
    x = numbers()
    assert x.masked_fill_(x.bool(), 7).tolist() == [0, 7, 7, 7, 7]
    x = torch.tensor([True, False, True])
    assert x.index_put_((x,), torch.tensor(False)).tolist() == [False] * 3
    with pytest.raises(RuntimeError, match=SHARED):
        x.index_put_((x,), torch.tensor(True), True)


def test_parts_that_do_not_touch_are_not_refused() -> None:
    whole = numbers(0, 1, 2, 3, 1, 2, 0)
    assert whole[:4].index_add_(0, whole[4:], numbers(1, 1, 1)).tolist() == [1, 2, 3, 3]
    assert whole[:4].scatter_(0, whole[4:], 9).tolist() == [9, 9, 9, 3]


def test_memory_with_gaps_is_read_before_it_is_written() -> None:
    """PyTorch does not refuse these; in which order it reads and writes is not said."""
    whole = numbers(0, 9, 1, 9, 2, 9)
    whole.index_add_(0, whole[::2], numbers(1, 1, 1))
    assert whole.tolist() == [1, 10, 2, 9, 2, 9]
    whole = numbers(0, 9, 1, 9, 2, 9)
    whole.index_put_((whole[::2],), numbers(1, 1, 1), True)
    assert whole.tolist() == [1, 10, 2, 9, 2, 9]


@pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels")
@pytest.mark.parametrize("name", ["taken_along", "put_along", "added_along", "added_rows"])
def test_another_thread_may_change_the_index(name: str) -> None:
    """A number that leaves the bounds after it was checked is not followed."""
    n = 1 << 17
    x, index, values, ended = np.zeros(16), np.zeros(n, np.int64), np.ones(n), threading.Event()

    def change() -> None:
        while not ended.is_set():
            index[n // 2 :] = 1 << 50
            index[n // 2 :] = 3

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(100):
            if name == "taken_along":
                kernels.compiled.taken_along(x, 0, index)
            elif name == "added_rows":
                kernels.compiled.added_rows(x, index, values)
            else:
                getattr(kernels.compiled, name)(x, 0, index, values)
    finally:
        ended.set()
        other.join()
